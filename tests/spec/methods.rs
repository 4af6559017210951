//! §5.7 Methods that are gone, unknown, or not offered.

use plain_mcp::{Feature, NoArgs, Server, Tool};
use serde_json::{Value, json};

use crate::kit::{builder, call, request, send};

/// All methods but server/discover, with params that each would take.
fn methods() -> Vec<(&'static str, Value)> {
    vec![
        ("tools/list", json!({})),
        ("tools/call", json!({"name": "t"})),
        ("resources/list", json!({})),
        ("resources/templates/list", json!({})),
        ("resources/read", json!({"uri": "test://r"})),
        ("prompts/list", json!({})),
        ("prompts/get", json!({"name": "p"})),
        (
            "completion/complete",
            json!({"ref": {"type": "ref/prompt", "name": "p"}, "argument": {"name": "a", "value": ""}}),
        ),
    ]
}

fn unknown(server: &Server, method: &str, params: Value) {
    let mut message = request(method, params);
    for id in [json!(42), json!("the id"), json!(i64::MIN), json!(""), json!(0)] {
        message["id"] = id.clone();
        let sent = send(server, &message);
        sent.is_error(-32601, &format!("Method not found: {method}"), None);
        assert_eq!(sent.answer.unwrap()["id"], id);
    }
}

#[test]
fn not_offered() {
    covers!("5.7-1", "4-4");
    let bare = builder().build().unwrap();
    for (method, params) in methods() {
        unknown(&bare, method, params);
    }
    for (feature, offered) in [
        (Feature::Tools, "tools/"),
        (Feature::Resources, "resources/"),
        (Feature::Prompts, "prompts/"),
        (Feature::Completions, "completion/"),
    ] {
        let server = builder().offer(feature).build().unwrap();
        for (method, params) in methods() {
            if method.starts_with(offered) {
                let error = call(&server, method, params).answer.unwrap()["error"]["code"].clone();
                assert_ne!(error, json!(-32601), "{method}");
            } else {
                unknown(&server, method, params);
            }
        }
    }
}

#[test]
fn unknown_methods() {
    covers!("5.7-1", "12-3");
    let server = builder().tool(Tool::new("t", "d"), |_: NoArgs, _| Ok("")).build().unwrap();
    let long = "x".repeat(10_000);
    for method in [
        "",
        " ",
        "tools",
        "tools/",
        "Tools/list",
        "tools/list ",
        "tools/list/",
        "tool/list",
        "{}",
        "notifications/cancelled",
        "rpc.discover",
        "ü\n\"",
        &long,
    ] {
        unknown(&server, method, json!({}));
    }
    // Whatever else is wrong with its params is not looked at.
    unknown(&server, "nope", json!({"name": 7, "inputResponses": 7, "requestState": 7, "cursor": 7}));
}

#[test]
fn gone() {
    covers!("5.7-2");
    let server = builder()
        .tool(Tool::new("t", "d"), |_: NoArgs, _| Ok(""))
        .offer(Feature::Resources)
        .subscribe()
        .build()
        .unwrap();
    for (method, params) in [
        ("ping", json!({})),
        ("logging/setLevel", json!({"level": "info"})),
        ("resources/subscribe", json!({"uri": "test://r"})),
        ("resources/unsubscribe", json!({"uri": "test://r"})),
        ("roots/list", json!({})),
        ("sampling/createMessage", json!({})),
        ("elicitation/create", json!({})),
        ("tasks/get", json!({"taskId": "x"})),
    ] {
        unknown(&server, method, params);
    }
    // D14: whoever begins with `initialize` is told the versions.
    let mut message = request(
        "initialize",
        json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}),
    );
    message["id"] = json!("i");
    let sent = send(&server, &message);
    sent.is_error(-32601, "Method not found: initialize", Some(json!({"supported": ["2026-07-28"]})));
    assert_eq!(sent.answer.unwrap()["id"], "i");
}

#[test]
fn meta_is_judged_before_the_method() {
    covers!("5.7-1");
    let server = builder().build().unwrap();
    let sent = call(&server, "nope", json!({"_meta": {}}));
    sent.is_error(-32602, "Missing required io.modelcontextprotocol/protocolVersion metadata", None);
}
