//! §19 The programs under test: built as the launcher was.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::process::{Line, Process};

const BUILD_LIMIT: Duration = Duration::from_secs(900);
const EXIT_LIMIT: Duration = Duration::from_secs(5);

/// Builds a program of the package, `--bin` or `--example`, with the profile that this program was built with, and tells where it lies. cargo does not
/// build one program because another is run.
///
/// # Errors
/// cargo is missing, or the build fails.
pub(crate) fn build(target: &str, name: &str, root: &Path, log: &Path, echo: bool) -> Result<PathBuf, String> {
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(root).args(["build", target, name, "--message-format", "json-render-diagnostics"]);
    if let Some(profile) = own_profile() {
        cargo.args(["--profile", &profile]);
    }
    println!("building {name}");
    let mut process = Process::start("cargo build", cargo, log, echo)?;
    let deadline = Instant::now() + BUILD_LIMIT;
    let mut program = None;
    loop {
        match process.line(deadline) {
            Line::Text(line) => program = executable(name, &line).or(program),
            Line::End => break,
            Line::Late => return Err(format!("cargo build: not ended after {BUILD_LIMIT:?}; see {}", log.display())),
        }
    }
    match process.wait(EXIT_LIMIT)? {
        Some(status) if status.success() => program.ok_or_else(|| format!("cargo build: built no {name}")),
        _ => Err(format!("cargo build: {name} does not build; see {}", log.display())),
    }
}

/// The profile that this program's folder is named after.
fn own_profile() -> Option<String> {
    let program = env::current_exe().ok()?;
    let folder = program.parent()?;
    // tests lie one folder deeper
    let folder = if folder.ends_with("deps") { folder.parent()? } else { folder };
    let folder = folder.file_name()?.to_str()?;
    Some(if folder == "debug" { "dev".to_owned() } else { folder.to_owned() })
}

/// The place of the program of this name, in one of cargo's messages.
pub(crate) fn executable(name: &str, message: &str) -> Option<PathBuf> {
    let message: Value = serde_json::from_str(message).ok()?;
    let is_it = message.pointer("/target/name").and_then(Value::as_str) == Some(name);
    is_it.then(|| message.get("executable")?.as_str().map(PathBuf::from))?
}
