//! §13.3 §8.3 §9 §11 Answers: one JSON object or a stream of events, and silence after a cancel.

use std::sync::Arc;
use std::thread;

use crossbeam_channel::{Receiver, Sender, bounded, unbounded};
use plain_mcp::arrival::Principal;
use plain_mcp::http::peer::PeerOutlet;
use plain_mcp::http::{Cancelling, Exchange, Gate, HttpAnswer, Peer, RawRequest};
use plain_mcp::sink::{Gone, Offered};
use plain_mcp::types::Level;
use plain_mcp::{Context, Direction, NoArgs, Server, ServerBuilder, Tool, text};
use serde_json::{Value, json};

use crate::corridor::{Post, Recorder, call, exchange, request};
use crate::kit::Soon;

fn builder() -> ServerBuilder {
    Server::builder("answers", "1")
        .tool(Tool::new("quiet", "Says nothing"), |_: NoArgs, _: &Context<'_>| Ok(text("done")))
        .tool(Tool::new("steps", "Reports"), |_: NoArgs, cx: &Context<'_>| {
            cx.progress(1.0, Some(2.0), "half");
            cx.log(Level::Info, "steps", "halfway\nthere");
            cx.progress(2.0, Some(2.0), "");
            Ok(text("done"))
        })
        .tool(Tool::new("boom", "Reports, then fails"), |args: Value, cx: &Context<'_>| -> plain_mcp::ToolResult {
            if args["loud"] == true {
                cx.progress(1.0, None, "");
            }
            panic!("boom")
        })
}

/// A call that wants progress and logs.
fn loud(tool: &str, arguments: Value) -> Post {
    let mut message = call(tool, arguments);
    message["params"]["_meta"]["progressToken"] = json!("t");
    message["params"]["_meta"]["io.modelcontextprotocol/logLevel"] = json!("debug");
    Post::of(&message)
}

#[test]
fn a_request_without_notifications_is_answered_with_json() {
    covers!("13.3-1", "8.3-1");
    let exchange = exchange(&builder().build().unwrap());
    for post in [loud("quiet", json!({})), Post::of(&call("steps", json!({})))] {
        let seen = post.to(&exchange);
        assert_eq!((seen.status, seen.streamed, seen.writes.len()), (200, false, 1));
        assert_eq!(seen.fields, [("content-type", "application/json".to_owned())]);
        assert_eq!(seen.json()["result"]["content"][0]["text"], "done");
    }
    let seen = Post::of(&call("boom", json!({}))).to(&exchange);
    seen.refused(500, -32603, "Internal error", 1);
    assert_eq!(Post::of(&call("none", json!({}))).to(&exchange).status, 400);
}

#[test]
fn the_first_notification_begins_a_stream() {
    covers!("13.3-2", "8.3-1", "8.3-2", "8.3-3", "8.2-6");
    let seen = loud("steps", json!({})).to(&exchange(&builder().build().unwrap()));
    assert_eq!((seen.status, seen.streamed, seen.ended), (200, true, true));
    assert_eq!(
        seen.fields,
        [
            ("content-type", "text/event-stream".to_owned()),
            ("cache-control", "no-cache".to_owned()),
            ("x-accel-buffering", "no".to_owned()),
        ]
    );
    let methods: Vec<Value> = seen.events().iter().map(|event| event["method"].clone()).collect();
    assert_eq!(
        methods,
        [json!("notifications/progress"), json!("notifications/message"), json!("notifications/progress"), Value::Null]
    );
    assert_eq!(seen.events()[3]["result"]["content"][0]["text"], "done");
    let first = r#"data: {"jsonrpc":"2.0","method":"notifications/progress","params":{"message":"half","progress":1,"progressToken":"t","total":2}}"#;
    assert_eq!(seen.writes.len(), 4, "one write an event");
    for write in &seen.writes {
        assert!(write.starts_with("data: {") && write.ends_with("}\r\n\r\n"), "{write:?}");
        assert_eq!(write.matches(['\r', '\n']).count(), 4, "{write:?}");
    }
    let sent: Value = serde_json::from_str(seen.writes[0].trim_end().strip_prefix("data: ").unwrap()).unwrap();
    assert_eq!(sent, serde_json::from_str::<Value>(first.strip_prefix("data: ").unwrap()).unwrap());
}

