//! Invariant: what a handler sends while it runs, whatever its texts, is read from the stream by the rules of HTML as exactly those
//! messages in their order and the answer at last; no text ends its event, its chunk, or a field of the head.

use std::sync::LazyLock;

use plain_mcp::arrival::RequestHead;
use plain_mcp::http::{Exchange, Gate};
use serde_json::{Value, json};

use super::support::answer::{answer, events};
use super::support::server::{self, SERVER, kind};

static EXCHANGE: LazyLock<Exchange> =
    LazyLock::new(|| Exchange::new(&SERVER, Gate::new().any_origin().cors(true)).unwrap());

/// Pieces between zero bytes: an origin, a progress token, and the steps of the tool `script`.
pub fn check(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let mut pieces = text.split('\0');
    let (origin, token) = (pieces.next().unwrap_or_default(), pieces.next().unwrap_or_default());
    let token: String = token.chars().take(60).collect();
    let steps: Vec<&str> = pieces.collect();
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/logLevel": "debug",
        "progressToken": token,
    });
    let params = json!({"name": "script", "arguments": {"steps": steps}, "_meta": meta});
    let request = json!({"jsonrpc": "2.0", "id": token, "method": "tools/call", "params": params});
    let mut head = RequestHead { method: "POST".to_owned(), target: "/mcp".to_owned(), fields: Vec::new() };
    for (name, value) in [
        ("host", "localhost"),
        ("origin", origin),
        ("content-type", "application/json"),
        ("accept", "*/*"),
        ("mcp-protocol-version", "2026-07-28"),
        ("mcp-method", "tools/call"),
        ("mcp-name", "script"),
    ] {
        head.fields.push((name.to_owned(), value.as_bytes().to_vec()));
    }
    let answer = answer(&EXCHANGE, &head, request.to_string().as_bytes());

    let mut expected: Vec<Value> = steps.iter().enumerate().filter_map(|(at, step)| sent(at, step, &token)).collect();
    assert_eq!((answer.status, answer.streamed), (200, !expected.is_empty()), "{answer:?}");
    let result = steps.iter().rev().map(|step| kind(step)).find(|(kind, _)| !"pljn".contains(*kind));
    expected.push(json!({"id": token, "text": result.map_or("", |(_, text)| text)}));
    let kind = if answer.streamed { "text/event-stream" } else { "application/json" };
    assert_eq!(answer.field("content-type"), Some(kind));
    let shown = |byte: char| if byte.is_ascii_control() && byte != '\t' { ' ' } else { byte };
    let origin: String = origin.chars().map(shown).collect();
    assert_eq!(answer.field("access-control-allow-origin"), Some(origin.as_str()));

    let messages = if answer.streamed { events(&answer.body) } else { vec![answer.body] };
    let read: Vec<Value> = messages.iter().map(|message| shape(serde_json::from_str(message).unwrap())).collect();
    assert_eq!(read, expected);
}

/// What a step sends: `null` in place of what is left out.
fn sent(at: usize, step: &str, token: &str) -> Option<Value> {
    let (kind, text) = kind(step);
    let shown = if text.is_empty() { Value::Null } else { json!(text) };
    Some(match kind {
        'p' => json!({"token": token, "progress": at, "message": shown}),
        'l' => json!({"logger": "script", "data": text}),
        'n' => json!({"logger": shown, "data": "named"}),
        'j' => json!({"logger": "script", "data": server::data(text)}),
        _ => return None,
    })
}

/// The parts of a message that a step decides.
fn shape(message: Value) -> Value {
    assert_eq!(message["jsonrpc"], "2.0");
    let params = &message["params"];
    match message["method"].as_str() {
        Some("notifications/progress") => {
            json!({"token": params["progressToken"], "progress": params["progress"], "message": params["message"]})
        }
        Some("notifications/message") => json!({"logger": params["logger"], "data": params["data"]}),
        Some(other) => panic!("{other}"),
        None => json!({"id": message["id"], "text": message["result"]["content"][0]["text"]}),
    }
}
