//! §19.2 How a client ends: the runner starts this program again as `--witness FOLDER PROGRAM URL`, which runs the client and leaves
//! its exit status in the folder, under the scenario's name. When the runner runs many scenarios at once, it does not tell.

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode};

use crate::score::Exits;

/// The first argument of a witness.
pub(crate) const OPTION: &str = "--witness";

/// What the runner calls the scenario.
const SCENARIO: &str = "MCP_CONFORMANCE_SCENARIO";

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
    let status =
        Command::new(client).arg(url).status().map_err(|error| format!("{}: {error}", Path::new(client).display()))?;
    let file = Path::new(folder).join(scenario);
    let written = file.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(&file, status.to_string()));
    written.map_err(|error| format!("cannot write {}: {error}", file.display()))?;
    Ok(status.code().and_then(|code| u8::try_from(code).ok()).map_or(ExitCode::FAILURE, ExitCode::from))
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
