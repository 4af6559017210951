//! §10.2 What a request needs of its client.

use plain_mcp::types::sampling::{self, IncludeContext, ToolChoiceMode};
use plain_mcp::types::{InputRequest, elicit, roots};
use plain_mcp::{InputRequired, Need, Tool, text};
use serde_json::{Value, json};

use super::*;

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
