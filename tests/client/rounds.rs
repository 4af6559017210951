//! §10 Rounds of input: what is asked, who answers, and what the retry carries.

use std::sync::Mutex;

use plain_mcp::client::{Client, ClientLimits, Error};
use plain_mcp::types::{Action, CreateMessageResult, ElicitResult, Root, SamplingMessage};
use serde_json::{Value, json};

use crate::script::{Script, modern, result, said};

fn form() -> Value {
    json!({"method": "elicitation/create", "params": {"mode": "form", "message": "Name?",
        "requestedSchema": {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}}})
}

/// A tool that asks this once, with this state, and is done when it is called again.
fn asks(requests: Value, state: Option<&'static str>) -> Script {
    let asked = Mutex::new(false);
    modern(json!([]), move |call| {
        if std::mem::replace(&mut *asked.lock().unwrap(), true) {
            return result(call, said("done"));
        }
        let mut answer = json!({"resultType": "input_required"});
        if !requests.is_null() {
            answer["inputRequests"] = requests.clone();
        }
        if let Some(state) = state {
            answer["requestState"] = json!(state);
        }
        result(call, answer)
    })
}

fn calls(script: &Script) -> Vec<Value> {
    script.asked().into_iter().filter(|asked| asked.method() == "tools/call").map(|asked| asked.body).collect()
}

#[test]
fn a_retry_has_a_new_id_the_state_and_the_inputs() {
    covers!("18.1-9", "18.1-10", "18.1-11");
    let state = "s=1&t=\"q\"\\\u{e9} ";
    let script = asks(json!({"who": form()}), Some(state));
    let client = Client::http(&script.url)
        .on_elicit(|form| {
            assert_eq!(form.message, "Name?");
            Ok(ElicitResult::accept(None).field("name", "Ada"))
        })
        .connect()
        .unwrap();
    assert_eq!(client.tool("t", json!({"a": 1})).call().unwrap().text(), "done");
    let [first, second] = &calls(&script)[..] else { panic!("two calls") };
    assert_ne!(first["id"], second["id"]);
    assert_eq!(first["params"]["arguments"], second["params"]["arguments"]);
    assert_eq!(first["params"].get("inputResponses"), None);
    assert_eq!(first["params"].get("requestState"), None);
    assert_eq!(second["params"]["requestState"], state);
    assert_eq!(second["params"]["inputResponses"], json!({"who": {"action": "accept", "content": {"name": "Ada"}}}));
    assert_eq!(first["params"]["_meta"], second["params"]["_meta"]);
}

#[test]
fn without_a_state_none_is_sent() {
    covers!("18.1-10");
    let script = asks(json!({"who": form()}), None);
    let client = Client::http(&script.url).on_elicit(|_| Ok(ElicitResult::decline())).connect().unwrap();
    client.tool("t", ()).call().unwrap();
    let second = &calls(&script)[1];
    assert_eq!(second["params"].get("requestState"), None);
    assert_eq!(second["params"]["inputResponses"], json!({"who": {"action": "decline"}}));
}

#[test]
fn a_state_alone_is_sent_back_alone() {
    covers!("18.1-12");
    let script = asks(Value::Null, Some("only"));
    let client = Client::http(&script.url).connect().unwrap();
    assert_eq!(client.tool("t", json!({"a": 1})).call().unwrap().text(), "done");
    let second = &calls(&script)[1];
    assert_eq!(second["params"]["requestState"], "only");
    assert_eq!(second["params"].get("inputResponses"), None);
}

#[test]
fn all_kinds_are_answered_by_their_handlers() {
    covers!("18.1-13", "18.1-14");
    let requests = json!({
        "form": form(),
        "page": {"method": "elicitation/create", "params": {"mode": "url", "message": "Log in", "url": "https://example.com/x"}},
        "model": {"method": "sampling/createMessage", "params": {"maxTokens": 5,
            "messages": [{"role": "user", "content": {"type": "text", "text": "Hi"}}]}},
        "roots": {"method": "roots/list"},
    });
    let script = asks(requests, None);
    let client = Client::http(&script.url)
        .on_elicit(|_| Ok(ElicitResult::accept(None).field("name", "Ada")))
        .on_elicit_url(|page| {
            assert_eq!(page.url, "https://example.com/x");
            Ok(Action::Accept)
        })
        .on_sample(|ask| {
            assert_eq!(ask.messages, [SamplingMessage::user("Hi".to_owned())]);
            Ok(CreateMessageResult::new("Hello", "m"))
        })
        .roots([Root::new("file:///a")])
        .connect()
        .unwrap();
    client.tool("t", ()).call().unwrap();
    let both = calls(&script);
    assert_eq!(
        both[1]["params"]["inputResponses"],
        json!({
            "form": {"action": "accept", "content": {"name": "Ada"}},
            "page": {"action": "accept"},
            "model": {"role": "assistant", "content": {"type": "text", "text": "Hello"}, "model": "m"},
            "roots": {"roots": [{"uri": "file:///a"}]},
        })
    );
    let declared = json!({"elicitation": {"form": {}, "url": {}}, "sampling": {}, "roots": {}});
    assert_eq!(both[0]["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"], declared);
}

