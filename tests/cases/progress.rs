//! §8 What comes before an answer: progress, log messages, events.

use serde_json::{Value, json};

use crate::kit::{LEVEL, meta_and, request};
use crate::peer::{Heard, Peer, on_both, post};

fn with_token(peer: &mut Peer, tool: &str, token: Value) -> Heard {
    let params = json!({"name": tool, "arguments": {}, "_meta": meta_and(json!({"progressToken": token}))});
    peer.call("tools/call", params)
}

#[test]
fn case_042_progress_that_does_not_grow() {
    on_both(|peer| {
        for token in [json!("t"), json!(9), json!(""), json!(0), json!("9")] {
            let heard = with_token(peer, "steps", token.clone());
            let values: Vec<_> = heard.notes.iter().map(|note| note["params"]["progress"].clone()).collect();
            assert_eq!(values, [1.0, 2.0, 3.0]);
            assert!(heard.notes.iter().all(|note| note["params"]["progressToken"] == token), "{heard:?}");
            assert_eq!(heard.said(), "done");
        }
        assert!(peer.tool("steps", json!({})).notes.is_empty(), "without a token there is none");
    });
}

/// `Heard` fails where an event follows the answer.
#[test]
fn case_043_progress_and_the_end_of_the_stream() {
    let mut peer = Peer::http();
    for _ in 0..50 {
        let heard = with_token(&mut peer, "steps", json!(9));
        let http = heard.http.as_ref().unwrap();
        assert_eq!((http.status, http.field("content-type")), (200, Some("text/event-stream")));
        assert_eq!((heard.notes.len(), heard.said()), (3, "done"));
    }
}

/// Each event is one line of data, and nothing on the way may hold it back.
#[test]
fn case_093_events_are_whole_and_not_held_back() {
    let mut peer = Peer::http();
    let heard = with_token(&mut peer, "test_tool_with_progress", json!("p"));
    let http = heard.http.unwrap();
    assert_eq!(http.field("x-accel-buffering"), Some("no"));
    assert_eq!(http.text().lines().filter(|line| line.starts_with("data: {")).count(), 4);
    assert_eq!(http.text().matches('\n').count(), 8, "a line of data and a blank line for each");

    let mut stream = peer.another();
    stream.send(post(&request("subscriptions/listen", json!({"notifications": {"toolsListChanged": true}}))));
    assert_eq!(stream.head().field("x-accel-buffering"), Some("no"));
}

#[test]
fn case_163_log_messages_that_nobody_asked_for() {
    on_both(|peer| {
        let with = |level: Value| json!({"name": "test_tool_with_logging", "arguments": {}, "_meta": meta_and(json!({LEVEL: level}))});
        assert!(peer.tool("test_tool_with_logging", json!({})).notes.is_empty());
        let heard = peer.call("tools/call", with(json!("warning")));
        let levels: Vec<_> = heard.notes.iter().map(|note| note["params"]["level"].clone()).collect();
        assert_eq!(levels, ["warning", "error", "critical", "alert", "emergency"]);
        for level in [json!("loud"), json!("WARNING"), json!(4), json!(null), json!("")] {
            let heard = peer.call("tools/call", with(level));
            heard.refused(1, -32602, 400);
            assert!(heard.notes.is_empty());
        }
    });
}
