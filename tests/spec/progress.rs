//! §8.2 Progress.

use std::sync::Mutex;
use std::thread;

use crossbeam_channel::{Sender, bounded};
use plain_mcp::arrival::Via;
use plain_mcp::cancellation::cancellation;
use plain_mcp::dialect::{Arrival, V2026_07_28};
use plain_mcp::envelope::{Notification, Request, RequestId};
use plain_mcp::sink::{Gone, Sink};
use plain_mcp::{Context, Limits, NoArgs, Server, ServerBuilder, Tool, text};
use serde_json::{Value, json};

use crate::kit::Soon;
use crate::kit::{LEVEL, Sent, builder, call, meta_and};
use crate::lines::Connection;

/// A tool that reports these steps: progress, total, message.
fn reporting(builder: ServerBuilder, steps: Vec<(f64, Option<f64>, String)>) -> Server {
    let run = move |_: NoArgs, cx: &Context<'_>| {
        steps.iter().for_each(|(progress, total, message)| cx.progress(*progress, *total, message));
        Ok(text("done"))
    };
    builder.tool(Tool::new("work", "Works"), run).build().unwrap()
}

fn values(values: impl IntoIterator<Item = f64>) -> Vec<(f64, Option<f64>, String)> {
    values.into_iter().map(|value| (value, None, String::new())).collect()
}

fn work(server: &Server, token: Value) -> Sent {
    call(server, "tools/call", json!({"name": "work", "_meta": meta_and(json!({"progressToken": token}))}))
}

/// The values of progress that left.
fn progress(sent: &Sent) -> Vec<&Value> {
    sent.notifications.iter().map(|note| &note["params"]["progress"]).collect()
}

#[test]
fn without_a_token_nothing_is_reported() {
    covers!("8.2-1");
    let server = reporting(builder(), values([1.0, 2.0]));
    for more in [json!({}), json!({LEVEL: "debug"}), json!({"io.modelcontextprotocol/progressToken": 1})] {
        let sent = call(&server, "tools/call", json!({"name": "work", "progressToken": 1, "_meta": meta_and(more)}));
        assert_eq!(sent.notifications, Vec::<Value>::new());
        assert_eq!(sent.result()["content"][0]["text"], "done");
    }
    // nor by the token of the request before
    assert_eq!(work(&server, json!(1)).notifications.len(), 2);
    assert_eq!(call(&server, "tools/call", json!({"name": "work"})).notifications, Vec::<Value>::new());
}

#[test]
fn a_token_is_given_back_as_it_came() {
    covers!("8.2-2");
    let steps = vec![
        (0.0, Some(100.0), "Starting".to_owned()),
        (50.5, None, String::new()),
        (100.0, Some(100.0), "a\n\"b\"\u{2028}".to_owned()),
    ];
    let server = reporting(builder(), steps);
    for token in
        [json!(0), json!(-1), json!(i64::MAX), json!("0"), json!(""), json!("progress-test-1"), json!("é".repeat(128))]
    {
        let note = |params: Value| json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": params});
        let due = [
            note(json!({"progressToken": token, "progress": 0, "total": 100, "message": "Starting"})),
            note(json!({"progressToken": token, "progress": 50.5})),
            note(json!({"progressToken": token, "progress": 100, "total": 100, "message": "a\n\"b\"\u{2028}"})),
        ];
        assert_eq!(work(&server, token).notifications, due);
    }
}

