//! §18 The command line example, as a process, against the fixture as a process.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::as_conversions)]
#![allow(clippy::string_slice, missing_docs, unreachable_pub)]
// The launcher's modules are compiled here once more, and not all of each is called.
#![allow(dead_code)]

#[path = "../../examples/mcp/ask.rs"]
mod ask;
#[path = "../../conformance/fixture.rs"]
mod fixture;
#[path = "../../examples/mcp/options.rs"]
mod options;
#[path = "../../conformance/process.rs"]
mod process;
#[path = "../../conformance/program.rs"]
mod program;
#[path = "../../examples/mcp/show.rs"]
mod show;

mod asking;
mod calling;
mod listening;
mod words;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::LazyLock;

use fixture::Fixture;
use serde_json::Value;

/// The fixture, which cargo builds for tests.
const FIXTURE: &str = env!("CARGO_BIN_EXE_fixture");

/// An example, which cargo does not build for a single test.
fn example(name: &str) -> PathBuf {
    let log = std::env::temp_dir().join(format!("plain-mcp-{}-{name}.log", std::process::id()));
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let program = program::build("--example", name, root, &log, false);
    let text = std::fs::read_to_string(&log).unwrap_or_default();
    let _ = std::fs::remove_file(log);
    program.unwrap_or_else(|error| panic!("{error}\n{text}"))
}

static MCP: LazyLock<PathBuf> = LazyLock::new(|| example("mcp"));

/// How a run ended.
#[derive(Debug)]
struct Ran {
    status: ExitStatus,
    out: String,
    err: String,
}

impl Ran {
    /// Standard output of a run with this exit code.
    fn out(&self, code: i32) -> &str {
        assert_eq!(self.status.code(), Some(code), "{self:?}");
        &self.out
    }

    /// The same as one line of JSON.
    fn json(&self, code: i32) -> Value {
        let out = self.out(code);
        assert_eq!(out.lines().count(), 1, "{self:?}");
        serde_json::from_str(out).unwrap()
    }
}

/// Runs the example with these arguments and this input.
fn mcp(arguments: &[&str], input: &str) -> Ran {
    let mut command = Command::new(&*MCP);
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    // A run that asks nothing may have ended before.
    let _ = stdin.write_all(input.as_bytes());
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Ran { status: output.status, out: text(output.stdout), err: text(output.stderr) }
}

/// The fixture over HTTP.
struct Served(Option<Fixture>, PathBuf);

impl Served {
    fn new(name: &str) -> Served {
        let log = std::env::temp_dir().join(format!("plain-mcp-{}-{name}.fixture", std::process::id()));
        Served(Some(Fixture::start(Path::new(FIXTURE), &log, false).unwrap()), log)
    }

    fn url(&self) -> &str {
        &self.0.as_ref().unwrap().url
    }

    /// Runs the example on it.
    fn mcp(&self, options: &[&str], action: &[&str], input: &str) -> Ran {
        mcp(&[options, &["http", self.url()], action].concat(), input)
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let closed = self.0.take().map(Fixture::close);
        let _ = std::fs::remove_file(&self.1);
        if !std::thread::panicking() {
            assert_eq!(closed, Some(Ok(())));
        }
    }
}

/// Runs the example on the fixture over stdio.
fn stdio(options: &[&str], action: &[&str], input: &str) -> Ran {
    mcp(&[options, &["stdio"], action, &["--", FIXTURE, "--stdio"]].concat(), input)
}
