//! §13 Replies as bytes: heads, bodies, streams and connections, good and bad.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use plain_mcp::client::{Client, ClientBuilder, ClientLimits, Error};
use serde_json::{Value, json};

use crate::script::{discovered, raw, result, said};

/// A server that sees connections: `play` is given each, with its number from 0, after discovery has been answered on the first.
struct Raw {
    url: String,
    accepted: Arc<AtomicUsize>,
}

/// One connection.
struct Peer {
    reader: BufReader<TcpStream>,
    stream: TcpStream,
}

impl Peer {
    /// Reads one request: its head as text, and its body. `None` at the end.
    fn read(&mut self) -> Option<(String, Value)> {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            if self.reader.read_line(&mut head).unwrap_or(0) == 0 {
                return None;
            }
        }
        let length =
            head.lines().find_map(|line| line.strip_prefix("content-length: ")).map_or(0, |it| it.parse().unwrap());
        let mut body = vec![0; length];
        self.reader.read_exact(&mut body).ok()?;
        Some((head, serde_json::from_slice(&body).unwrap_or(Value::Null)))
    }

    fn say(&mut self, bytes: impl AsRef<[u8]>) -> bool {
        self.stream.write_all(bytes.as_ref()).is_ok()
    }

    /// A kept connection's reply.
    fn reply(&mut self, body: &Value) -> bool {
        let body = body.to_string();
        self.say(format!(
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        ))
    }
}

fn answer(asked: &Value, result: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": asked["id"], "result": result})
}

impl Raw {
    /// Each connection answers discovery by itself; `play` gets every other request, and says whether the connection goes on.
    fn start(play: impl Fn(&mut Peer, usize, &str, &Value) -> bool + Send + Sync + 'static) -> Raw {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/mcp", listener.local_addr().unwrap());
        let accepted = Arc::<AtomicUsize>::default();
        let (count, play) = (Arc::clone(&accepted), Arc::new(play));
        thread::spawn(move || {
            for stream in listener.incoming() {
                let stream = stream.unwrap();
                stream.set_nodelay(true).unwrap();
                let (number, play) = (count.fetch_add(1, Ordering::SeqCst), Arc::clone(&play));
                thread::spawn(move || {
                    let mut peer = Peer { reader: BufReader::new(stream.try_clone().unwrap()), stream };
                    while let Some((head, body)) = peer.read() {
                        let goes_on = match body["method"].as_str() {
                            Some("server/discover") => peer.reply(&answer(&body, discovered())),
                            _ => play(&mut peer, number, &head, &body),
                        };
                        if !goes_on {
                            return;
                        }
                    }
                });
            }
        });
        Raw { url, accepted }
    }

    fn client(&self) -> Client {
        self.builder().connect().unwrap()
    }

    fn builder(&self) -> ClientBuilder {
        Client::http(&self.url)
    }

    fn accepted(&self) -> usize {
        self.accepted.load(Ordering::SeqCst)
    }
}

fn call(client: &Client) -> Result<Value, Error> {
    client.request("x/y", json!({"a": 1})).call()
}

/// A server whose every reply is these bytes in place of `ID` and `BODY`, and then the end.
fn replies(bytes: &'static [u8]) -> Raw {
    Raw::start(move |peer, _, _, asked| {
        let body = answer(asked, json!({"ok": true})).to_string();
        let text = String::from_utf8_lossy(bytes).replace("LEN", &body.len().to_string()).replace("BODY", &body);
        peer.say(text);
        false
    })
}

#[test]
fn the_bytes_of_a_request() {
    covers!("18.2-10");
    let (heads, seen) = mpsc::channel();
    let heads = Mutex::new(heads);
    let raw = Raw::start(move |peer, _, head, asked| {
        heads.lock().unwrap().send(head.to_owned()).unwrap();
        peer.reply(&answer(asked, json!({})))
    });
    call(&raw.client()).unwrap();
    let head = seen.recv().unwrap();
    let host = raw.url.trim_start_matches("http://").trim_end_matches("/mcp");
    let (first, rest) = head.split_once("content-length: ").unwrap();
    assert_eq!(
        first,
        format!(
            "POST /mcp HTTP/1.1\r\nhost: {host}\r\ncontent-type: application/json\r\naccept: application/json, text/event-stream\r\n"
        )
    );
    let (_, rest) = rest.split_once("\r\n").unwrap();
    assert_eq!(rest, "mcp-protocol-version: 2026-07-28\r\nmcp-method: x/y\r\n\r\n");
}

