//! §1 Bodies that are JSON, or nearly, and wear a reader down. `pipes` sends the same messages over stdio.

use serde_json::{Value, json};

use super::victim::{Victim, echoed, is_served};
use super::{calling, json_of, post_body, refusal};

const NOT_JSON: (i64, &str) = (-32700, "Parse error");
const TWICE: (i64, &str) = (-32600, "Invalid Request");
const NO_ID: (i64, &str) = (-32600, "Request id must be a string of at most 256 bytes or an int64 integer");
const TOO_MANY: (i64, &str) = (-32600, "Message has too many values");

/// A message, and the error with which it is refused; the id is that of the message where it could be read.
pub struct Bad {
    pub message: String,
    pub answer: Value,
}

fn bad(message: String, (code, text): (i64, &str)) -> Bad {
    Bad { message, answer: refusal(code, text) }
}

/// The call of `echo` with this in place of its text.
fn with(text: &str) -> String {
    calling("echo", &json!({"text": "HERE"})).to_string().replace("\"HERE\"", text)
}

fn with_id(id: &str) -> String {
    let message = with("\"x\"");
    assert!(message.contains("\"id\":1,"));
    message.replace("\"id\":1,", &format!("\"id\":{id},"))
}

pub fn bad_messages() -> Vec<Bad> {
    let deep = |open: &str, inner: &str, close: &str, depth: usize| open.repeat(depth) + inner + &close.repeat(depth);
    let mut all = vec![
        // nesting, in what is closed and in what is not
        bad(deep("[", "", "]", 129), NOT_JSON),
        bad(deep("[", "", "]", 2_000_000), NOT_JSON),
        bad("[".repeat(4_000_000), NOT_JSON),
        bad(deep("{\"a\":", "1", "}", 500_000), NOT_JSON),
        bad("{\"a\":[".repeat(600_000), NOT_JSON),
        bad(with(&deep("[", "1", "]", 126)), NOT_JSON),
        bad(with(&deep("[{\"a\":", "1", "}]", 100_000)), NOT_JSON),
        // numbers
        bad(with("1e999"), NOT_JSON),
        bad(with("-1e99999999999999999999999"), NOT_JSON),
        bad(with(&"9".repeat(1_000_000)), NOT_JSON),
        bad(with("01"), NOT_JSON),
        bad(with("NaN"), NOT_JSON),
        bad(with("-Infinity"), NOT_JSON),
        bad(with_id("1e999"), NOT_JSON),
        bad(with_id(&"1".repeat(300)), NO_ID),
        bad(with_id("9223372036854775808"), NO_ID),
        bad(with_id("1.5"), NO_ID),
        bad(with_id(&format!("\"{}\"", "i".repeat(257))), NO_ID),
        // surrogates that have lost each other
        bad(with(r#""\ud800""#), NOT_JSON),
        bad(with(r#""\udc00""#), NOT_JSON),
        bad(with(r#""\ud800\ud800""#), NOT_JSON),
        bad(with(r#""\ud800x""#), NOT_JSON),
        bad(with(r#"{"\udfff":1}"#), NOT_JSON),
        bad(with_id(r#""\ud83d""#), NOT_JSON),
        // too much of it
        bad(format!("[{}]", vec!["0"; 1_500_000].join(",")), TOO_MANY),
        bad(with(&format!("[{}]", vec!["{}"; 200_000].join(","))), TOO_MANY),
        bad(with(&format!("[{}]", vec!["[]"; 1_000_000].join(","))), TOO_MANY),
        // batches, and what is no message at all
        bad("[]".to_owned(), TWICE),
        bad(format!("[{0},{0}]", with("\"x\"")), TWICE),
        bad("null".to_owned(), TWICE),
        bad("\"text\"".to_owned(), TWICE),
    ];
    // a key that is there twice: the id is known
    let twice = json!({"jsonrpc": "2.0", "id": 1, "error": {"code": TWICE.0, "message": TWICE.1}});
    for text in [
        r#"{"a":1,"a":2}"#,
        r#"{"a":1,"\u0061":2}"#,
        r#"[[[{"":0,"":0}]]]"#,
        &format!("{{{}}}", vec!["\"a\":1"; 90_000].join(",")),
        r#""x","text":"y""#,
    ] {
        all.push(Bad { message: with(text), answer: twice.clone() });
    }
    all
}

/// As deep, as large and as strange as is allowed: these are served.
pub fn good_messages() -> Vec<(String, Value)> {
    let long = "ä".repeat(1_900_000);
    let strange = "\0\u{1}\u{7f}\u{85}\u{2028}\u{feff}\u{fffe}\u{10ffff}😀";
    let mut deep = calling("echo", &json!({"text": "deep", "more": "HERE"})).to_string();
    // the depth of the message around it is three
    deep = deep.replace("\"HERE\"", &("[".repeat(124) + &"]".repeat(124)));
    let numbers = calling("echo", &json!({"text": "numbers", "more": "HERE"})).to_string();
    let numbers =
        numbers.replace("\"HERE\"", &format!("[1e308,-1e-999,{},0.{}]", "1".repeat(300), "3".repeat(100_000)));
    let mut good: Vec<(String, Value)> = [long.as_str(), strange, ""]
        .map(|text| (calling("echo", &json!({"text": text})).to_string(), echoed(text)))
        .into();
    good.push((deep, echoed("deep")));
    good.push((numbers, echoed("numbers")));
    good.push((with(r#""\ud83d\ude00""#), echoed("😀")));
    good
}

/// Each is refused by itself: the connection goes on.
#[test]
fn messages_that_wear_down() {
    covers!("1-4", "1-5", "1-9", "1-18", "12-1");
    let victim = Victim::start("messages that wear down", "");
    let mut client = victim.client();
    for Bad { message, answer } in bad_messages() {
        let sent = &message[..message.len().min(60)];
        let got = client.send(post_body(message.as_bytes())).answer();
        assert_eq!((got.status, json_of(&got)), (400, answer), "{sent}");
        is_served(&mut client);
    }
    victim.unharmed();
    drop(client);
    victim.survives();
}

#[test]
fn messages_at_the_limits() {
    let victim = Victim::start("messages at the limits", "");
    let mut client = victim.client();
    for (message, answer) in good_messages() {
        let got = client.send(post_body(message.as_bytes())).answer();
        assert_eq!(got.status, 200, "{}", &message[..message.len().min(100)]);
        assert!(json_of(&got) == answer);
    }
    drop(client);
    victim.survives();
}
