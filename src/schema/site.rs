//! §5.1 What the compile function of one keyword sees: its value, its neighbours and the numbers of its subschemas.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::number::Num;
use super::pattern::{Pattern, Trouble};
use super::rule::{NodeId, Rule};

/// Finds the number of a subschema by where it lies in memory; the document does not move while it is compiled.
pub(super) type Index = BTreeMap<*const Value, NodeId>;

/// Why a keyword is refused; the compiler adds the place.
pub(super) enum Refusal {
    Malformed(String),
    Lacking(String),
}

/// What the compile function of a keyword yields: nothing where the keyword asserts nothing.
pub(super) type Compiled = Result<Option<Rule>, Refusal>;

/// One keyword in one subschema.
pub(super) struct Site<'a> {
    pub(super) keyword: &'static str,
    pub(super) value: &'a Value,
    pub(super) object: &'a Map<String, Value>,
    pub(super) index: &'a Index,
    /// Where `$ref` leads.
    pub(super) target: Option<NodeId>,
}

/// A refusal that is the author's mistake.
pub(super) fn malformed<T>(reason: impl Into<String>) -> Result<T, Refusal> {
    Err(Refusal::Malformed(reason.into()))
}

impl Site<'_> {
    /// The value of a keyword that stands beside this one.
    pub(super) fn beside(&self, keyword: &str) -> Option<&Value> {
        self.object.get(keyword)
    }

    pub(super) fn array(&self) -> Result<&Vec<Value>, Refusal> {
        self.value.as_array().map_or_else(|| malformed("must be an array"), Ok)
    }

    pub(super) fn map(&self) -> Result<&Map<String, Value>, Refusal> {
        self.value.as_object().map_or_else(|| malformed("must be an object"), Ok)
    }

    pub(super) fn number(&self) -> Result<Num, Refusal> {
        self.value.as_number().map(Num::of).map_or_else(|| malformed("must be a number"), Ok)
    }

    pub(super) fn flag(&self) -> Result<bool, Refusal> {
        self.value.as_bool().map_or_else(|| malformed("must be a boolean"), Ok)
    }

    pub(super) fn text(&self) -> Result<&str, Refusal> {
        self.value.as_str().map_or_else(|| malformed("must be a string"), Ok)
    }

    /// The value as a count, such as that of `minLength`.
    pub(super) fn count(&self) -> Result<u64, Refusal> {
        count(self.value)
    }

    /// The number of a subschema that lies in this keyword.
    pub(super) fn node(&self, schema: &Value) -> Result<NodeId, Refusal> {
        let found = self.index.get(&std::ptr::from_ref(schema));
        found.copied().map_or_else(|| malformed("must be a schema"), Ok)
    }

    /// The numbers of the subschemas of an array that may not be empty.
    pub(super) fn nodes(&self) -> Result<Vec<NodeId>, Refusal> {
        match self.array()?.as_slice() {
            [] => malformed("must not be empty"),
            schemas => schemas.iter().map(|schema| self.node(schema)).collect(),
        }
    }

    /// The numbers of the subschemas of an object, by name.
    pub(super) fn named_nodes(&self) -> Result<Vec<(String, NodeId)>, Refusal> {
        self.map()?.iter().map(|(name, schema)| Ok((name.clone(), self.node(schema)?))).collect()
    }
}

pub(super) fn count(value: &Value) -> Result<u64, Refusal> {
    let count = value.as_number().map(Num::of).and_then(Num::as_count);
    count.map_or_else(|| malformed("must be an integer of at least 0"), Ok)
}

/// An array of different strings.
pub(super) fn names(value: &Value) -> Result<Vec<String>, Refusal> {
    const REASON: &str = "must be an array of different strings";
    let Some(values) = value.as_array() else { return malformed(REASON) };
    let mut seen = std::collections::BTreeSet::new();
    let mut list = Vec::with_capacity(values.len());
    for value in values {
        match value.as_str() {
            Some(name) if seen.insert(name) => list.push(name.to_owned()),
            _ => return malformed(REASON),
        }
    }
    Ok(list)
}

pub(super) fn pattern(source: &str) -> Result<Pattern, Refusal> {
    let quoted = super::report::quoted(source);
    Pattern::read(source).map_err(|trouble| match trouble {
        Trouble::Malformed(reason) => Refusal::Malformed(format!("the pattern {quoted} {reason}")),
        Trouble::Lacking(reason) => Refusal::Lacking(format!("the pattern {quoted} {reason}")),
    })
}
