//! §13.9 Peers that speak something else, or HTTP in a way that two readers would read differently.

use serde_json::json;

use super::victim::{Victim, echoed, is_served};
use super::{call, is_refused, json_of, refusal};

const MALFORMED: (u16, &str) = (400, "Malformed HTTP request");
const VERSION: (u16, &str) = (505, "HTTP version is not supported");

/// One victim bears them all.
#[test]
fn disguises() {
    covers!("13.9-1", "13.9-2", "13.9-6", "13.9-10");
    let victim = Victim::start("disguises", "");
    other_protocols(&victim);
    upgrades(&victim);
    two_framings(&victim);
    expectations(&victim);
    victim.survives();
}

fn other_protocols(victim: &Victim) {
    let hello = b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03".as_slice();
    let ancient_hello = b"\x80\x2e\x01\x00\x02\x00\x15".as_slice();
    for (bytes, (status, text)) in [
        (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00".as_slice(), VERSION),
        (b"POST /mcp HTTP/2.0\r\nhost: localhost\r\n\r\n", VERSION),
        (b"POST /mcp HTTP/3.0\r\nhost: localhost\r\n\r\n", VERSION),
        (b"POST /mcp HTTP/0.9\r\nhost: localhost\r\n\r\n", VERSION),
        (b"GET /mcp\r\n\r\n", MALFORMED),
        (hello, MALFORMED),
        (ancient_hello, MALFORMED),
        (b"SSH-2.0-OpenSSH_9.9\r\n", MALFORMED),
        (b"EHLO localhost\r\n\r\n", MALFORMED),
        (b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"server/discover\"}\n", MALFORMED),
        (b"Content-Length: 2\r\n\r\n{}", MALFORMED),
        (b"\0\0\0\0", MALFORMED),
        (b"*1\r\n$4\r\nPING\r\n", MALFORMED),
    ] {
        println!("{:?}", String::from_utf8_lossy(bytes));
        let mut client = victim.client();
        client.send(bytes);
        // a line that could still become a head is refused when it ends
        client.try_send("\r\n\r\n");
        is_refused(&mut client, status, text);
    }
}

/// A request to change the protocol is not heeded: the answer is that of HTTP/1.1, and the connection goes on.
fn upgrades(victim: &Victim) {
    let mut client = victim.client();
    for fields in [
        "upgrade: h2c\r\nconnection: upgrade, http2-settings\r\nhttp2-settings: AAMAAABkAARAAAAAAAIAAAAA\r\n",
        "upgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n",
        "upgrade: TLS/1.2\r\nconnection: Upgrade\r\n",
    ] {
        let request = call("echo", json!({"text": "plain"})).replacen("\r\n", &format!("\r\n{fields}"), 1);
        let answer = client.send(request).answer();
        assert_eq!((answer.status, json_of(&answer), answer.field("upgrade")), (200, echoed("plain"), None));
    }
    let websocket = "GET /mcp HTTP/1.1\r\nhost: localhost\r\nupgrade: websocket\r\nconnection: upgrade\r\n\
        sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\nsec-websocket-version: 13\r\n\r\n";
    let answer = client.send(websocket).answer();
    assert_eq!((answer.status, answer.field("allow")), (405, Some("POST")));
    assert_eq!(json_of(&answer), refusal(-32600, "Streamable HTTP accepts POST only"));
    let answer = client.send("CONNECT example.com:443 HTTP/1.1\r\nhost: example.com\r\n\r\n").answer();
    assert_eq!((answer.status, json_of(&answer)), (404, refusal(-32600, "No MCP endpoint at this path")));
    is_served(&mut client);
}

/// One reader sees one request here, another two: that is refused, and what may be the second is never looked at.
fn two_framings(victim: &Victim) {
    let hidden = call("echo", json!({"text": "smuggled"}));
    let long = format!("content-length: {}", hidden.len() + 5);
    for (fields, (status, text)) in [
        (format!("{long}\r\ntransfer-encoding: chunked"), MALFORMED),
        (format!("transfer-encoding: chunked\r\n{long}"), MALFORMED),
        (format!("{long}\r\nTransfer-Encoding : chunked"), MALFORMED),
        (format!("{long}\r\n transfer-encoding: chunked"), MALFORMED),
        (format!("{long}\r\ntransfer-encoding: identity"), MALFORMED),
        (format!("{long}\r\ncontent-length: 5"), MALFORMED),
        (format!("{long}\r\n{long}"), MALFORMED),
        (format!("{long}, {}", hidden.len()), MALFORMED),
        ("content-length: 0x5".to_owned(), MALFORMED),
        ("content-length: 5 5".to_owned(), MALFORMED),
        ("transfer-encoding: chunked, chunked".to_owned(), MALFORMED),
        ("transfer-encoding: chunked\r\ntransfer-encoding: chunked".to_owned(), MALFORMED),
        ("transfer-encoding: chunked, identity".to_owned(), MALFORMED),
        ("transfer-encoding:\u{b}chunked".to_owned(), MALFORMED),
        ("transfer-encoding: xchunked".to_owned(), (501, "Transfer coding is not supported")),
        ("x: y\ncontent-length: 5".to_owned(), MALFORMED),
        ("x: y\rcontent-length: 5".to_owned(), MALFORMED),
    ] {
        println!("{fields:?}");
        let mut client = victim.client();
        client.send(format!("POST /mcp HTTP/1.1\r\nhost: localhost\r\n{fields}\r\n\r\n0\r\n\r\n{hidden}"));
        is_refused(&mut client, status, text);
    }
    let mut client = victim.client();
    client.send(format!("POST /mcp HTTP/1.0\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n{hidden}"));
    is_refused(&mut client, MALFORMED.0, MALFORMED.1);
}

/// Who asks before it sends is told, and only then; an expectation that is none of HTTP's is not heeded.
fn expectations(victim: &Victim) {
    let with = |expectation: &str| {
        let request = call("echo", json!({"text": "expected"}));
        let request = request.replacen("\r\n", &format!("\r\nexpect: {expectation}\r\n"), 1);
        let (head, body) = request.split_once("\r\n\r\n").unwrap();
        (format!("{head}\r\n\r\n"), body.to_owned())
    };
    for expectation in ["100-continue", "100-Continue"] {
        let (head, body) = with(expectation);
        let mut client = victim.client();
        assert_eq!(client.send(head).answer().status, 100);
        let answer = client.send(body).answer();
        assert_eq!((answer.status, json_of(&answer)), (200, echoed("expected")));
        is_served(&mut client);
    }
    for expectation in ["200-ok", "", "100-continue, 100-continue", "x".repeat(1000).as_str()] {
        let (head, body) = with(expectation);
        let mut client = victim.client();
        let answer = client.send(head).send(body).answer();
        assert_eq!((answer.status, json_of(&answer)), (200, echoed("expected")), "{expectation:?}");
        is_served(&mut client);
    }
    // one that asks, is refused, and sends all the same: what it sends is not taken for a request
    let (head, _) = with("100-continue");
    let mut client = victim.client();
    let answer = client.send(head.replace("/mcp", "/nowhere")).answer();
    assert_eq!((answer.status, answer.field("connection")), (404, Some("close")));
    client.try_send(call("echo", json!({"text": "smuggled"})));
    assert!(client.is_over());
    drop(client);
    // 50 that ask and then say nothing
    let clients: Vec<_> = (0..50)
        .map(|_| {
            let mut client = victim.client();
            assert_eq!(client.send(with("100-continue").0).answer().status, 100);
            client
        })
        .collect();
    victim.unharmed();
    drop(clients);
}
