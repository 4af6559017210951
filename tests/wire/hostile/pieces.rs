//! §13.9 Peers that go, or lose their line, after any byte of a request.

use serde_json::json;

use super::victim::{Victim, echoed};
use super::{call, is_refused, json_of};

#[test]
fn a_reset_after_every_byte() {
    let victim = Victim::start("a reset after every byte", "");
    let request = call("echo", json!({"text": "cut"}));
    for end in 0..=request.len() {
        let mut client = victim.client();
        client.send(&request[..end]);
        client.reset();
        if end % 50 == 0 {
            victim.unharmed();
        }
    }
    victim.survives();
}

/// Only half of the connection is closed, so that what is said can be read.
#[test]
fn an_end_after_every_byte() {
    covers!("13.9-1");
    let victim = Victim::start("an end after every byte", "");
    let request = call("echo", json!({"text": "cut"}));
    assert!(victim.client().half_close().is_closed(), "nothing asked, nothing answered");
    for end in 1..request.len() {
        let mut client = victim.client();
        client.send(&request[..end]).half_close();
        is_refused(&mut client, 400, "Malformed HTTP request");
    }
    let mut client = victim.client();
    let answer = client.send(&request).half_close().answer();
    assert_eq!((answer.status, json_of(&answer)), (200, echoed("cut")));
    drop(client);
    victim.survives();
}

/// A request that arrives a byte at a time is a request, and so is the one after it in the same packet as its last byte.
#[test]
fn requests_that_come_apart_anywhere() {
    let victim = Victim::start("requests that come apart anywhere", "");
    let request = call("echo", json!({"text": "apart"}));
    let two = request.repeat(2);
    for at in (1..two.len()).step_by(7) {
        let mut client = victim.client();
        client.send(&two[..at]);
        client.send(&two[at..]);
        for _ in 0..2 {
            let answer = client.answer();
            assert_eq!((answer.status, json_of(&answer)), (200, echoed("apart")));
        }
    }
    victim.survives();
}
