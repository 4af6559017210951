//! §14 over pipes made of channels: what goes in is read as it comes, what comes out is whole lines.

use std::io::{self, Read, Write};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender, bounded, unbounded};
use plain_mcp::{Context, Limits, NoArgs, Server, ServerBuilder, Tool, ToolResult, text};
use serde_json::{Value, json};

use crate::kit::{builder, meta, request};

/// The longest that a test waits for what must come.
const SOON: Duration = Duration::from_secs(20);

/// Reads what is sent into a channel; its end is the end of input.
struct Input {
    chunks: Receiver<Vec<u8>>,
    rest: Vec<u8>,
}

impl Read for Input {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        while self.rest.is_empty() {
            match self.chunks.recv() {
                Ok(chunk) => self.rest = chunk,
                Err(_) => return Ok(0),
            }
        }
        let count = self.rest.len().min(into.len());
        into[..count].copy_from_slice(&self.rest[..count]);
        self.rest.drain(..count);
        Ok(count)
    }
}

/// Sends what is written into a channel.
struct Output(Sender<Vec<u8>>);

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.send(bytes.to_vec()).map_err(|_| io::ErrorKind::BrokenPipe)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A client at the other end.
struct Client {
    input: Option<Sender<Vec<u8>>>,
    output: Receiver<Vec<u8>>,
    raw: Vec<u8>,
    served: Option<JoinHandle<io::Result<()>>>,
}

impl Client {
    fn of(server: &Server) -> Client {
        let (input, chunks) = unbounded();
        let (sender, output) = unbounded();
        let server = server.clone();
        let served = std::thread::spawn(move || {
            plain_mcp::stdio::serve_on(&server, Input { chunks, rest: Vec::new() }, Output(sender))
        });
        Client { input: Some(input), output, raw: Vec::new(), served: Some(served) }
    }

    fn bytes(&self, bytes: &[u8]) {
        self.input.as_ref().unwrap().send(bytes.to_vec()).unwrap();
    }

    fn send(&self, message: &Value) {
        self.bytes(format!("{message}\n").as_bytes());
    }

    fn call(&self, id: impl Into<Value>, tool: &str) {
        let mut message = request("tools/call", json!({"name": tool}));
        message["id"] = id.into();
        self.send(&message);
    }

    fn cancel(&self, id: impl Into<Value>) {
        let params = json!({"requestId": id.into()});
        self.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}));
    }

    /// The next line.
    fn line(&mut self) -> Value {
        loop {
            if let Some(line) = self.at_hand() {
                return line;
            }
            let chunk = self.output.recv_timeout(SOON).expect("a line");
            self.raw.extend(chunk);
        }
    }

    /// Ends the input; all lines that are still to come.
    fn end(mut self) -> Vec<Value> {
        self.input = None;
        self.served.take().unwrap().join().unwrap().unwrap();
        let mut lines = Vec::new();
        // a handler that is stuck may still hold the writer: what has been written is there already
        self.raw.extend(self.output.try_iter().flatten());
        lines.extend(std::iter::from_fn(|| self.at_hand()));
        assert!(self.raw.is_empty(), "half a line");
        lines
    }

    fn at_hand(&mut self) -> Option<Value> {
        let end = self.raw.iter().position(|byte| *byte == b'\n')?;
        let line: Vec<u8> = self.raw.drain(..=end).collect();
        assert!(!line.contains(&b'\r'), "a line ends with one line feed");
        Some(serde_json::from_slice(&line).expect("a line is a message"))
    }
}

/// `gate` waits for the test to let it go, or for a cancel; `plain` does not wait.
fn gated(limits: Limits) -> (ServerBuilder, Sender<()>, Receiver<bool>) {
    let (go, gone) = unbounded::<()>();
    let (entered, entries) = unbounded();
    let gate = move |_: NoArgs, cx: &Context<'_>| -> ToolResult {
        entered.send(true).unwrap();
        crossbeam_channel::select! {
            recv(gone) -> _ => Ok(text("let go")),
            recv(cx.cancel_token().channel()) -> _ => {
                entered.send(false).unwrap();
                cx.progress(1.0, None, "too late");
                Ok(text("too late"))
            }
        }
    };
    let server = builder()
        .limits(limits)
        .tool(Tool::new("gate", "Waits"), gate)
        .tool(Tool::new("plain", "Does not wait"), |_: NoArgs, _cx| Ok(text("plain")));
    (server, go, entries)
}

