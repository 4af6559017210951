//! §10.1 What the builders of input requests write.

use plain_mcp::types::sampling::{IncludeContext, ToolChoiceMode};
use plain_mcp::types::*;
use serde_json::{Value, json};

use crate::line;

fn sent(ask: &impl Ask) -> String {
    let request = ask.request();
    assert_eq!(request.validate(), Ok(()));
    let line = line(&request);
    // What the peer reads is what was asked.
    let read: InputRequest = serde_json::from_str(&line).unwrap();
    assert_eq!(read, request);
    assert_eq!(serde_json::to_value(&request).unwrap()["params"], *read.params().unwrap());
    line
}

#[test]
fn a_form_of_one_field() {
    covers!("10.1-4", "10.1-5");
    let form = elicit::form("Please provide name").string("name").required();
    let wanted = concat!(
        r#"{"method":"elicitation/create","params":{"mode":"form","message":"Please provide name","#,
        r#""requestedSchema":{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}}}"#
    );
    assert_eq!(sent(&form), wanted);
}

#[test]
fn a_form_keeps_the_order_of_its_author() {
    covers!("10.1-6");
    let form = elicit::form("m")
        .string("z")
        .title("Z")
        .description("d")
        .default("ab")
        .min(1)
        .max(3)
        .required()
        .string("mail")
        .format("email")
        .integer("i")
        .min(-1)
        .max(5)
        .default(2)
        .number("n")
        .min(0.5)
        .max(1.5)
        .boolean("b")
        .default(false)
        .required()
        .choice("c", ["x", "y"])
        .default("y")
        .titled_choice("t", [("x", "X"), ("y", "Y")])
        .multi_choice("l", ["p", "q"])
        .min(1)
        .max(2)
        .default(json!(["p"]))
        .titled_multi_choice("a", [("p", "P")]);
    let wanted = concat!(
        r#"{"method":"elicitation/create","params":{"mode":"form","message":"m","requestedSchema":{"type":"object","properties":{"#,
        r#""z":{"type":"string","title":"Z","description":"d","minLength":1,"maxLength":3,"default":"ab"},"#,
        r#""mail":{"type":"string","format":"email"},"#,
        r#""i":{"type":"integer","minimum":-1,"maximum":5,"default":2},"#,
        r#""n":{"type":"number","minimum":0.5,"maximum":1.5},"#,
        r#""b":{"type":"boolean","default":false},"#,
        r#""c":{"type":"string","enum":["x","y"],"default":"y"},"#,
        r#""t":{"type":"string","oneOf":[{"const":"x","title":"X"},{"const":"y","title":"Y"}]},"#,
        r#""l":{"type":"array","items":{"type":"string","enum":["p","q"]},"minItems":1,"maxItems":2,"default":["p"]},"#,
        r#""a":{"type":"array","items":{"anyOf":[{"const":"p","title":"P"}]}}},"required":["z","b"]}}}"#
    );
    assert_eq!(sent(&form), wanted);
}

#[test]
fn a_form_without_fields_and_a_page() {
    covers!("10.1-7");
    let wanted = r#"{"method":"elicitation/create","params":{"mode":"form","message":"Go on?","requestedSchema":{"type":"object","properties":{}}}}"#;
    assert_eq!(sent(&elicit::form("Go on?")), wanted);
    let wanted =
        r#"{"method":"elicitation/create","params":{"mode":"url","message":"m","url":"https://example.com/a"}}"#;
    assert_eq!(sent(&elicit::url("m", "https://example.com/a")), wanted);
}

