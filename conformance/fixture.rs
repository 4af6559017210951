//! §19.1 The server under test: started on a free port, waited for, and ended by the end of its input.
//! Law: its URL is on 127.0.0.1, whatever it says of itself.

use std::path::Path;
use std::process::{ChildStdin, Command};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::process::{Line, Process};

const READY_LIMIT: Duration = Duration::from_secs(30);
const EXIT_LIMIT: Duration = Duration::from_secs(5);

/// A fixture that serves.
#[derive(Debug)]
pub(crate) struct Fixture {
    process: Process,
    stdin: ChildStdin,
    /// Where it serves.
    pub(crate) url: String,
}

impl Fixture {
    /// Starts `program` and waits until it says that it is ready.
    ///
    /// # Errors
    /// It cannot be started, exits first, is not ready in time, or serves elsewhere than on 127.0.0.1.
    pub(crate) fn start(program: &Path, log: &Path, echo: bool) -> Result<Fixture, String> {
        let mut command = Command::new(program);
        command.env("MCP_PORT", "0");
        Fixture::start_command(command, log, echo)
    }

    /// The same for any command that speaks the fixture's readiness protocol.
    ///
    /// # Errors
    /// As [`Fixture::start`].
    pub(crate) fn start_command(command: Command, log: &Path, echo: bool) -> Result<Fixture, String> {
        let mut process = Process::start("fixture", command, log, echo)?;
        let stdin = process.stdin().ok_or("fixture: no standard input")?;
        let deadline = Instant::now() + READY_LIMIT;
        let url = loop {
            match process.line(deadline) {
                Line::Text(line) => {
                    if let Some(url) = ready(&line) {
                        break url;
                    }
                }
                Line::End => return Err(format!("fixture: ended before it was ready; see {}", log.display())),
                Line::Late => return Err(format!("fixture: not ready after {READY_LIMIT:?}; see {}", log.display())),
            }
        };
        if !is_loopback(&url) {
            return Err(format!("fixture: serves at {url:?}, which is not on 127.0.0.1"));
        }
        process.ignore_lines();
        Ok(Fixture { process, stdin, url })
    }

    /// Closes its input and waits for its end.
    ///
    /// # Errors
    /// It does not end in time (it is then killed), or not with exit code 0.
    pub(crate) fn close(self) -> Result<(), String> {
        let Fixture { mut process, stdin, .. } = self;
        drop(stdin);
        match process.wait(EXIT_LIMIT)? {
            Some(status) if status.success() => Ok(()),
            Some(status) => Err(format!("fixture: {status} after its input had ended")),
            None => Err(format!("fixture: still running {EXIT_LIMIT:?} after its input had ended, killed")),
        }
    }
}

/// The URL in a readiness line; any other line is none.
pub(crate) fn ready(line: &str) -> Option<String> {
    let value: Value = serde_json::from_str(line).ok()?;
    let is_ready = value.get("conformanceReady") == Some(&Value::Bool(true));
    is_ready.then(|| value.get("url").and_then(Value::as_str).unwrap_or_default().to_owned())
}

/// Whether a URL's host is the address 127.0.0.1, with a port.
pub(crate) fn is_loopback(url: &str) -> bool {
    let authority = url.strip_prefix("http://").and_then(|rest| rest.split(['/', '?', '#']).next());
    let port = authority.and_then(|authority| authority.strip_prefix("127.0.0.1:"));
    port.is_some_and(|port| port.parse::<u16>().is_ok())
}
