//! §13 A whole server behind a whole host: what only the two together can show.

use std::sync::Mutex;
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender, unbounded};
use plain_mcp::http::{Handle, Host};
use plain_mcp::limits::Limits;
use plain_mcp::{Context, NoArgs, Server, Tool, ToolResult, text};
use serde_json::{Value, json};

use crate::kit::{self, request};
use crate::loopback::{Client, PATIENCE};

/// A running server whose tools say where they are and go on when they are told to.
struct Served {
    handle: Handle,
    server: Server,
    reports: Receiver<&'static str>,
    words: Sender<()>,
}

fn serve(limits: Limits) -> Served {
    let (reports, reported) = unbounded();
    let (words, heard) = unbounded::<()>();
    let server = kit::builder()
        .limits(limits)
        .list_changed()
        .tool(Tool::new("quick", "Answers"), |_: NoArgs, _cx| Ok(text("quick")))
        .tool(Tool::new("announcing", "Says 100,000 times that the tools have changed"), |_: NoArgs, cx| {
            (0..100_000).for_each(|_| cx.tools_changed());
            Ok(text("announced"))
        })
        .tool(Tool::new("silent", "Waits"), wait(reports.clone(), heard.clone(), false))
        .tool(Tool::new("telling", "Tells, then waits"), wait(reports, heard, true))
        .build()
        .unwrap();
    let handle = Host::local(&server, 0).unwrap().start().unwrap();
    Served { handle, server, reports: reported, words }
}

fn wait(
    reports: Sender<&'static str>,
    words: Receiver<()>,
    tells: bool,
) -> impl Fn(NoArgs, &Context<'_>) -> ToolResult + Send + Sync {
    move |_, cx| {
        if tells {
            cx.progress(1.0, None, "begun");
        }
        let _ = reports.send("entered");
        crossbeam_channel::select! {
            recv(cx.cancel_token().channel()) -> _ => { let _ = reports.send("cancelled"); }
            recv(words) -> _ => { let _ = reports.send("went on"); }
            default(PATIENCE) => {}
        }
        cx.check()?;
        Ok(text("went on"))
    }
}

/// A POST as a client of this revision sends it.
pub fn post(message: &Value, more: &str) -> String {
    let body = message.to_string();
    let name = message["params"]["name"].as_str().map(|name| format!("mcp-name: {name}\r\n")).unwrap_or_default();
    format!(
        "POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\naccept: application/json, \
         text/event-stream\r\nmcp-protocol-version: {}\r\nmcp-method: {}\r\n{name}{more}content-length: {}\r\n\r\n{body}",
        kit::REVISION,
        message["method"].as_str().unwrap(),
        body.len()
    )
}

fn call(tool: &str) -> String {
    let meta = kit::meta_and(json!({"progressToken": "t"}));
    post(&request("tools/call", json!({"name": tool, "arguments": {}, "_meta": meta})), "")
}

/// The JSON of an event.
fn data(chunk: &[u8]) -> Value {
    let text = std::str::from_utf8(chunk).unwrap();
    serde_json::from_str(text.strip_prefix("data: ").unwrap().trim_end()).unwrap()
}

impl Served {
    fn client(&self) -> Client {
        Client::connect(self.handle.local_addr())
    }

    fn report(&self) -> &'static str {
        self.reports.recv_timeout(PATIENCE).unwrap()
    }
}

#[test]
fn an_address_is_local_where_none_is_named() {
    covers!("13.1-5");
    let served = serve(Limits::default());
    assert!(served.handle.local_addr().ip().is_loopback());
    let host = Host::local(&served.server, 0).unwrap().path("/other");
    assert_eq!(host.url(), format!("http://127.0.0.1:{}/other", host.local_addr().port()));
    served.handle.shutdown().unwrap();
}

#[test]
fn a_wrong_configuration_is_an_error_with_all_that_is_wrong() {
    let served = serve(Limits::default());
    let host = Host::local(&served.server, 0).unwrap().path("mcp").allow_origins(["nonsense"]);
    let error = host.start().unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::InvalidInput);
    assert_eq!(error.to_string(), "not a path: \"mcp\"; not an origin: \"nonsense\"");
    served.handle.shutdown().unwrap();
}

#[test]
fn json_where_nothing_else_is_said() {
    covers!("13.3-1", "13.9-9");
    let served = serve(Limits::default());
    let mut client = served.client();
    for _ in 0..3 {
        let answer = client.send(call("quick")).answer();
        assert_eq!((answer.status, answer.field("content-type")), (200, Some("application/json")));
        let json: Value = serde_json::from_str(answer.text()).unwrap();
        assert_eq!((&json["id"], &json["result"]["content"][0]["text"]), (&json!(1), &json!("quick")));
    }
    served.handle.shutdown().unwrap();
}

