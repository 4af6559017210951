//! The three steps of a shutdown.

use std::net::TcpStream;
use std::time::Duration;

use super::stub::{Report, limits, post, start};
use plain_mcp::limits::Limits;

#[test]
fn idle_connections_are_closed_and_the_port_is_free() {
    covers!("13.9-14");
    let host = start(limits());
    let (mut used, mut fresh) = (host.client(), host.client());
    assert_eq!(used.send(post("/echo", "")).answer().status, 200);
    // The fresh one must have been accepted, else it is reset: connections are accepted in order.
    assert_eq!(host.client().send(post("/echo", "")).answer().status, 200);
    let address = host.handle.local_addr();
    host.stop();
    assert!(used.is_closed());
    assert!(fresh.is_closed());
    assert!(TcpStream::connect(address).is_err());
}

#[test]
fn a_running_request_is_finished_and_told_to_close() {
    covers!("13.9-14");
    let host = start(limits());
    let mut client = host.client();
    client.send(post("/wait", ""));
    assert_eq!(host.report(), Report::Entered);
    host.handle.shutdown_signal().shut_down();
    // The door is shut before the request is over.
    while TcpStream::connect(host.handle.local_addr()).is_ok() {}
    host.words.send(()).unwrap();
    let answer = client.answer();
    assert_eq!((answer.status, answer.text(), answer.field("connection")), (200, "went on", Some("close")));
    assert!(client.is_closed());
    host.stop();
}

#[test]
fn streams_end_with_their_result() {
    covers!("13.9-14");
    let host = start(limits());
    let mut client = host.client();
    client.send(post("/stream", "first"));
    assert_eq!(host.report(), Report::Wrote(true));
    host.handle.shutdown_signal().shut_down();
    assert_eq!(client.answer().text(), "firstdata: result\r\n\r\n");
    assert!(client.is_closed());
    host.stop();
}

#[test]
fn what_does_not_finish_is_cancelled() {
    covers!("13.9-14");
    let host = start(Limits { drain: Duration::from_millis(50), ..limits() });
    let mut client = host.client();
    client.send(post("/wait", ""));
    assert_eq!(host.report(), Report::Entered);
    host.handle.shutdown_signal().shut_down();
    assert_eq!(host.report(), Report::Cancelled);
    assert!(client.is_over());
    host.stop();
}

/// A handler that heeds nothing is left behind: shutdown returns all the same.
#[test]
fn a_stuck_handler_does_not_hold_the_host() {
    let host = start(Limits { drain: Duration::from_millis(50), ..limits() });
    let mut client = host.client();
    client.send(post("/stuck", ""));
    assert_eq!(host.report(), Report::Entered);
    let words = host.words.clone();
    host.stop();
    assert!(client.is_over());
    words.send(()).unwrap();
}

#[test]
fn a_refused_client_does_not_hold_the_host() {
    let host = start(limits());
    let mut client = host.client();
    client.send("POST /echo HTTP/1.1\r\n\r\n");
    assert_eq!(client.answer().status, 400);
    host.stop();
}
