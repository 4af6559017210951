//! §10.1 What may not be sent, and in which words it is refused.

use plain_mcp::types::conversation::SamplingBlock;
use plain_mcp::types::*;
use serde_json::{Value, json};

fn why(request: &InputRequest) -> String {
    request.validate().expect_err(&serde_json::to_string(request).unwrap())
}

fn refuses(method: &str, rows: Vec<(Value, &str)>) {
    for (params, wanted) in rows {
        assert_eq!(why(&InputRequest::raw(method, params.clone())), wanted, "{params}");
    }
}

#[test]
fn methods_and_params() {
    covers!("10.1-4", "10.1-9");
    refuses("tools/call", vec![(json!({}), "tools/call is not an input request")]);
    refuses(
        "roots/list",
        vec![
            (json!([]), "params must be an object"),
            (json!({"x": 1}), "roots/list has no member x"),
            (json!({"_meta": 1}), "_meta of an input request must be an object"),
        ],
    );
    let bare: InputRequest = serde_json::from_str(r#"{"method":"elicitation/create"}"#).unwrap();
    assert_eq!(why(&bare), "elicitation/create needs params");
}

#[test]
fn elicitations() {
    covers!("10.1-5", "10.1-7");
    let schema = json!({"type": "object", "properties": {}});
    refuses(
        "elicitation/create",
        vec![
            (json!({"mode": "other", "message": "m"}), "mode must be form or url"),
            (json!({"mode": null, "message": "m"}), "mode must be form or url"),
            (json!({"requestedSchema": schema}), "message must be a string"),
            (json!({"message": "m"}), "requestedSchema must be an object"),
            (json!({"message": "m", "requestedSchema": schema, "url": "u"}), "a form has no member url"),
            (json!({"mode": "url", "message": "m"}), "url must be a string"),
            (json!({"mode": "url", "url": "https://a.example"}), "message must be a string"),
            (
                json!({"mode": "url", "message": "m", "url": "https://a.example", "elicitationId": "1"}),
                "a URL elicitation has no member elicitationId",
            ),
        ],
    );
    for (url, wanted) in [
        ("not a url", "url must be a valid URL"),
        ("ftp://a.example", "url must be an http or https URL"),
        ("https://", "url must have a host"),
        ("https://me@a.example", "url must not carry user information"),
    ] {
        assert_eq!(why(&elicit::url("m", url).request()), wanted, "{url}");
    }
}

#[test]
fn form_schemas() {
    covers!("10.1-6");
    let ask = |schema: Value| json!({"message": "m", "requestedSchema": schema});
    let with =
        |required: Value| ask(json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": required}));
    refuses(
        "elicitation/create",
        vec![
            (ask(json!({"type": "object"})), "requestedSchema must have an object of properties"),
            (ask(json!({"properties": {}})), "requestedSchema must have the type object"),
            (ask(json!({"type": "array", "properties": {}})), "requestedSchema must have the type object"),
            (ask(json!({"type": "object", "properties": {}, "allOf": []})), "requestedSchema has no member allOf"),
            (ask(json!({"type": "object", "properties": {}, "$schema": 1})), "$schema must be a string"),
            (ask(json!({"type": "object", "properties": {"a": true}})), "property a must be an object"),
            (with(json!("a")), "required must be a list of strings"),
            (with(json!(["b"])), "required names b, which is no property"),
            (with(json!(["a", "a"])), "required names a property twice"),
        ],
    );
}

#[test]
fn form_fields() {
    covers!("10.1-6");
    let kinds = "type must be string, number, integer, boolean or array";
    let titled = "oneOf must be a non-empty list of const and title";
    let rows = vec![
        (json!({}), kinds),
        (json!({"type": "object", "properties": {}}), kinds),
        (json!({"type": "null"}), kinds),
        (json!({"type": ["string"]}), kinds),
        (json!({"type": "string", "pattern": "a"}), "pattern is no keyword of this field"),
        (json!({"type": "string", "title": 1}), "title must be a string"),
        (json!({"type": "string", "description": []}), "description must be a string"),
        (json!({"type": "string", "format": "ipv4"}), "format must be email, uri, date or date-time"),
        (json!({"type": "string", "minLength": -1}), "minLength must be a whole number from 0"),
        (json!({"type": "string", "maxLength": "1"}), "maxLength must be a whole number from 0"),
        (json!({"type": "string", "minLength": 2, "maxLength": 1}), "minLength is greater than maxLength"),
        (json!({"type": "string", "default": 1}), "default does not fit the field"),
        (json!({"type": "string", "maxLength": 1, "default": "ab"}), "default does not fit the field"),
        (json!({"type": "string", "enum": []}), "enum must be a non-empty list of strings"),
        (json!({"type": "string", "enum": [1]}), "enum must be a non-empty list of strings"),
        (json!({"type": "string", "enum": ["a", "a"]}), "enum has a choice twice"),
        (json!({"type": "string", "enum": ["a"], "minLength": 1}), "minLength is no keyword of this field"),
        (
            json!({"type": "string", "enum": ["a"], "enumNames": []}),
            "enumNames must be a list of as many strings as enum",
        ),
        (json!({"type": "string", "enum": ["a"], "default": "b"}), "default does not fit the field"),
        (json!({"type": "string", "enum": ["a"], "oneOf": []}), "oneOf is no keyword of this field"),
        (json!({"type": "string", "oneOf": []}), titled),
        (json!({"type": "string", "oneOf": [{"const": "a"}]}), titled),
        (json!({"type": "string", "oneOf": [{"const": "a", "title": 1}]}), titled),
        (json!({"type": "string", "oneOf": [{"const": "a", "title": "A", "x": 1}]}), titled),
        (
            json!({"type": "string", "oneOf": [{"const": "a", "title": "A"}, {"const": "a", "title": "B"}]}),
            "oneOf has a choice twice",
        ),
        (json!({"type": "integer", "minimum": "0"}), "minimum must be a number"),
        (json!({"type": "number", "minimum": 1, "maximum": 0.5}), "minimum is greater than maximum"),
        (
            json!({"type": "integer", "minimum": 9_007_199_254_740_993_i64, "maximum": 9_007_199_254_740_992_i64}),
            "minimum is greater than maximum",
        ),
        (json!({"type": "integer", "default": 1.5}), "default does not fit the field"),
        (json!({"type": "number", "maximum": 1, "default": 2}), "default does not fit the field"),
        (json!({"type": "number", "multipleOf": 2}), "multipleOf is no keyword of this field"),
        (json!({"type": "boolean", "default": "yes"}), "default does not fit the field"),
        (json!({"type": "boolean", "enum": [true]}), "enum is no keyword of this field"),
        (json!({"type": "array"}), "items must be an object"),
        (json!({"type": "array", "items": {"enum": ["a"]}}), "items must have the type string"),
        (json!({"type": "array", "items": {"type": "string"}}), "enum must be a non-empty list of strings"),
        (json!({"type": "array", "items": {"type": "string", "enum": ["a"], "x": 1}}), "x is no keyword of items"),
        (json!({"type": "array", "items": {"anyOf": []}}), "anyOf must be a non-empty list of const and title"),
        (json!({"type": "array", "items": {"anyOf": [], "type": "string"}}), "type is no keyword of items"),
        (
            json!({"type": "array", "items": {"type": "string", "enum": ["a"]}, "minItems": 3, "maxItems": 2}),
            "minItems is greater than maxItems",
        ),
        (
            json!({"type": "array", "items": {"type": "string", "enum": ["a"]}, "default": ["b"]}),
            "default does not fit the field",
        ),
    ];
    for (field, wanted) in rows {
        let params = json!({"message": "m", "requestedSchema": {"type": "object", "properties": {"f": field}}});
        let request = InputRequest::raw("elicitation/create", params);
        assert_eq!(why(&request), format!("property f: {wanted}"), "{field}");
    }
}

/// What is just within the rules of `form_fields`.
#[test]
fn form_fields_that_pass() {
    covers!("10.1-6");
    for field in [
        json!({"type": "string", "minLength": 2, "maxLength": 2}),
        json!({"type": "string", "enum": ["a", "b"], "enumNames": ["A", "B"]}),
        json!({"type": "integer", "minimum": 1, "maximum": 1.0, "default": 1.0}),
    ] {
        let params = json!({"message": "m", "requestedSchema": {"type": "object", "properties": {"f": field}}});
        assert_eq!(InputRequest::raw("elicitation/create", params).validate(), Ok(()), "{field}");
    }
}

#[test]
fn calls_of_the_form_builder() {
    covers!("10.1-6");
    for (form, wanted) in [
        (elicit::form("m").required(), "required comes before any field"),
        (elicit::form("m").title("t"), "title comes before any field"),
        (elicit::form("m").string("a").string("a"), "the form has two fields \"a\""),
        (elicit::form("m").boolean("a").min(1), "min does not fit the field \"a\""),
        (elicit::form("m").boolean("a").max(1), "max does not fit the field \"a\""),
        (elicit::form("m").string("a").min(-1), "min does not fit the field \"a\""),
        (elicit::form("m").number("a").max(f64::NAN), "max does not fit the field \"a\""),
        (elicit::form("m").integer("a").format("email"), "format does not fit the field \"a\""),
        (elicit::form("m").choice("a", ["x"]).min(1), "property a: minLength is no keyword of this field"),
        (elicit::form("m").string("a").required().required(), "required names a property twice"),
        (elicit::form("m").choice("a", Vec::<String>::new()), "property a: enum must be a non-empty list of strings"),
        (elicit::form("m").integer("a").min(1).default(0), "property a: default does not fit the field"),
    ] {
        assert_eq!(why(&form.request()), wanted);
    }
}

#[test]
fn sampling_params() {
    covers!("10.1-8");
    let base = json!({"messages": [{"role": "user", "content": {"type": "text", "text": "t"}}], "maxTokens": 1});
    let with = |name: &str, value: Value| {
        let mut params = base.clone();
        params[name] = value;
        params
    };
    let message = "a message needs the role user or assistant and content";
    let tool = |schema: Value| json!([{"name": "n", "inputSchema": schema}]);
    refuses(
        "sampling/createMessage",
        vec![
            (with("messages", json!([])), "messages must be a non-empty list"),
            (json!({"maxTokens": 1}), "messages must be a non-empty list"),
            (with("messages", json!([{"role": "system", "content": {"type": "text", "text": "t"}}])), message),
            (with("messages", json!([{"role": "user"}])), message),
            (with("messages", json!([{"role": "user", "content": {"type": "resource"}}])), message),
            (with("maxTokens", json!(0)), "maxTokens must be a positive integer"),
            (with("maxTokens", json!(-1)), "maxTokens must be a positive integer"),
            (with("maxTokens", json!(1.5)), "maxTokens must be a positive integer"),
            (with("systemPrompt", json!(1)), "systemPrompt must be a string"),
            (with("temperature", json!("hot")), "temperature must be a number"),
            (with("stopSequences", json!([1])), "stopSequences must be a list of strings"),
            (with("metadata", json!([])), "metadata must be an object"),
            (with("includeContext", json!("some")), "includeContext must be none, thisServer or allServers"),
            (with("modelPreferences", json!(1)), "modelPreferences must be an object"),
            (with("modelPreferences", json!({"price": 1})), "modelPreferences has no member price"),
            (with("modelPreferences", json!({"hints": ["a"]})), "hints must be a list of objects with a string name"),
            (with("modelPreferences", json!({"costPriority": 1.5})), "costPriority must be a number from 0 to 1"),
            (with("modelPreferences", json!({"speedPriority": -0.1})), "speedPriority must be a number from 0 to 1"),
            (
                with("modelPreferences", json!({"intelligencePriority": "x"})),
                "intelligencePriority must be a number from 0 to 1",
            ),
            (with("tools", json!({})), "tools must be a list of tools"),
            (with("tools", json!([{}])), "tools must be a list of tools"),
            (with("tools", tool(json!({}))), "tool n: inputSchema must be an object with \"type\": \"object\""),
            (with("toolChoice", json!("auto")), "toolChoice must be an object"),
            (with("toolChoice", json!({"mode": "any"})), "mode must be auto, none or required"),
            (with("toolChoice", json!({"name": "n"})), "toolChoice has no member name"),
            (with("task", json!({})), "sampling/createMessage has no member task"),
        ],
    );
    assert_eq!(why(&sampling::message("t", 0).request()), "maxTokens must be a positive integer");
    assert_eq!(why(&sampling::message("t", 1).temperature(f64::NAN).request()), "temperature is not a finite number");
    assert_eq!(
        why(&sampling::message("t", 1).cost_priority(2.0).request()),
        "costPriority must be a number from 0 to 1"
    );
    let bad = sampling::message("t", 1).tool(Tool::new("n", "d").input_text("{"));
    assert_eq!(why(&bad.request()), "tool n: inputSchema is not JSON: EOF while parsing an object at line 1 column 1");
    assert_eq!(why(&CreateMessage::new([], 1).request()), "messages must be a non-empty list");
}

#[test]
fn tool_uses_and_their_results() {
    covers!("10.1-8");
    let call = |id: &str| -> SamplingBlock {
        serde_json::from_value(json!({"type": "tool_use", "id": id, "name": "n", "input": {}})).unwrap()
    };
    let result = |id: &str| SamplingBlock::tool_result(id, vec![ContentBlock::text("r")]);
    let judge = |messages: Vec<SamplingMessage>| CreateMessage::new(messages, 1).request().validate();
    let user = |blocks: Vec<SamplingBlock>| SamplingMessage::user(blocks);
    let model = |blocks: Vec<SamplingBlock>| SamplingMessage::assistant(blocks);
    let text = || SamplingBlock::text("t");

    assert_eq!(judge(vec![model(vec![text(), call("1"), call("2")]), user(vec![result("2"), result("1")])]), Ok(()));
    assert_eq!(judge(vec![model(vec![call("1")]), user(vec![result("1")]), model(vec![text()])]), Ok(()));
    let open = "a tool_use is not answered by the next message";
    let stray = "a tool_result answers no tool_use of the message before it";
    for (messages, wanted) in [
        (vec![model(vec![call("1")])], open),
        (vec![model(vec![call("1")]), user(vec![text()])], open),
        (vec![model(vec![call("1"), call("2")]), user(vec![result("1")])], open),
        (vec![user(vec![result("1")])], stray),
        (vec![model(vec![call("1")]), user(vec![result("2")])], stray),
        (vec![model(vec![call("1"), call("2")]), user(vec![result("1"), result("1")])], stray),
        (
            vec![model(vec![call("1")]), user(vec![result("1"), text()])],
            "a message with a tool_result holds something else too",
        ),
        (vec![model(vec![call("1"), call("1")])], "two tool_use blocks have the same id"),
        (vec![user(vec![call("1")])], "a user message holds a tool_use"),
        (vec![model(vec![call("1")]), model(vec![result("1")])], "an assistant message holds a tool_result"),
    ] {
        assert_eq!(judge(messages), Err(String::from(wanted)));
    }
}
