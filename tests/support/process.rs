//! The fixture as a process of its own. Nothing that a test starts outlives it.
#![allow(dead_code)]

use std::io::{BufRead, BufReader, Write};
use std::net::SocketAddr;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use serde_json::Value;

/// No wait of a test is longer.
const PATIENCE: Duration = Duration::from_secs(20);

/// A running fixture. What it is started with is all of its environment that it looks at.
pub struct Fixture {
    pub child: Child,
    pub input: Option<ChildStdin>,
    pub lines: Receiver<Vec<u8>>,
}

impl Fixture {
    pub fn start(arguments: &[&str], environment: &[(&str, &str)], input: Stdio) -> Fixture {
        let mut command = Command::new(env!("CARGO_BIN_EXE_fixture"));
        for name in ["MCP_PORT", "MCP_STATE_SECRET", "MCP_CONFORMANCE_MANAGED"] {
            command.env_remove(name);
        }
        command.args(arguments).envs(environment.iter().copied());
        let mut child = command.stdin(input).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let (sender, lines) = channel();
        let output = BufReader::new(child.stdout.take().unwrap());
        thread::spawn(move || output.split(b'\n').map_while(Result::ok).try_for_each(|line| sender.send(line)));
        let input = child.stdin.take();
        Fixture { child, input, lines }
    }

    pub fn send(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().unwrap();
        input.write_all(bytes).unwrap();
        input.flush().unwrap();
    }

    /// The next line of its output.
    pub fn line(&self) -> String {
        text(self.lines.recv_timeout(PATIENCE).expect("a line"))
    }

    /// Where it says that it listens.
    pub fn address(&self) -> SocketAddr {
        let line = self.line();
        let url = line.strip_prefix(r#"{"conformanceReady":true,"url":""#).and_then(|rest| rest.strip_suffix(r#""}"#));
        let address = url.and_then(|url| url.strip_prefix("http://")).and_then(|rest| rest.strip_suffix("/mcp"));
        let address = address.unwrap_or_else(|| panic!("not the line of a ready fixture: {line}"));
        assert!(address.starts_with("127.0.0.1:"), "{line}");
        address.parse().unwrap()
    }

    /// Sends a line and waits for the next.
    pub fn ask(&mut self, message: &Value) -> Value {
        self.send(format!("{message}\n").as_bytes());
        serde_json::from_str(&self.line()).unwrap()
    }

    pub fn is_running(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Closes its input, if it has one, and waits for its end.
    pub fn end(self) -> ExitStatus {
        self.rest().1
    }

    /// Closes its input, if it has one: what it still writes, and how it ends.
    pub fn rest(mut self) -> (Vec<String>, ExitStatus) {
        self.input = None;
        let mut lines = Vec::new();
        loop {
            match self.lines.recv_timeout(PATIENCE) {
                Ok(line) => lines.push(text(line)),
                Err(RecvTimeoutError::Disconnected) => return (lines, self.child.wait().unwrap()),
                Err(RecvTimeoutError::Timeout) => panic!("it stays"),
            }
        }
    }
}

/// A line as text: UTF-8, and nothing but a line feed ends it.
fn text(line: Vec<u8>) -> String {
    let line = String::from_utf8(line).expect("UTF-8");
    assert!(!line.contains('\r'), "{line:?}");
    line
}

impl Drop for Fixture {
    fn drop(&mut self) {
        let _ended_already = self.child.kill();
        let _ended_already = self.child.wait();
    }
}
