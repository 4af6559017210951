//! The corridor over HTTP without a socket: a POST is judged, run, and what would be written is kept.

use std::sync::Mutex;

use plain_mcp::arrival::RequestHead;
use plain_mcp::http::{Cancelling, Exchange, Gate, HttpAnswer, Peer, RawRequest};
use plain_mcp::server::Server;
use plain_mcp::sink::Gone;
use serde_json::{Value, json};

use crate::wire_schema;

pub const VERSION: &str = "2026-07-28";

/// A good `_meta`.
pub fn meta() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": VERSION,
        "io.modelcontextprotocol/clientInfo": {"name": "probe", "version": "0"},
        "io.modelcontextprotocol/clientCapabilities": {},
    })
}

/// A request with a good `_meta`.
pub fn request(id: impl Into<Value>, method: &str, mut params: Value) -> Value {
    params["_meta"] = meta();
    json!({"jsonrpc": "2.0", "id": id.into(), "method": method, "params": params})
}

/// `tools/call`.
pub fn call(tool: &str, arguments: Value) -> Value {
    request(1, "tools/call", json!({"name": tool, "arguments": arguments}))
}

pub fn exchange(server: &Server) -> Exchange {
    Exchange::new(server, Gate::new()).unwrap()
}

/// A request on its way: good, until a test changes it.
#[derive(Clone, Debug)]
pub struct Post {
    pub head: RequestHead,
    pub body: Vec<u8>,
}

impl Post {
    /// A POST of a message, with all headers that it needs.
    pub fn of(message: &Value) -> Post {
        let mut post = Post::raw(message.to_string());
        if let Some(method) = message["method"].as_str() {
            post = post.add("Mcp-Method", method);
        }
        let params = &message["params"];
        if let Some(name) = params["name"].as_str().or(params["uri"].as_str()) {
            post = post.add("Mcp-Name", name);
        }
        post
    }

    /// A POST of any bytes, with the headers that do not depend on them.
    pub fn raw(body: impl Into<Vec<u8>>) -> Post {
        let head = RequestHead { method: "POST".into(), target: "/mcp".into(), fields: Vec::new() };
        Post { head, body: body.into() }
            .add("Host", "127.0.0.1:3001")
            .add("Content-Type", "application/json")
            .add("Accept", "application/json, text/event-stream")
            .add("MCP-Protocol-Version", VERSION)
    }

    pub fn method(mut self, method: &str) -> Post {
        self.head.method = method.into();
        self
    }

    pub fn target(mut self, target: &str) -> Post {
        self.head.target = target.into();
        self
    }

    /// Adds a field.
    pub fn add(mut self, name: &str, value: impl AsRef<[u8]>) -> Post {
        self.head.fields.push((name.to_owned(), value.as_ref().to_vec()));
        self
    }

    /// Takes a field out.
    pub fn without(mut self, name: &str) -> Post {
        let before = self.head.fields.len();
        self.head.fields.retain(|(field, _)| !field.eq_ignore_ascii_case(name));
        assert!(self.head.fields.len() < before, "there was no {name}");
        self
    }

    /// Puts a field in place of one.
    pub fn with(self, name: &str, value: impl AsRef<[u8]>) -> Post {
        self.without(name).add(name, value)
    }

    /// Sends it.
    pub fn to(&self, exchange: &Exchange) -> Seen {
        let peer = Recorder::default();
        match exchange.judge_head(&self.head) {
            Err(answer) => peer.answer(answer).unwrap(),
            Ok(passed) => {
                exchange.run(passed, RawRequest { head: &self.head, body: &self.body }, &peer, &Cancelling::new());
            }
        }
        let seen = peer.seen();
        seen.check(&self.body);
        seen
    }
}

