//! §13.1 Requests and answers on a connection.

use std::sync::{Arc, Barrier};
use std::thread;
use std::time::Duration;

use crossbeam_channel::RecvTimeoutError;

use super::loopback::Client;
use super::stub::{Report, limits, post, start};
use plain_mcp::limits::Limits;

#[test]
fn a_connection_is_kept() {
    covers!("13.9-9");
    let host = start(limits());
    let mut client = host.client();
    for body in ["one", "", "three"] {
        let answer = client.send(post("/echo", body)).answer();
        assert_eq!((answer.status, answer.text()), (200, body));
        assert_eq!(answer.field("connection"), None);
        assert_eq!(answer.field("date"), Some("Sun, 06 Nov 1994 08:49:37 GMT"));
    }
    let answer = client.send("POST /echo HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n").answer();
    assert_eq!((answer.status, answer.field("connection")), (200, Some("close")));
    assert!(client.is_closed());
    host.stop();
}

#[test]
fn an_answer_is_one_write() {
    covers!("13.9-8");
    let host = start(limits());
    let mut client = host.client();
    client.send(post("/echo", &"x".repeat(2000)));
    assert!(client.more());
    let answer = client.answer_at_hand();
    assert_eq!(answer.body.len(), 2000);
    host.stop();
}

#[test]
fn two_requests_in_one_write_are_answered_in_order() {
    covers!("13.9-9");
    let host = start(limits());
    let mut client = host.client();
    client.send(
        [post("/echo", "first"), "\r\n".to_owned(), post("/forbidden", "skipped"), post("/echo", "third")].concat(),
    );
    assert_eq!(client.answer().text(), "first");
    assert_eq!(client.answer().status, 403);
    assert_eq!(client.answer().text(), "third");
    host.stop();
}

#[test]
fn a_request_in_pieces() {
    let host = start(limits());
    let mut client = host.client();
    for byte in post("/echo", "in pieces").bytes() {
        client.send([byte]);
    }
    assert_eq!(client.answer().text(), "in pieces");
    host.stop();
}

#[test]
fn a_large_body_both_ways() {
    let host = start(limits());
    let mut client = host.client();
    let body = "0123456789abcdef".repeat(1 << 17);
    assert!(client.send(post("/echo", &body)).answer().text() == body);
    assert_eq!(client.send(post("/echo", "small again")).answer().text(), "small again");
    assert!(client.send(post("/echo", &body)).answer().text() == body);
    // Long enough for the host to give its buffer back; if it does not, the test says less but nothing wrong.
    assert_eq!(host.reports.recv_timeout(Duration::from_millis(60)), Err(RecvTimeoutError::Timeout));
    assert!(client.send(post("/echo", &body)).answer().text() == body);
    host.stop();
}

#[test]
fn a_chunked_body() {
    covers!("13.9-12");
    let host = start(limits());
    let mut client = host.client();
    client.send("POST /echo HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n5;x\r\nhello\r\n");
    client.send("6\r\n world\r\n0\r\nx-trailer: y\r\n\r\n".to_owned() + &post("/echo", "next"));
    assert_eq!(client.answer().text(), "hello world");
    assert_eq!(client.answer().text(), "next");
    host.stop();
}

#[test]
fn http_1_0() {
    covers!("13.9-11");
    let host = start(limits());
    let mut client = host.client();
    let answer = client.send("POST /echo HTTP/1.0\r\nconnection: keep-alive\r\ncontent-length: 1\r\n\r\na").answer();
    assert_eq!((answer.text(), answer.field("connection")), ("a", Some("keep-alive")));
    let answer = client.send("POST /echo HTTP/1.0\r\ncontent-length: 1\r\n\r\nb").answer();
    assert_eq!((answer.text(), answer.field("connection")), ("b", Some("close")));
    assert!(client.is_closed());
    host.stop();
}