#[test]
fn questions_for_the_model() {
    covers!("10.1-8");
    let wanted = r#"{"method":"sampling/createMessage","params":{"messages":[{"role":"user","content":{"type":"text","text":"t"}}],"maxTokens":100}}"#;
    assert_eq!(sent(&sampling::message("t", 100)), wanted);
    let all = sampling::message("t", 1)
        .then(SamplingMessage::assistant("u"))
        .system_prompt("s")
        .hint("a")
        .hint("b")
        .cost_priority(0.0)
        .speed_priority(1.0)
        .intelligence_priority(0.5)
        .temperature(0.25)
        .stop_sequence("x")
        .stop_sequence("y")
        .include_context(IncludeContext::ThisServer)
        .metadata("k", json!({}))
        .tool(Tool::new("n", "d").input_text(r#"{"type":"object","b":1,"a":2}"#))
        .tool_choice(ToolChoiceMode::Required);
    let wanted = concat!(
        r#"{"method":"sampling/createMessage","params":{"messages":[{"role":"user","content":{"type":"text","text":"t"}},"#,
        r#"{"role":"assistant","content":{"type":"text","text":"u"}}],"maxTokens":1,"systemPrompt":"s","#,
        r#""modelPreferences":{"hints":[{"name":"a"},{"name":"b"}],"costPriority":0.0,"speedPriority":1.0,"intelligencePriority":0.5},"#,
        r#""temperature":0.25,"stopSequences":["x","y"],"includeContext":"thisServer","metadata":{"k":{}},"#,
        r#""tools":[{"name":"n","description":"d","inputSchema":{"type":"object","b":1,"a":2}}],"toolChoice":{"mode":"required"}}}"#
    );
    assert_eq!(sent(&all), wanted);
}

#[test]
fn roots_and_raw_requests() {
    covers!("10.1-9");
    assert_eq!(sent(&roots::list()), r#"{"method":"roots/list","params":{}}"#);
    let raw = InputRequest::raw("roots/list", json!({"_meta": {}}));
    assert_eq!(raw.validate(), Ok(()));
    assert_eq!(line(&raw), r#"{"method":"roots/list","params":{"_meta":{}}}"#);
    // A peer may leave the params out.
    let bare: InputRequest = serde_json::from_str(r#"{"method":"roots/list"}"#).unwrap();
    assert_eq!((bare.validate(), bare.params()), (Ok(()), None));
    assert!(matches!(bare, InputRequest::ListRoots(_)));
    assert_eq!(line(&bare), r#"{"method":"roots/list"}"#);
}

#[test]
fn what_a_request_needs() {
    let sampling = |tools, context| Some(Kind::CreateMessage { tools, context });
    let ask = |method: &str, params: Value| InputRequest::raw(method, params).kind();
    assert_eq!(elicit::form("m").request().kind(), Some(Kind::Form));
    assert_eq!(elicit::url("m", "u").request().kind(), Some(Kind::Url));
    assert_eq!(roots::list().request().kind(), Some(Kind::ListRoots));
    assert_eq!(sampling::message("t", 1).request().kind(), sampling(false, false));
    assert_eq!(sampling::message("t", 1).tool(Tool::new("n", "d")).request().kind(), sampling(true, false));
    assert_eq!(sampling::message("t", 1).tool_choice(ToolChoiceMode::None).request().kind(), sampling(true, false));
    let context = |context| sampling::message("t", 1).include_context(context).request().kind();
    assert_eq!(context(IncludeContext::None), sampling(false, false));
    assert_eq!(context(IncludeContext::ThisServer), sampling(false, true));
    assert_eq!(context(IncludeContext::AllServers), sampling(false, true));
    assert_eq!(ask("elicitation/create", json!({})), Some(Kind::Form));
    assert_eq!(ask("elicitation/create", json!({"mode": "form"})), Some(Kind::Form));
    assert_eq!(ask("elicitation/create", json!({"mode": "url"})), Some(Kind::Url));
    assert_eq!(ask("elicitation/create", json!({"mode": 1})), None);
    assert_eq!(ask("sampling/createMessage", json!({"tools": [], "includeContext": "x"})), sampling(true, true));
    assert_eq!(ask("roots/list", json!({})), Some(Kind::ListRoots));
    assert_eq!(ask("tools/call", json!({})), None);
}

#[test]
fn a_peers_request_of_another_shape_is_kept_raw() {
    let text = r#"{"method":"elicitation/create","params":{"message":1}}"#;
    let read: InputRequest = serde_json::from_str(text).unwrap();
    assert!(matches!(read, InputRequest::Raw(_)));
    assert_eq!(line(&read), text);
    assert_eq!(read.validate(), Err(String::from("message must be a string")));
}
