//! §10.1 Asking the user: a form, or a page at a URL.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::form::{Choice, FieldKind, FieldSchema, FormSchema, Items};

/// `"mode": "form"`, the mode that an elicitation has by default (§10.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FormMode {
    /// A form.
    Form,
}

/// `"mode": "url"` (§10.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum UrlMode {
    /// A page.
    Url,
}

/// A form for the user (§10.1). Fields are added in order; a modifier changes the field added last.
///
/// Never ask for passwords, keys, tokens or payment data by a form: use [`url`].
///
/// ```
/// let form = plain_mcp::types::elicit::form("Who are you?").string("name").required().integer("age").min(0);
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Form {
    /// The mode; a peer may leave it out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<FormMode>,
    /// What the user is asked.
    pub message: String,
    /// The fields.
    pub requested_schema: FormSchema,
    /// What the builder could not take; see [`Form::problem`].
    #[serde(skip)]
    problems: Vec<String>,
}

/// A form with a message and no fields yet; the answer then is only whether the user agrees.
pub fn form(message: impl Into<String>) -> Form {
    Form {
        mode: Some(FormMode::Form),
        message: message.into(),
        requested_schema: FormSchema::default(),
        problems: Vec::new(),
    }
}

impl Form {
    /// Adds a text.
    #[must_use]
    pub fn string(self, name: impl Into<String>) -> Form {
        self.field(name, FieldSchema::new(FieldKind::String))
    }

    /// Adds a whole number.
    #[must_use]
    pub fn integer(self, name: impl Into<String>) -> Form {
        self.field(name, FieldSchema::new(FieldKind::Integer))
    }

    /// Adds a number.
    #[must_use]
    pub fn number(self, name: impl Into<String>) -> Form {
        self.field(name, FieldSchema::new(FieldKind::Number))
    }

    /// Adds a yes or no.
    #[must_use]
    pub fn boolean(self, name: impl Into<String>) -> Form {
        self.field(name, FieldSchema::new(FieldKind::Boolean))
    }

    /// Adds one choice out of several.
    #[must_use]
    pub fn choice<S: Into<String>>(self, name: impl Into<String>, choices: impl IntoIterator<Item = S>) -> Form {
        let choices = Some(choices.into_iter().map(Into::into).collect());
        self.field(name, FieldSchema { choices, ..FieldSchema::new(FieldKind::String) })
    }

    /// Adds one choice out of several, each as (value, title for people).
    #[must_use]
    pub fn titled_choice<V: Into<String>, T: Into<String>>(
        self,
        name: impl Into<String>,
        choices: impl IntoIterator<Item = (V, T)>,
    ) -> Form {
        let one_of = Some(titled(choices));
        self.field(name, FieldSchema { one_of, ..FieldSchema::new(FieldKind::String) })
    }

    /// Adds any number of choices out of several.
    #[must_use]
    pub fn multi_choice<S: Into<String>>(self, name: impl Into<String>, choices: impl IntoIterator<Item = S>) -> Form {
        let choices = Some(choices.into_iter().map(Into::into).collect());
        let items = Some(Items { kind: Some(FieldKind::String), choices, any_of: None });
        self.field(name, FieldSchema { items, ..FieldSchema::new(FieldKind::Array) })
    }

    /// Adds any number of choices out of several, each as (value, title for people).
    #[must_use]
    pub fn titled_multi_choice<V: Into<String>, T: Into<String>>(
        self,
        name: impl Into<String>,
        choices: impl IntoIterator<Item = (V, T)>,
    ) -> Form {
        let items = Some(Items { any_of: Some(titled(choices)), ..Items::default() });
        self.field(name, FieldSchema { items, ..FieldSchema::new(FieldKind::Array) })
    }

    fn field(mut self, name: impl Into<String>, field: FieldSchema) -> Form {
        let name = name.into();
        if self.requested_schema.properties.0.iter().any(|(earlier, _)| *earlier == name) {
            self.problems.push(format!("the form has two fields {name:?}"));
        }
        self.requested_schema.properties.0.push((name, field));
        self
    }

