//! §3 Results.

use plain_mcp::types::Icon;
use plain_mcp::{
    Completion, Context, Implementation, NoArgs, Prompt, PromptArguments, PromptMessage, PromptOutput, Resource,
    ResourceOutput, ResourceTemplate, ServerBuilder, Tool, Vars, contents, elicit, text,
};
use serde_json::{Map, Value, json};

use crate::kit::{CAPS, SERVER, builder, call, meta_and};

/// A server with one of everything; its handlers put the member `x.example/trace` into their `_meta`.
fn full(builder: ServerBuilder) -> ServerBuilder {
    fn traced() -> Map<String, Value> {
        Map::from_iter([("x.example/trace".to_owned(), json!([1]))])
    }
    builder
        .tool(Tool::new("plain", "Answers"), |_: NoArgs, _: &Context<'_>| Ok(text("done")))
        .tool(Tool::new("marked", "Answers with a mark"), |_: NoArgs, _: &Context<'_>| {
            Ok(text("done").meta("x.example/trace", json!([1])))
        })
        .tool(Tool::new("liar", "Says it is another"), |_: NoArgs, _: &Context<'_>| {
            Ok(text("done").meta(SERVER, json!({"name": "other", "version": "0"})))
        })
        .tool(Tool::new("fails", "Fails"), |_: NoArgs, _: &Context<'_>| Ok(plain_mcp::ToolOutput::error("no")))
        .tool(Tool::new("asks", "Asks"), |_: NoArgs, cx: &Context<'_>| {
            cx.ask("name", elicit::form("Name?").string("name"))?;
            Ok(text("done"))
        })
        .resource(Resource::new("test://a", "a"), |_: &str, _: &Context<'_>| {
            Ok(ResourceOutput { meta: traced(), ..contents::text("text/plain", "a").into() })
        })
        .template(ResourceTemplate::new("test://t/{id}", "t"), |_: &Vars, _: &Context<'_>| {
            Ok(contents::text("text/plain", "t"))
        })
        .prompt(Prompt::new("p", "A prompt").arg("a"), |_: &PromptArguments, _: &Context<'_>| {
            Ok(PromptOutput { meta: traced(), ..PromptMessage::user("hello").into() })
        })
        .complete_prompt("p", "a", |_: &str, _: &Context<'_>| Ok(Completion::from(vec!["x"])))
}

/// One request for each result that there is, with the type of its result.
fn every_result() -> Vec<(&'static str, Value, &'static str)> {
    let able = meta_and(json!({CAPS: {"elicitation": {}}}));
    vec![
        ("server/discover", json!({}), "complete"),
        ("tools/list", json!({}), "complete"),
        ("tools/call", json!({"name": "plain"}), "complete"),
        ("tools/call", json!({"name": "marked"}), "complete"),
        ("tools/call", json!({"name": "fails"}), "complete"),
        ("tools/call", json!({"name": "asks", "_meta": able}), "input_required"),
        ("resources/list", json!({}), "complete"),
        ("resources/templates/list", json!({}), "complete"),
        ("resources/read", json!({"uri": "test://a"}), "complete"),
        ("resources/read", json!({"uri": "test://t/1"}), "complete"),
        ("prompts/list", json!({}), "complete"),
        ("prompts/get", json!({"name": "p", "arguments": {"a": "1"}}), "complete"),
        (
            "completion/complete",
            json!({"ref": {"type": "ref/prompt", "name": "p"}, "argument": {"name": "a", "value": ""}}),
            "complete",
        ),
    ]
}

#[test]
fn every_result_has_a_type_and_names_the_server() {
    covers!("3-1", "3-2", "3-4");
    let server = full(builder()).build().unwrap();
    for (method, params, result_type) in every_result() {
        let sent = call(&server, method, params.clone()); // the kit checks it against the official schema
        assert_eq!(sent.result()["resultType"], result_type, "{method} {params}");
        assert_eq!(sent.result()["_meta"][SERVER], json!({"name": "test", "version": "1.0.0"}), "{method} {params}");
        assert_eq!(sent.result().get("serverInfo"), None);
    }
}

#[test]
fn the_whole_identity_is_given() {
    covers!("3-2");
    let info = Implementation::new("full", "2")
        .title("Full")
        .description("All of it")
        .website_url("https://example.com/")
        .icon(Icon::new("https://example.com/i.png").mime_type("image/png").size("48x48").theme("dark"));
    let server = full(builder().info(info)).build().unwrap();
    for (method, params, _) in every_result() {
        assert_eq!(
            call(&server, method, params).result()["_meta"][SERVER],
            json!({
                "name": "full", "version": "2", "title": "Full", "description": "All of it", "websiteUrl": "https://example.com/",
                "icons": [{"src": "https://example.com/i.png", "mimeType": "image/png", "sizes": ["48x48"], "theme": "dark"}],
            })
        );
    }
}

#[test]
fn a_server_can_be_told_not_to_name_itself() {
    covers!("3-1", "3-3");
    let server = full(builder().anonymous()).build().unwrap();
    for (method, params, result_type) in every_result() {
        let sent = call(&server, method, params.clone());
        assert_eq!(sent.result()["resultType"], result_type);
        assert_eq!(sent.result()["_meta"].get(SERVER), None, "{method} {params}");
    }
    let kept = call(&server, "tools/call", json!({"name": "marked"}));
    assert_eq!(kept.result()["_meta"], json!({"x.example/trace": [1]}));
}

#[test]
fn the_meta_of_a_handler_is_kept() {
    covers!("3-3");
    let server = full(builder()).build().unwrap();
    let both = json!({"x.example/trace": [1], SERVER: {"name": "test", "version": "1.0.0"}});
    for (method, params) in [
        ("tools/call", json!({"name": "marked"})),
        ("resources/read", json!({"uri": "test://a"})),
        ("prompts/get", json!({"name": "p", "arguments": {"a": "1"}})),
    ] {
        assert_eq!(call(&server, method, params).result()["_meta"], both, "{method}");
    }
    // who the server is says the server
    let sent = call(&server, "tools/call", json!({"name": "liar"}));
    assert_eq!(sent.result()["_meta"], json!({SERVER: {"name": "test", "version": "1.0.0"}}));
}

/// No member outside what the application itself put there is null.
#[test]
fn what_is_absent_is_left_out() {
    covers!("3-4");
    fn no_null(value: &Value) -> bool {
        match value {
            Value::Null => false,
            Value::Array(items) => items.iter().all(no_null),
            Value::Object(members) => members.values().all(no_null),
            _ => true,
        }
    }
    let server = full(builder()).build().unwrap();
    for (method, params, _) in every_result() {
        let sent = call(&server, method, params);
        assert!(no_null(sent.answer.as_ref().unwrap()), "{sent:?}");
    }
}
