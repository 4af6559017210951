//! §5.6 completion/complete.

use plain_mcp::{Completion, Feature, Limits, Prompt, PromptMessage, ResourceTemplate, Server, contents};
use serde_json::{Value, json};

use crate::kit::{builder, call, refuses};

fn server() -> Server {
    let prompt = Prompt::new("p", "d").arg("language").optional_arg("framework").arg("bare");
    builder()
        .prompt(prompt, |_, _| Ok(PromptMessage::user("")))
        .template(ResourceTemplate::new("test://{dir}/{file}", "t"), |_, _| Ok(contents::text("text/plain", "")))
        .complete_prompt("p", "language", |value, _| Ok(vec![format!("{value}!")]))
        .complete_prompt("p", "framework", |value, cx| {
            let language = cx.resolved("language").unwrap_or("none");
            Ok(Completion::from(vec![format!("{language} {value}")]).total(7).has_more(true))
        })
        .complete_template("test://{dir}/{file}", "file", |value, _| Ok(Completion::from(vec![value]).has_more(false)))
        .build()
        .unwrap()
}

fn ask(server: &Server, reference: Value, name: &str, value: &str) -> Value {
    let params = json!({"ref": reference, "argument": {"name": name, "value": value}});
    call(server, "completion/complete", params).result()["completion"].clone()
}

fn prompt() -> Value {
    json!({"type": "ref/prompt", "name": "p"})
}

#[test]
#[rustfmt::skip] // a table
fn refused() {
    covers!("5.6-1", "5.6-2", "5.6-3", "5.6-4", "5.6-5", "5.6-6", "5.6-7", "5.6-8");
    const TYPE: &str = "Completion reference type is not supported";
    const REF: &str = "Completion requires a prompt or resource-template reference";
    const ARGUMENT: &str = "Completion argument requires string name and value";
    const CONTEXT: &str = "Completion context must be an object";
    const CONTEXT_ARGUMENTS: &str = "Completion context arguments must map strings to strings";
    const UNKNOWN: &str = "Unknown completion resource template";
    const NOT_OFFERED: &str = "Argument does not support completion";
    let p = prompt;
    let a = || json!({"name": "language", "value": ""});
    let t = |uri: &str| json!({"type": "ref/resource", "uri": uri});
    let uri = |uri: &str| Some(json!({"uri": uri}));
    refuses(
        &server(),
        "completion/complete",
        &[
            // params                                                                     code    message                       data
            (json!({"ref": {"type": "ref/tool", "name": "p"}, "argument": a()}),          -32602, TYPE,                         None),
            (json!({"ref": {"type": "", "name": "p"}, "argument": a()}),                  -32602, TYPE,                         None),
            (json!({"ref": {"type": "prompt"}}),                                          -32602, TYPE,                         None),
            (json!({"ref": {"type": "REF/PROMPT", "name": "p"}}),                         -32602, TYPE,                         None),
            (json!({}),                                                                   -32602, REF,                          None),
            (json!({"argument": a()}),                                                    -32602, REF,                          None),
            (json!({"ref": null, "argument": a()}),                                       -32602, REF,                          None),
            (json!({"ref": "ref/prompt", "argument": a()}),                               -32602, REF,                          None),
            (json!({"ref": ["ref/prompt", "p"], "argument": a()}),                        -32602, REF,                          None),
            (json!({"ref": {}, "argument": a()}),                                         -32602, REF,                          None),
            (json!({"ref": {"type": 1, "name": "p"}, "argument": a()}),                   -32602, REF,                          None),
            (json!({"ref": {"type": "ref/prompt"}, "argument": a()}),                     -32602, REF,                          None),
            (json!({"ref": {"type": "ref/prompt", "name": ""}, "argument": a()}),         -32602, REF,                          None),
            (json!({"ref": {"type": "ref/prompt", "name": 1}, "argument": a()}),          -32602, REF,                          None),
            (json!({"ref": {"type": "ref/prompt", "uri": "p"}, "argument": a()}),         -32602, REF,                          None),
            (json!({"ref": {"type": "ref/resource", "name": "p"}, "argument": a()}),      -32602, REF,                          None),
            (json!({"ref": {"type": "ref/resource", "uri": null}, "argument": a()}),      -32602, REF,                          None),
            (json!({"ref": p()}),                                                         -32602, ARGUMENT,                     None),
            (json!({"ref": p(), "argument": null}),                                       -32602, ARGUMENT,                     None),
            (json!({"ref": p(), "argument": "language"}),                                 -32602, ARGUMENT,                     None),
            (json!({"ref": p(), "argument": {}}),                                         -32602, ARGUMENT,                     None),
            (json!({"ref": p(), "argument": {"name": "language"}}),                       -32602, ARGUMENT,                     None),
            (json!({"ref": p(), "argument": {"value": ""}}),                              -32602, ARGUMENT,                     None),
            (json!({"ref": p(), "argument": {"name": "language", "value": 1}}),           -32602, ARGUMENT,                     None),
            (json!({"ref": p(), "argument": {"name": "language", "value": null}}),        -32602, ARGUMENT,                     None),
            (json!({"ref": p(), "argument": {"name": 1, "value": ""}}),                   -32602, ARGUMENT,                     None),
            (json!({"ref": p(), "argument": {"name": "", "value": ""}}),                  -32602, ARGUMENT,                     None),
            (json!({"ref": p(), "argument": a(), "context": null}),                       -32602, CONTEXT,                      None),
            (json!({"ref": p(), "argument": a(), "context": []}),                         -32602, CONTEXT,                      None),
            (json!({"ref": p(), "argument": a(), "context": "x"}),                        -32602, CONTEXT,                      None),
            (json!({"ref": p(), "argument": a(), "context": {"arguments": null}}),        -32602, CONTEXT_ARGUMENTS,            None),
            (json!({"ref": p(), "argument": a(), "context": {"arguments": []}}),          -32602, CONTEXT_ARGUMENTS,            None),
            (json!({"ref": p(), "argument": a(), "context": {"arguments": {"x": 1}}}),    -32602, CONTEXT_ARGUMENTS,            None),
            (json!({"ref": {"type": "ref/prompt", "name": "q"}, "argument": a()}),        -32602, "Unknown completion prompt: q",None),
            (json!({"ref": t("test://{x}"), "argument": a()}),                            -32602, UNKNOWN,                      uri("test://{x}")),
            (json!({"ref": t("no uri"), "argument": a()}),                                -32602, UNKNOWN,                      uri("no uri")),
            (json!({"ref": p(), "argument": {"name": "bare", "value": ""}}),              -32602, NOT_OFFERED,                  None),
            (json!({"ref": p(), "argument": {"name": "nope", "value": ""}}),              -32602, NOT_OFFERED,                  None),
            (json!({"ref": t("test://{dir}/{file}"), "argument": {"name": "dir", "value": ""}}),-32602, NOT_OFFERED,                  None),
            // With two faults the earlier one answers.
            (json!({"ref": {"type": "x"}, "argument": 1, "context": 1}),                  -32602, TYPE,                         None),
            (json!({"ref": p(), "argument": 1, "context": 1}),                            -32602, ARGUMENT,                     None),
            (json!({"ref": {"type": "ref/prompt", "name": "q"}, "argument": a(), "context": 1}),-32602, CONTEXT,                      None),
        ],
    );
}

