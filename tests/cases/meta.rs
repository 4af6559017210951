//! §2 `_meta`, and `params` around it.

use serde_json::{Value, json};

use crate::kit::{CAPS, CLIENT, VERSION, meta_and, request};
use crate::peer::{on_both, tool_params};

const REQUESTS: &[&str] = &[
    "server/discover",
    "tools/list",
    "tools/call",
    "resources/list",
    "resources/templates/list",
    "resources/read",
    "prompts/list",
    "prompts/get",
    "completion/complete",
    "subscriptions/listen",
];

#[test]
fn case_027_params_that_are_no_object() {
    on_both(|peer| {
        for method in REQUESTS {
            for (id, params) in (1..).zip([json!(null), json!([1]), json!(7), json!("x"), json!(true)]) {
                let message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
                peer.ask(&message).refused(id, -32602, 400);
            }
        }
        assert_eq!(peer.call("server/discover", json!({})).answer["id"], 1);
    });
}

#[test]
fn case_045_meta_that_is_no_object() {
    on_both(|peer| {
        for method in REQUESTS {
            for (id, meta) in (1..).zip([json!(null), json!("x"), json!([]), json!(1)]) {
                let params = json!({"_meta": meta, "name": "x", "uri": "test://x"}); // headers repeat them
                let message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
                peer.ask(&message).refused(id, -32602, 400);
            }
        }
        peer.call("tools/list", json!({})).has_status(200).result();
    });
}

/// -32601 would say that this is a server of another time.
#[test]
fn case_046_discover_without_meta() {
    on_both(|peer| {
        for message in [
            json!({"jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": {}}),
            json!({"jsonrpc": "2.0", "id": 1, "method": "server/discover"}),
        ] {
            let answer = peer.ask(&message);
            answer.refused(1, -32602, 400);
            let message = answer.answer["error"]["message"].as_str().unwrap();
            assert!(message.contains("io.modelcontextprotocol/protocolVersion"), "{message}");
        }
    });
}

#[test]
fn case_047_what_meta_must_have() {
    let client = json!({"name": "probe", "version": "0"});
    let with = |caps: Value| json!({VERSION: "2026-07-28", CLIENT: client, CAPS: caps});
    on_both(|peer| {
        for meta in [
            json!({VERSION: "2026-07-28", CLIENT: client}),
            with(json!([])),
            with(Value::Null),
            with(json!("x")),
            json!({CAPS: {}, CLIENT: client}),
            json!({VERSION: "2026-07-28", CAPS: {}, CLIENT: null}),
            json!({VERSION: "2026-07-28", CAPS: {}, CLIENT: []}),
        ] {
            peer.call("tools/list", json!({"_meta": meta})).refused(1, -32602, 400);
        }
        for meta in [json!({VERSION: "2026-07-28", CAPS: {}}), with(json!({}))] {
            peer.call("tools/list", json!({"_meta": meta})).has_status(200).result();
        }
    });
}

#[test]
fn case_049_members_of_meta_that_nobody_knows() {
    on_both(|peer| {
        let more = json!({
            "com.example/trace": {"k": [1, "二", null, 1.5, {"deep": []}]},
            "traceparent": "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            "tracestate": "a=b",
            "baggage": "c=d",
            "io.modelcontextprotocol/notYetKnown": true,
            "progressToken": 9,
        });
        let params = json!({"name": "echo_meta", "arguments": {}, "_meta": meta_and(more.clone())});
        let seen = peer.call("tools/call", params).result()["structuredContent"].clone();
        assert_eq!(seen, meta_and(more));
    });
}

#[test]
fn case_051_a_notification_with_an_id() {
    on_both(|peer| {
        for method in
            ["notifications/initialized", "notifications/cancelled", "notifications/progress", "notifications/x"]
        {
            let mut message = request(method, json!({}));
            message["id"] = json!(5);
            peer.ask(&message).refused(5, -32601, 404);
        }
        assert_eq!(peer.call("server/discover", json!({})).answer["id"], 1);
    });
}

/// A request method without an id is a notification that nobody knows: it is not run, and not answered.
#[test]
fn case_051_a_request_without_an_id() {
    on_both(|peer| {
        let text = json!({"jsonrpc": "2.0", "method": "tools/call", "params": tool_params("toggle_tool", json!({}))});
        if peer.is_http() {
            assert_eq!(peer.ask(&text).has_status(202).answer, Value::Null);
        } else {
            peer.fixture.send(format!("{text}\n").as_bytes());
        }
        assert_eq!(peer.tool("toggle_tool", json!({})).said(), "added");
    });
}

/// Of all that the server says of itself, nothing is null: what it does not have is left out.
#[test]
fn case_044_members_that_are_null() {
    on_both(|peer| {
        let name = "test_prompt_with_arguments";
        for (method, params) in [
            ("tools/list", json!({})),
            ("server/discover", json!({})),
            ("resources/list", json!({})),
            ("resources/templates/list", json!({})),
            ("prompts/list", json!({})),
            ("tools/call", tool_params("test_multiple_content_types", json!({}))),
            ("tools/call", tool_params("ask", json!({}))),
            ("tools/call", tool_params("no_such_tool", json!({}))),
            ("resources/read", json!({"uri": "test://static-text"})),
            ("resources/read", json!({"uri": "test://no-such-resource"})),
            ("prompts/get", json!({"name": name, "arguments": {"arg1": "a", "arg2": "b"}})),
            (
                "completion/complete",
                json!({"ref": {"type": "ref/prompt", "name": name}, "argument": {"name": "arg1", "value": ""}}),
            ),
        ] {
            let heard = peer.call(method, params);
            assert!(!has_null(&heard.answer), "{method}: {}", heard.text);
        }
    });
}

/// Whether anything is null outside the schemas, which are their author's.
fn has_null(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.iter().any(has_null),
        Value::Object(members) => {
            members.iter().any(|(name, value)| name != "inputSchema" && name != "outputSchema" && has_null(value))
        }
        _ => false,
    }
}
