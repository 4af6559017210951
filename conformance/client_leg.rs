//! §19.2 The client leg: the runner is the server, one for each scenario, and starts our client for each of them.

use std::fs;

use crate::leftovers;
use crate::leg::{Job, Outcome};
use crate::witness;

/// Runs the runner once; tells how the clients ended, and what was still running afterwards.
///
/// # Errors
/// The clients cannot be started: there is nothing to score.
pub(crate) fn run(job: &Job<'_>) -> Result<Outcome, String> {
    let folder = job.out.join("exits");
    fs::create_dir_all(&folder).map_err(|error| format!("cannot make {}: {error}", folder.display()))?;
    let launcher = std::env::current_exe().map_err(|error| format!("this program's place: {error}"))?;
    let client = witness::command(&launcher, &folder, job.program)?;

    let mut command = job.tools.runner_command();
    command.current_dir(job.out).env(leftovers::VARIABLE, job.out).args(["client", "--command", &client]);
    command.args(witness::RUNNER_OPTIONS);
    command.args(job.tools.selection(job.revision)).arg("--output-dir").arg(job.out);
    let mut troubles: Vec<String> = job.run_runner(command).err().into_iter().collect();
    troubles.extend(leftovers::end(job.out));
    Ok(Outcome { troubles, exits: Some(witness::exits(&folder)?) })
}
