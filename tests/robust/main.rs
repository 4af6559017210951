//! Whatever bytes come in, out comes a well-formed answer or silence, never a panic. Good messages of every kind are spoiled in
//! seeded ways and sent through envelope and server, through the HTTP exchange, and through a stdio connection. What comes
//! back is checked against the official schema where that is at hand, and against a second, simpler reading of the bytes.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::as_conversions)]
#![allow(clippy::string_slice, missing_docs, unreachable_pub, dead_code)]

#[macro_use]
#[path = "../support/ids.rs"]
mod ids;
#[cfg(feature = "http")]
#[path = "../spec/corridor.rs"]
mod corridor;
#[path = "../support/kit.rs"]
mod kit;
#[path = "../support/random.rs"]
mod random;
#[path = "../support/wire_schema.rs"]
mod wire_schema;

mod messages;
mod spoil;

use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use plain_mcp::{Server, stdio};
use serde_json::{Value, json};

use crate::messages::{good, server};
use crate::random::Random;
use crate::spoil::spoiled;

/// The codes that a message can bring about here: none of the retired ones, and no internal error.
const CODES: [i64; 6] = [-32700, -32600, -32601, -32602, -32021, -32022];

/// What the simpler reading expects.
enum Due {
    Silence,
    /// An answer with this id, or with null where the bytes name it twice.
    Answer(Value),
}

fn due(bytes: &[u8]) -> Due {
    let text = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let Ok(Value::Object(message)) = serde_json::from_slice(text) else { return Due::Answer(Value::Null) };
    let (method, id) = (message.get("method"), message.get("id"));
    if method.is_none() && (message.contains_key("result") || message.contains_key("error")) {
        return Due::Silence;
    }
    match id {
        None if method.is_some_and(Value::is_string) => Due::Silence,
        Some(Value::String(text)) if text.len() <= 256 => Due::Answer(json!(text)),
        Some(Value::Number(number)) if number.is_i64() => Due::Answer(json!(number)),
        Some(zero) if zero.as_f64() == Some(0.0) && zero.to_string().starts_with('-') => Due::Answer(json!(0)),
        _ => Due::Answer(Value::Null),
    }
}

/// An answer is a result, or an error with one of the codes, and has the id that is due.
fn judge(bytes: &[u8], answer: Option<&Value>, codes: &[i64]) {
    let shown = String::from_utf8_lossy(&bytes[..bytes.len().min(2000)]);
    match (due(bytes), answer) {
        (Due::Silence, None) => {}
        (Due::Answer(id), Some(answer)) => {
            let twice = answer["error"] == json!({"code": -32600, "message": "Invalid Request"});
            assert!(answer["id"] == id || (twice && answer["id"].is_null()), "{shown}\n{answer}");
            let code = answer["error"]["code"].as_i64();
            assert!(
                answer["result"].is_object() || code.is_some_and(|code| codes.contains(&code)),
                "{shown}\n{answer}"
            );
        }
        (Due::Silence, Some(answer)) => panic!("answered: {shown}\n{answer}"),
        (Due::Answer(_), None) => panic!("not answered: {shown}"),
    }
}

/// Nothing inside has failed, and the server still serves.
fn unharmed(server: &Server, causes: &Mutex<Vec<String>>) {
    assert_eq!(*causes.lock().unwrap(), Vec::<String>::new());
    for message in good() {
        judge(message.as_bytes(), kit::bytes(server, message.as_bytes()).answer.as_ref(), &CODES);
    }
}

#[test]
fn good_messages_are_good() {
    let (server, causes) = server();
    for message in good() {
        let sent = kit::bytes(&server, message.as_bytes());
        assert!(sent.answer.as_ref().is_none_or(|answer| answer.get("error").is_none()), "{message}\n{sent:?}");
    }
    unharmed(&server, &causes);
}

#[test]
fn any_bytes_are_answered_or_ignored() {
    covers!("1-6", "1-7", "1-10", "1-11", "3-4", "12-12");
    let (server, causes) = server();
    for seed in 0..6000 {
        let bytes = spoiled(&mut Random(seed), &good());
        judge(&bytes, kit::bytes(&server, &bytes).answer.as_ref(), &CODES);
    }
    unharmed(&server, &causes);
}

#[test]
fn every_truncation_is_answered_or_ignored() {
    covers!("12-1");
    let (server, causes) = server();
    for message in good() {
        for end in 0..message.len() {
            let sent = kit::bytes(&server, &message.as_bytes()[..end]);
            assert_eq!(
                sent.answer.unwrap(),
                json!({"jsonrpc": "2.0", "id": null, "error": {"code": -32700, "message": "Parse error"}})
            );
        }
    }
    unharmed(&server, &causes);
}

#[test]
fn every_member_can_be_missing_or_of_any_kind() {
    covers!("1-10", "12-12");
    let (server, causes) = server();
    for message in good() {
        for bytes in spoil::every_member(&message) {
            judge(&bytes, kit::bytes(&server, &bytes).answer.as_ref(), &CODES);
        }
    }
    unharmed(&server, &causes);
}

#[cfg(feature = "http")]
#[test]
fn any_body_is_answered_over_http() {
    covers!("12-12", "8.3-2");
    use crate::corridor::{Post, exchange};
    let (server, causes) = server();
    let exchange = exchange(&server);
    let codes = [&CODES[..], &[-32020]].concat();
    for seed in 10_000..13_000 {
        let mut random = Random(seed);
        let message = random.pick(&good()).clone();
        let mut post = Post::of(&serde_json::from_str(&message).unwrap());
        post.body = spoiled(&mut random, &[message]);
        let seen = post.to(&exchange);
        assert!(seen.ended);
        let answer = match (seen.status, seen.streamed) {
            (200, true) => Some(seen.events().pop().unwrap()),
            (202, _) => None,
            (400, _) if seen.body().is_empty() => None, // a malformed notification
            (200 | 400 | 404, false) => Some(seen.json()),
            (status, _) => panic!("{status}: {seen:?}"),
        };
        if seen.status != 200 {
            assert!(answer.as_ref().is_none_or(|answer| answer.get("error").is_some()), "{seen:?}");
        }
        judge(&post.body, answer.as_ref(), &codes);
    }
    unharmed(&server, &causes);
}

/// Where a connection writes to.
#[derive(Clone, Default)]
struct Output(Arc<Mutex<Vec<u8>>>);

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn any_lines_are_answered_or_ignored_on_stdio() {
    covers!("14-4", "12-12");
    let (server, causes) = server();
    for seed in 20_000..20_020 {
        let mut random = Random(seed);
        let lines: Vec<Vec<u8>> = (0..50).map(|_| spoiled(&mut random, &good())).collect();
        let output = Output::default();
        stdio::serve_on(&server, io::Cursor::new(lines.join(&b'\n')), output.clone()).unwrap();
        let written = output.0.lock().unwrap().clone();
        for line in String::from_utf8(written).unwrap().lines() {
            let message: Value = serde_json::from_str(line).unwrap();
            wire_schema::message("", &message);
            let code = message["error"]["code"].as_i64();
            assert!(code.is_none_or(|code| CODES.contains(&code)), "{line}");
        }
    }
    unharmed(&server, &causes);
}
