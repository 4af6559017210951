//! §13 The client over TLS. The certificates were made for these tests: an authority, and `localhost` signed by it; the authority's key is gone.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::as_conversions)]
#![allow(missing_docs, unreachable_pub)]

#[macro_use]
#[path = "../support/ids.rs"]
mod ids;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use plain_mcp::client::{Cancel, Client, ClientLimits, Error};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use serde_json::{Value, json};

const AUTHORITY: &[u8] = include_bytes!("authority.der");
const SERVER: &[u8] = include_bytes!("server.der");
const KEY: &[u8] = include_bytes!("server.key.der");

/// A server over TLS that answers each request with its text, chunked; its port.
fn server() -> u16 {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let key = PrivateKeyDer::try_from(KEY).unwrap();
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![CertificateDer::from(SERVER)], key)
        .unwrap();
    let config = Arc::new(config);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for socket in listener.incoming() {
            let connection = ServerConnection::new(Arc::clone(&config)).unwrap();
            let stream = StreamOwned::new(connection, socket.unwrap());
            thread::spawn(move || serve(BufReader::new(stream)));
        }
    });
    port
}

fn serve(mut stream: BufReader<StreamOwned<ServerConnection, std::net::TcpStream>>) -> Option<()> {
    loop {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            if stream.read_line(&mut head).ok()? == 0 {
                return None;
            }
        }
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: "))?.parse().ok()?;
        let mut body = vec![0; length];
        stream.read_exact(&mut body).ok()?;
        let asked: Value = serde_json::from_slice(&body).ok()?;
        let result = match asked["method"].as_str()? {
            "server/discover" => json!({"supportedVersions": ["2026-07-28"], "capabilities": {}}),
            "wait" => continue, // without an answer
            _ => json!({"text": asked["params"]["text"]}),
        };
        let text = json!({"jsonrpc": "2.0", "id": asked["id"], "result": result}).to_string();
        let reply =
            format!("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n{:x}\r\n{text}\r\n0\r\n\r\n", text.len());
        stream.get_mut().write_all(reply.as_bytes()).ok()?;
    }
}

#[test]
fn calls_go_over_tls() {
    covers!("18.2-23");
    let port = server();
    let client = Client::http(&format!("https://localhost:{port}/mcp")).root_certificate(AUTHORITY).connect().unwrap();
    for text in ["a".to_owned(), "b".repeat(3_000_000)] {
        assert_eq!(client.request("echo", json!({"text": text})).call().unwrap()["text"], text.as_str());
    }
    let limit = Duration::from_millis(100);
    let error = client.request("wait", json!({})).timeout(limit).call().unwrap_err();
    assert_eq!(error, Error::Timeout { waiting_for: "answer", limit });
    let cancel = Cancel::new();
    thread::scope(|scope| {
        let call = scope.spawn(|| client.request("wait", json!({})).cancel(&cancel).call());
        cancel.cancel();
        assert_eq!(call.join().unwrap(), Err(Error::Cancelled));
    });
}

#[test]
fn who_cannot_prove_who_he_is_gets_no_request() {
    covers!("18.2-24");
    let port = server();
    let refused = |url: String, trusted: bool| {
        let builder = Client::http(&url);
        let builder = if trusted { builder.root_certificate(AUTHORITY) } else { builder };
        match builder.connect() {
            Err(Error::Transport { cause, .. }) => assert!(cause.contains("certificate"), "{cause}"),
            other => panic!("{other:?}"),
        }
    };
    refused(format!("https://localhost:{port}/"), false);
    refused(format!("https://127.0.0.1:{port}/"), true); // a name that the certificate does not have
    assert!(matches!(Client::http("https://localhost/").root_certificate(*b"no").connect(), Err(Error::Invalid(_))));
}

#[test]
fn a_server_that_does_not_speak_tls() {
    covers!("18.2-24");
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let plain = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").unwrap();
        let _ = stream.read(&mut [0; 4096]);
    });
    let error = Client::http(&format!("https://localhost:{port}/")).connect().unwrap_err();
    assert!(matches!(error, Error::Transport { .. }), "{error:?}");
    plain.join().unwrap();
    // one that says nothing
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let limits = ClientLimits {
        probe_timeout: Duration::from_millis(100),
        timeout: Duration::from_millis(100),
        ..ClientLimits::default()
    };
    let error = Client::http(&format!("https://localhost:{port}/")).limits(limits).connect().unwrap_err();
    assert!(matches!(error, Error::Timeout { .. }), "{error:?}");
}