#[test]
fn completed() {
    covers!("5.6-9", "5.6-11");
    let server = server();
    assert_eq!(ask(&server, prompt(), "language", "py"), json!({"values": ["py!"]}));
    assert_eq!(ask(&server, prompt(), "language", ""), json!({"values": ["!"]}));
    let titled = json!({"type": "ref/prompt", "name": "p", "title": "T"});
    assert_eq!(ask(&server, titled, "framework", "f"), json!({"values": ["none f"], "total": 7, "hasMore": true}));
    let template = json!({"type": "ref/resource", "uri": "test://{dir}/{file}"});
    assert_eq!(ask(&server, template, "file", "x"), json!({"values": ["x"], "hasMore": false}));
    let served = json!({"type": "ref/resource", "uri": "test://a/b"});
    assert_eq!(ask(&server, served, "file", "y"), json!({"values": ["y"], "hasMore": false}));

    for (context, expected) in [
        (json!({}), "none f"),
        (json!({"arguments": {}}), "none f"),
        (json!({"arguments": {"other": "x"}}), "none f"),
        (json!({"arguments": {"language": "python"}, "more": 1}), "python f"),
    ] {
        let params = json!({"ref": prompt(), "argument": {"name": "framework", "value": "f"}, "context": context});
        let sent = call(&server, "completion/complete", params);
        assert_eq!(sent.result()["completion"]["values"], json!([expected]));
        let members: Vec<&String> = sent.result().as_object().unwrap().keys().collect();
        assert_eq!(members.len(), 3, "resultType, completion and _meta: {members:?}");
    }
}

