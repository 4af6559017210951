//! §2 Request `_meta`.

use std::sync::{Arc, Mutex};

use plain_mcp::meta::RequestMeta;
use plain_mcp::{Context, Level, NoArgs, Server, Tool, text};
use serde_json::{Value, json};

use crate::kit::{CAPS, CLIENT, LEVEL, REVISION, Row, VERSION, builder, bytes, call, merge, meta, meta_and, refuses};

const KEY: &str = "_meta contains an invalid key or non-JSON value";
const TOKEN: &str = "progressToken must be a string of at most 256 bytes or an int64 integer";
const BAD_LEVEL: &str = "Invalid MCP request log level";
const NO_VERSION: &str = "Missing required io.modelcontextprotocol/protocolVersion metadata";
const VERSION_TYPE: &str = "io.modelcontextprotocol/protocolVersion must be a string";
const UNSUPPORTED: &str = "Unsupported protocol version";
const INFO: &str = "Client info must include string name and version";
const NO_CAPS: &str = "Missing required client capabilities metadata";
const CAPS_TYPE: &str = "Client capabilities must be an object";

fn server() -> Server {
    builder().build().unwrap()
}

/// Each `_meta` gets the row's error, whatever the method.
fn meta_refused(rows: &[Row<'_>]) {
    let rows: Vec<Row<'_>> =
        rows.iter().map(|(meta, code, text, data)| (json!({"_meta": meta}), *code, *text, data.clone())).collect();
    let server = builder().tool(Tool::new("t", "t"), |_: NoArgs, _: &Context<'_>| Ok(text(""))).build().unwrap();
    refuses(&server, "server/discover", &rows);
    refuses(&server, "tools/call", &rows);
    refuses(&server, "subscriptions/listen", &rows);
    refuses(&server, "no/such/method", &rows);
}

/// The items of a JSON array.
fn items(list: Value) -> Vec<Value> {
    list.as_array().unwrap().clone()
}

/// Each `_meta` is served.
fn meta_served(metas: &[Value]) {
    for meta in metas {
        let sent = call(&server(), "server/discover", json!({"_meta": meta}));
        assert_eq!(sent.result()["resultType"], "complete", "{meta}: {sent:?}");
    }
}

/// What the handler sees of a request with this `_meta`.
fn seen(meta: Value) -> RequestMeta {
    let kept: Arc<Mutex<Option<RequestMeta>>> = Arc::default();
    let keep = Arc::clone(&kept);
    let tool = move |_: NoArgs, cx: &Context<'_>| {
        *keep.lock().unwrap() = Some(cx.meta().clone());
        Ok(text(""))
    };
    let server = builder().tool(Tool::new("t", "t"), tool).build().unwrap();
    call(&server, "tools/call", json!({"name": "t", "_meta": meta})).result();
    kept.lock().unwrap().take().expect("the handler ran")
}

#[test]
fn it_is_an_object() {
    covers!("2-1");
    let text = "_meta must be an object";
    let rows = [json!(null), json!([]), json!("x"), json!(0), json!(false), json!([{VERSION: REVISION}])];
    meta_refused(&rows.map(|meta| (meta, -32602, text, None)));
}

#[test]
fn its_keys_have_a_syntax() {
    covers!("2-2", "2.1-1", "2.1-2");
    for key in [
        " ",
        "a b",
        "-a",
        "a-",
        ".a",
        "a.",
        "_a",
        "a_",
        "/",
        "/a",
        "a//b",
        "a/b/c",
        "1a/b",
        "a-/b",
        "a./b",
        ".a/b",
        "a..b/c",
        "a_b/c",
        "é",
        "a/é",
        "a\n",
        "\u{0}",
        "io.modelcontextprotocol/-x",
        "$ref",
        "a:b",
        "a@b",
        "a+b",
    ] {
        meta_refused(&[(meta_and(json!({key: 1})), -32602, KEY, None)]);
    }
    let keys = [
        "",
        "a",
        "0",
        "a.b_c-d",
        "a/",
        "a/b",
        "a.b-c/",
        "a-1.b/0",
        "io.modelcontextprotocol/",
        "A.B/C_D",
        "x.mcp/y",
        "claudecode/toolUseId",
    ];
    meta_served(&keys.map(|key| meta_and(json!({key: null}))));
    // only the keys of _meta itself are looked at
    meta_served(&[meta_and(json!({"a": {"b c": [{"": {"/": 1}}]}}))]);
}

#[test]
fn a_progress_token_is_a_bounded_id() {
    covers!("2-3");
    for token in items(json!([
        null,
        true,
        [],
        {},
        1.5,
        1.0,
        9_223_372_036_854_775_808_u64,
        1e30,
        "x".repeat(257),
        "é".repeat(129)
    ])) {
        meta_refused(&[(meta_and(json!({"progressToken": token})), -32602, TOKEN, None)]);
    }
    let tokens = [
        json!(0),
        json!(-1),
        json!(i64::MAX),
        json!(i64::MIN),
        json!(""),
        json!("0"),
        json!("x".repeat(256)),
        json!("é".repeat(128)),
    ];
    meta_served(&tokens.map(|token| meta_and(json!({"progressToken": token}))));
}

#[test]
fn a_level_is_one_of_eight() {
    covers!("2-4");
    for level in items(json!(["INFO", "Info", "warn", "fatal", "trace", "", " info", 6, null, ["info"]])) {
        meta_refused(&[(meta_and(json!({LEVEL: level})), -32602, BAD_LEVEL, None)]);
    }
    let levels = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];
    meta_served(&levels.map(|level| meta_and(json!({LEVEL: level}))));
    assert_eq!(seen(meta_and(json!({LEVEL: "notice"}))).log_level, Some(Level::Notice));
    assert_eq!(seen(meta()).log_level, None);
}

