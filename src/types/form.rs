//! §10.1 The schema of a form: flat, primitive properties, and what answers fit it.

use std::cmp::Ordering;
use std::fmt;

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Number, Value};

/// The type of one field (§10.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FieldKind {
    /// A text, or one choice out of several.
    String,
    /// Any number.
    Number,
    /// A whole number.
    Integer,
    /// Yes or no.
    Boolean,
    /// Several choices out of several.
    Array,
}

/// One choice with a title for people (§10.1).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Choice {
    /// What is answered.
    #[serde(rename = "const")]
    pub value: String,
    /// What is shown.
    pub title: String,
}

/// What a multiple choice chooses from (§10.1): `enum` or `anyOf`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct Items {
    /// `string`, beside `enum`.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<FieldKind>,
    /// The choices, without titles.
    #[serde(rename = "enum", skip_serializing_if = "Option::is_none")]
    pub choices: Option<Vec<String>>,
    /// The choices, with titles.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub any_of: Option<Vec<Choice>>,
}

/// One field of a form: the schema's `PrimitiveSchemaDefinition` (§10.1).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct FieldSchema {
    /// The type of the answer.
    #[serde(rename = "type")]
    pub kind: FieldKind,
    /// The name for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What is asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The least number of characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_length: Option<u64>,
    /// The greatest number of characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_length: Option<u64>,
    /// `email`, `uri`, `date` or `date-time`. A hint: an answer is not judged by it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
    /// The least number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub minimum: Option<Number>,
    /// The greatest number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub maximum: Option<Number>,
    /// The choices, without titles.
    #[serde(rename = "enum", default, skip_serializing_if = "Option::is_none")]
    pub choices: Option<Vec<String>>,
    /// The titles of the choices, as older clients take them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub enum_names: Option<Vec<String>>,
    /// The choices, with titles.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub one_of: Option<Vec<Choice>>,
    /// What a multiple choice chooses from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub items: Option<Items>,
    /// The least number of choices.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_items: Option<u64>,
    /// The greatest number of choices.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_items: Option<u64>,
    /// What the form shows before the user answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<Value>,
}

impl FieldSchema {
    /// A field of this type without limits.
    pub(super) fn new(kind: FieldKind) -> FieldSchema {
        FieldSchema {
            kind,
            title: None,
            description: None,
            min_length: None,
            max_length: None,
            format: None,
            minimum: None,
            maximum: None,
            choices: None,
            enum_names: None,
            one_of: None,
            items: None,
            min_items: None,
            max_items: None,
            default: None,
        }
    }

    /// Whether this value answers the field: its type, its bounds and its choices (§10.1).
    pub fn accepts(&self, value: &Value) -> bool {
        match (self.kind, value) {
            (FieldKind::Boolean, Value::Bool(_)) => true,
            (FieldKind::String, Value::String(text)) => self.accepts_text(text),
            (FieldKind::Number, Value::Number(number)) => self.accepts_number(number),
            (FieldKind::Integer, Value::Number(number)) => is_whole(number) && self.accepts_number(number),
            (FieldKind::Array, Value::Array(list)) => self.accepts_list(list),
            _ => false,
        }
    }

    fn accepts_text(&self, text: &str) -> bool {
        let chosen = self.choices.as_ref().is_none_or(|choices| choices.iter().any(|choice| choice == text))
            && self.one_of.as_ref().is_none_or(|choices| choices.iter().any(|choice| choice.value == text));
        chosen && within(text.chars().count(), self.min_length, self.max_length)
    }

    fn accepts_number(&self, number: &Number) -> bool {
        self.minimum.as_ref().is_none_or(|least| compare(number, least).is_ge())
            && self.maximum.as_ref().is_none_or(|greatest| compare(number, greatest).is_le())
    }

    fn accepts_list(&self, list: &[Value]) -> bool {
        let chosen =
            |value: &Value| value.as_str().is_some_and(|text| self.items.as_ref().is_none_or(|of| of.has(text)));
        list.iter().all(chosen) && within(list.len(), self.min_items, self.max_items)
    }
}

impl Items {
    fn has(&self, text: &str) -> bool {
        self.choices.as_ref().is_none_or(|choices| choices.iter().any(|choice| choice == text))
            && self.any_of.as_ref().is_none_or(|choices| choices.iter().any(|choice| choice.value == text))
    }
}

/// Whether a count lies within two bounds, each of which may be absent.
fn within(count: usize, least: Option<u64>, greatest: Option<u64>) -> bool {
    let count = u64::try_from(count).unwrap_or(u64::MAX);
    least.is_none_or(|least| count >= least) && greatest.is_none_or(|greatest| count <= greatest)
}

/// Whether a number has no fraction; `1.0` is whole, as in JSON Schema.
pub(super) fn is_whole(number: &Number) -> bool {
    number.as_f64().is_some_and(|value| value.fract() == 0.0)
}

/// Compares exactly where both are integers, else as floats.
pub(super) fn compare(a: &Number, b: &Number) -> Ordering {
    match (a.as_i128(), b.as_i128()) {
        (Some(a), Some(b)) => a.cmp(&b),
        _ => a.as_f64().partial_cmp(&b.as_f64()).unwrap_or(Ordering::Equal),
    }
}

/// `"type": "object"` (§10.1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ObjectKind {
    /// The only type that a form has.
    #[default]
    Object,
}

/// The `requestedSchema` of a form (§10.1).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct FormSchema {
    /// `$schema`.
    #[serde(rename = "$schema", default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<String>,
    /// Always `object`.
    #[serde(rename = "type")]
    pub kind: ObjectKind,
    /// The fields, in the order of their author.
    pub properties: Fields,
    /// The names of the fields that must be answered.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub required: Vec<String>,
}

impl FormSchema {
    /// Whether an accepted answer fits: every required field is there and every field of the form fits its own schema.
    /// Members that the form does not name are let through, as JSON Schema does.
    pub fn accepts(&self, content: &Map<String, Value>) -> bool {
        let fits = |(name, field): &(String, FieldSchema)| content.get(name).is_none_or(|value| field.accepts(value));
        self.required.iter().all(|name| content.contains_key(name)) && self.properties.0.iter().all(fits)
    }
}

/// The fields of a form by name, in the order of their author.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Fields(pub Vec<(String, FieldSchema)>);

impl Serialize for Fields {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        out.collect_map(self.0.iter().map(|(name, field)| (name, field)))
    }
}

impl<'de> Deserialize<'de> for Fields {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Fields, D::Error> {
        source.deserialize_map(FieldsVisitor)
    }
}

struct FieldsVisitor;

impl<'de> Visitor<'de> for FieldsVisitor {
    type Value = Fields;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("an object of form fields")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Fields, A::Error> {
        let mut fields = Vec::new();
        while let Some(field) = map.next_entry()? {
            fields.push(field);
        }
        Ok(Fields(fields))
    }
}