#[test]
fn an_error_after_the_first_event_is_an_event() {
    covers!("8.3-4");
    let seen = loud("boom", json!({"loud": true})).to(&exchange(&builder().build().unwrap()));
    assert_eq!((seen.status, seen.ended, seen.events().len()), (200, true, 2));
    assert_eq!(
        seen.events()[1],
        json!({"jsonrpc": "2.0", "id": 1, "error": {"code": -32603, "message": "Internal error"}})
    );
}

fn listen(filter: Value) -> Post {
    Post::of(&request(9, "subscriptions/listen", json!({"notifications": filter})))
}

#[test]
fn listen_is_always_a_stream_unless_it_is_refused() {
    covers!("13.3-2");
    let server = builder().list_changed().build().unwrap();
    let exchange = exchange(&server);
    let refused = listen(json!(7)).to(&exchange);
    refused.refused(400, -32602, "subscriptions/listen requires a notifications object", 9);
    server.end_streams();
    let seen = listen(json!({"toolsListChanged": true})).to(&exchange);
    assert_eq!((seen.status, seen.streamed, seen.ended), (200, true, true));
    assert_eq!(seen.events().last().unwrap()["id"], 9);
}

#[test]
fn a_silent_stream_is_kept_alive() {
    covers!("11-14");
    let limits = plain_mcp::Limits { keepalive: std::time::Duration::from_millis(1), ..Default::default() };
    let server = builder().list_changed().limits(limits).build().unwrap();
    let exchange = exchange(&server);
    let (told, tell) = bounded(0);
    let peer = Teller(Recorder::default(), told);
    thread::scope(|scope| {
        scope.spawn(|| run(&exchange, &listen(json!({"toolsListChanged": true})), &peer, &Cancelling::new()));
        assert!(tell.soon().contains("acknowledged"));
        assert_eq!(tell.soon(), ": keepalive\r\n\r\n");
        server.end_streams();
        while tell.recv().is_ok_and(|write| write == ": keepalive\r\n\r\n") {}
    });
}

/// A peer that also tells a test of each write.
struct Teller(Recorder, Sender<String>);

impl Peer for Teller {
    fn answer(&self, answer: HttpAnswer) -> Result<(), Gone> {
        self.0.answer(answer)
    }