#[test]
fn a_stream_in_http_1_1_is_chunked_and_the_connection_kept() {
    let host = start(limits());
    let mut client = host.client();
    client.send(post("/stream", "first"));
    let head = client.head();
    assert_eq!((head.status, head.field("transfer-encoding")), (200, Some("chunked")));
    assert_eq!(head.field("content-type"), Some("text/event-stream"));
    assert_eq!(client.chunk(), b"first");
    assert_eq!(host.report(), Report::Wrote(true));
    host.words.send(()).unwrap();
    assert_eq!(client.chunk(), b"data: event\r\n\r\n", "an event arrives while its handler runs");
    host.handle.shutdown_signal(); // only looked at
    drop(host.words);
    assert_eq!(client.chunk(), b"data: result\r\n\r\n");
    assert_eq!(client.chunk(), b"");
    assert_eq!(client.send(post("/echo", "again")).answer().text(), "again");
    host.handle.shutdown().unwrap();
}

#[test]
fn a_stream_in_http_1_0_ends_with_the_connection() {
    covers!("13.9-11");
    let host = start(limits());
    let mut client = host.client();
    client.send("POST /stream HTTP/1.0\r\nconnection: keep-alive\r\ncontent-length: 1\r\n\r\na");
    let head = client.head();
    assert_eq!((head.field("transfer-encoding"), head.field("connection")), (None, Some("close")));
    drop(host.words);
    assert_eq!(client.rest(), b"adata: result\r\n\r\n");
    host.handle.shutdown().unwrap();
}

#[test]
fn a_stream_that_was_not_ended_has_no_end() {
    let host = start(limits());
    let mut client = host.client();
    client.send(post("/half", ""));
    client.head();
    assert_eq!(client.rest(), b"4\r\nhalf\r\n", "no last chunk: the client must see that something is missing");
    host.stop();
}

#[test]
fn expect_continue() {
    covers!("13.9-10");
    let host = start(limits());
    let mut client = host.client();
    client.send("POST /echo HTTP/1.1\r\nhost: a\r\nexpect: 100-continue\r\ncontent-length: 5\r\n\r\n");
    assert_eq!(client.answer().status, 100);
    assert_eq!(client.send("hello").answer().text(), "hello");
    // A client that does not wait is not told.
    let answer = client
        .send("POST /echo HTTP/1.1\r\nhost: a\r\nexpect: 100-continue\r\ncontent-length: 5\r\n\r\nhello")
        .answer();
    assert_eq!((answer.status, answer.text()), (200, "hello"));
    // A refused head is answered at once, and without 100.
    let answer = client
        .send("POST /forbidden HTTP/1.1\r\nhost: a\r\nexpect: 100-continue\r\ncontent-length: 5\r\n\r\n")
        .answer();
    assert_eq!((answer.status, answer.field("connection")), (403, Some("close")));
    assert!(client.is_closed());
    host.stop();
}

#[test]
fn a_refused_head_does_not_cost_the_connection() {
    let host = start(limits());
    let mut client = host.client();
    client.send("POST /forbidden HTTP/1.1\r\nhost: a\r\ncontent-length: 5\r\n\r\n");
    assert_eq!(client.answer().status, 403, "before the body has come");
    client.send("hello");
    client.send("POST /forbidden HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n");
    assert_eq!(client.answer().status, 403);
    client.send("5\r\nhello\r\n0\r\n\r\n");
    assert_eq!(client.send(post("/echo", "kept")).answer().text(), "kept");
    // But a large body is not waited for.
    let answer = client.send("POST /forbidden HTTP/1.1\r\nhost: a\r\ncontent-length: 1000000\r\n\r\n").answer();
    assert_eq!((answer.status, answer.field("connection")), (403, Some("close")));
    host.stop();
}

#[test]
fn head_and_options() {
    let host = start(limits());
    let mut client = host.client();
    client.send("HEAD /mcp HTTP/1.1\r\nhost: a\r\n\r\n");
    let head = client.head();
    assert_eq!((head.status, head.field("allow"), head.field("content-length")), (405, Some("POST"), Some("9")));
    let answer = client.send("OPTIONS * HTTP/1.1\r\nhost: a\r\n\r\n").answer();
    assert_eq!((answer.status, answer.field("content-length")), (204, None));
    assert_eq!(client.send(post("/echo", "in step")).answer().text(), "in step");
    host.stop();
}

/// Sends bytes on a fresh connection: the answer must be the status, then a clean close, whatever else is sent.
fn refused(client: &mut Client, bytes: &[u8], status: u16) {
    client.send(bytes);
    let answer = client.answer();
    let shown = String::from_utf8_lossy(&bytes[..bytes.len().min(80)]).into_owned();
    assert_eq!((answer.status, answer.field("connection")), (status, Some("close")), "{shown:?}");
    assert!(client.is_closed(), "{shown:?}");
}

