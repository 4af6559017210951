//! §5.1 What a tool looks like in `tools/list`.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::json::{Meta, add_meta};
use super::listing::Icon;
use super::schema_text::SchemaText;
use super::setters::setters;

setters! {
    ToolAnnotations: title;
    Tool: title icon meta;
}

/// Hints about what a tool does; nothing a client may rely on (§5.1).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct ToolAnnotations {
    /// A title for people; `Tool::title` goes before it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// It changes nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read_only_hint: Option<bool>,
    /// It may destroy, not only add.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub destructive_hint: Option<bool>,
    /// A second call with the same arguments changes nothing more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idempotent_hint: Option<bool>,
    /// It reaches out to an open world, such as the web.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub open_world_hint: Option<bool>,
}

impl ToolAnnotations {
    /// No hints.
    pub fn new() -> ToolAnnotations {
        ToolAnnotations::default()
    }

    /// Says whether the tool changes nothing.
    #[must_use]
    pub fn read_only(mut self, hint: bool) -> ToolAnnotations {
        self.read_only_hint = Some(hint);
        self
    }

    /// Says whether the tool may destroy.
    #[must_use]
    pub fn destructive(mut self, hint: bool) -> ToolAnnotations {
        self.destructive_hint = Some(hint);
        self
    }

    /// Says whether a second call with the same arguments changes nothing more.
    #[must_use]
    pub fn idempotent(mut self, hint: bool) -> ToolAnnotations {
        self.idempotent_hint = Some(hint);
        self
    }

    /// Says whether the tool reaches out to an open world.
    #[must_use]
    pub fn open_world(mut self, hint: bool) -> ToolAnnotations {
        self.open_world_hint = Some(hint);
        self
    }

    /// Whether nothing is hinted at, so that the member is left out of the listing.
    pub fn is_empty(&self) -> bool {
        *self == ToolAnnotations::default()
    }
}

/// A tool as it is listed (§5.1).
// req 5.1-1: what is unset or empty is left out
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Tool {
    /// The name that `tools/call` gives; 1 to 128 of `A-Z a-z 0-9 _ . -` is what clients expect.
    pub name: String,
    /// The name for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What it does, for the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The JSON Schema 2020-12 of the arguments; an object schema.
    pub input_schema: SchemaText,
    /// The JSON Schema 2020-12 of the structured content.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_schema: Option<SchemaText>,
    /// Hints.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub annotations: Option<ToolAnnotations>,
    /// Pictures for people.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub icons: Vec<Icon>,
    /// `_meta`.
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
    /// Schema texts that are not JSON; see [`Tool::problems`].
    #[serde(skip)]
    unreadable: Vec<String>,
}

impl Tool {
    /// A tool that takes any object as its arguments.
    pub fn new(name: impl Into<String>, description: impl Into<String>) -> Tool {
        Tool {
            name: name.into(),
            title: None,
            description: Some(description.into()),
            input_schema: SchemaText::from(&json!({"type": "object"})),
            output_schema: None,
            annotations: None,
            icons: Vec::new(),
            meta: None,
            unreadable: Vec::new(),
        }
    }

    /// Sets the schema of the arguments from a value; its members are listed in the order of the map (sorted by default).
    #[must_use]
    pub fn input(mut self, schema: impl Into<Value>) -> Tool {
        self.input_schema = SchemaText::from(&schema.into());
        self
    }

    /// Sets the schema of the arguments from its text, which is listed as it stands, save for white space outside
    /// strings. A text that is not JSON becomes one of the [problems](Tool::problems).
    #[must_use]
    pub fn input_text(mut self, schema: &str) -> Tool {
        match SchemaText::parse(schema) {
            Ok(schema) => self.input_schema = schema,
            Err(why) => self.unreadable.push(format!("inputSchema is not JSON: {why}")),
        }
        self
    }

    /// Sets the schema of the structured content from a value.
    #[must_use]
    pub fn output(mut self, schema: impl Into<Value>) -> Tool {
        self.output_schema = Some(SchemaText::from(&schema.into()));
        self
    }

    /// Sets the schema of the structured content from its text; see [`Tool::input_text`].
    #[must_use]
    pub fn output_text(mut self, schema: &str) -> Tool {
        match SchemaText::parse(schema) {
            Ok(schema) => self.output_schema = Some(schema),
            Err(why) => self.unreadable.push(format!("outputSchema is not JSON: {why}")),
        }
        self
    }

    /// Sets the hints; empty ones are not listed.
    #[must_use]
    pub fn annotations(mut self, annotations: ToolAnnotations) -> Tool {
        self.annotations = Some(annotations).filter(|hints| !hints.is_empty());
        self
    }

    /// What keeps this tool from being listed, one plain phrase each; the builder of the server reports them.
    pub fn problems(&self) -> impl Iterator<Item = &str> {
        let found = [
            self.name.is_empty().then_some("the name is empty"),
            (!is_object_schema(&self.input_schema))
                .then_some("inputSchema must be an object with \"type\": \"object\""),
            self.output_schema
                .as_ref()
                .is_some_and(|schema| !schema.value().is_object())
                .then_some("outputSchema must be an object"),
            self.icons.iter().find_map(Icon::problem),
        ];
        self.unreadable.iter().map(String::as_str).chain(found.into_iter().flatten())
    }
}

/// req 5.1-4: whether the schema is an object whose `type` is `object`.
fn is_object_schema(schema: &SchemaText) -> bool {
    schema.value().get("type").is_some_and(|kind| kind == "object")
}
