//! What an operator can watch, and what a panic does.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use plain_mcp::cancellation::cancellation;
use plain_mcp::errors::Code;
use plain_mcp::types::elicit;
use plain_mcp::{
    Clock, Interrupt, NoArgs, Outcome, Prompt, PromptMessage, Resource, ResourceOutput, ResourceTemplate, SystemClock,
    Tool, ToolOutput,
};
use serde_json::json;

use super::*;
use crate::kit::{CAPS, REVISION, VERSION, builder, bytes_with, call, meta_and, request, tool};

/// A clock whose every look is 7 ms after the one before.
struct Ticks(AtomicU64);

impl Clock for Ticks {
    fn now(&self) -> u64 {
        0
    }

    fn monotonic(&self) -> Duration {
        Duration::from_millis(7 * self.0.fetch_add(1, Ordering::Relaxed))
    }
}

/// Without a clock of the author's, states live and calls are timed by that of the system.
#[test]
fn the_clock_of_the_system_goes() {
    covers!("api-3", "10.4-4");
    let clock = SystemClock::default();
    assert!(clock.now() > 1_767_225_600, "it is later than the year 2025");
    let before = clock.monotonic();
    assert!((0..10_000_000).any(|_| clock.monotonic() > before));
}

#[test]
fn the_observer_sees_every_call() {
    covers!("api-3");
    let (builder, lines) = observed(builder().clock(Ticks(AtomicU64::new(0))));
    let server = builder
        .tool(Tool::new("ok", "d"), ok)
        .tool(Tool::new("bad", "d"), |_: NoArgs, _| Ok(ToolOutput::error("no")))
        .tool(Tool::new("asks", "d"), |_: NoArgs, cx| cx.ask("q", elicit::form("m")).map(|_| ""))
        .tool(Tool::new("stops", "d"), |_: NoArgs, cx| cx.check().map(|()| "went on"))
        .resource(Resource::new("test://r", "r"), read_whole)
        .prompt(Prompt::new("p", "d"), |_, _| Ok(PromptMessage::user("")))
        .build()
        .unwrap();
    let meta = json!({VERSION: REVISION, CAPS: {"elicitation": {}}});
    call(&server, "server/discover", json!({}));
    call(&server, "tools/list", json!({}));
    tool(&server, "ok", json!({}));
    tool(&server, "bad", json!({}));
    call(&server, "tools/call", json!({"name": "asks", "_meta": meta}));
    tool(&server, "asks", json!({}));
    tool(&server, "nope", json!({}));
    call(&server, "resources/read", json!({"uri": "test://r"}));
    call(&server, "prompts/get", json!({"name": "p"}));
    call(&server, "prompts/get", json!({"name": 7}));
    call(&server, "ping", json!({}));
    call(&server, "tools/list", json!({"_meta": {}}));
    let (source, token) = cancellation();
    source.cancel();
    for name in ["stops", "ok"] {
        let message = request("tools/call", json!({"name": name})).to_string();
        bytes_with(&server, message.as_bytes(), None, &token);
    }
    assert_eq!(
        *lines.lock().unwrap(),
        [
            "server/discover - 7 Complete",
            "tools/list - 7 Complete",
            "tools/call ok 7 Complete",
            "tools/call bad 7 ToolError",
            "tools/call asks 7 InputRequired",
            "tools/call: the client did not declare it",
            "tools/call asks 7 Error(Code(-32021))",
            "tools/call nope 7 Error(Code(-32602))",
            "resources/read test://r 7 Complete",
            "prompts/get p 7 Complete",
            "prompts/get - 7 Error(Code(-32602))",
            "ping - 7 Error(Code(-32601))",
            "tools/list - 7 Error(Code(-32602))",
            "tools/call stops 7 Cancelled",
            "tools/call ok 7 Cancelled", // it went on to its end, and nothing of it is sent
        ]
    );
}

