//! What an author can rely on: builder, handlers, hooks, errors, limits, calls in the process.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use plain_mcp::arrival::Principal;
use plain_mcp::cancellation::cancellation;
use plain_mcp::envelope::Notification;
use plain_mcp::errors::{Code, Fault};
use plain_mcp::sink::{Collect, Gone, Sink};
use plain_mcp::types::elicit;
use plain_mcp::{
    CacheHint, CachePolicy, Clock, ContentBlock, Context, Event, Feature, Implementation, Interrupt, Level, Limits,
    NoArgs, Outcome, Prompt, PromptArguments, PromptMessage, Resource, ResourceOutput, ResourceTemplate, Server,
    ServerBuilder, Tool, ToolOutput, ToolResult, Vars, contents, text,
};
use serde_json::{Value, json};

use crate::kit::{CAPS, CLIENT, LEVEL, REVISION, VERSION, builder, bytes_with, call, meta_and, refuses, request, tool};

fn ok(_: NoArgs, _: &Context<'_>) -> ToolResult {
    Ok(text("ok"))
}

fn first_text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap()
}

#[test]
fn every_problem_at_once() {
    covers!("api-1");
    let problems = builder()
        .tool(Tool::new("", "d").input(json!({"type": "array"})), ok)
        .tool(
            Tool::new("a", "d")
                .input(json!({"type": "object", "unevaluatedProperties": false}))
                .output(json!({"type": "x"})),
            ok,
        )
        .resource(Resource::new("nowhere", ""), |_, _| Ok(contents::text("", "")))
        .template(ResourceTemplate::new("test://{", "t"), |_, _| Ok(contents::text("", "")))
        .prompt(Prompt::new("", "d"), |_, _| Ok(PromptMessage::user("")))
        .complete_prompt("none", "a", |_, _| Ok(vec![""]))
        .cache_resource("test://none", CacheHint::public(1))
        .extension("unprefixed", json!({}))
        .experimental("settings", 7)
        .limits(Limits { page: 0, state_ttl: Duration::ZERO, ..Limits::default() })
        .dialects([])
        .list_changed()
        .no_listen()
        .build()
        .unwrap_err()
        .problems;
    for part in [
        r#"tool "": the name is empty"#,
        r#"tool "": inputSchema must be an object with "type": "object""#,
        r#"tool "a": input schema: "#,
        r#"tool "a": output schema: "#,
        r#"resource "nowhere": the name is empty"#,
        r#"resource "nowhere": not an absolute URI"#,
        r#"template "test://{": a brace without its other half"#,
        r#"prompt "": the name is empty"#,
        r#"completion of "a": no prompt "none""#,
        r#"cache policy for "test://none": no such resource or template"#,
        r#"capability "unprefixed": "#,
        r#"capability "settings": "#,
        "limits: page must be at least 1",
        "limits: state_ttl must lie between 1 s and state_ttl_max",
        "no dialect is enabled",
        "listChanged and subscribe need subscriptions/listen, which is switched off",
    ] {
        assert_eq!(problems.iter().filter(|problem| problem.starts_with(part)).count(), 1, "{part}: {problems:#?}");
    }
    assert_eq!(problems.len(), 16, "{problems:#?}");
    let error = builder().dialects([]).limits(Limits { page: 0, ..Limits::default() }).build().unwrap_err();
    assert_eq!(error.to_string(), "limits: page must be at least 1; no dialect is enabled");
}

#[derive(serde::Deserialize)]
struct Add {
    a: i64,
    #[serde(default)]
    b: i64,
}

fn add(args: Add, _: &Context<'_>) -> ToolResult {
    Ok(text((args.a + args.b).to_string()))
}

fn read_whole(uri: &str, _: &Context<'_>) -> Result<ResourceOutput, Interrupt> {
    Ok(contents::text("text/plain", uri).into())
}