fn plain() -> Server {
    gated(Limits::default()).0.build().unwrap()
}

#[test]
fn a_line_over_the_limit_is_skipped() {
    covers!("14-1");
    let discover = request("server/discover", json!({})).to_string();
    let server = builder().limits(Limits { line: discover.len(), ..Limits::default() }).build().unwrap();
    let mut client = Client::of(&server);
    let refused =
        json!({"jsonrpc": "2.0", "id": null, "error": {"code": -32600, "message": "Line exceeds the size limit"}});
    client.bytes(format!("{discover} \n").as_bytes()); // one byte over
    assert_eq!(client.line(), refused);
    client.bytes(&vec![b'x'; 300_000]);
    client.bytes(format!("{}\n", "y".repeat(300_000)).as_bytes());
    assert_eq!(client.line(), refused);
    client.bytes(format!("{discover}\r\n").as_bytes()); // at the limit, whatever ends it
    assert_eq!(client.line()["result"]["resultType"], "complete");
    client.bytes(discover.as_bytes()); // a last line without an end
    let last = client.end();
    assert_eq!(last.len(), 1);
    assert_eq!(last[0]["result"]["resultType"], "complete");
}

#[test]
fn an_unreadable_line_does_not_end_the_service() {
    covers!("14-2", "1-16");
    let mut client = Client::of(&plain());
    let refused = json!({"jsonrpc": "2.0", "id": null, "error": {"code": -32700, "message": "Parse error"}});
    for line in [&b"{"[..], b"nonsense", b"{\"a\":NaN}", b"{}{}", b"\"\\ud800\"", b"\"\xff\"", b"Content-Length: 20"] {
        client.bytes(line);
        client.bytes(b"\n");
        assert_eq!(client.line(), refused);
    }
    client.bytes(b"\n   \n\r\n"); // blank lines are no messages
    client.call(7, "plain");
    assert_eq!(client.line()["id"], 7);
    assert!(client.end().is_empty());
}

#[test]
fn a_message_is_one_line() {
    covers!("14-3", "14-4");
    let speech = "one\ntwo\r\nthree\u{2028}four\u{2029}five";
    let server = builder()
        .tool(Tool::new("speak", "Speaks"), move |_: NoArgs, cx| {
            cx.log(plain_mcp::Level::Error, "speech", speech);
            Ok(text(speech))
        })
        .build()
        .unwrap();
    let mut client = Client::of(&server);
    let params = json!({"name": "speak", "_meta": crate::kit::meta_and(json!({crate::kit::LEVEL: "debug"}))});
    client.send(&request("tools/call", params));
    assert_eq!(client.line()["params"]["data"], speech); // the message comes before the answer
    assert_eq!(client.line()["result"]["content"][0]["text"], speech);
    assert!(client.end().is_empty());
}

#[test]
fn a_message_may_come_in_pieces_and_several_in_one() {
    let mut client =
        Client::of(&builder().tool(Tool::new("größe/日本", "Size"), |_: NoArgs, _cx| Ok(text("é"))).build().unwrap());
    let mut message = request("tools/call", json!({"name": "größe/日本"}));
    for byte in format!("{message}\n").bytes() {
        client.bytes(&[byte]);
    }
    assert_eq!(client.line()["result"]["content"][0]["text"], "é");
    message["id"] = json!("a");
    let first = message.to_string();
    message["id"] = json!("b");
    client.bytes(format!("{first}\n{message}\n").as_bytes());
    let mut ids = [client.line()["id"].clone(), client.line()["id"].clone()];
    ids.sort_by_key(Value::to_string);
    assert_eq!(ids, ["a", "b"]);
    assert!(client.end().is_empty());
}

#[test]
fn requests_run_beside_each_other() {
    covers!("14-5", "14-11");
    let (server, go, entries) = gated(Limits::default());
    let mut client = Client::of(&server.build().unwrap());
    client.call("slow", "gate");
    entries.recv_timeout(SOON).unwrap();
    client.call("fast", "plain");
    assert_eq!(client.line()["id"], "fast");
    go.send(()).unwrap();
    assert_eq!(client.line()["id"], "slow");
    assert!(client.end().is_empty());
}

