//! §11 subscriptions/listen through the whole corridor; `subscriptions_hub.rs` and `subscriptions_filter.rs` have the parts.

use std::thread;

use crossbeam_channel::{Receiver, Sender, unbounded};
use plain_mcp::arrival::Via;
use plain_mcp::cancellation::{CancelSource, CancelToken, cancellation};
use plain_mcp::dialect::{Arrival, select};
use plain_mcp::envelope::{self, Message, Notification};
use plain_mcp::sink::{Gone, Sink};
use plain_mcp::{
    Feature, Limits, NoArgs, Prompt, PromptMessage, Resource, ResourceTemplate, Server, ServerBuilder, Tool, contents,
};
use serde_json::{Value, json};

use crate::kit::Soon;
use crate::kit::{SUBSCRIPTION, builder, call, refuses, request, tool};
use crate::wire_schema;

const ACKNOWLEDGED: &str = "notifications/subscriptions/acknowledged";

/// Hands every notification over, checked against the official schema.
struct Wire(Sender<Value>);

impl Sink for Wire {
    fn send(&self, note: &Notification) -> Result<(), Gone> {
        let value: Value = serde_json::from_str(&note.to_json()).unwrap();
        wire_schema::message("", &value);
        self.0.send(value).map_err(|_| Gone)
    }
}

/// An open stream: what came and what will come, and how to end it.
struct Stream {
    notes: Receiver<Value>,
    source: CancelSource,
    answer: Receiver<Value>,
}

impl Stream {
    /// Listens on a thread of its own, as a transport does.
    fn open(server: &Server, id: Value, notifications: Value) -> Stream {
        Stream::open_until(server, id, notifications, None)
    }

    fn open_until(server: &Server, id: Value, notifications: Value, ending: Option<CancelToken>) -> Stream {
        let mut message = request("subscriptions/listen", json!({"notifications": notifications}));
        message["id"] = id;
        let (server, (sender, notes), (answered, answer)) = (server.clone(), unbounded(), unbounded());
        let (source, token) = cancellation();
        thread::spawn(move || {
            let Ok(Message::Request(request)) = envelope::read(message.to_string().as_bytes(), &Limits::default())
            else {
                panic!()
            };
            let dialect = select(None, &request.params, server.dialects()).unwrap();
            let arrival = Arrival { dialect, principal: None, via: Via::Direct, ending: ending.as_ref() };
            let response = server.serve(request, &arrival, &Wire(sender), &token);
            let value: Value = serde_json::from_str(&response.to_json()).unwrap();
            wire_schema::message("subscriptions/listen", &value);
            let _nobody_asks = answered.send(value);
        });
        Stream { notes, source, answer }
    }

    fn next(&self) -> Value {
        self.notes.soon()
    }

    /// The next is an acknowledgement of this.
    fn acknowledged(&self, notifications: Value) {
        let note = self.next();
        assert_eq!((&note["method"], &note["params"]["notifications"]), (&json!(ACKNOWLEDGED), &notifications));
    }

    /// What is left, once the server has ended all streams; the last is the answer.
    fn rest(&self) -> (Vec<Value>, Value) {
        (self.notes.iter().collect(), self.answer.soon())
    }
}

fn methods(notes: &[Value]) -> Vec<&str> {
    notes.iter().map(|note| note["method"].as_str().unwrap()).collect()
}

/// Offers everything, with this and that changed.
fn all() -> ServerBuilder {
    builder().offer(Feature::Tools).offer(Feature::Prompts).offer(Feature::Resources).list_changed().subscribe()
}

fn everything() -> Value {
    json!({"toolsListChanged": true, "promptsListChanged": true, "resourcesListChanged": true, "resourceSubscriptions": ["test://a"]})
}

