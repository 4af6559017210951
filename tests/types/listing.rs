//! §5.1, §5.3, §5.5, §8.1 What is listed.

use plain_mcp::types::*;
use serde_json::json;

use crate::line;

#[test]
fn a_tool_with_everything() {
    covers!("5.1-1");
    let tool = Tool::new("add", "Adds")
        .title("Add")
        .input(json!({"type": "object", "properties": {"b": {}, "a": {}}}))
        .output(json!({"type": "integer"}))
        .annotations(
            ToolAnnotations::new().title("T").read_only(true).destructive(false).idempotent(true).open_world(false),
        )
        .icon(Icon::new("https://example.com/i.png").mime_type("image/png").size("48x48").size("any").theme("light"))
        .meta("a/b", json!([1]));
    let wanted = concat!(
        r#"{"name":"add","title":"Add","description":"Adds","#,
        r#""inputSchema":{"properties":{"a":{},"b":{}},"type":"object"},"outputSchema":{"type":"integer"},"#,
        r#""annotations":{"title":"T","readOnlyHint":true,"destructiveHint":false,"idempotentHint":true,"openWorldHint":false},"#,
        r#""icons":[{"src":"https://example.com/i.png","mimeType":"image/png","sizes":["48x48","any"],"theme":"light"}],"#,
        r#""_meta":{"a/b":[1]}}"#
    );
    assert_eq!(line(&tool), wanted);
    assert_eq!(tool.problems().count(), 0);
}

