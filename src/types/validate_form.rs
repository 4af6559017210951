//! §10.1 Whether a form's `requestedSchema` is one: flat, primitive properties and nothing else.

use serde::Deserialize;
use serde_json::{Map, Number, Value};

use super::form::{FieldSchema, compare};
use super::verdict::Verdict;

/// The formats of a text field (§10.1).
const FORMATS: [&str; 4] = ["email", "uri", "date", "date-time"];

/// The keywords that every field may have.
const COMMON: [&str; 4] = ["type", "title", "description", "default"];

/// req 10.1-6: judges a `requestedSchema`.
pub(super) fn schema(schema: &Map<String, Value>) -> Verdict {
    if let Some(name) =
        schema.keys().find(|name| !["$schema", "type", "properties", "required"].contains(&name.as_str()))
    {
        return Err(format!("requestedSchema has no member {name}"));
    }
    if schema.get("type").is_none_or(|kind| kind != "object") {
        return Err(String::from("requestedSchema must have the type object"));
    }
    if schema.get("$schema").is_some_and(|dialect| !dialect.is_string()) {
        return Err(String::from("$schema must be a string"));
    }
    let properties = schema.get("properties").and_then(Value::as_object);
    let properties = properties.ok_or("requestedSchema must have an object of properties")?;
    for (name, property) in properties {
        let property = property.as_object().ok_or_else(|| format!("property {name} must be an object"))?;
        field(property).map_err(|why| format!("property {name}: {why}"))?;
    }
    required(schema.get("required"), properties)
}

/// `required` is a list of names, each that of a property and none of them twice.
fn required(required: Option<&Value>, properties: &Map<String, Value>) -> Verdict {
    let Some(required) = required else { return Ok(()) };
    let names = strings(required).ok_or("required must be a list of strings")?;
    if let Some(name) = names.iter().find(|name| !properties.contains_key(**name)) {
        return Err(format!("required names {name}, which is no property"));
    }
    if has_twin(&names) {
        return Err(String::from("required names a property twice"));
    }
    Ok(())
}

/// Judges one property.
fn field(field: &Map<String, Value>) -> Verdict {
    match field.get("type").and_then(Value::as_str) {
        Some("string") if field.contains_key("enum") => {
            keywords(field, &["enum", "enumNames"])?;
            choices(field.get("enum"), "enum")?;
            enum_names(field)?;
        }
        Some("string") if field.contains_key("oneOf") => {
            keywords(field, &["oneOf"])?;
            titled(field.get("oneOf"), "oneOf")?;
        }
        Some("string") => {
            keywords(field, &["minLength", "maxLength", "format"])?;
            counts(field, "minLength", "maxLength")?;
            format(field)?;
        }
        Some("number" | "integer") => {
            keywords(field, &["minimum", "maximum"])?;
            bounds(field)?;
        }
        Some("boolean") => keywords(field, &[])?,
        Some("array") => {
            keywords(field, &["items", "minItems", "maxItems"])?;
            items(field)?;
            counts(field, "minItems", "maxItems")?;
        }
        _ => return Err(String::from("type must be string, number, integer, boolean or array")),
    }
    default(field)
}

/// Refuses keywords that a field of this type does not have; titles and descriptions are strings.
fn keywords(field: &Map<String, Value>, own: &[&str]) -> Verdict {
    if let Some(name) = field.keys().find(|name| !COMMON.contains(&name.as_str()) && !own.contains(&name.as_str())) {
        return Err(format!("{name} is no keyword of this field"));
    }
    match ["title", "description"].into_iter().find(|name| field.get(*name).is_some_and(|value| !value.is_string())) {
        Some(name) => Err(format!("{name} must be a string")),
        None => Ok(()),
    }
}

/// A non-empty list of different strings.
fn choices(value: Option<&Value>, name: &str) -> Verdict {
    let list = value.and_then(strings).filter(|list| !list.is_empty());
    let list = list.ok_or_else(|| format!("{name} must be a non-empty list of strings"))?;
    if has_twin(&list) { Err(format!("{name} has a choice twice")) } else { Ok(()) }
}

