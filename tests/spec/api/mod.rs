//! What an author can rely on.

mod build;
mod caching;
mod handlers;
mod hooks;

use std::sync::{Arc, Mutex};

use plain_mcp::{Context, Event, Interrupt, NoArgs, ResourceOutput, ServerBuilder, ToolResult, Vars, contents, text};
use serde_json::Value;

pub(super) fn ok(_: NoArgs, _: &Context<'_>) -> ToolResult {
    Ok(text("ok"))
}

pub(super) fn first_text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap()
}

pub(super) fn read_whole(uri: &str, _: &Context<'_>) -> Result<ResourceOutput, Interrupt> {
    Ok(contents::text("text/plain", uri).into())
}

pub(super) fn read_part(vars: &Vars, _: &Context<'_>) -> Result<ResourceOutput, Interrupt> {
    Ok(contents::text("text/plain", vars.get("x").unwrap_or_default()).into())
}

/// What an observer has heard, a line each.
pub(super) fn observed(builder: ServerBuilder) -> (ServerBuilder, Arc<Mutex<Vec<String>>>) {
    let lines = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&lines);
    let builder = builder.observer(move |event| {
        kept.lock().unwrap().push(match event {
            Event::Call { method, name, duration, outcome } => {
                format!("{method} {} {} {outcome:?}", name.unwrap_or("-"), duration.as_millis())
            }
            Event::Cause { method, cause } => format!("{method}: {cause}"),
            other => format!("{other:?}"),
        });
    });
    (builder, lines)
}
