//! §19.1 The server leg: the runner is the client, our fixture the server.

use crate::fixture::Fixture;
use crate::leg::{Job, Outcome};

/// Runs the runner once against a fresh fixture; tells what went wrong beside the scenarios.
///
/// # Errors
/// The fixture does not start: there is nothing to score.
pub(crate) fn run(job: &Job<'_>) -> Result<Outcome, String> {
    let fixture = Fixture::start(job.program, &job.out.join("fixture.log"), job.verbose)?;
    let runner = run_runner(job, &fixture.url);
    let closed = fixture.close();
    Ok(Outcome { troubles: [runner, closed].into_iter().filter_map(Result::err).collect(), exits: None })
}

fn run_runner(job: &Job<'_>, url: &str) -> Result<(), String> {
    let mut command = job.tools.runner_command();
    command.current_dir(job.out).args(["server", "--url", url]);
    command.args(job.tools.selection(job.revision)).arg("--output-dir").arg(job.out);
    job.run_runner(command)
}
