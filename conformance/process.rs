//! §19 Child processes with limits.
//! Law: nothing here waits without a limit.
//! Law: a child does not outlive its [`Process`]: one that is dropped while it runs is killed and waited for.

use std::convert::Infallible;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

/// Lines of standard output that may lie unread before the child has to wait.
const UNREAD_LINES: usize = 64;

/// How often a child that has closed its output is asked whether it has ended. The standard library has no wait with a
/// limit; the end of the output comes first and is waited for on a channel, so this seldom runs more than once.
const TICK: Duration = Duration::from_millis(5);

/// What the next wait for a line brought.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// A line of standard output, without its end.
    Text(String),
    /// The child has closed its standard output, which it does at the latest when it exits.
    End,
    /// The limit has passed.
    Late,
}

/// A running child: its output goes to a log file, and line by line to whoever asks with [`Process::line`].
#[derive(Debug)]
pub(crate) struct Process {
    name: String,
    child: Child,
    lines: Option<Receiver<String>>,
    output: Receiver<Infallible>,
}

impl Process {
    /// Starts `command` with all three streams piped; `echo` repeats its output on our own standard error.
    ///
    /// # Errors
    /// The log cannot be opened, or the program cannot be started.
    pub(crate) fn start(name: &str, mut command: Command, log: &Path, echo: bool) -> Result<Process, String> {
        let failed = |what: &str, error: io::Error| format!("{name}: cannot {what}: {error}");
        let log = OpenOptions::new().create(true).append(true).open(log).map_err(|e| failed("open its log", e))?;
        let second_log = log.try_clone().map_err(|e| failed("open its log", e))?;
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = command.spawn().map_err(|e| failed("start", e))?;

        let (lines_in, lines) = sync_channel(UNREAD_LINES);
        let (open, output) = channel();
        let mut process = Process { name: name.to_owned(), child, lines: Some(lines), output };
        let (stdout, stderr) = (process.child.stdout.take(), process.child.stderr.take());
        let out = Pump { log, echo, lines: Some(lines_in), _open: open.clone() };
        let err = Pump { log: second_log, echo, lines: None, _open: open };
        // An error from here on drops `process`, which ends the child.
        out.start(&format!("{name} stdout"), stdout).map_err(|e| failed("read its output", e))?;
        err.start(&format!("{name} stderr"), stderr).map_err(|e| failed("read its output", e))?;
        Ok(process)
    }

    /// Starts `command` without input, waits for its end, and kills it after `limit`.
    ///
    /// # Errors
    /// It cannot be started, or had to be killed.
    pub(crate) fn run(
        name: &str,
        command: Command,
        log: &Path,
        echo: bool,
        limit: Duration,
    ) -> Result<ExitStatus, String> {
        let mut process = Process::start(name, command, log, echo)?;
        drop(process.stdin());
        process.wait(limit)?.ok_or_else(|| format!("{name}: not ended after {limit:?}, killed; see {}", log.display()))
    }

    /// The child's standard input, once; dropping it closes it.
    pub(crate) fn stdin(&mut self) -> Option<ChildStdin> {
        self.child.stdin.take()
    }

    /// The next line of standard output, waited for until `deadline`.
    pub(crate) fn line(&self, deadline: Instant) -> Line {
        let left = deadline.saturating_duration_since(Instant::now());
        match self.lines.as_ref().map(|lines| lines.recv_timeout(left)) {
            Some(Ok(line)) => Line::Text(line),
            Some(Err(RecvTimeoutError::Timeout)) => Line::Late,
            Some(Err(RecvTimeoutError::Disconnected)) | None => Line::End,
        }
    }

    /// From here on output goes to the log only, so that a child which nobody reads never has to wait.
    pub(crate) fn ignore_lines(&mut self) {
        self.lines = None;
    }

    /// Waits for the child's end; `None` when `limit` passes first (the child then still runs).
    ///
    /// # Errors
    /// The system does not tell.
    pub(crate) fn wait(&mut self, limit: Duration) -> Result<Option<ExitStatus>, String> {
        let deadline = Instant::now() + limit;
        self.ignore_lines();
        // Nothing is ever sent: either both streams end (disconnected) or the limit passes.
        let _ = self.output.recv_timeout(limit);
        loop {
            if let Some(status) = self.child.try_wait().map_err(|e| format!("{}: cannot wait: {e}", self.name))? {
                return Ok(Some(status));
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(None);
            }
            thread::sleep(TICK.min(left));
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Both fail only where the child has ended and been waited for, which is what is wanted.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What a reader thread holds: where its stream's lines go.
struct Pump {
    log: File,
    echo: bool,
    lines: Option<SyncSender<String>>,
    /// Dropped with the thread: the last one tells [`Process::wait`] that the output has ended.
    _open: Sender<Infallible>,
}

impl Pump {
    fn start(self, name: &str, stream: Option<impl Read + Send + 'static>) -> io::Result<()> {
        let stream = stream.ok_or_else(|| io::Error::other("no pipe"))?;
        thread::Builder::new().name(name.to_owned()).spawn(move || self.run(BufReader::new(stream)))?;
        Ok(())
    }

    /// Reads to the end of the stream, whatever becomes of the log or the listener: a child must not block on its output.
    fn run(mut self, mut stream: impl BufRead) {
        let mut line = Vec::new();
        while matches!(stream.read_until(b'\n', &mut line), Ok(read) if read > 0) {
            let _ = self.log.write_all(&line);
            if self.echo {
                let _ = io::stderr().write_all(&line);
            }
            let text = String::from_utf8_lossy(&line).trim_end_matches(['\r', '\n']).to_owned();
            self.lines = self.lines.take().filter(|lines| lines.send(text).is_ok());
            line.clear();
        }
    }
}
