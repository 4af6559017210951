//! §19 A leg: one way of running the runner. `run.rs` has the table of them.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::install::Tools;
use crate::process::Process;
use crate::score::Exits;

const RUNNER_LIMIT: Duration = Duration::from_secs(240);

/// One way of running the runner.
pub(crate) struct Leg {
    /// The runner's own word for it, in its requirement sets too.
    pub(crate) name: &'static str,
    /// The revision that is spoken.
    pub(crate) revision: &'static str,
    /// The program of ours that is tested: the name of its target.
    pub(crate) program: &'static str,
    /// What the runner puts before a scenario's name in a result folder's name.
    pub(crate) prefix: &'static str,
    /// Runs it once. An error means that there is nothing to score.
    pub(crate) run: fn(&Job<'_>) -> Result<Outcome, String>,
}

/// What a run tells beside the results that the runner leaves.
pub(crate) struct Outcome {
    /// What went wrong beside the scenarios.
    pub(crate) troubles: Vec<String>,
    /// How the clients ended, where clients are tested.
    pub(crate) exits: Option<Exits>,
}

/// What a leg needs to run once.
pub(crate) struct Job<'a> {
    pub(crate) tools: &'a Tools,
    /// The program under test.
    pub(crate) program: &'a Path,
    /// The revision that is spoken.
    pub(crate) revision: &'a str,
    /// An empty folder for the results.
    pub(crate) out: &'a Path,
    pub(crate) verbose: bool,
}

impl Job<'_> {
    /// Runs the runner. Exit code 1 only says that some check failed, which the score card says better.
    ///
    /// # Errors
    /// It does not run, or does not end as it should.
    pub(crate) fn run_runner(&self, command: Command) -> Result<(), String> {
        let log = self.out.join("runner.log");
        let status = Process::run("runner", command, &log, self.verbose, RUNNER_LIMIT)?;
        match status.code() {
            Some(0 | 1) => Ok(()),
            _ => Err(format!("runner: {status}; see {}", log.display())),
        }
    }
}