#[test]
fn at_most_a_hundred() {
    covers!("5.6-9", "5.6-10");
    let many = |count: usize, total: Option<u64>, has_more: Option<bool>| {
        let given = (0..count).map(|at| format!("v{at}")).collect::<Vec<_>>();
        let given = Completion { total, has_more, ..Completion::from(given) };
        let server = builder()
            .prompt(Prompt::new("p", "d").arg("a"), |_, _| Ok(PromptMessage::user("")))
            .complete_prompt("p", "a", move |_, _| Ok(given.clone()))
            .build()
            .unwrap();
        let sent = ask(&server, prompt(), "a", "");
        let values = sent["values"].as_array().unwrap();
        assert!(values.iter().enumerate().all(|(at, value)| *value == json!(format!("v{at}"))));
        (values.len(), sent.get("total").and_then(Value::as_u64), sent.get("hasMore").and_then(Value::as_bool))
    };
    assert_eq!(many(0, None, None), (0, None, None));
    assert_eq!(many(0, Some(0), Some(false)), (0, Some(0), Some(false)));
    assert_eq!(many(99, None, None), (99, None, None));
    assert_eq!(many(100, None, None), (100, None, None));
    assert_eq!(many(101, None, None), (100, Some(101), Some(true)));
    assert_eq!(many(101, None, Some(false)), (100, Some(101), Some(true)));
    assert_eq!(many(101, Some(5000), None), (100, Some(5000), Some(true)));
    assert_eq!(many(101, Some(3), None), (100, Some(101), Some(true)));
    assert_eq!(many(3, Some(2), None), (3, Some(3), None));
    assert_eq!(many(3, Some(3), Some(true)), (3, Some(3), Some(true)));
}

#[test]
fn the_bound_can_be_lowered() {
    covers!("5.6-9");
    let server = builder()
        .limits(Limits { completion_values: 2, ..Limits::default() })
        .prompt(Prompt::new("p", "d").arg("a"), |_, _| Ok(PromptMessage::user("")))
        .complete_prompt("p", "a", |_, _| Ok(vec!["x", "y", "z"]))
        .build()
        .unwrap();
    assert_eq!(ask(&server, prompt(), "a", ""), json!({"values": ["x", "y"], "total": 3, "hasMore": true}));
}

#[test]
fn refused_at_build() {
    covers!("api-1");
    let problems = builder()
        .prompt(Prompt::new("p", "d").arg("a"), |_, _| Ok(PromptMessage::user("")))
        .complete_prompt("p", "b", |_, _| Ok(vec![""]))
        .complete_prompt("q", "a", |_, _| Ok(vec![""]))
        .complete_template("test://{x}", "x", |_, _| Ok(vec![""]))
        .template(ResourceTemplate::new("test://t/{x}", "t"), |_, _| Ok(contents::text("text/plain", "")))
        .complete_template("test://t/{x}", "y", |_, _| Ok(vec![""]))
        .build()
        .unwrap_err()
        .problems;
    assert_eq!(
        problems,
        [
            r#"completion of "b": prompt "p" has no such argument"#,
            r#"completion of "a": no prompt "q""#,
            r#"completion of "x": no template "test://{x}""#,
            r#"completion of "y": template "test://t/{x}" has no such argument"#,
        ]
    );
    let late = builder().prompt(Prompt::new("p", "d").arg("a"), |_, _| Ok(PromptMessage::user(""))).build().unwrap();
    let error = late.edit(|edit| edit.complete_prompt("p", "a", |_, _| Ok(vec!["x"]))).unwrap_err();
    assert_eq!(error.problems, ["Completions are not offered: say so with ServerBuilder::offer"]);
}

#[test]
fn completions_added_later() {
    let server = builder()
        .offer(Feature::Completions)
        .prompt(Prompt::new("p", "d").arg("a"), |_, _| Ok(PromptMessage::user("")))
        .build()
        .unwrap();
    let params = json!({"ref": prompt(), "argument": {"name": "a", "value": ""}});
    call(&server, "completion/complete", params).is_error(-32602, "Argument does not support completion", None);
    server.edit(|edit| edit.complete_prompt("p", "a", |_, _| Ok(vec!["x"]))).unwrap();
    assert_eq!(ask(&server, prompt(), "a", ""), json!({"values": ["x"]}));
}
