//! §13, §14 Peers that mean harm, or might as well. The server is a process of its own; after each attack another client gets the
//! exact right answer, and memory, threads and descriptors are what they were (`Victim::survives`).
//!
//! `cargo test --test wire hostile -- --nocapture` prints what each attack cost at its peak.

mod descriptors;
mod disguises;
pub mod figures;
mod handlers;
mod hang_up;
mod lingering;
mod messages;
mod pieces;
mod pipes;
mod readers;
mod server;
mod sizes;
mod streams;
mod victim;

use serde_json::{Value, json};

use crate::kit::{CAPS, LEVEL, REVISION, VERSION, request};
use crate::loopback::{Answer, Client};
use crate::served::post;

/// What a peer that is refused before its message is read is told.
fn refusal(code: i64, text: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": null, "error": {"code": code, "message": text}})
}

/// The message that calls a tool, with a progress token and the level at which everything is logged.
fn calling(tool: &str, arguments: &Value) -> Value {
    let meta = json!({VERSION: REVISION, CAPS: {}, LEVEL: "debug", "progressToken": "t"});
    request("tools/call", json!({"name": tool, "arguments": arguments, "_meta": meta}))
}

/// The HTTP request that calls a tool.
fn call(tool: &str, arguments: Value) -> String {
    post(&calling(tool, &arguments), "")
}

/// A POST as `call` makes them, but with this body.
fn post_body(body: &[u8]) -> Vec<u8> {
    let head = format!(
        "POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\naccept: application/json, \
         text/event-stream\r\nmcp-protocol-version: {REVISION}\r\nmcp-method: tools/call\r\nmcp-name: echo\r\n\
         content-length: {}\r\n\r\n",
        body.len()
    );
    [head.as_bytes(), body].concat()
}

/// The next answer is this error, and nothing comes after it but the end of the connection.
fn is_refused(client: &mut Client, status: u16, text: &str) {
    let answer = client.answer();
    assert_eq!((answer.status, answer.field("connection")), (status, Some("close")), "{}", answer.text());
    assert_eq!(json_of(&answer), refusal(-32600, text));
    assert!(client.is_over(), "{text}: the connection stays");
}

fn json_of(answer: &Answer) -> Value {
    assert_eq!(answer.field("content-type"), Some("application/json"), "{answer:?}");
    serde_json::from_str(answer.text()).unwrap()
}
