//! §18 A value that a JSON Schema lets through, for tools and forms that nobody has said the arguments of.
//! Law: pure, and nothing outside the schema is looked up.
//!
//! What a schema says with keywords that are not read here (`pattern`, `not`, `if`, …) may still refuse the sample.

use serde_json::{Map, Number, Value, json};

/// How deep samples and references go; deeper there is `null`.
const DEPTH: usize = 16;

/// How much longer than a schema asks for a list or a text gets at most.
const LENGTH: u64 = 1000;

/// A value for `schema`. Of an object only the required members are filled in.
pub(crate) fn sample(schema: &Value) -> Value {
    at(schema, schema, DEPTH)
}

/// A value for the part `schema` of `root`.
fn at(schema: &Value, root: &Value, depth: usize) -> Value {
    let Some(depth) = depth.checked_sub(1) else { return Value::Null };
    if let Some(value) = given(schema) {
        return value.clone();
    }
    if let Some(target) = schema.get("$ref").and_then(Value::as_str) {
        let target = target.strip_prefix('#').and_then(|pointer| root.pointer(pointer));
        return target.map_or(Value::Null, |target| at(target, root, depth));
    }
    if let Some(value) = parts(schema).into_iter().find_map(given) {
        return value.clone();
    }
    match kind(schema) {
        Some("object") => object(schema, root, depth),
        Some("array") => array(schema, root, depth),
        Some("string") => json!(string(schema)),
        Some("integer") => integer(schema),
        Some("number") => number(schema),
        Some("boolean") => json!(true),
        Some(_) => Value::Null,
        None => branch(schema, root, depth),
    }
}

/// A value that the schema itself names.
fn given(schema: &Value) -> Option<&Value> {
    let first = |keyword| schema.get(keyword).and_then(Value::as_array).and_then(|values| values.first());
    let one = schema.get("const").or_else(|| schema.get("default"));
    one.or_else(|| first("enum")).or_else(|| first("examples"))
}

/// The type: the first that is not null where there are several, and what the keywords speak of where there is none.
fn kind(schema: &Value) -> Option<&str> {
    match schema.get("type") {
        Some(Value::String(kind)) => Some(kind),
        Some(Value::Array(kinds)) => {
            let mut kinds = kinds.iter().filter_map(Value::as_str);
            let first = kinds.next();
            if first == Some("null") { kinds.next().or(first) } else { first }
        }
        _ => {
            let keywords = [("properties", "object"), ("required", "object"), ("items", "array")];
            keywords.into_iter().find(|(keyword, _)| schema.get(*keyword).is_some()).map(|(_, kind)| kind)
        }
    }
}

/// The required members of an object, those that its parts and its first branch require among them.
fn object(schema: &Value, root: &Value, depth: usize) -> Value {
    let required = schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    let property = |name: &str| schema.get("properties").and_then(|properties| properties.get(name));
    let mut members: Map<String, Value> = required
        .map(|name| (name.to_owned(), property(name).map_or(json!("sample"), |schema| at(schema, root, depth))))
        .collect();
    for part in parts(schema) {
        if let Value::Object(more) = at(part, root, depth) {
            let own = more.into_iter().map(|(name, value)| match property(&name) {
                Some(schema) => (name, at(schema, root, depth)),
                None => (name, value),
            });
            members.extend(own);
        }
    }
    Value::Object(members)
}

/// A value for a schema without a type: of its parts together where they are objects, else of the first.
fn branch(schema: &Value, root: &Value, depth: usize) -> Value {
    let mut values = parts(schema).into_iter().map(|part| at(part, root, depth));
    let Some(mut first) = values.next() else { return json!("sample") };
    if let Value::Object(members) = &mut first {
        for value in values {
            if let Value::Object(more) = value {
                members.extend(more);
            }
        }
    }
    first
}

/// All of `allOf`, the first of `anyOf` and `oneOf`.
fn parts(schema: &Value) -> Vec<&Value> {
    let list = |keyword| schema.get(keyword).and_then(Value::as_array);
    let first = ["anyOf", "oneOf"].into_iter().filter_map(|keyword| list(keyword)?.first());
    list("allOf").into_iter().flatten().chain(first).collect()
}

fn array(schema: &Value, root: &Value, depth: usize) -> Value {
    let least = schema.get("minItems").and_then(Value::as_u64).unwrap_or(0).min(LENGTH);
    let prefix = schema.get("prefixItems").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let rest = schema.get("items").filter(|items| items.is_object());
    let of = |index| prefix.get(index).or(rest).map_or(json!("sample"), |item| at(item, root, depth));
    (0..usize::try_from(least).unwrap_or_default()).map(of).collect()
}

fn string(schema: &Value) -> String {
    let bound = |keyword| schema.get(keyword).and_then(Value::as_u64).map(|length| length.min(LENGTH));
    let text = match schema.get("format").and_then(Value::as_str) {
        Some("date") => return "2026-07-28".to_owned(),
        Some("date-time") => return "2026-07-28T12:00:00Z".to_owned(),
        Some("time") => return "12:00:00Z".to_owned(),
        Some("email") => return "sample@example.com".to_owned(),
        Some("uri") => return "https://example.com/".to_owned(),
        Some("uuid") => return "00000000-0000-4000-8000-000000000000".to_owned(),
        _ => "sample",
    };
    let (least, most) = (bound("minLength").unwrap_or(0), bound("maxLength").unwrap_or(LENGTH));
    let length =
        text.len().max(usize::try_from(least).unwrap_or_default()).min(usize::try_from(most).unwrap_or_default());
    text.chars().cycle().take(length).collect()
}

fn integer(schema: &Value) -> Value {
    let bound = |keyword| schema.get(keyword).and_then(Value::as_f64);
    let least = bound("minimum").map(f64::ceil).or(bound("exclusiveMinimum").map(|least| least.floor() + 1.0));
    let most = bound("maximum").map(f64::floor).or(bound("exclusiveMaximum").map(|most| most.ceil() - 1.0));
    whole(within(least, most, bound("multipleOf").filter(|step| step.fract() == 0.0)))
}

fn number(schema: &Value) -> Value {
    let bound = |keyword| schema.get(keyword).and_then(Value::as_f64);
    // Halfway between an excluded bound and the next whole number on the right side of it.
    let least = bound("minimum").or(bound("exclusiveMinimum").map(|least| (least + least.floor() + 1.0) / 2.0));
    let most = bound("maximum").or(bound("exclusiveMaximum").map(|most| (most + most.ceil() - 1.0) / 2.0));
    let value = within(least, most, bound("multipleOf"));
    if value.fract() == 0.0 { whole(value) } else { Number::from_f64(value).map_or(json!(1), Value::Number) }
}

/// 1 where it fits, else the bound that it breaks, on the next step.
fn within(least: Option<f64>, most: Option<f64>, step: Option<f64>) -> f64 {
    let value = 1.0_f64.min(most.unwrap_or(f64::MAX)).max(least.unwrap_or(f64::MIN));
    match step.filter(|step| *step > 0.0) {
        Some(step) if (value / step).ceil() * step <= most.unwrap_or(f64::MAX) => (value / step).ceil() * step,
        Some(step) => (value / step).floor() * step,
        None => value,
    }
}

/// A whole number, written without a fraction where it fits an int64.
fn whole(value: f64) -> Value {
    match format!("{value:.0}").parse::<i64>() {
        Ok(number) => json!(number),
        Err(_) => json!(value),
    }
}
