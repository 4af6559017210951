//! §5.1 tools/list, §5.2 tools/call.

use plain_mcp::types::{Annotations, Icon, Role, ToolAnnotations};
use plain_mcp::{
    ContentBlock, Context, Interrupt, NoArgs, Resource, Server, Tool, ToolOutput, ToolResult, contents, text,
};
use serde_json::{Value, json};

use crate::kit::{builder, bytes, call, refuses, request, send, tool};

const PNG: &[u8] = &[0, 1, 2, 255];

/// A tool that answers with the arguments it got.
fn echo(name: &str, schema: Value) -> Server {
    let echo = |arguments: Value, _: &Context<'_>| Ok(ToolOutput::structured(arguments));
    builder().tool(Tool::new(name, "Echoes").input(schema), echo).build().unwrap()
}

/// A tool that gives this.
fn gives(output: impl Fn() -> ToolResult + Send + Sync + 'static) -> Server {
    builder().tool(Tool::new("t", "Gives"), move |_: NoArgs, _| output()).build().unwrap()
}

fn problems(tool: Tool) -> Vec<String> {
    builder().tool(tool, |_: NoArgs, _| Ok("")).build().unwrap_err().problems
}

fn names(list: &Value, member: &str) -> Vec<String> {
    list[member].as_array().unwrap().iter().map(|item| item["name"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn listed() {
    covers!("5.1-1", "5.2-13");
    let full = Tool::new("full", "Does all")
        .title("Full")
        .input(json!({"type": "object", "properties": {"a": {"type": "integer"}}}))
        .output(json!({"type": ["object", "null"]}))
        .annotations(
            ToolAnnotations::new().title("T").read_only(true).destructive(false).idempotent(true).open_world(false),
        )
        .icon(Icon::new("https://example.com/i.png").mime_type("image/png").size("48x48"))
        .meta("com.example/k", 1);
    let server = builder()
        .tool(full, |_: NoArgs, _| Ok(""))
        .tool(Tool::new("bare", "Does little").annotations(ToolAnnotations::new()), |_: NoArgs, _| Ok(""))
        .build()
        .unwrap();
    let sent = call(&server, "tools/list", json!({}));
    assert_eq!(
        sent.result()["tools"],
        json!([
            {"name": "bare", "description": "Does little", "inputSchema": {"type": "object"}},
            {"name": "full", "title": "Full", "description": "Does all",
             "inputSchema": {"type": "object", "properties": {"a": {"type": "integer"}}},
             "outputSchema": {"type": ["object", "null"]},
             "annotations": {"title": "T", "readOnlyHint": true, "destructiveHint": false, "idempotentHint": true, "openWorldHint": false},
             "icons": [{"src": "https://example.com/i.png", "mimeType": "image/png", "sizes": ["48x48"]}],
             "_meta": {"com.example/k": 1}},
        ])
    );
}

#[test]
fn sorted_and_the_same_on_every_call_and_connection() {
    covers!("5.1-2", "5.1-6");
    let add = |server: plain_mcp::ServerBuilder, name: &str| server.tool(Tool::new(name, "d"), |_: NoArgs, _| Ok(""));
    let server = ["b", "a_1", "B", "a", "a-1", "10", "2"].into_iter().fold(builder(), add).build().unwrap();
    let first = call(&server, "tools/list", json!({}));
    assert_eq!(names(first.result(), "tools"), ["10", "2", "B", "a", "a-1", "a_1", "b"]);
    tool(&server, "b", json!({}));
    // Other callers of the same server: another client, other capabilities, a failed call before.
    refuses(&server, "tools/call", &[(json!({"name": "c"}), -32602, "Unknown tool: c", None)]);
    let meta = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {"sampling": {}},
        "io.modelcontextprotocol/clientInfo": {"name": "other", "version": "9"}});
    for params in [json!({}), json!({"_meta": meta}), json!({})] {
        assert_eq!(call(&server, "tools/list", params).answer, first.answer);
    }
}

#[test]
fn schemas_are_listed_unchanged() {
    covers!("5.1-3");
    let input = r##"{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","$defs":{"address":{"$anchor":"here","type":"object","properties":{"street":{"type":"string"},"city":{"type":"string"}}}},"properties":{"name":{"type":"string"},"address":{"$ref":"#/$defs/address"},"contact":{"anyOf":[{"required":["phone"]},{"required":["email"]}]}},"allOf":[{"anyOf":[{"required":["phone"]},{"required":["email"]}]}],"if":{"properties":{"c":{"const":"DE"}}},"then":{"required":["zip"]},"else":{},"additionalProperties":false,"x-mine":[1.0,1e2,-0]}"##;
    let output = r#"{"type":"array","prefixItems":[{"const":"b"},{"const":"a"}],"items":false}"#;
    let tool = Tool::new("t", "d").input_text(&format!(" {input}\n")).output_text(output);
    let server = builder().tool(tool, |_: NoArgs, _| Ok("")).build().unwrap();
    let answer = server.direct().call("tools/list", json!({})).response.to_json();
    assert!(answer.contains(&format!(r#""inputSchema":{input}"#)), "{answer}");
    assert!(answer.contains(&format!(r#""outputSchema":{output}"#)), "{answer}");
    let listed = call(&server, "tools/list", json!({}));
    assert_eq!(listed.result()["tools"][0]["inputSchema"], serde_json::from_str::<Value>(input).unwrap());
}

#[test]
fn not_an_object_schema() {
    covers!("5.1-4");
    let why = r#"tool "t": inputSchema must be an object with "type": "object""#;
    for schema in
        [json!({}), json!({"type": "array"}), json!({"type": ["object"]}), json!({"properties": {}}), json!(true)]
    {
        assert_eq!(problems(Tool::new("t", "d").input(schema.clone())), [why], "{schema}");
    }
    let unreadable = problems(Tool::new("t", "d").input_text("{"));
    assert!(unreadable[0].starts_with(r#"tool "t": inputSchema is not JSON: "#), "{unreadable:?}");
}

#[test]
fn names_of_tools() {
    covers!("5.1-5");
    for good in ["a", "A-Z_a.z-0", &"n".repeat(128), &"ü".repeat(128), "größe/日本"] {
        let server = builder().tool(Tool::new(good, "d"), |_: NoArgs, _| Ok("")).build().unwrap();
        assert_eq!(tool(&server, good, json!({})).result()["isError"], false);
    }
    assert_eq!(problems(Tool::new("", "d")), [r#"tool "": the name is empty"#]);
    let long = "n".repeat(129);
    assert_eq!(problems(Tool::new(&long, "d")), [format!("tool {long:?}: the name has more than 128 characters")]);
    let twice =
        builder().tool(Tool::new("a", "d"), |_: NoArgs, _| Ok("1")).tool(Tool::new("a", "e"), |_: NoArgs, _| Ok("2"));
    assert_eq!(twice.build().unwrap_err().problems, [r#"tool "a": there are two"#]);
    let by_case = builder()
        .tool(Tool::new("a", "d"), |_: NoArgs, _| Ok("1"))
        .tool(Tool::new("A", "d"), |_: NoArgs, _| Ok("2"))
        .build()
        .unwrap();
    assert_eq!(tool(&by_case, "A", json!({})).result()["content"][0]["text"], "2");
    assert_eq!(tool(&by_case, "a", json!({})).result()["content"][0]["text"], "1");
}

#[test]
#[rustfmt::skip] // a table
fn refused() {
    covers!("5.2-1", "5.2-2", "5.2-3");
    const NAME: &str = "tools/call requires a non-empty string name";
    const ARGUMENTS: &str = "tools/call arguments must be an object";
    let server = echo("echo", json!({"type": "object"}));
    refuses(
        &server,
        "tools/call",
        &[
            // params                                        code    message                     data
            (json!({}),                                      -32602, NAME,                       None),
            (json!({"name": null}),                          -32602, NAME,                       None),
            (json!({"name": ""}),                            -32602, NAME,                       None),
            (json!({"name": 7}),                             -32602, NAME,                       None),
            (json!({"name": ["echo"]}),                      -32602, NAME,                       None),
            (json!({"name": {"name": "echo"}}),              -32602, NAME,                       None),
            (json!({"name": true, "arguments": 7}),          -32602, NAME,                       None),
            (json!({"name": "echo", "arguments": null}),     -32602, ARGUMENTS,                  None),
            (json!({"name": "echo", "arguments": []}),       -32602, ARGUMENTS,                  None),
            (json!({"name": "echo", "arguments": "{}"}),     -32602, ARGUMENTS,                  None),
            (json!({"name": "echo", "arguments": 0}),        -32602, ARGUMENTS,                  None),
            (json!({"name": "echo", "arguments": false}),    -32602, ARGUMENTS,                  None),
            (json!({"name": "nope", "arguments": []}),       -32602, ARGUMENTS,                  None),
            (json!({"name": "nope"}),                        -32602, "Unknown tool: nope",       None),
            (json!({"name": "nope", "arguments": {"a": 1}}), -32602, "Unknown tool: nope",       None),
            (json!({"name": "Echo"}),                        -32602, "Unknown tool: Echo",       None),
            (json!({"name": " echo"}),                       -32602, "Unknown tool:  echo",      None),
            (json!({"name": "{}"}),                          -32602, "Unknown tool: {}",         None),
            (json!({"name": "Grüße \"\n"}),                  -32602, "Unknown tool: Grüße \"\n", None),
        ],
    );
}

#[test]
fn absent_arguments() {
    covers!("5.2-4");
    let server = echo("echo", json!({"type": "object"}));
    for params in [json!({"name": "echo"}), json!({"name": "echo", "arguments": {}})] {
        assert_eq!(call(&server, "tools/call", params).result()["structuredContent"], json!({}));
    }
    let server = echo("echo", json!({"type": "object", "required": ["a"]}));
    let sent = call(&server, "tools/call", json!({"name": "echo"}));
    assert_eq!(sent.result()["isError"], true, "absent arguments lack what is required");
}

#[test]
fn arguments_against_the_schema() {
    covers!("5.2-5", "5.2-18");
    let schema = json!({"type": "object", "properties": {"a": {"type": "integer", "maximum": 9}, "list": {"type": "array", "items": {"enum": ["x", "y"]}}},
        "required": ["a"], "additionalProperties": false});
    let server = echo("echo", schema);
    assert_eq!(tool(&server, "echo", json!({"a": 9, "list": ["x"]})).result()["isError"], false);
    for (arguments, place, fault) in [
        (json!({}), "", "a"),
        (json!({"a": "1"}), "a", "integer"),
        (json!({"a": 1.5}), "a", "integer"),
        (json!({"a": 10}), "a", "9"),
        (json!({"a": null}), "a", "integer"),
        (json!({"a": 1, "list": ["x", "z"]}), "list/1", ""),
        (json!({"a": 1, "more": 1}), "more", ""),
    ] {
        let sent = tool(&server, "echo", arguments.clone());
        let result = sent.result();
        let content = result["content"].as_array().unwrap();
        assert_eq!(
            (result["isError"].clone(), content.len(), result.get("structuredContent")),
            (json!(true), 1, None),
            "{result}"
        );
        let said = content[0]["text"].as_str().unwrap();
        assert!(
            said.starts_with("Invalid arguments: ") && said.contains(place) && said.contains(fault),
            "{arguments}: {said}"
        );
    }
    // A check that would take for ever ends with a refusal, as a result like any other.
    let tree = json!({"type": "object", "$defs": {"n": {"anyOf": [{"items": {"$ref": "#/$defs/n"}, "minItems": 1, "type": "array"}, {"items": {"$ref": "#/$defs/n"}, "type": "array", "minItems": 1}]}},
        "properties": {"a": {"$ref": "#/$defs/n"}}});
    let deep = (0..60).fold(json!([]), |inner, _| json!([inner]));
    let sent = tool(&echo("echo", tree), "echo", json!({"a": deep}));
    assert_eq!(sent.result()["isError"], true);
}

#[test]
fn arguments_against_the_type() {
    covers!("5.2-6");
    #[derive(serde::Deserialize)]
    struct Small {
        n: u8,
    }
    let schema = json!({"type": "object", "properties": {"n": {"type": "integer"}}});
    let server =
        builder().tool(Tool::new("t", "d").input(schema), |args: Small, _| Ok(args.n.to_string())).build().unwrap();
    assert_eq!(tool(&server, "t", json!({"n": 255})).result()["content"][0]["text"], "255");
    for (arguments, fault) in [(json!({"n": 256}), "u8"), (json!({"n": -1}), "u8"), (json!({}), "`n`")] {
        let sent = tool(&server, "t", arguments);
        let said = sent.result()["content"][0]["text"].as_str().unwrap();
        assert_eq!(sent.result()["isError"], true);
        assert!(said.starts_with("Invalid arguments: ") && said.contains(fault), "{said}");
    }
}

/// The result without what every result has.
fn body(server: &Server) -> Value {
    let mut result = tool(server, "t", json!({})).result().clone();
    let members = result.as_object_mut().unwrap();
    assert_eq!(members.remove("resultType"), Some(json!("complete")));
    assert_eq!(
        members.remove("_meta"),
        Some(json!({"io.modelcontextprotocol/serverInfo": {"name": "test", "version": "1.0.0"}}))
    );
    result
}

#[test]
fn what_a_handler_returns() {
    covers!("5.2-7", "5.2-8", "5.2-9", "5.2-10");
    let block = |text: &str| json!([{"type": "text", "text": text}]);
    for (output, expected) in [
        (gives(|| Ok(text("hi"))), json!({"content": block("hi"), "isError": false})),
        (gives(|| Ok("".into())), json!({"content": block(""), "isError": false})),
        (gives(|| Ok(ToolOutput::default())), json!({"content": [], "isError": false})),
        (gives(|| Ok(ToolOutput::error("broken"))), json!({"content": block("broken"), "isError": true})),
        (gives(|| Err(Interrupt::failed("disk full"))), json!({"content": block("disk full"), "isError": true})),
        (
            gives(|| Ok(ToolOutput::structured(json!({"answer": 42})))),
            json!({"content": block(r#"{"answer":42}"#), "structuredContent": {"answer": 42}, "isError": false}),
        ),
        (
            gives(|| Ok(ToolOutput::structured(json!(null)))),
            json!({"content": block("null"), "structuredContent": null, "isError": false}),
        ),
        (
            gives(|| Ok(ToolOutput::structured([1, 2]))),
            json!({"content": block("[1,2]"), "structuredContent": [1, 2], "isError": false}),
        ),
        (
            gives(|| Ok(ToolOutput::structured("x"))),
            json!({"content": block("\"x\""), "structuredContent": "x", "isError": false}),
        ),
        (
            gives(|| Ok(ToolOutput::structured(false))),
            json!({"content": block("false"), "structuredContent": false, "isError": false}),
        ),
        (
            gives(|| Ok(ToolOutput::structured(i64::MAX))),
            json!({"content": block("9223372036854775807"), "structuredContent": i64::MAX, "isError": false}),
        ),
        (
            gives(|| Ok(ToolOutput { structured: Some(json!(1)), ..ToolOutput::default() })),
            json!({"content": [], "structuredContent": 1, "isError": false}),
        ),
    ] {
        assert_eq!(body(&output), expected);
    }
}

#[test]
fn every_block() {
    covers!("5.2-12", "5.2-13");
    let hints = || {
        Annotations::new()
            .audience(Role::User)
            .audience(Role::Assistant)
            .priority(0.5)
            .last_modified("2025-01-12T15:00:58Z")
    };
    let link = Resource::new("file:///a", "a")
        .title("A")
        .description("d")
        .mime_type("text/plain")
        .size(3)
        .icon(Icon::new("data:image/png;base64,AAAA"));
    let server = gives(move || {
        Ok(ToolOutput::default()
            .and(ContentBlock::text("t").annotations(hints()).meta("k", 1))
            .and(ContentBlock::image(PNG, "image/png").annotations(Annotations::new().priority(1.0)))
            .and(ContentBlock::audio(PNG, "audio/wav").annotations(Annotations::new().priority(0.0)))
            .and(ContentBlock::resource_link(link.clone()).annotations(hints()))
            .and(contents::text("text/plain", "inner").uri("test://r"))
            .and(ContentBlock::resource(contents::blob("image/png", PNG).uri("test://b").meta("k", 2)).meta("k", 3)))
    });
    let hints = json!({"audience": ["user", "assistant"], "priority": 0.5, "lastModified": "2025-01-12T15:00:58Z"});
    let sent = tool(&server, "t", json!({}));
    assert_eq!(
        sent.result()["content"],
        json!([
            {"type": "text", "text": "t", "annotations": hints, "_meta": {"k": 1}},
            {"type": "image", "data": "AAEC/w==", "mimeType": "image/png", "annotations": {"priority": 1.0}},
            {"type": "audio", "data": "AAEC/w==", "mimeType": "audio/wav", "annotations": {"priority": 0.0}},
            {"type": "resource_link", "uri": "file:///a", "name": "a", "title": "A", "description": "d", "mimeType": "text/plain", "size": 3,
             "icons": [{"src": "data:image/png;base64,AAAA"}], "annotations": hints},
            {"type": "resource", "resource": {"uri": "test://r", "mimeType": "text/plain", "text": "inner"}},
            {"type": "resource", "resource": {"uri": "test://b", "mimeType": "image/png", "blob": "AAEC/w==", "_meta": {"k": 2}}, "_meta": {"k": 3}},
        ])
    );
}

#[test]
fn output_schema() {
    covers!("5.2-11");
    let gives = |output: ToolOutput| {
        let tool = Tool::new("t", "d")
            .output(json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}));
        builder().tool(tool, move |_: NoArgs, _| Ok(output.clone())).build().unwrap()
    };
    assert_eq!(
        tool(&gives(ToolOutput::structured(json!({"n": 1}))), "t", json!({})).result()["structuredContent"],
        json!({"n": 1})
    );
    for bad in [
        ToolOutput::structured(json!({"n": "1"})),
        ToolOutput::structured(json!({})),
        ToolOutput::structured(json!(null)),
        ToolOutput::structured(json!([])),
        text("no structured content"),
    ] {
        tool(&gives(bad), "t", json!({})).is_error(-32603, "Internal error", None);
    }
    let failed = tool(&gives(ToolOutput::error("no luck")), "t", json!({}));
    assert_eq!((&failed.result()["isError"], failed.result().get("structuredContent")), (&json!(true), None));

    // Any schema will do, also one that null fits.
    let tool_ = Tool::new("t", "d").output(json!({"type": "null"}));
    let server = builder().tool(tool_, |_: NoArgs, _| Ok(ToolOutput::structured(json!(null)))).build().unwrap();
    assert_eq!(tool(&server, "t", json!({})).result()["structuredContent"], json!(null));
}

#[test]
fn dialects_of_schemas() {
    covers!("5.2-14", "5.2-15", "5.2-16", "5.2-17");
    // `prefixItems` is of 2020-12: a reader of another draft would let the second pass.
    for dialect in [
        None,
        Some("https://json-schema.org/draft/2020-12/schema"),
        Some("https://json-schema.org/draft/2020-12/schema#"),
    ] {
        let mut schema = json!({"type": "object", "properties": {"a": {"prefixItems": [{"type": "integer"}]}}});
        if let Some(dialect) = dialect {
            schema["$schema"] = json!(dialect);
        }
        let server = echo("echo", schema);
        assert_eq!(tool(&server, "echo", json!({"a": [1]})).result()["isError"], false);
        assert_eq!(tool(&server, "echo", json!({"a": ["1"]})).result()["isError"], true);
    }
    for (schema, named) in [
        (
            json!({"type": "object", "$schema": "http://json-schema.org/draft-07/schema#"}),
            "http://json-schema.org/draft-07/schema#",
        ),
        (
            json!({"type": "object", "properties": {"a": {"$ref": "http://localhost:9/x.json"}}}),
            "http://localhost:9/x.json",
        ),
        (json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/none"}}}), "#/$defs/none"),
        (json!({"type": "object", "unevaluatedProperties": false}), "unevaluatedProperties"),
        (json!({"type": "object", "minProperties": -1}), "minProperties"),
        (json!({"type": "object", "required": "a"}), "required"),
        (json!({"type": "object", "properties": {"a": {"pattern": "("}}}), "pattern"),
    ] {
        // what the feature is for: it can check these two
        if cfg!(feature = "jsonschema") && (named.contains("draft-07") || named == "unevaluatedProperties") {
            continue;
        }
        for (which, tool) in [
            ("input", Tool::new("t", "d").input(schema.clone())),
            ("output", Tool::new("t", "d").output(schema.clone())),
        ] {
            let problems = problems(tool);
            let start = format!("tool \"t\": {which} schema: ");
            assert!(
                problems.len() == 1 && problems[0].starts_with(&start) && problems[0].contains(named),
                "{problems:?}"
            );
        }
    }
}

#[test]
fn with_the_capability_the_list_is_answered() {
    covers!("5.1-7");
    let server = builder().offer(plain_mcp::Feature::Tools).build().unwrap();
    let listed = |server: &Server| names(call(server, "tools/list", json!({})).result(), "tools");
    assert!(listed(&server).is_empty());
    tool(&server, "late", json!({})).is_error(-32602, "Unknown tool: late", None);
    server.edit(|edit| edit.tool(Tool::new("late", "d"), |_: NoArgs, _| Ok("here"))).unwrap();
    assert_eq!(listed(&server), ["late"]);
    assert_eq!(tool(&server, "late", json!({})).result()["content"][0]["text"], "here");
    server.edit(|edit| edit.remove_tool("late")).unwrap();
    assert!(listed(&server).is_empty());
    tool(&server, "late", json!({})).is_error(-32602, "Unknown tool: late", None);
}

#[test]
fn members_that_nobody_knows_are_ignored() {
    covers!("5.2-4");
    let server = echo("echo", json!({"type": "object"}));
    let sent = call(
        &server,
        "tools/call",
        json!({"name": "echo", "arguments": {"_meta": 1, "name": 2}, "task": {}, "extra": [1]}),
    );
    assert_eq!(sent.result()["structuredContent"], json!({"_meta": 1, "name": 2}));
}

#[test]
fn numbers_arrive_exactly() {
    covers!("5.2-8");
    let server = echo("echo", json!({"type": "object"}));
    for number in
        ["9007199254740993", "-9223372036854775808", "9223372036854775807", "18446744073709551615", "0.1", "1e-7"]
    {
        let mut message = request("tools/call", json!({"name": "echo", "arguments": {"n": "N"}})).to_string();
        message = message.replace("\"N\"", number);
        let sent = bytes(&server, message.as_bytes());
        assert_eq!(sent.result()["structuredContent"]["n"], serde_json::from_str::<Value>(number).unwrap());
    }
}

#[test]
fn a_tool_error_is_no_protocol_error() {
    covers!("5.2-5", "5.2-9");
    let server = gives(|| Ok(ToolOutput::error("This tool intentionally returns an error for testing").meta("k", "v")));
    let mut message = request("tools/call", json!({"name": "t"}));
    message["id"] = json!("an id");
    let sent = send(&server, &message);
    let answer = sent.answer.as_ref().unwrap();
    assert_eq!((answer["id"].as_str(), answer.get("error")), (Some("an id"), None));
    assert_eq!(
        sent.result()["_meta"],
        json!({"k": "v", "io.modelcontextprotocol/serverInfo": {"name": "test", "version": "1.0.0"}})
    );
}
