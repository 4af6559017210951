//! §16 The conformance fixture, row by row, without the runner.

use std::thread;

use crossbeam_channel::{Sender, unbounded};
use plain_mcp::Server;
use plain_mcp::cancellation::cancellation;
use plain_mcp::envelope::Notification;
use plain_mcp::sink::{Gone, Sink};
use serde_json::{Value, json};

use crate::kit::Soon;
use crate::kit::{CAPS, LEVEL, SUBSCRIPTION, Sent, call, merge, meta_and};

#[path = "../../fixture/bench.rs"]
mod bench;
#[path = "../../fixture/cases.rs"]
mod cases;
#[path = "../../fixture/conformance.rs"]
mod conformance;
#[path = "../../fixture/mrtr.rs"]
mod mrtr;
#[path = "../../fixture/options.rs"]
mod options;
#[path = "../../fixture/prompts.rs"]
mod prompts;
#[path = "../../fixture/resources.rs"]
mod resources;
#[path = "../../fixture/server.rs"]
mod server;
#[path = "../../fixture/tools.rs"]
mod tools;

mod listing;
mod profiles;

use server::{Profile, server};

const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mP8/x8AAusB9Y9Z4p8AAAAASUVORK5CYII=";

/// What the runner's client declares.
fn all_capabilities() -> Value {
    json!({"sampling": {}, "elicitation": {}, "roots": {"listChanged": true}})
}

fn fixture() -> Server {
    server(Profile::Conformance, None, None).unwrap()
}

/// A call of a tool with `{}` by a client that can do everything, and with these params added.
fn tool(name: &str, more: Value) -> Sent {
    on(&fixture(), name, more)
}

/// The same on a server that more than one round is played on.
fn on(server: &Server, name: &str, more: Value) -> Sent {
    let mut params = json!({"name": name, "arguments": {}, "_meta": meta_and(json!({CAPS: all_capabilities()}))});
    merge(&mut params, more);
    call(server, "tools/call", params)
}

/// The content of a tool's result that has not failed.
fn content(sent: &Sent) -> &Value {
    assert_eq!(sent.result()["isError"], false, "{sent:?}");
    &sent.result()["content"]
}

fn text(text: &str) -> Value {
    json!([{"type": "text", "text": text}])
}

/// The requests of an `input_required` result.
fn asked(sent: &Sent) -> &Value {
    assert_eq!(sent.result()["resultType"], "input_required", "{sent:?}");
    &sent.result()["inputRequests"]
}

fn state(sent: &Sent) -> String {
    sent.result()["requestState"].as_str().expect("a state").to_owned()
}

fn accept(content: Value) -> Value {
    json!({"action": "accept", "content": content})
}

fn model_says(text: &str) -> Value {
    json!({"role": "assistant", "content": {"type": "text", "text": text}, "model": "test-model", "stopReason": "endTurn"})
}

fn a_root() -> Value {
    json!({"roots": [{"uri": "file:///test/root", "name": "Test Root"}]})
}

fn name_form() -> Value {
    json!({"method": "elicitation/create", "params": {
        "mode": "form",
        "message": "Please provide name",
        "requestedSchema": {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]},
    }})
}

fn sampling(text: &str, max_tokens: i64) -> Value {
    json!({"method": "sampling/createMessage", "params": {
        "messages": [{"role": "user", "content": {"type": "text", "text": text}}],
        "maxTokens": max_tokens,
    }})
}

#[test]
fn simple_text() {
    covers!("16.1-1");
    let sent = call(&fixture(), "tools/call", json!({"name": "test_simple_text"}));
    assert_eq!(content(&sent), &text("This is a simple text response for testing."));
}

#[test]
fn an_image() {
    covers!("16.1-2");
    let sent = tool("test_image_content", json!({}));
    assert_eq!(content(&sent), &json!([{"type": "image", "data": PNG, "mimeType": "image/png"}]));
}

#[test]
fn a_sound() {
    covers!("16.1-3");
    let wav = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";
    let sent = tool("test_audio_content", json!({}));
    assert_eq!(content(&sent), &json!([{"type": "audio", "data": wav, "mimeType": "audio/wav"}]));
}

#[test]
fn an_embedded_resource() {
    covers!("16.1-4");
    let resource = json!({
        "uri": "test://embedded-resource",
        "mimeType": "text/plain",
        "text": "This is an embedded resource content.",
    });
    let sent = tool("test_embedded_resource", json!({}));
    assert_eq!(content(&sent), &json!([{"type": "resource", "resource": resource}]));
}

#[test]
fn mixed_content() {
    covers!("16.1-5");
    let resource = json!({
        "uri": "test://mixed-content-resource",
        "mimeType": "application/json",
        "text": r#"{"test":"data","value":123}"#,
    });
    let sent = tool("test_multiple_content_types", json!({}));
    let wanted = json!([
        {"type": "text", "text": "Multiple content types test:"},
        {"type": "image", "data": PNG, "mimeType": "image/png"},
        {"type": "resource", "resource": resource},
    ]);
    assert_eq!(content(&sent), &wanted);
}