    /// The user must answer the last field.
    #[must_use]
    pub fn required(mut self) -> Form {
        match self.requested_schema.properties.0.last() {
            Some((name, _)) => self.requested_schema.required.push(name.clone()),
            None => self.problems.push(String::from("required comes before any field")),
        }
        self
    }

    /// Sets the name of the last field for people.
    #[must_use]
    pub fn title(self, title: impl Into<String>) -> Form {
        self.modify("title", |field| {
            field.title = Some(title.into());
            true
        })
    }

    /// Says what the last field asks for.
    #[must_use]
    pub fn description(self, description: impl Into<String>) -> Form {
        self.modify("description", |field| {
            field.description = Some(description.into());
            true
        })
    }

    /// Sets what the last field shows before the user answers.
    #[must_use]
    pub fn default(self, value: impl Into<Value>) -> Form {
        self.modify("default", |field| {
            field.default = Some(value.into());
            true
        })
    }

    /// Sets the least number, the least count of characters or the least count of choices of the last field.
    #[must_use]
    pub fn min(self, least: impl Into<Value>) -> Form {
        let least = least.into();
        self.modify("min", |field| match field.kind {
            FieldKind::Number | FieldKind::Integer => set(&mut field.minimum, least.as_number().cloned()),
            FieldKind::String => set(&mut field.min_length, least.as_u64()),
            FieldKind::Array => set(&mut field.min_items, least.as_u64()),
            FieldKind::Boolean => false,
        })
    }

    /// Sets the greatest number, the greatest count of characters or the greatest count of choices of the last field.
    #[must_use]
    pub fn max(self, greatest: impl Into<Value>) -> Form {
        let greatest = greatest.into();
        self.modify("max", |field| match field.kind {
            FieldKind::Number | FieldKind::Integer => set(&mut field.maximum, greatest.as_number().cloned()),
            FieldKind::String => set(&mut field.max_length, greatest.as_u64()),
            FieldKind::Array => set(&mut field.max_items, greatest.as_u64()),
            FieldKind::Boolean => false,
        })
    }

    /// Says how the last field, a text, is written: `email`, `uri`, `date` or `date-time`.
    #[must_use]
    pub fn format(self, format: impl Into<String>) -> Form {
        self.modify("format", |field| field.kind == FieldKind::String && set(&mut field.format, Some(format.into())))
    }

    /// Changes the last field; the change says whether it fits that field.
    fn modify(mut self, what: &str, change: impl FnOnce(&mut FieldSchema) -> bool) -> Form {
        match self.requested_schema.properties.0.last_mut() {
            None => self.problems.push(format!("{what} comes before any field")),
            Some((name, field)) => {
                if !change(field) {
                    self.problems.push(format!("{what} does not fit the field {name:?}"));
                }
            }
        }
        self
    }

    /// What the fields show before the user answers: the defaults that the schema gives, by field. What has none is left out.
    pub fn defaults(&self) -> Map<String, Value> {
        let fields = self.requested_schema.properties.0.iter();
        fields.filter_map(|(name, field)| Some((name.clone(), field.default.clone()?))).collect()
    }

    /// The first call of the builder that could not be followed; nothing where all could.
    pub fn problem(&self) -> Option<&str> {
        self.problems.first().map(String::as_str)
    }
}

/// Fills a slot where there is a value to fill it with, and says whether there was.
fn set<T>(slot: &mut Option<T>, value: Option<T>) -> bool {
    *slot = value;
    slot.is_some()
}

/// Choices with titles, as the schema writes them.
fn titled<V: Into<String>, T: Into<String>>(choices: impl IntoIterator<Item = (V, T)>) -> Vec<Choice> {
    choices.into_iter().map(|(value, title)| Choice { value: value.into(), title: title.into() }).collect()
}

/// A page that the user is sent to (§10.1).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct UrlRequest {
    /// The mode.
    pub mode: UrlMode,
    /// Why the user is sent there.
    pub message: String,
    /// Where: an http or https URL with a host and without user information. It must carry no secret and no login.
    pub url: String,
}

/// Sends the user to a page, after consent; use https outside development.
pub fn url(message: impl Into<String>, url: impl Into<String>) -> UrlRequest {
    UrlRequest { mode: UrlMode::Url, message: message.into(), url: url.into() }
}
