//! §10.1 The first round, and what the gate lets out.

use plain_mcp::types::sampling::{self};
use plain_mcp::types::{InputRequest, elicit, roots};
use plain_mcp::{Context, FixedClock, InputRequired, NoArgs, Prompt, PromptMessage, Resource, Tool, contents, text};
use serde_json::{Value, json};

use crate::kit::{CAPS, REVISION, VERSION, builder, call, merge};

use super::*;

#[test]
fn the_first_round() {
    covers!("10.1-3", "10.1-4", "10.1-5", "10.1-6", "10.1-7", "10.1-8", "10.1-9");
    let server = asking(builder().secret(secret()).clock(FixedClock(1000)), |_| {
        Err(InputRequired::new()
            .ask("user_name", name_form())
            .ask("page", elicit::url("Please log in", "https://example.com/login?x=1"))
            .ask("greeting", sampling::message("Generate a greeting", 50))
            .ask("client_roots", roots::list())
            .with_state(&json!({"step": 1}))
            .into())
    });
    let sent = round(&server, &all(), json!({}));
    let mut result = sent.result().clone();
    let state = result.as_object_mut().unwrap().remove("requestState").unwrap();
    assert!(state.as_str().unwrap().starts_with("mrtr1."));
    assert_eq!(
        result,
        json!({
            "resultType": "input_required",
            "inputRequests": {
                "user_name": {"method": "elicitation/create", "params": {"mode": "form", "message": "Please provide name",
                    "requestedSchema": {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}}},
                "page": {"method": "elicitation/create", "params": {"mode": "url", "message": "Please log in", "url": "https://example.com/login?x=1"}},
                "greeting": {"method": "sampling/createMessage", "params": {
                    "messages": [{"role": "user", "content": {"type": "text", "text": "Generate a greeting"}}], "maxTokens": 50}},
                "client_roots": {"method": "roots/list", "params": {}},
            },
            "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "test", "version": "1.0.0"}},
        })
    );
    // Without a state there is none to echo.
    let sent = round(&asks_this(roots::list()), &all(), json!({}));
    assert_eq!((asked(&sent), sent.result().get("requestState")), (vec!["q"], None));
}

#[test]
fn the_three_methods() {
    covers!("10.1-3", "10.1-10");
    let ask = |cx: &Context<'_>| cx.ask("who", name_form()).and_then(|who| Ok(who.str("name")?.to_owned()));
    let server = builder()
        .tool(Tool::new("t", "d"), move |_: NoArgs, cx| ask(cx))
        .prompt(Prompt::new("p", "d").arg("a"), move |_, cx| ask(cx).map(PromptMessage::user))
        .resource(Resource::new("test://r", "r"), move |_, cx| Ok(contents::text("text/plain", ask(cx)?)))
        .template(plain_mcp::ResourceTemplate::new("test://t/{x}", "t"), move |_, cx| {
            Ok(contents::text("text/plain", ask(cx)?))
        })
        .build()
        .unwrap();
    for (method, params, text) in [
        ("tools/call", json!({"name": "t", "arguments": {}}), "/content/0/text"),
        ("prompts/get", json!({"name": "p", "arguments": {"a": "x"}}), "/messages/0/content/text"),
        ("resources/read", json!({"uri": "test://r"}), "/contents/0/text"),
        ("resources/read", json!({"uri": "test://t/1"}), "/contents/0/text"),
    ] {
        let mut params = params;
        merge(&mut params, json!({"_meta": {VERSION: REVISION, CAPS: {"elicitation": {}}}}));
        assert_eq!(asked(&call(&server, method, params.clone())), ["who"]);
        merge(&mut params, json!({"inputResponses": {"who": accept(json!({"name": "Alice"}))}}));
        let sent = call(&server, method, params);
        assert_eq!(sent.result().pointer(text), Some(&json!("Alice")), "{method}");
        assert_eq!((sent.result().get("inputRequests"), sent.result().get("requestState")), (None, None));
    }
}

#[test]
fn not_permitted() {
    covers!("10.1-1");
    let (builder, causes) = watched(builder());
    let server = builder
        .prompt(Prompt::new("p", "d").arg("a"), |_, _| Ok(PromptMessage::user("")))
        .complete_prompt("p", "a", |_, cx| cx.ask("q", name_form()).map(|_| vec!["x"]))
        .build()
        .unwrap();
    let params = json!({"ref": {"type": "ref/prompt", "name": "p"}, "argument": {"name": "a", "value": ""},
        "_meta": {VERSION: REVISION, CAPS: all()}});
    call(&server, "completion/complete", params).is_error(
        -32603,
        "Input-required result is not permitted for this operation",
        None,
    );
    assert_eq!(*causes.lock().unwrap(), ["this method must not ask for input"]);
}

