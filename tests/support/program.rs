//! The fixture as a process: its line that it is ready, its lines, and its end.
#![allow(dead_code)]

use std::io::{BufRead, BufReader, Write};
use std::net::SocketAddr;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;

use serde_json::Value;

use crate::loopback::{Client, PATIENCE};

/// A running fixture. What it is started with is all of its environment that it looks at.
pub struct Fixture {
    pub child: Child,
    pub input: Option<ChildStdin>,
    pub lines: Receiver<String>,
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
        thread::spawn(move || output.lines().map_while(Result::ok).try_for_each(|line| sender.send(line)));
        let input = child.stdin.take();
        Fixture { child, input, lines }
    }

    pub fn line(&self) -> String {
        self.lines.recv_timeout(PATIENCE).expect("a line")
    }

    /// A client of the address where it says that it listens.
    pub fn ready(&self) -> Client {
        Client::connect(self.address())
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
        writeln!(self.input.as_ref().unwrap(), "{message}").unwrap();
        serde_json::from_str(&self.line()).unwrap()
    }

    /// Closes its input, if it has one, and waits for its end.
    pub fn end(mut self) -> ExitStatus {
        self.input = None;
        loop {
            match self.lines.recv_timeout(PATIENCE) {
                Ok(_) => {}
                Err(RecvTimeoutError::Disconnected) => return self.child.wait().unwrap(),
                Err(RecvTimeoutError::Timeout) => panic!("it stays"),
            }
        }
    }
}

/// Nothing that a test starts outlives it.
impl Drop for Fixture {
    fn drop(&mut self) {
        let _ended_already = self.child.kill();
        let _ended_already = self.child.wait();
    }
}
