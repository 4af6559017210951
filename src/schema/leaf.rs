//! §5.2 Rules that look at one value only, and what each says when it is broken.

use std::cmp::Ordering;

use serde_json::{Map, Value};

use super::budget::{Budget, Spent};
use super::equal::{equal, repeated};
use super::number::Num;
use super::report::{clip, count, quoted, shown};
use super::rule::{Rule, Side, Type};

/// How much of a list of allowed values is shown.
const LIST: usize = 300;

/// Whether the rule holds. A rule on another type of value holds; so does one that applies subschemas, which is
/// tried elsewhere.
pub(super) fn holds(rule: &Rule, value: &Value, budget: &mut Budget) -> Result<bool, Spent> {
    Ok(match (rule, value) {
        (Rule::Type(types), _) => types.iter().any(|known| known.fits(value)),
        (Rule::Const(only), _) => equal(only, value, budget)?,
        (Rule::Enum(values), _) => {
            let mut found = false;
            for known in values {
                found = found || equal(known, value, budget)?;
            }
            found
        }
        (Rule::Limit { side, limit, .. }, Value::Number(number)) => on_side(Num::of(number).cmp(limit), *side),
        (Rule::MultipleOf { divisor, .. }, Value::Number(number)) => Num::of(number).is_multiple_of(*divisor),
        (Rule::MinLength(least), Value::String(text)) => {
            budget.spend_on(text.len() / 64)?;
            length(text) >= *least
        }
        (Rule::MaxLength(most), Value::String(text)) => {
            budget.spend_on(text.len() / 64)?;
            length(text) <= *most
        }
        (Rule::Pattern(pattern), Value::String(text)) => {
            budget.spend(pattern.cost(text))?;
            pattern.matches(text)
        }
        (Rule::MinItems(least), Value::Array(items)) => size(items.len()) >= *least,
        (Rule::MaxItems(most), Value::Array(items)) => size(items.len()) <= *most,
        (Rule::UniqueItems, Value::Array(items)) => repeated(items, budget)?.is_none(),
        (Rule::Required(names), Value::Object(map)) => {
            budget.spend_on(names.len())?;
            missing(names, map).is_none()
        }
        (Rule::MinProperties(least), Value::Object(map)) => size(map.len()) >= *least,
        (Rule::MaxProperties(most), Value::Object(map)) => size(map.len()) <= *most,
        (Rule::DependentRequired(rows), Value::Object(map)) => {
            budget.spend_on(rows.len())?;
            needed(rows, map).is_none()
        }
        _ => true,
    })
}

/// What is wrong with a value that breaks the rule.
pub(super) fn fault(rule: &Rule, value: &Value) -> String {
    match rule {
        Rule::Type(types) => format!("must be of type {}", alternatives(types.iter().map(|known| known.name()))),
        Rule::Const(only) => format!("must be {}", shown(only)),
        Rule::Enum(values) if values.is_empty() => "can have no value".to_owned(),
        Rule::Enum(values) => {
            format!("must be one of {}", clip(&values.iter().map(shown).collect::<Vec<_>>().join(", "), LIST))
        }
        Rule::Limit { side, shown, .. } => match side {
            Side::AtLeast => format!("must be at least {shown}"),
            Side::MoreThan => format!("must be greater than {shown}"),
            Side::AtMost => format!("must be at most {shown}"),
            Side::LessThan => format!("must be less than {shown}"),
        },
        Rule::MultipleOf { shown, .. } => format!("must be a multiple of {shown}"),
        Rule::MinLength(least) => format!("must have at least {}", count(*least, "character", "characters")),
        Rule::MaxLength(most) => format!("must have at most {}", count(*most, "character", "characters")),
        Rule::Pattern(pattern) => format!("must match the pattern {}", quoted(&pattern.source)),
        Rule::MinItems(least) => format!("must have at least {}", count(*least, "item", "items")),
        Rule::MaxItems(most) => format!("must have at most {}", count(*most, "item", "items")),
        Rule::UniqueItems => {
            match value.as_array().and_then(|items| repeated(items, &mut Budget::new()).ok().flatten()) {
                Some((first, second)) => format!("must have different items, but items {first} and {second} are equal"),
                None => "must have different items".to_owned(),
            }
        }
        Rule::MinProperties(least) => format!("must have at least {}", count(*least, "property", "properties")),
        Rule::MaxProperties(most) => format!("must have at most {}", count(*most, "property", "properties")),
        Rule::Required(names) => match value.as_object().and_then(|map| missing(names, map)) {
            Some(name) => format!("missing required property {}", quoted(name)),
            None => "missing a required property".to_owned(),
        },
        Rule::DependentRequired(rows) => match value.as_object().and_then(|map| needed(rows, map)) {
            Some((name, need)) => {
                format!("missing property {}, which {} requires", quoted(need), quoted(name))
            }
            None => "missing a property that another requires".to_owned(),
        },
        _ => "does not match its schema".to_owned(),
    }
}

/// `a`, `a or b`, `a, b or c`.
fn alternatives<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let mut names: Vec<&str> = names.collect();
    match names.pop() {
        Some(last) if names.is_empty() => last.to_owned(),
        Some(last) => format!("{} or {last}", names.join(", ")),
        None => Type::Null.name().to_owned(),
    }
}

fn on_side(order: Ordering, side: Side) -> bool {
    match side {
        Side::AtLeast => order.is_ge(),
        Side::MoreThan => order.is_gt(),
        Side::AtMost => order.is_le(),
        Side::LessThan => order.is_lt(),
    }
}

/// The length of a text in Unicode code points.
fn length(text: &str) -> u64 {
    size(text.chars().count())
}

fn size(length: usize) -> u64 {
    u64::try_from(length).unwrap_or(u64::MAX)
}

fn missing<'a>(names: &'a [String], map: &Map<String, Value>) -> Option<&'a String> {
    names.iter().find(|name| !map.contains_key(*name))
}

/// The first property that is there and needs another that is not.
fn needed<'a>(rows: &'a [(String, Vec<String>)], map: &Map<String, Value>) -> Option<(&'a String, &'a String)> {
    let present = rows.iter().filter(|(name, _)| map.contains_key(name));
    present.into_iter().find_map(|(name, needs)| Some((name, missing(needs, map)?)))
}
