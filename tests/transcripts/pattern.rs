//! JSON as a transcript writes it: over several lines, with `...` for any value and `{{name}}` for a text that is remembered.

use std::collections::BTreeMap;

use serde_json::{Deserializer, Value};

use crate::script::Line;

/// What `...` is read as. No message has it.
const ANY: &str = "\u{F8FF}any";

/// Joins lines.
pub fn text(lines: &[Line]) -> String {
    lines.iter().map(|line| line.text.as_str()).collect::<Vec<_>>().join("\n")
}

/// The JSON values of a text, one after the other.
pub fn values(text: &str) -> Result<Vec<Value>, String> {
    let (json, colons) = plain(text);
    let values: Result<Vec<Value>, _> = Deserializer::from_str(&json).into_iter().collect();
    let values = values.map_err(|error| format!("no JSON: {error}"))?;
    // the reader would keep the last of two and forget the first without a word
    if values.iter().map(members).sum::<usize>() != colons {
        return Err("an object names a member twice".to_owned());
    }
    Ok(values)
}

/// The one JSON value of a text.
pub fn value(text: &str) -> Result<Value, String> {
    let mut values = values(text)?;
    match (values.pop(), values.is_empty()) {
        (Some(value), true) => Ok(value),
        _ => Err("not one JSON value".to_owned()),
    }
}

/// Whether a value has a `...` in it.
pub fn is_open(value: &Value) -> bool {
    value.to_string().contains(ANY)
}

/// The text with `...` as a string, and the number of its colons outside strings.
fn plain(text: &str) -> (String, usize) {
    let (mut json, mut colons, mut quoted) = (String::new(), 0, false);
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let taken = match (c, quoted) {
            ('\\', true) => rest.chars().take(2).map(char::len_utf8).sum(),
            ('.', false) if rest.starts_with("...") => 3,
            _ => c.len_utf8(),
        };
        quoted ^= c == '"';
        colons += usize::from(c == ':' && !quoted);
        let (piece, behind) = rest.split_at(taken);
        if piece == "..." {
            json.push_str(&Value::from(ANY).to_string());
        } else {
            json.push_str(piece);
        }
        rest = behind;
    }
    (json, colons)
}

fn members(value: &Value) -> usize {
    match value {
        Value::Object(object) => object.len() + object.values().map(members).sum::<usize>(),
        Value::Array(list) => list.iter().map(members).sum(),
        _ => 0,
    }
}

/// What the names of a transcript stand for.
#[derive(Clone, Debug, Default)]
pub struct Names(BTreeMap<String, Named>);

#[derive(Clone, Debug)]
struct Named {
    text: String,
    used: bool,
}

impl Names {
    /// Puts texts in place of their names.
    pub fn fill(&mut self, text: &str) -> Result<String, String> {
        let mut filled = String::new();
        let mut rest = text;
        while let Some((before, behind)) = rest.split_once("{{") {
            let (name, after) = behind.split_once("}}").ok_or("a {{ without its }}")?;
            let named = self.0.get_mut(name).ok_or_else(|| format!("nothing is known as {{{{{name}}}}}"))?;
            named.used = true;
            filled.push_str(before);
            filled.push_str(&named.text);
            rest = after;
        }
        filled.push_str(rest);
        Ok(filled)
    }

    /// Remembers a text, or compares it. Two names are two texts.
    fn bind(&mut self, name: &str, seen: &str) -> Result<(), String> {
        if let Some(named) = self.0.get_mut(name) {
            named.used = true;
            return if named.text == seen { Ok(()) } else { Err(format!("{seen:?} where {:?} was due", named.text)) };
        }
        if seen.is_empty() || seen.contains(['"', '\\']) || seen.chars().any(char::is_control) {
            return Err(format!("{seen:?} cannot be remembered"));
        }
        if let Some((other, _)) = self.0.iter().find(|(_, named)| named.text == seen) {
            return Err(format!("{name} is the same text as {other}: {seen:?}"));
        }
        self.0.insert(name.to_owned(), Named { text: seen.to_owned(), used: false });
        Ok(())
    }

    /// At the end: what was remembered was needed.
    pub fn end(&self) -> Result<(), String> {
        match self.0.iter().find(|(_, named)| !named.used) {
            Some((name, _)) => Err(format!("{{{{{name}}}}} is remembered and never used")),
            None => Ok(()),
        }
    }

    /// Compares a value with what was written: the same members, the same items, the same scalars.
    pub fn compare(&mut self, wanted: &Value, seen: &Value) -> Result<(), String> {
        self.at("", wanted, seen)
    }

    fn at(&mut self, path: &str, wanted: &Value, seen: &Value) -> Result<(), String> {
        let place = if path.is_empty() { "the message" } else { path };
        match (wanted, seen) {
            (Value::String(text), _) if text == ANY => Ok(()),
            (Value::String(text), Value::String(seen)) if text.starts_with("{{") && text.ends_with("}}") => {
                self.bind(text.trim_matches(['{', '}']), seen).map_err(|fault| format!("{place}: {fault}"))
            }
            (Value::Object(wanted), Value::Object(seen)) => {
                if let Some(name) = wanted.keys().find(|name| !seen.contains_key(*name)) {
                    return Err(format!("{place} has no {name:?}"));
                }
                if let Some((name, value)) = seen.iter().find(|(name, _)| !wanted.contains_key(*name)) {
                    return Err(format!("{place} has {name:?}, which was not due: {value}"));
                }
                wanted.iter().try_for_each(|(name, wanted)| self.at(&format!("{path}/{name}"), wanted, &seen[name]))
            }
            (Value::Array(wanted), Value::Array(seen)) if wanted.len() == seen.len() => {
                let mut pairs = wanted.iter().zip(seen).enumerate();
                pairs.try_for_each(|(n, (wanted, seen))| self.at(&format!("{path}/{n}"), wanted, seen))
            }
            _ if wanted == seen => Ok(()),
            _ => Err(format!("{place} is {seen} where {wanted} was due")),
        }
    }
}
