//! §10.1 What the judges of input requests share.

use serde_json::{Map, Value};

/// A reason in one plain phrase, or nothing.
pub(super) type Verdict = Result<(), String>;

/// Refuses members that the request does not have; `_meta` must be an object.
pub(super) fn known(members: &Map<String, Value>, names: &[&str], what: &str) -> Verdict {
    if members.get("_meta").is_some_and(|meta| !meta.is_object()) {
        return Err(String::from("_meta of an input request must be an object"));
    }
    match members.keys().find(|name| !names.contains(&name.as_str())) {
        Some(name) => Err(format!("{what} has no member {name}")),
        None => Ok(()),
    }
}

/// The string of this name, which must be there.
pub(super) fn text<'a>(members: &'a Map<String, Value>, name: &str) -> Result<&'a str, String> {
    members.get(name).and_then(Value::as_str).ok_or_else(|| format!("{name} must be a string"))
}
