//! §11 Listen streams: acknowledged first, told only what they asked for, forgotten when they are closed.

use serde_json::{Value, json};

use crate::ending::event;
use crate::kit::{SUBSCRIPTION, request};
use crate::loopback::Client;
use crate::peer::{Peer, heard, post, tool_call};

fn listen(id: impl Into<Value>, notifications: Value) -> Value {
    let mut message = request("subscriptions/listen", json!({"notifications": notifications}));
    message["id"] = id.into();
    message
}

/// Both lines are in one write, so that the change happens while the stream opens.
#[test]
fn case_128_a_change_while_a_stream_opens() {
    for _ in 0..200 {
        let mut peer = Peer::stdio();
        let lines = [listen("L1", json!({"toolsListChanged": true})), tool_call(2, "toggle_tool", json!({}))];
        peer.fixture.send(format!("{}\n{}\n", lines[0], lines[1]).as_bytes());
        let heard = peer.next();
        let rest: Vec<Value> = peer.end().iter().map(|line| serde_json::from_str(line).unwrap()).collect();
        let notes: Vec<&Value> = heard.notes.iter().chain(&rest).collect();
        assert!(notes.iter().all(|note| note["params"]["_meta"][SUBSCRIPTION] == "L1" || note["id"] == "L1"));
        let methods: Vec<&Value> = notes.iter().map(|note| &note["method"]).collect();
        let wanted = [
            &json!("notifications/subscriptions/acknowledged"),
            &json!("notifications/tools/list_changed"),
            &Value::Null, // the result at the end
        ];
        assert_eq!(methods, wanted);
    }
}

fn open(peer: &Peer, id: impl Into<Value>, notifications: Value) -> Client {
    let mut stream = peer.another();
    assert_eq!(stream.send(post(&listen(id, notifications))).head().status, 200);
    assert_eq!(event(&mut stream)["method"], "notifications/subscriptions/acknowledged");
    stream
}

/// The change of the tools happens as soon as the acknowledgement is there: it is not lost.
#[test]
fn case_128_a_change_while_a_stream_opens_over_http() {
    let mut peer = Peer::http();
    for _ in 0..200 {
        let mut stream = open(&peer, "L1", json!({"toolsListChanged": true}));
        peer.tool("toggle_tool", json!({})).said();
        assert_eq!(event(&mut stream)["method"], "notifications/tools/list_changed");
    }
}

#[test]
fn case_130_two_streams_with_one_id() {
    let mut peer = Peer::http();
    let mut tools = open(&peer, 1, json!({"toolsListChanged": true}));
    let mut resources = open(&peer, 1, json!({"resourceSubscriptions": ["test://a"]}));
    let touch =
        |peer: &mut Peer, uri: &str| assert_eq!(peer.tool("touch_resource", json!({"uri": uri})).said(), "touched");

    assert_eq!(peer.tool("toggle_tool", json!({})).said(), "added");
    let told = event(&mut tools);
    assert_eq!(told["method"], "notifications/tools/list_changed");
    assert_eq!(told["params"]["_meta"][SUBSCRIPTION], 1);
    touch(&mut peer, "test://a");
    drop(tools);
    touch(&mut peer, "test://other");
    touch(&mut peer, "test://a");
    for _ in 0..2 {
        let told = event(&mut resources);
        assert_eq!(
            (&told["method"], &told["params"]["uri"]),
            (&json!("notifications/resources/updated"), &json!("test://a"))
        );
        assert_eq!(told["params"]["_meta"][SUBSCRIPTION], 1);
    }
    assert!(peer.end().is_empty());
    assert_eq!(event(&mut resources)["id"], 1, "and nothing between the update and the result");
}

/// On one connection of stdio an id is used once at a time, and the streams of two ids are told apart.
#[test]
fn case_130_two_streams_on_stdio() {
    let mut peer = Peer::stdio();
    for (id, what) in
        [(json!(1), json!({"toolsListChanged": true})), (json!("1"), json!({"resourceSubscriptions": ["test://a"]}))]
    {
        peer.fixture.send(format!("{}\n", listen(id, what)).as_bytes());
        peer.fixture.line();
    }
    assert_eq!(peer.ask(&listen(1, json!({}))).code(), &json!(-32600));
    let told = |peer: &mut Peer, tool: &str, arguments: Value| -> Vec<Value> {
        let mut lines = vec![tool_call("call", tool, arguments)];
        peer.fixture.send(format!("{}\n", lines.remove(0)).as_bytes());
        (0..2).map(|_| serde_json::from_str(&peer.fixture.line()).unwrap()).collect()
    };
    let lines = told(&mut peer, "toggle_tool", json!({}));
    let note = lines.iter().find(|line| line["method"] == "notifications/tools/list_changed").unwrap();
    assert_eq!(note["params"]["_meta"][SUBSCRIPTION], 1);
    let lines = told(&mut peer, "touch_resource", json!({"uri": "test://a"}));
    let note = lines.iter().find(|line| line["method"] == "notifications/resources/updated").unwrap();
    assert_eq!(note["params"]["_meta"][SUBSCRIPTION], "1");
    assert_eq!(peer.end().len(), 2, "two results, and no other notice");
}

/// A thousand streams are opened and left, four times as many as may be open; nobody is told anything meanwhile.
#[cfg(target_os = "linux")]
#[test]
fn case_131_streams_that_are_left_are_forgotten() {
    let mut peer = Peer::http();
    let id = peer.fixture.id();
    peer.call("tools/list", json!({})).has_status(200);
    let before = (crate::proc::descriptors(id), crate::proc::threads(id));
    for _ in 0..10 {
        for _ in 0..100 {
            drop(open(&peer, 1, json!({"toolsListChanged": true})));
        }
        crate::proc::wait(|| {
            let now = (crate::proc::descriptors(id), crate::proc::threads(id));
            now.0 <= before.0 + 8 && now.1 <= before.1 + 8
        });
    }
    let mut web = peer.another();
    assert_eq!(heard(web.send(post(&tool_call(2, "toggle_tool", json!({})))).answer()).said(), "added");
}