#[test]
fn bodies_of_every_framing() {
    covers!("18.2-11");
    for bytes in [
        &b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: LEN\r\n\r\nBODY"[..],
        b"HTTP/1.1 200\r\nContent-Type:application/json; charset=utf-8\r\nContent-Length:  LEN \r\n\r\nBODY",
        b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\nHTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: LEN\r\n\r\nBODY",
        b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\nBODY",
        b"HTTP/1.0 200 OK\r\ncontent-type: application/json\r\n\r\nBODY",
        b"HTTP/1.1 200 OK\r\n\r\n\xEF\xBB\xBFBODY",
        b"HTTP/1.1 201 Created\r\ncontent-type: application/json\r\n\r\nBODY",
    ] {
        assert_eq!(call(&replies(bytes).client()).unwrap()["ok"], true, "{}", String::from_utf8_lossy(bytes));
    }
}

#[test]
fn replies_in_pieces() {
    covers!("18.2-11");
    // chunked, cut at every byte
    let raw = Raw::start(|peer, _, _, asked| {
        let body = answer(asked, json!({"ok": true})).to_string();
        let (first, second) = body.split_at(body.len() / 2);
        let text = format!(
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Type: application/json\r\n\r\n{:x}\r\n{first}\r\n{:X};x=y\r\n{second}\r\n0\r\nx: y\r\n\r\n",
            first.len(),
            second.len()
        );
        text.as_bytes().iter().all(|byte| peer.say([*byte]))
    });
    let client = raw.client();
    for _ in 0..3 {
        assert_eq!(call(&client).unwrap()["ok"], true);
    }
    assert_eq!(raw.accepted(), 1, "a chunked body has an end, and the connection is kept");
}

#[test]
fn replies_that_two_could_read_in_two_ways_are_refused() {
    covers!("18.2-12");
    for bytes in [
        &b"HTTP/1.1 200 OK\r\ncontent-length: LEN\r\ncontent-length: LEN\r\n\r\nBODY"[..],
        b"HTTP/1.1 200 OK\r\ncontent-length: LEN\r\ntransfer-encoding: chunked\r\n\r\nBODY",
        b"HTTP/1.1 200 OK\r\ncontent-length: +LEN\r\n\r\nBODY",
        b"HTTP/1.1 200 OK\r\ncontent-length: LEN, LEN\r\n\r\nBODY",
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: gzip\r\n\r\nBODY",
        b"HTTP/1.1 200 OK\ncontent-length: LEN\n\nBODY",
        b"HTTP/1.1 200 OK\r\nx: a\r\n b\r\ncontent-length: LEN\r\n\r\nBODY",
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\nBODY",
        b"HTTP/2 200 OK\r\ncontent-length: LEN\r\n\r\nBODY",
        b"SSH-2.0-x\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01",
        b"HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nmcp-session-id: a b\r\ncontent-length: LEN\r\n\r\nBODY",
    ] {
        let error = call(&replies(bytes).client()).unwrap_err();
        assert!(matches!(error, Error::Protocol(_)), "{}: {error:?}", String::from_utf8_lossy(bytes));
    }
}

#[test]
fn replies_that_are_cut_short() {
    covers!("18.2-13");
    for bytes in [
        &b""[..],
        b"HTTP/1.1 200 OK\r\ncontent-le",
        b"HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\nBODY",
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1000\r\nBODY",
        b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\ndata: BODY\n",
    ] {
        let error = call(&replies(bytes).client()).unwrap_err();
        assert!(matches!(error, Error::Transport { sent: true, .. }), "{}: {error:?}", String::from_utf8_lossy(bytes));
    }
}

