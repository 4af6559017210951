//! §10 Multi round-trip requests through the whole corridor; `state.rs` has the tokens by themselves.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use plain_mcp::arrival::Principal;
use plain_mcp::cancellation::cancellation;
use plain_mcp::types::sampling::{self, IncludeContext, ToolChoiceMode};
use plain_mcp::types::{InputRequest, elicit, roots};
use plain_mcp::{
    Clock, Context, Event, FixedClock, InputRequired, Interrupt, Keyring, Limits, Need, NoArgs, Prompt, PromptMessage,
    Resource, Secret, Server, ServerBuilder, Tool, ToolOutput, ToolResult, contents, text,
};
use serde_json::{Value, json};

use crate::kit::{CAPS, REVISION, Sent, VERSION, builder, bytes_with, call, merge, request};

const BAD_STATE: &str = "Invalid or expired request state";

fn secret() -> Secret {
    Secret::from_bytes(*b"0123456789abcdef0123456789abcdef").unwrap()
}

/// Every capability that there is.
fn all() -> Value {
    json!({"elicitation": {"form": {}, "url": {}}, "sampling": {"tools": {}, "context": {}}, "roots": {}})
}

/// One round: a call of the tool `t`, with these capabilities and these further params.
fn round(server: &Server, capabilities: &Value, more: Value) -> Sent {
    let mut params = json!({"name": "t", "_meta": {VERSION: REVISION, CAPS: capabilities}});
    merge(&mut params, more);
    call(server, "tools/call", params)
}