#[test]
fn events_arrive_while_the_handler_runs() {
    covers!("13.3-2");
    let served = serve(Limits::default());
    let mut client = served.client();
    let head = client.send(call("telling")).head();
    assert_eq!((head.status, head.field("content-type")), (200, Some("text/event-stream")));
    assert_eq!(data(&client.chunk())["method"], "notifications/progress");
    assert_eq!(served.report(), "entered");
    served.words.send(()).unwrap();
    assert_eq!(data(&client.chunk())["result"]["content"][0]["text"], "went on");
    assert_eq!(client.chunk(), b"");
    assert_eq!(client.send(call("quick")).answer().status, 200, "the connection is kept");
    served.handle.shutdown().unwrap();
}

#[test]
fn a_client_that_leaves_cancels() {
    covers!("9-6", "9-9");
    let served = serve(Limits::default());
    for tool in ["silent", "telling"] {
        let mut client = served.client();
        client.send(call(tool));
        assert_eq!(served.report(), "entered");
        drop(client);
        assert_eq!(served.report(), "cancelled");
    }
    served.handle.shutdown().unwrap();
}

#[test]
fn the_host_refuses_with_the_texts_of_the_table() {
    covers!("13.9-1", "13.9-2", "13.9-3", "13.9-4", "13.9-5", "13.9-6", "1-11");
    let soon = Duration::from_millis(50);
    let limits = Limits { head: 2048, body: 100, head_deadline: soon, ..Limits::default() };
    let served = serve(limits);
    let head = "POST /mcp HTTP/1.1\r\nhost: localhost\r\n";
    for (bytes, status, text) in [
        (format!("{head}content-length: -1\r\n\r\n"), 400, "Malformed HTTP request"),
        (format!("{head}transfer-encoding: gzip\r\n\r\n"), 501, "Transfer coding is not supported"),
        (format!("{head}x: {}", "y".repeat(2048)), 431, "Request head is too large"),
        (format!("{head}content-length: 101\r\n\r\n"), 413, "Request body is too large"),
        (head.to_owned(), 408, "Request did not arrive in time"),
        ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_owned(), 505, "HTTP version is not supported"),
    ] {
        let mut client = served.client();
        let answer = client.send(bytes).answer();
        assert_eq!((answer.status, answer.field("content-type")), (status, Some("application/json")));
        let error = json!({"jsonrpc": "2.0", "id": null, "error": {"code": -32600, "message": text}});
        assert_eq!(serde_json::from_str::<Value>(answer.text()).unwrap(), error);
        assert!(client.is_closed());
    }
    served.handle.shutdown().unwrap();
}

#[test]
fn too_many_connections() {
    covers!("13.9-7");
    let served = serve(Limits { connections: 1, ..Limits::default() });
    let mut first = served.client();
    assert_eq!(first.send(call("quick")).answer().status, 200);
    let answer = served.client().answer();
    let error = json!({"jsonrpc": "2.0", "id": null, "error": {"code": -32600, "message": "Too many connections"}});
    assert_eq!((answer.status, serde_json::from_str::<Value>(answer.text()).unwrap()), (503, error));
    assert_eq!(first.send(call("quick")).answer().status, 200);
    served.handle.shutdown().unwrap();
}

#[test]
fn bytes_beyond_ascii_in_a_mirrored_header() {
    let served = serve(Limits::default());
    let mut client = served.client();
    let message = request("tools/call", json!({"name": "quick", "arguments": {}}));
    let wild = post(&message, "").replace("mcp-name: quick", "mcp-name: qu\u{ef}ck");
    let answer = client.send(wild).answer();
    let json: Value = serde_json::from_str(answer.text()).unwrap();
    assert_eq!((answer.status, &json["error"]["code"], &json["id"]), (400, &json!(-32020), &json!(1)));
    assert_eq!(client.send(call("quick")).answer().status, 200, "that is no matter of framing: the connection is kept");
    served.handle.shutdown().unwrap();
}

#[test]
fn a_listen_stream_ends_with_its_result_at_shutdown() {
    covers!("13.9-14");
    let served = serve(Limits::default());
    let mut client = served.client();
    let listen = request("subscriptions/listen", json!({"notifications": {"toolsListChanged": true}}));
    assert_eq!(client.send(post(&listen, "")).head().status, 200);
    assert_eq!(data(&client.chunk())["method"], "notifications/subscriptions/acknowledged");
    served.handle.shutdown_signal().shut_down();
    assert_eq!(data(&client.chunk())["result"]["resultType"], "complete");
    assert_eq!(client.chunk(), b"");
    assert!(client.is_closed());
    served.handle.shutdown().unwrap();
}

