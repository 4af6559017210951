//! §10.3 The rounds after the first.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use plain_mcp::types::sampling::{self};
use plain_mcp::types::{elicit, roots};
use plain_mcp::{Context, InputRequired, NoArgs, Prompt, PromptMessage, Resource, Tool, ToolResult, contents, text};
use serde_json::{Value, json};

use crate::kit::{builder, call, merge};

use super::*;

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
