//! Handlers: their forms, what they see, what they can answer; and calls without a transport.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use plain_mcp::arrival::Principal;
use plain_mcp::cancellation::cancellation;
use plain_mcp::envelope::Notification;
use plain_mcp::errors::Fault;
use plain_mcp::sink::{Collect, Gone, Sink};
use plain_mcp::types::elicit;
use plain_mcp::{
    ContentBlock, Context, Feature, Interrupt, Level, NoArgs, Prompt, PromptArguments, PromptMessage, Resource,
    ResourceOutput, ResourceTemplate, Tool, ToolOutput, ToolResult, text,
};
use serde_json::{Value, json};

use super::*;
use crate::kit::{CAPS, CLIENT, LEVEL, REVISION, VERSION, builder, call, meta_and, tool};

#[derive(serde::Deserialize)]
struct Add {
    a: i64,
    #[serde(default)]
    b: i64,
}

fn add(args: Add, _: &Context<'_>) -> ToolResult {
    Ok(text((args.a + args.b).to_string()))
}

fn write_prompt(arguments: &PromptArguments, _: &Context<'_>) -> Result<PromptMessage, Interrupt> {
    Ok(PromptMessage::user(arguments["a"].as_str()))
}

struct Calculator {
    base: i64,
}

impl Calculator {
    fn add(&self, args: &Add) -> String {
        (self.base + args.a + args.b).to_string()
    }
}