#[test]
fn a_failure() {
    covers!("16.1-6");
    let sent = tool("test_error_handling", json!({}));
    assert_eq!(sent.result()["isError"], true);
    assert_eq!(sent.result()["content"], text("This tool intentionally returns an error for testing"));
}

#[test]
fn progress() {
    covers!("16.1-7");
    let sent = tool("test_tool_with_progress", json!({"_meta": meta_and(json!({"progressToken": "progress-test-1"}))}));
    let step = |progress, message| {
        json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": {
            "progressToken": "progress-test-1", "progress": progress, "total": 100, "message": message,
        }})
    };
    let steps = [step(0, "Starting computation"), step(50, "First half complete"), step(100, "Computation complete")];
    assert_eq!(sent.notifications, steps);
    assert_eq!(content(&sent), &text("Progress computation completed: 5050"));
    assert_eq!(tool("test_tool_with_progress", json!({})).notifications, [] as [Value; 0]);
}

#[test]
fn a_missing_capability() {
    covers!("16.1-8");
    let without = tool("test_missing_capability", json!({"_meta": meta_and(json!({}))}));
    let data = json!({"requiredCapabilities": {"sampling": {}}});
    without.is_error(-32021, "Missing required client capability", Some(data));
    let asked = asked(&tool("test_missing_capability", json!({}))).clone();
    assert_eq!(asked.as_object().unwrap().values().next().unwrap()["method"], "sampling/createMessage");
}

#[test]
fn logs() {
    covers!("16.1-9");
    let silent = tool("test_logging_tool", json!({}));
    assert_eq!(content(&silent), &text("Logged at every level"));
    assert_eq!(silent.notifications, [] as [Value; 0]);

    let sent = tool("test_logging_tool", json!({"_meta": meta_and(json!({LEVEL: "debug"}))}));
    let levels = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];
    let wanted = levels.map(|level| {
        json!({"jsonrpc": "2.0", "method": "notifications/message", "params": {
            "level": level, "logger": "conformance", "data": format!("{level} message"),
        }})
    });
    assert_eq!(sent.notifications, wanted);
}

#[test]
fn an_elicitation_that_is_not_streamed() {
    covers!("16.1-10");
    let sent = tool("test_streaming_elicitation", json!({"_meta": meta_and(json!({CAPS: {"elicitation": {}}}))}));
    assert_eq!(asked(&sent), &json!({"user_name": name_form()}));
    assert_eq!(sent.notifications, [] as [Value; 0]);
}

/// Hands notifications over as they come.
struct Told(Sender<Value>);

impl Sink for Told {
    fn send(&self, note: &Notification) -> Result<(), Gone> {
        self.0.send(serde_json::from_str(&note.to_json()).unwrap()).map_err(|_| Gone)
    }
}

/// The first notification that a listener is told after the acknowledgement, when this tool is called.
fn told(filter: &Value, acknowledged: &Value, trigger: &str) -> Value {
    let server = fixture();
    let (sender, notes) = unbounded();
    let (source, cancel) = cancellation();
    thread::scope(|scope| {
        let listen = json!({"notifications": filter});
        let direct = server.direct();
        scope.spawn(move || direct.call_with("subscriptions/listen", listen, &Told(sender), &cancel));
        assert_eq!(notes.soon()["params"]["notifications"], *acknowledged);
        content(&on(&server, trigger, json!({})));
        let note = notes.soon();
        source.cancel();
        note
    })
}

#[test]
fn triggers() {
    covers!("16.1-11", "16.1-12");
    let tools = json!({"toolsListChanged": true});
    let note = told(&tools, &tools, "test_trigger_tool_change");
    assert_eq!(note["method"], "notifications/tools/list_changed");
    assert_eq!(note["params"]["_meta"][SUBSCRIPTION], 1);

    let prompts = json!({"promptsListChanged": true});
    let note = told(&prompts, &prompts, "test_trigger_prompt_change");
    assert_eq!(note["method"], "notifications/prompts/list_changed");
}

#[test]
fn asks_for_a_name() {
    covers!("16.1-13");
    let name = "test_input_required_result_elicitation";
    assert_eq!(asked(&tool(name, json!({}))), &json!({"user_name": name_form()}));
    let alice = accept(json!({"name": "Alice"}));
    let hello = text("Hello, Alice!");
    assert_eq!(content(&tool(name, json!({"inputResponses": {"user_name": alice}}))), &hello);
    // no state is demanded, and what nobody asked for is ignored
    let more = json!({"inputResponses": {"user_name": alice, "unknown_extra_key": accept(json!({"a": 1}))}});
    assert_eq!(content(&tool(name, more)), &hello);
    let wrong = json!({"inputResponses": {"wrong_key": alice}});
    assert_eq!(asked(&tool(name, wrong)), &json!({"user_name": name_form()}));
    for odd in [json!({"user_name": 12345}), Value::Null] {
        assert_eq!(tool(name, json!({"inputResponses": odd})).error()["code"], -32602);
    }
}