#[test]
fn what_is_refused_is_answered_and_closed() {
    covers!("13.9-1", "13.9-2", "13.9-3", "13.9-4", "13.9-6", "13.9-12");
    let host = start(Limits { head: 2048, fields: 10, body: 1000, ..limits() });
    let head = "POST /echo HTTP/1.1\r\nhost: a\r\n";
    for (status, request) in [
        (400, "POST /echo HTTP/1.1\r\n\r\n".to_owned()),
        (400, "POST /echo HTTP/1.1\r\nhost: a\r\nhost: a\r\n\r\n".to_owned()),
        (400, format!("{head}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n")),
        (400, format!("{head}content-length: 5\r\ncontent-length: 5\r\n\r\nhello")),
        (400, format!("{head}content-length: -1\r\n\r\n{}", post("/echo", "smuggled"))),
        (400, format!("{head}content-length: +1\r\n\r\na")),
        (400, format!("{head}x: a\r\n b\r\n\r\n")),
        (400, format!("{head}x : a\r\n\r\n")),
        (400, format!("{head}x: a\0\r\n\r\n")),
        (400, "POST /echo HTTP/1.1\nhost: a\n\n".to_owned()),
        (400, format!("{head}transfer-encoding: chunked\r\n\r\nxyz\r\n")),
        (400, format!("{head}transfer-encoding: chunked\r\n\r\n1\r\nab\r\n0\r\n\r\n")),
        (400, "\x16\x03\x01\x02".to_owned()),
        (501, format!("{head}transfer-encoding: gzip, chunked\r\n\r\n0\r\n\r\n")),
        (505, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_owned()),
        (431, format!("{head}{}\r\n", "x: y\r\n".repeat(10))),
        (431, format!("{head}x: {}", "y".repeat(3000))),
        (413, format!("{head}content-length: 1001\r\n\r\n")),
        (413, format!("{head}content-length: 99999999999999999999\r\n\r\n")),
        (413, format!("{head}transfer-encoding: chunked\r\n\r\n3e9\r\n")),
    ] {
        refused(&mut host.client(), request.as_bytes(), status);
    }
    assert_eq!(host.client().send(post("/echo", "well")).answer().text(), "well");
    host.stop();
}

#[test]
fn an_answer_survives_a_client_that_goes_on_sending() {
    let host = start(limits());
    for head in [
        "POST /echo HTTP/1.1\r\nhost: a\r\ncontent-length: 5000000\r\n\r\n",
        "POST /forbidden HTTP/1.1\r\nhost: a\r\ncontent-length: 5000000\r\n\r\n",
        "POST /echo HTTP/1.1\r\nhost: a\r\ncontent-length: -5\r\n\r\n",
    ] {
        let mut client = host.client();
        client.send(head);
        client.send(vec![b'x'; 5_000_000]);
        let status = client.answer().status;
        assert!([400, 403, 413].contains(&status), "{status}");
        assert!(client.is_closed());
    }
    host.stop();
}

#[test]
fn a_message_cut_short() {
    let host = start(limits());
    for piece in ["POST /echo HTT", "POST /echo HTTP/1.1\r\nhost: a\r\ncontent-length: 5\r\n\r\nhel"] {
        refused(host.client().send(piece).half_close(), b"", 400);
    }
    assert!(host.client().half_close().is_closed(), "nothing asked, nothing answered");
    host.stop();
}

#[test]
fn values_beyond_ascii_reach_the_service_as_bytes() {
    let host = start(limits());
    let mut client = host.client();
    client.send(b"POST /head HTTP/1.1\r\nhost: a\r\nmcp-name: \xff\x80\r\n\r\n");
    assert!(client.answer().text().contains("(\"mcp-name\", [255, 128])"));
    host.stop();
}

#[test]
fn a_value_cannot_become_a_field() {
    let host = start(limits());
    let answer = host.client().send(post("/split", "")).answer();
    assert_eq!((answer.field("x-other"), answer.field("x-value")), (None, Some("a  x-other: b ")));
    host.stop();
}