    fn begin_stream(&self, status: u16, fields: &[(&'static str, String)], first: &[u8]) -> Result<(), Gone> {
        self.0.begin_stream(status, fields, first)?;
        self.1.send(String::from_utf8(first.to_vec()).unwrap()).map_err(|_| Gone)
    }

    fn event(&self, bytes: &[u8]) -> Result<(), Gone> {
        self.0.event(bytes)?;
        self.1.send(String::from_utf8(bytes.to_vec()).unwrap()).map_err(|_| Gone)
    }

    fn end_stream(&self, last: &[u8]) -> Result<(), Gone> {
        self.0.end_stream(last)?;
        self.1.send(String::from_utf8(last.to_vec()).unwrap()).map_err(|_| Gone)
    }
}

/// A peer whose second way takes everything, but only in part.
struct TwoWays(Teller);

/// Tells of each write, as `Teller` does, with a word before it.
struct SecondWay(Sender<String>);

impl Peer for TwoWays {
    fn answer(&self, answer: HttpAnswer) -> Result<(), Gone> {
        self.0.answer(answer)
    }

    fn begin_stream(&self, status: u16, fields: &[(&'static str, String)], first: &[u8]) -> Result<(), Gone> {
        self.0.begin_stream(status, fields, first)
    }

    fn event(&self, bytes: &[u8]) -> Result<(), Gone> {
        self.0.event(bytes)
    }

    fn end_stream(&self, last: &[u8]) -> Result<(), Gone> {
        self.0.end_stream(last)
    }

    fn outlet(&self) -> Option<Arc<dyn PeerOutlet>> {
        Some(Arc::new(SecondWay(self.0.1.clone())))
    }

    fn flush(&self) -> Result<(), Gone> {
        self.0.1.send("flush".to_owned()).map_err(|_| Gone)
    }
}

impl PeerOutlet for SecondWay {
    fn offer(&self, bytes: &[u8]) -> Offered {
        self.0.send(format!("at once {}", String::from_utf8(bytes.to_vec()).unwrap())).unwrap();
        Offered::Partly
    }
}

#[test]
fn an_edit_goes_out_from_its_own_thread() {
    covers!("11-19", "api-4");
    let (out, tapped) = unbounded();
    let tap = move |way, bytes: &[u8]| {
        if way == Direction::Out {
            out.send(String::from_utf8(bytes.to_vec()).unwrap()).unwrap();
        }
    };
    let server = builder().list_changed().raw_messages(tap).build().unwrap();
    let exchange = exchange(&server);
    let (told, tell) = unbounded();
    let peer = TwoWays(Teller(Recorder::default(), told));
    thread::scope(|scope| {
        scope.spawn(|| run(&exchange, &listen(json!({"toolsListChanged": true})), &peer, &Cancelling::new()));
        let mut writes = vec![tell.soon()];
        // Where the stream's thread is just writing the edit does not wait for it.
        let at_once = (0..1000).any(|round| {
            let tool = Tool::new("more", format!("Of round {round}"));
            server.edit(|edit| edit.tool(tool, |_: NoArgs, _| Ok("more"))).unwrap();
            writes.push(tell.soon());
            assert_eq!(tell.soon(), "flush", "the stream's thread sends the rest");
            writes.last().unwrap().starts_with("at once data: ")
        });
        server.end_streams();
        assert!(at_once);
        for write in writes {
            assert!(write.contains(&tapped.soon()), "each message is seen as it was written: {write}");
        }
    });
}

fn run(exchange: &Exchange, post: &Post, peer: &dyn Peer, cancel: &Arc<Cancelling>) {
    let passed = exchange.judge_head(&post.head).expect("a good head");
    exchange.run(passed, RawRequest { head: &post.head, body: &post.body }, peer, cancel);
}

#[test]
fn an_event_leaves_when_it_is_sent() {
    covers!("8.3-6", "C-9");
    let (go_on, goes_on) = bounded::<()>(0);
    let server = builder()
        .tool(Tool::new("held", "Waits for a word"), move |_: NoArgs, cx: &Context<'_>| {
            cx.progress(1.0, None, "");
            goes_on.soon();
            Ok(text("done"))
        })
        .build()
        .unwrap();
    let exchange = exchange(&server);
    let (told, tell) = bounded(0);
    let peer = Teller(Recorder::default(), told);
    thread::scope(|scope| {
        scope.spawn(|| run(&exchange, &loud("held", json!({})), &peer, &Cancelling::new()));
        let first = tell.soon();
        assert!(first.starts_with("data: {") && first.contains("notifications/progress"), "{first}");
        go_on.send(()).unwrap();
        assert!(tell.soon().contains("done"));
    });
    for write in peer.0.seen().writes {
        assert!(write.lines().all(|line| line.is_empty() || line.starts_with("data: {")), "{write}");
    }
}

/// A server whose tool `wait` says that it has begun, and ends when its token is set.
fn waiting() -> (Server, Receiver<()>) {
    let (begun, begins) = bounded(16);
    let wait = move |_: NoArgs, cx: &Context<'_>| {
        cx.progress(1.0, None, "");
        begun.send(()).unwrap();
        assert!(cx.cancel_token().channel().is_over());
        cx.progress(2.0, None, "");
        Ok(text("too late"))
    };
    (builder().tool(Tool::new("wait", "Waits"), wait).build().unwrap(), begins)
}

#[test]
fn after_a_hang_up_nothing_is_written() {
    covers!("9-6");
    let (server, begins) = waiting();
    let exchange = exchange(&server);
    for (post, writes) in [(Post::of(&call("wait", json!({}))), 0), (loud("wait", json!({})), 1)] {
        let (peer, cancel) = (Recorder::default(), Cancelling::new());
        thread::scope(|scope| {
            scope.spawn(|| run(&exchange, &post, &peer, &cancel));
            begins.soon();
            cancel.cancel();
        });
        let seen = peer.seen();
        assert_eq!((seen.writes.len(), seen.ended), (writes, false), "{seen:?}");
    }
}

/// A peer that reads nothing.
struct Deaf;

impl Peer for Deaf {
    fn answer(&self, _: HttpAnswer) -> Result<(), Gone> {
        Err(Gone)
    }

    fn begin_stream(&self, _: u16, _: &[(&'static str, String)], _: &[u8]) -> Result<(), Gone> {
        Err(Gone)
    }

    fn event(&self, _: &[u8]) -> Result<(), Gone> {
        panic!("written to a peer that is gone")
    }

    fn end_stream(&self, _: &[u8]) -> Result<(), Gone> {
        panic!("written to a peer that is gone")
    }
}

#[test]
fn a_failed_write_cancels() {
    covers!("9-6");
    let (server, begins) = waiting();
    let cancel = Cancelling::new();
    run(&exchange(&server), &loud("wait", json!({})), &Deaf, &cancel);
    assert!(cancel.token().cancelled() && begins.try_recv().is_ok());
}

fn scoped(server: &Server) -> Exchange {
    let gate = Gate::new()
        .authenticate(|head| Ok(head.one("authorization").map(|name| Principal(name.to_owned()))))
        .cancellation_scope(|_, principal| principal.map(|principal| principal.0.clone()));
    Exchange::new(server, gate).unwrap()
}

fn cancels(id: Value) -> Post {
    Post::of(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}}))
}

/// A cancellation with a reason of any type.
fn reasoned(reason: Value) -> Post {
    let params = json!({"requestId": 1, "reason": reason});
    Post::of(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}))
}

