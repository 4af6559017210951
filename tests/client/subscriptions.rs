//! §11 Subscriptions over HTTP and in process.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::mpsc;
use std::time::Duration;

use plain_mcp::client::{Change, Client, Error};
use plain_mcp::http::Host;
use plain_mcp::{NoArgs, Resource, Server, Tool, contents, text};
use serde_json::json;

use crate::script::{error, modern, stream};

fn server() -> Server {
    let tool = |name: &str| Tool::new(name, "x");
    Server::builder("demo", "1")
        .list_changed()
        .subscribe()
        .tool(tool("a"), |_: NoArgs, _| Ok(text("a")))
        .resource(Resource::new("demo://r", "r"), |_, _| Ok(contents::text("text/plain", "r")))
        .build()
        .unwrap()
}

#[test]
fn changes_come_as_they_happen() {
    covers!("18.1-31", "18.1-32");
    let in_process = server();
    changes_come(&in_process, &Client::direct(&in_process).connect().unwrap());
    let served = server();
    let host = Host::bind(&served, "127.0.0.1:0").unwrap();
    let url = host.url();
    let handle = host.start().unwrap();
    changes_come(&served, &Client::http(&url).connect().unwrap());
    handle.shutdown().unwrap();
}

fn changes_come(server: &Server, client: &Client) {
    let updated = || Ok(Some(Change::Resource("demo://r".to_owned())));
    let mut changes = client.listen().tools().prompts().resource("demo://r").open().unwrap();
    let granted = json!(changes.granted());
    assert_eq!(granted["toolsListChanged"], true);
    assert_eq!(granted["resourceSubscriptions"], json!(["demo://r"]));
    let mut others = client.listen().resource("demo://r").open().unwrap();
    server.resource_updated("demo://r");
    assert_eq!(changes.next_change(), updated());
    assert_eq!(others.next_change(), updated());
    let limit = Duration::from_millis(20);
    assert_eq!(changes.next_within(limit), Err(Error::Timeout { waiting_for: "change", limit }));
    server.resource_updated("demo://r");
    assert_eq!(changes.next_change(), updated(), "the subscription goes on after a timeout");
    assert_eq!(others.next_change(), updated());
    // ended from another thread
    let closer = others.closer();
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| others.next_change());
        closer.cancel();
        assert_eq!(waiting.join().unwrap(), Err(Error::Cancelled));
    });
    // ended by the server
    server.end_streams();
    assert_eq!(changes.next_change(), Ok(None));
    assert_eq!(changes.next_change(), Ok(None), "and for good");
}

#[test]
fn an_abrupt_end_is_told_from_a_graceful_one() {
    covers!("18.1-33");
    let script = modern(json!([]), |asked| {
        let meta = json!({"io.modelcontextprotocol/subscriptionId": asked.id()});
        stream(&[
            json!({"jsonrpc": "2.0", "method": "notifications/subscriptions/acknowledged",
                "params": {"_meta": meta, "notifications": {"toolsListChanged": true}}}),
            json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed", "params": {"_meta": meta}}),
        ])
    });
    let client = Client::http(&script.url).connect().unwrap();
    let mut changes = client.listen().tools().open().unwrap();
    let all: Vec<Result<Change, Error>> = changes.by_ref().collect();
    assert_eq!(all[0], Ok(Change::Tools));
    assert!(matches!(&all[1..], [Err(Error::Transport { sent: true, .. })]), "{all:?}");
    let asked = script.only("subscriptions/listen");
    assert_eq!(asked.params()["notifications"], json!({"toolsListChanged": true}));
    assert_eq!(asked.field("mcp-method"), Some("subscriptions/listen"));
}

#[test]
fn a_subscription_that_is_refused_or_not_acknowledged_is_an_error() {
    covers!("18.1-34");
    let script = modern(json!([]), |asked| error(asked, 404, json!({"code": -32601, "message": "Method not found"})));
    let client = Client::http(&script.url).connect().unwrap();
    assert_eq!(client.listen().tools().open().unwrap_err().server().unwrap().code, -32601);
    let script = modern(json!([]), |asked| stream(&[json!({"jsonrpc": "2.0", "id": asked.id(), "result": {}})]));
    let client = Client::http(&script.url).connect().unwrap();
    assert!(matches!(client.listen().tools().open(), Err(Error::Protocol(_))));
}

#[test]
fn a_closed_subscription_hangs_up() {
    covers!("18.1-35");
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let (gone, is_gone) = mpsc::channel();
    let server = std::thread::spawn(move || {
        let mut room = [0; 8192];
        let (mut first, _) = listener.accept().unwrap();
        let _ = first.read(&mut room).unwrap();
        let body = json!({"jsonrpc": "2.0", "id": 1, "result": crate::script::discovered()}).to_string();
        write!(
            first,
            "HTTP/1.1 200 X\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        )
        .unwrap();
        let _ = first.read(&mut room).unwrap(); // on the same connection
        let granted = json!({"jsonrpc": "2.0", "method": "notifications/subscriptions/acknowledged", "params": {"notifications": {}}});
        write!(
            first,
            "HTTP/1.1 200 X\r\ncontent-type: text/event-stream\r\n\r\ndata: {granted}\r\n\r\n: keepalive\r\n\r\n"
        )
        .unwrap();
        gone.send(first.read(&mut room).unwrap_or(0)).unwrap();
    });
    let client = Client::http(&url).connect().unwrap();
    let changes = client.listen().tools().open().unwrap();
    assert_eq!(json!(changes.granted()), json!({}), "less than what was asked for");
    changes.close();
    assert_eq!(is_gone.recv_timeout(Duration::from_secs(20)), Ok(0));
    server.join().unwrap();
}