#[test]
fn deadlines() {
    covers!("13.9-5");
    let soon = Duration::from_millis(100);
    let host =
        start(Limits { head_deadline: soon, body_deadline: soon, idle_deadline: Duration::from_secs(60), ..limits() });
    refused(&mut host.client(), b"POST /echo HTTP/1.1\r\n", 408);
    refused(&mut host.client(), b"POST /echo HTTP/1.1\r\nhost: a\r\ncontent-length: 5\r\n\r\nhel", 408);
    refused(&mut host.client(), b"POST /echo HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhel", 408);
    // A deadline met leaves nothing behind: the connection may then be idle for longer.
    let mut client = host.client();
    client.send("POST /echo HTTP/1.1\r\nhost: a\r\n");
    client.send("content-length: 5\r\n\r\n");
    assert_eq!(client.send("hello").answer().text(), "hello");
    client.stream.set_read_timeout(Some(soon * 3)).unwrap();
    assert!(!client.is_over(), "idle for longer than the deadline of a head");
    client.stream.set_read_timeout(Some(super::loopback::PATIENCE)).unwrap();
    assert_eq!(client.send(post("/echo", "later")).answer().text(), "later");
    host.stop();
}

/// A byte now and then does not buy a client any time: the deadline is for the whole head, and for the whole body.
#[test]
fn drop_by_drop() {
    covers!("13.9-5");
    let soon = Duration::from_millis(200);
    let host = start(Limits { head_deadline: soon, body_deadline: soon, ..limits() });
    for head in ["POST /echo HTTP/1.1\r\nx: ", "POST /echo HTTP/1.1\r\nhost: a\r\ncontent-length: 100000\r\n\r\n"] {
        let mut client = host.client();
        client.send(head);
        client.stream.set_read_timeout(Some(soon / 10)).unwrap();
        let mut first = [0];
        for _ in 0..1000 {
            if client.stream.peek(&mut first).is_ok() {
                break;
            }
            client.try_send("y");
        }
        client.stream.set_read_timeout(Some(super::loopback::PATIENCE)).unwrap();
        assert_eq!(client.answer().status, 408);
    }
    host.stop();
}

#[test]
fn an_idle_connection_is_closed_in_silence() {
    covers!("13.9-16");
    let host = start(Limits { idle_deadline: Duration::from_millis(50), ..limits() });
    assert!(host.client().is_closed());
    let mut client = host.client();
    assert_eq!(client.send(post("/echo", "once")).answer().text(), "once");
    assert!(client.is_closed());
    host.stop();
}

#[test]
fn connections_run_side_by_side() {
    let host = start(limits());
    let (together, address) = (Arc::new(Barrier::new(16)), host.handle.local_addr());
    let clients: Vec<_> = (0..16)
        .map(|_| {
            let together = Arc::clone(&together);
            thread::spawn(move || {
                let mut client = Client::connect(address);
                together.wait();
                client.send(post("/wait", "")).answer().status
            })
        })
        .collect();
    for _ in 0..16 {
        assert_eq!(host.report(), Report::Entered, "all run before any is let go");
    }
    for _ in 0..16 {
        host.words.send(()).unwrap();
    }
    assert!(clients.into_iter().all(|client| client.join().unwrap() == 200));
    host.stop();
}

#[test]
fn a_panic_is_an_answer_and_no_thread_dies_of_it() {
    let host = start(limits());
    let mut client = host.client();
    for _ in 0..20 {
        let answer = client.send(post("/panic", "body")).answer();
        assert_eq!((answer.status, answer.text()), (500, "Failed"));
        assert_eq!(client.send(post("/judge-panics", "body")).answer().status, 500);
    }
    assert_eq!(client.send(post("/echo", "alive")).answer().text(), "alive");
    host.stop();
}

#[test]
fn no_answer_is_a_closed_connection() {
    let host = start(limits());
    assert!(host.client().send(post("/silent", "")).is_closed());
    host.stop();
}

/// A client may cancel a request by a message of its own (D10). It is still there, and so is its connection.
#[test]
fn a_cancelled_request_does_not_cancel_the_next() {
    let host = start(limits());
    let mut client = host.client();
    assert_eq!(client.send(post("/cancel", "")).answer().status, 204);
    client.send(post("/wait", ""));
    assert_eq!(host.report(), Report::Entered);
    host.words.send(()).unwrap();
    assert_eq!(host.report(), Report::WentOn);
    assert_eq!(client.answer().text(), "went on");
    host.stop();
}
