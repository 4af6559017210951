//! How much of what was done.

use std::collections::BTreeMap;
use std::fmt;

#[derive(Clone, Debug, Default)]
pub struct Counts(BTreeMap<(&'static str, &'static str), u64>);

impl Counts {
    pub fn add(&mut self, transport: &'static str, kind: &'static str) {
        *self.0.entry((transport, kind)).or_default() += 1;
    }

    pub fn merge(&mut self, other: &Counts) {
        other.0.iter().for_each(|(key, count)| *self.0.entry(*key).or_default() += count);
    }

    pub fn total(&self) -> u64 {
        self.0.values().sum()
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|((transport, kind), count)| writeln!(out, "  {transport:<6} {kind:<24} {count:>9}"))
    }
}