/// What the application brings may panic; what is below the host may, too.
#[test]
fn an_authenticator_that_panics() {
    let served = serve(Limits::default());
    let angry = Mutex::new(true);
    let host = Host::local(&served.server, 0).unwrap().authenticate(move |_| {
        assert!(!std::mem::take(&mut *angry.lock().unwrap()), "asked for");
        Ok(None)
    });
    let handle = host.start().unwrap();
    let mut client = Client::connect(handle.local_addr());
    let answer = client.send(call("quick")).answer();
    let error = json!({"jsonrpc": "2.0", "id": null, "error": {"code": -32603, "message": "Internal error"}});
    assert_eq!((answer.status, serde_json::from_str::<Value>(answer.text()).unwrap()), (500, error));
    assert_eq!(client.send(call("quick")).answer().status, 200, "neither the connection nor its thread has died");
    handle.shutdown().unwrap();
    served.handle.shutdown().unwrap();
}

#[test]
fn requests_at_once_do_not_wait_for_each_other() {
    covers!("13.8-1");
    let served = serve(Limits::default());
    let mut clients: Vec<Client> = (0..3).map(|_| served.client()).collect();
    for client in &mut clients {
        client.send(call("silent"));
    }
    // all three handlers are inside before any of them may go on
    for _ in 0..3 {
        assert_eq!(served.report(), "entered");
    }
    for _ in 0..3 {
        served.words.send(()).unwrap();
    }
    for client in &mut clients {
        let answer = client.answer();
        let json: Value = serde_json::from_str(answer.text()).unwrap();
        assert_eq!((answer.status, &json["result"]["content"][0]["text"]), (200, &json!("went on")));
    }
    served.handle.shutdown().unwrap();
}

#[test]
fn a_client_that_closes_after_its_answer_cancels_nothing() {
    covers!("C-7");
    let served = serve(Limits::default());
    let mut other = served.client();
    other.send(call("silent"));
    assert_eq!(served.report(), "entered");
    for _ in 0..20 {
        let mut client = served.client();
        assert_eq!(client.send(call("quick")).answer().status, 200);
        drop(client);
    }
    served.words.send(()).unwrap();
    assert_eq!(served.report(), "went on", "the request that was running all the while was not cancelled");
    assert_eq!(other.answer().status, 200);
    served.handle.shutdown().unwrap();
}

#[test]
fn too_many_streams() {
    covers!("11-4");
    let served = serve(Limits { streams: 2, ..Limits::default() });
    let listen = post(&request("subscriptions/listen", json!({"notifications": {"toolsListChanged": true}})), "");
    let mut streams: Vec<Client> = (0..2).map(|_| served.client()).collect();
    for stream in &mut streams {
        assert_eq!(stream.send(&listen).head().status, 200);
        assert_eq!(data(&stream.chunk())["method"], "notifications/subscriptions/acknowledged");
    }
    let mut client = served.client();
    let answer = client.send(&listen).answer();
    let error = json!({"code": -32600, "message": "Too many open listen streams"});
    let refused = json!({"jsonrpc": "2.0", "id": 1, "error": error});
    assert_eq!((answer.status, serde_json::from_str::<Value>(answer.text()).unwrap()), (503, refused));
    assert_eq!(answer.field("content-type"), Some("application/json"));
    assert_eq!(client.send(call("quick")).answer().status, 200, "other requests are served");
    served.handle.shutdown().unwrap();
}

/// More is told than the sockets between us can hold: what goes out from the publisher's thread and what the stream's own thread sends come
/// whole, one behind the other, and in the end there is nothing that the client was not told.
#[test]
fn a_listener_that_reads_late() {
    covers!("11-15", "11-19");
    let served = serve(Limits::default());
    let mut client = served.client();
    let listen = request("subscriptions/listen", json!({"notifications": {"toolsListChanged": true}}));
    assert_eq!(client.send(post(&listen, "")).head().status, 200);
    assert_eq!(data(&client.chunk())["method"], "notifications/subscriptions/acknowledged");
    let change = json!({"method": "notifications/tools/list_changed",
        "params": {"_meta": {"io.modelcontextprotocol/subscriptionId": 1}}, "jsonrpc": "2.0"});
    let mut other = served.client();
    assert_eq!(other.send(call("announcing")).answer().status, 200);
    served.handle.shutdown_signal().shut_down();
    let (mut changes, mut next) = (0, data(&client.chunk()));
    while next == change {
        changes += 1;
        next = data(&client.chunk());
    }
    assert_eq!(next["result"]["resultType"], "complete", "{next}");
    assert!(0 < changes && changes < 100_000, "{changes}: what nobody reads is told once");
    assert_eq!(client.chunk(), b"");
    served.handle.shutdown().unwrap();
}
