//! §14 The same over stdio, where there is one peer, and a message must not end the service.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use serde_json::{Value, json};

use super::figures::{Figures, MOST_KIB, sleeps, until};
use super::messages::{Bad, bad_messages};
use super::{calling, refusal};
use crate::loopback::PATIENCE;

/// The fixture on its standard input and output.
struct Piped {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    read: Sender<()>,
    name: &'static str,
    /// When nothing runs.
    descriptors: Option<u64>,
}

impl Piped {
    /// Starts it and calls it once. Nothing more is read before [`reads`](Piped::reads).
    fn start(name: &'static str) -> Piped {
        let mut command = Command::new(env!("CARGO_BIN_EXE_fixture"));
        command.args(["--stdio", "--profile", "cases"]).env("RUST_BACKTRACE", "0").env_remove("MCP_STATE_SECRET");
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let ((sender, lines), (read, may_read)) = (channel(), channel());
        thread::spawn(move || {
            let mut output = output.lines().map_while(Result::ok);
            let _ = output.by_ref().take(1).try_for_each(|line| sender.send(line));
            if may_read.recv().is_ok() {
                let _ = output.try_for_each(|line| sender.send(line));
            }
        });
        let input = child.stdin.take();
        let mut piped = Piped { child, input, lines, read, name, descriptors: None };
        piped.is_served();
        piped.descriptors = Figures::of(piped.child.id()).map(|now| now.descriptors);
        piped
    }

    fn reads(self) -> Piped {
        self.read.send(()).unwrap();
        self
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.input.as_mut().unwrap().write_all(bytes).unwrap();
    }

    fn line(&self) -> Value {
        serde_json::from_str(&self.lines.recv_timeout(PATIENCE).expect("a line")).unwrap()
    }

    /// A call is answered, after all that came before it.
    fn is_served(&mut self) {
        let message = calling("echo", &json!({"text": "well"})).to_string();
        self.bytes(format!("{message}\n").as_bytes());
        assert_eq!(self.line()["result"]["content"], json!([{"type": "text", "text": "well"}]));
    }

    fn survives(mut self) {
        self.is_served();
        if let Some(now) = Figures::of(self.child.id()) {
            println!("{}: peak {} KiB", self.name, now.peak);
            assert!(now.peak < MOST_KIB, "{}: {} KiB at its peak", self.name, now.peak);
            let look = || Figures::of(self.child.id()).unwrap();
            let rest = (2, self.descriptors.unwrap()); // one reads, one watches
            until("threads and descriptors as before", look, |now| (now.threads, now.descriptors) == rest);
        }
        self.input = None;
        until("the fixture ends", || self.child.try_wait().unwrap(), Option::is_some);
        assert!(self.child.wait().unwrap().success());
    }
}

impl Drop for Piped {
    fn drop(&mut self) {
        let _ended_already = self.child.kill();
        let _ended_already = self.child.wait();
    }
}

#[test]
fn messages_that_wear_down() {
    covers!("14-2", "1-4", "1-5", "1-9", "1-18");
    let mut piped = Piped::start("stdio: messages that wear down").reads();
    for Bad { message, answer } in bad_messages() {
        piped.bytes(message.as_bytes());
        piped.bytes(b"\n");
        assert_eq!(piped.line(), answer, "{}", &message[..message.len().min(60)]);
    }
    piped.survives();
}

#[test]
fn a_line_of_300_megabytes() {
    covers!("14-1");
    let mut piped = Piped::start("stdio: a line of 300 MB").reads();
    for piece in [b'x', b' ', b'['] {
        let piece = vec![piece; 1_000_000];
        (0..100).for_each(|_| piped.bytes(&piece));
        piped.bytes(b"\n");
        assert_eq!(piped.line(), refusal(-32600, "Line exceeds the size limit"));
        piped.is_served();
    }
    (0..300).for_each(|_| piped.bytes(&[b'x'; 1_000_000]));
    piped.bytes(b"\n");
    assert_eq!(piped.line(), refusal(-32600, "Line exceeds the size limit"));
    piped.survives();
}

/// A million lines with nothing in them, and lines that end nowhere.
#[test]
fn lines_without_messages() {
    let mut piped = Piped::start("stdio: lines without messages").reads();
    (0..100).for_each(|_| piped.bytes(&b"\n".repeat(10_000)));
    (0..100).for_each(|_| piped.bytes(&b" \t\r\n".repeat(2_500)));
    piped.is_served();
    piped.bytes(&b"\xff\n\x00\n".repeat(1000));
    for _ in 0..2000 {
        assert_eq!(piped.line(), refusal(-32700, "Parse error"));
    }
    piped.survives();
}

/// The peer asks and asks and does not read: the server stops reading, and goes on where it was when the peer reads at last.
#[test]
fn a_reader_that_stops() {
    covers!("14-8");
    let mut piped = Piped::start("stdio: a reader that stops");
    let mut input = piped.input.take().unwrap();
    let text = "x".repeat(20_000);
    let (sender, sent) = channel();
    // far more than pipes, places and queue hold
    let writer = thread::spawn(move || {
        for id in 0..600 {
            let mut message = calling("echo", &json!({"text": text}));
            message["id"] = id.into();
            writeln!(input, "{message}").unwrap();
            sender.send(id).unwrap();
        }
        input
    });
    let mut written = 0;
    while let Ok(id) = sent.recv_timeout(std::time::Duration::from_millis(500)) {
        written = id + 1;
    }
    assert!(written < 600, "all was taken in, though nothing was read");
    println!("stdio: a reader that stops: {written} of 600 were taken in");
    let piped = piped.reads();
    let mut ids: Vec<i64> = (0..600).map(|_| piped.line()["id"].as_i64().unwrap()).collect();
    ids.sort_unstable();
    assert!(ids.into_iter().eq(0..600), "each is answered once");
    let mut piped = piped;
    piped.input = Some(writer.join().unwrap());
    piped.survives();
}

/// The peer stays and says nothing: no thread of the server wakes to see whether it does.
#[test]
fn a_peer_that_says_nothing() {
    covers!("14-12");
    let piped = Piped::start("stdio: a peer that says nothing").reads();
    let id = piped.child.id();
    let (mut last, mut quiet) = (None, 0);
    let look = || {
        let now = sleeps(id);
        quiet = if now == last { quiet + 1 } else { 0 };
        last = now;
        quiet
    };
    until("looks between which nothing woke", look, |quiet| *quiet >= 20);
    piped.survives();
}

/// The peer goes for good, in the middle of everything.
#[test]
fn a_peer_that_goes() {
    covers!("14-9");
    let mut piped = Piped::start("stdio: a peer that goes");
    for id in 0..20 {
        for (tool, arguments) in [("stuck", json!({})), ("slow", json!({"ms": 60_000})), ("echo", json!({"text": "x"}))]
        {
            let mut message = calling(tool, &arguments);
            message["id"] = format!("{tool}{id}").into();
            piped.bytes(format!("{message}\n").as_bytes());
        }
    }
    piped.input = None;
    let _closed = std::mem::replace(&mut piped.read, channel().0); // and so is the end that nobody reads
    until("the fixture ends", || piped.child.try_wait().unwrap(), Option::is_some);
    assert!(piped.child.wait().unwrap().success());
}
