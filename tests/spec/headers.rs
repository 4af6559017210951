//! §13.4 §13.5 §13.6 The headers that mirror the body.

use plain_mcp::types::contents;
use plain_mcp::{Context, Prompt, PromptMessage, Resource, Server, Tool, text};
use serde_json::{Value, json};

use crate::corridor::{Post, Seen, call, exchange, meta, request};

fn server() -> Server {
    let route = json!({"type": "object", "properties": {
        "region": {"type": "string", "x-mcp-header": "Region"},
        "shard": {"type": "integer", "x-mcp-header": "Shard"},
        "dry": {"type": "boolean", "x-mcp-header": "Method"},
        "place": {"type": "object", "properties": {"zone": {"type": "string", "x-mcp-header": "Zone"}}},
        "free": {"type": "string"},
    }});
    let run = |args: Value, _: &Context<'_>| Ok(text(args.to_string()));
    Server::builder("headers", "1")
        .tool(Tool::new("echo", "Echoes"), run)
        .tool(Tool::new("Grüße", "Greets"), run)
        .tool(Tool::new("route", "Routes").input(route), run)
        .prompt(Prompt::new("greet", "Greets"), |_, _| Ok(PromptMessage::user("hello")))
        .resource(Resource::new("test://x%20y", "odd"), |_, _| Ok(contents::text("text/plain", "odd")))
        .build()
        .unwrap()
}

fn served(seen: &Seen) -> bool {
    seen.status == 200 && seen.json()["result"]["isError"] != true && seen.code() == 0
}

fn list() -> Post {
    Post::of(&request(1, "tools/list", json!({})))
}

