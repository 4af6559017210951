//! §10.4 requestState between the rounds.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use plain_mcp::arrival::Principal;
use plain_mcp::cancellation::cancellation;
use plain_mcp::types::elicit;
use plain_mcp::{
    Clock, Context, FixedClock, InputRequired, Interrupt, Keyring, Limits, Prompt, PromptMessage, Secret, Server,
    ServerBuilder, Tool, ToolOutput, text,
};
use serde_json::{Value, json};

use crate::kit::{builder, bytes_with, call, merge, request};

use super::*;

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
