//! §5.2 Roles and annotations.

use serde::{Deserialize, Serialize};
use serde_json::Number;

use super::json::number;

/// Who speaks, or whom a content block is meant for (§5.2, §5.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// The person.
    User,
    /// The model.
    Assistant,
}

/// Hints on how to use a content block or a resource (§5.2).
// req 5.2-13
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct Annotations {
    /// Whom it is meant for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub audience: Option<Vec<Role>>,
    /// How important it is, from 0 (entirely optional) to 1 (needed).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub priority: Option<Number>,
    /// When it was last changed, as an ISO 8601 text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_modified: Option<String>,
}

impl Annotations {
    /// No hints.
    pub fn new() -> Annotations {
        Annotations::default()
    }

    /// Adds a role to the audience.
    #[must_use]
    pub fn audience(mut self, role: Role) -> Annotations {
        self.audience.get_or_insert_with(Vec::new).push(role);
        self
    }

    /// Sets the priority, from 0 to 1. A value that JSON cannot write (NaN, an infinity) leaves it unset.
    #[must_use]
    pub fn priority(mut self, priority: f64) -> Annotations {
        self.priority = number(priority);
        self
    }

    /// Sets the time of the last change, an ISO 8601 text such as `2025-01-12T15:00:58Z`.
    #[must_use]
    pub fn last_modified(mut self, time: impl Into<String>) -> Annotations {
        self.last_modified = Some(time.into());
        self
    }

    /// req 5.2-13: what the schema does not allow here: a priority outside 0 to 1.
    pub(crate) fn problem(&self) -> Option<&'static str> {
        let priority = self.priority.as_ref().and_then(Number::as_f64)?;
        (!(0.0..=1.0).contains(&priority)).then_some("priority must be between 0 and 1")
    }
}
