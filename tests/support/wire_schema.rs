//! Every message that a test sees leave the server is checked against the official JSON schema, where that lies beside the
//! package; elsewhere this does nothing.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock};

use plain_mcp::schema::Schema;
use serde_json::{Value, json};

const PATH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/spec/schema/2026-07-28.json");

fn definitions() -> Option<&'static Value> {
    static DEFINITIONS: OnceLock<Option<Value>> = OnceLock::new();
    let read = || Some(serde_json::from_str::<Value>(&std::fs::read_to_string(PATH).ok()?).unwrap()["$defs"].clone());
    DEFINITIONS.get_or_init(read).as_ref()
}

/// The schema of one definition, compiled once.
fn schema(name: &str, definitions: &Value) -> Arc<Schema> {
    static COMPILED: Mutex<BTreeMap<String, Arc<Schema>>> = Mutex::new(BTreeMap::new());
    assert!(definitions.get(name).is_some(), "the official schema has no {name}");
    let compile = || Schema::compile(&json!({"$ref": format!("#/$defs/{name}"), "$defs": definitions})).unwrap();
    Arc::clone(COMPILED.lock().unwrap().entry(name.to_owned()).or_insert_with(|| Arc::new(compile())))
}

fn check(name: &str, value: &Value) {
    let Some(definitions) = definitions() else { return };
    let schema = schema(name, definitions);
    if let Err(violation) = schema.check(value) {
        panic!("not a {name}: {violation}\n{value:#}");
    }
}

/// The definition of a method's result.
fn result(method: &str) -> &'static str {
    match method {
        "server/discover" => "DiscoverResult",
        "tools/list" => "ListToolsResult",
        "tools/call" => "CallToolResult",
        "resources/list" => "ListResourcesResult",
        "resources/templates/list" => "ListResourceTemplatesResult",
        "resources/read" => "ReadResourceResult",
        "prompts/list" => "ListPromptsResult",
        "prompts/get" => "GetPromptResult",
        "completion/complete" => "CompleteResult",
        "subscriptions/listen" => "SubscriptionsListenResult",
        _ => "Result",
    }
}

/// The definition of a notification.
fn notification(method: &str) -> &'static str {
    match method {
        "notifications/progress" => "ProgressNotification",
        "notifications/message" => "LoggingMessageNotification",
        "notifications/subscriptions/acknowledged" => "SubscriptionsAcknowledgedNotification",
        "notifications/tools/list_changed" => "ToolListChangedNotification",
        "notifications/prompts/list_changed" => "PromptListChangedNotification",
        "notifications/resources/list_changed" => "ResourceListChangedNotification",
        "notifications/resources/updated" => "ResourceUpdatedNotification",
        other => panic!("a server never sends {other}"),
    }
}

/// Checks a message that left the server, in answer to a request of `method`.
pub fn message(method: &str, message: &Value) {
    if let Some(name) = message.get("method").and_then(Value::as_str) {
        assert!(message.get("id").is_none(), "a server sends no requests: {message}");
        return check(notification(name), message);
    }
    if let Some(value) = message.get("result") {
        check("JSONRPCResultResponse", message);
        let input_required = value["resultType"] == "input_required";
        return check(if input_required { "InputRequiredResult" } else { result(method) }, value);
    }
    let mut message = message.clone();
    if message["id"].is_null() {
        message.as_object_mut().unwrap().remove("id"); // D1: the schema would leave it out, JSON-RPC says null
    }
    check("JSONRPCErrorResponse", &message);
    match message["error"]["code"].as_i64().unwrap() {
        -32020 => check("HeaderMismatchError", &message),
        -32021 => check("MissingRequiredClientCapabilityError", &message),
        -32022 => check("UnsupportedProtocolVersionError", &message),
        _ => {}
    }
}
