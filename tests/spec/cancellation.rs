//! §9 Cancellation, as far as no transport is needed.

use std::sync::Mutex;
use std::thread;

use crossbeam_channel::{Receiver, bounded, select, unbounded};
use plain_mcp::cancellation::{CancelSource, InFlight, cancellation};
use plain_mcp::envelope::{Notification, Object, RequestId};
use plain_mcp::sink::{Collect, Gone, Sink};
use plain_mcp::{Context, Interrupt, Level, NoArgs, Prompt, PromptMessage, Server, Tool, ToolOutput};
use serde_json::{Value, json};

use crate::kit::Soon;
use crate::kit::{LEVEL, builder, bytes, bytes_with, meta_and, request, tool};

fn id(id: i64) -> RequestId {
    RequestId::Int(id)
}

fn cancel(table: &InFlight, params: Value) {
    let Value::Object(params) = params else { panic!() };
    table.cancelled(&params, 256);
}

#[test]
fn a_token() {
    covers!("9-9");
    let (source, token) = cancellation();
    let other = token.clone();
    assert!(!token.cancelled() && !other.cancelled());
    assert!(token.channel().try_recv().is_err_and(|error| error.is_empty()));
    source.cancel();
    assert!(token.cancelled() && other.cancelled() && token.cancelled());
    assert!(token.channel().is_over(), "waiting ends at once");
    let (source, token) = cancellation();
    drop(source);
    assert!(token.cancelled(), "a source that is gone has cancelled");
}

#[test]
fn in_flight() {
    covers!("9-1", "9-2");
    let table = InFlight::default();
    let (one, two) = (table.enter(&id(1)).unwrap(), table.enter(&RequestId::Str("1".into())).unwrap());
    assert!(table.enter(&id(1)).is_none(), "in use");
    cancel(&table, json!({"requestId": 1, "reason": "User cancelled", "_meta": {}}));
    assert!(one.cancelled() && !two.cancelled(), "1 is not \"1\"");
    cancel(&table, json!({"requestId": 1}));
    assert!(!table.leave(&id(1), &one), "cancelled: not to be answered");
    cancel(&table, json!({"requestId": "1"}));
    assert!(two.cancelled());

    let three = table.enter(&id(3)).unwrap();
    assert!(table.leave(&id(3), &three), "to be answered");
    assert!(!table.leave(&id(3), &three), "once");
    cancel(&table, json!({"requestId": 3}));
    assert!(table.enter(&id(3)).is_some(), "free again");
}

#[test]
fn malformed_or_unknown() {
    covers!("9-1", "9-2");
    let table = InFlight::default();
    let tokens = [table.enter(&id(1)).unwrap(), table.enter(&RequestId::Str("a".into())).unwrap()];
    for params in [
        json!({}),
        json!({"requestId": null}),
        json!({"requestId": 1.5}),
        json!({"requestId": true}),
        json!({"requestId": [1]}),
        json!({"requestId": {"id": 1}}),
        json!({"requestId": "1"}),
        json!({"requestId": 2}),
        json!({"requestId": "A"}),
        json!({"requestId": 1, "reason": 7}),
        json!({"requestId": 1, "reason": null}),
        json!({"requestId": "x".repeat(257)}),
        json!({"requestid": 1}),
    ] {
        cancel(&table, params.clone());
        assert!(tokens.iter().all(|token| !token.cancelled()), "{params}");
    }
    table.cancel_all();
    assert!(tokens.iter().all(|token| token.cancelled()));
}

#[test]
fn an_id_taken_again_is_another_request() {
    covers!("9-2", "9-9");
    // The handler of the cancelled request still runs while the client uses its id again.
    let table = InFlight::default();
    let old = table.enter(&id(1)).unwrap();
    cancel(&table, json!({"requestId": 1}));
    let new = table.enter(&id(1)).unwrap();
    assert!(!table.leave(&id(1), &old), "its late result is not the answer of the new request");
    assert!(!new.cancelled());
    assert!(table.leave(&id(1), &new));
}

#[test]
fn a_notification_is_not_answered() {
    covers!("9-2", "9-7");
    let server = builder().build().unwrap();
    for params in [json!({"requestId": 1}), json!({"requestId": {}}), json!({}), json!([]), json!(7)] {
        let note = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params});
        let sent = bytes(&server, note.to_string().as_bytes());
        assert_eq!((sent.answer, sent.notifications.len()), (None, 0), "{note}");
    }
}

/// Cancels when the first notification comes, as a peer might.
struct Cancels(Mutex<Option<CancelSource>>, Collect);

impl Sink for Cancels {
    fn send(&self, note: &Notification) -> Result<(), Gone> {
        self.1.send(note)?;
        self.0.lock().unwrap().take();
        Ok(())
    }
}

