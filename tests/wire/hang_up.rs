//! §9 D9: a client that has gone cancels its request, also while the handler says nothing.

use std::net::Shutdown;
use std::time::Duration;

use crossbeam_channel::RecvTimeoutError;

use super::loopback::Client;
use super::stub::{Report, limits, post, start};
use plain_mcp::limits::Limits;

#[test]
fn a_silent_handler_is_cancelled() {
    covers!("9-6");
    let host = start(limits());
    let leave: [fn(Client); 3] = [drop, Client::reset, |client| {
        // Only half closed: nobody can tell the difference from here, so it counts as gone.
        client.stream.shutdown(Shutdown::Write).unwrap();
        assert!({ client }.is_over());
    }];
    for leave in leave {
        let mut client = host.client();
        client.send(post("/wait", ""));
        assert_eq!(host.report(), Report::Entered);
        leave(client);
        assert_eq!(host.report(), Report::Cancelled);
    }
    host.stop();
}

/// The watcher sleeps when there is nothing to see; it must wake for the next request.
#[test]
fn also_after_a_rest() {
    let host = start(Limits { hang_up_tick: Duration::from_millis(1), ..limits() });
    for _ in 0..3 {
        let mut client = host.client();
        assert_eq!(client.send(post("/echo", "quick")).answer().status, 200);
        // Long enough for it to fall asleep; if it does not, the test says less but nothing wrong.
        assert_eq!(host.reports.recv_timeout(Duration::from_millis(120)), Err(RecvTimeoutError::Timeout));
        client.send(post("/wait", ""));
        assert_eq!(host.report(), Report::Entered);
        drop(client);
        assert_eq!(host.report(), Report::Cancelled);
    }
    host.stop();
}

#[test]
fn bytes_that_wait_are_no_sign_of_leaving() {
    let host = start(Limits { hang_up_tick: Duration::from_millis(1), ..limits() });
    let mut client = host.client();
    client.send(post("/wait", ""));
    assert_eq!(host.report(), Report::Entered);
    client.send(post("/echo", "second")); // only now, so that it waits in the socket
    assert_eq!(host.reports.recv_timeout(Duration::from_millis(100)), Err(RecvTimeoutError::Timeout));
    host.words.send(()).unwrap();
    assert_eq!(client.answer().text(), "went on");
    assert_eq!(client.answer().text(), "second");
    host.stop();
}

#[test]
fn a_reset_behind_bytes_that_wait_is_seen() {
    let host = start(limits());
    let mut client = host.client();
    client.send(post("/wait", ""));
    assert_eq!(host.report(), Report::Entered);
    client.send(post("/echo", "second")); // only now, so that it waits in the socket
    client.reset();
    assert_eq!(host.report(), Report::Cancelled);
    host.stop();
}

/// Clients close as soon as they have the answer: that cancels nothing and harms nobody.
#[test]
fn leaving_after_the_answer_is_no_matter() {
    let host = start(limits());
    for _ in 0..50 {
        assert_eq!(host.client().send(post("/echo", "quick")).answer().status, 200);
    }
    assert!(host.reports.is_empty());
    host.stop();
}

#[test]
fn a_stream_is_cancelled_too() {
    covers!("9-6");
    let host = start(limits());
    let mut client = host.client();
    client.send(post("/stream", "first"));
    assert_eq!(host.report(), Report::Wrote(true));
    client.head();
    drop(client);
    assert_eq!(host.report(), Report::Cancelled);
    host.stop();
}

/// A peer that reads nothing holds a handler for as long as the write deadline, then counts as gone.
#[test]
fn a_peer_that_does_not_read() {
    covers!("13.9-15");
    let host = start(Limits { write_deadline: Duration::from_millis(100), ..limits() });
    let mut client = host.client();
    client.send(post("/flood", ""));
    assert_eq!(host.report(), Report::Wrote(false));
    assert_eq!(host.report(), Report::Cancelled);
    let mut client = host.client();
    client.send(post("/large", ""));
    assert_eq!(host.report(), Report::Wrote(false));
    host.stop();
}
