//! §13.9 The adapter for tiny_http: the same answers as those of our own host, byte for byte below the head.

use std::net::SocketAddr;
use std::sync::Arc;
use std::thread;

use plain_mcp::http::Gate;
use plain_mcp::http::tiny::Tiny;
use plain_mcp::{NoArgs, Tool, text};
use serde_json::{Value, json};

use crate::kit::{self, request};
use crate::loopback::Client;

/// An application of tiny_http whose every request goes to us.
struct App {
    listening: Arc<tiny_http::Server>,
    thread: Option<thread::JoinHandle<()>>,
}

fn start() -> App {
    let server = kit::builder()
        .tool(Tool::new("quick", "Answers"), |_: NoArgs, _cx| Ok(text("quick")))
        .tool(Tool::new("telling", "Tells"), |_: NoArgs, cx| {
            cx.progress(1.0, None, "begun");
            Ok(text("told"))
        })
        .tool(Tool::new("panics", "Panics"), |_: NoArgs, _cx| -> plain_mcp::ToolResult { panic!("asked for") })
        .build()
        .unwrap();
    let gate = Gate::new().authenticate(|head| {
        assert!(head.one("x-angry").is_none(), "asked for");
        Ok(None)
    });
    let mcp = Tiny::new(&server, gate).unwrap();
    let listening = Arc::new(tiny_http::Server::http("127.0.0.1:0").unwrap());
    let incoming = Arc::clone(&listening);
    let thread = thread::spawn(move || {
        for request in incoming.incoming_requests() {
            mcp.answer(request);
        }
    });
    App { listening, thread: Some(thread) }
}

impl App {
    fn client(&self) -> Client {
        let address: SocketAddr = self.listening.server_addr().to_ip().unwrap();
        Client::connect(address)
    }
}

impl Drop for App {
    fn drop(&mut self) {
        self.listening.unblock();
        self.thread.take().unwrap().join().unwrap();
    }
}

fn call(tool: &str, more: &str) -> String {
    let meta = kit::meta_and(json!({"progressToken": "t"}));
    let body = request("tools/call", json!({"name": tool, "arguments": {}, "_meta": meta})).to_string();
    format!(
        "POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\naccept: application/json, \
         text/event-stream\r\nmcp-protocol-version: {}\r\nmcp-method: tools/call\r\nmcp-name: {tool}\r\n{more}content-length: \
         {}\r\n\r\n{body}",
        kit::REVISION,
        body.len()
    )
}

#[test]
fn it_serves() {
    covers!("13.9-17");
    let app = start();
    let mut client = app.client();
    for _ in 0..2 {
        let answer = client.send(call("quick", "")).answer();
        assert_eq!((answer.status, answer.field("content-type")), (200, Some("application/json")));
        let json: Value = serde_json::from_str(answer.text()).unwrap();
        assert_eq!(json["result"]["content"][0]["text"], "quick");
    }
    let head = client.send(call("telling", "")).head();
    assert_eq!((head.status, head.field("content-type")), (200, Some("text/event-stream")));
    assert!(client.chunk().starts_with(b"data: {"));
    assert!(client.chunk().ends_with(b"\r\n\r\n"));
    assert_eq!(client.chunk(), b"");
    let json: Value = serde_json::from_str(client.send(call("panics", "")).answer().text()).unwrap();
    assert_eq!(json["error"]["code"], -32603);
    let angry = client.send(call("quick", "x-angry: yes\r\n")).answer();
    let error = json!({"jsonrpc": "2.0", "id": null, "error": {"code": -32603, "message": "Internal error"}});
    assert_eq!((angry.status, serde_json::from_str::<Value>(angry.text()).unwrap()), (500, error));
    assert_eq!(client.send(call("quick", "")).answer().status, 200);
}

#[test]
fn it_admits_no_more_than_our_own_host() {
    covers!("13.9-17");
    let app = start();
    for (bytes, status, text) in [
        ("GET /mcp HTTP/1.1\r\nhost: localhost\r\n\r\n".to_owned(), 405, "Streamable HTTP accepts POST only"),
        ("POST /other HTTP/1.1\r\nhost: localhost\r\n\r\n".to_owned(), 404, "No MCP endpoint at this path"),
        (call("quick", "origin: http://evil.example\r\n"), 403, "Origin is not allowed"),
        (call("quick", "").replace("host: localhost", "host: evil.example"), 403, "Host is not allowed"),
        (call("quick", "").replace("HTTP/1.1", "HTTP/1.0"), 505, "HTTP version is not supported"),
        (
            call("quick", "").replace("mcp-name: quick", "mcp-name: other"),
            400,
            "mcp-name does not match the request body",
        ),
    ] {
        let answer = app.client().send(bytes).answer();
        let json: Value = serde_json::from_str(answer.text()).unwrap();
        assert_eq!((answer.status, json["error"]["message"].as_str()), (status, Some(text)));
    }
    // 5 MB are over the limit, and all of them are read; a petabyte is not waited for, and not made room for either.
    let head = "POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\naccept: */*\r\n";
    let mut client = app.client();
    client.send(format!("{head}content-length: 5000000\r\n\r\n")).send(vec![b' '; 5_000_000]);
    assert_eq!(client.answer().status, 413);
    app.client().send(format!("{head}content-length: 999999999999999\r\n\r\n"));
    assert_eq!(app.client().send(call("quick", "")).answer().status, 200, "the process is alive");
}
