//! §10.3 What the user answered to an elicitation.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Number, Value};

use super::form::is_whole;

/// What the user did (§10.3).
// req 10.3-8
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    /// Agreed. For a URL this is consent to go there, not that anything was done there.
    Accept,
    /// Said no.
    Decline,
    /// Went away without a choice.
    Cancel,
}

/// The answer to an elicitation as the client writes it (§10.3).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ElicitResult {
    /// What the user did.
    pub action: Action,
    /// The answered fields; only with [`Action::Accept`], only for a form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<Map<String, Value>>,
}

impl ElicitResult {
    /// The user agreed; for a form, with these fields.
    pub fn accept(content: Option<Map<String, Value>>) -> ElicitResult {
        ElicitResult { action: Action::Accept, content }
    }

    /// Adds a field to the content of an answer; it then counts as agreed.
    #[must_use]
    pub fn field(mut self, name: impl Into<String>, value: impl Into<Value>) -> ElicitResult {
        self.action = Action::Accept;
        self.content.get_or_insert_with(Map::new).insert(name.into(), value.into());
        self
    }

    /// The user said no.
    pub fn decline() -> ElicitResult {
        ElicitResult { action: Action::Decline, content: None }
    }

    /// The user went away.
    pub fn cancel() -> ElicitResult {
        ElicitResult { action: Action::Cancel, content: None }
    }

    /// Reads an answer; nothing where its shape is wrong: an unknown action, or accepted content that is not a flat object of
    /// strings, numbers, booleans and lists of strings. What else stands in a decline or a cancel is not looked at: whoever said
    /// no is not asked again for the sake of its form.
    // req 10.3-9
    pub fn read(result: &Value) -> Option<ElicitResult> {
        let action = Action::deserialize(result.get("action")?).ok()?;
        let content = match (action, result.get("content")) {
            (Action::Decline | Action::Cancel, _) | (Action::Accept, None) => None,
            (Action::Accept, Some(content)) => {
                Some(content.as_object().filter(|content| content.values().all(is_flat))?.clone())
            }
        };
        Some(ElicitResult { action, content })
    }
}

/// Whether a value may stand in the content of an answer.
fn is_flat(value: &Value) -> bool {
    match value {
        Value::String(_) | Value::Number(_) | Value::Bool(_) => true,
        Value::Array(list) => list.iter().all(Value::is_string),
        Value::Null | Value::Object(_) => false,
    }
}

/// What the user answered to a form (§10.3). An accepted answer has passed the form's schema.
#[derive(Clone, Debug, PartialEq)]
pub struct FormAnswer {
    action: Action,
    content: Map<String, Value>,
}

/// Why a form answer has no such value; says so in one sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AnswerError {
    /// The user declined.
    Declined,
    /// The user cancelled.
    Cancelled,
    /// The field of this name was not answered.
    Missing(String),
    /// The field of this name holds another type than the one asked for.
    OtherType {
        /// The name of the field.
        field: String,
        /// The type that the handler asked for, with its article.
        wanted: &'static str,
    },
}

impl fmt::Display for AnswerError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AnswerError::Declined => out.write_str("The user declined to answer."),
            AnswerError::Cancelled => out.write_str("The user cancelled the question."),
            AnswerError::Missing(field) => write!(out, "The answer has no field {field:?}."),
            AnswerError::OtherType { field, wanted } => {
                write!(out, "The field {field:?} of the answer is not {wanted}.")
            }
        }
    }
}

impl std::error::Error for AnswerError {}

impl FormAnswer {
    /// An answer from its parts; the content counts only where the user accepted.
    pub(super) fn new(result: ElicitResult) -> FormAnswer {
        let content = match result.action {
            Action::Accept => result.content.unwrap_or_default(),
            Action::Decline | Action::Cancel => Map::new(),
        };
        FormAnswer { action: result.action, content }
    }

    /// What the user did.
    pub fn action(&self) -> Action {
        self.action
    }

    /// Whether the user agreed, so that there are fields to read.
    pub fn accepted(&self) -> bool {
        self.action == Action::Accept
    }

    /// All fields; empty unless the user agreed. May hold fields that the form did not ask for.
    pub fn content(&self) -> &Map<String, Value> {
        &self.content
    }

    /// A text field, or the value of a single choice.
    pub fn str(&self, name: &str) -> Result<&str, AnswerError> {
        self.typed(name, "a string", Value::as_str)
    }

    /// A whole number; `30.0` is one too.
    pub fn i64(&self, name: &str) -> Result<i64, AnswerError> {
        self.typed(name, "a 64-bit integer", |value| value.as_number().and_then(whole))
    }

    /// A number.
    pub fn f64(&self, name: &str) -> Result<f64, AnswerError> {
        self.typed(name, "a number", Value::as_f64)
    }

    /// Yes or no.
    pub fn bool(&self, name: &str) -> Result<bool, AnswerError> {
        self.typed(name, "a boolean", Value::as_bool)
    }

    /// The values of a multiple choice.
    pub fn list(&self, name: &str) -> Result<Vec<&str>, AnswerError> {
        let strings = |value| -> Option<Vec<&str>> { Value::as_array(value)?.iter().map(Value::as_str).collect() };
        self.typed(name, "a list of strings", strings)
    }

    fn typed<'a, T>(
        &'a self,
        name: &str,
        wanted: &'static str,
        read: impl FnOnce(&'a Value) -> Option<T>,
    ) -> Result<T, AnswerError> {
        match self.action {
            Action::Accept => {}
            Action::Decline => return Err(AnswerError::Declined),
            Action::Cancel => return Err(AnswerError::Cancelled),
        }
        let value = self.content.get(name).ok_or_else(|| AnswerError::Missing(name.to_owned()))?;
        read(value).ok_or_else(|| AnswerError::OtherType { field: name.to_owned(), wanted })
    }
}

/// The number as an int64, where it is whole and fits.
fn whole(number: &Number) -> Option<i64> {
    if let Some(value) = number.as_i64() {
        return Some(value);
    }
    // Printed without its fraction and read back: a conversion that cannot wrap.
    let value = number.as_f64().filter(|_| is_whole(number))?;
    format!("{value:.0}").parse().ok()
}