#[test]
#[rustfmt::skip] // a table
fn refused() {
    covers!("11-1", "11-2", "11-3");
    const OBJECT: &str = "subscriptions/listen requires a notifications object";
    const URIS: &str = "subscriptions/listen resourceSubscriptions must list at most 3 absolute URIs";
    let server = all().limits(Limits { uris: 3, ..Limits::default() }).build().unwrap();
    let n = |notifications: Value| json!({"notifications": notifications});
    refuses(
        &server,
        "subscriptions/listen",
        &[
            // params                                                           code    message                       data
            (json!({}),                                                         -32602, OBJECT,                       None),
            (n(json!(null)),                                                    -32602, OBJECT,                       None),
            (n(json!([])),                                                      -32602, OBJECT,                       None),
            (n(json!("toolsListChanged")),                                      -32602, OBJECT,                       None),
            (n(json!(true)),                                                    -32602, OBJECT,                       None),
            (n(json!({"toolsListChanged": null})),                              -32602, "subscriptions/listen toolsListChanged must be a boolean",None),
            (n(json!({"toolsListChanged": 1})),                                 -32602, "subscriptions/listen toolsListChanged must be a boolean",None),
            (n(json!({"promptsListChanged": "true"})),                          -32602, "subscriptions/listen promptsListChanged must be a boolean",None),
            (n(json!({"resourcesListChanged": {}})),                            -32602, "subscriptions/listen resourcesListChanged must be a boolean",None),
            (n(json!({"resourceSubscriptions": null})),                         -32602, URIS,                         None),
            (n(json!({"resourceSubscriptions": "test://a"})),                   -32602, URIS,                         None),
            (n(json!({"resourceSubscriptions": [7]})),                          -32602, URIS,                         None),
            (n(json!({"resourceSubscriptions": ["a"]})),                        -32602, URIS,                         None),
            (n(json!({"resourceSubscriptions": ["test://a b"]})),               -32602, URIS,                         None),
            (n(json!({"resourceSubscriptions": ["test://a", ""]})),             -32602, URIS,                         None),
            (n(json!({"resourceSubscriptions": ["t:1", "t:2", "t:3", "t:4"]})), -32602, URIS,                         None),
        ],
    );
    // A server that grants nothing judges the shape all the same.
    refuses(
        &builder().build().unwrap(),
        "subscriptions/listen",
        &[(json!({"notifications": 7}), -32602, OBJECT, None)],
    );
}

#[test]
fn a_refused_stream_takes_no_place() {
    covers!("11-4");
    let server = all().limits(Limits { streams: 1, ..Limits::default() }).build().unwrap();
    for _ in 0..3 {
        let sent = call(&server, "subscriptions/listen", json!({"notifications": 7}));
        sent.is_error(-32602, "subscriptions/listen requires a notifications object", None);
    }
    let first = Stream::open(&server, json!(1), json!({}));
    first.acknowledged(json!({}));
    let second = call(&server, "subscriptions/listen", json!({"notifications": {}}));
    second.is_error(-32600, "Too many open listen streams", None);
    assert!(second.notifications.is_empty(), "no acknowledgement of a stream that is refused");
    // The client ends the first, and its place is free.
    first.source.cancel();
    assert_eq!(first.answer.soon()["error"]["message"], "Request was cancelled");
    let third = Stream::open(&server, json!(3), json!({}));
    third.acknowledged(json!({}));
}

#[test]
fn what_is_granted() {
    covers!("11-6", "11-7");
    let no_uris = json!({"toolsListChanged": true, "promptsListChanged": true, "resourcesListChanged": true});
    let offers = |feature| builder().offer(feature).list_changed();
    for (server, asked, granted) in [
        (all(), everything(), everything()),
        (all(), json!({}), json!({})),
        (all(), json!({"toolsListChanged": false, "promptsListChanged": true}), json!({"promptsListChanged": true})),
        (all(), json!({"resourceSubscriptions": []}), json!({})),
        (
            all(),
            json!({"resourceSubscriptions": ["t:b", "t:a", "t:b"]}),
            json!({"resourceSubscriptions": ["t:b", "t:a"]}),
        ),
        (all(), json!({"unknownKind": true, "tasks": ["x"]}), json!({})),
        (builder(), everything(), json!({})),
        (builder().offer(Feature::Tools).offer(Feature::Resources), everything(), json!({})),
        (offers(Feature::Tools), everything(), json!({"toolsListChanged": true})),
        (offers(Feature::Prompts), everything(), json!({"promptsListChanged": true})),
        (offers(Feature::Resources), everything(), json!({"resourcesListChanged": true})),
        (builder().offer(Feature::Resources).subscribe(), everything(), json!({"resourceSubscriptions": ["test://a"]})),
        (
            builder().offer(Feature::Tools).offer(Feature::Prompts).offer(Feature::Resources).list_changed(),
            everything(),
            no_uris,
        ),
    ] {
        let server = server.build().unwrap();
        let stream = Stream::open(&server, json!(1), asked);
        stream.acknowledged(granted);
        server.end_streams();
        assert!(stream.rest().0.is_empty());
    }
}

