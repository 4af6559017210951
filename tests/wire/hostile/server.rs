//! The side of the victim: a server whose tools do what no tool should do, behind the host as an author starts it.

use std::io::Read;
use std::panic::panic_any;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crossbeam_channel::bounded;
use plain_mcp::http::Host;
use plain_mcp::{Context, Level, Limits, NoArgs, Resource, Server, ServerBuilder, Tool, ToolResult, contents};
use serde::Deserialize;
use serde_json::json;

use crate::kit::builder;
use crate::loopback::PATIENCE;

/// Where the limits of a victim stand that are not the default ones: `name=number` in a row, times in milliseconds.
pub const LIMITS: &str = "PLAIN_MCP_VICTIM_LIMITS";

/// What a tool says on standard output, a line each.
fn say(word: &str) {
    println!("{word}");
}

/// The other side of all tests of this folder. It ends with its standard input.
#[test]
#[ignore = "is started by the attacks"]
fn as_a_process() {
    let limits = std::env::var(LIMITS).unwrap_or_default().split_whitespace().fold(limits(), set);
    let server = server(limits);
    let handle = Host::local(&server, 0).unwrap().start().unwrap();
    say(&format!("\nlistening at {}", handle.local_addr()));
    let _end = std::io::stdin().read(&mut [0]);
    handle.shutdown().unwrap();
}

fn limits() -> Limits {
    Limits { drain: Duration::from_secs(1), ..Limits::default() }
}

fn set(mut limits: Limits, setting: &str) -> Limits {
    let (name, number) = setting.split_once('=').unwrap();
    let number: usize = number.parse().unwrap();
    let time = Duration::from_millis(number as u64);
    match name {
        "connections" => limits.connections = number,
        "body" => limits.body = number,
        "streams" => limits.streams = number,
        "head_deadline" => limits.head_deadline = time,
        "body_deadline" => limits.body_deadline = time,
        "idle_deadline" => limits.idle_deadline = time,
        "write_deadline" => limits.write_deadline = time,
        _ => panic!("{name}: no such limit here"),
    }
    limits
}

#[derive(Deserialize)]
struct Echo {
    text: String,
}

#[derive(Deserialize)]
struct Count {
    n: usize,
}

pub fn server(limits: Limits) -> Server {
    let server = builder().limits(limits).list_changed().subscribe();
    let echo = Tool::new("echo", "Returns its text").input(json!({"type": "object", "required": ["text"],
        "properties": {"text": {"type": "string"}}}));
    let number = json!({"type": "object", "required": ["n"], "properties": {"n": {"type": "integer", "minimum": 0}}});
    let server = server
        .resource(Resource::new("test://motd", "motd"), |_, _| Ok(contents::text("text/plain", "Be plain.")))
        .tool(echo, |echo: Echo, _| Ok(echo.text))
        .tool(Tool::new("large", "Returns so many bytes").input(number.clone()), |count: Count, _| {
            Ok("x".repeat(count.n))
        })
        .tool(Tool::new("touch", "Says of so many resources that they have changed").input(number), touch)
        .tool(Tool::new("silent", "Says nothing until it is cancelled"), silent)
        .tool(Tool::new("flood", "Says something until it is cancelled"), flood);
    stuck(panicking(server)).build().unwrap()
}

/// The resources that `touch` touches: their addresses are long, so that few of them fill a socket.
pub fn resource(number: usize) -> String {
    format!("test://{}/{number}", "long/".repeat(400))
}

fn touch(count: Count, cx: &Context<'_>) -> ToolResult {
    cx.tools_changed();
    (0..count.n).for_each(|number| cx.resource_updated(&resource(number)));
    Ok("touched".into())
}

fn silent(_: NoArgs, cx: &Context<'_>) -> ToolResult {
    say("silent");
    let ended = cx.cancel_token().channel().recv_timeout(PATIENCE);
    say(if ended == Err(crossbeam_channel::RecvTimeoutError::Disconnected) { "cancelled" } else { "forgotten" });
    cx.check()?;
    Ok("never cancelled".into())
}

fn flood(_: NoArgs, cx: &Context<'_>) -> ToolResult {
    let text = "x".repeat(64 * 1024);
    while !cx.cancelled() {
        cx.log(Level::Info, "flood", &text);
    }
    say("cancelled");
    cx.check()?;
    Ok("never cancelled".into())
}

/// Its end is a panic of its own.
struct Grenade;

impl Drop for Grenade {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            panic!("the payload of a panic panics");
        }
    }
}

fn panicking(server: ServerBuilder) -> ServerBuilder {
    let shared: Arc<Mutex<u64>> = Arc::default();
    let (careless, careful) = (Arc::clone(&shared), Arc::clone(&shared));
    server
        .tool(Tool::new("boom", "Panics"), |_: NoArgs, _| -> ToolResult { panic!("boom") })
        .tool(
            Tool::new("grenade", "Panics with something that panics when it is dropped"),
            |_: NoArgs, _| -> ToolResult { panic_any(Grenade) },
        )
        .tool(Tool::new("poison", "Panics while it holds a lock"), move |_: NoArgs, _| -> ToolResult {
            let _held = shared.lock().unwrap_or_else(PoisonError::into_inner);
            panic!("poison")
        })
        .tool(Tool::new("careless", "Takes that lock, and panics if it is poisoned"), move |_: NoArgs, _| {
            Ok(careless.lock().unwrap().to_string())
        })
        .tool(Tool::new("careful", "Takes that lock, poisoned or not"), move |_: NoArgs, _| {
            Ok(careful.lock().unwrap_or_else(PoisonError::into_inner).to_string())
        })
}

/// Tools that never return, and one that, after all, makes them return, so that one can see what is left of them.
fn stuck(server: ServerBuilder) -> ServerBuilder {
    let (release, released) = bounded::<()>(0);
    let release = Mutex::new(Some(release));
    server
        .tool(Tool::new("stuck", "Never returns"), move |_: NoArgs, _| {
            say("stuck");
            let _ = released.recv();
            Ok("returned after all")
        })
        .tool(Tool::new("release", "Lets all that are stuck return"), move |_: NoArgs, _| {
            release.lock().unwrap().take();
            Ok("released")
        })
}
