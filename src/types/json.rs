//! §2.1 Small helpers around `serde_json`.

use serde::{Deserialize, Deserializer};
use serde_json::{Map, Number, Value};

/// The `_meta` object of a result, a content block or a listed item (§2.1, §3).
pub type Meta = Map<String, Value>;

/// A JSON number from a float; nothing for NaN and the infinities, which JSON cannot write. Whole numbers keep their `.0`.
pub(super) fn number(value: f64) -> Option<Number> {
    Number::from_f64(value)
}

/// Reads a member whose value may be a legitimate `null`: present is `Some`, whatever it holds.
pub(super) fn present<'de, D: Deserializer<'de>>(source: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(source).map(Some)
}

/// Adds one member to an optional `_meta` object.
pub(super) fn add_meta(meta: &mut Option<Meta>, key: impl Into<String>, value: impl Into<Value>) {
    meta.get_or_insert_with(Meta::new).insert(key.into(), value.into());
}
