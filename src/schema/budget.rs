//! §5.2 The bounds of the schema checker: how deep and how long one check may run.
//! Law: neither a schema nor an instance can make a check hang or overflow the stack.

use serde_json::Value;

// req 5.2-18: the four bounds below

/// How many schemas may be open inside one another while an instance is checked, and how deep a schema may nest.
pub(super) const MAX_DEPTH: usize = 512;

/// How many subschemas one schema may have.
pub(super) const MAX_SCHEMAS: usize = 10_000;

/// How deep a value of `const` or `enum` may nest.
pub(super) const MAX_VALUE_DEPTH: usize = 128;

/// The work of one check: a step is one schema applied, one rule tried, one value compared, or a few characters matched.
pub(super) const MAX_STEPS: u64 = 20_000_000;

/// Whether a value nests more than `limit` levels; a scalar has one level. Uses no stack.
pub(super) fn is_deeper(value: &Value, limit: usize) -> bool {
    let mut open = vec![(value, 1_usize)];
    while let Some((value, level)) = open.pop() {
        if level > limit {
            return true;
        }
        let inner = level.saturating_add(1);
        match value {
            Value::Array(items) => open.extend(items.iter().map(|item| (item, inner))),
            Value::Object(map) => open.extend(map.values().map(|item| (item, inner))),
            _ => {}
        }
    }
    false
}

/// A bound was met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Spent {
    Steps,
    Depth,
}

impl Spent {
    pub(super) fn text(self) -> String {
        match self {
            Spent::Steps => format!("takes more than {MAX_STEPS} steps to check against its schema"),
            Spent::Depth => format!("nests more than {MAX_DEPTH} levels of schemas or values"),
        }
    }
}

/// What is left of the bounds of one check.
pub(super) struct Budget {
    steps: u64,
    depth: usize,
}

impl Budget {
    pub(super) fn new() -> Budget {
        Budget { steps: MAX_STEPS, depth: MAX_DEPTH }
    }

    /// Pays for `steps` of work.
    pub(super) fn spend(&mut self, steps: u64) -> Result<(), Spent> {
        self.steps = self.steps.checked_sub(steps).ok_or(Spent::Steps)?;
        Ok(())
    }

    /// Pays for work that is in proportion to a length.
    pub(super) fn spend_on(&mut self, length: usize) -> Result<(), Spent> {
        self.spend(u64::try_from(length).unwrap_or(u64::MAX))
    }

    /// What is left of the depth, for [`Budget::restore`] after a check that ended early.
    pub(super) fn depth(&self) -> usize {
        self.depth
    }

    pub(super) fn restore(&mut self, depth: usize) {
        self.depth = depth;
    }

    /// Goes one level down; `leave` goes up again.
    pub(super) fn enter(&mut self) -> Result<(), Spent> {
        self.depth = self.depth.checked_sub(1).ok_or(Spent::Depth)?;
        self.spend(1)
    }

    pub(super) fn leave(&mut self) {
        self.depth = self.depth.saturating_add(1);
    }
}
