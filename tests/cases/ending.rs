//! §13.9 §14 The end of a server: what runs is finished, what will not stop is left behind, streams are told.

use serde_json::{Value, json};

use crate::kit::{SUBSCRIPTION, request};
use crate::loopback::Client;
use crate::peer::{Peer, post, tool_call};
use crate::wire_schema;

fn listen(id: impl Into<Value>) -> Value {
    let mut message = request("subscriptions/listen", json!({"notifications": {"toolsListChanged": true}}));
    message["id"] = id.into();
    message
}

/// Asks without waiting for the answer. A connection that has been served before has what it sends read, whenever the server ends.
fn ask_and_leave_open(peer: &mut Peer, message: &Value) -> Option<Client> {
    if peer.is_http() {
        let mut web = peer.another();
        assert_eq!(web.send(post(&request("server/discover", json!({})))).answer().status, 200);
        web.send(post(message));
        return Some(web);
    }
    peer.fixture.send(format!("{message}\n").as_bytes());
    None
}

#[test]
fn case_017_what_was_read_is_answered() {
    let mut peer = Peer::stdio();
    ask_and_leave_open(&mut peer, &tool_call(1, "slow", json!({"ms": 300})));
    ask_and_leave_open(
        &mut peer,
        &json!({"jsonrpc": "2.0", "id": 2, "method": "server/discover", "params": {"_meta": crate::kit::meta()}}),
    );
    let mut ids: Vec<Value> = peer.end().iter().map(|line| answer(line)["id"].clone()).collect();
    ids.sort_by_key(Value::to_string);
    assert_eq!(ids, [1, 2]);
}

#[test]
fn case_017_what_was_read_is_answered_over_http() {
    let mut peer = Peer::http();
    let mut call = tool_call(1, "slow", json!({"ms": 300}));
    call["params"]["_meta"]["progressToken"] = json!("p");
    let mut slow = ask_and_leave_open(&mut peer, &call).unwrap();
    assert_eq!(slow.head().status, 200);
    assert!(String::from_utf8(slow.chunk()).unwrap().contains("begun"), "it was read, and runs");
    assert_eq!(peer.tool("echo", json!({"text": "it runs"})).said(), "it runs");
    assert!(peer.end().is_empty());
    assert!(String::from_utf8(slow.chunk()).unwrap().contains("slept"));
    assert!(slow.chunk().is_empty());
    assert!(slow.is_closed());
}

/// It would run for a minute; no wait of a test is as long.
#[test]
fn case_018_a_handler_that_does_not_stop() {
    for mut peer in [Peer::stdio(), Peer::http()] {
        let web = ask_and_leave_open(&mut peer, &tool_call("stuck", "stuck", json!({})));
        assert_eq!(peer.tool("echo", json!({"text": "it runs"})).said(), "it runs");
        assert!(peer.end().is_empty(), "and nothing was answered");
        web.into_iter().for_each(|mut web| assert!(web.is_over()));
    }
}

#[test]
fn case_089_idle_connections_are_closed() {
    let mut peer = Peer::http();
    let (mut used, mut fresh) = (peer.another(), peer.another());
    assert_eq!(used.send(post(&request("tools/list", json!({})))).answer().status, 200);
    peer.call("tools/list", json!({})).has_status(200);
    assert!(peer.end().is_empty());
    assert!(used.is_closed());
    assert!(fresh.is_over());
}

#[test]
fn case_133_open_streams_end_with_their_result() {
    let mut peer = Peer::http();
    let mut stream = ask_and_leave_open(&mut peer, &listen("L")).unwrap();
    assert_eq!(stream.head().status, 200);
    let acknowledged = event(&mut stream);
    assert_eq!(acknowledged["method"], "notifications/subscriptions/acknowledged");
    assert!(peer.end().is_empty());
    is_the_result_of(&event(&mut stream), &json!("L"));
    assert!(stream.chunk().is_empty());
    assert!(stream.is_closed());
}

#[test]
fn case_135_an_open_stream_does_not_hold_the_process() {
    let mut peer = Peer::stdio();
    for id in [json!(1), json!("1")] {
        peer.fixture.send(format!("{}\n", listen(id.clone())).as_bytes());
        let acknowledged: Value = serde_json::from_str(&peer.fixture.line()).unwrap();
        assert_eq!(acknowledged["params"]["_meta"][SUBSCRIPTION], id);
    }
    let rest: Vec<Value> = peer.end().iter().map(|line| answer(line)).collect();
    assert_eq!(rest.len(), 2);
    for id in [json!(1), json!("1")] {
        is_the_result_of(rest.iter().find(|answer| answer["id"] == id).unwrap(), &id);
    }
}

fn is_the_result_of(answer: &Value, id: &Value) {
    wire_schema::message("subscriptions/listen", answer);
    assert_eq!(&answer["id"], id);
    assert_eq!(answer["result"]["resultType"], "complete");
    assert_eq!(&answer["result"]["_meta"][SUBSCRIPTION], id);
}

fn answer(line: &str) -> Value {
    serde_json::from_str(line).unwrap()
}

/// The next event of a stream. A comment, which keeps it alive, is none.
pub fn event(stream: &mut Client) -> Value {
    loop {
        let chunk = String::from_utf8(stream.chunk()).unwrap();
        assert!(!chunk.is_empty(), "the stream has ended");
        if let Some(event) = chunk.strip_prefix("data: ") {
            return serde_json::from_str(event.strip_suffix("\r\n\r\n").unwrap()).unwrap();
        }
    }
}