#[test]
fn asks_the_model() {
    covers!("16.1-14");
    let name = "test_input_required_result_sampling";
    let question = sampling("What is the capital of France?", 100);
    assert_eq!(asked(&tool(name, json!({}))), &json!({"capital_question": question}));
    let sent = tool(name, json!({"inputResponses": {"capital_question": model_says("Paris")}}));
    assert_eq!(content(&sent), &text("The model answered: Paris"));
}

#[test]
fn asks_for_roots() {
    covers!("16.1-15");
    let name = "test_input_required_result_list_roots";
    let wanted = json!({"client_roots": {"method": "roots/list", "params": {}}});
    assert_eq!(asked(&tool(name, json!({}))), &wanted);
    let sent = tool(name, json!({"inputResponses": {"client_roots": a_root()}}));
    assert_eq!(content(&sent), &text("The client's roots: file:///test/root"));
}

#[test]
fn carries_a_state() {
    covers!("16.1-16");
    let (server, name) = (fixture(), "test_input_required_result_request_state");
    let first = on(&server, name, json!({}));
    let schema = json!({"type": "object", "properties": {"ok": {"type": "boolean"}}, "required": ["ok"]});
    assert_eq!(asked(&first)["confirm"]["method"], "elicitation/create");
    assert_eq!(asked(&first)["confirm"]["params"]["requestedSchema"], schema);
    let answer = json!({"confirm": accept(json!({"ok": true}))});
    let second = on(&server, name, json!({"inputResponses": answer, "requestState": state(&first)}));
    assert_eq!(content(&second), &text("state-ok: ok is true"));
    asked(&on(&server, name, json!({"inputResponses": answer}))); // an answer without the state counts for nothing
}

#[test]
fn asks_three_things_at_once() {
    covers!("16.1-17");
    let (server, name) = (fixture(), "test_input_required_result_multiple_inputs");
    let first = on(&server, name, json!({}));
    let wanted = json!({
        "user_name": name_form(),
        "greeting": sampling("Generate a greeting", 50),
        "client_roots": {"method": "roots/list", "params": {}},
    });
    assert_eq!(asked(&first), &wanted);
    let answers = json!({
        "user_name": accept(json!({"name": "Alice"})),
        "greeting": model_says("Hello there!"),
        "client_roots": a_root(),
    });
    let second = on(&server, name, json!({"inputResponses": answers, "requestState": state(&first)}));
    assert_eq!(content(&second), &text("Hello there! Alice, your roots: file:///test/root"));
}

#[test]
fn asks_twice() {
    covers!("16.1-18");
    let (server, name) = (fixture(), "test_input_required_result_multi_round");
    let first = on(&server, name, json!({}));
    assert_eq!(asked(&first).as_object().unwrap().keys().collect::<Vec<_>>(), ["step1"]);
    let answer = json!({"step1": accept(json!({"name": "Alice"}))});
    let second = on(&server, name, json!({"inputResponses": answer, "requestState": state(&first)}));
    assert_eq!(asked(&second).as_object().unwrap().keys().collect::<Vec<_>>(), ["step2"]);
    assert_ne!(state(&second), state(&first));
    let answer = json!({"step2": accept(json!({"color": "blue"}))});
    let third = on(&server, name, json!({"inputResponses": answer, "requestState": state(&second)}));
    assert_eq!(content(&third), &text("Alice likes blue"));
}

#[test]
fn refuses_a_tampered_state() {
    covers!("16.1-19");
    let (server, name) = (fixture(), "test_input_required_result_tampered_state");
    let first = on(&server, name, json!({}));
    let answer = json!({"confirm": accept(json!({"ok": true}))});
    let good = json!({"inputResponses": answer, "requestState": state(&first)});
    let bad = json!({"inputResponses": answer, "requestState": format!("{}-TAMPERED", state(&first))});
    on(&server, name, bad).is_error(-32602, "Invalid or expired request state", None);
    assert_eq!(content(&on(&server, name, good)), &text("state-ok: ok is true"));
}

#[test]
fn asks_only_what_the_client_can_do() {
    covers!("16.1-20");
    let name = "test_input_required_result_capabilities";
    let meta = meta_and(json!({CAPS: {"sampling": {}}}));
    let greeting = json!({"greeting": sampling("Generate a greeting", 50)});
    assert_eq!(asked(&tool(name, json!({"_meta": meta}))), &greeting);
    let answer = json!({"inputResponses": {"greeting": model_says("Hi")}, "_meta": meta});
    assert_eq!(content(&tool(name, answer)), &text("Hi"));
    let both = asked(&tool(name, json!({}))).clone();
    assert_eq!(both.as_object().unwrap().keys().collect::<Vec<_>>(), ["greeting", "user_name"]);
}
