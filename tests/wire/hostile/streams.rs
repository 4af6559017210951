//! §11 Listeners that come and go.

use serde_json::json;

use super::victim::{Victim, crowd};
use super::{call, json_of};
use crate::kit::request;
use crate::loopback::{Answer, Client};
use crate::random::Random;
use crate::served::post;

/// Asks for a stream, and reads its first event.
fn listens(client: &mut Client) -> Result<(), Answer> {
    let listen = request("subscriptions/listen", json!({"notifications": {"toolsListChanged": true}}));
    let mut head = client.send(post(&listen, "")).head();
    if head.status != 200 {
        head.body = client.take(head.field("content-length").unwrap().parse().unwrap());
        return Err(head);
    }
    assert!(String::from_utf8(client.chunk()).unwrap().contains("notifications/subscriptions/acknowledged"));
    Ok(())
}

/// Every other stream is left by a reset; some are left before they are acknowledged; all the while something is published.
#[test]
fn a_thousand_streams_opened_and_dropped() {
    covers!("11-4", "9-6");
    let _crowd = crowd();
    let victim = Victim::start("a thousand streams", "streams=200");
    let mut random = Random(1);
    let mut open: Vec<Client> = Vec::new();
    let leave = |open: &mut Vec<Client>, random: &mut Random| {
        let client = open.swap_remove(random.below(open.len()));
        if random.below(2) == 0 { client.reset() } else { drop(client) }
    };
    let mut opened = 0;
    while opened < 1000 {
        let mut client = victim.client();
        if opened % 10 == 9 {
            client.send(post(&request("subscriptions/listen", json!({"notifications": {}})), ""));
            opened += 1;
        } else {
            match listens(&mut client) {
                Ok(()) => opened += 1,
                // the place of one that has gone is free when it is seen to be gone
                Err(answer) => is_full(&answer),
            }
        }
        open.push(client);
        if open.len() > random.below(150) {
            leave(&mut open, &mut random);
        }
        if opened % 100 == 0 {
            victim.unharmed();
            assert_eq!(victim.client().send(call("touch", json!({"n": 1}))).answer().status, 200);
        }
    }
    while !open.is_empty() {
        leave(&mut open, &mut random);
    }
    victim.settles_but_for(0);
    // no place is lost: as many as ever can listen, and no more
    let mut all: Vec<Client> = (0..200).map(|_| victim.client()).collect();
    for client in &mut all {
        listens(client).unwrap();
    }
    is_full(&listens(&mut victim.client()).unwrap_err());
    drop(all);
    victim.survives();
}

fn is_full(answer: &Answer) {
    let error = json!({"code": -32600, "message": "Too many open listen streams"});
    assert_eq!((answer.status, json_of(answer)), (503, json!({"jsonrpc": "2.0", "id": 1, "error": error})));
}