#[test]
fn the_version_comes_from_meta_alone() {
    covers!("14-6");
    let mut client = Client::of(&plain());
    client.send(&json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}));
    let error = client.line()["error"].clone();
    assert_eq!(error["code"], -32602);
    assert_eq!(error["message"], "Missing required io.modelcontextprotocol/protocolVersion metadata");
    let mut foreign = meta();
    foreign[crate::kit::VERSION] = json!("v999.0.0");
    client.send(&json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {"_meta": foreign}}));
    let error = client.line()["error"].clone();
    assert_eq!(error["code"], -32022);
    assert_eq!(error["message"], "Unsupported protocol version");
    assert_eq!(error["data"], json!({"requested": "v999.0.0", "supported": ["2026-07-28"]}));
    assert!(client.end().is_empty());
}

#[test]
fn a_cancel_acts_at_once_and_nothing_is_sent_after_it() {
    covers!("14-7", "9-4");
    let (server, go, entries) = gated(Limits { in_flight: 1, ..Limits::default() });
    let mut client = Client::of(&server.build().unwrap());
    client.call(1, "gate");
    assert!(entries.recv_timeout(SOON).unwrap(), "1 runs");
    client.call(2, "gate"); // waits for its place
    client.cancel(2);
    client.cancel(1);
    assert!(!entries.recv_timeout(SOON).unwrap(), "1 sees the cancel, although every place is taken");
    client.call(3, "gate");
    assert!(entries.recv_timeout(SOON).unwrap(), "3 runs, 2 never did");
    go.send(()).unwrap();
    assert_eq!(client.line()["id"], 3);
    client.call(4, "plain");
    assert_eq!(client.line()["id"], 4, "and the place is free again");
    assert!(client.end().is_empty(), "no late answer, no late progress");
}

#[test]
fn a_cancel_that_fits_nothing_does_nothing() {
    covers!("9-2", "9-3");
    let (server, go, entries) = gated(Limits::default());
    let mut client = Client::of(&server.build().unwrap());
    client.call(0, "gate");
    entries.recv_timeout(SOON).unwrap();
    client.call("1", "plain");
    assert_eq!(client.line()["id"], "1");
    for params in [
        json!({}),
        json!({"requestId": "0"}), // another type
        json!({"requestId": 1}),
        json!({"requestId": "1"}), // done already
        json!({"requestId": null}),
        json!({"requestId": 0.0}),
        json!({"requestId": {"a": 0}}),
        json!({"requestId": 0, "reason": 5}),
        json!([0]),
    ] {
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}));
    }
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled"}));
    client.call(2, "plain");
    assert_eq!(client.line()["id"], 2);
    go.send(()).unwrap();
    let last = client.line();
    assert_eq!((&last["id"], &last["result"]["content"][0]["text"]), (&json!(0), &json!("let go")));
    assert!(client.end().is_empty());
}

