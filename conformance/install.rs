//! §19 What the launcher needs beside our own crate: the official runner, pinned, and a Node that can run it.
//! Law: everything is installed inside this folder, exactly as its lock file says; no install script is run.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::process::{Line, Process};
use crate::requirements::{self, Kind};

/// The oldest Node that the runner works with.
const NODE_MAJOR: u64 = 22;

/// The runner's package.
const RUNNER: &str = "@modelcontextprotocol/conformance";

/// Where a copy of the lock file lies once everything in it has been installed.
const STAMP: &str = "node_modules/.installed-lock.json";

const INSTALL_LIMIT: Duration = Duration::from_secs(300);
const VERSION_LIMIT: Duration = Duration::from_secs(30);

/// What was installed, or found.
#[derive(Clone, Debug)]
pub(crate) struct Tools {
    /// The `node` program.
    pub(crate) node: PathBuf,
    /// The folder of the runner's package.
    pub(crate) runner: PathBuf,
}

impl Tools {
    /// Finds or installs everything that `dir`, our folder, pins; `log` takes what the tools print.
    ///
    /// # Errors
    /// npm is missing or fails, or what it installed is not what the folder pins.
    pub(crate) fn install(dir: &Path, log: &Path, echo: bool) -> Result<Tools, String> {
        let pinned = pinned_version(dir)?;
        let own_node = node_major(Path::new("node"), log).is_some_and(|major| major >= NODE_MAJOR);
        let node = if own_node {
            PathBuf::from("node")
        } else {
            dir.join("node_modules").join(node_package()).join("bin/node")
        };
        let tools = Tools { node, runner: dir.join("node_modules").join(RUNNER) };
        let lock = read(&dir.join("package-lock.json"))?;
        let current = fs::read_to_string(dir.join(STAMP)).is_ok_and(|stamp| stamp == lock);
        if !(current && (own_node || tools.node.is_file())) {
            println!("installing {RUNNER} {pinned}{}", if own_node { "" } else { " and a newer Node" });
            npm_ci(dir, own_node, log, echo)?;
        }
        tools.verify(&pinned, log)?;
        fs::write(dir.join(STAMP), lock).map_err(|error| format!("cannot write {STAMP}: {error}"))?;
        Ok(tools)
    }

    /// The scenarios of a leg: those of the revision's requirement set, or all that the runner has where it has no set.
    ///
    /// # Errors
    /// The set is none, or the runner does not list any.
    pub(crate) fn scenarios(&self, leg: &str, revision: &str, log: &Path) -> Result<Vec<(String, Kind)>, String> {
        let set = self.set(revision);
        if set.is_file() {
            return requirements::scenarios(&read(&set)?, leg);
        }
        let mut command = self.runner_command();
        command.args(["list", &format!("--{leg}"), "--spec-version", revision]);
        let mut process = Process::start("list", command, log, false)?;
        let (deadline, mut lines) = (Instant::now() + VERSION_LIMIT, Vec::new());
        while let Line::Text(line) = process.line(deadline) {
            lines.push(line);
        }
        process.wait(VERSION_LIMIT)?;
        requirements::listed(&lines).ok_or_else(|| format!("the runner has no {leg} scenarios for {revision}"))
    }

    /// The runner's options for these scenarios.
    pub(crate) fn selection(&self, revision: &str) -> Vec<String> {
        let options: &[&str] = if self.set(revision).is_file() {
            &["--requirements", revision]
        } else {
            &["--spec-version", revision, "--suite", "all"]
        };
        options.iter().map(|option| (*option).to_owned()).collect()
    }

    /// The file of a requirement set, as the runner ships it.
    fn set(&self, revision: &str) -> PathBuf {
        self.runner.join("requirements").join(format!("{revision}.yaml"))
    }

    /// The runner, without arguments.
    pub(crate) fn runner_command(&self) -> Command {
        let mut command = Command::new(&self.node);
        command.arg(self.runner.join("dist/index.js"));
        command
    }

    fn verify(&self, pinned: &str, log: &Path) -> Result<(), String> {
        let package = read(&self.runner.join("package.json"))?;
        let version = json(&package, "/version").ok_or("the runner's package.json has no version")?;
        if version != pinned {
            return Err(format!("the runner installed is {version}, not {pinned}"));
        }
        match node_major(&self.node, log) {
            Some(major) if major >= NODE_MAJOR => Ok(()),
            _ => Err(format!(
                "no Node {NODE_MAJOR} or newer: {} does not run; install one and put it on PATH",
                self.node.display()
            )),
        }
    }
}

/// Installs the lock file's packages; Node itself only where the machine's own is too old.
fn npm_ci(dir: &Path, own_node: bool, log: &Path, echo: bool) -> Result<(), String> {
    let mut npm = Command::new(if cfg!(windows) { "npm.cmd" } else { "npm" });
    // The folder's .npmrc says the same of scripts; a flag is not overruled by a user's own settings.
    npm.current_dir(dir).args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"]);
    if own_node {
        npm.arg("--omit=optional");
    }
    let status = Process::run("npm ci", npm, log, echo, INSTALL_LIMIT)?;
    if status.success() { Ok(()) } else { Err(format!("npm ci: {status}; see {}", log.display())) }
}

/// The package that holds a Node for this machine; package.json lists the ones that can be had.
fn node_package() -> String {
    let system = if cfg!(target_os = "macos") { "darwin" } else { std::env::consts::OS };
    let processor = if cfg!(target_arch = "aarch64") { "arm64" } else { "x64" };
    format!("node-{system}-{processor}")
}

/// The major version that a `node` program tells; `None` where there is no such program.
fn node_major(node: &Path, log: &Path) -> Option<u64> {
    let mut command = Command::new(node);
    command.arg("--version");
    let mut process = Process::start("node --version", command, log, false).ok()?;
    let Line::Text(version) = process.line(Instant::now() + VERSION_LIMIT) else { return None };
    process.wait(VERSION_LIMIT).ok()??;
    major(&version)
}

/// `v22.1.0` -> 22.
pub(crate) fn major(version: &str) -> Option<u64> {
    version.trim().strip_prefix('v')?.split('.').next()?.parse().ok()
}

/// The exact version of the runner that package.json asks for.
fn pinned_version(dir: &Path) -> Result<String, String> {
    let package = read(&dir.join("package.json"))?;
    let pointer = format!("/dependencies/{}", RUNNER.replace('/', "~1"));
    let version = json(&package, &pointer).ok_or_else(|| format!("package.json does not pin {RUNNER}"))?;
    let exact = version.starts_with(|first: char| first.is_ascii_digit());
    if exact { Ok(version) } else { Err(format!("package.json must pin {RUNNER} exactly, not as {version}")) }
}

/// A string inside a JSON text.
fn json(text: &str, pointer: &str) -> Option<String> {
    serde_json::from_str::<Value>(text).ok()?.pointer(pointer)?.as_str().map(str::to_owned)
}

fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| format!("cannot read {}: {error}", path.display()))
}