#[test]
fn edits_tell_those_who_asked() {
    covers!("11-8", "11-9", "11-10", "11-11");
    let server = all().build().unwrap();
    let listener = Stream::open(&server, json!("l"), everything());
    let prompts = Stream::open(&server, json!(2), json!({"promptsListChanged": true}));
    listener.acknowledged(everything());
    prompts.acknowledged(json!({"promptsListChanged": true}));
    let meta = json!({SUBSCRIPTION: "l"});

    server.edit(|edit| edit.tool(Tool::new("t", "d"), |_: NoArgs, _| Ok(""))).unwrap();
    let note = |method: &str| json!({"jsonrpc": "2.0", "method": method, "params": {"_meta": meta}});
    assert_eq!(listener.next(), note("notifications/tools/list_changed"));
    server.edit(|edit| edit.resource(Resource::new("test://a", "a"), |_, _| Ok(contents::text("", "")))).unwrap();
    assert_eq!(listener.next(), note("notifications/resources/list_changed"));
    server
        .edit(|edit| edit.template(ResourceTemplate::new("test://{x}", "x"), |_, _| Ok(contents::text("", ""))))
        .unwrap();
    assert_eq!(listener.next(), note("notifications/resources/list_changed"));
    server.edit(|edit| edit.prompt(Prompt::new("p", "d"), |_, _| Ok(PromptMessage::user("")))).unwrap();
    assert_eq!(listener.next(), note("notifications/prompts/list_changed"));
    server.edit(|edit| edit.remove_tool("t")).unwrap();
    assert_eq!(listener.next(), note("notifications/tools/list_changed"));
    server.resource_updated("test://a");
    let updated = |uri: &str| json!({"jsonrpc": "2.0", "method": "notifications/resources/updated", "params": {"uri": uri, "_meta": meta}});
    assert_eq!(listener.next(), updated("test://a"));
    server.resource_updated("test://b");
    server.resource_part_updated("test://a/part", "test://a");
    assert_eq!(listener.next(), updated("test://a/part"));

    // Nothing changes: nothing is told.
    server.edit(|edit| edit.remove_tool("t")).unwrap();
    server.edit(|_| {}).unwrap();
    assert!(server.edit(|edit| edit.tool(Tool::new("", "d"), |_: NoArgs, _| Ok(""))).is_err());
    server.end_streams();
    assert_eq!(methods(&listener.rest().0), Vec::<&str>::new());
    let (told, _) = prompts.rest();
    assert_eq!(
        told,
        [
            json!({"jsonrpc": "2.0", "method": "notifications/prompts/list_changed", "params": {"_meta": {SUBSCRIPTION: 2}}})
        ]
    );
}

#[test]
fn an_edit_tells_once_for_each_list() {
    covers!("11-11");
    let server = all().build().unwrap();
    let stream = Stream::open(&server, json!(1), everything());
    stream.acknowledged(everything());
    let edit = |edit: &mut plain_mcp::Edit| {
        for name in ["a", "b", "c"] {
            edit.tool(Tool::new(name, "d"), |_: NoArgs, _| Ok(""));
            edit.prompt(Prompt::new(name, "d"), |_, _| Ok(PromptMessage::user("")));
        }
    };
    server.edit(edit).unwrap();
    server.end_streams();
    let (told, _) = stream.rest();
    assert_eq!(methods(&told), ["notifications/tools/list_changed", "notifications/prompts/list_changed"]);
}

