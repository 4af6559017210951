//! §2.1 Small helpers around `serde_json`.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::{Error, Map, Number, Value};

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

/// Makes a type readable by a function from `&Value`. What is read by its `type` member is read so: serde's own way to do it buffers
/// the members, with code of its own for every type that may be in them.
macro_rules! read_value {
    ($kind:ident, |$value:ident| $read:expr) => {
        impl $kind {
            fn read_value($value: &serde_json::Value) -> Result<$kind, serde_json::Error> {
                $read
            }
        }

        impl<'de> serde::Deserialize<'de> for $kind {
            fn deserialize<D: serde::Deserializer<'de>>(source: D) -> Result<$kind, D::Error> {
                let value = serde_json::Value::deserialize(source)?;
                $kind::read_value(&value).map_err(serde::de::Error::custom)
            }
        }
    };
}
pub(super) use read_value;

/// The `type` of a block.
pub(super) fn kind(block: &Value) -> Option<&str> {
    block.get("type")?.as_str()
}

/// What is said of a block with another `type`, or without one.
pub(super) fn no_such_kind() -> Error {
    Error::custom("not one of the types that this may have")
}
