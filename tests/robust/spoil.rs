//! Ways to spoil a message, all from a seed.

use serde_json::{Value, json};

use crate::random::Random;

/// JSON texts, and what is none, to stand where another value stood.
const ODD: &[&str] = &[
    "null",
    "true",
    "false",
    "0",
    "-0",
    "-0.0",
    "1.0",
    "1e2",
    "-1",
    "1.5",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775809",
    "123456789012345678901234567890",
    "1e308",
    "1e999",
    "-1e999",
    "5e-324",
    "NaN",
    "Infinity",
    "-",
    "01",
    "0x1",
    "\"\"",
    "\" \"",
    "\"0\"",
    r#""\u0000""#,
    r#""\ud800""#,
    r#""\udc00\ud800""#,
    r#""\ud83d\ude00""#,
    "\"\u{feff}\"",
    "\"\u{2028}\"",
    r#""\x""#,
    "\"\n\"",
    "\"",
    "[]",
    "{}",
    "[null]",
    r#"{"":null}"#,
    r#"{"a":1,"a":2}"#,
    r#"{"a":1,"\u0061":2}"#,
    r#"{"$serde_json::private::RawValue":"{\"a\":1}"}"#,
    r#"{"$serde_json::private::Number":"1"}"#,
    "[[[[[[[[]]]]]]]]",
    "\"2026-07-28\"",
    "\"1900-01-01\"",
    "\"tools/call\"",
    "\"test://a\"",
    "\"%\"",
    "\"%ff\"",
    "\"mcp1.e30\"",
    "\"mcp1.WzEsIjIwMjYtMDctMjgiLCJ0b29scy9saXN0IiwxLCIwIl0\"",
    "\"mrtr1.e30.e30\"",
    "\"mrtr2.k.e30.e30\"",
];

/// A good message, spoiled once or several times.
pub fn spoiled(random: &mut Random, good: &[String]) -> Vec<u8> {
    let message = random.pick(good).clone();
    let mut bytes = message.into_bytes();
    for _ in 0..=random.below(3) {
        bytes = match random.below(6) {
            0 => flipped(random, bytes),
            1 => cut_and_joined(random, bytes, good),
            2 => replaced(random, bytes),
            3 => repeated(random, bytes),
            4 => nested(random, bytes),
            _ => lengthened(random, bytes),
        };
    }
    bytes
}

/// Bits, bytes and runs of bytes changed.
fn flipped(random: &mut Random, mut bytes: Vec<u8>) -> Vec<u8> {
    for _ in 0..=random.below(4) {
        if bytes.is_empty() {
            return bytes;
        }
        let at = random.below(bytes.len());
        match random.below(5) {
            0 => bytes[at] ^= 1 << random.below(8),
            1 => bytes[at] = random.next() as u8,
            2 => drop(bytes.remove(at)),
            3 => bytes.insert(at, random.next() as u8),
            _ => bytes.insert(at, *random.pick(b"{}[]\",:\\ \n\0")),
        }
    }
    bytes
}

/// The beginning of one message and the end of another.
fn cut_and_joined(random: &mut Random, mut bytes: Vec<u8>, good: &[String]) -> Vec<u8> {
    bytes.truncate(random.below(bytes.len() + 1));
    if random.below(2) == 0 {
        let other = random.pick(good).as_bytes();
        bytes.extend_from_slice(&other[random.below(other.len())..]);
    }
    bytes
}

/// The places of all values in a tree, by JSON pointer.
fn places(value: &Value, at: String, all: &mut Vec<String>) {
    all.push(at.clone());
    match value {
        Value::Object(members) => {
            for (name, value) in members {
                places(value, format!("{at}/{}", name.replace('~', "~0").replace('/', "~1")), all);
            }
        }
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(index, item)| places(item, format!("{at}/{index}"), all))
        }
        _ => {}
    }
}

const MARK: &str = "\u{1}mark\u{1}";

/// The text of the tree with this text in one place.
fn with(tree: &Value, place: &str, text: &str) -> Vec<u8> {
    let mut tree = tree.clone();
    *tree.pointer_mut(place).unwrap() = json!(MARK);
    tree.to_string().replace(&json!(MARK).to_string(), text).into_bytes()
}

