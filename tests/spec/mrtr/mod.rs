//! §10 Multi round-trip requests through the whole corridor; `state.rs` beside this has the tokens by themselves.

mod capabilities;
mod gate;
mod rounds;
mod sealed;

use std::sync::{Arc, Mutex};

use plain_mcp::types::{InputRequest, elicit};
use plain_mcp::{Context, Event, InputRequired, NoArgs, Secret, Server, ServerBuilder, Tool, ToolResult};
use serde_json::{Value, json};

use crate::kit::{CAPS, REVISION, Sent, VERSION, builder, call, merge};

pub(super) const BAD_STATE: &str = "Invalid or expired request state";

pub(super) fn secret() -> Secret {
    Secret::from_bytes(*b"0123456789abcdef0123456789abcdef").unwrap()
}

/// Every capability that there is.
pub(super) fn all() -> Value {
    json!({"elicitation": {"form": {}, "url": {}}, "sampling": {"tools": {}, "context": {}}, "roots": {}})
}

/// One round: a call of the tool `t`, with these capabilities and these further params.
pub(super) fn round(server: &Server, capabilities: &Value, more: Value) -> Sent {
    let mut params = json!({"name": "t", "_meta": {VERSION: REVISION, CAPS: capabilities}});
    merge(&mut params, more);
    call(server, "tools/call", params)
}

/// A server whose tool `t` is this.
pub(super) fn asks(run: impl Fn(&Context<'_>) -> ToolResult + Send + Sync + 'static) -> Server {
    asking(builder(), run)
}

pub(super) fn asking(
    builder: ServerBuilder,
    run: impl Fn(&Context<'_>) -> ToolResult + Send + Sync + 'static,
) -> Server {
    builder.tool(Tool::new("t", "Asks"), move |_: NoArgs, cx| run(cx)).build().unwrap()
}

/// A server whose tool asks just this.
pub(super) fn asks_this(request: impl Into<InputRequest>) -> Server {
    let request = request.into();
    asks(move |_| Err(InputRequired::new().ask("q", request.clone()).into()))
}

pub(super) fn name_form() -> elicit::Form {
    elicit::form("Please provide name").string("name").required()
}

pub(super) fn accept(content: Value) -> Value {
    json!({"action": "accept", "content": content})
}

pub(super) fn said(sent: &Sent) -> &str {
    assert_eq!(sent.result()["resultType"], "complete", "{sent:?}");
    sent.result()["content"][0]["text"].as_str().unwrap()
}

/// The ids of what is asked.
pub(super) fn asked(sent: &Sent) -> Vec<&str> {
    assert_eq!(sent.result()["resultType"], "input_required", "{sent:?}");
    sent.result()["inputRequests"].as_object().unwrap().keys().map(String::as_str).collect()
}

/// Every internal cause that the server told its observer.
pub(super) fn watched(builder: ServerBuilder) -> (ServerBuilder, Arc<Mutex<Vec<String>>>) {
    let causes = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&causes);
    let builder = builder.observer(move |event| {
        if let Event::Cause { cause, .. } = event {
            kept.lock().unwrap().push((*cause).to_owned());
        }
    });
    (builder, causes)
}
