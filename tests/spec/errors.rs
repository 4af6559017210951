//! §12 Error codes.

use std::sync::{Arc, Mutex};

use plain_mcp::errors::{Code, Fault};
use plain_mcp::{
    Completion, Context, Event, Interrupt, NoArgs, Prompt, PromptArguments, PromptMessage, PromptOutput, Resource,
    ResourceOutput, ResourceTemplate, Server, Tool, ToolResult, elicit, text,
};
use serde_json::{Value, json};

use crate::kit::{CAPS, VERSION, builder, bytes, call, meta, tool};

/// A server whose tool does what it is told, and the causes that its observer is shown.
fn server() -> (Server, Arc<Mutex<Vec<String>>>) {
    let causes: Arc<Mutex<Vec<String>>> = Arc::default();
    let keep = Arc::clone(&causes);
    let run = |args: Value, cx: &Context<'_>| -> ToolResult {
        match args["do"].as_str().unwrap_or("") {
            "ask" => cx.ask("name", elicit::form("Name?").string("name")).map(|_| text("asked")),
            "panic" => panic!("a secret"),
            "panic with a value" => std::panic::panic_any(7),
            "lie" => Ok(text("no structure")), // against its output schema
            _ => {
                let fault = Fault::application(args["code"].as_i64().unwrap(), "Out of cheese").unwrap();
                let fault = if args["data"].is_null() { fault } else { fault.data(args["data"].clone()) };
                Err(fault.into())
            }
        }
    };
    let server = builder()
        .tool(Tool::new("obey", "Does as told").output(json!({"type": "object"})), run)
        .resource(
            Resource::new("test://broken", "broken"),
            |_: &str, _: &Context<'_>| -> Result<ResourceOutput, Interrupt> { Err(Interrupt::failed("disk on fire")) },
        )
        .prompt(
            Prompt::new("broken", "Broken"),
            |_: &PromptArguments, _: &Context<'_>| -> Result<PromptOutput, Interrupt> {
                panic!("{} secret", "another")
            },
        )
        .observer(move |event| {
            if let Event::Cause { cause, .. } = event {
                keep.lock().unwrap().push((*cause).to_owned());
            }
        })
        .build()
        .unwrap();
    (server, causes)
}

#[test]
fn the_table() {
    covers!("12-1", "12-2", "12-3", "12-4", "12-5", "12-6", "12-7", "12-8", "12-10");
    for (code, number, name, status) in [
        (Code::PARSE_ERROR, -32700, "Parse error", 400),
        (Code::INVALID_REQUEST, -32600, "Invalid Request", 400),
        (Code::METHOD_NOT_FOUND, -32601, "Method not found", 404),
        (Code::INVALID_PARAMS, -32602, "Invalid params", 400),
        (Code::INTERNAL_ERROR, -32603, "Internal error", 500),
        (Code::HEADER_MISMATCH, -32020, "HeaderMismatch", 400),
        (Code::MISSING_CLIENT_CAPABILITY, -32021, "MissingRequiredClientCapability", 400),
        (Code::UNSUPPORTED_VERSION, -32022, "UnsupportedProtocolVersion", 400),
    ] {
        assert_eq!((code.number(), code.name(), code.http_status()), (number, name, status));
    }
    for other in [1, 0, -1, -31999, -32769, i64::MIN, i64::MAX] {
        let code = Fault::application(other, "x").unwrap().code();
        assert_eq!((code.number(), code.name(), code.http_status()), (other, "", 200));
    }
}

