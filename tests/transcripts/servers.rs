//! The servers that the transcripts are played against, by the names that they give them.

use std::sync::Mutex;
use std::sync::mpsc::channel;

use plain_mcp::{Context, Limits, NoArgs, Resource, Server, Tool, ToolOutput, contents, text};
use serde::Deserialize;
use serde_json::json;

use crate::PATIENCE;

#[path = "../../fixture/bench.rs"]
#[allow(dead_code)] // of the fixture's profiles only one is played
mod bench;
#[path = "../../fixture/cases.rs"]
#[allow(dead_code)]
mod cases;
#[path = "../../fixture/conformance.rs"]
mod conformance;
#[path = "../../fixture/mrtr.rs"]
mod mrtr;
#[path = "../../fixture/prompts.rs"]
mod prompts;
#[path = "../../fixture/resources.rs"]
mod resources;
#[path = "../../fixture/server.rs"]
#[allow(dead_code)]
mod server;
#[path = "../../fixture/tools.rs"]
mod tools;

/// A fresh server of this name.
pub fn named(name: &str) -> Result<Server, String> {
    match name {
        "conformance" => Ok(server::server(server::Profile::Conformance, None, None).unwrap()),
        "small" => Ok(small()),
        _ => Err(format!("there is no server {name:?}")),
    }
}

#[derive(Deserialize)]
struct Sum {
    a: i64,
    b: i64,
}

/// `small`: five tools and one resource; a page has two items.
///
/// `wait` reports progress once and then waits to be cancelled; `watch` waits until `wait` has been. `touch` says that the
/// resource has changed. The calls are one after the other in a transcript, so one channel is enough for all.
fn small() -> Server {
    let integer = json!({"type": "integer"});
    let (cancelled, seen) = channel();
    let (cancelled, seen) = (Mutex::new(cancelled), Mutex::new(seen));
    Server::builder("small", "1.0.0")
        .instructions("Add two integers, or wait.")
        .limits(Limits { page: 2, ..Limits::default() })
        .subscribe()
        .tool(
            Tool::new("add", "Adds two integers").input(json!({
                "type": "object",
                "properties": {"a": integer, "b": integer},
                "required": ["a", "b"],
                "additionalProperties": false,
            })),
            |sum: Sum, _| Ok(ToolOutput::structured(json!({"sum": sum.a + sum.b}))),
        )
        .tool(Tool::new("fail", "Fails inside"), |_: NoArgs, _| -> plain_mcp::ToolResult {
            std::panic::resume_unwind(Box::new("the cause is told to nobody")) // a panic that prints nothing
        })
        .tool(Tool::new("touch", "Says that the notes have changed"), |_: NoArgs, cx| {
            cx.resource_updated("note://all");
            Ok(text("Touched"))
        })
        .tool(Tool::new("wait", "Waits to be cancelled"), move |_: NoArgs, cx: &Context<'_>| {
            cx.progress(0.0, None, "Waiting");
            let _disconnected = cx.cancel_token().channel().recv();
            cx.progress(1.0, None, "Too late");
            cancelled.lock().unwrap().send(()).unwrap();
            Ok(text("Too late"))
        })
        .tool(Tool::new("watch", "Waits until a call of wait has been cancelled"), move |_: NoArgs, _| {
            seen.lock().unwrap().recv_timeout(PATIENCE).unwrap();
            Ok(text("A call of wait was cancelled"))
        })
        .resource(Resource::new("note://all", "notes"), |_, _| Ok(contents::text("text/plain", "Nothing yet")))
        .build()
        .unwrap()
}
