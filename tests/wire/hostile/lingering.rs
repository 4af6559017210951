//! §13.9 Peers that take their time, or all the room.

use serde_json::json;

use super::victim::{Victim, crowd, is_served};
use super::{call, is_refused};
use crate::loopback::Client;

/// What is begun is sent on a byte at a time, on each of many connections, until the host has had enough.
fn drop_by_drop(name: &'static str, beginnings: &[&str]) {
    let victim = Victim::start(name, "head_deadline=700 body_deadline=700");
    let mut clients: Vec<Client> = beginnings
        .iter()
        .cycle()
        .take(80)
        .map(|begin| {
            let mut client = victim.client();
            client.send(begin);
            client
        })
        .collect();
    for _ in 0..5 {
        victim.unharmed();
        for client in &mut clients {
            client.try_send("1");
        }
    }
    for client in &mut clients {
        is_refused(client, 408, "Request did not arrive in time");
    }
    victim.unharmed();
    drop(clients);
    victim.survives();
}

#[test]
fn slow_heads() {
    covers!("13.9-5");
    drop_by_drop(
        "slow heads",
        &["P", "POST /mcp HTTP/1.1\r\nx: ", "POST /mcp HTTP/1.1\r\nhost: localhost\r\n", "\r\n"],
    );
}

/// The head has passed: it is the body that does not come, in all the ways in which a body can begin.
#[test]
fn slow_bodies() {
    covers!("13.9-5");
    let whole = call("echo", json!({"text": "late"}));
    let (head, body) = whole.split_once("\r\n\r\n").unwrap();
    let fields = head.rsplit_once("\r\n").unwrap().0; // all but the length
    let chunked = format!("{fields}\r\ntransfer-encoding: chunked\r\n\r\n");
    let beginnings = [
        format!("{head}\r\n\r\n"),
        format!("{head}\r\n\r\n{}", &body[..20]),
        chunked.clone(),
        format!("{chunked}5;"),
        format!("{chunked}fffff\r\n{}", &body[..20]),
        format!("{chunked}1\r\n{{\r\n0\r\nx-trailer: "),
    ];
    drop_by_drop("slow bodies", &beginnings.each_ref().map(String::as_str));
}

/// A refused head, whose body would be thrown away if it came.
#[test]
fn a_slow_body_that_nobody_wants() {
    covers!("13.9-5");
    let victim = Victim::start("a slow body that nobody wants", "body_deadline=300");
    for framing in ["content-length: 10", "transfer-encoding: chunked"] {
        let mut client = victim.client();
        client.send(format!("POST /nowhere HTTP/1.1\r\nhost: localhost\r\n{framing}\r\n\r\n1"));
        assert_eq!(client.answer().status, 404);
        assert!(client.is_closed());
    }
    victim.survives();
}

#[test]
fn idle_connections_to_the_cap_and_beyond() {
    covers!("13.9-7");
    let _crowd = crowd();
    let victim = Victim::start("idle connections to the cap", "connections=300");
    let mut insider = victim.client();
    is_served(&mut insider);
    let idle: Vec<Client> = (1..300).map(|_| victim.client()).collect();
    for _ in 0..100 {
        let mut late = victim.client();
        late.try_send(call("echo", json!({"text": "let me in"}))); // who speaks first can still read what it is told
        is_refused(&mut late, 503, "Too many connections");
        is_served(&mut insider);
    }
    drop(idle);
    drop(insider);
    victim.settles_but_for(0);
    victim.survives();
}

/// Nobody has to go for them to be gone.
#[test]
fn idle_connections_that_stay() {
    covers!("13.9-16");
    let victim = Victim::start("idle connections that stay", "idle_deadline=500 connections=80");
    let mut idle: Vec<Client> = (0..80).map(|_| victim.client()).collect();
    for client in &mut idle {
        assert!(client.is_closed(), "in silence");
    }
    victim.survives(); // with all of them still there
}
