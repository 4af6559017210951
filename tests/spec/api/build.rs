//! Building a server: problems, limits, and what it says of itself.

use std::time::Duration;

use plain_mcp::{
    CacheHint, Context, Implementation, Limits, NoArgs, Prompt, PromptMessage, Resource, ResourceTemplate, Tool,
    contents, text,
};
use serde_json::{Value, json};

use super::*;
use crate::kit::{builder, call, meta_and, refuses, tool};

#[test]
fn every_problem_at_once() {
    covers!("api-1");
    let problems = builder()
        .tool(Tool::new("", "d").input(json!({"type": "array"})), ok)
        .tool(
            Tool::new("a", "d").input(json!({"type": "object", "minProperties": -1})).output(json!({"type": "x"})),
            ok,
        )
        .resource(Resource::new("nowhere", ""), |_, _| Ok(contents::text("", "")))
        .template(ResourceTemplate::new("test://{", "t"), |_, _| Ok(contents::text("", "")))
        .prompt(Prompt::new("", "d"), |_, _| Ok(PromptMessage::user("")))
        .complete_prompt("none", "a", |_, _| Ok(vec![""]))
        .cache_resource("test://none", CacheHint::public(1))
        .extension("unprefixed", json!({}))
        .experimental("settings", 7)
        .limits(Limits { page: 0, state_ttl: Duration::ZERO, ..Limits::default() })
        .dialects([])
        .list_changed()
        .no_listen()
        .build()
        .unwrap_err()
        .problems;
    for part in [
        r#"tool "": the name is empty"#,
        r#"tool "": inputSchema must be an object with "type": "object""#,
        r#"tool "a": input schema: "#,
        r#"tool "a": output schema: "#,
        r#"resource "nowhere": the name is empty"#,
        r#"resource "nowhere": not an absolute URI"#,
        r#"template "test://{": a brace without its other half"#,
        r#"prompt "": the name is empty"#,
        r#"completion of "a": no prompt "none""#,
        r#"cache policy for "test://none": no such resource or template"#,
        r#"capability "unprefixed": "#,
        r#"capability "settings": "#,
        "limits: page must be at least 1",
        "limits: state_ttl must lie between 1 s and state_ttl_max",
        "no dialect is enabled",
        "listChanged and subscribe need subscriptions/listen, which is switched off",
    ] {
        assert_eq!(problems.iter().filter(|problem| problem.starts_with(part)).count(), 1, "{part}: {problems:#?}");
    }
    assert_eq!(problems.len(), 16, "{problems:#?}");
    let error = builder().dialects([]).limits(Limits { page: 0, ..Limits::default() }).build().unwrap_err();
    assert_eq!(error.to_string(), "limits: page must be at least 1; no dialect is enabled");
}

#[test]
fn senseless_limits() {
    covers!("api-8");
    let zero = Duration::ZERO;
    let with = |set: fn(&mut Limits)| {
        let mut limits = Limits::default();
        set(&mut limits);
        builder().limits(limits).build().map_or_else(|error| error.problems, |_| Vec::new())
    };
    for (set, problem) in [
        ((|l| l.id = 0) as fn(&mut Limits), "limits: id must be at least 1"),
        (|l| l.cursor = 255, "limits: cursor must be at least 256"),
        (|l| l.page = 0, "limits: page must be at least 1"),
        (|l| l.state = 255, "limits: state must be at least 256"),
        (|l| l.completion_values = 0, "limits: completion_values must be at least 1"),
        (|l| l.completion_values = 101, "limits: completion_values must be at most 100"),
        (|l| l.body = 0, "limits: body must be at least 1"),
        (|l| l.line = 0, "limits: line must be at least 1"),
        (|l| l.head = 0, "limits: head must be at least 1"),
        (|l| l.fields = 0, "limits: fields must be at least 1"),
        (|l| l.connections = 0, "limits: connections must be at least 1"),
        (|l| l.in_flight = 0, "limits: in_flight must be at least 1"),
        (|l| l.head_deadline = Duration::ZERO, "limits: head_deadline must not be zero"),
        (|l| l.body_deadline = Duration::ZERO, "limits: body_deadline must not be zero"),
        (|l| l.idle_deadline = Duration::ZERO, "limits: idle_deadline must not be zero"),
        (|l| l.write_deadline = Duration::ZERO, "limits: write_deadline must not be zero"),
        (|l| l.hang_up_tick = Duration::ZERO, "limits: hang_up_tick must not be zero"),
    ] {
        assert_eq!(with(set), [problem]);
    }
    // None of these at all is a choice.
    let none = Limits {
        progress_updates: 0,
        progress_message: 0,
        uris: 0,
        streams: 0,
        keepalive: zero,
        drain: zero,
        ..Limits::default()
    };
    assert!(builder().limits(none).build().is_ok());
}