#[test]
fn without_list_changed_an_edit_is_silent() {
    covers!("11-8");
    let server = builder().offer(Feature::Tools).offer(Feature::Resources).subscribe().build().unwrap();
    let stream = Stream::open(&server, json!(1), everything());
    stream.acknowledged(json!({"resourceSubscriptions": ["test://a"]}));
    server.edit(|edit| edit.tool(Tool::new("t", "d"), |_: NoArgs, _| Ok(""))).unwrap();
    server.end_streams();
    assert!(stream.rest().0.is_empty());
}

#[test]
fn handlers_can_tell() {
    covers!("11-8", "11-9");
    let server = all()
        .tool(Tool::new("change", "d"), |_: NoArgs, cx| {
            cx.tools_changed();
            cx.prompts_changed();
            cx.resources_changed();
            cx.resource_updated("test://a");
            cx.resource_part_updated("test://a/b", "test://a");
            Ok("changed")
        })
        .build()
        .unwrap();
    let stream =
        Stream::open(&server, json!(9), json!({"promptsListChanged": true, "resourceSubscriptions": ["test://a"]}));
    stream.acknowledged(json!({"promptsListChanged": true, "resourceSubscriptions": ["test://a"]}));
    let lists = Stream::open(&server, json!(8), json!({"resourcesListChanged": true}));
    lists.acknowledged(json!({"resourcesListChanged": true}));
    let sent = tool(&server, "change", json!({}));
    assert_eq!(lists.next()["method"], "notifications/resources/list_changed");
    assert_eq!((sent.notifications.len(), &sent.result()["isError"]), (0, &json!(false)), "its own stream gets none");
    let told: Vec<Value> = (0..3).map(|_| stream.next()).collect();
    assert_eq!(
        methods(&told),
        ["notifications/prompts/list_changed", "notifications/resources/updated", "notifications/resources/updated"]
    );
    assert_eq!((&told[1]["params"]["uri"], &told[2]["params"]["uri"]), (&json!("test://a"), &json!("test://a/b")));
    server.end_streams();
    assert!(stream.rest().0.is_empty());
}

#[test]
fn the_end_that_the_server_makes() {
    covers!("11-12", "11-9");
    let server = all().build().unwrap();
    for id in [json!(9), json!("nine"), json!(i64::MAX), json!("")] {
        let (ending, ended) = cancellation();
        let stream = Stream::open_until(&server, id.clone(), everything(), Some(ended));
        let first = stream.next();
        assert_eq!((&first["method"], &first["params"]["_meta"]), (&json!(ACKNOWLEDGED), &json!({SUBSCRIPTION: id})));
        server.resource_updated("test://a");
        assert_eq!(stream.next()["params"]["_meta"], json!({SUBSCRIPTION: id}));
        ending.cancel(); // the transport of this stream ends, not the server
        let (rest, answer) = stream.rest();
        assert!(rest.is_empty());
        let meta =
            json!({SUBSCRIPTION: id, "io.modelcontextprotocol/serverInfo": {"name": "test", "version": "1.0.0"}});
        assert_eq!(answer, json!({"jsonrpc": "2.0", "id": id, "result": {"resultType": "complete", "_meta": meta}}));
    }
}

#[test]
fn what_is_pending_comes_before_the_end() {
    covers!("11-12", "11-17");
    let server = all().build().unwrap();
    let stream = Stream::open(&server, json!(1), everything());
    stream.acknowledged(everything());
    server.resource_updated("test://a");
    server.end_streams();
    let (rest, answer) = stream.rest();
    assert_eq!(methods(&rest), ["notifications/resources/updated"]);
    assert_eq!(answer["result"]["resultType"], "complete");
    // A stream that comes after is acknowledged, and ended at once.
    let late = Stream::open(&server, json!(2), json!({}));
    let (rest, answer) = late.rest();
    assert_eq!((methods(&rest), &answer["result"]["resultType"]), (vec![ACKNOWLEDGED], &json!("complete")));
}

