use plain_mcp::{Context, Tool, ToolResult, text};
use serde_json::json;

use crate::kit::{builder, call, tool};

#[derive(serde::Deserialize)]
struct Add {
    a: i64,
    b: i64,
}

fn shout(_: plain_mcp::NoArgs, cx: &Context<'_>) -> ToolResult {
    cx.progress(1.0, None, "");
    Ok(text("loud"))
}

#[test]
fn a_whole_server() {
    let server = builder()
        .tool(Tool::new("add", "Adds").input(json!({"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}}, "required": ["a", "b"]})),
            |args: Add, _cx| Ok(text((args.a + args.b).to_string())))
        .tool(Tool::new("shout", "Shouts"), shout)
        .build()
        .unwrap();
    assert_eq!(tool(&server, "add", json!({"a": 1, "b": 2})).result()["content"][0]["text"], "3");
    println!("{}", tool(&server, "add", json!({"a": 1, "b": "x"})).result());
    println!("{}", call(&server, "server/discover", json!({})).result());
    println!("{}", call(&server, "tools/list", json!({})).result());
    println!("{}", call(&server, "nope", json!({})).error());
}