#[test]
fn no_more_run_at_once_than_the_limit_says() {
    covers!("14-8");
    let running = Arc::new(AtomicUsize::new(0));
    let most = Arc::new(AtomicUsize::new(0));
    let (count, peak) = (Arc::clone(&running), Arc::clone(&most));
    let server = builder()
        .limits(Limits { in_flight: 3, ..Limits::default() })
        .tool(Tool::new("count", "Counts"), move |_: NoArgs, _cx| {
            peak.fetch_max(count.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            std::thread::yield_now();
            count.fetch_sub(1, Ordering::SeqCst);
            Ok(text("counted"))
        })
        .build()
        .unwrap();
    let mut client = Client::of(&server);
    for id in 0..200 {
        client.call(id, "count");
    }
    let mut ids: Vec<i64> = (0..200).map(|_| client.line()["id"].as_i64().unwrap()).collect();
    ids.sort_unstable();
    assert_eq!(ids, (0..200).collect::<Vec<i64>>(), "every request is answered once");
    assert!((1..=3).contains(&most.load(Ordering::SeqCst)));
    assert!(client.end().is_empty());
}

/// What the next line changes is told: the stream is registered before that line is read.
#[test]
fn a_listen_request_is_acknowledged_before_the_next_line() {
    covers!("11-17");
    let seen: Arc<Mutex<Vec<String>>> = Arc::default();
    let log = Arc::clone(&seen);
    let server = builder()
        .tool(Tool::new("change", "Announces a change"), |_: NoArgs, cx: &Context<'_>| {
            cx.tools_changed();
            Ok(text("changed"))
        })
        .list_changed()
        .raw_messages(move |_, message| log.lock().unwrap().push(String::from_utf8_lossy(message).into_owned()))
        .build()
        .unwrap();
    let mut client = Client::of(&server);
    let listen = request("subscriptions/listen", json!({"notifications": {"toolsListChanged": true}}));
    let mut change = request("tools/call", json!({"name": "change"}));
    change["id"] = json!("change");
    client.bytes(format!("{listen}\n{change}\n").as_bytes()); // in one piece: the reader has both at hand
    assert_eq!(client.line()["method"], "notifications/subscriptions/acknowledged");
    let both = [client.line(), client.line()];
    assert!(both.iter().any(|line| line["method"] == "notifications/tools/list_changed"), "{both:?}");
    assert!(both.iter().any(|line| line["id"] == "change"), "{both:?}");
    client.end();
    let seen = seen.lock().unwrap();
    let at = |part| seen.iter().position(|message| message.contains(part)).unwrap();
    assert!(at("acknowledged") < at("tools/call"), "{seen:?}");
}

#[test]
fn an_id_in_use_is_refused() {
    covers!("14-10");
    let (server, go, entries) = gated(Limits::default());
    let mut client = Client::of(&server.build().unwrap());
    client.call("a", "gate");
    entries.recv_timeout(SOON).unwrap();
    client.call("a", "plain");
    let error = json!({"code": -32600, "message": "Request id is already in use: \"a\""});
    assert_eq!(client.line(), json!({"jsonrpc": "2.0", "id": "a", "error": error}));
    go.send(()).unwrap();
    assert_eq!(client.line()["result"]["content"][0]["text"], "let go");
    client.call("a", "plain");
    assert_eq!(client.line()["result"]["content"][0]["text"], "plain", "free again");
    assert!(client.end().is_empty());
}

#[test]
fn at_the_end_of_input_streams_end_and_requests_finish() {
    covers!("14-9", "11-14");
    let (server, go, entries) = gated(Limits { drain: SOON, ..Limits::default() });
    let mut client = Client::of(&server.list_changed().build().unwrap());
    let mut listen = request("subscriptions/listen", json!({"notifications": {"toolsListChanged": true}}));
    listen["id"] = json!("listen:0");
    client.send(&listen);
    assert_eq!(client.line()["method"], "notifications/subscriptions/acknowledged");
    client.call(1, "gate");
    entries.recv_timeout(SOON).unwrap();
    client.input = None;
    let end = client.line();
    let meta = json!({crate::kit::SUBSCRIPTION: "listen:0", crate::kit::SERVER: {"name": "test", "version": "1.0.0"}});
    let result = json!({"resultType": "complete", "_meta": meta});
    assert_eq!(end, json!({"jsonrpc": "2.0", "id": "listen:0", "result": result}));
    go.send(()).unwrap();
    assert_eq!(client.line()["id"], 1);
    assert!(client.end().is_empty());
}

#[test]
fn a_cancelled_stream_ends_without_a_result() {
    covers!("9-5");
    let server = gated(Limits::default()).0.list_changed().build().unwrap();
    let mut client = Client::of(&server);
    let mut listen = request("subscriptions/listen", json!({"notifications": {"toolsListChanged": true}}));
    for id in [json!("l"), json!(7)] {
        listen["id"] = id.clone();
        client.send(&listen);
        assert_eq!(client.line()["params"]["_meta"][crate::kit::SUBSCRIPTION], id);
    }
    client.cancel("l");
    client.call(1, "plain"); // the reader has dealt with the cancel once this is answered
    assert_eq!(client.line()["id"], 1);
    server.edit(|edit| edit.remove_tool("gate")).unwrap();
    let note = client.line();
    assert_eq!(
        (&note["method"], &note["params"]["_meta"][crate::kit::SUBSCRIPTION]),
        (&json!("notifications/tools/list_changed"), &json!(7))
    );
    let rest = client.end();
    assert_eq!(
        rest.iter().map(|line| &line["id"]).collect::<Vec<_>>(),
        [7],
        "the other ends with its result: {rest:?}"
    );
}

