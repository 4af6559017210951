//! §13.9 Peers that do not read what they asked for.

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::thread;
use std::time::Duration;

use serde_json::json;
use socket2::{Domain, Socket, Type};

use super::call;
use super::figures::until;
use super::server::resource;
use super::victim::Victim;
use crate::kit::request;
use crate::loopback::{Client, PATIENCE};
use crate::served::post;

/// A connection that takes in little that it does not read.
fn narrow(victim: &Victim) -> TcpStream {
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
    socket.set_recv_buffer_size(4096).unwrap();
    socket.connect(&victim.address.into()).unwrap();
    let stream = TcpStream::from(socket);
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream
}

/// Reads a few bytes now and then until the host has had enough; then it is cut off, and what was still on its way to it is gone.
fn sip(stream: &mut TcpStream) {
    let ended = loop {
        match stream.read(&mut [0; 50]) {
            Ok(1..) => thread::sleep(Duration::from_millis(1)),
            other => break other,
        }
    };
    assert_eq!(ended.unwrap_err().kind(), ErrorKind::ConnectionReset);
}

/// Asks and asks, and never reads: the answers fill the line, then the requests do, and then the write deadline ends it.
#[test]
fn a_flood_of_requests() {
    covers!("13.9-9", "13.9-15");
    let victim = Victim::start("a flood of requests", "write_deadline=500");
    let flood = call("large", json!({"n": 100_000})).repeat(50);
    let streams: Vec<TcpStream> = (0..6)
        .map(|_| {
            let mut stream = narrow(&victim);
            stream.set_write_timeout(Some(Duration::from_millis(20))).unwrap();
            while stream.write_all(flood.as_bytes()).is_ok() {}
            stream
        })
        .collect();
    victim.unharmed();
    victim.survives(); // it has given up on all of them, and they have not gone
    for mut stream in streams {
        let ended = stream.read_to_end(&mut Vec::new());
        assert_eq!(ended.unwrap_err().kind(), ErrorKind::ConnectionReset);
    }
}

#[test]
fn an_answer_that_is_sipped() {
    covers!("13.9-15");
    let victim = Victim::start("an answer that is sipped", "write_deadline=300");
    let sippers: Vec<_> = (0..3)
        .map(|_| {
            let mut stream = narrow(&victim);
            stream.write_all(call("large", json!({"n": 4_000_000})).as_bytes()).unwrap();
            stream
        })
        .collect();
    victim.unharmed();
    let sippers: Vec<_> = sippers.into_iter().map(|mut stream| thread::spawn(move || sip(&mut stream))).collect();
    victim.survives();
    for sipper in sippers {
        sipper.join().unwrap();
    }
}

/// The stream has begun, and then the reader stops. The handler learns of it.
#[test]
fn a_stream_that_is_no_longer_read() {
    covers!("13.9-15", "9-6");
    let victim = Victim::start("a stream that is no longer read", "write_deadline=500");
    let streams: Vec<Client> = (0..6)
        .map(|_| {
            let mut client = victim.client();
            assert_eq!(client.send(call("flood", json!({}))).head().status, 200);
            client.chunk();
            client
        })
        .collect();
    victim.unharmed();
    victim.says("cancelled", 6);
    victim.survives();
    drop(streams);
}

/// A listener that does not read costs one write deadline; what is published goes on reaching the others.
#[test]
fn a_listener_that_does_not_read() {
    covers!("13.9-15", "11-15");
    let victim = Victim::start("a listener that does not read", "write_deadline=500");
    let uris: Vec<String> = (0..300).map(resource).collect();
    let all = json!({"notifications": {"resourceSubscriptions": uris}});
    let mut deaf: Vec<TcpStream> = (0..5)
        .map(|_| {
            let mut stream = narrow(&victim);
            stream.write_all(post(&request("subscriptions/listen", all.clone()), "").as_bytes()).unwrap();
            stream
        })
        .collect();
    let mut listener = victim.client();
    let tools = json!({"notifications": {"toolsListChanged": true}});
    assert_eq!(listener.send(post(&request("subscriptions/listen", tools), "")).head().status, 200);
    listener.chunk();
    let touch = || {
        let answer = victim.client().send(call("touch", json!({"n": 300}))).answer();
        assert_eq!(answer.status, 200);
        assert!(String::from_utf8(listener.chunk()).unwrap().contains("notifications/tools/list_changed"));
        deaf.retain(|stream| stream.take_error().unwrap().is_none()); // of a reset
        deaf.len()
    };
    until("who does not read is cut off", touch, |left| *left == 0);
    drop(listener);
    victim.survives();
}
