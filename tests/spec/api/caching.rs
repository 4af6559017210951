//! §7 The cache policy of each list and each resource.

use plain_mcp::{
    CacheHint, CachePolicy, Prompt, PromptMessage, Resource, ResourceOutput, ResourceTemplate, Server, ServerBuilder,
    Tool, contents,
};
use serde_json::{Value, json};

use super::*;
use crate::kit::{builder, call};

/// The `ttlMs` and `cacheScope` of a result.
fn freshness(server: &Server, method: &str, params: Value) -> (Option<u64>, Option<String>) {
    let result = call(server, method, params).result().clone();
    (result.get("ttlMs").and_then(Value::as_u64), result.get("cacheScope").and_then(Value::as_str).map(str::to_owned))
}

/// Every cacheable result, and what is to be read.
fn cacheable() -> Vec<(&'static str, Value)> {
    let read = |uri: &str| ("resources/read", json!({"uri": uri}));
    let mut all: Vec<_> =
        ["server/discover", "tools/list", "prompts/list", "resources/list", "resources/templates/list"]
            .map(|method| (method, json!({})))
            .into();
    all.extend([read("test://r"), read("test://own"), read("test://says"), read("test://t/1"), read("test://u/1")]);
    all
}

fn stocked(builder: ServerBuilder) -> Server {
    builder
        .tool(Tool::new("t", "d"), ok)
        .prompt(Prompt::new("p", "d").arg("a"), |_, _| Ok(PromptMessage::user("")))
        .complete_prompt("p", "a", |_, _| Ok(vec![""]))
        .resource(Resource::new("test://r", "r"), read_whole)
        .resource(Resource::new("test://own", "r"), read_whole)
        .resource(Resource::new("test://says", "r"), |_, _| {
            Ok(ResourceOutput::from(contents::text("", "")).cache(CacheHint::public(9)))
        })
        .template(ResourceTemplate::new("test://t/{x}", "t"), read_part)
        .template(ResourceTemplate::new("test://u/{x}", "u"), read_part)
        .cache_resource("test://own", CacheHint::public(7))
        .cache_resource("test://says", CacheHint::private(1))
        .cache_resource("test://u/{x}", CacheHint::private(8))
        .build()
        .unwrap()
}

#[test]
fn cache_policies() {
    covers!("7-1", "7-2", "7-3", "7-4", "7-5");
    let fresh = |ttl: u64, scope: &str| (Some(ttl), Some(scope.to_owned()));
    let policy = CachePolicy {
        discover: CacheHint::public(1),
        tools: CacheHint::private(2),
        prompts: CacheHint::public(3),
        resources: CacheHint::private(4),
        templates: CacheHint::public(5),
        read: CacheHint::private(6),
    };
    let (plain, set) = (stocked(builder()), stocked(builder().cache(policy)));
    let by_default = [(0, "private"); 5].into_iter().chain([
        (0, "private"),
        (7, "public"),
        (9, "public"),
        (0, "private"),
        (8, "private"),
    ]);
    let by_policy = [(1, "public"), (2, "private"), (3, "public"), (4, "private"), (5, "public")];
    let by_policy =
        by_policy.into_iter().chain([(6, "private"), (7, "public"), (9, "public"), (6, "private"), (8, "private")]);
    for (server, expected) in [(&plain, by_default.collect::<Vec<_>>()), (&set, by_policy.collect())] {
        for ((method, params), (ttl, scope)) in cacheable().into_iter().zip(expected) {
            println!("{method} {params}");
            assert_eq!(freshness(server, method, params), fresh(ttl, scope));
        }
        for (method, params) in [
            ("tools/call", json!({"name": "t"})),
            ("prompts/get", json!({"name": "p", "arguments": {"a": ""}})),
            (
                "completion/complete",
                json!({"ref": {"type": "ref/prompt", "name": "p"}, "argument": {"name": "a", "value": ""}}),
            ),
        ] {
            assert_eq!(freshness(server, method, params), (None, None));
        }
    }
}
