//! §5.2 The two reports of the schema checker: a schema that is refused, and an instance that is invalid.
//! Law: a report names its place as a JSON pointer and says one thing in plain English.

use std::fmt;

use serde_json::Value;

/// Quoted names and values of a report are cut after this many characters.
const SHOWN: usize = 100;

/// Why a schema is refused when it is compiled (§5.1): what cannot be checked is never silently allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsupported {
    /// JSON pointer into the schema; empty for its root.
    pub place: String,
    /// What is wrong there, in plain English.
    pub reason: String,
    lacking: bool,
}

impl Unsupported {
    /// The schema breaks a rule of its dialect, or a bound of this checker.
    pub(super) fn malformed(place: String, reason: impl Into<String>) -> Unsupported {
        Unsupported { place, reason: reason.into(), lacking: false }
    }

    /// The schema may be right, but this checker does not implement what it uses.
    pub(super) fn lacking(place: String, reason: impl Into<String>) -> Unsupported {
        Unsupported { place, reason: reason.into(), lacking: true }
    }

    /// Whether the feature `jsonschema` may be able to compile this schema.
    pub fn needs_feature(&self) -> bool {
        self.lacking
    }
}

impl fmt::Display for Unsupported {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = if self.place.is_empty() { "schema" } else { self.place.as_str() };
        write!(out, "{place}: {}", self.reason)?;
        if self.lacking && !cfg!(feature = "jsonschema") {
            out.write_str(" (needs feature jsonschema)")?;
        }
        Ok(())
    }
}

impl std::error::Error for Unsupported {}

/// The first fault that was found in an instance (§5.2: it goes into a tool result with `isError: true`).
// req 5.2-5: it names the place and the fault
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// JSON pointer into the instance; empty for its root.
    pub place: String,
    /// What is wrong there, in plain English.
    pub fault: String,
}

impl Violation {
    /// The report with a name for the root of the instance, such as `structuredContent`.
    pub fn named<'a>(&'a self, root: &'a str) -> impl fmt::Display + 'a {
        Named { violation: self, root }
    }
}

struct Named<'a> {
    violation: &'a Violation,
    root: &'a str,
}

impl fmt::Display for Named<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = if self.violation.place.is_empty() { self.root } else { self.violation.place.as_str() };
        write!(out, "{place}: {}", self.violation.fault)
    }
}

impl fmt::Display for Violation {
    /// The root is called `arguments`; [`Violation::named`] calls it something else.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.named("arguments").fmt(out)
    }
}

impl std::error::Error for Violation {}

/// A text of at most `limit` characters; a longer one is cut and ends with three dots.
pub(super) fn clip(text: &str, limit: usize) -> String {
    match text.char_indices().nth(limit) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}...", text.get(..end).unwrap_or_default()),
    }
}

/// A name in JSON quotes, cut when it is long.
pub(super) fn quoted(name: &str) -> String {
    shown(&Value::from(clip(name, SHOWN)))
}

/// A value as JSON text, cut when it is long. The value must not be deep.
pub(super) fn shown(value: &Value) -> String {
    clip(&value.to_string(), SHOWN.saturating_mul(2))
}

/// `1 item`, `2 items`; the plural is given because English has several.
pub(super) fn count(number: u64, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

/// Appends one token to a JSON pointer, escaped.
pub(super) fn push_token(pointer: &mut String, token: &str) {
    pointer.push('/');
    for letter in token.chars() {
        match letter {
            '~' => pointer.push_str("~0"),
            '/' => pointer.push_str("~1"),
            other => pointer.push(other),
        }
    }
}
