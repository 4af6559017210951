//! §13.9 Peers that go, or lose their line, after any byte of a request.

use serde_json::json;

use super::victim::{Victim, echoed};
use super::{call, is_refused, json_of};

/// One victim bears them all.
#[test]
fn requests_in_pieces() {
    covers!("13.9-1");
    let victim = Victim::start("requests in pieces", "");
    a_reset_after_every_byte(&victim);
    an_end_after_every_byte(&victim);
    requests_that_come_apart_anywhere(&victim);
    victim.survives();
}

fn a_reset_after_every_byte(victim: &Victim) {
    let request = call("echo", json!({"text": "cut"}));
    for end in 0..=request.len() {
        let mut client = victim.client();
        client.send(&request[..end]);
        client.reset();
        if end % 50 == 0 {
            victim.unharmed();
        }
    }
}

/// Only half of the connection is closed, so that what is said can be read.
fn an_end_after_every_byte(victim: &Victim) {
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
}

/// A request that arrives a byte at a time is a request, and so is the one after it in the same packet as its last byte.
fn requests_that_come_apart_anywhere(victim: &Victim) {
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
}
