//! §10 Questions to the client, and the state that goes round with them.

use serde_json::{Value, json};

use crate::kit::{CAPS, merge, meta_and};
use crate::peer::{Heard, Peer, on_both, tool_params};

fn round(peer: &mut Peer, tool: &str, arguments: Value, more: Value) -> Heard {
    let mut params = tool_params(tool, arguments);
    merge(&mut params, more);
    peer.call("tools/call", params)
}

fn state(heard: &Heard) -> String {
    assert_eq!(heard.result()["resultType"], "input_required", "{heard:?}");
    heard.result()["requestState"].as_str().unwrap().to_owned()
}

fn answer() -> Value {
    json!({"name": {"action": "accept", "content": {"name": "Z"}}})
}

#[test]
fn case_155_a_state_that_is_not_of_this_request() {
    on_both(|peer| {
        let (a, b) = (json!({"who": "a"}), json!({"who": "b"}));
        let own = state(&round(peer, "ask", a.clone(), json!({})));
        let with = |state: &str| json!({"requestState": state, "inputResponses": answer()});
        for at in [0, 9, own.len() / 2, own.len() - 1] {
            let mut altered = own.clone();
            altered.replace_range(at..=at, if own.as_bytes()[at] == b'A' { "B" } else { "A" });
            is_refused(&round(peer, "ask", a.clone(), with(&altered)));
        }
        for other in ["", "x", &own[1..], &own[..own.len() - 1], &format!("{own}A"), &format!(" {own}"), &own.repeat(2)]
        {
            is_refused(&round(peer, "ask", a.clone(), with(other)));
        }
        is_refused(&round(peer, "ask", b, with(&own)));
        is_refused(&round(peer, "ask", json!({}), with(&own)));
        is_refused(&round(peer, "echo", json!({"text": "x"}), json!({"requestState": own})));
        let prompt = json!({"name": "test_simple_prompt", "requestState": own});
        is_refused(&peer.call("prompts/get", prompt));
        let resource = json!({"uri": "test://static-text", "requestState": own});
        is_refused(&peer.call("resources/read", resource));
        for odd in [json!(5), json!(null), json!({}), json!([own])] {
            round(peer, "ask", a.clone(), json!({"requestState": odd, "inputResponses": answer()}))
                .refused(1, -32602, 400);
        }
        assert_eq!(round(peer, "ask", a, with(&own)).said(), "hello Z");
    });
}

/// One text for all: nothing of the key, of the state, or of what was wrong with it.
fn is_refused(heard: &Heard) {
    heard.refused(1, -32602, 400);
    assert_eq!(heard.answer["error"], json!({"code": -32602, "message": "Invalid or expired request state"}));
}

#[test]
fn case_158_the_shapes_of_answers() {
    on_both(|peer| {
        let first = state(&round(peer, "ask", json!({}), json!({})));
        let next = |peer: &mut Peer, answers: Value| {
            round(peer, "ask", json!({}), json!({"requestState": first, "inputResponses": answers}))
        };
        let mut more = answer();
        merge(&mut more, json!({"extra": {"action": "decline"}}));
        assert_eq!(next(peer, more).said(), "hello Z");
        state(&next(peer, json!({})));
        state(&next(peer, json!({"extra": {"action": "decline"}})));
        state(&round(peer, "ask", json!({}), json!({"requestState": first})));
        for action in ["decline", "cancel"] {
            assert_eq!(next(peer, json!({"name": {"action": action}})).result()["isError"], true);
        }
        for answers in [json!(["x"]), json!("x"), json!(null), json!({"name": "Z"}), json!({"name": null})] {
            next(peer, answers).refused(1, -32602, 400);
        }
        for odd in [
            json!({"name": "Z"}),
            json!({"result": {"action": "accept", "content": {"name": "Z"}}}),
            json!({"action": "accept"}),
            json!({"action": "accept", "content": {}}),
            json!({"action": "accept", "content": {"name": 5}}),
            json!({"action": "agree", "content": {"name": "Z"}}),
        ] {
            state(&next(peer, json!({"name": odd}))); // what does not fit counts as missing: it is asked for again
        }
    });
}

#[test]
fn case_159_a_question_that_the_client_cannot_be_asked() {
    on_both(|peer| {
        for (tool, capability) in [
            ("ask", "elicitation"),
            ("test_input_required_result_sampling", "sampling"),
            ("test_input_required_result_list_roots", "roots"),
        ] {
            for caps in [json!({}), json!({"experimental": {}}), json!({"elicitation": {"url": {}}})] {
                let params = json!({"name": tool, "arguments": {}, "_meta": meta_and(json!({CAPS: caps}))});
                let heard = peer.call("tools/call", params);
                heard.refused(1, -32021, 400);
                let required = &heard.answer["error"]["data"]["requiredCapabilities"];
                assert!(required[capability].is_object(), "{heard:?}");
            }
        }
    });
}
