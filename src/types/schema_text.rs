//! §5.1 A JSON Schema as its author wrote it.
//! Law: the order of members and the spelling of numbers and strings reach the peer unchanged; only white space outside
//! strings goes, since a message is one line.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

/// A JSON Schema kept as text (§5.1). Two are equal when their texts are.
///
/// Serialised by a JSON writer it is written as it stands; turned into a [`Value`] it loses its order of members.
// req 5.1-3
#[derive(Clone, Serialize)]
#[serde(transparent)]
pub struct SchemaText(Box<RawValue>);

impl SchemaText {
    /// Takes a JSON text over; the error says in one sentence why it is not JSON.
    pub fn parse(text: &str) -> Result<SchemaText, String> {
        // The value is parsed and dropped: a raw value alone would let a number such as 1e999 through.
        serde_json::from_str::<Value>(text).map_err(|error| error.to_string())?;
        RawValue::from_string(compact(text)).map(SchemaText).map_err(|error| error.to_string())
    }

    /// The text as it is listed.
    pub fn text(&self) -> &str {
        self.0.get()
    }

    /// The schema as a JSON value.
    pub fn value(&self) -> Value {
        // The text was parsed before it was kept, so `Null` does not occur.
        serde_json::from_str(self.text()).unwrap_or_default()
    }
}

impl From<&Value> for SchemaText {
    /// Writes the value out; its members come in the order of the map, which is sorted by default.
    fn from(value: &Value) -> SchemaText {
        SchemaText(RawValue::from_string(value.to_string()).unwrap_or_else(|_| RawValue::NULL.to_owned()))
    }
}

impl fmt::Debug for SchemaText {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.text())
    }
}

impl PartialEq for SchemaText {
    fn eq(&self, other: &SchemaText) -> bool {
        self.text() == other.text()
    }
}

impl Eq for SchemaText {}

impl<'de> Deserialize<'de> for SchemaText {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<SchemaText, D::Error> {
        let raw = Box::<RawValue>::deserialize(source)?;
        SchemaText::parse(raw.get()).map_err(serde::de::Error::custom)
    }
}

/// The JSON text without the white space that stands outside its strings.
fn compact(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let (mut in_string, mut escaped) = (false, false);
    for c in text.chars() {
        if in_string {
            in_string = escaped || c != '"';
            escaped = !escaped && c == '\\';
        } else if matches!(c, ' ' | '\t' | '\n' | '\r') {
            continue;
        } else {
            in_string = c == '"';
        }
        out.push(c);
    }
    out
}