#[test]
fn the_observer_sees_causes_that_are_not_sent() {
    covers!("api-3", "12-5");
    let (builder, lines) = observed(builder());
    let server = builder
        .tool(Tool::new("panics", "d"), |_: NoArgs, _| -> Result<&str, _> { panic!("secret {}", 7) })
        .tool(Tool::new("plain", "d"), |_: NoArgs, _| -> Result<&str, _> { panic!("secret") })
        .tool(Tool::new("odd", "d"), |_: NoArgs, _| -> Result<&str, _> { std::panic::panic_any(7) })
        .tool(Tool::new("output", "d").output(json!({"type": "object"})), |_: NoArgs, _| {
            Ok(ToolOutput::structured("secret"))
        })
        .resource(Resource::new("test://fails", "r"), |_, _| Err::<ResourceOutput, _>(Interrupt::failed("secret disk")))
        .resource(Resource::new("test://empty", "r"), |_, _| Ok(ResourceOutput::default()))
        .template(ResourceTemplate::new("test://t/{x}", "t"), |_, _| -> Result<ResourceOutput, _> { panic!("secret") })
        .prompt(Prompt::new("p", "d").arg("a"), |_, _| Err::<PromptMessage, _>(Interrupt::failed("secret prompt")))
        .complete_prompt("p", "a", |_, _| Err::<Vec<String>, _>(Interrupt::failed("secret completion")))
        .build()
        .unwrap();
    let reference = json!({"ref": {"type": "ref/prompt", "name": "p"}, "argument": {"name": "a", "value": ""}});
    for (method, params, cause) in [
        ("tools/call", json!({"name": "panics"}), "the handler panicked: secret 7"),
        ("tools/call", json!({"name": "plain"}), "the handler panicked: secret"),
        ("tools/call", json!({"name": "odd"}), "the handler panicked: no text"),
        ("tools/call", json!({"name": "output"}), ""),
        ("resources/read", json!({"uri": "test://fails"}), "secret disk"),
        ("resources/read", json!({"uri": "test://empty"}), "the handler gave no contents"),
        ("resources/read", json!({"uri": "test://t/1"}), "the handler panicked: secret"),
        ("prompts/get", json!({"name": "p", "arguments": {"a": ""}}), "secret prompt"),
        ("completion/complete", reference, "secret completion"),
    ] {
        call(&server, method, params).is_error(-32603, "Internal error", None);
        let lines = std::mem::take(&mut *lines.lock().unwrap());
        assert_eq!(lines.len(), 2, "{lines:?}");
        assert!(lines[0].starts_with(&format!("{method}: {cause}")), "{lines:?}");
        assert!(lines[1].ends_with("Error(Code(-32603))"), "{lines:?}");
    }
}

#[test]
fn a_panic_leaves_the_server_whole() {
    covers!("12-5");
    let count = Mutex::new(0);
    let server = builder()
        .tool(Tool::new("t", "d"), move |_: NoArgs, cx| {
            cx.progress(1.0, None, "");
            let mut count = count.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            *count += 1;
            assert!(*count != 2, "the second call panics while it holds a lock");
            Ok(count.to_string())
        })
        .build()
        .unwrap();
    let meta = meta_and(json!({"progressToken": 1}));
    for expected in [Some("1"), None, Some("3"), Some("4")] {
        let sent = call(&server, "tools/call", json!({"name": "t", "_meta": meta}));
        assert_eq!(sent.notifications.len(), 1);
        match expected {
            Some(expected) => assert_eq!(first_text(sent.result()), expected),
            None => sent.is_error(-32603, "Internal error", None),
        }
    }
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| assert_eq!(tool(&server, "t", json!({})).result()["isError"], false));
        }
    });
}

#[test]
fn outcomes_compare() {
    covers!("api-3");
    // A program counts by them.
    assert_eq!(Outcome::Error(Code::INVALID_PARAMS), Outcome::Error(Code::INVALID_PARAMS));
    assert_ne!(Outcome::Complete, Outcome::ToolError);
    assert_eq!((Code::INVALID_PARAMS.name(), Code::INVALID_PARAMS.number()), ("Invalid params", -32602));
}

#[test]
fn hooks_that_panic() {
    covers!("api-12");
    let server = builder()
        .observer(|event| panic!("{event:?}"))
        .raw_messages(|_, _| panic!("raw"))
        .tool(Tool::new("t", "d"), ok)
        .tool(Tool::new("panics", "d"), |_: NoArgs, _| -> Result<&str, _> { panic!("handler") })
        .build()
        .unwrap();
    assert_eq!(first_text(tool(&server, "t", json!({})).result()), "ok");
    tool(&server, "panics", json!({})).is_error(-32603, "Internal error", None);
    assert_eq!(first_text(tool(&server, "t", json!({})).result()), "ok");
}