#[test]
fn a_posted_cancellation_reaches_requests_of_its_scope() {
    covers!("9-1", "9-2", "9-8");
    let (server, begins) = waiting();
    let exchange = scoped(&server);
    for post in [Post::of(&call("wait", json!({}))), loud("wait", json!({}))] {
        let post = post.add("Authorization", "ann");
        let (peer, cancel) = (Recorder::default(), Cancelling::new());
        thread::scope(|scope| {
            scope.spawn(|| run(&exchange, &post, &peer, &cancel));
            begins.soon();
            for other in [
                cancels(json!(1)),
                cancels(json!(1)).add("Authorization", "bob"),
                cancels(json!(2)).add("Authorization", "ann"),
                cancels(json!("1")).add("Authorization", "ann"),
                cancels(json!(1.5)).add("Authorization", "ann"),
                reasoned(json!(7)).add("Authorization", "ann"),
            ] {
                other.to(&exchange).empty(202);
                assert!(!cancel.token().cancelled());
            }
            cancels(json!(1)).add("Authorization", "ann").to(&exchange).empty(202);
            assert!(cancel.token().cancelled());
        });
        let seen = peer.seen();
        assert!(seen.ended);
        if seen.streamed {
            assert_eq!((seen.events().len(), &seen.events()[0]["method"]), (1, &json!("notifications/progress")));
        } else {
            seen.empty(204);
        }
        cancels(json!(1)).add("Authorization", "ann").to(&exchange).empty(202); // a finished request
    }
    let untouched = Post::of(&request(1, "server/discover", json!({}))).add("Authorization", "ann");
    assert_eq!(untouched.to(&exchange).json()["result"]["resultType"], "complete");
}

#[test]
fn an_ambiguous_cancellation_cancels_nothing() {
    covers!("9-8");
    let (server, begins) = waiting();
    let exchange = scoped(&server);
    let post = Post::of(&call("wait", json!({}))).add("Authorization", "ann");
    let (one, two) = (Cancelling::new(), Cancelling::new());
    let (first, second) = (Recorder::default(), Recorder::default());
    thread::scope(|scope| {
        scope.spawn(|| run(&exchange, &post, &first, &one));
        scope.spawn(|| run(&exchange, &post, &second, &two));
        begins.soon();
        begins.soon();
        cancels(json!(1)).add("Authorization", "ann").to(&exchange).empty(202);
        assert!(!one.token().cancelled() && !two.token().cancelled());
        one.cancel();
        two.cancel();
    });
}

#[test]
fn without_a_scope_a_posted_cancellation_matches_nothing() {
    covers!("9-7");
    let (server, begins) = waiting();
    let exchange = exchange(&server);
    let (peer, cancel) = (Recorder::default(), Cancelling::new());
    thread::scope(|scope| {
        scope.spawn(|| run(&exchange, &Post::of(&call("wait", json!({}))), &peer, &cancel));
        begins.soon();
        cancels(json!(1)).to(&exchange).empty(202);
        assert!(!cancel.token().cancelled());
        cancel.cancel();
    });
}
