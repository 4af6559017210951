//! §19.1 The server leg: the runner is the client, our fixture the server.

use std::process::Command;
use std::time::Duration;

use crate::fixture::Fixture;
use crate::leg::Job;
use crate::process::Process;

const RUNNER_LIMIT: Duration = Duration::from_secs(240);

/// Runs the runner once against a fresh fixture; tells what went wrong beside the scenarios.
///
/// # Errors
/// The fixture does not start: there is nothing to score.
pub(crate) fn run(job: &Job<'_>) -> Result<Vec<String>, String> {
    let fixture = Fixture::start(job.program, &job.out.join("fixture.log"), job.verbose)?;
    let runner = run_runner(job, &fixture.url);
    let closed = fixture.close();
    Ok([runner, closed].into_iter().filter_map(Result::err).collect())
}

/// Exit code 1 only says that some check failed, which the score card says better.
fn run_runner(job: &Job<'_>, url: &str) -> Result<(), String> {
    let mut command = Command::new(&job.tools.node);
    command.current_dir(job.out).arg(job.tools.program());
    command.args(["server", "--url", url, "--requirements", job.revision, "--output-dir"]).arg(job.out);
    let log = job.out.join("runner.log");
    let status = Process::run("runner", command, &log, job.verbose, RUNNER_LIMIT)?;
    match status.code() {
        Some(0 | 1) => Ok(()),
        _ => Err(format!("runner: {status}; see {}", log.display())),
    }
}