#[test]
fn values_increase() {
    covers!("8.2-3");
    let (nan, infinite, tiny) = (f64::NAN, f64::INFINITY, f64::MIN_POSITIVE);
    for (steps, due) in [
        (vec![1.0, 1.0, 2.0, 1.5, 2.0, 3.0], json!([1, 2, 3])),
        (vec![3.0, 2.0, 1.0], json!([3])),
        (vec![-2.0, -1.0, -0.0, 0.0, 0.5], json!([-2, -1, 0, 0.5])),
        (vec![nan, 1.0, nan, 2.0], json!([1, 2])),
        (vec![infinite, -infinite, 1.0, infinite, 2.0], json!([1, 2])),
        (vec![0.1, 0.2, 0.1 + 0.2, 0.3], json!([0.1, 0.2, 0.1 + 0.2])),
        (vec![0.0, tiny, 1e300], json!([0, tiny, 1e300])),
        (
            vec![9_007_199_254_740_991.0, 9_007_199_254_740_992.0],
            json!([9_007_199_254_740_991_i64, 9_007_199_254_740_992_i64]),
        ),
    ] {
        let sent = work(&reporting(builder(), values(steps)), json!("t"));
        assert_eq!(json!(progress(&sent)), due);
    }
    // a total that is no number is left out
    let sent = work(
        &reporting(builder(), vec![(1.0, Some(nan), String::new()), (2.0, Some(infinite), String::new())]),
        json!(1),
    );
    assert!(sent.notifications.iter().all(|note| note["params"].get("total").is_none()), "{sent:?}");
}

#[test]
fn there_is_a_most() {
    covers!("8.2-4");
    let steps = || values((0..1500).map(f64::from));
    let sent = work(&reporting(builder(), steps()), json!("t"));
    assert_eq!((sent.notifications.len(), progress(&sent).last()), (1000, Some(&&json!(999))));
    let fewer = builder().limits(Limits { progress_updates: 3, ..Limits::default() });
    assert_eq!(progress(&work(&reporting(fewer, steps()), json!("t"))), [&json!(0), &json!(1), &json!(2)]);
    // the most is for each request, and what is dropped for another reason does not count
    let server = reporting(
        builder().limits(Limits { progress_updates: 2, ..Limits::default() }),
        values([1.0, 1.0, f64::NAN, 2.0, 3.0]),
    );
    for _ in 0..2 {
        assert_eq!(progress(&work(&server, json!("t"))), [&json!(1), &json!(2)]);
    }
}

#[test]
fn a_message_is_cut_to_its_bound() {
    covers!("8.2-5");
    for (message, due) in [
        ("x".repeat(4096), "x".repeat(4096)),
        ("x".repeat(4097), "x".repeat(4096)),
        ("é".repeat(2049), "é".repeat(2048)),
        (format!("x{}", "é".repeat(2048)), format!("x{}", "é".repeat(2047))), // never in the middle of a character
        ("😀".repeat(100_000), "😀".repeat(1024)),
    ] {
        let sent = work(&reporting(builder(), vec![(1.0, None, message)]), json!("t"));
        assert_eq!(sent.notifications[0]["params"]["message"], due);
    }
}

/// Keeps the frames that leave, and holds up the first until it may go.
struct Slow {
    seen: Mutex<Vec<Value>>,
    first: Sender<Sender<()>>,
}

impl Sink for Slow {
    fn send(&self, note: &Notification) -> Result<(), Gone> {
        if note.params["progress"] == 1 {
            let (go, wait) = bounded(0);
            self.first.send(go).unwrap();
            wait.soon();
        }
        self.seen.lock().unwrap().push(note.params["progress"].clone());
        Ok(())
    }
}

