//! Invariant: every text comes back from its header value, which is visible ASCII without outer spaces; what a header value decodes
//! to is what a second reading says; and a header agrees with an argument exactly when a second reading of both says the same.

use std::sync::LazyLock;

use plain_mcp::param_headers::{Malformed, agrees, decode, encode, encode_argument, plain};
use regex_lite::Regex;
use serde_json::Value;

use super::support::base64;

static INTEGER: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"^-?(0|[1-9][0-9]*)(\.0+)?$").unwrap());

/// The data is a header value and, after the first line, perhaps a JSON value to compare it with.
pub fn check(data: &[u8]) {
    let (value, argument) = match data.iter().position(|byte| *byte == b'\n') {
        Some(end) => (&data[..end], serde_json::from_slice::<Value>(&data[end + 1..]).ok()),
        None => (data, None),
    };
    let decoded = decode(value);
    assert_eq!(decoded.as_deref().ok(), second_reading(value).as_deref(), "{:?}", String::from_utf8_lossy(value));
    if let Ok(text) = plain(value) {
        assert!(!text.starts_with([' ', '\t']) && !text.ends_with([' ', '\t']));
        assert!(text.bytes().all(|byte| byte == b'\t' || byte == b' ' || byte.is_ascii_graphic()));
    }
    if let Ok(text) = std::str::from_utf8(data) {
        travels(text);
    }
    let Some(argument) = argument else { return };
    argument_travels(&argument);
    if let Ok(header) = decoded {
        assert_eq!(agrees(&header, &argument), second_comparison(&header, &argument), "{header:?} and {argument}");
    }
}

/// A text becomes a header value that any field can carry, and comes back from it.
fn travels(text: &str) {
    let value = encode(text);
    assert!(value.bytes().all(|byte| byte == b' ' || byte.is_ascii_graphic()), "{value:?}");
    assert!(!value.starts_with(' ') && !value.ends_with(' '), "{value:?}");
    assert_eq!(decode(value.as_bytes()).as_deref(), Ok(text));
    assert_eq!(agrees(text, &Value::from(text)), Ok(true));
}

/// What is sent for an argument agrees with it.
fn argument_travels(argument: &Value) {
    let Some(value) = encode_argument(argument) else {
        let silent = match argument {
            Value::Number(number) => !is_safe(number.as_f64().unwrap()),
            other => other.is_null() || other.is_array() || other.is_object(),
        };
        assert!(silent, "no header for {argument}");
        return;
    };
    let text = decode(value.as_bytes()).unwrap();
    assert_eq!(agrees(&text, argument), Ok(true), "{value:?} for {argument}");
}

/// Section 13.6: trimmed, of visible ASCII, space and tab, and in base64 between the two markers.
fn second_reading(value: &[u8]) -> Option<String> {
    let text: String = value.iter().map(|byte| char::from(*byte)).collect();
    let text = text.trim_matches([' ', '\t']);
    if text.chars().any(|character| character != '\t' && !(' '..='~').contains(&character)) {
        return None;
    }
    let inner = text.strip_prefix("=?base64?").and_then(|rest| rest.strip_suffix("?="));
    let Some(inner) = inner else { return Some(text.to_owned()) };
    base64::read(inner, base64::STANDARD).and_then(|bytes| String::from_utf8(bytes).ok())
}

fn is_safe(number: f64) -> bool {
    number.fract() == 0.0 && number.abs() <= 9_007_199_254_740_991.0
}

/// Section 13.6: texts and flags letter by letter, integers by their value, and no integer that a double does not keep.
fn second_comparison(header: &str, argument: &Value) -> Result<bool, Malformed> {
    match argument {
        Value::String(_) | Value::Bool(_) => {
            Ok(argument.as_str().unwrap_or(if *argument == true { "true" } else { "false" }) == header)
        }
        Value::Number(number) => {
            let float = number.as_f64().unwrap();
            let exact = number.as_i64().is_none_or(|integer| integer.unsigned_abs() < 1 << 53);
            if float.fract() != 0.0 {
                return Ok(false); // the schema refuses it: a mirrored number is an integer
            }
            if !is_safe(float) || !exact {
                return Err(Malformed);
            }
            let lawful = INTEGER.is_match(header) && header.split('.').next().unwrap().parse::<i64>().is_ok();
            if lawful { Ok(header.parse::<f64>().unwrap() == float) } else { Err(Malformed) }
        }
        _ => Ok(false),
    }
}
