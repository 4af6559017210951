//! §12 Each code with its HTTP status and its data; and what real clients send over HTTP.

use plain_mcp::errors::Fault;
use plain_mcp::types::elicit;
use plain_mcp::{Context, Interrupt, NoArgs, Server, Tool, ToolOutput, text};
use serde_json::{Value, json};

use crate::corridor::{Post, call, exchange, meta, request};

fn server() -> Server {
    let fails = |fault: Result<Fault, _>| {
        move |_: NoArgs, _: &Context<'_>| -> Result<ToolOutput, Interrupt> {
            let fault: Result<Fault, plain_mcp::errors::ReservedCode> = fault.clone();
            Err(fault.unwrap().into())
        }
    };
    Server::builder("statuses", "1")
        .tool(Tool::new("ask", "Asks"), |_: NoArgs, cx: &Context<'_>| {
            cx.ask("name", elicit::form("Your name").string("name").required())?;
            Ok(text("never"))
        })
        .tool(
            Tool::new("quota", "Is over its quota"),
            fails(Fault::application(7, "Over quota").map(|fault| fault.data(json!({"left": 0})))),
        )
        .tool(Tool::new("panics", "Panics"), |_: NoArgs, _: &Context<'_>| -> Result<ToolOutput, Interrupt> {
            panic!("secret")
        })
        .offer(plain_mcp::Feature::Resources)
        .build()
        .unwrap()
}

#[test]
fn every_code_has_its_status_and_its_data() {
    covers!("12-2", "12-3", "12-4", "12-5", "12-6", "12-7", "12-8", "12-9", "12-10", "12-13");
    let exchange = exchange(&server());
    let mut old = request(1, "tools/list", json!({}));
    old["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!("1");
    let needed = json!({"requiredCapabilities": {"elicitation": {}}});
    for (post, status, code, data) in [
        (Post::raw("[]"), 400, -32600, None),
        (Post::of(&request(1, "ping", json!({}))), 404, -32601, None),
        (Post::of(&call("nobody", json!({}))), 400, -32602, None),
        (
            Post::of(&request(1, "resources/read", json!({"uri": "test://none"}))),
            400,
            -32602,
            Some(json!({"uri": "test://none"})),
        ),
        (Post::of(&call("panics", json!({}))), 500, -32603, None),
        (Post::of(&call("ask", json!({}))).with("Mcp-Name", "x"), 400, -32020, None),
        (Post::of(&old), 400, -32020, Some(json!({"header": "2026-07-28", "body": "1"}))),
        (Post::of(&call("ask", json!({}))), 400, -32021, Some(needed)),
        (
            Post::of(&old).with("MCP-Protocol-Version", "1"),
            400,
            -32022,
            Some(json!({"requested": "1", "supported": ["2026-07-28"]})),
        ),
        (Post::of(&call("quota", json!({}))), 200, 7, Some(json!({"left": 0}))),
    ] {
        let seen = post.to(&exchange);
        assert_eq!(
            (seen.status, seen.code(), seen.json()["error"].get("data")),
            (status, code, data.as_ref()),
            "{seen:?}"
        );
    }
}

#[test]
fn ids_and_tokens_of_real_clients_work() {
    covers!("C-4", "C-5", "C-8");
    let exchange = exchange(&server());
    for id in [json!(0), json!("server-discover-probe-1"), json!("listen:0"), json!(""), json!(i64::MIN)] {
        let mut message = request(id.clone(), "server/discover", json!({}));
        message["params"]["_meta"]["progressToken"] = json!(0);
        message["params"]["_meta"]["claudecode/toolUseId"] = json!("t");
        message["params"]["_meta"]["threadId"] = json!("t");
        message["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"] =
            json!({"experimental": {"codex/auth-change": {}}});
        let seen = Post::of(&message).to(&exchange);
        assert_eq!((seen.status, &seen.json()["id"]), (200, &id));
        assert!(seen.json()["result"].is_object());
    }
}

#[test]
fn probes_of_real_clients_are_turned_away() {
    covers!("C-6", "C-10");
    let exchange = exchange(&server());
    let get = |target: &str| {
        Post::raw("").method("GET").target(target).with("Accept", "*/*").with("MCP-Protocol-Version", "2024-11-05")
    };
    get("/mcp").to(&exchange).refused(405, -32600, "Streamable HTTP accepts POST only", Value::Null);
    for target in [
        "/.well-known/oauth-protected-resource/mcp",
        "/.well-known/oauth-authorization-server",
        "/.well-known/openid-configuration",
    ] {
        get(target).to(&exchange).refused(404, -32600, "No MCP endpoint at this path", Value::Null);
    }
    for accept in ["application/json, text/event-stream", "text/event-stream, application/json"] {
        let seen = Post::of(&request(1, "tools/list", json!({}))).with("Accept", accept).to(&exchange);
        assert_eq!(seen.status, 200, "{accept}");
    }
}

#[test]
fn a_cancel_without_mcp_method_is_accepted() {
    covers!("C-2", "C-3", "9-2");
    let exchange = exchange(&server());
    for params in [
        json!({"requestId": 1, "reason": "done"}),
        json!({"requestId": 1, "_meta": meta()}),
        json!({"requestId": null, "reason": 7}),
        json!({}),
    ] {
        let note = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params});
        Post::of(&note).without("Mcp-Method").to(&exchange).empty(202);
    }
}