/// One value replaced by an odd one.
fn replaced(random: &mut Random, bytes: Vec<u8>) -> Vec<u8> {
    let Ok(tree) = serde_json::from_slice::<Value>(&bytes) else { return flipped(random, bytes) };
    let mut all = Vec::new();
    places(&tree, String::new(), &mut all);
    let place = random.pick(&all).clone();
    let odd = *random.pick(ODD);
    with(&tree, &place, odd)
}

/// A member of some object twice, beside each other, at times with another spelling or another value.
fn repeated(random: &mut Random, bytes: Vec<u8>) -> Vec<u8> {
    let Ok(text) = String::from_utf8(bytes.clone()) else { return flipped(random, bytes) };
    let names: Vec<usize> = text.match_indices("{\"").map(|(at, _)| at + 1).collect();
    if names.is_empty() {
        return bytes;
    }
    let at = *random.pick(&names);
    let Some(length) = text[at + 1..].find('"') else { return bytes };
    let name = &text[at..at + length + 2];
    let name = if random.below(2) == 0 { name.to_owned() } else { escaped(name) };
    let value = *random.pick(ODD);
    format!("{}{name}:{value},{}", &text[..at], &text[at..]).into_bytes()
}

/// The first letter of a name as an escape.
fn escaped(name: &str) -> String {
    let inner = &name[1..name.len() - 1];
    match inner.chars().next() {
        Some(first) if first.is_ascii_alphanumeric() => format!("\"\\u{:04x}{}\"", u32::from(first), &inner[1..]),
        _ => name.to_owned(),
    }
}

/// Some value wrapped many times.
fn nested(random: &mut Random, bytes: Vec<u8>) -> Vec<u8> {
    let Ok(tree) = serde_json::from_slice::<Value>(&bytes) else { return flipped(random, bytes) };
    let mut all = Vec::new();
    places(&tree, String::new(), &mut all);
    let place = random.pick(&all).clone();
    let depth = *random.pick(&[1, 2, 60, 120, 127, 128, 1000, 20_000]);
    let inner = tree.pointer(&place).unwrap().to_string();
    let (open, close) = *random.pick(&[("[", "]"), (r#"{"next":"#, "}"), (r#"{"_meta":"#, "}"), (r#"[{"a":"#, "}]")]);
    with(&tree, &place, &format!("{}{inner}{}", open.repeat(depth), close.repeat(depth)))
}

/// Some value made very long.
fn lengthened(random: &mut Random, bytes: Vec<u8>) -> Vec<u8> {
    let Ok(tree) = serde_json::from_slice::<Value>(&bytes) else { return flipped(random, bytes) };
    let mut all = Vec::new();
    places(&tree, String::new(), &mut all);
    let place = random.pick(&all).clone();
    let length = *random.pick(&[255, 256, 257, 1001, 2048, 20_000]);
    let text = match random.below(4) {
        0 => format!("\"{}\"", "x".repeat(length)),
        1 => format!("\"{}\"", "é".repeat(length)),
        2 => format!("[{}1]", "1,".repeat(length)),
        _ => "9".repeat(length.min(400)),
    };
    with(&tree, &place, &text)
}

/// The message with each of its values replaced by each odd one, and with each of its members taken out.
pub fn every_member(message: &str) -> Vec<Vec<u8>> {
    let tree: Value = serde_json::from_str(message).unwrap();
    let mut all = Vec::new();
    places(&tree, String::new(), &mut all);
    let mut out = Vec::new();
    for place in all {
        out.extend(ODD.iter().step_by(3).map(|odd| with(&tree, &place, odd)));
        let Some((parent, name)) = place.rsplit_once('/') else { continue };
        let mut without = tree.clone();
        if let Some(members) = without.pointer_mut(parent).and_then(Value::as_object_mut) {
            members.remove(&name.replace("~1", "/").replace("~0", "~"));
            out.push(without.to_string().into_bytes());
        }
    }
    out
}