/// One error of each code, without a transport: text and data.
#[test]
fn each_code_has_its_data() {
    covers!("12-1", "12-2", "12-3", "12-4", "12-5", "12-7", "12-8", "12-9");
    let (server, _) = server();
    bytes(&server, b"{").is_error(-32700, "Parse error", None);
    bytes(&server, b"[]").is_error(-32600, "Invalid Request", None);
    call(&server, "ping", json!({})).is_error(-32601, "Method not found: ping", None);
    tool(&server, "none", json!({})).is_error(-32602, "Unknown tool: none", None);
    tool(&server, "obey", json!({"do": "panic"})).is_error(-32603, "Internal error", None);
    let required = json!({"requiredCapabilities": {"elicitation": {}}});
    tool(&server, "obey", json!({"do": "ask"})).is_error(-32021, "Missing required client capability", Some(required));
    let versions = json!({"requested": "1", "supported": ["2026-07-28"]});
    call(&server, "ping", json!({"_meta": {VERSION: "1", CAPS: {}}})).is_error(
        -32022,
        "Unsupported protocol version",
        Some(versions),
    );
    let uri = "test://nonexistent-resource-for-conformance-testing";
    call(&server, "resources/read", json!({"uri": uri})).is_error(
        -32602,
        "Resource not found",
        Some(json!({"uri": uri})),
    );
}

/// The same over HTTP: status, and the id as it came.
#[cfg(feature = "http")]
#[test]
fn each_code_has_its_status() {
    covers!("12-1", "12-2", "12-3", "12-4", "12-5", "12-6", "12-7", "12-8", "12-9", "12-10", "1-10");
    use crate::corridor::{Post, call, exchange, request};
    use crate::kit::REVISION;
    use crate::wire_schema;
    let (server, _) = server();
    let exchange = exchange(&server);
    let of = |id: &str, method: &str, params: Value| Post::of(&request(id, method, params));
    let version = |post: Post, version: &str| post.with("MCP-Protocol-Version", version);
    let mut older = request("e", "server/discover", json!({}));
    older["params"]["_meta"][VERSION] = json!("v999.0.0");
    let supported = json!({"requested": "v999.0.0", "supported": [REVISION]});
    for (post, status, id, error) in [
        (Post::raw("{"), 400, Value::Null, json!({"code": -32700, "message": "Parse error"})),
        (Post::raw("[]"), 400, Value::Null, json!({"code": -32600, "message": "Invalid Request"})),
        (of("a", "ping", json!({})), 404, json!("a"), json!({"code": -32601, "message": "Method not found: ping"})),
        (
            of("b", "tools/call", json!({"name": "none"})),
            400,
            json!("b"),
            json!({"code": -32602, "message": "Unknown tool: none"}),
        ),
        (
            Post::of(&call("obey", json!({"do": "panic"}))),
            500,
            json!(1),
            json!({"code": -32603, "message": "Internal error"}),
        ),
        (
            version(of("c", "server/discover", json!({})), "v999.0.0"),
            400,
            json!("c"),
            json!({"code": -32020, "message": "Protocol header does not match request metadata", "data": {"header": "v999.0.0", "body": REVISION}}),
        ),
        (
            of("d", "server/discover", json!({})).without("Mcp-Method"),
            400,
            json!("d"),
            json!({"code": -32020, "message": "Missing or repeated required header: mcp-method"}),
        ),
        (
            Post::of(&call("obey", json!({"do": "ask"}))),
            400,
            json!(1),
            json!({"code": -32021, "message": "Missing required client capability", "data": {"requiredCapabilities": {"elicitation": {}}}}),
        ),
        (
            version(Post::of(&older), "v999.0.0"),
            400,
            json!("e"),
            json!({"code": -32022, "message": "Unsupported protocol version", "data": supported}),
        ),
        (
            of("f", "resources/read", json!({"uri": "test://none"})),
            400,
            json!("f"),
            json!({"code": -32602, "message": "Resource not found", "data": {"uri": "test://none"}}),
        ),
        (
            Post::of(&call("obey", json!({"code": 42, "data": [1]}))),
            200,
            json!(1),
            json!({"code": 42, "message": "Out of cheese", "data": [1]}),
        ),
    ] {
        let seen = post.to(&exchange);
        assert_eq!((seen.status, &seen.json()), (status, &json!({"jsonrpc": "2.0", "id": id, "error": error})));
        wire_schema::message("", &seen.json());
    }
}

