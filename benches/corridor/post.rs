//! The bytes of an HTTP request in, those of its answer out: what the host does on its way, without sockets and threads.

use std::cell::RefCell;
use std::sync::{Mutex, PoisonError};

use plain_mcp::Server;
use plain_mcp::arrival::RequestHead;
use plain_mcp::http::wire::{self, Bounds, Frame, Framing, HeadEnd};
use plain_mcp::http::{Cancelling, Exchange, Gate, HttpAnswer, Peer, RawRequest};
use plain_mcp::sink::Gone;
use serde_json::Value;

/// A POST of a message, with the headers that it needs.
pub fn bytes(message: &Value) -> Vec<u8> {
    let body = message.to_string();
    let method = message["method"].as_str().unwrap();
    let name = message["params"]["name"].as_str().map(|name| format!("mcp-name: {name}\r\n")).unwrap_or_default();
    let head = format!(
        "POST /mcp HTTP/1.1\r\nhost: 127.0.0.1:3001\r\ncontent-type: application/json\r\n\
         accept: application/json, text/event-stream\r\nmcp-protocol-version: 2026-07-28\r\nmcp-method: {method}\r\n\
         {name}content-length: {}\r\n\r\n",
        body.len()
    );
    [head, body].concat().into_bytes()
}

/// One connection, whose head is read into the room of the last.
pub struct Host {
    exchange: Exchange,
    bounds: Bounds,
    head: RefCell<RequestHead>,
    date: String,
}

impl Host {
    pub fn new(server: &Server) -> Host {
        let limits = server.limits();
        let bounds = Bounds { head: limits.head, fields: limits.fields, body: limits.body };
        let exchange = Exchange::new(server, Gate::new()).unwrap();
        Host { exchange, bounds, head: RefCell::default(), date: wire::date(0) }
    }

    /// The answer to a request.
    pub fn answer(&self, bytes: &[u8]) -> Vec<u8> {
        let length = HeadEnd::default().find(bytes, &self.bounds).unwrap().unwrap();
        let head = &mut *self.head.borrow_mut();
        let frame = wire::read_head(&bytes[..length], &self.bounds, head).unwrap();
        let passed = self.exchange.judge_head(head).unwrap();
        let peer = Written { frame, date: &self.date, out: Mutex::default() };
        self.exchange.run(passed, RawRequest { head, body: &bytes[length..] }, &peer, &Cancelling::new());
        peer.out.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Keeps what would go to the socket.
struct Written<'a> {
    frame: Frame,
    date: &'a str,
    out: Mutex<Vec<u8>>,
}

impl Peer for Written<'_> {
    fn answer(&self, answer: HttpAnswer) -> Result<(), Gone> {
        let out = &mut *self.out.lock().unwrap();
        let framing = Framing::whole(answer.status, answer.body.len(), false);
        let connection = (self.frame.version, self.frame.keep_alive);
        wire::put_head(out, answer.status, &answer.fields, framing, connection, self.date.as_bytes());
        out.extend_from_slice(&answer.body);
        Ok(())
    }

    fn begin_stream(&self, _: u16, _: &[(&'static str, String)], _: &[u8]) -> Result<(), Gone> {
        Err(Gone) // nothing here streams
    }

    fn event(&self, _: &[u8]) -> Result<(), Gone> {
        Err(Gone)
    }

    fn end_stream(&self, _: &[u8]) -> Result<(), Gone> {
        Err(Gone)
    }
}