/// A server whose tool `t` is this.
fn asks(run: impl Fn(&Context<'_>) -> ToolResult + Send + Sync + 'static) -> Server {
    asking(builder(), run)
}

fn asking(builder: ServerBuilder, run: impl Fn(&Context<'_>) -> ToolResult + Send + Sync + 'static) -> Server {
    builder.tool(Tool::new("t", "Asks"), move |_: NoArgs, cx| run(cx)).build().unwrap()
}

/// A server whose tool asks just this.
fn asks_this(request: impl Into<InputRequest>) -> Server {
    let request = request.into();
    asks(move |_| Err(InputRequired::new().ask("q", request.clone()).into()))
}

fn name_form() -> elicit::Form {
    elicit::form("Please provide name").string("name").required()
}

fn accept(content: Value) -> Value {
    json!({"action": "accept", "content": content})
}

fn said(sent: &Sent) -> &str {
    assert_eq!(sent.result()["resultType"], "complete", "{sent:?}");
    sent.result()["content"][0]["text"].as_str().unwrap()
}

/// The ids of what is asked.
fn asked(sent: &Sent) -> Vec<&str> {
    assert_eq!(sent.result()["resultType"], "input_required", "{sent:?}");
    sent.result()["inputRequests"].as_object().unwrap().keys().map(String::as_str).collect()
}

/// Every internal cause that the server told its observer.
fn watched(builder: ServerBuilder) -> (ServerBuilder, Arc<Mutex<Vec<String>>>) {
    let causes = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&causes);
    let builder = builder.observer(move |event| {
        if let Event::Cause { cause, .. } = event {
            kept.lock().unwrap().push((*cause).to_owned());
        }
    });
    (builder, causes)
}

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

#[test]
fn capabilities() {
    covers!("10.2-1", "10.2-2", "10.2-3", "10.2-4", "10.2-5");
    let sample = || sampling::message("m", 5);
    let form = || InputRequest::from(name_form());
    let url = || InputRequest::from(elicit::url("m", "https://example.com"));
    let missing = |required: Value| Some(json!({"requiredCapabilities": required}));
    for (request, declared, required) in [
        (form(), json!({"elicitation": {}}), None),
        (form(), json!({"elicitation": {"form": {}}}), None),
        (form(), json!({"elicitation": {"form": {}, "url": {}}}), None),
        (form(), json!({}), missing(json!({"elicitation": {}}))),
        (form(), json!({"sampling": {}, "roots": {}}), missing(json!({"elicitation": {}}))),
        (form(), json!({"elicitation": {"url": {}}}), missing(json!({"elicitation": {"form": {}}}))),
        (url(), json!({"elicitation": {"url": {}}}), None),
        (url(), json!({}), missing(json!({"elicitation": {"url": {}}}))),
        (url(), json!({"elicitation": {}}), missing(json!({"elicitation": {"url": {}}}))),
        (url(), json!({"elicitation": {"form": {}}}), missing(json!({"elicitation": {"url": {}}}))),
        (sample().into(), json!({"sampling": {}}), None),
        (sample().into(), json!({"elicitation": {}}), missing(json!({"sampling": {}}))),
        (sample().include_context(IncludeContext::None).into(), json!({"sampling": {}}), None),
        (sample().include_context(IncludeContext::ThisServer).into(), json!({"sampling": {"context": {}}}), None),
        (
            sample().include_context(IncludeContext::ThisServer).into(),
            json!({"sampling": {}}),
            missing(json!({"sampling": {"context": {}}})),
        ),
        (
            sample().include_context(IncludeContext::AllServers).into(),
            json!({}),
            missing(json!({"sampling": {"context": {}}})),
        ),
        (sample().tool(Tool::new("x", "d")).into(), json!({"sampling": {"tools": {}}}), None),
        (
            sample().tool(Tool::new("x", "d")).into(),
            json!({"sampling": {}}),
            missing(json!({"sampling": {"tools": {}}})),
        ),
        (
            sample().tool_choice(ToolChoiceMode::Auto).into(),
            json!({"sampling": {"context": {}}}),
            missing(json!({"sampling": {"tools": {}}})),
        ),
        (roots::list().into(), json!({"roots": {}}), None),
        (roots::list().into(), json!({"roots": {"listChanged": true}}), None),
        (roots::list().into(), json!({"elicitation": {}, "sampling": {}}), missing(json!({"roots": {}}))),
    ] {
        let sent = round(&asks_this(request), &declared, json!({}));
        match required {
            None => assert_eq!(asked(&sent), ["q"]),
            Some(data) => sent.is_error(-32021, "Missing required client capability", Some(data)),
        }
    }
}

#[test]
fn what_is_missing_is_merged() {
    covers!("10.2-1", "10.2-6");
    let server = asks(|_| {
        Err(InputRequired::new()
            .ask("a", name_form())
            .ask("b", elicit::url("m", "https://example.com"))
            .ask("c", sampling::message("m", 5).tool(Tool::new("x", "d")))
            .ask("d", sampling::message("m", 5).include_context(IncludeContext::AllServers))
            .ask("e", roots::list())
            .into())
    });
    for (declared, required) in [
        (
            json!({}),
            json!({"elicitation": {"form": {}, "url": {}}, "sampling": {"tools": {}, "context": {}}, "roots": {}}),
        ),
        (
            json!({"elicitation": {}}),
            json!({"elicitation": {"url": {}}, "sampling": {"tools": {}, "context": {}}, "roots": {}}),
        ),
        (
            json!({"roots": {}, "sampling": {"tools": {}}, "elicitation": {"form": {}}}),
            json!({"elicitation": {"url": {}}, "sampling": {"context": {}}}),
        ),
        (
            json!({"elicitation": {"url": {}, "form": {}}, "roots": {}, "sampling": {}}),
            json!({"sampling": {"tools": {}, "context": {}}}),
        ),
    ] {
        round(&server, &declared, json!({})).is_error(
            -32021,
            "Missing required client capability",
            Some(json!({"requiredCapabilities": required})),
        );
    }
    // What a client then declares is enough.
    let enough = json!({"elicitation": {"form": {}, "url": {}}, "sampling": {"tools": {}, "context": {}}, "roots": {}});
    assert_eq!(asked(&round(&server, &enough, json!({}))).len(), 5);
}

#[test]
fn a_handler_can_leave_out_what_it_cannot_have() {
    covers!("10.2-7");
    let server = asks(|cx| {
        let mut input = InputRequired::new();
        if cx.supports(Need::ElicitationForm) {
            input = input.ask("name", name_form());
        }
        if cx.supports(Need::Sampling) {
            input = input.ask("greeting", sampling::message("Greet", 50));
        }
        if cx.supports(Need::Roots) {
            input = input.ask("roots", roots::list());
        }
        let none =
            [Need::ElicitationUrl, Need::SamplingTools, Need::SamplingContext].iter().all(|need| !cx.supports(*need));
        if none { Err(input.into()) } else { Ok(text("more than was declared")) }
    });
    for (declared, ids) in [
        (json!({"sampling": {}}), vec!["greeting"]),
        (json!({"elicitation": {}, "roots": {}}), vec!["name", "roots"]),
        (json!({"elicitation": {"form": {}}, "sampling": {}, "roots": {}}), vec!["greeting", "name", "roots"]),
    ] {
        assert_eq!(asked(&round(&server, &declared, json!({}))), ids);
    }
}

#[test]
fn capabilities_are_those_of_this_round() {
    covers!("10.2-1", "2-24");
    let server = asks(|cx| {
        cx.ask("a", name_form())?;
        cx.ask("b", name_form())?;
        Ok(text("done"))
    });
    let declared = json!({"elicitation": {}});
    asked(&round(&server, &declared, json!({})));
    let answers = json!({"inputResponses": {"a": accept(json!({"name": "x"}))}});
    let error = round(&server, &json!({}), answers.clone());
    error.is_error(
        -32021,
        "Missing required client capability",
        Some(json!({"requiredCapabilities": {"elicitation": {}}})),
    );
    assert_eq!(asked(&round(&server, &declared, answers)), ["b"]);
    // An answer needs no capability, only a question does.
    let both = json!({"inputResponses": {"a": accept(json!({"name": "x"})), "b": accept(json!({"name": "y"}))}});
    assert_eq!(said(&round(&server, &json!({}), both)), "done");
}

#[test]
fn admission_of_a_retry() {
    covers!("10.3-1", "10.3-2", "10.3-3", "10.3-12");
    const MAP: &str = "inputResponses must map string IDs to bare result objects";
    const OBJECT: &str = "inputResponses must be an object";
    const STATE: &str = "requestState must be a string";
    let ran = Arc::new(AtomicU64::new(0));
    let counts = || {
        let ran = Arc::clone(&ran);
        move || ran.fetch_add(1, Ordering::Relaxed)
    };
    let (tool, prompt, resource) = (counts(), counts(), counts());
    let server = builder()
        .tool(Tool::new("t", "d"), move |_: NoArgs, _| {
            tool();
            Ok("")
        })
        .prompt(Prompt::new("p", "d"), move |_, _| {
            prompt();
            Ok(PromptMessage::user(""))
        })
        .resource(Resource::new("test://r", "r"), move |_, _| {
            resource();
            Ok(contents::text("", ""))
        })
        .build()
        .unwrap();
    let methods = [
        ("tools/call", json!({"name": "t"})),
        ("prompts/get", json!({"name": "p"})),
        ("resources/read", json!({"uri": "test://r"})),
    ];
    for (method, params) in &methods {
        for (more, text) in [
            (json!({"inputResponses": null}), OBJECT),
            (json!({"inputResponses": []}), OBJECT),
            (json!({"inputResponses": "x"}), OBJECT),
            (json!({"inputResponses": 12345}), OBJECT),
            (json!({"inputResponses": false}), OBJECT),
            (json!({"inputResponses": {"user_name": 12345}}), MAP),
            (json!({"inputResponses": {"user_name": null}}), MAP),
            (json!({"inputResponses": {"user_name": "Alice"}}), MAP),
            (json!({"inputResponses": {"user_name": [{}]}}), MAP),
            (json!({"inputResponses": {"a": {}, "b": true}}), MAP),
            (json!({"requestState": null}), STATE),
            (json!({"requestState": 7}), STATE),
            (json!({"requestState": {}}), STATE),
            (json!({"requestState": ["mrtr1.a.b"]}), STATE),
            (json!({"requestState": ""}), BAD_STATE),
            (json!({"requestState": "mrtr1.a.b"}), BAD_STATE),
            (json!({"requestState": "x".repeat(20_000)}), BAD_STATE),
        ] {
            let mut params = params.clone();
            merge(&mut params, more);
            println!("{method} {params}");
            call(&server, method, params).is_error(-32602, text, None);
        }
    }
    assert_eq!(ran.load(Ordering::Relaxed), 0, "no handler ran");
    for (method, params) in methods {
        let mut params = params;
        merge(&mut params, json!({"inputResponses": {"never asked": {}}}));
        assert_eq!(call(&server, method, params).result()["resultType"], "complete");
    }
    assert_eq!(ran.load(Ordering::Relaxed), 3);
}

#[test]
fn extra_missing_and_wrong_answers() {
    covers!("10.3-4", "10.3-5", "10.3-6");
    let server = asks(|cx| {
        let answers = cx.ask_all([
            ("a", name_form().into()),
            ("b", sampling::message("m", 5).into()),
            ("c", roots::list().into()),
        ])?;
        Ok(text(answers.keys().cloned().collect::<Vec<_>>().join(" ")))
    });
    let a = || accept(json!({"name": "Alice"}));
    let b = || json!({"role": "assistant", "content": {"type": "text", "text": "hi"}, "model": "m"});
    let c = || json!({"roots": []});
    let none: [&str; 0] = [];
    for (responses, missing) in [
        (json!({}), &["a", "b", "c"][..]),
        (json!({"x": {}, "y": a()}), &["a", "b", "c"]),
        (json!({"a": a()}), &["b", "c"]),
        (json!({"a": a(), "c": c(), "x": {}}), &["b"]),
        (json!({"a": {}, "b": b(), "c": c()}), &["a"]),
        (json!({"a": {"action": "maybe"}, "b": b(), "c": c()}), &["a"]),
        (json!({"a": accept(json!({})), "b": b(), "c": c()}), &["a"]), // a required field is missing
        (json!({"a": accept(json!({"name": 7})), "b": b(), "c": c()}), &["a"]),
        (json!({"a": accept(json!({"name": null})), "b": b(), "c": c()}), &["a"]),
        (json!({"a": accept(json!([])), "b": b(), "c": c()}), &["a"]),
        (json!({"a": {"action": "accept"}, "b": b(), "c": c()}), &["a"]),
        (json!({"a": a(), "b": {"role": "assistant"}, "c": {"roots": [{"uri": "https://example.com"}]}}), &["b", "c"]),
        (json!({"a": a(), "b": {"role": "assistant", "content": "hi", "model": "m"}, "c": {}}), &["b", "c"]),
        (json!({"a": b(), "b": c(), "c": a()}), &["a", "b", "c"]),
        (json!({"a": a(), "b": b(), "c": c(), "x": {"any": 1}}), &none[..]),
        (json!({"a": {"action": "decline"}, "b": b(), "c": c()}), &none[..]),
    ] {
        let sent = round(&server, &all(), json!({"inputResponses": responses}));
        if missing.is_empty() {
            assert_eq!(said(&sent), "a b c", "{responses}");
        } else {
            assert_eq!(asked(&sent), missing, "{responses}");
        }
    }
}

#[test]
fn answers_given_are_kept_while_others_are_asked_again() {
    covers!("10.3-5");
    let server = asks(|cx| {
        let answers = cx.ask_all([("a", name_form().into()), ("b", name_form().into())])?;
        Ok(text(format!("{} {}", answers["a"]["content"]["name"], answers["b"]["content"]["name"])))
    });
    let first = round(&server, &all(), json!({"inputResponses": {"a": accept(json!({"name": "Alice"}))}}));
    assert_eq!(asked(&first), ["b"]);
    let more = json!({"inputResponses": {"b": accept(json!({"name": "Bob"}))}, "requestState": first.result()["requestState"]});
    assert_eq!(said(&round(&server, &all(), more)), r#""Alice" "Bob""#);
}

#[test]
fn several_at_once_each_of_its_own_type() {
    covers!("10.3-5", "api-2");
    let server = asks(|cx| {
        let (name, page, model, roots) = cx.ask_all((
            ("name", name_form()),
            ("page", elicit::url("m", "https://example.com")),
            ("model", sampling::message("m", 5)),
            ("roots", roots::list()),
        ))?;
        Ok(text(format!("{} {page:?} {} {}", name.str("name")?, model.model, roots.roots.len())))
    });
    let (name, page) = (accept(json!({"name": "Alice"})), json!({"action": "accept"}));
    let model = json!({"role": "assistant", "content": {"type": "text", "text": "t"}, "model": "m"});
    assert_eq!(asked(&round(&server, &all(), json!({}))), ["model", "name", "page", "roots"]);
    let first = round(&server, &all(), json!({"inputResponses": {"page": page, "model": {"role": "assistant"}}}));
    assert_eq!(asked(&first), ["model", "name", "roots"]);
    let rest = json!({"name": name, "model": model, "roots": {"roots": []}});
    let more = json!({"inputResponses": rest, "requestState": first.result()["requestState"]});
    assert_eq!(said(&round(&server, &all(), more)), "Alice Accept m 0");
}

#[test]
fn the_same_can_be_asked_again() {
    covers!("10.1-10");
    // The handler does not like the answer, and asks under the same id: the new answer counts, whatever else is carried along.
    let server = asks(|cx| {
        let name = cx.ask("name", name_form())?;
        cx.ask("sure", elicit::form("Sure?"))?;
        if name.str("name")? == "Alice" {
            return Err(InputRequired::new().ask("name", name_form()).into());
        }
        Ok(text(name.str("name")?))
    });
    let (alice, sure) = (accept(json!({"name": "Alice"})), accept(json!({})));
    let mut sent = round(&server, &all(), json!({"inputResponses": {"name": alice, "sure": sure}}));
    for _ in 0..2 {
        assert_eq!(asked(&sent), ["name"]);
        let more = json!({"inputResponses": {"name": alice}, "requestState": sent.result()["requestState"]});
        sent = round(&server, &all(), more);
    }
    let more = json!({"inputResponses": {"name": accept(json!({"name": "Bob"}))}, "requestState": sent.result()["requestState"]});
    assert_eq!(said(&round(&server, &all(), more)), "Bob");
}

#[test]
fn decline_and_cancel() {
    covers!("10.3-8");
    let server = asks(|cx| {
        let answer = cx.ask("q", name_form())?;
        let page = cx.ask("u", elicit::url("m", "https://example.com"))?;
        Ok(text(format!("{:?} {} {page:?}", answer.action(), answer.content().len())))
    });
    for (answer, expected) in [
        (json!({"action": "decline"}), "Decline 0 Accept"),
        (json!({"action": "cancel"}), "Cancel 0 Accept"),
        (json!({"action": "decline", "content": {"name": "x"}}), "Decline 0 Accept"),
        (json!({"action": "decline", "content": null}), "Decline 0 Accept"),
        (json!({"action": "cancel", "content": {"name": {}}, "_meta": {}}), "Cancel 0 Accept"),
        (accept(json!({"name": "x", "more": [""]})), "Accept 2 Accept"),
    ] {
        let sent = round(&server, &all(), json!({"inputResponses": {"q": answer, "u": {"action": "accept"}}}));
        assert_eq!(said(&sent), expected);
    }
    // A handler that asks for a field of an answer that was declined fails, so that the model hears of it.
    let server = asks(|cx| Ok(text(cx.ask("q", name_form())?.str("name")?)));
    for (action, why) in [("decline", "The user declined to answer."), ("cancel", "The user cancelled the question.")] {
        let sent = round(&server, &all(), json!({"inputResponses": {"q": {"action": action}}}));
        assert_eq!((said(&sent), &sent.result()["isError"]), (why, &json!(true)));
    }
}

#[test]
fn answers_of_every_kind() {
    covers!("10.3-9", "10.3-10", "10.3-11");
    let server = asks(|cx| {
        let form = elicit::form("m").string("s").integer("i").number("n").boolean("b").multi_choice("l", ["x", "y"]);
        let form = cx.ask("form", form)?;
        let model = cx.ask("model", sampling::message("m", 5))?;
        let roots = cx.ask("roots", roots::list())?;
        let first = roots.roots.first().map(|root| (root.uri.as_str(), root.name.as_deref()));
        Ok(text(format!(
            "{} {} {} {} {:?} | {:?} {} {:?} {} | {first:?}",
            form.str("s")?,
            form.i64("i")?,
            form.f64("n")?,
            form.bool("b")?,
            form.list("l")?,
            model.text(),
            model.model,
            model.stop_reason,
            model.content.blocks().len(),
        )))
    });
    let form = accept(json!({"s": "ü", "i": -3, "n": 0.25, "b": true, "l": ["y", "x"]}));
    let one = json!({"role": "assistant", "content": {"type": "text", "text": "Hello there!"}, "model": "test-model", "stopReason": "endTurn"});
    let two = json!({"role": "assistant", "content": [{"type": "text", "text": "a"}, {"type": "image", "data": "AA==", "mimeType": "image/png"}], "model": "m"});
    let roots = json!({"roots": [{"uri": "file:///test/root", "name": "Test Root"}, {"uri": "file:///b"}]});
    for (model, roots, expected) in [
        (
            &one,
            &roots,
            r#"ü -3 0.25 true ["y", "x"] | Some("Hello there!") test-model Some("endTurn") 1 | Some(("file:///test/root", Some("Test Root")))"#,
        ),
        (
            &two,
            &json!({"roots": [{"uri": "file:///b"}]}),
            r#"ü -3 0.25 true ["y", "x"] | Some("a") m None 2 | Some(("file:///b", None))"#,
        ),
        (&two, &json!({"roots": []}), r#"ü -3 0.25 true ["y", "x"] | Some("a") m None 2 | None"#),
    ] {
        let sent = round(&server, &all(), json!({"inputResponses": {"form": form, "model": model, "roots": roots}}));
        assert_eq!(said(&sent), expected);
    }
}

/// Asks three things, one after another.
fn interview(cx: &Context<'_>) -> ToolResult {
    let name = cx.ask("step1", name_form())?;
    let color = cx.ask("step2", elicit::form("Color?").string("color").required())?;
    let sure = cx.ask("step3", elicit::form("Sure?").boolean("ok").required())?;
    Ok(text(format!("{} {} {}", name.str("name")?, color.str("color")?, sure.bool("ok")?)))
}

#[test]
fn one_after_another() {
    covers!("10.1-10", "10.4-10", "10.3-7");
    let servers = [asking(builder().secret(secret()), interview), asking(builder().secret(secret()), interview)];
    let mut states = Vec::new();
    let mut state = Value::Null;
    // Each round goes to another process, and brings only the answer that was asked last.
    for (at, (answer, ids)) in [
        (json!({}), vec!["step1"]),
        (json!({"step1": accept(json!({"name": "Alice"}))}), vec!["step2"]),
        (json!({"step2": accept(json!({"color": "blue"}))}), vec!["step3"]),
    ]
    .into_iter()
    .enumerate()
    {
        let mut more = json!({"inputResponses": answer});
        if !state.is_null() {
            merge(&mut more, json!({"requestState": state}));
        }
        let sent = round(&servers[at % 2], &all(), more);
        assert_eq!(asked(&sent), ids);
        state = sent.result().get("requestState").cloned().unwrap_or_default();
        states.push(state.clone());
    }
    assert!(states[0].is_null() && !states[1].is_null() && states[1] != states[2]);
    let last = json!({"inputResponses": {"step3": accept(json!({"ok": true}))}, "requestState": state});
    assert_eq!(said(&round(&servers[1], &all(), last)), "Alice blue true");
    // The state of the round before knows less: the question is asked again.
    let early = json!({"inputResponses": {"step3": accept(json!({"ok": true}))}, "requestState": states[1]});
    assert_eq!(asked(&round(&servers[0], &all(), early)), ["step2"]);
}

#[test]
fn a_state_of_the_authors() {
    covers!("10.1-10", "10.4-1");
    #[derive(serde::Serialize, serde::Deserialize)]
    struct Order {
        item: String,
        count: u32,
    }
    let server = asks(|cx| {
        if let Some(order) = cx.state::<Order>()? {
            let sure = cx.ask("sure", elicit::form("Sure?"))?;
            return Ok(text(format!("{} {} {}", order.count, order.item, sure.accepted())));
        }
        cx.keep(&Order { item: "none".into(), count: 0 });
        cx.keep(&Order { item: "tea".into(), count: 2 });
        cx.ask("sure", elicit::form("Sure?")).map(|_| text("without a state"))
    });
    let first = round(&server, &all(), json!({}));
    let state = &first.result()["requestState"];
    let answers = json!({"sure": {"action": "accept", "content": {}}});
    let second = round(&server, &all(), json!({"requestState": state, "inputResponses": answers}));
    assert_eq!(said(&second), "2 tea true", "what was kept last counts");
    assert_eq!(said(&round(&server, &all(), json!({"inputResponses": answers}))), "without a state");
    // The client may have dropped the answer: it is asked again.
    assert_eq!(asked(&round(&server, &all(), json!({"requestState": state}))), ["sure"]);

    let server = asks(|cx| match cx.state::<String>()? {
        None => Err(InputRequired::new().with_state(&7).into()),
        Some(state) => Ok(text(state)),
    });
    let state = round(&server, &all(), json!({})).result()["requestState"].clone();
    round(&server, &all(), json!({"requestState": state})).is_error(-32602, BAD_STATE, None);
}

/// A tool that needs its state, on a server of this make.
fn stateful(builder: ServerBuilder) -> Server {
    let run = |cx: &Context<'_>| match cx.state::<u32>()? {
        Some(state) => Ok(text(state.to_string())),
        None => Err(Interrupt::from(InputRequired::new().with_state(&42))),
    };
    builder
        .tool(Tool::new("t", "d"), move |_: Value, cx| run(cx))
        .tool(Tool::new("u", "d"), move |_: Value, cx| run(cx))
        .prompt(Prompt::new("t", "d").optional_arg("a"), move |_, cx| run(cx).map(|_| PromptMessage::user("ok")))
        .build()
        .unwrap()
}

fn token(server: &Server, params: &Value) -> String {
    let sent = call(server, "tools/call", params.clone());
    sent.result()["requestState"].as_str().unwrap_or_else(|| panic!("{sent:?}")).to_owned()
}

#[test]
fn bound_to_the_request() {
    covers!("10.4-1", "10.4-5");
    let server = stateful(builder());
    let params = json!({"name": "t", "arguments": {"a": 1, "b": [2]}});
    let token = token(&server, &params);
    for (method, params, good) in [
        ("tools/call", params.clone(), true),
        ("tools/call", json!({"name": "t", "arguments": {"b": [2], "a": 1}, "inputResponses": {"x": {}}}), true),
        ("tools/call", json!({"name": "t", "arguments": {"a": 1, "b": [3]}}), false),
        ("tools/call", json!({"name": "t", "arguments": {"a": 1}}), false),
        ("tools/call", json!({"name": "t"}), false),
        ("tools/call", json!({"name": "u", "arguments": {"a": 1, "b": [2]}}), false),
        ("prompts/get", json!({"name": "t"}), false),
    ] {
        let mut with = params.clone();
        merge(&mut with, json!({"requestState": token}));
        let sent = call(&server, method, with);
        if good {
            assert_eq!(said(&sent), "42", "{params}");
        } else {
            sent.is_error(-32602, BAD_STATE, None);
        }
    }
    for spoilt in [
        format!("{token}-TAMPERED"),
        format!("{token} "),
        token.replace("mrtr1", "mrtr2"),
        token[1..].to_owned(),
        token.to_uppercase(),
    ] {
        let mut with = params.clone();
        merge(&mut with, json!({"requestState": spoilt}));
        call(&server, "tools/call", with).is_error(-32602, BAD_STATE, None);
    }
}

#[test]
fn bound_to_the_principal() {
    covers!("10.4-5");
    let server = stateful(builder());
    let (alice, bob) = (Principal("alice".into()), Principal("bob".into()));
    let (_source, cancel) = cancellation();
    let send = |params: Value, who: Option<&Principal>| {
        bytes_with(&server, request("tools/call", params).to_string().as_bytes(), who, &cancel)
    };
    for owner in [None, Some(&alice)] {
        let token = send(json!({"name": "t"}), owner).result()["requestState"].clone();
        for caller in [None, Some(&alice), Some(&bob)] {
            let sent = send(json!({"name": "t", "requestState": token}), caller);
            if caller == owner {
                assert_eq!(said(&sent), "42");
            } else {
                sent.is_error(-32602, BAD_STATE, None);
            }
        }
    }
}

/// A clock that a test can set.
#[derive(Clone, Default)]
struct Hands(Arc<AtomicU64>);

impl Hands {
    fn at(&self, now: u64) {
        self.0.store(now, Ordering::Relaxed);
    }
}

impl Clock for Hands {
    fn now(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    fn monotonic(&self) -> Duration {
        Duration::ZERO
    }
}

#[test]
fn time_to_live() {
    covers!("10.4-6");
    for (limits, life) in [
        (Limits::default(), 300),
        (Limits { state_ttl: Duration::from_secs(10), ..Limits::default() }, 10),
        (Limits { state_ttl: Duration::from_secs(900), ..Limits::default() }, 900),
    ] {
        let clock = Hands::default();
        clock.at(5000);
        let server = stateful(builder().clock(clock.clone()).limits(limits));
        let token = token(&server, &json!({"name": "t"}));
        for (now, good) in
            [(5000, true), (5000 + life - 1, true), (5000 + life, false), (u64::MAX, false), (5000, true), (1, false)]
        {
            clock.at(now);
            let sent = call(&server, "tools/call", json!({"name": "t", "requestState": token}));
            if good {
                assert_eq!(said(&sent), "42");
            } else {
                sent.is_error(-32602, BAD_STATE, None);
            }
        }
    }
    for ttl in [Duration::ZERO, Duration::from_millis(999), Duration::from_secs(901)] {
        let error = builder().limits(Limits { state_ttl: ttl, ..Limits::default() }).build().unwrap_err();
        assert_eq!(error.problems, ["limits: state_ttl must lie between 1 s and state_ttl_max"]);
    }
}

#[test]
fn keys_rotate_between_rounds() {
    covers!("10.4-3", "10.3-7");
    let key = |byte| Secret::from_bytes([byte; 32]).unwrap();
    let ring = Keyring::new("k1", key(1)).unwrap();
    let rotated = ring.clone().rotate("k2", key(2)).unwrap();
    let retired = rotated.clone().retire("k1").unwrap();
    let [before, between, after] = [ring, rotated, retired].map(|ring| stateful(builder().keyring(ring)));
    let other = stateful(builder().keyring(Keyring::new("k1", key(9)).unwrap()));
    let (old, new) = (token(&before, &json!({"name": "t"})), token(&between, &json!({"name": "t"})));
    assert!(old.starts_with("mrtr2.k1.") && new.starts_with("mrtr2.k2."));
    for (server, token, good) in [
        (&before, &old, true),
        (&before, &new, false),
        (&between, &old, true),
        (&between, &new, true),
        (&after, &old, false),
        (&after, &new, true),
        (&other, &old, false),
        (&stateful(builder()), &old, false),
    ] {
        let sent = call(server, "tools/call", json!({"name": "t", "requestState": token}));
        if good {
            assert_eq!(said(&sent), "42");
        } else {
            sent.is_error(-32602, BAD_STATE, None);
        }
    }
}

#[test]
fn another_secret() {
    covers!("10.4-1", "10.4-8");
    // Without a secret each server draws its own.
    let (one, two) = (stateful(builder()), stateful(builder()));
    let params = json!({"name": "t"});
    let token = token(&one, &params);
    let with = json!({"name": "t", "requestState": token});
    assert_eq!(said(&call(&one, "tools/call", with.clone())), "42");
    call(&two, "tools/call", with).is_error(-32602, BAD_STATE, None);
    assert!(Secret::from_bytes([7; 31]).is_err());
}

#[test]
fn byte_for_byte() {
    covers!("api-9", "10.4-2");
    let made = || stateful(builder().secret(secret()).clock(FixedClock(1_000_000)));
    let params = json!({"name": "t", "arguments": {"a": 1}});
    assert_eq!(token(&made(), &params), token(&made(), &params));
    let later = stateful(builder().secret(secret()).clock(FixedClock(1_000_001)));
    assert_ne!(token(&made(), &params), token(&later, &params));
}

#[test]
fn too_large_a_state() {
    covers!("10.4-7");
    let (builder, causes) = watched(builder());
    let server = asking(builder, |_| Err(InputRequired::new().with_state(&"x".repeat(20_000)).into()));
    round(&server, &all(), json!({})).is_error(-32603, "Internal error", None);
    let causes = causes.lock().unwrap();
    assert!(causes.len() == 1 && causes[0].ends_with("exceeds 16384 bytes"), "{causes:?}");
}

#[test]
fn a_retry_is_a_request_like_any_other() {
    covers!("10.3-7");
    // Its arguments are checked again, and its tool may be gone.
    let server = stateful(builder());
    let state = token(&server, &json!({"name": "t"}));
    server.edit(|edit| edit.remove_tool("t")).unwrap();
    let sent = call(&server, "tools/call", json!({"name": "t", "requestState": state}));
    sent.is_error(-32602, "Unknown tool: t", None);
    assert_eq!(
        said(&round(&asks(|_| Ok(ToolOutput::from("plain"))), &json!({}), json!({"inputResponses": {}}))),
        "plain"
    );
}
