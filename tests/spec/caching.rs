//! §7 Caching.

use plain_mcp::{
    CacheHint, CachePolicy, CacheScope, Completion, Context, Limits, NoArgs, Prompt, PromptArguments, PromptMessage,
    Resource, ResourceOutput, ResourceTemplate, Server, ServerBuilder, Tool, Vars, contents, elicit, text,
};
use serde_json::{Value, json};

use crate::kit::{CAPS, builder, call, meta_and};

const CACHEABLE: [(&str, &str); 6] = [
    ("server/discover", ""),
    ("tools/list", ""),
    ("prompts/list", ""),
    ("resources/list", ""),
    ("resources/templates/list", ""),
    ("resources/read", "test://plain"),
];

fn full(builder: ServerBuilder) -> ServerBuilder {
    let read = |_: &str, _: &Context<'_>| Ok(contents::text("text/plain", "x"));
    builder
        .tool(Tool::new("t1", "A tool"), |_: NoArgs, _: &Context<'_>| Ok(text("done")))
        .tool(Tool::new("t2", "A tool that asks"), |_: NoArgs, cx: &Context<'_>| {
            cx.ask("name", elicit::form("Name?").string("name"))?;
            Ok(text("done"))
        })
        .resource(Resource::new("test://plain", "plain"), read)
        .resource(Resource::new("test://hinted", "hinted"), read)
        .resource(Resource::new("test://own", "own"), |_: &str, _: &Context<'_>| {
            Ok(ResourceOutput::from(contents::text("text/plain", "x")).cache(CacheHint::private(7)))
        })
        .resource(Resource::new("test://asks", "asks"), |_: &str, cx: &Context<'_>| {
            cx.ask("name", elicit::form("Name?").string("name"))?;
            Ok(contents::text("text/plain", "x"))
        })
        .template(ResourceTemplate::new("test://t/{id}", "t"), |_: &Vars, _: &Context<'_>| {
            Ok(contents::text("text/plain", "t"))
        })
        .prompt(Prompt::new("p", "A prompt").arg("a"), |_: &PromptArguments, _: &Context<'_>| {
            Ok(PromptMessage::user("hello"))
        })
        .complete_prompt("p", "a", |_: &str, _: &Context<'_>| Ok(Completion::from(vec!["x"])))
}

fn hint(server: &Server, method: &str, uri: &str) -> Value {
    let params = if uri.is_empty() { json!({}) } else { json!({"uri": uri}) };
    let sent = call(server, method, params);
    json!([sent.result()["ttlMs"], sent.result()["cacheScope"]])
}

#[test]
fn six_results_say_that_they_are_stale_at_once() {
    covers!("7-1", "7-3");
    let server = full(builder()).build().unwrap();
    for (method, uri) in CACHEABLE {
        assert_eq!(hint(&server, method, uri), json!([0, "private"]), "{method}");
    }
    assert_eq!(hint(&server, "resources/read", "test://t/1"), json!([0, "private"]));
}

#[test]
fn the_author_sets_each_list() {
    covers!("7-2", "7-4");
    let policy = CachePolicy {
        discover: CacheHint::public(1),
        tools: CacheHint::private(2),
        prompts: CacheHint::public(3),
        resources: CacheHint::private(4),
        templates: CacheHint::public(5),
        read: CacheHint { ttl_ms: 9_007_199_254_740_991, scope: CacheScope::Private },
    };
    let server = full(builder().cache(policy)).build().unwrap();
    let wanted = [
        json!([1, "public"]),
        json!([2, "private"]),
        json!([3, "public"]),
        json!([4, "private"]),
        json!([5, "public"]),
        json!([9_007_199_254_740_991_u64, "private"]),
    ];
    for ((method, uri), wanted) in CACHEABLE.into_iter().zip(wanted) {
        assert_eq!(hint(&server, method, uri), wanted, "{method}");
    }
}

#[test]
fn the_author_sets_each_resource() {
    covers!("7-4");
    let server = full(builder())
        .cache(CachePolicy { read: CacheHint::private(1), ..CachePolicy::default() })
        .cache_resource("test://hinted", CacheHint::public(60_000))
        .cache_resource("test://own", CacheHint::public(60_000))
        .cache_resource("test://t/{id}", CacheHint::public(5))
        .build()
        .unwrap();
    for (uri, wanted) in [
        ("test://plain", json!([1, "private"])),
        ("test://hinted", json!([60_000, "public"])),
        ("test://own", json!([7, "private"])), // the handler has the last word
        ("test://t/1", json!([5, "public"])),
    ] {
        assert_eq!(hint(&server, "resources/read", uri), wanted, "{uri}");
    }
}

#[test]
fn all_pages_of_a_list_have_one_hint() {
    covers!("7-4");
    let policy = CachePolicy { tools: CacheHint::public(9), ..CachePolicy::default() };
    let server = full(builder().cache(policy).limits(Limits { page: 1, ..Limits::default() })).build().unwrap();
    let first = call(&server, "tools/list", json!({}));
    let cursor = first.result()["nextCursor"].clone();
    assert!(cursor.is_string(), "{first:?}");
    let second = call(&server, "tools/list", json!({"cursor": cursor}));
    for page in [first, second] {
        assert_eq!((&page.result()["ttlMs"], &page.result()["cacheScope"]), (&json!(9), &json!("public")));
    }
}

#[test]
fn no_other_result_has_a_hint() {
    covers!("7-5");
    let everywhere = CacheHint::public(9);
    let policy = CachePolicy {
        discover: everywhere,
        tools: everywhere,
        prompts: everywhere,
        resources: everywhere,
        templates: everywhere,
        read: everywhere,
    };
    let server = full(builder().cache(policy)).build().unwrap();
    let able = meta_and(json!({CAPS: {"elicitation": {}}}));
    for (method, params) in [
        ("tools/call", json!({"name": "t1"})),
        ("tools/call", json!({"name": "t2", "_meta": able})),
        ("resources/read", json!({"uri": "test://asks", "_meta": able})),
        ("prompts/get", json!({"name": "p", "arguments": {"a": ""}})),
        (
            "completion/complete",
            json!({"ref": {"type": "ref/prompt", "name": "p"}, "argument": {"name": "a", "value": ""}}),
        ),
    ] {
        let sent = call(&server, method, params);
        assert!(sent.result()["resultType"].is_string());
        assert_eq!((sent.result().get("ttlMs"), sent.result().get("cacheScope")), (None, None), "{method}");
    }
}
