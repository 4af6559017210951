//! §15 Streams of the initialize era: taken up again, and the one that belongs to no request.

use std::sync::Mutex;
use std::sync::mpsc;
use std::time::Duration;

use plain_mcp::client::Client;
use plain_mcp::types::ElicitResult;
use serde_json::{Value, json};

use crate::script::{Asked, Script, raw, result};

const PATIENCE: Duration = Duration::from_secs(20);

fn events(text: &str) -> Vec<u8> {
    format!("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n{text}").into_bytes()
}

/// Shakes hands with a session, and plays the rest.
fn old(play: impl Fn(&Asked) -> Vec<u8> + Send + Sync + 'static) -> Script {
    Script::start(move |asked| match asked.method() {
        "server/discover" => raw(400, "", ""),
        "initialize" => {
            let body = json!({"jsonrpc": "2.0", "id": asked.id(), "result": {"protocolVersion": "2025-11-25",
                "capabilities": {"tools": {}}, "serverInfo": {"name": "old", "version": "1"}}});
            raw(200, "content-type: application/json\r\nmcp-session-id: s\r\n", &body.to_string())
        }
        "notifications/initialized" => raw(202, "", ""),
        "DELETE" => raw(204, "", ""),
        _ => play(asked),
    })
}

fn answer(id: &Value, text: &str) -> String {
    json!({"jsonrpc": "2.0", "id": id, "result": {"content": [{"type": "text", "text": text}]}}).to_string()
}

#[test]
fn a_stream_with_ids_is_taken_up_where_it_broke() {
    covers!("18.4-20");
    let id = Mutex::new(Value::Null);
    let script = old(move |asked| match (asked.method(), asked.field("last-event-id")) {
        ("tools/call", _) => {
            *id.lock().unwrap() = asked.id().clone();
            events("id: e-1\nretry: 10\ndata: \n\n")
        }
        ("GET", None) => raw(405, "", ""),
        ("GET", Some("e-1")) => events("id: e-2\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}\n\n"),
        ("GET", Some("e-2")) => events(&format!("id: e-3\ndata: {}\n\n", answer(&id.lock().unwrap(), "at last"))),
        other => panic!("{other:?}"),
    });
    let client = Client::http(&script.url).connect().unwrap();
    assert_eq!(client.tool("t", ()).call().unwrap().text(), "at last");
    let taken: Vec<(Option<String>, Option<String>)> = script
        .asked()
        .iter()
        .filter(|asked| asked.verb == "GET" && asked.field("last-event-id").is_some())
        .map(|asked| {
            (asked.field("last-event-id").map(str::to_owned), asked.field("mcp-session-id").map(str::to_owned))
        })
        .collect();
    let at = |id: &str| (Some(id.to_owned()), Some("s".to_owned()));
    assert_eq!(taken, [at("e-1"), at("e-2")]);
}

#[test]
fn a_stream_without_ids_is_not_taken_up() {
    covers!("18.4-20");
    let script = old(|asked| match asked.method() {
        "GET" => raw(405, "", ""),
        _ => events("data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}\n\n"),
    });
    let client = Client::http(&script.url).connect().unwrap();
    assert!(client.tool("t", ()).call().is_err());
    assert_eq!(script.methods().iter().filter(|method| *method == "GET").count(), 1, "the one of the session");
}

#[test]
fn what_the_server_asks_on_its_own_stream_is_answered() {
    covers!("18.4-21", "18.1-44");
    let (answered, was_answered) = mpsc::channel();
    let answered = Mutex::new(answered);
    let gets = Mutex::new(0);
    let script = old(move |asked| match asked.method() {
        "GET" => {
            let mut gets = gets.lock().unwrap();
            *gets += 1;
            match *gets {
                1 => events(&format!(
                    "id: g-1\nretry: 10\ndata: {}\n\n",
                    json!({"jsonrpc": "2.0", "id": 3, "method": "elicitation/create", "params": {"message": "Name?",
                        "requestedSchema": {"type": "object", "properties": {"name": {"type": "string", "default": "Bob"}}}}})
                )),
                2 => {
                    assert_eq!(asked.field("last-event-id"), Some("g-1"), "taken up where it broke");
                    raw(405, "", "")
                }
                _ => panic!("no third time"),
            }
        }
        "tools/list" => result(asked, json!({"tools": []})),
        _ => {
            answered.lock().unwrap().send(asked.clone()).unwrap();
            raw(202, "", "")
        }
    });
    let client =
        Client::http(&script.url).on_elicit(|form| Ok(ElicitResult::accept(Some(form.defaults())))).connect().unwrap();
    client.tools().call().unwrap();
    let asked = was_answered.recv_timeout(PATIENCE).unwrap();
    assert_eq!(
        asked.body,
        json!({"jsonrpc": "2.0", "id": 3, "result": {"action": "accept", "content": {"name": "Bob"}}})
    );
    assert_eq!(asked.field("mcp-session-id"), Some("s"));
    assert_eq!(asked.field("mcp-protocol-version"), Some("2025-11-25"));
    drop(client);
    assert_eq!(script.methods().last().unwrap(), "DELETE");
}