#[test]
fn an_id_taken_again_after_a_cancel() {
    covers!("9-2", "9-4");
    // The first does not look at its token: it ends after the second has taken its id, and only the second may be answered.
    let (entered, entries) = unbounded();
    let (go, gone) = unbounded::<()>();
    let held = move |_: NoArgs, _: &Context<'_>| -> ToolResult {
        entered.send(()).unwrap();
        gone.recv().unwrap();
        Ok(text("late"))
    };
    let (server, gate, gates) = gated(Limits::default());
    let mut client = Client::of(&server.tool(Tool::new("held", "Hears nothing"), held).build().unwrap());
    client.call(1, "held");
    entries.recv_timeout(SOON).unwrap();
    client.cancel(1);
    client.call(1, "gate");
    assert!(gates.recv_timeout(SOON).unwrap(), "the second runs");
    go.send(()).unwrap();
    client.call(2, "plain");
    assert_eq!(client.line()["id"], 2);
    gate.send(()).unwrap();
    let answer = client.line();
    assert_eq!((&answer["id"], &answer["result"]["content"][0]["text"]), (&json!(1), &json!("let go")));
    assert!(client.end().is_empty());
}

#[test]
fn a_stuck_handler_does_not_hold_the_end() {
    covers!("14-9");
    let (never, stuck) = bounded::<()>(0);
    let entered = Arc::new(Mutex::new(None));
    let (tell, told) = bounded(1);
    *entered.lock().unwrap() = Some(tell);
    let server = builder()
        .limits(Limits { drain: Duration::from_millis(50), ..Limits::default() })
        .tool(Tool::new("stuck", "Looks at nothing"), move |_: NoArgs, _cx| {
            let tell = entered.lock().unwrap().take();
            tell.unwrap().send(()).unwrap();
            let _ = stuck.recv();
            Ok(text("much too late"))
        })
        .build()
        .unwrap();
    let client = Client::of(&server);
    client.call(1, "stuck");
    told.recv_timeout(SOON).unwrap();
    assert!(client.end().is_empty(), "serve has returned, and nothing was answered");
    drop(never);
}

#[test]
fn a_cancel_ends_a_listen_stream_without_a_result() {
    covers!("9-5");
    let server = gated(Limits::default()).0.list_changed().build().unwrap();
    let mut client = Client::of(&server);
    client.send(&request("subscriptions/listen", json!({"notifications": {"toolsListChanged": true}})));
    assert_eq!(client.line()["method"], "notifications/subscriptions/acknowledged");
    client.cancel(1);
    client.call(2, "plain"); // the reader has acted on the cancel when it reads this
    assert_eq!(client.line()["id"], 2);
    server.edit(|edit| edit.remove_tool("gate")).unwrap();
    client.call(3, "plain");
    assert_eq!(client.line()["id"], 3, "no change is told any more");
    assert!(client.end().is_empty(), "and no result");
}

/// One thread is there to say that there are too many streams; the next such request waits for it.
#[test]
fn each_stream_over_the_limit_is_told_so() {
    covers!("11-4");
    const ASKED: usize = 500;
    let limits = Limits { streams: 2, ..Limits::default() };
    let mut client = Client::of(&builder().limits(limits).list_changed().build().unwrap());
    for id in 0..ASKED {
        let mut listen = request("subscriptions/listen", json!({"notifications": {}}));
        listen["id"] = json!(id);
        client.send(&listen);
    }
    let lines: Vec<Value> = (0..ASKED).map(|_| client.line()).collect();
    let refused = lines.iter().filter(|line| line["error"]["message"] == "Too many open listen streams").count();
    assert_eq!(refused, ASKED - 2, "{:?}", lines.iter().find(|line| line["error"]["code"] == -32603));
}