#[test]
fn closures_functions_and_what_they_capture() {
    covers!("api-2");
    let calculator = Arc::new(Calculator { base: 100 });
    let count = AtomicU64::new(0);
    let server = builder()
        .tool(Tool::new("item", "d"), add)
        .tool(Tool::new("closure", "d"), |args: Add, _| Ok((args.a * args.b).to_string()))
        .tool(Tool::new("captures", "d"), move |args: Add, _cx| Ok(calculator.add(&args)))
        .tool(Tool::new("counts", "d"), move |_: NoArgs, _| Ok(count.fetch_add(1, Ordering::Relaxed).to_string()))
        .tool(Tool::new("any", "d"), |args: Value, _| Ok(args.to_string()))
        .tool(Tool::new("map", "d"), |args: BTreeMap<String, i64>, _| Ok(args.values().sum::<i64>().to_string()))
        .tool(Tool::new("block", "d"), |_: NoArgs, _| Ok(ContentBlock::text("one")))
        .tool(Tool::new("blocks", "d"), |_: NoArgs, _| {
            Ok(vec![ContentBlock::text("first"), ContentBlock::text("second")])
        })
        .tool(Tool::new("fails", "d"), |_: NoArgs, _| {
            let number: i32 = "x".parse().map_err(Interrupt::failed)?;
            Ok(ToolOutput::structured(number))
        })
        .resource(Resource::new("test://whole", "w"), read_whole)
        .template(ResourceTemplate::new("test://part/{x}", "p"), read_part)
        .prompt(Prompt::new("p", "d").arg("a"), write_prompt)
        .build()
        .unwrap();
    for (name, arguments, expected) in [
        ("item", json!({"a": 1, "b": 2}), "3"),
        ("item", json!({"a": 1}), "1"),
        ("item", json!({"a": 1.0, "b": 2}), "3"),
        ("closure", json!({"a": 3, "b": 4}), "12"),
        ("captures", json!({"a": 1, "b": 2}), "103"),
        ("counts", json!({}), "0"),
        ("counts", json!({"ignored": 1}), "1"),
        ("any", json!({"x": [null]}), r#"{"x":[null]}"#),
        ("map", json!({"x": 1, "y": 2}), "3"),
        ("block", json!({}), "one"),
        ("blocks", json!({}), "first"),
        ("fails", json!({}), "invalid digit found in string"),
    ] {
        assert_eq!(first_text(tool(&server, name, arguments).result()), expected, "{name}");
    }
    for (uri, expected) in [("test://whole", "test://whole"), ("test://part/a%20b", "a b")] {
        assert_eq!(call(&server, "resources/read", json!({"uri": uri})).result()["contents"][0]["text"], expected);
    }
    let got = call(&server, "prompts/get", json!({"name": "p", "arguments": {"a": "hi"}}));
    assert_eq!(got.result()["messages"][0]["content"]["text"], "hi");
}

#[test]
fn errors_of_the_application() {
    covers!("12-10", "api-11");
    let fails = |fault: Fault| {
        let (again, third) = (fault.clone(), fault.clone());
        builder()
            .tool(Tool::new("t", "d"), move |_: NoArgs, _| Err::<ToolOutput, _>(fault.clone().into()))
            .resource(Resource::new("test://r", "r"), move |_, _| Err::<ResourceOutput, _>(again.clone().into()))
            .prompt(Prompt::new("p", "d"), move |_, _| Err::<PromptMessage, _>(third.clone().into()))
            .build()
            .unwrap()
    };
    for code in [0, 1, -1, 403, -31999, -32769, i64::MAX, i64::MIN] {
        let fault = Fault::application(code, "Quota \"used up\"").unwrap();
        assert_eq!((fault.code().number(), fault.code().http_status()), (code, 200));
        let (bare, full) = (fails(fault.clone()), fails(fault.data(json!({"left": 0}))));
        for (method, params) in [
            ("tools/call", json!({"name": "t"})),
            ("resources/read", json!({"uri": "test://r"})),
            ("prompts/get", json!({"name": "p"})),
        ] {
            call(&bare, method, params.clone()).is_error(code, "Quota \"used up\"", None);
            call(&full, method, params).is_error(code, "Quota \"used up\"", Some(json!({"left": 0})));
        }
    }
    let server = fails(Fault::invalid_params("a: not a date").data(json!({"argument": "a"})));
    let sent = call(&server, "prompts/get", json!({"name": "p"}));
    sent.is_error(-32602, "a: not a date", Some(json!({"argument": "a"})));
    for code in [-32000, -32002, -32042, -32099, -32600, -32603, -32700, -32768] {
        assert_eq!(
            Fault::application(code, "m").unwrap_err().to_string(),
            format!("code {code} is reserved: use one outside -32768..-32000")
        );
    }
}

#[test]
fn calls_in_the_process() {
    covers!("api-5", "api-10");
    let server = builder()
        .tool(Tool::new("who", "d"), |_: NoArgs, cx| {
            cx.log(Level::Info, "who", "asked");
            let who = cx.principal().map_or("nobody".to_owned(), ToString::to_string);
            let http = cx.http_head().is_some();
            Ok(ToolOutput::structured(json!({"who": who, "http": http, "meta": cx.meta().raw, "id": cx.request_id()})))
        })
        .tool(Tool::new("asks", "d"), |_: NoArgs, cx| Ok(format!("{:?}", cx.ask("q", elicit::form("m"))?.action())))
        .build()
        .unwrap();
    let caller = server.direct();
    let called = caller.call("tools/call", json!({"name": "who"}));
    let expected = json!({"who": "nobody", "http": false, "id": 1, "meta": {VERSION: REVISION, CAPS: {}}});
    assert_eq!(
        (called.result()["structuredContent"].clone(), called.error(), called.notifications.len()),
        (expected, Value::Null, 0)
    );
    assert_eq!(called.to_value()["id"], 1);

    let caller = caller.principal(Principal("alice".into())).meta(LEVEL, "debug").meta("com.example/trace", "t");
    let called = caller.call("tools/call", json!({"name": "who"}));
    let result = called.result();
    assert_eq!(
        (&result["structuredContent"]["who"], &result["structuredContent"]["meta"]["com.example/trace"]),
        (&json!("alice"), &json!("t"))
    );
    assert_eq!(called.notifications.len(), 1);

    let (called, declared) =
        (caller.call("tools/call", json!({"name": "asks"})), caller.capabilities(json!({"elicitation": {}})));
    assert_eq!((called.result(), called.error()["code"].as_i64()), (Value::Null, Some(-32021)));
    let answers = json!({"name": "asks", "inputResponses": {"q": {"action": "decline"}}});
    assert_eq!(first_text(&declared.call("tools/call", answers).result()), "Decline");
    assert_eq!(declared.call("tools/call", json!(7)).error()["message"], "tools/call requires a non-empty string name");
    assert_eq!(declared.call("nope", json!({})).error()["code"], -32601);
}

#[test]
fn what_a_handler_sees_of_its_request() {
    covers!("api-10", "2-25");
    let server = builder()
        .tool(Tool::new("t", "d"), |_: NoArgs, cx| {
            let meta = cx.meta();
            let client = meta.client.as_ref().map(|client| format!("{} {}", client.name, client.version));
            Ok(format!(
                "{:?} {client:?} {:?} {:?} {}",
                meta.version,
                meta.log_level,
                meta.progress_token,
                meta.raw.contains_key("traceparent")
            ))
        })
        .build()
        .unwrap();
    let meta = meta_and(
        json!({LEVEL: "error", "progressToken": "p", "traceparent": "00-1-2-01", CLIENT: {"name": "c", "version": "9"}}),
    );
    let sent = call(&server, "tools/call", json!({"name": "t", "_meta": meta}));
    assert_eq!(first_text(sent.result()), r#""2026-07-28" Some("c 9") Some(Error) Some(Str("p")) true"#);
    assert_eq!(first_text(tool(&server, "t", json!({})).result()), r#""2026-07-28" None None None false"#);
}

/// A transport in which another thread may overtake.
#[derive(Default)]
struct Slow(Collect);

impl Sink for Slow {
    fn send(&self, note: &Notification) -> Result<(), Gone> {
        thread::yield_now();
        self.0.send(note)
    }
}

#[test]
fn a_context_can_be_shared_with_threads() {
    covers!("8.2-3", "8.2-4");
    let server = builder()
        .tool(Tool::new("t", "d"), |_: NoArgs, cx| {
            thread::scope(|scope| {
                for part in 0..8 {
                    scope.spawn(move || (0..500).for_each(|step| cx.progress(f64::from(step * 8 + part), None, "")));
                }
            });
            Ok("joined")
        })
        .build()
        .unwrap();
    let (sink, (_source, token)) = (Slow::default(), cancellation());
    let caller = server.direct().meta("progressToken", 1);
    assert!(caller.call_with("tools/call", json!({"name": "t"}), &sink, &token).answer.is_ok());
    let steps: Vec<i64> = sink.0.take().iter().map(|note| note.params["progress"].as_i64().unwrap()).collect();
    assert!(!steps.is_empty() && steps.len() <= 1000, "{}", steps.len());
    assert!(steps.windows(2).all(|pair| pair[0] < pair[1]), "{steps:?}");
}

#[test]
fn a_clone_is_the_same_server() {
    covers!("api-5");
    let server = builder().offer(Feature::Tools).build().unwrap();
    let clone = server.clone();
    clone.edit(|edit| edit.tool(Tool::new("t", "d"), ok)).unwrap();
    let (sink, (_source, token)) = (Collect::default(), cancellation());
    let response = server.direct().call_with("tools/call", json!({"name": "t"}), &sink, &token);
    assert!(response.answer.unwrap().as_str().contains("\"ok\""));
}

#[test]
fn not_found_is_for_resources() {
    covers!("api-11", "api-3");
    let (builder, lines) = observed(builder());
    let server =
        builder.prompt(Prompt::new("p", "d"), |_, _| Err::<PromptMessage, _>(Interrupt::NotFound)).build().unwrap();
    call(&server, "prompts/get", json!({"name": "p"})).is_error(-32603, "Internal error", None);
    assert_eq!(lines.lock().unwrap()[0], "prompts/get: nothing found, where that is no answer");
}

#[cfg(feature = "http")]
#[test]
fn over_http_the_handler_sees_the_head() {
    covers!("api-10");
    let server = builder()
        .tool(Tool::new("t", "d"), |_: NoArgs, cx| {
            let head = cx.http_head().expect("came by HTTP");
            Ok(format!("{} {} {:?} {:?}", head.method, head.target, head.one("x-forwarded-for"), head.one("cookie")))
        })
        .build()
        .unwrap();
    let post = crate::corridor::Post::of(&crate::corridor::call("t", json!({}))).add("X-Forwarded-For", "192.0.2.7");
    let seen = post.to(&crate::corridor::exchange(&server));
    assert_eq!(first_text(&seen.json()["result"]), r#"POST /mcp Some("192.0.2.7") None"#);
}
