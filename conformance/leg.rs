//! §19 A leg: one way of running the runner. `run.rs` has the table of them.

use std::path::Path;

use crate::install::Tools;

/// One way of running the runner.
pub(crate) struct Leg {
    /// The runner's own word for it, in its requirement sets too.
    pub(crate) name: &'static str,
    /// The requirement set.
    pub(crate) revision: &'static str,
    /// What the runner puts before a scenario's name in a result folder's name.
    pub(crate) prefix: &'static str,
    /// Runs it once; returns what went wrong beside the scenarios. An error means that there is nothing to score.
    pub(crate) run: fn(&Job<'_>) -> Result<Vec<String>, String>,
}

/// What a leg needs to run once.
pub(crate) struct Job<'a> {
    pub(crate) tools: &'a Tools,
    /// The program under test.
    pub(crate) program: &'a Path,
    /// The requirement set.
    pub(crate) revision: &'a str,
    /// An empty folder for the results.
    pub(crate) out: &'a Path,
    pub(crate) verbose: bool,
}
