//! Invariant: any bytes are a message or a refusal, and which of them, with which id, method, code and text, is what a second reader
//! of JSON and the rows of section 1 say; a message that is written anew reads the same, and a refusal can be written as one line.

use plain_mcp::Limits;
use plain_mcp::envelope::{self, Message, Notification, Refused, RequestId, Response};
use serde_json::{Value, json};

use super::support::json::Json;

/// The longest id, in bytes, and the most values of a message.
const ID: usize = 16;
const VALUES: usize = 64;

pub fn check(data: &[u8]) {
    let limits = Limits { id: ID, values: VALUES, ..Limits::default() };
    let read = envelope::read(data, &limits);
    let text = data.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(data);
    match Json::read(text) {
        Some(json) if json.count() <= VALUES => assert_eq!(told(&read), expected(&json, ID)),
        // Which of the two rows depends on what comes first, the fault or the value too many.
        other => {
            let rules: &[_] = match other {
                Some(_) => &[(-32600, "Message has too many values")],
                None => &[(-32700, "Parse error"), (-32600, "Message has too many values")],
            };
            let Err(refused) = &read else { panic!("{read:?}") };
            assert!(rules.contains(&(refused.fault.code().number(), refused.fault.message())), "{refused:?}");
            assert!(refused.id.is_none() && refused.method.is_none() && !refused.notification);
        }
    }
    match read {
        Ok(Message::Request(request)) => {
            let json = json!({"jsonrpc": "2.0", "id": request.id, "method": request.method, "params": request.params});
            let again = envelope::read(json.to_string().as_bytes(), &limits);
            assert_eq!(again, Ok(Message::Request(request)));
        }
        Ok(Message::Notification(note)) => {
            let again = envelope::read(note.to_json().as_bytes(), &limits);
            assert_eq!(again, Ok(Message::Notification(note)));
        }
        Ok(Message::Response) => {}
        Err(refused) => written(refused),
    }
}

/// A refusal goes out as one line of JSON with the id that was read.
fn written(refused: Refused) {
    let id = refused.id.as_ref().map_or(Value::Null, RequestId::to_value);
    let line = Response { id: refused.id, answer: Err(refused.fault) }.to_json();
    assert!(!line.contains(['\n', '\r']));
    let answer: Value = serde_json::from_str(&line).unwrap();
    assert_eq!((&answer["id"], answer["error"].is_object()), (&id, true), "{line}");
}

/// What came of a message, for the comparison: `["request", id, method, params]` and the like.
fn told(read: &Result<Message, Refused>) -> Value {
    match read {
        Ok(Message::Request(request)) => json!(["request", request.id, request.method, request.params]),
        Ok(Message::Notification(Notification { method, params })) => json!(["notification", method, params]),
        Ok(Message::Response) => json!(["response"]),
        Err(Refused { id, method, fault, notification }) => {
            json!(["refused", id, method, fault.code().number(), fault.message(), notification])
        }
    }
}

/// Section 1, row by row.
pub fn expected(json: &Json, id_limit: usize) -> Value {
    let message = json.value();
    let ambiguous = json.is_ambiguous(&|name| name.starts_with("$serde_json::private::"));
    let Json::Object(members) = json else { return json!(["refused", null, null, -32600, "Invalid Request", false]) };
    let get = |name| message.get(name).unwrap_or(&Value::Null);
    let has = |name| message.get(name).is_some();
    if !has("method") && (has("result") || has("error")) {
        return json!(["response"]);
    }
    let id_twice = members.iter().filter(|(name, _)| name == "id").count() > 1;
    let id = if id_twice { Value::Null } else { readable(get("id"), id_limit) };
    let method = if get("method").is_string() { get("method").clone() } else { Value::Null };
    let silent = !has("id") && method.is_string();
    let params = if has("params") { get("params").clone() } else { json!({}) };
    let (code, text) = if ambiguous {
        (-32600, "Invalid Request")
    } else if get("jsonrpc") != "2.0" {
        (-32600, "Expected a JSON-RPC 2.0 request")
    } else if !method.is_string() {
        (-32600, "Request method must be a string")
    } else if !params.is_object() {
        (-32602, "Request params must be an object")
    } else if silent {
        return json!(["notification", method, params]);
    } else if id.is_null() {
        (-32600, "Request id must be a string of at most 256 bytes or an int64 integer")
    } else {
        return json!(["request", id, method, params]);
    };
    json!(["refused", id, method, code, text, silent])
}

/// The id, if it is one: a short text or an int64 integer.
fn readable(id: &Value, limit: usize) -> Value {
    match id {
        Value::String(text) if text.len() <= limit => id.clone(),
        Value::Number(number) if number.is_i64() => id.clone(),
        Value::Number(number) if number.as_f64() == Some(0.0) && number.to_string().starts_with('-') => json!(0),
        _ => Value::Null,
    }
}