#[test]
fn an_application_has_codes_of_its_own() {
    covers!("12-11", "12-12");
    for code in [
        -32768, -32767, -32700, -32603, -32602, -32601, -32600, -32099, -32042, -32022, -32021, -32020, -32002, -32001,
        -32000,
    ] {
        let refused = Fault::application(code, "x").unwrap_err();
        assert_eq!(refused.0, code);
        assert_eq!(refused.to_string(), format!("code {code} is reserved: use one outside -32768..-32000"));
    }
    for code in [i64::MIN, -32769, -31999, -1, 0, 1, i64::MAX] {
        assert_eq!(Fault::application(code, "x").unwrap().code().number(), code);
    }
}

#[test]
fn an_application_says_what_it_likes() {
    covers!("12-13", "12-10");
    let (server, _) = server();
    tool(&server, "obey", json!({"code": 42})).is_error(42, "Out of cheese", None);
    for data in [json!({"a": [null]}), json!([]), json!("why"), json!(false), json!(0)] {
        tool(&server, "obey", json!({"code": -1, "data": data})).is_error(-1, "Out of cheese", Some(data));
    }
}

#[test]
fn causes_stay_inside() {
    covers!("12-14", "12-5");
    let (server, causes) = server();
    let cases = [
        ("tools/call", json!({"name": "obey", "arguments": {"do": "panic"}}), "the handler panicked: a secret"),
        (
            "tools/call",
            json!({"name": "obey", "arguments": {"do": "panic with a value"}}),
            "the handler panicked: no text",
        ),
        (
            "tools/call",
            json!({"name": "obey", "arguments": {"do": "lie"}}),
            "the tool has an output schema and gave no structured content",
        ),
        ("resources/read", json!({"uri": "test://broken"}), "disk on fire"),
        ("prompts/get", json!({"name": "broken"}), "the handler panicked: another secret"),
    ];
    for (method, params, cause) in cases {
        call(&server, method, params).is_error(-32603, "Internal error", None);
        assert_eq!(causes.lock().unwrap().pop().as_deref(), Some(cause));
    }
    assert!(causes.lock().unwrap().is_empty());
}

#[test]
fn a_panic_ends_one_request() {
    covers!("12-15");
    let (server, _) = server();
    for _ in 0..3 {
        tool(&server, "obey", json!({"do": "panic"})).is_error(-32603, "Internal error", None);
        assert_eq!(call(&server, "tools/list", json!({"_meta": meta()})).result()["resultType"], "complete");
        tool(&server, "obey", json!({"code": 1})).is_error(1, "Out of cheese", None);
    }
}

/// Whatever runs: tools, prompts, resources, templates and completions; whatever the panic carries, and though that panics in
/// its turn when it is dropped.
#[test]
fn a_panic_of_any_handler() {
    covers!("12-15");
    struct Bomb;
    impl Drop for Bomb {
        fn drop(&mut self) {
            panic!("dropped");
        }
    }
    let server = builder()
        .tool(Tool::new("bomb", "d"), |_: NoArgs, _| -> ToolResult { std::panic::panic_any(Bomb) })
        .tool(Tool::new("number", "d"), |_: NoArgs, _| -> ToolResult { std::panic::panic_any(7) })
        .prompt(Prompt::new("p", "d").arg("a"), |_, _| -> Result<PromptMessage, Interrupt> { panic!("p") })
        .complete_prompt("p", "a", |_, _| -> Result<Completion, Interrupt> { panic!("c") })
        .resource(Resource::new("test://r", "r"), |_, _| -> Result<ResourceOutput, Interrupt> { panic!("r") })
        .template(ResourceTemplate::new("test://t/{v}", "t"), |_, _| -> Result<ResourceOutput, Interrupt> {
            panic!("t")
        })
        .build()
        .unwrap();
    let completion = json!({"ref": {"type": "ref/prompt", "name": "p"}, "argument": {"name": "a", "value": ""}});
    for (method, params) in [
        ("tools/call", json!({"name": "bomb"})),
        ("tools/call", json!({"name": "number"})),
        ("prompts/get", json!({"name": "p", "arguments": {"a": "x"}})),
        ("completion/complete", completion),
        ("resources/read", json!({"uri": "test://r"})),
        ("resources/read", json!({"uri": "test://t/1"})),
    ] {
        call(&server, method, params).is_error(-32603, "Internal error", None);
    }
}
