//! §19.2 How a client ends: the runner starts this program again as `--witness FOLDER PROGRAM URL`, which runs the client and leaves
//! its exit status in the folder, under the scenario's name. When the runner runs many scenarios at once, it does not tell.
//! Law: a client does not outlive its witness: past its limit it is killed.

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, ExitCode, ExitStatus};
use std::thread;
use std::time::{Duration, Instant};

use crate::score::Exits;

/// The first argument of a witness.
pub(crate) const OPTION: &str = "--witness";

/// What the runner calls the scenario.
const SCENARIO: &str = "MCP_CONFORMANCE_SCENARIO";

/// What a client gets for a scenario: as much as the runner gives by default.
const CLIENT_LIMIT: Duration = Duration::from_secs(30);

/// The runner's own limit, in milliseconds: longer, so that it does not end the witness, which has a client to end.
pub(crate) const RUNNER_OPTIONS: [&str; 2] = ["--timeout", "40000"];

/// How often a client is asked whether it has ended: the standard library has no wait with a limit.
const TICK: Duration = Duration::from_millis(10);

/// The command line for the runner, which gives it to a shell with the URL behind it.
///
/// # Errors
/// A path that is no text.
pub(crate) fn command(launcher: &Path, folder: &Path, client: &Path) -> Result<String, String> {
    let quoted: Result<Vec<String>, String> =
        [launcher, Path::new(OPTION), folder, client].map(quoted).into_iter().collect();
    Ok(quoted?.join(" "))
}

/// For a POSIX shell.
fn quoted(path: &Path) -> Result<String, String> {
    let text = path.to_str().ok_or_else(|| format!("{} is no text", path.display()))?;
    Ok(format!("'{}'", text.replace('\'', r"'\''")))
}

/// The witness: runs the client to its end, and ends as it did.
///
/// # Errors
/// There is no client to run, or no place to write to.
pub(crate) fn run(arguments: &[OsString]) -> Result<ExitCode, String> {
    let [folder, client, url] = arguments else { return Err(format!("{OPTION} FOLDER PROGRAM URL")) };
    let scenario = std::env::var(SCENARIO).map_err(|error| format!("{SCENARIO}: {error}"))?;
    let failed = |error| format!("{}: {error}", Path::new(client).display());
    let child = Command::new(client).arg(url).spawn().map_err(failed)?;
    let status = wait(child, CLIENT_LIMIT).map_err(failed)?;
    let end = status.map_or_else(|| format!("none within {CLIENT_LIMIT:?}, killed"), |status| status.to_string());
    let file = Path::new(folder).join(scenario);
    let written = file.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(&file, end));
    written.map_err(|error| format!("cannot write {}: {error}", file.display()))?;
    let code = status.and_then(|status| status.code()).and_then(|code| u8::try_from(code).ok());
    Ok(code.map_or(ExitCode::FAILURE, ExitCode::from))
}

/// How it ended; `None` where it had to be killed.
pub(crate) fn wait(mut child: Child, limit: Duration) -> std::io::Result<Option<ExitStatus>> {
    let end = Instant::now() + limit;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if Instant::now() >= end {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        thread::sleep(TICK);
    }
}

/// What the witnesses left in the folder.
///
/// # Errors
/// It cannot be read.
pub(crate) fn exits(folder: &Path) -> Result<Exits, String> {
    let mut exits = Exits::new();
    walk(folder, "", &mut exits).map_err(|error| format!("cannot read {}: {error}", folder.display()))?;
    Ok(exits)
}

fn walk(folder: &Path, above: &str, exits: &mut Exits) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = format!("{above}{}", entry.file_name().to_string_lossy());
        if entry.file_type()?.is_dir() {
            walk(&entry.path(), &format!("{name}/"), exits)?;
        } else {
            exits.insert(name, fs::read_to_string(entry.path())?);
        }
    }
    Ok(())
}
