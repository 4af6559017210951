//! A client of the fixture that is the same on both transports: it asks, and keeps all that it hears until the answer.

use std::net::SocketAddr;
use std::process::Stdio;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::kit::{CAPS, meta_and, request};
use crate::loopback::{Answer, Client};
use crate::process::Fixture;
use crate::wire_schema;

/// What came back for one message.
#[derive(Debug, Default)]
pub struct Heard {
    /// The answer's text as it was on the wire.
    pub text: String,
    /// The answer; null where there is none.
    pub answer: Value,
    /// The notifications before it.
    pub notes: Vec<Value>,
    /// The HTTP answer, its framing undone.
    pub http: Option<Answer>,
}

impl Heard {
    pub fn result(&self) -> &Value {
        assert!(self.answer.get("result").is_some(), "{self:?}");
        &self.answer["result"]
    }

    /// The code of the error; null for a result.
    pub fn code(&self) -> &Value {
        &self.answer["error"]["code"]
    }

    /// The first text of a tool's result that has not failed.
    pub fn said(&self) -> &str {
        assert_eq!(self.result()["isError"], false, "{self:?}");
        self.result()["content"][0]["text"].as_str().unwrap()
    }

    /// It is an error of this code for this id and, over HTTP, of this status.
    pub fn refused(&self, id: impl Into<Value>, code: i64, status: u16) {
        let id = id.into();
        assert_eq!((self.code(), &self.answer["id"]), (&json!(code), &id), "{self:?}");
        assert!(self.answer.as_object().unwrap().contains_key("id"), "D1: null, not absent");
        assert!(self.http.as_ref().is_none_or(|http| http.status == status), "{self:?}");
    }

    /// Over HTTP the status is this one.
    pub fn has_status(&self, status: u16) -> &Heard {
        assert!(self.http.as_ref().is_none_or(|http| http.status == status), "{self:?}");
        self
    }
}

/// The fixture and a client of it.
pub struct Peer {
    pub fixture: Fixture,
    /// The connection, over HTTP.
    web: Option<Client>,
}

/// Plays the same on both transports, each time with a fixture of its own.
pub fn on_both(play: impl Fn(&mut Peer)) {
    for mut peer in [Peer::stdio(), Peer::http()] {
        play(&mut peer);
        assert!(peer.end().is_empty(), "more was written than was asked for");
    }
}

impl Peer {
    pub fn stdio() -> Peer {
        Peer { fixture: Fixture::start(&["--profile", "cases", "--stdio"], &[], Stdio::piped()), web: None }
    }

    pub fn http() -> Peer {
        let fixture = Fixture::start(&["--profile", "cases", "--port", "0"], &[], Stdio::piped());
        let web = Some(Client::connect(fixture.address()));
        Peer { fixture, web }
    }

    pub fn is_http(&self) -> bool {
        self.web.is_some()
    }

    pub fn address(&self) -> SocketAddr {
        self.web.as_ref().expect("HTTP").stream.peer_addr().unwrap()
    }

    /// Another connection to the same fixture.
    pub fn another(&self) -> Client {
        Client::connect(self.address())
    }

    /// Sends a message and hears all up to its answer.
    pub fn ask(&mut self, message: &Value) -> Heard {
        self.raw(message["method"].as_str().unwrap(), name_of(message), message.to_string().as_bytes())
    }

    /// A request with id 1.
    pub fn call(&mut self, method: &str, params: Value) -> Heard {
        self.ask(&request(method, params))
    }

    /// A call of a tool by a client that can be asked.
    pub fn tool(&mut self, name: &str, arguments: Value) -> Heard {
        self.call("tools/call", tool_params(name, arguments))
    }

    /// Sends these bytes as one message; over HTTP with headers for this method and name.
    pub fn raw(&mut self, method: &str, name: Option<&str>, body: &[u8]) -> Heard {
        let heard = match &mut self.web {
            Some(web) => {
                web.send(head(method, name, body.len())).send(body);
                heard(web.answer())
            }
            None => {
                self.fixture.send(&[body, b"\n"].concat());
                self.next()
            }
        };
        judge(method, &heard);
        heard
    }

    /// On stdio: all lines up to the next answer.
    pub fn next(&mut self) -> Heard {
        let mut heard = Heard::default();
        while heard.answer.is_null() {
            heard.take(self.fixture.line());
        }
        heard
    }

    /// Ends the fixture, which must succeed: what else it wrote.
    pub fn end(self) -> Vec<String> {
        let (lines, status) = self.fixture.rest();
        assert!(status.success(), "{status}");
        lines
    }
}

impl Heard {
    fn take(&mut self, text: String) {
        let message: Value = serde_json::from_str(&text).unwrap();
        if message.get("method").is_some() {
            self.notes.push(message);
        } else {
            assert!(self.answer.is_null(), "two answers: {self:?}, {text}");
            (self.answer, self.text) = (message, text);
        }
    }
}

/// What an HTTP answer says, event by event or at once. The answer is the last event.
pub fn heard(answer: Answer) -> Heard {
    let mut heard = Heard::default();
    let text = answer.text().to_owned();
    if answer.field("content-type") == Some("text/event-stream") {
        for event in text.split_terminator("\r\n\r\n") {
            assert!(heard.answer.is_null(), "an event after the answer: {text}");
            heard.take(event.strip_prefix("data: ").expect("one line of data").to_owned());
        }
    } else if !text.is_empty() {
        assert_eq!(answer.field("content-type"), Some("application/json"));
        heard.take(text);
    }
    heard.http = Some(answer);
    heard
}

/// Each message fits the official schema.
fn judge(method: &str, heard: &Heard) {
    heard.notes.iter().for_each(|note| wire_schema::message("", note));
    if !heard.answer.is_null() {
        wire_schema::message(method, &heard.answer);
    }
}

/// The params of a call by a client that can be asked.
pub fn tool_params(name: &str, arguments: Value) -> Value {
    json!({"name": name, "arguments": arguments, "_meta": meta_and(json!({CAPS: {"elicitation": {}}}))})
}

pub fn tool_call(id: impl Into<Value>, name: &str, arguments: Value) -> Value {
    let mut message = request("tools/call", tool_params(name, arguments));
    message["id"] = id.into();
    message
}

/// What Mcp-Name repeats.
fn name_of(message: &Value) -> Option<&str> {
    let params = &message["params"];
    match message["method"].as_str()? {
        "tools/call" | "prompts/get" => params["name"].as_str(),
        "resources/read" => params["uri"].as_str(),
        _ => None,
    }
}

/// The head of a POST as a client of this revision writes it.
pub fn head(method: &str, name: Option<&str>, length: usize) -> String {
    let name = name.map(|name| match name.bytes().all(|byte| byte.is_ascii_graphic()) {
        true => format!("Mcp-Name: {name}\r\n"),
        false => format!("Mcp-Name: =?base64?{}?=\r\n", STANDARD.encode(name)),
    });
    let mirrored = format!("MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: {method}\r\n{}", name.unwrap_or_default());
    head_with(&mirrored, length)
}

/// The head of a POST with these lines beside those that every POST has.
pub fn head_with(lines: &str, length: usize) -> String {
    format!(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\n{lines}Content-Length: {length}\r\n\r\n"
    )
}

/// The same, whole: the head that fits a message, and the message.
pub fn post(message: &Value) -> String {
    let body = message.to_string();
    head(message["method"].as_str().unwrap(), name_of(message), body.len()) + &body
}