#[test]
fn no_late_notification_and_an_end_at_the_next_check() {
    covers!("9-4", "9-9", "9-10");
    let server = builder()
        .tool(Tool::new("t", "d"), |_: NoArgs, cx| {
            for step in 1..=1000 {
                cx.check()?;
                cx.log(Level::Info, "", step);
                cx.progress(f64::from(step), None, "");
            }
            Ok("done")
        })
        .build()
        .unwrap();
    let (source, token) = cancellation();
    let sink = Cancels(Mutex::new(Some(source)), Collect::default());
    let caller = server.direct().meta(LEVEL, "debug").meta("progressToken", 1);
    let response = caller.call_with("tools/call", json!({"name": "t"}), &sink, &token);
    let fault = response.answer.unwrap_err();
    assert_eq!((fault.code().number(), fault.message(), fault.detail()), (-32603, "Request was cancelled", None));
    let sent: Vec<String> = sink.1.take().into_iter().map(|note| note.method).collect();
    assert_eq!(sent, ["notifications/message"], "nothing after the cancel, be it progress or log");
}

#[test]
fn cancelled_before_it_began() {
    covers!("9-4", "9-10");
    let server = builder()
        .tool(Tool::new("t", "d"), |_: NoArgs, cx| {
            cx.log(Level::Alert, "", "late");
            cx.check().map(|()| "done")
        })
        .build()
        .unwrap();
    let (source, token) = cancellation();
    source.cancel();
    let params = json!({"name": "t", "_meta": meta_and(json!({LEVEL: "debug"}))});
    let sent = bytes_with(&server, request("tools/call", params).to_string().as_bytes(), None, &token);
    sent.is_error(-32603, "Request was cancelled", None);
    assert!(sent.notifications.is_empty());
}

/// A server whose tool and prompt wait until they are cancelled, and tell when they began.
fn waits() -> (Server, Receiver<()>) {
    let (began, begins) = unbounded();
    let wait = move |cx: &Context<'_>| {
        began.send(()).unwrap();
        let (_never, work) = bounded::<()>(0);
        select! {
            recv(cx.cancel_token().channel()) -> _ => Err(Interrupt::Cancelled),
            recv(work) -> _ => Ok(()),
        }
    };
    let again = wait.clone();
    let server = builder()
        .tool(Tool::new("waits", "d"), move |_: NoArgs, cx| wait(cx).map(|()| ToolOutput::default()))
        .prompt(Prompt::new("waits", "d"), move |_, cx| again(cx).map(|()| PromptMessage::user("")))
        .tool(Tool::new("quick", "d"), |_: NoArgs, _| Ok("quick"))
        .build()
        .unwrap();
    (server, begins)
}

#[test]
fn a_silent_handler_is_woken_and_the_server_lives() {
    covers!("9-9", "9-10");
    let (server, begins) = waits();
    for method in ["tools/call", "prompts/get"] {
        let (source, token) = cancellation();
        thread::scope(|scope| {
            let server = &server;
            let call = scope.spawn(move || {
                let message = request(method, json!({"name": "waits"})).to_string();
                bytes_with(server, message.as_bytes(), None, &token)
            });
            begins.soon();
            source.cancel();
            call.join().unwrap().is_error(-32603, "Request was cancelled", None);
        });
    }
    assert_eq!(tool(&server, "quick", json!({})).result()["content"][0]["text"], "quick");
}

#[test]
fn what_the_request_held_is_freed() {
    covers!("9-9");
    struct Held(crossbeam_channel::Sender<&'static str>);
    impl Drop for Held {
        fn drop(&mut self) {
            self.0.send("freed").unwrap();
        }
    }
    let (sender, freed) = unbounded();
    let server = builder()
        .tool(Tool::new("t", "d"), move |_: NoArgs, cx| {
            let _held = Held(sender.clone());
            cx.check().map(|()| "done")
        })
        .build()
        .unwrap();
    let (source, token) = cancellation();
    source.cancel();
    let message = request("tools/call", json!({"name": "t"})).to_string();
    bytes_with(&server, message.as_bytes(), None, &token);
    assert_eq!(freed.try_recv(), Ok("freed"));
}

#[test]
fn the_server_sends_no_cancel_of_its_own() {
    covers!("9-3");
    // A listen stream that the server ends, one that the client ends, and a call that fails: none says notifications/cancelled.
    let server = builder()
        .tool(Tool::new("t", "d"), |_: NoArgs, _| -> Result<&str, _> { Err(Interrupt::Cancelled) })
        .build()
        .unwrap();
    let listen = request("subscriptions/listen", json!({"notifications": {}})).to_string();
    let (source, token) = cancellation();
    source.cancel();
    let cancelled = bytes_with(&server, listen.as_bytes(), None, &token);
    assert!(cancelled.notifications.is_empty());
    cancelled.is_error(-32603, "Request was cancelled", None);
    server.end_streams();
    let ended = bytes(&server, listen.as_bytes());
    assert_eq!(ended.notifications.len(), 1);
    assert_eq!(ended.notifications[0]["method"], "notifications/subscriptions/acknowledged");
    assert!(tool(&server, "t", json!({})).notifications.is_empty());
}

#[test]
fn empty_params_of_a_cancel() {
    covers!("9-2");
    let table = InFlight::default();
    let token = table.enter(&id(0)).unwrap();
    table.cancelled(&Object::new(), 256);
    assert!(!token.cancelled());
}