#[test]
fn protocol_version() {
    covers!("2-5", "2-6", "2-8", "2-21");
    let data = |requested: &str| Some(json!({"requested": requested, "supported": ["2026-07-28"]}));
    meta_refused(&[
        // _meta                                     code    message       data
        (json!({}), -32602, NO_VERSION, None),
        (json!({CAPS: {}}), -32602, NO_VERSION, None),
        (json!({CAPS: {}, "protocolVersion": REVISION}), -32602, NO_VERSION, None),
        (json!({CAPS: {}, VERSION: null}), -32602, VERSION_TYPE, None),
        (json!({CAPS: {}, VERSION: 20260728}), -32602, VERSION_TYPE, None),
        (json!({CAPS: {}, VERSION: [REVISION]}), -32602, VERSION_TYPE, None),
        (json!({CAPS: {}, VERSION: "v999.0.0"}), -32022, UNSUPPORTED, data("v999.0.0")),
        (json!({CAPS: {}, VERSION: "2025-11-25"}), -32022, UNSUPPORTED, data("2025-11-25")),
        (json!({CAPS: {}, VERSION: ""}), -32022, UNSUPPORTED, data("")),
        (json!({CAPS: {}, VERSION: "2026-07-28 "}), -32022, UNSUPPORTED, data("2026-07-28 ")),
        (json!({VERSION: "2026-7-28"}), -32022, UNSUPPORTED, data("2026-7-28")),
    ]);
    let server = server();
    refuses(&server, "server/discover", &[(json!({"_meta": {}}), -32602, NO_VERSION, None)]);
    let sent = bytes(&server, br#"{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{}}"#);
    sent.is_error(-32602, NO_VERSION, None);
}

#[test]
fn client_info() {
    covers!("2-9", "2-12", "2-13", "2-14", "2-22");
    let of = |more: Value| {
        let mut info = json!({"name": "n", "version": "1"});
        merge(&mut info, more);
        meta_and(json!({CLIENT: info}))
    };
    for info in items(
        json!([null, "n", [], {}, {"name": "n"}, {"version": "1"}, {"name": 1, "version": "1"}, {"name": "n", "version": 1.0}, {"name": null, "version": "1"}, ["n", "1"]]),
    ) {
        meta_refused(&[(meta_and(json!({CLIENT: info})), -32602, INFO, None)]);
    }
    for (name, text) in
        [("title", "Client info title must be a string"), ("description", "Client info description must be a string")]
    {
        meta_refused(
            &[json!(null), json!(1), json!(["t"]), json!({})]
                .map(|value| (of(json!({name: value})), -32602, text, None)),
        );
    }
    let url = "Client info websiteUrl must be a URI";
    meta_refused(
        &[
            json!(null),
            json!(1),
            json!(""),
            json!("example.com"),
            json!("/x"),
            json!("http://a b"),
            json!("1a:x"),
            json!("https://a/%zz"),
        ]
        .map(|value| (of(json!({"websiteUrl": value})), -32602, url, None)),
    );
    let icons = "Client info icons must be a list of valid icons";
    for value in items(
        json!([null, {}, "https://example.com/i.png", [null], ["https://example.com/i.png"], [{}], [{"src": 1}], [{"src": "i.png"}], [{"src": ""}], [{"src": "https://a/", "mimeType": 1}], [{"src": "https://a/", "sizes": "48x48"}], [{"src": "https://a/", "sizes": [48]}], [{"src": "https://a/", "theme": "blue"}], [{"src": "https://a/", "theme": null}], [{"src": "https://a/"}, 7]]),
    ) {
        meta_refused(&[(of(json!({"icons": value})), -32602, icons, None)]);
    }
    meta_served(&[
        meta(), // none at all
        of(json!({})),
        of(json!({"name": "", "version": ""})),
        of(json!({"title": "", "description": "d", "websiteUrl": "https://example.com/?q=1#f", "icons": []})),
        of(
            json!({"icons": [{"src": "data:image/png;base64,AAAA", "mimeType": "image/png", "sizes": ["any"], "theme": "dark", "x": 1}]}),
        ),
        of(json!({"icons": [{"src": "https://a/", "theme": "light"}, {"src": "urn:x"}]})),
        of(json!({"unknown": [1, {"a": null}]})),
    ]);
}

#[test]
fn client_capabilities() {
    covers!("2-10", "2-11");
    meta_refused(&[
        (json!({VERSION: REVISION}), -32602, NO_CAPS, None),
        (json!({VERSION: REVISION, "clientCapabilities": {}}), -32602, NO_CAPS, None),
        (json!({VERSION: REVISION, CAPS: null}), -32602, CAPS_TYPE, None),
        (json!({VERSION: REVISION, CAPS: []}), -32602, CAPS_TYPE, None),
        (json!({VERSION: REVISION, CAPS: ["roots"]}), -32602, CAPS_TYPE, None),
        (json!({VERSION: REVISION, CAPS: true}), -32602, CAPS_TYPE, None),
        (json!({VERSION: REVISION, CAPS: "{}"}), -32602, CAPS_TYPE, None),
    ]);
}

/// Each value of the capability is refused with the text.
fn capability_refused(name: &str, values: Value, text: &str) {
    for value in items(values) {
        meta_refused(&[(json!({VERSION: REVISION, CAPS: {name: value}}), -32602, text, None)]);
    }
}

#[test]
fn capabilities_have_shapes() {
    covers!("2-15", "2-16", "2-17", "2-18", "2-19");
    capability_refused("roots", json!([null, true, [], "x"]), "Client capability roots must be an object");
    capability_refused(
        "sampling",
        json!([null, true, [], {"context": true}, {"tools": []}, {"tools": null}, {"context": {}, "tools": 1}]),
        "Client capability sampling must be an object whose context and tools are objects",
    );
    capability_refused(
        "elicitation",
        json!([null, true, [], {"form": true}, {"url": null}, {"form": {}, "url": 1}, {"x": {}}, {"Form": {}}, {"form": []}]),
        "Client capability elicitation must be an object, empty or with form or url objects",
    );
    capability_refused(
        "experimental",
        json!([null, [], {"x": true}, {"x": {}, "y": null}, {"x": []}]),
        "Client capability experimental must map names to objects",
    );
    capability_refused(
        "extensions",
        json!([null, [], {"a/b": true}, {"a/b": null}, {"ab": {}}, {"": {}}, {"/b": {}}, {"a b/c": {}}, {"a/b/c": {}}, {"a/b": {}, "c": {}}, {"1a/b": {}}]),
        "Client capability extensions must map prefixed names to objects",
    );
}

#[test]
fn well_formed_capabilities_are_accepted() {
    covers!("2-15", "2-16", "2-17", "2-18", "2-19", "2-25");
    let capabilities = [
        json!({}),
        json!({"roots": {}, "sampling": {}, "elicitation": {}, "experimental": {}, "extensions": {}}),
        json!({"roots": {"listChanged": true}}),
        json!({"sampling": {"context": {}, "tools": {"x": 1}, "y": 2}}),
        json!({"elicitation": {"form": {}}}),
        json!({"elicitation": {"url": {"x": []}, "y": 1}}),
        json!({"experimental": {"": {}, "a b": {"c": null}}}),
        json!({"extensions": {"io.modelcontextprotocol/tasks": {}, "a/": {"b": 1}}}),
        json!({"tasks": 7, "unknown": null, "Roots": []}),
    ];
    meta_served(&capabilities.clone().map(|declared| json!({VERSION: REVISION, CAPS: declared})));
    for declared in capabilities {
        let wanted = declared.as_object().unwrap().clone();
        assert_eq!(*seen(json!({VERSION: REVISION, CAPS: declared})).capabilities.as_map(), wanted);
    }
}

/// Everything is wrong; each step mends the fault that answered.
#[test]
fn the_checks_run_in_order() {
    covers!("2-20");
    let data = json!({"requested": "1", "supported": ["2026-07-28"]});
    let bad_icons = json!([{}]);
    let mut wrong = json!({
        "bad key": 1, "progressToken": null, LEVEL: "loud",
        CLIENT: {"title": 1, "description": 2, "websiteUrl": 3, "icons": bad_icons},
    });
    let steps: &[(Value, i64, &str, Option<Value>)] = &[
        // what is set, and the fault that then answers first
        (json!({"progressToken": {}}), -32602, KEY, None),
        (json!({"bad key": null}), -32602, TOKEN, None),
        (json!({"progressToken": 1}), -32602, BAD_LEVEL, None),
        (json!({LEVEL: "info"}), -32602, NO_VERSION, None),
        (json!({VERSION: 1}), -32602, VERSION_TYPE, None),
        (json!({VERSION: "1"}), -32022, UNSUPPORTED, Some(data)),
        (json!({VERSION: REVISION}), -32602, INFO, None),
        (
            json!({CLIENT: {"name": "n", "version": "1", "title": 1, "description": 2, "websiteUrl": 3, "icons": bad_icons}}),
            -32602,
            "Client info title must be a string",
            None,
        ),
        (
            json!({CLIENT: {"name": "n", "version": "1", "description": 2, "websiteUrl": 3, "icons": bad_icons}}),
            -32602,
            "Client info description must be a string",
            None,
        ),
        (
            json!({CLIENT: {"name": "n", "version": "1", "websiteUrl": 3, "icons": bad_icons}}),
            -32602,
            "Client info websiteUrl must be a URI",
            None,
        ),
        (
            json!({CLIENT: {"name": "n", "version": "1", "icons": bad_icons}}),
            -32602,
            "Client info icons must be a list of valid icons",
            None,
        ),
        (json!({CLIENT: {"name": "n", "version": "1"}}), -32602, NO_CAPS, None),
        (json!({CAPS: 1}), -32602, CAPS_TYPE, None),
        (
            json!({CAPS: {"roots": 1, "sampling": 1, "elicitation": 1, "experimental": 1, "extensions": 1}}),
            -32602,
            "Client capability roots must be an object",
            None,
        ),
        (
            json!({CAPS: {"sampling": 1, "elicitation": 1, "experimental": 1, "extensions": 1}}),
            -32602,
            "Client capability sampling must be an object whose context and tools are objects",
            None,
        ),
        (
            json!({CAPS: {"elicitation": 1, "experimental": 1, "extensions": 1}}),
            -32602,
            "Client capability elicitation must be an object, empty or with form or url objects",
            None,
        ),
        (
            json!({CAPS: {"experimental": 1, "extensions": 1}}),
            -32602,
            "Client capability experimental must map names to objects",
            None,
        ),
        (
            json!({CAPS: {"extensions": 1}}),
            -32602,
            "Client capability extensions must map prefixed names to objects",
            None,
        ),
        // §2 is done; §5.7 follows
        (json!({CAPS: {}}), -32601, "Method not found: no/such/method", None),
    ];
    let server = server();
    for (set, code, text, data) in steps {
        if set == &json!({"bad key": null}) {
            wrong.as_object_mut().unwrap().remove("bad key");
        } else {
            merge(&mut wrong, set.clone());
        }
        refuses(&server, "no/such/method", &[(json!({"_meta": wrong}), *code, text, data.clone())]);
    }
}

#[test]
fn the_method_comes_after_meta_and_its_params_after_both() {
    covers!("2-20");
    let server = builder().tool(Tool::new("t", "t"), |_: NoArgs, _: &Context<'_>| Ok(text(""))).build().unwrap();
    refuses(&server, "tools/call", &[(json!({"name": 7, "_meta": {CAPS: {}}}), -32602, NO_VERSION, None)]);
    refuses(
        &server,
        "tools/call",
        &[(json!({"name": 7}), -32602, "tools/call requires a non-empty string name", None)],
    );
    refuses(&server, "prompts/get", &[(json!({"name": 7}), -32601, "Method not found: prompts/get", None)]);
}

#[test]
fn nothing_is_remembered() {
    covers!("2-24");
    let server = builder()
        .tool(Tool::new("ask", "Asks"), |_: NoArgs, cx: &Context<'_>| {
            cx.ask("name", plain_mcp::elicit::form("Name?").string("name"))?;
            Ok(text("done"))
        })
        .build()
        .unwrap();
    let able = json!({"name": "ask", "_meta": meta_and(json!({CAPS: {"elicitation": {}}, LEVEL: "debug", "progressToken": 1}))});
    let unable = json!({"name": "ask"});
    for _ in 0..2 {
        assert_eq!(call(&server, "tools/call", able.clone()).result()["resultType"], "input_required");
        let data = json!({"requiredCapabilities": {"elicitation": {}}});
        call(&server, "tools/call", unable.clone()).is_error(-32021, "Missing required client capability", Some(data));
        // a message without a version is not helped by the one before it
        call(&server, "tools/call", json!({"name": "ask", "_meta": {CAPS: {"elicitation": {}}}}))
            .is_error(-32602, NO_VERSION, None);
        call(&server, "tools/call", json!({"name": "ask", "_meta": {VERSION: REVISION}}))
            .is_error(-32602, NO_CAPS, None);
    }
}

#[test]
fn the_handler_sees_every_key() {
    covers!("2-25");
    let sent = meta_and(json!({
        "traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "vendor.example/x": {"a": [1, null]}, "threadId": "t",
        "progressToken": "p", CLIENT: {"name": "n", "version": "1", "x": 1},
    }));
    let seen = seen(sent.clone());
    assert_eq!(Value::Object(seen.raw), sent);
    assert_eq!(seen.version, REVISION);
    assert_eq!(seen.client.unwrap().name, "n");
}

#[test]
fn client_info_changes_no_answer() {
    covers!("2-26");
    let server = builder().tool(Tool::new("t", "t"), |_: NoArgs, _: &Context<'_>| Ok(text("same"))).build().unwrap();
    for (method, params) in [
        ("server/discover", json!({})),
        ("tools/list", json!({})),
        ("tools/call", json!({"name": "t"})),
        ("x", json!({})),
    ] {
        let mut answers = [None, Some("Claude"), Some("conformance"), Some("")].map(|name| {
            let mut params = params.clone();
            let mut meta = meta();
            if let Some(name) = name {
                merge(&mut meta, json!({CLIENT: {"name": name, "version": "1"}}));
            }
            merge(&mut params, json!({"_meta": meta}));
            call(&server, method, params).answer
        });
        answers.sort_by_key(|answer| format!("{answer:?}"));
        assert_eq!(answers.first(), answers.last());
    }
}

#[test]
fn a_notification_needs_none() {
    covers!("2-23");
    let limits = plain_mcp::Limits::default();
    let read = |params: Value| plain_mcp::meta::read_notification(params.as_object().unwrap(), &limits);
    for params in items(
        json!([{}, {"_meta": {}}, {"_meta": {VERSION: REVISION}}, {"_meta": {VERSION: "1900-01-01", CAPS: {"x": 1}, CLIENT: {"name": "n", "version": "1"}, LEVEL: "info", "progressToken": 0, "a/b": 1}}]),
    ) {
        assert_eq!(read(params.clone()), Ok(()), "{params}");
    }
    for (meta, text) in [
        (json!(null), "_meta must be an object"),
        (json!([]), "_meta must be an object"),
        (json!({"a b": 1}), KEY),
        (json!({"progressToken": null}), TOKEN),
        (json!({LEVEL: "loud"}), BAD_LEVEL),
        (json!({VERSION: 7}), VERSION_TYPE),
        (json!({CLIENT: {}}), INFO),
        (json!({CAPS: []}), CAPS_TYPE),
        (json!({CAPS: {"roots": 1}}), "Client capability roots must be an object"),
    ] {
        let fault = read(json!({"_meta": meta})).unwrap_err();
        assert_eq!((fault.code().number(), fault.message()), (-32602, text));
        // none of them is ever answered
        let message =
            json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1, "_meta": meta}});
        assert!(crate::kit::send(&server(), &message).answer.is_none());
    }
}