fn with_version(header: &str, body: Value) -> Seen {
    let mut message = request("v", "tools/list", json!({}));
    message["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] = body;
    Post::of(&message).with("MCP-Protocol-Version", header).to(&exchange(&server()))
}

#[test]
fn the_version_is_there_once() {
    covers!("13.4-1", "13.5-4");
    let exchange = exchange(&server());
    let text = "Missing or repeated required header: mcp-protocol-version";
    list().without("MCP-Protocol-Version").to(&exchange).refused(400, -32020, text, 1);
    list().add("mcp-protocol-version", "2026-07-28").to(&exchange).refused(400, -32020, text, 1);
    list().add("mcp-protocol-version", "2025-11-25").to(&exchange).refused(400, -32020, text, 1);
    assert!(served(&list().with("mcp-PROTOCOL-version", " 2026-07-28\t").to(&exchange)));
    let seen = list().with("MCP-Protocol-Version", b"2026-07-28\xff").to(&exchange);
    seen.refused(400, -32020, "mcp-protocol-version is malformed", 1);
}

#[test]
fn header_and_body_name_the_same_version() {
    covers!("13.4-2", "13.4-3", "13.4-5", "2-7", "2-8");
    for (header, body) in [
        ("2026-07-28", "v999.0.0"),
        ("v999.0.0", "2026-07-28"),
        ("v998.0.0", "v999.0.0"),
        ("2026-07-28", " 2026-07-28"),
    ] {
        let seen = with_version(header, json!(body));
        let error = json!({"code": -32020, "message": "Protocol header does not match request metadata", "data": {"header": header, "body": body}});
        assert_eq!((seen.status, &seen.json()), (400, &json!({"jsonrpc": "2.0", "id": "v", "error": error})));
    }
    let seen = with_version("v999.0.0", json!("v999.0.0"));
    let data = json!({"requested": "v999.0.0", "supported": ["2026-07-28"]});
    let error = json!({"code": -32022, "message": "Unsupported protocol version", "data": data});
    assert_eq!((seen.status, &seen.json()), (400, &json!({"jsonrpc": "2.0", "id": "v", "error": error})));
}

#[test]
fn a_body_without_a_version_is_not_compared() {
    covers!("13.4-4");
    let exchange = exchange(&server());
    let missing = "Missing required io.modelcontextprotocol/protocolVersion metadata";
    for (params, text) in [
        (json!({}), missing),
        (json!({"_meta": {"io.modelcontextprotocol/clientCapabilities": {}}}), missing),
        (
            json!({"_meta": {"io.modelcontextprotocol/protocolVersion": 7}}),
            "io.modelcontextprotocol/protocolVersion must be a string",
        ),
        (json!({"_meta": null}), "_meta must be an object"),
    ] {
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": params});
        Post::of(&body).to(&exchange).refused(400, -32602, text, 1);
    }
    let mut meta = meta();
    meta.as_object_mut().unwrap().remove("io.modelcontextprotocol/clientCapabilities");
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": meta}});
    Post::of(&body).to(&exchange).refused(400, -32602, "Missing required client capabilities metadata", 1);
}

#[test]
fn the_method_is_repeated_letter_by_letter() {
    covers!("13.5-1", "13.5-2", "13.5-4");
    let exchange = exchange(&server());
    for name in ["mcp-method", "MCP-METHOD", "Mcp-Method"] {
        assert!(served(&list().without("Mcp-Method").add(name, "tools/list").to(&exchange)), "{name}");
    }
    assert!(served(&list().with("Mcp-Method", "\t tools/list  ").to(&exchange)));
    for value in ["prompts/list", "TOOLS/LIST", "tools/List", "tools/list/", "", "=?base64?dG9vbHMvbGlzdA==?="] {
        list().with("Mcp-Method", value).to(&exchange).refused(
            400,
            -32020,
            "mcp-method does not match the request body",
            1,
        );
    }
    let missing = "Missing or repeated required header: mcp-method";
    list().without("Mcp-Method").to(&exchange).refused(400, -32020, missing, 1);
    list().add("mcp-method", "tools/list").to(&exchange).refused(400, -32020, missing, 1);
    for value in [&b"tools/l\xc3\xafst"[..], b"tools/list\x01", b"tools\x7f/list"] {
        list().with("Mcp-Method", value).to(&exchange).refused(400, -32020, "mcp-method is malformed", 1);
    }
}

#[test]
fn the_name_is_repeated_where_there_is_one() {
    covers!("13.5-1", "13.5-3", "13.5-4");
    let exchange = exchange(&server());
    let messages = [
        call("echo", json!({})),
        request(1, "prompts/get", json!({"name": "greet"})),
        request(1, "resources/read", json!({"uri": "test://x%20y"})),
    ];
    for message in &messages {
        let good = Post::of(message).without("Mcp-Name");
        let name = message["params"]["name"].as_str().unwrap_or("=?base64?dGVzdDovL3glMjB5?=");
        assert!(served(&good.clone().add("mcp-name", format!("  {name}  ")).to(&exchange)), "{message}");
        let missing = "Missing or repeated required header: mcp-name";
        good.to(&exchange).refused(400, -32020, missing, 1);
        good.clone().add("Mcp-Name", name).add("Mcp-Name", name).to(&exchange).refused(400, -32020, missing, 1);
        for value in ["wrong_tool_name", "ECHO", "", "test://%C3%A4%20b"] {
            let seen = good.clone().add("Mcp-Name", value).to(&exchange);
            seen.refused(400, -32020, "mcp-name does not match the request body", 1);
        }
    }
    let nameless = Post::of(&request(1, "tools/call", json!({}))).add("Mcp-Name", "echo").to(&exchange);
    nameless.refused(400, -32020, "mcp-name does not match the request body", 1);
    assert!(served(&list().add("Mcp-Name", "anything").to(&exchange)));
}

#[test]
fn a_name_may_be_wrapped() {
    covers!("13.5-5", "13.6-1");
    let exchange = exchange(&server());
    let greet = Post::of(&call("Grüße", json!({}))).without("Mcp-Name");
    assert!(served(&greet.clone().add("Mcp-Name", "=?base64?R3LDvMOfZQ==?=").to(&exchange)));
    assert!(served(&Post::of(&call("echo", json!({}))).with("Mcp-Name", "=?base64?ZWNobw==?=").to(&exchange)));
    for value in [
        &b"Gr\xc3\xbc\xc3\x9fe"[..],
        b"=?base64?R3LDvMOfZQ?=",
        b"=?base64?R3LDvMOfZQ==!?=",
        b"=?base64?/w==?=",
        b"a\x01",
    ] {
        greet.clone().add("Mcp-Name", value).to(&exchange).refused(400, -32020, "mcp-name is malformed", 1);
    }
    let other = greet.add("Mcp-Name", "=?base64?ZWNobw==?=").to(&exchange);
    other.refused(400, -32020, "mcp-name does not match the request body", 1);
}

fn route(arguments: Value, fields: &[(&str, &str)]) -> Seen {
    let post = Post::of(&call("route", arguments));
    fields.iter().fold(post, |post, (name, value)| post.add(name, value)).to(&exchange(&server()))
}

#[test]
fn parameters_are_repeated() {
    covers!("13.6-5", "13.6-11");
    for (arguments, fields) in [
        (json!({}), &[][..]),
        (json!({"region": "eu"}), &[("Mcp-Param-Region", "eu")]),
        (json!({"region": "eu"}), &[("mcp-param-REGION", "\teu ")]),
        (json!({"region": "Hello"}), &[("Mcp-Param-Region", "=?base64?SGVsbG8=?=")]),
        (json!({"region": "SGVsbG8="}), &[("Mcp-Param-Region", "SGVsbG8=")]),
        (json!({"region": "=?base64?SGVsbG8="}), &[("Mcp-Param-Region", "=?base64?SGVsbG8=")]),
        (json!({"region": ""}), &[("Mcp-Param-Region", "")]),
        (
            json!({"region": "us west 1", "dry": true}),
            &[("Mcp-Param-Region", "us west 1"), ("Mcp-Param-Method", "true")],
        ),
        (json!({"dry": false}), &[("Mcp-Param-Method", "false")]),
        (json!({"place": {"zone": "a"}}), &[("Mcp-Param-Zone", "a")]),
        (json!({"zone": "a", "place": {}}), &[]),
    ] {
        let seen = route(arguments.clone(), fields);
        assert!(served(&seen), "{arguments} {seen:?}");
    }
    for (arguments, name, value) in [
        (json!({"region": "eu"}), "mcp-param-region", "us"),
        (json!({"region": "eu"}), "mcp-param-region", "EU"),
        (json!({"region": "eu"}), "mcp-param-region", "=?base64?dXM=?="),
        (json!({"dry": true}), "mcp-param-method", "false"),
        (json!({"dry": true}), "mcp-param-method", "True"),
        (json!({"place": {"zone": "a"}}), "mcp-param-zone", "b"),
        (json!({"shard": "42"}), "mcp-param-shard", "42.0"),
    ] {
        let text = format!("{name} does not match the request body");
        route(arguments, &[(name, value)]).refused(400, -32020, &text, 1);
    }
}

#[test]
fn a_parameter_that_is_there_has_its_header() {
    covers!("13.6-2");
    for (arguments, name) in [
        (json!({"region": "eu"}), "mcp-param-region"),
        (json!({"region": ""}), "mcp-param-region"),
        (json!({"dry": false}), "mcp-param-method"),
        (json!({"shard": 0}), "mcp-param-shard"),
        (json!({"place": {"zone": "a"}}), "mcp-param-zone"),
    ] {
        route(arguments, &[]).refused(400, -32020, &format!("Missing or repeated required header: {name}"), 1);
    }
    let twice = route(json!({"region": "eu"}), &[("Mcp-Param-Region", "eu"), ("Mcp-Param-Region", "eu")]);
    twice.refused(400, -32020, "Missing or repeated required header: mcp-param-region", 1);
}

#[test]
fn a_parameter_that_is_not_there_has_none() {
    covers!("13.6-3", "13.6-8");
    let other = "=?base64?bnVsbA==?=";
    for arguments in [json!({}), json!({"place": {}}), json!({"place": {"zone": null}})] {
        let seen = route(arguments.clone(), &[]);
        assert_eq!((seen.status, seen.code()), (200, 0), "{arguments}");
        for value in ["", "null", other] {
            let seen = route(arguments.clone(), &[("Mcp-Param-Zone", value)]);
            seen.refused(400, -32020, "mcp-param-zone does not match the request body", 1);
        }
    }
    let bare = Post::of(&request(1, "tools/call", json!({"name": "route"}))).add("Mcp-Param-Region", "eu");
    bare.to(&exchange(&server())).refused(400, -32020, "mcp-param-region does not match the request body", 1);
}

#[test]
fn other_parameter_headers_are_ignored() {
    covers!("13.6-9");
    let fields = [("Mcp-Param-Free", "other"), ("Mcp-Param-Unknown", "=?base64?!?="), ("Mcp-Param-Free", "twice")];
    assert!(served(&route(json!({"free": "x"}), &fields)));
    let exchange = exchange(&server());
    let unknown = Post::of(&call("nobody", json!({"region": "eu"}))).to(&exchange);
    unknown.refused(400, -32602, "Unknown tool: nobody", 1);
    assert!(served(
        &Post::of(&request(1, "prompts/get", json!({"name": "greet"}))).add("Mcp-Param-Region", "x").to(&exchange)
    ));
}

#[test]
fn malformed_parameter_headers_are_refused() {
    covers!("13.6-1", "13.6-7");
    let exchange = exchange(&server());
    for value in
        [&b"=?base64?SGVsbG8?="[..], b"=?base64?SGVs!!!bG8=?=", b"=?base64?_-8=?=", b"Hell\xc3\xb6", b"Hello\x01"]
    {
        let seen = Post::of(&call("route", json!({"region": "Hello"}))).add("Mcp-Param-Region", value).to(&exchange);
        seen.refused(400, -32020, "mcp-param-region is malformed", 1);
    }
}

#[test]
fn integers_are_compared_as_numbers() {
    covers!("13.6-4", "13.6-6");
    for (shard, header) in [
        (json!(42), "42"),
        (json!(42), "42.0"),
        (json!(-7), "-7"),
        (json!(9_007_199_254_740_991_i64), "9007199254740991"),
    ] {
        assert!(served(&route(json!({"shard": shard}), &[("Mcp-Param-Shard", header)])), "{header}");
    }
    for (shard, header) in [(json!(42), "43"), (json!(9_007_199_254_740_991_i64), "9007199254740990")] {
        let seen = route(json!({"shard": shard}), &[("Mcp-Param-Shard", header)]);
        seen.refused(400, -32020, "mcp-param-shard does not match the request body", 1);
    }
    for (shard, header) in [
        (json!(42), "forty-two"),
        (json!(42), "42.0000000001"),
        (json!(9_007_199_254_740_993_i64), "9007199254740992"),
        (json!(9_007_199_254_740_993_i64), "9007199254740993"),
        (json!(-9_007_199_254_740_992_i64), "-9007199254740992"),
        (json!(9_007_199_254_740_993_i64), "5"),
    ] {
        let seen = route(json!({"shard": shard}), &[("Mcp-Param-Shard", header)]);
        seen.refused(400, -32020, "mcp-param-shard is malformed", 1);
    }
}

#[test]
fn what_no_header_can_say_is_left_to_the_schema() {
    covers!("5.2-2");
    let seen = route(json!({"region": ["eu"]}), &[]);
    assert_eq!((seen.status, &seen.json()["result"]["isError"]), (200, &json!(true)));
    let seen = Post::of(&call("route", json!("eu"))).to(&exchange(&server()));
    seen.refused(400, -32602, "tools/call arguments must be an object", 1);
}

#[test]
fn bad_annotations_are_refused_at_build() {
    covers!("13.6-10");
    let tool = |name: &str| {
        Tool::new("bad", "Bad")
            .input(json!({"type": "object", "properties": {"p": {"type": "string", "x-mcp-header": name}}}))
    };
    let build = |name| Server::builder("s", "1").tool(tool(name), |_: Value, _: &Context<'_>| Ok(text("x"))).build();
    assert!(build("Region").is_ok());
    let error = build("My Region").unwrap_err().to_string();
    assert!(error.contains("x-mcp-header at /properties/p/x-mcp-header must be a header token"), "{error}");
}
