//! §15 Dialects, at a server of 2026-07-28 alone.

use plain_mcp::dialect::{V2026_07_28, select};
use plain_mcp::{Context, NoArgs, Server, Tool, text};
use serde_json::{Value, json};

use crate::kit::{CAPS, REVISION, VERSION, builder, call, meta, send};
use crate::lines::Connection;

const NO_VERSION: &str = "Missing required io.modelcontextprotocol/protocolVersion metadata";

fn server() -> Server {
    builder().tool(Tool::new("t", "A tool"), |_: NoArgs, _: &Context<'_>| Ok(text("served"))).build().unwrap()
}

/// What a client of the initialize era says first.
fn initialize(version: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "old", "version": "1"}}})
}

#[test]
fn initialize_names_the_versions() {
    covers!("15-1");
    let server = server();
    let supported = json!({"supported": ["2026-07-28"]});
    let sent = send(&server, &initialize("2025-11-25"));
    sent.is_error(-32602, NO_VERSION, Some(supported.clone()));
    assert_eq!(sent.answer.unwrap()["id"], 0);
    // whatever is wrong with it
    for (meta, code, text, data) in [
        (json!(7), -32602, "_meta must be an object", supported.clone()),
        (json!({VERSION: 7}), -32602, "io.modelcontextprotocol/protocolVersion must be a string", supported.clone()),
        (json!({VERSION: REVISION}), -32602, "Missing required client capabilities metadata", supported.clone()),
        (
            json!({VERSION: "2025-11-25", CAPS: {}}),
            -32022,
            "Unsupported protocol version",
            json!({"requested": "2025-11-25", "supported": ["2026-07-28"]}),
        ),
        (meta(), -32601, "Method not found: initialize", supported.clone()),
    ] {
        call(&server, "initialize", json!({"_meta": meta})).is_error(code, text, Some(data));
    }
    // also where the envelope refuses it
    let named = json!({"supported": ["2026-07-28"]});
    for (message, code, text) in [
        (
            json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": []}),
            -32602,
            "Request params must be an object",
        ),
        (json!({"id": 0, "method": "initialize"}), -32600, "Expected a JSON-RPC 2.0 request"),
    ] {
        let sent = send(&server, &message);
        sent.is_error(code, text, Some(named.clone()));
        assert_eq!(sent.answer.unwrap()["id"], 0);
    }
    // only initialize is helped so
    call(&server, "ping", json!({})).is_error(-32601, "Method not found: ping", None);
    call(&server, "Initialize", json!({})).is_error(-32601, "Method not found: Initialize", None);
    call(&server, "ping", json!({"_meta": {}})).is_error(-32602, NO_VERSION, None);
}

#[test]
fn initialize_is_never_answered_with_a_result() {
    covers!("15-5");
    let server = server();
    for version in ["2026-07-28", "2025-11-25", "2025-06-18", "2024-11-05", "1.0", ""] {
        let mut modern = initialize(version);
        modern["params"]["_meta"] = meta();
        for message in [initialize(version), modern] {
            let answer = send(&server, &message).answer.unwrap();
            assert!(answer.get("result").is_none() && answer["error"]["code"].is_i64(), "{answer}");
        }
    }
}

#[test]
fn a_message_is_served_by_the_version_that_it_names() {
    covers!("15-2");
    let enabled = [&V2026_07_28];
    let params = |version: Value| json!({"_meta": {VERSION: version}}).as_object().unwrap().clone();
    assert_eq!(select(None, &params(json!(REVISION)), &enabled).unwrap().version, "2026-07-28");
    assert_eq!(select(Some(REVISION), &params(json!(REVISION)), &enabled).unwrap().version, "2026-07-28");
    let fault = select(Some("2025-11-25"), &params(json!("2025-11-25")), &enabled).unwrap_err();
    assert_eq!((fault.code().number(), fault.message()), (-32022, "Unsupported protocol version"));
    assert_eq!(fault.detail(), Some(&json!({"requested": "2025-11-25", "supported": ["2026-07-28"]})));
    let server = server();
    let served = json!({"name": "t", "_meta": meta()});
    let refused = json!({"name": "t", "_meta": {VERSION: "2025-11-25", CAPS: {}}});
    for _ in 0..2 {
        assert_eq!(call(&server, "tools/call", served.clone()).result()["content"][0]["text"], "served");
        let data = json!({"requested": "2025-11-25", "supported": ["2026-07-28"]});
        call(&server, "tools/call", refused.clone()).is_error(-32022, "Unsupported protocol version", Some(data));
    }
}

#[test]
fn nothing_latches_on_a_connection() {
    covers!("15-3", "15-1");
    let request =
        |id: i64, params: Value| json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params});
    let client = Connection::new(&server());
    let notified = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    let said = [
        initialize("2025-11-25"),
        notified,
        request(1, json!({"name": "t", "_meta": meta()})),
        request(2, json!({"name": "t"})),
        request(3, json!({"name": "t", "_meta": meta()})),
    ];
    said.iter().for_each(|message| client.send(message));
    let mut answers = client.end();
    answers.sort_by_key(|answer| answer["id"].as_i64());
    let errors: Vec<&Value> = answers.iter().map(|answer| &answer["error"]["code"]).collect();
    assert_eq!(errors, [&json!(-32602), &Value::Null, &json!(-32602), &Value::Null]);
    assert_eq!(
        answers[0]["error"],
        json!({"code": -32602, "message": NO_VERSION, "data": {"supported": ["2026-07-28"]}})
    );
    for answered in [&answers[1], &answers[3]] {
        assert_eq!(answered["result"]["content"][0]["text"], "served");
    }
    assert_eq!(answers[2]["error"], json!({"code": -32602, "message": NO_VERSION}));
}
