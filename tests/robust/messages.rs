//! A server with one of everything, and a good message of every kind that it can be sent.

use std::sync::{Arc, Mutex};

use plain_mcp::{
    Completion, Context, Event, Prompt, PromptArguments, PromptMessage, Resource, ResourceTemplate, Server, Tool, Vars,
    contents, elicit, text,
};
use serde_json::{Value, json};

use crate::kit::{CAPS, CLIENT, LEVEL, builder, merge, meta_and};

/// The server, and what its observer is told of failures inside.
pub fn server() -> (Server, Arc<Mutex<Vec<String>>>) {
    let causes: Arc<Mutex<Vec<String>>> = Arc::default();
    let keep = Arc::clone(&causes);
    let schema = json!({
        "type": "object",
        "properties": {
            "count": {"type": "integer", "minimum": 0}, "label": {"type": "string", "maxLength": 20, "pattern": "^[a-z]*$"},
            "region": {"type": "string", "x-mcp-header": "Region"}, "nested": {"$ref": "#/$defs/node"},
        },
        "$defs": {"node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/node"}}, "additionalProperties": false}},
    });
    let server = builder()
        .tool(Tool::new("echo", "Gives back").input(schema), |args: Value, cx: &Context<'_>| {
            cx.progress(1.0, Some(2.0), "half");
            cx.log(plain_mcp::Level::Info, "echo", &args);
            Ok(plain_mcp::ToolOutput::structured(args))
        })
        .tool(Tool::new("ask", "Asks twice"), |_: plain_mcp::NoArgs, cx: &Context<'_>| {
            let name = cx.ask("name", elicit::form("Name?").string("name").required())?;
            cx.keep(&json!({"step": 2}));
            let colour = cx.ask("colour", elicit::form("Colour?").string("colour"))?;
            let _ = (name, colour);
            Ok(text("done"))
        })
        .resource(Resource::new("test://a", "a"), |_: &str, _: &Context<'_>| Ok(contents::text("text/plain", "a")))
        .template(ResourceTemplate::new("test://t/{id}/{+rest}", "t"), |vars: &Vars, _: &Context<'_>| {
            Ok(contents::text("text/plain", format!("{vars:?}")))
        })
        .prompt(Prompt::new("p", "A prompt").arg("a").optional_arg("b"), |args: &PromptArguments, _: &Context<'_>| {
            Ok(PromptMessage::user(format!("{args:?}")))
        })
        .complete_prompt("p", "a", |value: &str, _: &Context<'_>| Ok(Completion::from(vec![value.to_owned()])))
        .complete_template("test://t/{id}/{+rest}", "id", |value: &str, _: &Context<'_>| {
            Ok(Completion::from(vec![value.to_owned()]))
        })
        .list_changed()
        .subscribe()
        .observer(move |event| {
            // -32021 has a cause as well, but the fault is the client's
            if let Event::Cause { method, cause } = event {
                if *cause != "the client did not declare it" {
                    keep.lock().unwrap().push(format!("{method}: {cause}"));
                }
            }
        })
        .build()
        .unwrap();
    server.end_streams(); // a listen stream ends as soon as it is acknowledged
    (server, causes)
}

/// A good message of each kind.
pub fn good() -> Vec<String> {
    let rich = meta_and(json!({
        CAPS: {"elicitation": {"form": {}, "url": {}}, "sampling": {"tools": {}, "context": {}}, "roots": {}, "experimental": {"x": {}},
            "extensions": {"io.modelcontextprotocol/tasks": {}}},
        CLIENT: {"name": "probe", "version": "1", "title": "Probe", "description": "d", "websiteUrl": "https://example.com/",
            "icons": [{"src": "https://example.com/i.png", "mimeType": "image/png", "sizes": ["48x48"], "theme": "dark"}]},
        LEVEL: "debug", "progressToken": "token-1", "traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
    }));
    let mut all = Vec::new();
    for (id, method, params) in [
        (json!(0), "server/discover", json!({})),
        (
            json!("listen:0"),
            "subscriptions/listen",
            json!({"notifications": {"toolsListChanged": true, "promptsListChanged": false,
            "resourcesListChanged": true, "resourceSubscriptions": ["test://a"]}}),
        ),
        (json!(1), "tools/list", json!({})),
        (
            json!(-2),
            "tools/call",
            json!({"name": "echo", "arguments": {"count": 3, "label": "abc", "region": "eu", "nested": {"next": {"next": {}}}}}),
        ),
        (json!("three"), "tools/call", json!({"name": "ask", "arguments": {}})),
        (
            json!(i64::MAX),
            "tools/call",
            json!({"name": "ask", "inputResponses": {"name": {"action": "accept", "content": {"name": "Alice"}},
            "other": {"role": "assistant", "content": {"type": "text", "text": "hi"}, "model": "m"}, "third": {"roots": [{"uri": "file:///r", "name": "R"}]}}}),
        ),
        (json!(i64::MIN), "resources/list", json!({})),
        (json!(""), "resources/templates/list", json!({})),
        (json!(7), "resources/read", json!({"uri": "test://a"})),
        (json!("é\u{2028}😀"), "resources/read", json!({"uri": "test://t/1/b/c%20d"})),
        (json!(8), "prompts/list", json!({})),
        (json!(9), "prompts/get", json!({"name": "p", "arguments": {"a": "x", "b": "y"}})),
        (
            json!(10),
            "completion/complete",
            json!({"ref": {"type": "ref/prompt", "name": "p", "title": "P"}, "argument": {"name": "a", "value": "v"},
            "context": {"arguments": {"b": "w"}}}),
        ),
        (
            json!(11),
            "completion/complete",
            json!({"ref": {"type": "ref/resource", "uri": "test://t/{id}/{+rest}"}, "argument": {"name": "id", "value": ""}}),
        ),
    ] {
        let mut params = params;
        merge(&mut params, json!({"_meta": rich}));
        all.push(json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string());
    }
    for silent in [
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "x", "reason": "User cancelled", "_meta": rich}}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "id": 1, "result": {"resultType": "complete", "_meta": {}}}),
        json!({"jsonrpc": "2.0", "id": "x", "error": {"code": -32603, "message": "Internal error", "data": [1]}}),
    ] {
        all.push(silent.to_string());
    }
    all
}
