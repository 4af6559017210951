//! A stdio connection without a process: channels where the pipes would be.

use std::io::{self, Read, Write};
use std::thread;

use crossbeam_channel::{Receiver, Sender, unbounded};
use plain_mcp::{Server, stdio};
use serde_json::Value;

use crate::kit::Soon;
use crate::wire_schema;

/// What the server reads: lines from a channel, until that is closed.
struct Input {
    lines: Receiver<Vec<u8>>,
    rest: Vec<u8>,
}

impl Read for Input {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.rest.is_empty() {
            self.rest = self.lines.recv().unwrap_or_default();
        }
        let length = self.rest.len().min(into.len());
        into[..length].copy_from_slice(&self.rest[..length]);
        self.rest.drain(..length);
        Ok(length)
    }
}

/// What the server writes: each line checked, and put into a channel.
struct Output {
    lines: Sender<Value>,
    begun: Vec<u8>,
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for &byte in bytes {
            if byte != b'\n' {
                self.begun.push(byte);
                continue;
            }
            let line = serde_json::from_slice(&std::mem::take(&mut self.begun)).unwrap();
            wire_schema::message("", &line);
            self.lines.send(line).unwrap();
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A stdio connection.
pub struct Connection {
    to: Sender<Vec<u8>>,
    from: Receiver<Value>,
    serves: thread::JoinHandle<()>,
}

impl Connection {
    pub fn new(server: &Server) -> Connection {
        let ((to, input), (output, from)) = (unbounded(), unbounded());
        let server = server.clone();
        let serves = thread::spawn(move || {
            let input = Input { lines: input, rest: Vec::new() };
            stdio::serve_on(&server, input, Output { lines: output, begun: Vec::new() }).unwrap();
        });
        Connection { to, from, serves }
    }

    pub fn send(&self, message: &Value) {
        self.to.send(format!("{message}\n").into_bytes()).unwrap();
    }

    /// The next line; waits for it.
    pub fn next(&self) -> Value {
        self.from.soon()
    }

    /// The end of input; what was still to come.
    pub fn end(self) -> Vec<Value> {
        drop(self.to);
        self.serves.join().unwrap();
        self.from.iter().collect()
    }
}
