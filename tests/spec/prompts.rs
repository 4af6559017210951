//! §5.5 prompts/list and prompts/get.

use plain_mcp::types::{Icon, PromptArgument};
use plain_mcp::{ContentBlock, Prompt, PromptMessage, PromptOutput, Resource, Server, contents};
use serde_json::json;

use crate::kit::{builder, call, refuses};

fn greeting() -> Server {
    let prompt = Prompt::new("greet", "Greets").arg("who").optional_arg("how").arg("when");
    builder()
        .prompt(prompt, |arguments, _| Ok(PromptMessage::user(format!("{arguments:?}"))))
        .prompt(Prompt::new("plain", "Says hello"), |_, _| Ok(PromptMessage::user("hello")))
        .build()
        .unwrap()
}

#[test]
fn listed() {
    covers!("5.5-5");
    let full = Prompt::new("full", "All members")
        .title("Full")
        .argument(PromptArgument::new("b").title("B").description("second letter").required())
        .optional_arg("a")
        .icon(Icon::new("https://example.com/i.png"))
        .meta("com.example/k", 1);
    let server = builder()
        .prompt(full, |_, _| Ok(PromptMessage::user("")))
        .prompt(Prompt::new("Bare", "No more"), |_, _| Ok(PromptMessage::user("")))
        .build()
        .unwrap();
    let sent = call(&server, "prompts/list", json!({}));
    assert_eq!(
        sent.result()["prompts"],
        json!([
            {"name": "Bare", "description": "No more"},
            {"name": "full", "title": "Full", "description": "All members",
             "arguments": [{"name": "b", "title": "B", "description": "second letter", "required": true}, {"name": "a"}],
             "icons": [{"src": "https://example.com/i.png"}], "_meta": {"com.example/k": 1}},
        ])
    );
    assert_eq!(call(&server, "prompts/list", json!({})).answer, sent.answer);
}

#[test]
fn refused_at_build() {
    covers!("5.5-5");
    let problems = builder()
        .prompt(Prompt::new("", "d"), |_, _| Ok(PromptMessage::user("")))
        .prompt(Prompt::new("p", "d").arg("x").optional_arg("x"), |_, _| Ok(PromptMessage::user("")))
        .prompt(Prompt::new("p", "d"), |_, _| Ok(PromptMessage::user("")))
        .build()
        .unwrap_err()
        .problems;
    let expected = [
        r#"prompt "": the name is empty"#,
        r#"prompt "p": two arguments have the same name"#,
        r#"prompt "p": there are two"#,
    ];
    assert_eq!(problems, expected);
}

#[test]
#[rustfmt::skip] // a table
fn refused() {
    covers!("5.5-1", "5.5-2", "5.5-3", "5.5-4");
    const NAME: &str = "prompts/get requires a non-empty string name";
    const ARGUMENTS: &str = "prompts/get arguments must map strings to strings";
    const MISSING: &str = "Missing required prompt arguments";
    let missing = |names: &[&str]| Some(json!({"missing": names}));
    refuses(
        &greeting(),
        "prompts/get",
        &[
            // params                                                         code    message                  data
            (json!({}),                                                       -32602, NAME,                    None),
            (json!({"name": null}),                                           -32602, NAME,                    None),
            (json!({"name": ""}),                                             -32602, NAME,                    None),
            (json!({"name": 1}),                                              -32602, NAME,                    None),
            (json!({"name": ["greet"]}),                                      -32602, NAME,                    None),
            (json!({"name": {}, "arguments": 1}),                             -32602, NAME,                    None),
            (json!({"name": "greet", "arguments": null}),                     -32602, ARGUMENTS,               None),
            (json!({"name": "greet", "arguments": []}),                       -32602, ARGUMENTS,               None),
            (json!({"name": "greet", "arguments": "who"}),                    -32602, ARGUMENTS,               None),
            (json!({"name": "greet", "arguments": {"who": 1}}),               -32602, ARGUMENTS,               None),
            (json!({"name": "greet", "arguments": {"who": "a", "x": null}}),  -32602, ARGUMENTS,               None),
            (json!({"name": "greet", "arguments": {"who": ["a"]}}),           -32602, ARGUMENTS,               None),
            (json!({"name": "greet", "arguments": {"who": {}}}),              -32602, ARGUMENTS,               None),
            (json!({"name": "greet", "arguments": {"who": true}}),            -32602, ARGUMENTS,               None),
            (json!({"name": "nope", "arguments": {"who": 1}}),                -32602, ARGUMENTS,               None),
            (json!({"name": "nope"}),                                         -32602, "Unknown prompt: nope",  None),
            (json!({"name": "Greet", "arguments": {"who": "a"}}),             -32602, "Unknown prompt: Greet", None),
            (json!({"name": "greet"}),                                        -32602, MISSING,                 missing(&["who", "when"])),
            (json!({"name": "greet", "arguments": {}}),                       -32602, MISSING,                 missing(&["who", "when"])),
            (json!({"name": "greet", "arguments": {"how": "x", "when": ""}}), -32602, MISSING,                 missing(&["who"])),
            (json!({"name": "greet", "arguments": {"who": "", "Who": "x"}}),  -32602, MISSING,                 missing(&["when"])),
        ],
    );
}