/// Three threads of a handler report; the first is held up within the sink. The others must not overtake it. Without the lock that
/// the gate holds they would, in most rounds; with it, never.
#[test]
fn threads_of_a_handler_do_not_overtake_each_other() {
    covers!("8.2-3");
    let (first, held) = bounded::<Sender<()>>(0);
    let run = move |_: NoArgs, cx: &Context<'_>| {
        thread::scope(|scope| {
            scope.spawn(|| cx.progress(1.0, None, ""));
            let go = held.soon(); // the first is in the sink
            let (started, running) = bounded(2);
            for value in [2.0, 3.0] {
                let started = started.clone();
                scope.spawn(move || {
                    started.send(()).unwrap();
                    cx.progress(value, None, "");
                });
            }
            running.iter().take(2).for_each(drop);
            (0..50).for_each(|_| thread::yield_now());
            go.send(()).unwrap();
        });
        Ok(text("done"))
    };
    let server = builder().tool(Tool::new("work", "Works"), run).build().unwrap();
    let params = json!({"name": "work", "_meta": meta_and(json!({"progressToken": 1}))});
    let params = params.as_object().unwrap();
    let arrival = Arrival { dialect: &V2026_07_28, principal: None, via: Via::Direct, ending: None };
    for _ in 0..20 {
        let request = Request { id: RequestId::Int(1), method: "tools/call".into(), params: params.clone() };
        let sink = Slow { seen: Mutex::default(), first: first.clone() };
        let (_source, cancel) = cancellation();
        assert!(server.serve(request, &arrival, &sink, &cancel).answer.is_ok());
        let seen: Vec<i64> = sink.seen.lock().unwrap().iter().map(|value| value.as_i64().unwrap()).collect();
        assert_eq!(seen[0], 1);
        assert!(seen.windows(2).all(|pair| pair[0] < pair[1]), "{seen:?}");
    }
}

#[test]
fn notifications_come_before_the_answer() {
    covers!("8.2-6");
    let server = builder()
        .tool(Tool::new("work", "Works"), |_: NoArgs, cx: &Context<'_>| {
            cx.progress(1.0, None, "");
            cx.log(plain_mcp::Level::Info, "", "between");
            cx.progress(2.0, None, "");
            Ok(text("done"))
        })
        .build()
        .unwrap();
    let meta = meta_and(json!({"progressToken": 1, LEVEL: "info"}));
    // `serve` returns the answer after it has given all of them to the sink, in their order
    let sent = call(&server, "tools/call", json!({"name": "work", "_meta": meta}));
    let methods: Vec<&Value> = sent.notifications.iter().map(|note| &note["method"]).collect();
    assert_eq!(methods, ["notifications/progress", "notifications/message", "notifications/progress"]);
    assert_eq!(sent.result()["content"][0]["text"], "done");
}

#[test]
fn a_cancelled_request_reports_no_more() {
    covers!("8.2-6");
    let (source, cancel) = cancellation();
    let source = Mutex::new(Some(source));
    let server = builder()
        .tool(Tool::new("work", "Works"), move |_: NoArgs, cx: &Context<'_>| {
            cx.progress(1.0, None, "");
            source.lock().unwrap().take().unwrap().cancel();
            cx.progress(2.0, None, "");
            cx.log(plain_mcp::Level::Info, "", "late");
            cx.check()?;
            Ok(text("done"))
        })
        .build()
        .unwrap();
    let message = crate::kit::request(
        "tools/call",
        json!({"name": "work", "_meta": meta_and(json!({"progressToken": 1, LEVEL: "info"}))}),
    );
    let sent = crate::kit::bytes_with(&server, message.to_string().as_bytes(), None, &cancel);
    assert_eq!(progress(&sent), [&json!(1)]);
}

/// The handler waits until its first word has arrived.
#[test]
fn on_stdio_notifications_are_lines_that_leave_at_once() {
    covers!("8.3-5", "8.3-6");
    let (heard, wait) = bounded::<()>(0);
    let run = move |_: NoArgs, cx: &Context<'_>| {
        cx.progress(1.0, None, "");
        wait.soon();
        cx.log(plain_mcp::Level::Info, "", "two\nlines");
        Ok(text("done"))
    };
    let client = Connection::new(&builder().tool(Tool::new("work", "Works"), run).build().unwrap());
    let meta = meta_and(json!({"progressToken": "t", LEVEL: "info"}));
    client.send(&crate::kit::request("tools/call", json!({"name": "work", "_meta": meta})));
    assert_eq!(client.next()["method"], "notifications/progress");
    heard.send(()).unwrap();
    assert_eq!(client.next()["params"]["data"], "two\nlines");
    assert_eq!(client.next()["result"]["content"][0]["text"], "done");
    assert_eq!(client.end(), Vec::<Value>::new());
}
