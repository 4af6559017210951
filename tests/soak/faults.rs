//! What goes wrong over HTTP: requests that are none, and clients that go away in the middle.

use serde_json::{Value, json};

use crate::ask::Ask;
use crate::http::{Caller, head, plain_head, request};
use crate::loopback::{Client, PATIENCE};
use crate::methods;
use crate::tools;

/// A request that the host or the admission refuses.
struct Bad {
    bytes: Vec<u8>,
    status: u16,
    code: i64,
    text: &'static str,
    id: Value,
    /// Whether the connection is over.
    closes: bool,
}

impl Caller<'_> {
    /// Sends one of them.
    pub fn spoil(&mut self) {
        let number = self.random.below(17);
        let bad = self.bad(number);
        if bad.closes {
            self.leave();
        }
        self.client().try_send(&bad.bytes);
        let answer = self.client().answer();
        let error = json!({"code": bad.code, "message": bad.text});
        let wanted = json!({"jsonrpc": "2.0", "id": bad.id, "error": error});
        let seen: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
        assert_eq!((answer.status, seen), (bad.status, wanted), "bad request {number}");
        assert_eq!(answer.field("connection"), bad.closes.then_some("close"), "bad request {number}");
        if bad.closes {
            assert!(self.client().is_closed(), "bad request {number}");
            self.leave();
        }
        self.counts.add("http", "bad request");
    }

    fn bad(&mut self, number: usize) -> Bad {
        let id = self.id();
        let ask = Ask::tool("", "echo", json!({"text": "x"}));
        let good = String::from_utf8(request(&ask, &id, "")).unwrap();
        let with = |from: &str, to: &str| {
            assert!(good.contains(from), "{good}");
            good.replacen(from, to, 1)
        };
        let host = |bytes: String, status, text| (bytes, status, -32600, text, Value::Null, true);
        let door = |bytes, status, text| (bytes, status, -32600, text, Value::Null, false);
        let mirror = |bytes, text| (bytes, 400, -32020, text, id.clone(), false);
        let (bytes, status, code, text, id, closes) = match number {
            0 => mirror(with("mcp-method: tools/call\r\n", ""), "Missing or repeated required header: mcp-method"),
            1 => mirror(
                with("mcp-method: tools/call", "mcp-method: tools/list"),
                "mcp-method does not match the request body",
            ),
            2 => mirror(with("mcp-name: echo", "mcp-name: add"), "mcp-name does not match the request body"),
            3 => mirror(
                with("mcp-protocol-version: 2026-07-28\r\n", ""),
                "Missing or repeated required header: mcp-protocol-version",
            ),
            4 => mirror(with("mcp-name: echo", "mcp-name: =?base64?*?="), "mcp-name is malformed"),
            5 => (with(r#""jsonrpc":"#, r#""jsonrpc";"#), 400, -32700, "Parse error", Value::Null, false),
            6 => door(with("application/json\r\n", "text/plain\r\n"), 415, "Expected application/json"),
            7 => door(with(", text/event-stream", ""), 406, "Accept must list application/json and text/event-stream"),
            8 => door(with("host: 127.0.0.1", "host: example.com"), 403, "Host is not allowed"),
            9 => door(with("\r\n", "\r\norigin: http://example.com\r\n"), 403, "Origin is not allowed"),
            10 => door(with("/mcp", "/other"), 404, "No MCP endpoint at this path"),
            11 => door(with("POST", "PUT"), 405, "Streamable HTTP accepts POST only"),
            12 => host(plain_head("content-length: 5000000\r\n"), 413, "Request body is too large"),
            13 => host(format!("POST /mcp HTTP/1.1\r\nx: {}", "x".repeat(40_000)), 431, "Request head is too large"),
            14 => host(plain_head("transfer-encoding: gzip, chunked\r\n"), 501, "Transfer coding is not supported"),
            15 => host(with("HTTP/1.1", "HTTP/2.0"), 505, "HTTP version is not supported"),
            _ => host("\u{16}\u{3}\u{1}".to_owned(), 400, "Malformed HTTP request"),
        };
        Bad { bytes: bytes.into_bytes(), status, code, text, id, closes }
    }

    /// Goes away without a word, at one moment or another.
    pub fn disconnect(&mut self) {
        let mut client = Client::connect(self.scene.address);
        let number = self.random.below(8);
        let (kind, ask) = match number {
            0 => ("gone at once", None),
            1 => ("gone in the head", Some(tools::echo(&mut self.random))),
            2 | 3 => ("gone in the body", Some(tools::large(&mut self.random))),
            4 => ("gone before the answer", Some(methods::pick(&mut self.random))),
            5 => ("gone in a large answer", Some(tools::large(&mut self.random))),
            6 => ("gone in a stream", Some(Ask::tool("", "steps", json!({})).meta("progressToken", 1))),
            _ => return self.hang_up(client),
        };
        if let Some(ask) = ask {
            let bytes = request(&ask, &json!(1), "");
            let head = head(&ask, "").len();
            let end = match number {
                1 => self.random.below(head),
                2 | 3 => head + self.random.below(bytes.len() - head),
                _ => bytes.len(),
            };
            client.send(&bytes[..end]);
            match number {
                // who closes one half only can still read what the host makes of it
                3 => {
                    let answer = client.half_close().answer();
                    assert_eq!(answer.status, 400, "{answer:?}");
                    let error = json!({"code": -32600, "message": "Malformed HTTP request"});
                    let wanted = json!({"jsonrpc": "2.0", "id": null, "error": error});
                    assert_eq!(serde_json::from_slice::<Value>(&answer.body).unwrap(), wanted);
                    assert!(client.is_closed());
                }
                5 => drop(client.take(100)),
                6 => assert_eq!(client.head().status, 200),
                _ => {}
            }
        }
        self.counts.add("http", kind);
        self.part(client);
    }

    /// Goes away while a tool runs that would run for long. It is told, and says so in its log.
    fn hang_up(&mut self, mut client: Client) {
        let id = format!("long-{}", self.random.next());
        client.send(request(&tools::long(), &json!(id), ""));
        if self.random.below(3) == 0 {
            client.reset(); // it may destroy the request before it is read
        } else {
            drop(client);
            let asked = std::time::Instant::now();
            while !self.slow_log().contains(&id) {
                assert!(asked.elapsed() < PATIENCE, "the tool was not told that the client is gone");
            }
        }
        self.counts.add("http", "gone while it ran");
    }

    /// The requests that were cancelled lately.
    fn slow_log(&mut self) -> String {
        let ask = Ask::tool("", "slow_log", json!({}));
        self.client().send(request(&ask, &json!(1), ""));
        let answer: Value = serde_json::from_slice(&self.client().answer().body).unwrap();
        answer["result"]["content"][0]["text"].as_str().unwrap().to_owned()
    }
}