#[test]
fn got() {
    covers!("5.5-6");
    let server = greeting();
    for (arguments, expected) in [
        (json!({"who": "", "when": "now"}), r#"{"when": "now", "who": ""}"#),
        (
            json!({"who": "ü", "when": "\n", "how": "h", "more": "m"}),
            r#"{"how": "h", "more": "m", "when": "\n", "who": "ü"}"#,
        ),
    ] {
        let sent = call(&server, "prompts/get", json!({"name": "greet", "arguments": arguments}));
        assert_eq!(sent.result()["messages"][0]["content"]["text"], expected);
    }
    for params in [json!({"name": "plain"}), json!({"name": "plain", "arguments": {}})] {
        assert_eq!(
            call(&server, "prompts/get", params).result(),
            &json!({
                "resultType": "complete",
                "messages": [{"role": "user", "content": {"type": "text", "text": "hello"}}],
                "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "test", "version": "1.0.0"}},
            })
        );
    }
}

#[test]
fn messages_of_every_kind() {
    covers!("5.5-6");
    let server = builder()
        .prompt(Prompt::new("all", "d"), |_, _| {
            let messages = vec![
                PromptMessage::user("text"),
                PromptMessage::assistant(ContentBlock::image(&[0, 1], "image/png")),
                PromptMessage::user(ContentBlock::audio(&[0, 1], "audio/wav")),
                PromptMessage::user(ContentBlock::resource_link(Resource::new("test://r", "r"))),
                PromptMessage::user(contents::text("text/plain", "inner").uri("test://example-resource")),
            ];
            Ok(PromptOutput::from(messages).description("All of them"))
        })
        .prompt(Prompt::new("none", "d"), |_, _| Ok(PromptOutput::default()))
        .build()
        .unwrap();
    let sent = call(&server, "prompts/get", json!({"name": "all"}));
    assert_eq!(sent.result()["description"], "All of them");
    assert_eq!(
        sent.result()["messages"],
        json!([
            {"role": "user", "content": {"type": "text", "text": "text"}},
            {"role": "assistant", "content": {"type": "image", "data": "AAE=", "mimeType": "image/png"}},
            {"role": "user", "content": {"type": "audio", "data": "AAE=", "mimeType": "audio/wav"}},
            {"role": "user", "content": {"type": "resource_link", "uri": "test://r", "name": "r"}},
            {"role": "user", "content": {"type": "resource", "resource": {"uri": "test://example-resource", "mimeType": "text/plain", "text": "inner"}}},
        ])
    );
    assert_eq!((sent.result().get("ttlMs"), sent.result().get("cacheScope")), (None, None));
    assert_eq!(call(&server, "prompts/get", json!({"name": "none"})).result()["messages"], json!([]));
}
