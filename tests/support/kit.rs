//! What the tests of the sections share: messages, a transport in memory, and tables of refusals.
#![allow(dead_code)]

use std::time::Duration;

use crossbeam_channel::{Receiver, RecvTimeoutError};
use plain_mcp::arrival::{Principal, Via};
use plain_mcp::cancellation::{CancelToken, cancellation};
use plain_mcp::dialect::{Arrival, name_versions_in, select, versions};
use plain_mcp::envelope::{self, Message, Response};
use plain_mcp::sink::{Collect, Sink};
use plain_mcp::{Server, ServerBuilder};
use serde_json::{Value, json};

use crate::wire_schema;

pub const REVISION: &str = "2026-07-28";
pub const VERSION: &str = "io.modelcontextprotocol/protocolVersion";
pub const CAPS: &str = "io.modelcontextprotocol/clientCapabilities";
pub const CLIENT: &str = "io.modelcontextprotocol/clientInfo";
pub const LEVEL: &str = "io.modelcontextprotocol/logLevel";
pub const SERVER: &str = "io.modelcontextprotocol/serverInfo";
pub const SUBSCRIPTION: &str = "io.modelcontextprotocol/subscriptionId";

/// A server that says nothing of itself but its name.
pub fn builder() -> ServerBuilder {
    Server::builder("test", "1.0.0")
}

/// The least `_meta` that a request can have.
pub fn meta() -> Value {
    json!({VERSION: REVISION, CAPS: {}})
}

/// `_meta` with these members added.
pub fn meta_and(more: Value) -> Value {
    let mut meta = meta();
    merge(&mut meta, more);
    meta
}

/// Adds the members of one object to another, at the top level.
pub fn merge(into: &mut Value, more: Value) {
    let Value::Object(more) = more else { panic!("not an object: {more}") };
    into.as_object_mut().expect("an object").extend(more);
}

/// A request with id 1 whose params get a `_meta`, unless they bring their own.
pub fn request(method: &str, mut params: Value) -> Value {
    if params.get("_meta").is_none() {
        merge(&mut params, json!({"_meta": meta()}));
    }
    json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
}

/// What left the server.
#[derive(Debug)]
pub struct Sent {
    /// The answer; `None` for what is never answered.
    pub answer: Option<Value>,
    /// The notifications before it.
    pub notifications: Vec<Value>,
}

impl Sent {
    pub fn result(&self) -> &Value {
        &self.answer.as_ref().expect("an answer")["result"]
    }

    pub fn error(&self) -> &Value {
        &self.answer.as_ref().expect("an answer")["error"]
    }

    /// The error has this code, this text and this data.
    pub fn is_error(&self, code: i64, text: &str, data: Option<Value>) {
        let mut wanted = json!({"code": code, "message": text});
        if let Some(data) = data {
            merge(&mut wanted, json!({"data": data}));
        }
        assert_eq!(self.error(), &wanted, "{:?}", self.answer);
    }
}

/// Sends the bytes of one message to a server, as a transport without headers would. What comes back is checked against the
/// official schema.
pub fn bytes(server: &Server, bytes: &[u8]) -> Sent {
    let (_source, cancel) = cancellation();
    bytes_with(server, bytes, None, &cancel)
}

/// The same as a principal and with a token of the caller's.
pub fn bytes_with(server: &Server, bytes: &[u8], principal: Option<&Principal>, cancel: &CancelToken) -> Sent {
    let sink = Collect::default();
    let answer = answer(server, bytes, principal, &sink, cancel);
    let notifications: Vec<Value> =
        sink.take().iter().map(|note| serde_json::from_str(&note.to_json()).unwrap()).collect();
    let answer: Option<Value> = answer.map(|(method, response)| {
        let text = response.to_json();
        assert!(!text.contains('\n'), "a message is one line: {text}");
        let answer = serde_json::from_str(&text).unwrap();
        wire_schema::message(&method, &answer);
        answer
    });
    for note in &notifications {
        wire_schema::message("", note);
    }
    Sent { answer, notifications }
}

fn answer(
    server: &Server,
    bytes: &[u8],
    principal: Option<&Principal>,
    sink: &dyn Sink,
    cancel: &CancelToken,
) -> Option<(String, Response)> {
    match envelope::read(bytes, server.limits()) {
        Err(refused) if refused.notification => None,
        Err(refused) => {
            let refused = name_versions_in(refused, &versions(server.dialects()));
            Some((String::new(), Response { id: refused.id, answer: Err(refused.fault) }))
        }
        Ok(Message::Response | Message::Notification(_)) => None,
        Ok(Message::Request(request)) => {
            let method = request.method.clone();
            let dialect = select(None, &request.params, server.dialects()).expect("no header, no mismatch");
            let arrival = Arrival { dialect, principal, via: Via::Direct, ending: None };
            Some((method, server.serve(request, &arrival, sink, cancel)))
        }
    }
}

/// Sends one message.
pub fn send(server: &Server, message: &Value) -> Sent {
    bytes(server, message.to_string().as_bytes())
}

/// Sends a request with these params.
pub fn call(server: &Server, method: &str, params: Value) -> Sent {
    send(server, &request(method, params))
}

/// Calls a tool.
pub fn tool(server: &Server, name: &str, arguments: Value) -> Sent {
    call(server, "tools/call", json!({"name": name, "arguments": arguments}))
}

/// Waits that have an end, so that a test that fails does not hang.
pub trait Soon<T> {
    /// What comes; a panic if it does not come soon.
    fn soon(&self) -> T;

    /// Whether nothing more comes, and the channel is closed.
    fn is_over(&self) -> bool;
}

impl<T> Soon<T> for Receiver<T> {
    fn soon(&self) -> T {
        self.recv_timeout(SOON).expect("it comes soon")
    }

    fn is_over(&self) -> bool {
        matches!(self.recv_timeout(SOON), Err(RecvTimeoutError::Disconnected))
    }
}

/// The longest that a test waits for what must come.
pub const SOON: Duration = Duration::from_secs(20);

/// A row of a table of refusals: params, code, text, data.
pub type Row<'a> = (Value, i64, &'a str, Option<Value>);

/// Each row's params, sent to the method, get the row's error, with the id of the request.
pub fn refuses(server: &Server, method: &str, rows: &[Row<'_>]) {
    for (params, code, text, data) in rows {
        let sent = call(server, method, params.clone());
        println!("{params}");
        sent.is_error(*code, text, data.clone());
        assert_eq!(sent.answer.unwrap()["id"], 1);
    }
}
