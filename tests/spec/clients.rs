//! What real clients do: over stdio, and over HTTP without a socket.

use std::thread;

use plain_mcp::http::{Cancelling, RawRequest};
use plain_mcp::{Context, Server, Tool, text};
use serde_json::{Value, json};

use crate::corridor::{Post, Recorder, exchange};
use crate::kit::{CAPS, CLIENT, builder, merge, meta, meta_and};
use crate::lines::Connection;

fn server() -> Server {
    builder()
        .tool(Tool::new("echo", "Gives back").input(json!({"type": "object"})), |_: Value, cx: &Context<'_>| {
            cx.progress(1.0, None, "");
            Ok(text(Value::Object(cx.meta().raw.clone()).to_string()))
        })
        .list_changed()
        .build()
        .unwrap()
}

fn message(id: impl Into<Value>, method: &str, params: Value, more: Value) -> Value {
    let mut params = params;
    merge(&mut params, json!({"_meta": meta_and(more)}));
    json!({"jsonrpc": "2.0", "id": id.into(), "method": method, "params": params})
}

/// Inspector and Claude Code listen right after discover and never cancel.
#[test]
fn an_early_listen_stays_open() {
    covers!("C-1", "C-5");
    let server = server();
    let client = Connection::new(&server);
    client.send(&message("server-discover-probe-1", "server/discover", json!({}), json!({})));
    assert_eq!(client.next()["id"], "server-discover-probe-1");
    client.send(&message(
        "listen:0",
        "subscriptions/listen",
        json!({"notifications": {"toolsListChanged": true}}),
        json!({}),
    ));
    let acknowledged = client.next();
    assert_eq!(acknowledged["params"]["_meta"], json!({"io.modelcontextprotocol/subscriptionId": "listen:0"}));
    for id in 0..3 {
        client.send(&message(id, "tools/list", json!({}), json!({})));
        assert_eq!(client.next()["id"], id);
    }
    server.edit(|catalog| catalog.remove_tool("echo")).unwrap();
    assert_eq!(client.next()["method"], "notifications/tools/list_changed");
    let rest = client.end(); // never cancelled: it ends with the connection
    assert_eq!(
        (rest.len(), &rest[0]["id"], &rest[0]["result"]["resultType"]),
        (1, &json!("listen:0"), &json!("complete"))
    );
}

/// opencode cancels every call that has been answered, others an id that never was.
#[test]
fn late_cancels_do_nothing() {
    covers!("C-2");
    let client = Connection::new(&server());
    for id in [json!(0), json!(1), json!("1"), json!(1)] {
        client.send(&message(id.clone(), "tools/call", json!({"name": "echo"}), json!({})));
        assert_eq!(client.next()["id"], id);
        for cancelled in [id.clone(), json!(7), json!(null), json!({})] {
            client.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": cancelled, "reason": "done"}}));
        }
    }
    assert_eq!(client.end(), Vec::<Value>::new());
}

/// Claude Code, Codex: keys and capabilities of their own.
#[test]
fn keys_and_capabilities_of_their_own_are_accepted() {
    covers!("C-4", "C-8");
    let server = server();
    let client = Connection::new(&server);
    let more = json!({
        "claudecode/toolUseId": "toolu_01", "threadId": "0199", "x-codex-turn-metadata": {"a": null},
        CAPS: {"experimental": {"codex/auth-change": {}}, "elicitation": {}},
        CLIENT: {"name": "codex-mcp-client", "version": "0.171.0", "title": "Codex"},
    });
    client.send(&message(1, "tools/call", json!({"name": "echo"}), more.clone()));
    let answer = client.next();
    let seen: Value = serde_json::from_str(answer["result"]["content"][0]["text"].as_str().unwrap()).unwrap();
    let mut wanted = meta();
    merge(&mut wanted, more);
    assert_eq!(seen, wanted);
    client.end();
}

/// Zero is an id and a token as any other.
#[test]
fn zero_is_an_id_and_a_token() {
    covers!("C-5", "8.3-5");
    let server = server();
    let client = Connection::new(&server);
    for (id, token) in
        [(json!(0), json!(0)), (json!(""), json!("")), (json!("0"), json!(0)), (json!("listen:0"), json!("0"))]
    {
        let call = message(id.clone(), "tools/call", json!({"name": "echo"}), json!({"progressToken": token}));
        client.send(&call);
        let (progress, answer) = (client.next(), client.next());
        assert_eq!((&progress["params"]["progressToken"], &answer["id"]), (&token, &id));
        let seen = Post::of(&call).to(&exchange(&server));
        assert_eq!((&seen.events()[0]["params"]["progressToken"], &seen.events()[1]["id"]), (&token, &id));
    }
    client.end();
}

/// The TypeScript client posts its cancel without Mcp-Method, and closes the socket of its listen stream.
#[test]
fn a_listen_stream_is_aborted_and_cancelled_at_once() {
    covers!("C-3");
    let server = server();
    let exchange = exchange(&server);
    let listen = Post::of(&message("listen:0", "subscriptions/listen", json!({"notifications": {}}), json!({})));
    let (peer, cancel) = (Recorder::default(), Cancelling::new());
    thread::scope(|scope| {
        let stream = scope.spawn(|| {
            let passed = exchange.judge_head(&listen.head).unwrap();
            exchange.run(passed, RawRequest { head: &listen.head, body: &listen.body }, &peer, &cancel);
        });
        let cancelled =
            json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "listen:0"}});
        Post::of(&cancelled).without("Mcp-Method").to(&exchange).empty(202);
        cancel.cancel(); // the socket is closed
        stream.join().unwrap();
        Post::of(&cancelled).without("Mcp-Method").to(&exchange).empty(202);
    });
    assert!(!peer.seen().body().contains("result"), "nothing is said to who has left");
}