/// A non-empty list of different `{"const", "title"}`.
fn titled(value: Option<&Value>, name: &str) -> Verdict {
    let one = |choice: &'_ Value| -> Option<String> {
        let members = choice.as_object().filter(|members| members.len() == 2)?;
        members.get("title")?.as_str()?;
        Some(members.get("const")?.as_str()?.to_owned())
    };
    let list = value.and_then(Value::as_array).filter(|list| !list.is_empty());
    let list: Option<Vec<String>> = list.and_then(|list| list.iter().map(one).collect());
    let list = list.ok_or_else(|| format!("{name} must be a non-empty list of const and title"))?;
    if has_twin(&list) { Err(format!("{name} has a choice twice")) } else { Ok(()) }
}

/// One title for each choice.
fn enum_names(field: &Map<String, Value>) -> Verdict {
    let Some(names) = field.get("enumNames") else { return Ok(()) };
    let choices = field.get("enum").and_then(Value::as_array).map_or(0, Vec::len);
    match strings(names) {
        Some(names) if names.len() == choices => Ok(()),
        _ => Err(String::from("enumNames must be a list of as many strings as enum")),
    }
}

/// `items` of a multiple choice: an enum of strings, or anyOf of const and title.
fn items(field: &Map<String, Value>) -> Verdict {
    let items = field.get("items").and_then(Value::as_object).ok_or("items must be an object")?;
    if items.contains_key("anyOf") {
        only(items, &["anyOf"])?;
        return titled(items.get("anyOf"), "anyOf");
    }
    only(items, &["type", "enum"])?;
    if items.get("type").is_none_or(|kind| kind != "string") {
        return Err(String::from("items must have the type string"));
    }
    choices(items.get("enum"), "enum")
}

fn only(items: &Map<String, Value>, names: &[&str]) -> Verdict {
    match items.keys().find(|name| !names.contains(&name.as_str())) {
        Some(name) => Err(format!("{name} is no keyword of items")),
        None => Ok(()),
    }
}

fn format(field: &Map<String, Value>) -> Verdict {
    match field.get("format") {
        Some(format) if !FORMATS.iter().any(|known| format == known) => {
            Err(String::from("format must be email, uri, date or date-time"))
        }
        _ => Ok(()),
    }
}

/// Two counts, in order.
fn counts(field: &Map<String, Value>, least: &str, greatest: &str) -> Verdict {
    let count = |name: &str| match field.get(name) {
        None => Ok(None),
        Some(value) => value.as_u64().map(Some).ok_or_else(|| format!("{name} must be a whole number from 0")),
    };
    match (count(least)?, count(greatest)?) {
        (Some(low), Some(high)) if low > high => Err(format!("{least} is greater than {greatest}")),
        _ => Ok(()),
    }
}

/// `minimum` and `maximum`, in order.
fn bounds(field: &Map<String, Value>) -> Verdict {
    let bound = |name: &str| -> Result<Option<&Number>, String> {
        let value = field.get(name);
        value.map(|value| value.as_number().ok_or_else(|| format!("{name} must be a number"))).transpose()
    };
    match (bound("minimum")?, bound("maximum")?) {
        (Some(low), Some(high)) if compare(low, high).is_gt() => Err(String::from("minimum is greater than maximum")),
        _ => Ok(()),
    }
}

/// The default answers the field itself.
fn default(field: &Map<String, Value>) -> Verdict {
    let Some(value) = field.get("default") else { return Ok(()) };
    let schema = FieldSchema::deserialize(field).map_err(|error| error.to_string())?;
    if schema.accepts(value) { Ok(()) } else { Err(String::from("default does not fit the field")) }
}

/// The list as strings, where it is one.
fn strings(value: &Value) -> Option<Vec<&str>> {
    value.as_array()?.iter().map(Value::as_str).collect()
}

/// Whether two of the texts are the same.
fn has_twin<S: AsRef<str>>(texts: &[S]) -> bool {
    texts.iter().enumerate().any(|(at, text)| texts.iter().take(at).any(|earlier| earlier.as_ref() == text.as_ref()))
}