#[test]
fn what_is_no_answer() {
    covers!("18.2-14");
    for (bytes, says) in [
        (&b"HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\n"[..], "status 202 without a response"),
        (b"HTTP/1.1 204 No Content\r\n\r\n", "status 204 without a response"),
        (b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n[]", "not a JSON-RPC message"),
        (b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 6\r\n\r\n<html>", "<html>"),
        (b"HTTP/1.1 200 OK\r\n\r\n{\"jsonrpc\":\"2.0\",\"id\":99,\"result\":{}}", "the id of another request"),
        (b"HTTP/1.1 200 OK\r\n\r\n{\"jsonrpc\":\"2.0\",\"method\":\"x\"}", "a body that is no response"),
    ] {
        let error = call(&replies(bytes).client()).unwrap_err();
        assert!(matches!(&error, Error::Protocol(what) if what.contains(says)), "{error:?}");
    }
}

#[test]
fn refusals_with_and_without_a_message() {
    covers!("18.2-15");
    let with = b"HTTP/1.1 400 Bad Request\r\ncontent-length: 76\r\n\r\n{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32700,\"message\":\"Parse error\"}}  ";
    assert_eq!(call(&replies(with).client()).unwrap_err().server().unwrap().code, -32700);
    let without = b"HTTP/1.1 401 Unauthorized\r\nwww-authenticate: Bearer x\r\ncontent-length: 2\r\n\r\nno";
    let Error::Status { status: 401, challenge, body, .. } = call(&replies(without).client()).unwrap_err() else {
        panic!()
    };
    assert_eq!((challenge.as_deref(), body.as_str()), (Some("Bearer x"), "no"));
    // one that does not end is a refusal all the same
    let raw = Raw::start(|peer, _, _, _| {
        peer.say("HTTP/1.1 503 Service Unavailable\r\ntransfer-encoding: chunked\r\n\r\n");
        while peer.say(format!("10000\r\n{}\r\n", "x".repeat(0x10000))) {}
        false
    });
    assert!(matches!(call(&raw.client()).unwrap_err(), Error::Status { status: 503, .. }));
}

#[test]
fn what_is_too_large_is_not_read() {
    covers!("18.2-16");
    let limits = ClientLimits { message: 100_000, ..ClientLimits::default() };
    let bounded = |raw: &Raw| raw.builder().limits(limits.clone()).connect().unwrap();
    let body = Error::TooLarge { what: "the body of a reply", limit: 100_000 };
    // announced, without an end, in chunks without an end
    let announced = replies(b"HTTP/1.1 200 OK\r\ncontent-length: 1073741824\r\n\r\nx");
    assert_eq!(call(&bounded(&announced)).unwrap_err(), body);
    let endless = |head: &'static str, piece: String| {
        Raw::start(move |peer, _, _, _| {
            peer.say(head);
            while peer.say(&piece) {}
            false
        })
    };
    let open = endless("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n", " ".repeat(10_000));
    assert_eq!(call(&bounded(&open)).unwrap_err(), body);
    let chunks =
        endless("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n", format!("1000\r\n{}\r\n", " ".repeat(0x1000)));
    assert_eq!(call(&bounded(&chunks)).unwrap_err(), body);
    let line = endless("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\ndata: ", "x".repeat(10_000));
    let event = Error::TooLarge { what: "an event of a stream", limit: 100_000 };
    assert_eq!(call(&bounded(&line)).unwrap_err(), event);
    let lines = endless(
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n",
        format!("data: {}\n", "x".repeat(10_000)),
    );
    assert_eq!(call(&bounded(&lines)).unwrap_err(), event);
    let head = endless("HTTP/1.1 200 OK\r\n", format!("x: {}\r\n", "y".repeat(1000)));
    assert_eq!(call(&bounded(&head)).unwrap_err(), Error::TooLarge { what: "the head of a reply", limit: 65_536 });
    let interim = endless("", "HTTP/1.1 100 Continue\r\n\r\n".to_owned());
    assert!(matches!(call(&bounded(&interim)), Err(Error::Protocol(_))));
    let values = ClientLimits { values: 1000, ..ClientLimits::default() };
    let raw = Raw::start(|peer, _, _, asked| peer.reply(&answer(asked, json!({"list": vec![0; 2000]}))));
    let client = raw.builder().limits(values).connect().unwrap();
    assert_eq!(call(&client).unwrap_err(), Error::TooLarge { what: "the number of values in a message", limit: 1000 });
}

#[test]
fn fifty_mebibytes() {
    covers!("18.2-17");
    let raw = Raw::start(|peer, _, _, asked| {
        let text = "x".repeat(50 * 1024 * 1024);
        let body = answer(asked, said(&text)).to_string();
        match asked["params"]["name"].as_str() {
            Some("stream") => {
                peer.say("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n");
                peer.say(format!("data: {body}\n\n"));
                false
            }
            Some(_) => peer.say(format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{body}", body.len())),
            None => peer.reply(&answer(asked, json!({"tools": []}))),
        }
    });
    let client = raw.client();
    for name in ["body", "stream"] {
        assert_eq!(client.tool(name, ()).call().unwrap().text().len(), 50 * 1024 * 1024);
    }
}

#[test]
fn a_server_that_trickles_is_not_waited_for() {
    covers!("18.2-18");
    let (go, may_go) = mpsc::channel::<()>();
    let may_go = Mutex::new(may_go);
    let raw = Raw::start(move |peer, _, _, _| {
        peer.say("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n{");
        // a byte each time that nothing else happens
        while may_go.lock().unwrap().recv_timeout(Duration::from_millis(10)) == Err(mpsc::RecvTimeoutError::Timeout)
            && peer.say(" ")
        {}
        false
    });
    let client = raw.client();
    let limit = Duration::from_millis(100);
    let error = client.request("x/y", json!({})).timeout(limit).call().unwrap_err();
    assert_eq!(error, Error::Timeout { waiting_for: "answer", limit });
    drop(go);
}

#[test]
fn a_server_that_does_not_read_is_not_waited_for() {
    covers!("18.2-18");
    let (go, may_go) = mpsc::channel::<()>();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let server = thread::spawn(move || {
        let (stream, _) = listener.accept().unwrap();
        let _ = may_go.recv();
        drop(stream);
    });
    let limits = ClientLimits { write_timeout: Duration::from_millis(100), ..ClientLimits::default() };
    let large = "x".repeat(32 * 1024 * 1024);
    // the handshake is what is large
    let info = plain_mcp::Implementation::new("t", large);
    let error = Client::http(&url).limits(limits).version("2025-11-25").implementation(info).connect().unwrap_err();
    assert_eq!(error, Error::Timeout { waiting_for: "room for a request", limit: Duration::from_millis(100) });
    drop(go);
    server.join().unwrap();
}

#[test]
fn progress_begins_the_timeout_anew() {
    covers!("18.1-27");
    let (steps, may_step) = mpsc::channel::<()>();
    let may_step = Mutex::new(may_step);
    let raw = Raw::start(move |peer, _, _, asked| {
        peer.say("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n");
        for step in 0..10 {
            let _ = may_step.lock().unwrap().recv_timeout(Duration::from_millis(60));
            let progress = json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progressToken": asked["id"], "progress": step}});
            peer.say(format!("data: {progress}\n\n"));
        }
        peer.say(format!("data: {}\n\n", answer(asked, json!({"ok": true}))));
        false
    });
    let client = raw.client();
    // ten steps of up to 60 ms are more than 300 ms, and none of them is
    let answer = client.request("x/y", json!({})).patiently().timeout(Duration::from_millis(300)).call().unwrap();
    assert_eq!(answer["ok"], true);
    let limit = Duration::from_millis(150);
    let error = client.request("x/y", json!({})).patiently().max_time(limit).call().unwrap_err();
    assert_eq!(error, Error::Timeout { waiting_for: "end of the call", limit });
    drop(steps);
}

#[test]
fn connections_are_kept_and_used_again() {
    covers!("18.2-19");
    let raw = Raw::start(|peer, _, _, asked| peer.reply(&answer(asked, json!({}))));
    let client = raw.client();
    for _ in 0..5 {
        call(&client).unwrap();
    }
    assert_eq!(raw.accepted(), 1);
    // a stream whose last chunk comes late
    let raw = Raw::start(|peer, _, _, asked| {
        let event = format!("data: {}\n\n", answer(asked, json!({})));
        peer.say(format!("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n{:x}\r\n{event}\r\n", event.len()));
        peer.say("0\r\n\r\n")
    });
    let client = raw.client();
    for _ in 0..5 {
        call(&client).unwrap();
    }
    assert!(raw.accepted() <= 5, "one that is not whole in time is not used");
    let none = ClientLimits { idle_connections: 0, ..ClientLimits::default() };
    let raw = Raw::start(|peer, _, _, asked| peer.reply(&answer(asked, json!({}))));
    let client = raw.builder().limits(none).connect().unwrap();
    call(&client).unwrap();
    assert_eq!(raw.accepted(), 2);
    let raw = Raw::start(|peer, _, _, asked| {
        peer.say(raw_close(asked));
        false
    });
    let client = raw.client();
    call(&client).unwrap();
    call(&client).unwrap();
    assert_eq!(raw.accepted(), 2, "connection: close");
}

fn raw_close(asked: &Value) -> Vec<u8> {
    raw(200, "content-type: application/json\r\n", &answer(asked, json!({})).to_string())
}

#[test]
fn a_kept_connection_that_is_dead_is_replaced_where_that_does_no_harm() {
    covers!("18.2-20");
    // the connection ends when the second request has been read
    let raw = Raw::start(|peer, number, _, asked| {
        number != 0 && peer.reply(&answer(asked, json!({"tools": [], "content": []})))
    });
    let client = raw.client();
    assert!(client.tools().call().unwrap().is_empty(), "a list is asked for once more");
    assert_eq!(raw.accepted(), 2);

    let calls = Arc::<AtomicUsize>::default();
    let count = Arc::clone(&calls);
    let raw = Raw::start(move |peer, _, _, asked| {
        if asked["method"] == "tools/call" {
            count.fetch_add(1, Ordering::SeqCst);
            return false;
        }
        peer.reply(&answer(asked, json!({"tools": []})))
    });
    let error = raw.client().tool("t", ()).call().unwrap_err();
    assert!(matches!(error, Error::Transport { sent: true, .. }), "{error:?}");
    assert_eq!(calls.load(Ordering::SeqCst), 1, "a call may have had its effect");
}

#[test]
fn both_families_are_tried() {
    covers!("18.2-21");
    for address in ["127.0.0.1:0", "[::1]:0"] {
        let Ok(listener) = TcpListener::bind(address) else { continue }; // a machine without IPv6
        let port = listener.local_addr().unwrap().port();
        let server = thread::spawn(move || {
            let (stream, _) = listener.accept().unwrap();
            let mut peer = Peer { reader: BufReader::new(stream.try_clone().unwrap()), stream };
            let (head, asked) = peer.read().unwrap();
            assert!(head.contains(&format!("host: localhost:{port}\r\n")), "{head}");
            peer.reply(&answer(&asked, discovered()));
        });
        Client::http(&format!("http://localhost:{port}/mcp")).connect().unwrap();
        server.join().unwrap();
    }
    let refused = Client::http("http://127.0.0.1:1/mcp").connect().unwrap_err();
    assert!(matches!(refused, Error::Transport { sent: false, .. }), "{refused:?}");
}

#[test]
fn urls() {
    covers!("18.2-22");
    for url in [
        "",
        "x",
        "ftp://a/",
        "http://",
        "http://u:p@a/",
        "http://a:b/",
        "http://a:99999/",
        "http://[::1/",
        "http://a b/",
        "https:/a",
    ] {
        assert!(matches!(Client::http(url).connect(), Err(Error::Invalid(_))), "{url}");
    }
    let (heads, seen) = mpsc::channel();
    let heads = Mutex::new(heads);
    let script = crate::script::Script::start(move |asked| {
        heads.lock().unwrap().send(asked.verb.clone()).unwrap();
        result(asked, discovered())
    });
    let base = script.url.trim_end_matches("/mcp").to_owned();
    for tail in ["", "/", "?a=b", "/x?y#z"] {
        Client::http(&[&base, tail].concat()).connect().unwrap();
        assert_eq!(seen.recv().unwrap(), "POST");
    }
}

#[cfg(not(feature = "tls"))]
#[test]
fn https_needs_its_feature() {
    covers!("18.2-22");
    let error = Client::http("https://127.0.0.1:1/").connect().unwrap_err();
    assert_eq!(error, Error::Invalid("https needs the feature `tls`".to_owned()));
}