#[test]
fn methods_that_may_not_ask_read_no_answers() {
    covers!("10.1-1");
    // On these the two members mean nothing, and whatever stands in them is not looked at.
    let server =
        builder().tool(Tool::new("t", "d"), |_: NoArgs, _| Ok("")).offer(plain_mcp::Feature::Prompts).build().unwrap();
    for method in ["tools/list", "prompts/list", "server/discover"] {
        for more in [json!({"inputResponses": 7}), json!({"requestState": 7}), json!({"requestState": "forged"})] {
            assert_eq!(call(&server, method, more).result()["resultType"], "complete");
        }
    }
}

#[test]
fn malformed() {
    covers!("10.1-2", "10.1-4", "10.1-5", "10.1-6", "10.1-7", "10.1-8", "10.1-9");
    let invalid = |input: InputRequired| {
        let (builder, causes) = watched(builder());
        let server = asking(builder, move |_| Err(input.clone().into()));
        let sent = round(&server, &all(), json!({}));
        sent.is_error(-32603, "Invalid input-required result", None);
        let causes = causes.lock().unwrap();
        assert_eq!(causes.len(), 1, "{causes:?}");
        causes[0].clone()
    };
    assert_eq!(invalid(InputRequired::new()), "neither inputRequests nor requestState");
    let form =
        |schema: Value| InputRequest::raw("elicitation/create", json!({"message": "m", "requestedSchema": schema}));
    let sample = |more: Value| {
        let mut params =
            json!({"messages": [{"role": "user", "content": {"type": "text", "text": "t"}}], "maxTokens": 5});
        merge(&mut params, more);
        InputRequest::raw("sampling/createMessage", params)
    };
    for request in [
        InputRequest::raw("tools/call", json!({})),
        InputRequest::raw("", json!({})),
        InputRequest::raw("roots/list", json!({"cursor": "x"})),
        InputRequest::raw("roots/list", json!([])),
        InputRequest::raw("elicitation/create", json!({})),
        InputRequest::raw("elicitation/create", json!({"message": "m"})),
        InputRequest::raw("elicitation/create", json!({"mode": "page", "message": "m", "url": "https://example.com"})),
        InputRequest::raw("elicitation/create", json!({"mode": "url", "message": "m"})),
        form(json!({"type": "object"})),
        form(json!({"type": "array", "properties": {}})),
        form(json!({"type": "object", "properties": {"a": {"type": "object"}}})),
        form(json!({"type": "object", "properties": {"a": {"type": "string", "format": "ipv4"}}})),
        form(json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["b"]})),
        form(json!({"type": "object", "properties": {"a": {"type": "array", "items": {"type": "integer"}}}})),
        sample(json!({"messages": []})),
        sample(json!({"messages": [{"role": "system", "content": {"type": "text", "text": "t"}}]})),
        sample(json!({"maxTokens": 0})),
        sample(json!({"maxTokens": 1.5})),
        sample(json!({"includeContext": "everything"})),
        sample(json!({"toolChoice": {"mode": "always"}})),
        elicit::url("m", "ftp://example.com").into(),
        elicit::url("m", "https://user@example.com/").into(),
        elicit::url("m", "https:///path").into(),
        elicit::form("m").required().into(),
        elicit::form("m").boolean("b").min(1).into(),
        sampling::message("m", 0).into(),
    ] {
        let cause = invalid(InputRequired::new().ask("q", request.clone()).ask("r", roots::list()));
        assert!(cause.starts_with("q: ") && cause.len() > 3, "{request:?}: {cause}");
    }
    // Valid, as an author may write it by hand.
    for (request, need) in [
        (form(json!({"type": "object", "properties": {}})), json!({"elicitation": {}})),
        (sample(json!({"temperature": 0.5, "metadata": {}})), json!({"sampling": {}})),
        (InputRequest::raw("roots/list", json!({"_meta": {"k": 1}})), json!({"roots": {}})),
    ] {
        assert_eq!(asked(&round(&asks_this(request), &need, json!({}))), ["q"]);
    }
}

#[test]
fn a_state_alone() {
    covers!("10.1-3", "10.4-10");
    let server = asks(|cx| match cx.state::<u32>()? {
        Some(3) => Ok(text("three rounds")),
        rounds => Err(InputRequired::new().with_state(&(rounds.unwrap_or(0) + 1)).into()),
    });
    let mut state = json!({});
    let mut seen = std::collections::BTreeSet::new();
    for _ in 0..3 {
        let sent = round(&server, &json!({}), state);
        let result = sent.result();
        assert_eq!((&result["resultType"], result.get("inputRequests")), (&json!("input_required"), None));
        assert!(seen.insert(result["requestState"].as_str().unwrap().to_owned()), "each round has a state of its own");
        state = json!({"requestState": result["requestState"]});
    }
    assert_eq!(said(&round(&server, &json!({}), state)), "three rounds");
}