#[test]
fn limits_count() {
    covers!("api-8", "1-4", "8.2-4", "8.2-5");
    let limits =
        Limits { id: 4, page: 1, progress_updates: 2, progress_message: 3, streams: 0, uris: 1, ..Limits::default() };
    let server = builder()
        .limits(limits.clone())
        .tool(Tool::new("t", "d"), |_: NoArgs, cx| {
            (1..9).for_each(|step| cx.progress(f64::from(step), None, "aüb"));
            Ok("")
        })
        .build()
        .unwrap();
    assert_eq!(*server.limits(), limits);
    let sent = call(&server, "tools/call", json!({"name": "t", "_meta": meta_and(json!({"progressToken": "four"}))}));
    let messages: Vec<&Value> = sent.notifications.iter().map(|note| &note["params"]["message"]).collect();
    assert_eq!(messages, ["aü", "aü"]);
    let sent = call(&server, "tools/call", json!({"name": "t", "_meta": meta_and(json!({"progressToken": "fives"}))}));
    sent.is_error(-32602, "progressToken must be a string of at most 256 bytes or an int64 integer", None);
    let sent = call(&server, "subscriptions/listen", json!({"notifications": {}}));
    sent.is_error(-32600, "Too many open listen streams", None);
    let uris = json!({"notifications": {"resourceSubscriptions": ["t:1", "t:2"]}});
    let text = "subscriptions/listen resourceSubscriptions must list at most 1 absolute URIs";
    refuses(&server, "subscriptions/listen", &[(uris, -32602, text, None)]);
}

#[test]
fn what_the_server_says_of_itself() {
    covers!("3-2", "3-3", "4-5");
    let info = Implementation::new("n", "2").title("T").description("D").website_url("https://example.com");
    let full =
        json!({"name": "n", "version": "2", "title": "T", "description": "D", "websiteUrl": "https://example.com"});
    let named = builder().info(info).instructions("Use it.").tool(Tool::new("t", "d"), ok).build().unwrap();
    assert_eq!(named.info().name, "n");
    for (method, params) in
        [("server/discover", json!({})), ("tools/list", json!({})), ("tools/call", json!({"name": "t"}))]
    {
        let sent = call(&named, method, params);
        assert_eq!(sent.result()["_meta"], json!({"io.modelcontextprotocol/serverInfo": full}));
        assert_eq!(sent.result().get("serverInfo"), None);
    }
    assert_eq!(call(&named, "server/discover", json!({})).result()["instructions"], "Use it.");

    let meta = |_: NoArgs, _: &Context<'_>| {
        Ok(text("")
            .meta("com.example/k", 1)
            .meta("io.modelcontextprotocol/serverInfo", json!({"name": "forged", "version": "0"})))
    };
    let server = builder().tool(Tool::new("m", "d"), meta).build().unwrap();
    let own = json!({"name": "test", "version": "1.0.0"});
    assert_eq!(
        tool(&server, "m", json!({})).result()["_meta"],
        json!({"com.example/k": 1, "io.modelcontextprotocol/serverInfo": own})
    );
    let anonymous = builder()
        .anonymous()
        .tool(Tool::new("t", "d"), ok)
        .tool(Tool::new("m", "d"), |_: NoArgs, _| Ok(text("").meta("k", 1)))
        .build()
        .unwrap();
    assert_eq!(tool(&anonymous, "t", json!({})).result().get("_meta"), None);
    assert_eq!(tool(&anonymous, "m", json!({})).result()["_meta"], json!({"k": 1}));
    assert_eq!(call(&anonymous, "tools/list", json!({})).result().get("_meta"), None);
}
