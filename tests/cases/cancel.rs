//! §9 A cancelled request is silent, and nothing else is.

use std::time::Instant;

use serde_json::{Value, json};

use crate::loopback::PATIENCE;
use crate::peer::{Peer, on_both, post, tool_call};

fn cancel(id: impl Into<Value>) -> Value {
    json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id.into(), "reason": "user"}})
}

impl Peer {
    fn line(&mut self, message: &Value) {
        self.fixture.send(format!("{message}\n").as_bytes());
    }

    /// The ids of the calls of `slow` that were cancelled, as soon as there is one.
    fn stopped(&mut self) -> String {
        let begun = Instant::now();
        loop {
            let log = self.tool("slow_log", json!({})).said().to_owned();
            if !log.is_empty() {
                return log;
            }
            assert!(begun.elapsed() < PATIENCE, "no call has been cancelled");
        }
    }
}

/// `Peer::next` fails on any other answer, and `on_both` and `Peer::end` on one that comes late.
#[test]
fn case_056_no_word_after_a_cancel() {
    let mut peer = Peer::stdio();
    peer.line(&tool_call("one", "slow", json!({"ms": 60_000})));
    peer.line(&cancel("one"));
    assert_eq!(peer.call("server/discover", json!({})).answer["id"], 1);
    assert!(peer.end().is_empty());
}

/// The handler learns of it. Over HTTP a client cancels by leaving.
#[test]
fn case_056_the_handler_stops() {
    on_both(|peer| {
        let call = tool_call("one", "slow", json!({"ms": 60_000}));
        if peer.is_http() {
            peer.another().send(post(&call));
        } else {
            peer.line(&call);
            assert_eq!(peer.tool("echo", json!({"text": "both run"})).said(), "both run");
            peer.line(&cancel("one"));
        }
        assert_eq!(peer.stopped(), "\"one\"");
    });
}

#[test]
fn case_057_cancels_that_name_nothing() {
    on_both(|peer| {
        for params in [
            Some(json!({"requestId": "never"})),
            Some(json!({"requestId": 1})),
            Some(json!({"requestId": null})),
            Some(json!({"requestId": [1]})),
            Some(json!({})),
            Some(json!([1])),
            Some(Value::Null),
            None,
        ] {
            let mut note = json!({"jsonrpc": "2.0", "method": "notifications/cancelled"});
            params.into_iter().for_each(|params| note["params"] = params);
            if peer.is_http() {
                let heard = peer.ask(&note);
                assert_eq!(heard.answer, Value::Null);
                let well_formed = note.get("params").is_none_or(Value::is_object);
                heard.has_status(if well_formed { 202 } else { 400 });
            } else {
                peer.line(&note);
            }
        }
        assert_eq!(peer.call("server/discover", json!({})).answer["id"], 1);
    });
}

/// Every place is taken and a call waits: each cancel acts all the same, and what has waited never starts.
#[test]
fn case_059_a_cancel_does_not_wait_behind_its_call() {
    let places = plain_mcp::Limits::default().in_flight;
    let mut peer = Peer::stdio();
    for id in 0..=places {
        peer.line(&tool_call(id, "slow", json!({"ms": 60_000})));
    }
    for id in (0..=places).rev() {
        peer.line(&cancel(id));
    }
    let log = peer.tool("slow_log", json!({})).said().to_owned();
    assert!(log.split(' ').all(|id| id != places.to_string()), "{log}");
    assert!(peer.end().is_empty());
}

#[test]
fn case_061_a_cancel_of_the_other_type() {
    let mut peer = Peer::stdio();
    for (id, other) in [(json!(5), json!("5")), (json!("5"), json!(5)), (json!(5), json!(5.0))] {
        peer.line(&tool_call(id.clone(), "slow", json!({"ms": 300})));
        assert_eq!(peer.tool("echo", json!({"text": "it runs"})).said(), "it runs");
        peer.line(&cancel(other));
        let heard = peer.next();
        assert_eq!((heard.said(), &heard.answer["id"]), ("slept", &id));
    }
}
