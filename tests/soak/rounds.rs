//! Requests that take more than one round: forms, the client's model, its roots, states.

use serde_json::{Value, json};

use crate::ask::Ask;
use crate::random::Random;

/// The first round of one of them.
pub fn pick(random: &mut Random) -> Ask {
    random.pick(&[form, model, roots, state, tampered, three, two, named, declined, read, prompt])(random)
}

fn tool(part: &str) -> Ask {
    Ask::tool("rounds", &["test_input_required_result_", part].concat(), json!({}))
}

fn form_of(message: &str, name: &str, kind: &str) -> Value {
    let schema = json!({"type": "object", "properties": {name: {"type": kind}}, "required": [name]});
    json!({"method": "elicitation/create", "params": {"mode": "form", "message": message, "requestedSchema": schema}})
}

fn sampling(text: &str, tokens: i64) -> Value {
    let messages = json!([{"role": "user", "content": {"type": "text", "text": text}}]);
    json!({"method": "sampling/createMessage", "params": {"messages": messages, "maxTokens": tokens}})
}

fn accept(content: Value) -> Value {
    json!({"action": "accept", "content": content})
}

fn model_says(text: &str) -> Value {
    json!({"role": "assistant", "content": {"type": "text", "text": text}, "model": "m", "stopReason": "endTurn"})
}

fn a_name(random: &mut Random) -> String {
    format!("N{}", random.text(&["a", "é", "\"", "日"], 20))
}

fn form(random: &mut Random) -> Ask {
    let name = a_name(random);
    let asked = json!({"user_name": form_of("Please provide name", "name", "string")});
    let ask = if random.below(2) == 0 {
        tool("elicitation")
    } else {
        Ask::tool("rounds", "test_streaming_elicitation", json!({}))
    };
    let hello = format!("Hello, {name}!");
    ask.asks(asked, false).round(json!({"user_name": accept(json!({"name": name}))}), move |ask| ask.text(&hello))
}

fn declined(_: &mut Random) -> Ask {
    let asked = json!({"user_name": form_of("Please provide name", "name", "string")});
    let answers = json!({"user_name": {"action": "decline"}});
    tool("elicitation").asks(asked, false).round(answers, |ask| ask.fails("The user declined to answer."))
}

fn model(random: &mut Random) -> Ask {
    let answer = a_name(random);
    let asked = json!({"capital_question": sampling("What is the capital of France?", 100)});
    let text = format!("The model answered: {answer}");
    tool("sampling")
        .asks(asked, false)
        .round(json!({"capital_question": model_says(&answer)}), move |ask| ask.text(&text))
}

fn roots(_: &mut Random) -> Ask {
    let asked = json!({"client_roots": {"method": "roots/list", "params": {}}});
    let answers = json!({"client_roots": {"roots": [{"uri": "file:///a"}, {"uri": "file:///b", "name": "B"}]}});
    let text = "The client's roots: file:///a, file:///b";
    tool("list_roots").asks(asked, false).round(answers, move |ask| ask.text(text))
}

fn confirm() -> Value {
    json!({"confirm": form_of("Please confirm", "ok", "boolean")})
}

fn state(random: &mut Random) -> Ask {
    let ok = random.below(2) == 0;
    let text = format!("state-ok: ok is {ok}");
    let answers = json!({"confirm": accept(json!({"ok": ok}))});
    tool("request_state").asks(confirm(), true).round(answers, move |ask| ask.text(&text))
}

fn tampered(_: &mut Random) -> Ask {
    let answers = json!({"confirm": accept(json!({"ok": true}))});
    tool("tampered_state").asks(confirm(), true).round(answers, |mut ask| {
        let state = format!("{}-TAMPERED", ask.params["requestState"].as_str().unwrap());
        ask.params["requestState"] = state.into();
        ask.refused(400, -32602, "Invalid or expired request state")
    })
}

fn three(random: &mut Random) -> Ask {
    let name = a_name(random);
    let asked = json!({
        "user_name": form_of("Please provide name", "name", "string"),
        "greeting": sampling("Generate a greeting", 50),
        "client_roots": {"method": "roots/list", "params": {}},
    });
    let answers = json!({
        "user_name": accept(json!({"name": name})),
        "greeting": model_says("Hello there!"),
        "client_roots": {"roots": [{"uri": "file:///a"}]},
    });
    let text = format!("Hello there! {name}, your roots: file:///a");
    tool("multiple_inputs").asks(asked, true).round(answers, move |ask| ask.text(&text))
}

fn two(random: &mut Random) -> Ask {
    let name = a_name(random);
    let first = json!({"step1": form_of("Step 1: What is your name?", "name", "string")});
    let second = json!({"step2": form_of("Step 2: What is your favorite color?", "color", "string")});
    let text = format!("{name} likes blue");
    tool("multi_round").asks(first, true).round(json!({"step1": accept(json!({"name": name}))}), move |ask| {
        ask.asks(second, true).round(json!({"step2": accept(json!({"color": "blue"}))}), move |ask| ask.text(&text))
    })
}

/// A state counts for the arguments that it was made for.
fn named(random: &mut Random) -> Ask {
    let (name, other) = (a_name(random), random.below(3) == 0);
    let asked = json!({"name": form_of("What is your name?", "name", "string")});
    let text = format!("hello {name}");
    let ask = Ask::tool("rounds", "ask", json!({"who": "a"})).asks(asked, true);
    ask.round(json!({"name": accept(json!({"name": name}))}), move |mut ask| {
        if other {
            ask.params["arguments"]["who"] = "b".into();
            return ask.refused(400, -32602, "Invalid or expired request state");
        }
        ask.text(&text)
    })
}

fn context() -> (Value, Value) {
    let asked = json!({"user_context": form_of("Please provide context", "context", "string")});
    (asked, json!({"user_context": accept(json!({"context": "test context"}))}))
}

fn read(_: &mut Random) -> Ask {
    let (uri, (asked, answers)) = ("z-mrtr://input-required-preview", context());
    let contents = json!([{"uri": uri, "mimeType": "text/plain", "text": "Context: test context"}]);
    Ask::new("rounds", "resources/read", json!({"uri": uri}))
        .asks(asked, false)
        .round(answers, move |ask| ask.gives(json!({"contents": contents, "ttlMs": 0, "cacheScope": "private"})))
}

fn prompt(_: &mut Random) -> Ask {
    let (name, (asked, answers)) = ("test_input_required_result_prompt", context());
    let content = json!({"type": "text", "text": "Use this context: test context"});
    Ask::new("rounds", "prompts/get", json!({"name": name}))
        .asks(asked, false)
        .round(answers, move |ask| ask.gives(json!({"messages": [{"role": "user", "content": content}]})))
}
