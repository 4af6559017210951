//! §5.2 Equality of JSON values as JSON Schema means it: `1` equals `1.0`, members have no order.

use std::hash::{DefaultHasher, Hash, Hasher};

use serde_json::Value;

use super::budget::{Budget, Spent};
use super::number::Num;

/// Up to this many items are compared each with each; more are sorted by hash first.
const FEW: usize = 8;

/// Whether two values are equal.
pub(super) fn equal(left: &Value, right: &Value, budget: &mut Budget) -> Result<bool, Spent> {
    budget.enter()?;
    let same = match (left, right) {
        (Value::Null, Value::Null) => true,
        (Value::Bool(left), Value::Bool(right)) => left == right,
        (Value::Number(left), Value::Number(right)) => Num::of(left) == Num::of(right),
        (Value::String(left), Value::String(right)) => {
            budget.spend_on(left.len().min(right.len()) / 64)?;
            left == right
        }
        (Value::Array(left), Value::Array(right)) => {
            let mut same = left.len() == right.len();
            for (left, right) in left.iter().zip(right) {
                same = same && equal(left, right, budget)?;
            }
            same
        }
        (Value::Object(left), Value::Object(right)) => {
            let mut same = left.len() == right.len();
            for (name, value) in left {
                same = same && right.get(name).map_or(Ok(false), |other| equal(value, other, budget))?;
            }
            same
        }
        _ => false,
    };
    budget.leave();
    Ok(same)
}

/// The first item that equals an earlier one, and that earlier one.
pub(super) fn repeated(items: &[Value], budget: &mut Budget) -> Result<Option<(usize, usize)>, Spent> {
    if items.len() <= FEW {
        for (second, item) in items.iter().enumerate() {
            for (first, earlier) in items.iter().enumerate().take(second) {
                if equal(earlier, item, budget)? {
                    return Ok(Some((first, second)));
                }
            }
        }
        return Ok(None);
    }
    let mut hashes = Vec::with_capacity(items.len());
    for (index, item) in items.iter().enumerate() {
        hashes.push((hash(item, budget)?, index, item));
    }
    hashes.sort_unstable_by_key(|(hash, index, _)| (*hash, *index));
    let mut found: Option<(usize, usize)> = None;
    for group in hashes.chunk_by(|left, right| left.0 == right.0) {
        for (place, (_, second, item)) in group.iter().enumerate() {
            for (_, first, earlier) in group.iter().take(place) {
                let sooner = found.is_none_or(|(_, known)| *second < known);
                if sooner && equal(earlier, item, budget)? {
                    found = Some((*first, *second));
                }
            }
        }
    }
    Ok(found)
}

/// Equal values have equal hashes.
fn hash(value: &Value, budget: &mut Budget) -> Result<u64, Spent> {
    budget.enter()?;
    let mut hasher = DefaultHasher::new();
    match value {
        Value::Null => 0_u8.hash(&mut hasher),
        Value::Bool(flag) => flag.hash(&mut hasher),
        Value::Number(number) => Num::of(number).hash(&mut hasher),
        Value::String(text) => {
            budget.spend_on(text.len() / 64)?;
            text.hash(&mut hasher);
        }
        Value::Array(items) => {
            3_u8.hash(&mut hasher);
            for item in items {
                hash(item, budget)?.hash(&mut hasher);
            }
        }
        Value::Object(map) => {
            let mut sum = 0_u64;
            for (name, value) in map {
                let mut member = DefaultHasher::new();
                (name, hash(value, budget)?).hash(&mut member);
                sum = sum.wrapping_add(member.finish());
            }
            (4_u8, sum).hash(&mut hasher);
        }
    }
    budget.leave();
    Ok(hasher.finish())
}