/// What was written.
#[derive(Debug, Default)]
pub struct Seen {
    pub status: u16,
    pub fields: Vec<(&'static str, String)>,
    /// Each write of the body.
    pub writes: Vec<String>,
    pub streamed: bool,
    pub ended: bool,
}

impl Seen {
    /// Checks each message against the official schema.
    fn check(&self, request: &[u8]) {
        let request: Value = serde_json::from_slice(request).unwrap_or_default();
        let method = request["method"].as_str().unwrap_or_default();
        match self.streamed {
            true => self.events().iter().for_each(|event| wire_schema::message(method, event)),
            false if self.body().is_empty() => {}
            false => wire_schema::message(method, &self.json()),
        }
    }

    pub fn field(&self, name: &str) -> Option<&str> {
        let mut values = self.fields.iter().filter(|(field, _)| *field == name).map(|(_, value)| value.as_str());
        let value = values.next();
        assert_eq!(values.next(), None, "{name} twice");
        value
    }

    pub fn body(&self) -> String {
        self.writes.concat()
    }

    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body()).unwrap_or_else(|_| panic!("no JSON: {self:?}"))
    }

    /// The messages of a stream.
    pub fn events(&self) -> Vec<Value> {
        assert!(self.streamed, "{self:?}");
        let body = self.body();
        let events = body.split_terminator("\r\n\r\n").filter(|event| !event.starts_with(':'));
        events.map(|event| serde_json::from_str(event.strip_prefix("data: ").unwrap()).unwrap()).collect()
    }

    /// The code of the JSON-RPC error; 0 for a result.
    pub fn code(&self) -> i64 {
        self.json()["error"]["code"].as_i64().unwrap_or(0)
    }

    pub fn message(&self) -> String {
        self.json()["error"]["message"].as_str().unwrap_or_default().to_owned()
    }

    /// Asserts a refusal: status, code, text and id; `data` beside them must be absent.
    #[track_caller]
    pub fn refused(&self, status: u16, code: i64, text: &str, id: impl Into<Value>) {
        let error = json!({"jsonrpc": "2.0", "id": id.into(), "error": {"code": code, "message": text}});
        assert_eq!((self.status, self.json()), (status, error));
        assert_eq!(self.field("content-type"), Some("application/json"));
    }

    /// Asserts an answer without a body.
    #[track_caller]
    pub fn empty(&self, status: u16) {
        assert_eq!((self.status, self.body().as_str(), self.field("content-type")), (status, "", None));
    }
}

/// A peer that keeps what it is given.
#[derive(Default)]
pub struct Recorder(Mutex<Seen>);

impl Recorder {
    pub fn seen(&self) -> Seen {
        std::mem::take(&mut *self.0.lock().unwrap())
    }
}

impl Peer for Recorder {
    fn answer(&self, answer: HttpAnswer) -> Result<(), Gone> {
        let mut seen = self.0.lock().unwrap();
        assert_eq!(seen.status, 0, "a second answer");
        let writes = vec![String::from_utf8(answer.body).unwrap()];
        *seen = Seen { status: answer.status, fields: answer.fields, writes, streamed: false, ended: true };
        Ok(())
    }

    fn begin_stream(&self, status: u16, fields: &[(&'static str, String)], first: &[u8]) -> Result<(), Gone> {
        let mut seen = self.0.lock().unwrap();
        assert_eq!(seen.status, 0, "a second answer");
        let writes = vec![String::from_utf8(first.to_vec()).unwrap()];
        *seen = Seen { status, fields: fields.to_vec(), writes, streamed: true, ended: false };
        Ok(())
    }

    fn event(&self, bytes: &[u8]) -> Result<(), Gone> {
        let mut seen = self.0.lock().unwrap();
        assert!(seen.streamed && !seen.ended, "no stream");
        seen.writes.push(String::from_utf8(bytes.to_vec()).unwrap());
        Ok(())
    }

    fn end_stream(&self, last: &[u8]) -> Result<(), Gone> {
        let mut seen = self.0.lock().unwrap();
        assert!(seen.streamed && !seen.ended, "no stream");
        seen.writes.push(String::from_utf8(last.to_vec()).unwrap());
        seen.ended = true;
        Ok(())
    }
}