#[test]
fn the_end_that_the_client_makes() {
    covers!("11-8", "9-9");
    let server = all().build().unwrap();
    let stream = Stream::open(&server, json!(1), everything());
    stream.acknowledged(everything());
    stream.source.cancel();
    // No result: what a caller in this process sees is no message of the protocol.
    let answer = stream.answer.soon();
    assert_eq!(answer["error"], json!({"code": -32603, "message": "Request was cancelled"}));
    server.resource_updated("test://a");
    assert!(stream.notes.is_over(), "nothing more is sent");
}

#[test]
fn switched_off() {
    covers!("11-5");
    let server = builder().offer(Feature::Tools).no_listen().build().unwrap();
    let sent = call(&server, "subscriptions/listen", json!({"notifications": {}}));
    sent.is_error(-32601, "Method not found: subscriptions/listen", None);
    let sent = call(&server, "subscriptions/listen", json!({"notifications": 7}));
    sent.is_error(-32601, "Method not found: subscriptions/listen", None);
    let problem = "listChanged and subscribe need subscriptions/listen, which is switched off";
    for server in [
        all().no_listen(),
        builder().list_changed().no_listen(),
        builder().offer(Feature::Resources).subscribe().no_listen(),
    ] {
        assert_eq!(server.build().unwrap_err().problems, [problem]);
    }
}

#[test]
fn streams_beside_each_other() {
    covers!("11-18", "11-9");
    let server = all().build().unwrap();
    let streams: Vec<Stream> =
        (0..5).map(|id| Stream::open(&server, json!(id), json!({"toolsListChanged": true}))).collect();
    for stream in &streams {
        stream.acknowledged(json!({"toolsListChanged": true}));
    }
    server.edit(|edit| edit.tool(Tool::new("t", "d"), |_: NoArgs, _| Ok(""))).unwrap();
    for (id, stream) in streams.iter().enumerate() {
        assert_eq!(stream.next()["params"]["_meta"][SUBSCRIPTION], json!(id));
    }
    let mut streams = streams.into_iter();
    streams.next().unwrap().source.cancel();
    server.edit(|edit| edit.remove_tool("t")).unwrap();
    for stream in streams {
        assert_eq!(stream.next()["method"], "notifications/tools/list_changed");
    }
}

#[test]
fn no_progress_and_no_logs() {
    covers!("8.2-7", "8.1-6");
    let server = all()
        .tool(Tool::new("noisy", "d"), |_: NoArgs, cx| {
            cx.log(plain_mcp::Level::Emergency, "", "x");
            cx.progress(1.0, None, "");
            Ok("")
        })
        .build()
        .unwrap();
    let stream = Stream::open(&server, json!(1), everything());
    stream.acknowledged(everything());
    let meta = crate::kit::meta_and(json!({crate::kit::LEVEL: "debug", "progressToken": 1}));
    assert_eq!(call(&server, "tools/call", json!({"name": "noisy", "_meta": meta})).notifications.len(), 2);
    server.end_streams();
    assert!(stream.rest().0.is_empty(), "they belong to the call");
}

#[cfg(feature = "http")]
#[test]
fn over_http_the_answer_is_always_a_stream() {
    covers!("11-13", "11-6", "11-12");
    use crate::corridor::{Post, exchange, request};
    let server = all().build().unwrap();
    let exchange = exchange(&server);
    server.end_streams(); // so that it ends at once
    for notifications in [everything(), json!({})] {
        let seen =
            Post::of(&request("l", "subscriptions/listen", json!({"notifications": notifications}))).to(&exchange);
        assert_eq!((seen.status, seen.field("content-type"), seen.ended), (200, Some("text/event-stream"), true));
        let events = seen.events();
        assert_eq!((events.len(), &events[0]["method"]), (2, &json!(ACKNOWLEDGED)));
        assert_eq!((&events[1]["id"], &events[1]["result"]["_meta"][SUBSCRIPTION]), (&json!("l"), &json!("l")));
    }
    // A refusal that comes before the stream has the status of its code.
    let seen = Post::of(&request(1, "subscriptions/listen", json!({}))).to(&exchange);
    seen.refused(400, -32602, "subscriptions/listen requires a notifications object", 1);
}