fn read_part(vars: &Vars, _: &Context<'_>) -> Result<ResourceOutput, Interrupt> {
    Ok(contents::text("text/plain", vars.get("x").unwrap_or_default()).into())
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

/// What an observer has heard, a line each.
fn observed(builder: ServerBuilder) -> (ServerBuilder, Arc<Mutex<Vec<String>>>) {
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

/// The `ttlMs` and `cacheScope` of a result.
fn freshness(server: &Server, method: &str, params: Value) -> (Option<u64>, Option<String>) {
    let result = call(server, method, params).result().clone();
    (result.get("ttlMs").and_then(Value::as_u64), result.get("cacheScope").and_then(Value::as_str).map(str::to_owned))
}

/// Every cacheable result, and what is to be read.
fn cacheable() -> Vec<(&'static str, Value)> {
    let read = |uri: &str| ("resources/read", json!({"uri": uri}));
    let mut all: Vec<_> =
        ["server/discover", "tools/list", "prompts/list", "resources/list", "resources/templates/list"]
            .map(|method| (method, json!({})))
            .into();
    all.extend([read("test://r"), read("test://own"), read("test://says"), read("test://t/1"), read("test://u/1")]);
    all
}

fn stocked(builder: ServerBuilder) -> Server {
    builder
        .tool(Tool::new("t", "d"), ok)
        .prompt(Prompt::new("p", "d").arg("a"), |_, _| Ok(PromptMessage::user("")))
        .complete_prompt("p", "a", |_, _| Ok(vec![""]))
        .resource(Resource::new("test://r", "r"), read_whole)
        .resource(Resource::new("test://own", "r"), read_whole)
        .resource(Resource::new("test://says", "r"), |_, _| {
            Ok(ResourceOutput::from(contents::text("", "")).cache(CacheHint::public(9)))
        })
        .template(ResourceTemplate::new("test://t/{x}", "t"), read_part)
        .template(ResourceTemplate::new("test://u/{x}", "u"), read_part)
        .cache_resource("test://own", CacheHint::public(7))
        .cache_resource("test://says", CacheHint::private(1))
        .cache_resource("test://u/{x}", CacheHint::private(8))
        .build()
        .unwrap()
}

#[test]
fn cache_policies() {
    covers!("7-1", "7-2", "7-3", "7-4", "7-5");
    let fresh = |ttl: u64, scope: &str| (Some(ttl), Some(scope.to_owned()));
    let policy = CachePolicy {
        discover: CacheHint::public(1),
        tools: CacheHint::private(2),
        prompts: CacheHint::public(3),
        resources: CacheHint::private(4),
        templates: CacheHint::public(5),
        read: CacheHint::private(6),
    };
    let (plain, set) = (stocked(builder()), stocked(builder().cache(policy)));
    let by_default = [(0, "private"); 5].into_iter().chain([
        (0, "private"),
        (7, "public"),
        (9, "public"),
        (0, "private"),
        (8, "private"),
    ]);
    let by_policy = [(1, "public"), (2, "private"), (3, "public"), (4, "private"), (5, "public")];
    let by_policy =
        by_policy.into_iter().chain([(6, "private"), (7, "public"), (9, "public"), (6, "private"), (8, "private")]);
    for (server, expected) in [(&plain, by_default.collect::<Vec<_>>()), (&set, by_policy.collect())] {
        for ((method, params), (ttl, scope)) in cacheable().into_iter().zip(expected) {
            println!("{method} {params}");
            assert_eq!(freshness(server, method, params), fresh(ttl, scope));
        }
        for (method, params) in [
            ("tools/call", json!({"name": "t"})),
            ("prompts/get", json!({"name": "p", "arguments": {"a": ""}})),
            (
                "completion/complete",
                json!({"ref": {"type": "ref/prompt", "name": "p"}, "argument": {"name": "a", "value": ""}}),
            ),
        ] {
            assert_eq!(freshness(server, method, params), (None, None));
        }
    }
}

#[test]
fn senseless_limits() {
    covers!("api-8");
    let zero = Duration::ZERO;
    let with = |set: fn(&mut Limits)| {
        let mut limits = Limits::default();
        set(&mut limits);
        builder().limits(limits).build().map_or_else(|error| error.problems, |_| Vec::new())
    };
    for (set, problem) in [
        ((|l| l.id = 0) as fn(&mut Limits), "limits: id must be at least 1"),
        (|l| l.cursor = 255, "limits: cursor must be at least 256"),
        (|l| l.page = 0, "limits: page must be at least 1"),
        (|l| l.state = 255, "limits: state must be at least 256"),
        (|l| l.completion_values = 0, "limits: completion_values must be at least 1"),
        (|l| l.completion_values = 101, "limits: completion_values must be at most 100"),
        (|l| l.body = 0, "limits: body must be at least 1"),
        (|l| l.line = 0, "limits: line must be at least 1"),
        (|l| l.head = 0, "limits: head must be at least 1"),
        (|l| l.fields = 0, "limits: fields must be at least 1"),
        (|l| l.connections = 0, "limits: connections must be at least 1"),
        (|l| l.in_flight = 0, "limits: in_flight must be at least 1"),
        (|l| l.head_deadline = Duration::ZERO, "limits: head_deadline must not be zero"),
        (|l| l.body_deadline = Duration::ZERO, "limits: body_deadline must not be zero"),
        (|l| l.idle_deadline = Duration::ZERO, "limits: idle_deadline must not be zero"),
        (|l| l.write_deadline = Duration::ZERO, "limits: write_deadline must not be zero"),
        (|l| l.hang_up_tick = Duration::ZERO, "limits: hang_up_tick must not be zero"),
    ] {
        assert_eq!(with(set), [problem]);
    }
    // None of these at all is a choice.
    let none = Limits {
        progress_updates: 0,
        progress_message: 0,
        uris: 0,
        streams: 0,
        keepalive: zero,
        drain: zero,
        ..Limits::default()
    };
    assert!(builder().limits(none).build().is_ok());
}

#[test]
fn limits_count() {
    covers!("api-8", "1-4", "8.2-4", "8.2-5");
    let limits =
        Limits { id: 4, page: 1, progress_updates: 2, progress_message: 3, streams: 0, uris: 1, ..Limits::default() };
    let server = builder()
        .limits(limits.clone())
        .tool(Tool::new("t", "d"), |_: NoArgs, cx| {
            (1..9).for_each(|step| cx.progress(f64::from(step), None, "aüb"));
            Ok("")
        })
        .build()
        .unwrap();
    assert_eq!(*server.limits(), limits);
    let sent = call(&server, "tools/call", json!({"name": "t", "_meta": meta_and(json!({"progressToken": "four"}))}));
    let messages: Vec<&Value> = sent.notifications.iter().map(|note| &note["params"]["message"]).collect();
    assert_eq!(messages, ["aü", "aü"]);
    let sent = call(&server, "tools/call", json!({"name": "t", "_meta": meta_and(json!({"progressToken": "fives"}))}));
    sent.is_error(-32602, "progressToken must be a string of at most 256 bytes or an int64 integer", None);
    let sent = call(&server, "subscriptions/listen", json!({"notifications": {}}));
    sent.is_error(-32600, "Too many open listen streams", None);
    let uris = json!({"notifications": {"resourceSubscriptions": ["t:1", "t:2"]}});
    let text = "subscriptions/listen resourceSubscriptions must list at most 1 absolute URIs";
    refuses(&server, "subscriptions/listen", &[(uris, -32602, text, None)]);
}

#[test]
fn what_the_server_says_of_itself() {
    covers!("3-2", "3-3", "4-5");
    let info = Implementation::new("n", "2").title("T").description("D").website_url("https://example.com");
    let full =
        json!({"name": "n", "version": "2", "title": "T", "description": "D", "websiteUrl": "https://example.com"});
    let named = builder().info(info).instructions("Use it.").tool(Tool::new("t", "d"), ok).build().unwrap();
    assert_eq!(named.info().name, "n");
    for (method, params) in
        [("server/discover", json!({})), ("tools/list", json!({})), ("tools/call", json!({"name": "t"}))]
    {
        let sent = call(&named, method, params);
        assert_eq!(sent.result()["_meta"], json!({"io.modelcontextprotocol/serverInfo": full}));
        assert_eq!(sent.result().get("serverInfo"), None);
    }
    assert_eq!(call(&named, "server/discover", json!({})).result()["instructions"], "Use it.");

    let meta = |_: NoArgs, _: &Context<'_>| {
        Ok(text("")
            .meta("com.example/k", 1)
            .meta("io.modelcontextprotocol/serverInfo", json!({"name": "forged", "version": "0"})))
    };
    let server = builder().tool(Tool::new("m", "d"), meta).build().unwrap();
    let own = json!({"name": "test", "version": "1.0.0"});
    assert_eq!(
        tool(&server, "m", json!({})).result()["_meta"],
        json!({"com.example/k": 1, "io.modelcontextprotocol/serverInfo": own})
    );
    let anonymous = builder()
        .anonymous()
        .tool(Tool::new("t", "d"), ok)
        .tool(Tool::new("m", "d"), |_: NoArgs, _| Ok(text("").meta("k", 1)))
        .build()
        .unwrap();
    assert_eq!(tool(&anonymous, "t", json!({})).result().get("_meta"), None);
    assert_eq!(tool(&anonymous, "m", json!({})).result()["_meta"], json!({"k": 1}));
    assert_eq!(call(&anonymous, "tools/list", json!({})).result().get("_meta"), None);
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