#[test]
fn a_tool_with_nothing() {
    covers!("5.1-1");
    let tool = Tool::new("t", "d").annotations(ToolAnnotations::new());
    assert_eq!(line(&tool), r#"{"name":"t","description":"d","inputSchema":{"type":"object"}}"#);
}

#[test]
fn a_schema_text_is_listed_as_it_stands() {
    covers!("5.1-3");
    let text = "{ \"type\" : \"object\",\r\n\t\"z\": [1.0, 1e2, -0 , \"a \\\" b\\\\\" , \"\\u00e9 \\n\"],\n \"a\": 12345678901234567890123 }";
    let wanted = r#"{"type":"object","z":[1.0,1e2,-0,"a \" b\\","\u00e9 \n"],"a":12345678901234567890123}"#;
    let tool = Tool::new("t", "d").input_text(text).output_text(" { } ");
    assert_eq!(tool.input_schema.text(), wanted);
    assert_eq!(line(&tool), format!(r#"{{"name":"t","description":"d","inputSchema":{wanted},"outputSchema":{{}}}}"#));
    assert_eq!(tool.input_schema.value()["z"][3], json!("a \" b\\"));
    // Read back from the line, it is the same text.
    let back: Tool = serde_json::from_str(&line(&tool)).unwrap();
    assert_eq!(back, tool);
    assert_eq!(back.input_schema.text(), wanted);
    assert_eq!(format!("{:?}", back.output_schema), "Some({})");
}

#[test]
fn schema_texts_are_equal_by_their_text() {
    let parse = |text| SchemaText::parse(text).unwrap();
    assert_eq!(parse(r#"{"a": 1}"#), parse(r#"{"a":1}"#));
    assert_ne!(parse(r#"{"a":1,"b":2}"#), parse(r#"{"b":2,"a":1}"#));
    assert!(SchemaText::parse("{} {}").is_err());
    assert!(SchemaText::parse("1e999").is_err());
}

#[test]
fn what_keeps_a_tool_from_being_listed() {
    let problems = |tool: Tool| tool.problems().map(str::to_owned).collect::<Vec<_>>();
    let object = "inputSchema must be an object with \"type\": \"object\"";
    let icon = "an icon's src must be an http, https or data URI";
    for (tool, wanted) in [
        (Tool::new("", "d"), vec!["the name is empty"]),
        (Tool::new("t", "d").input(json!({"type": "string"})), vec![object]),
        (Tool::new("t", "d").input(json!({})), vec![object]),
        (Tool::new("t", "d").input(json!(true)), vec![object]),
        (Tool::new("t", "d").output(json!([])), vec!["outputSchema must be an object"]),
        (Tool::new("t", "d").icon(Icon::new("i.png")), vec![icon]),
        (Tool::new("t", "d").icon(Icon::new("data:image/png;base64")), vec![icon]),
        (Tool::new("t", "d").icon(Icon::new("urn:a,b")), vec![icon]),
        (
            Tool::new("t", "d").icon(Icon::new("data:image/png;base64,AA==").theme("blue")),
            vec!["an icon's theme is light or dark"],
        ),
        (
            Tool::new("t", "d").input_text("{").output_text(""),
            vec![
                "inputSchema is not JSON: EOF while parsing an object at line 1 column 1",
                "outputSchema is not JSON: EOF while parsing a value at line 1 column 0",
            ],
        ),
    ] {
        assert_eq!(problems(tool), wanted);
    }
}

#[test]
fn resources_and_templates() {
    let resource = Resource::new("a:b", "n")
        .title("t")
        .description("d")
        .mime_type("x/y")
        .size(0)
        .icon(Icon::new("https://example.com"))
        .annotations(Annotations::new().priority(1.0))
        .meta("k", true);
    let wanted = concat!(
        r#"{"uri":"a:b","name":"n","title":"t","description":"d","mimeType":"x/y","size":0,"#,
        r#""icons":[{"src":"https://example.com"}],"annotations":{"priority":1.0},"_meta":{"k":true}}"#
    );
    assert_eq!(line(&resource), wanted);
    let template = ResourceTemplate::new("a:{b}", "n").mime_type("x/y");
    assert_eq!(line(&template), r#"{"uriTemplate":"a:{b}","name":"n","mimeType":"x/y"}"#);
    let bad = ResourceTemplate::new("a:{b}", "").annotations(Annotations::new().priority(1.5));
    assert_eq!(bad.problems().collect::<Vec<_>>(), ["the name is empty", "priority must be between 0 and 1"]);
}

#[test]
fn prompts() {
    let prompt = Prompt::new("p", "d")
        .title("t")
        .arg("z")
        .optional_arg("y")
        .argument(PromptArgument::new("a").title("t").description("d").required())
        .icon(Icon::new("https://example.com"))
        .meta("k", 1);
    let wanted = concat!(
        r#"{"name":"p","title":"t","description":"d","arguments":[{"name":"z","required":true},{"name":"y"},"#,
        r#"{"name":"a","title":"t","description":"d","required":true}],"#,
        r#""icons":[{"src":"https://example.com"}],"_meta":{"k":1}}"#
    );
    assert_eq!(line(&prompt), wanted);
    assert_eq!(prompt.required().collect::<Vec<_>>(), ["z", "a"]);
    assert_eq!(line(&Prompt::new("p", "d")), r#"{"name":"p","description":"d"}"#);
    let bad = Prompt::new("", "d").arg("").arg("a").optional_arg("a");
    let wanted = ["the name is empty", "the name of an argument is empty", "two arguments have the same name"];
    assert_eq!(bad.problems().collect::<Vec<_>>(), wanted);
}

#[test]
fn implementations() {
    let all = Implementation::new("n", "1")
        .title("t")
        .description("d")
        .icon(Icon::new("https://example.com"))
        .website_url("https://example.com");
    let wanted = concat!(
        r#"{"name":"n","version":"1","title":"t","description":"d","#,
        r#""icons":[{"src":"https://example.com"}],"websiteUrl":"https://example.com"}"#
    );
    assert_eq!(line(&all), wanted);
}

#[test]
fn levels() {
    let names = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];
    assert_eq!(Level::ALL.map(Level::name), names);
    assert!(Level::ALL.is_sorted() && Level::Debug < Level::Emergency);
    for (level, name) in Level::ALL.into_iter().zip(names) {
        assert_eq!(Level::parse(name), Some(level));
        assert_eq!(line(&level), format!("{name:?}"));
        assert_eq!(level.to_string(), name);
    }
    for other in ["", "Debug", "warn", "debug "] {
        assert_eq!(Level::parse(other), None);
    }
}