#[test]
fn what_is_declared_is_what_there_are_handlers_for() {
    covers!("18.1-13");
    let script = modern(json!([]), |call| result(call, said("ok")));
    let client = Client::http(&script.url).connect().unwrap();
    client.tool("t", ()).call().unwrap();
    let meta = &script.only("tools/call").body["params"]["_meta"];
    assert_eq!(meta["io.modelcontextprotocol/clientCapabilities"], json!({}));

    let script = modern(json!([]), |call| result(call, said("ok")));
    let client = Client::http(&script.url)
        .on_elicit(|_| Ok(ElicitResult::cancel()))
        .on_sample(|_| Err("no".into()))
        .sample_tools()
        .extension("com.example/x", json!({"a": 1}))
        .experimental("y", json!({}))
        .connect()
        .unwrap();
    client.tool("t", ()).call().unwrap();
    let meta = &script.only("tools/call").body["params"]["_meta"];
    let declared = json!({"elicitation": {"form": {}}, "sampling": {"tools": {}}, "experimental": {"y": {}},
        "extensions": {"com.example/x": {"a": 1}}});
    assert_eq!(meta["io.modelcontextprotocol/clientCapabilities"], declared);
}

/// The error of a call that asks this, and that only one request was sent.
fn refused(
    requests: Value,
    build: impl FnOnce(plain_mcp::client::ClientBuilder) -> plain_mcp::client::ClientBuilder,
) -> Error {
    let script = asks(requests, None);
    let client = build(Client::http(&script.url)).connect().unwrap();
    let error = client.tool("t", ()).call().unwrap_err();
    assert_eq!(calls(&script).len(), 1, "no retry");
    error
}

#[test]
fn what_nobody_answers_ends_the_call_here() {
    covers!("18.1-15");
    let input = |reason: &str| Error::Input { method: "elicitation/create".to_owned(), reason: reason.to_owned() };
    assert_eq!(refused(json!({"a": form()}), |b| b), input("the client has no handler for forms"));
    assert_eq!(refused(json!({"a": form()}), |b| b.on_elicit(|_| Err("not now".into()))), input("not now"));
    assert_eq!(refused(json!({"a": form()}), |b| b.on_elicit(|_| panic!("oh"))), input("the handler panicked: oh"));
    // accepted without the field that is required
    let wrong = refused(json!({"a": form()}), |b| b.on_elicit(|_| Ok(ElicitResult::accept(None))));
    assert_eq!(wrong, input("the handler's answer does not fit what was asked"));
    let tools =
        json!({"a": {"method": "sampling/createMessage", "params": {"maxTokens": 1, "messages": [], "tools": []}}});
    let error = refused(tools, |b| b.on_sample(|_| Ok(CreateMessageResult::new("x", "m"))));
    assert!(matches!(error, Error::Input { .. } | Error::Protocol(_)), "{error:?}");
    assert!(matches!(refused(json!({"a": {"method": "what/ever"}}), |b| b), Error::Input { .. }));
}

#[test]
fn rounds_are_bounded() {
    covers!("18.1-16");
    let script =
        modern(json!([]), |call| result(call, json!({"resultType": "input_required", "inputRequests": {"a": form()}})));
    let limits = ClientLimits { rounds: 3, ..ClientLimits::default() };
    let client = Client::http(&script.url).limits(limits).on_elicit(|_| Ok(ElicitResult::cancel())).connect().unwrap();
    let error = client.tool("t", ()).call().unwrap_err();
    assert_eq!(error, Error::TooLarge { what: "the number of rounds of a call", limit: 3 });
    assert_eq!(calls(&script).len(), 3);
}

#[test]
fn what_is_no_result_is_refused() {
    covers!("18.1-17");
    for answer in [
        json!({"resultType": "input_required"}),
        json!({"resultType": "input_required", "requestState": 1}),
        json!({"resultType": "input_required", "inputRequests": []}),
        json!({"resultType": "task", "task": {}}),
        json!({"resultType": 1, "content": []}),
        json!({"resultType": "complete"}),
        json!({"resultType": "complete", "content": {}}),
        json!([]),
    ] {
        let said = answer.clone();
        let script = modern(json!([]), move |call| result(call, said.clone()));
        let client = Client::http(&script.url).connect().unwrap();
        let error = client.tool("t", ()).call().unwrap_err();
        assert!(matches!(error, Error::Protocol(_)), "{answer}: {error:?}");
    }
}

#[test]
fn an_absent_result_type_is_complete() {
    covers!("18.1-18");
    let script = modern(json!([]), |call| result(call, json!({"content": [{"type": "text", "text": "old"}]})));
    let client = Client::http(&script.url).connect().unwrap();
    assert_eq!(client.tool("t", ()).call().unwrap().text(), "old");
    assert_eq!(calls(&script).len(), 1);
}
