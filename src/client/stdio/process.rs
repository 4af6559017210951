//! §14 One run of the server's process: its pipes, the threads that serve them, and its end.
//! Law: a process is reaped, whatever it does: stdin closed, SIGTERM, SIGKILL.

use std::io::{self, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, Weak};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, bounded, never, select};

use super::routes::Routes;
use crate::client::error::Error;
use crate::client::limits::ClientLimits;
use crate::client::message::Incoming;
use crate::client::transport::{Ears, Problem};
use crate::client::wait::Wait;
use crate::lock;
use crate::stdio::lines::{Line, Lines};

/// The longest line of stderr that is told; the rest of a longer one is dropped.
const STDERR_LINE: usize = 64 * 1024;
/// How often a process that was told to end is looked at.
const TICK: Duration = Duration::from_millis(10);

/// A running process.
pub(super) struct Process {
    pub(super) routes: Routes,
    child: Mutex<Child>,
    /// Takes lines for stdin; `None` once it is to be closed.
    lines: Mutex<Option<Sender<String>>>,
    threads: Mutex<Vec<JoinHandle<()>>>,
    grace: Duration,
}

/// Who hears what belongs to no call.
pub(super) type EarsSlot = Arc<Mutex<Option<Weak<dyn Ears>>>>;

/// Hears that a process has ended.
pub(super) type Ended = Box<dyn FnOnce(&Process) + Send>;

/// The ears, as long as there are any.
pub(super) fn ears(slot: &EarsSlot) -> Option<Arc<dyn Ears>> {
    let ears = lock(slot).clone();
    ears.and_then(|ears| ears.upgrade())
}

impl Process {
    /// Starts it, and the three threads that serve its pipes. `ended` is called when its stdout has ended and it has been reaped, before
    /// its calls hear of it.
    pub(super) fn start(
        command: &mut Command,
        limits: &ClientLimits,
        slot: &EarsSlot,
        ended: Ended,
    ) -> Result<Arc<Process>, Error> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let failed = |what: &str, error: io::Error| Error::Transport { cause: format!("{what}: {error}"), sent: false };
        let program = command.get_program().to_string_lossy().into_owned();
        let mut child = command.spawn().map_err(|error| failed(&format!("cannot start {program}"), error))?;
        let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(stdin), Some(stdout), Some(stderr)) = (stdin, stdout, stderr) else {
            return Err(failed("no pipes", io::ErrorKind::BrokenPipe.into()));
        };
        let (lines, queue) = bounded(limits.queue.max(1));
        let process = Arc::new(Process {
            routes: Routes::new(),
            child: Mutex::new(child),
            lines: Mutex::new(Some(lines)),
            threads: Mutex::default(),
            grace: limits.shutdown,
        });
        let reader = {
            let (process, slot, limits) = (Arc::clone(&process), Arc::clone(slot), limits.clone());
            move || process.read(Lines::of(stdout, limits.message), &slot, &limits, ended)
        };
        let listener = {
            let slot = Arc::clone(slot);
            move || hear(Lines::of(stderr, STDERR_LINE), &slot)
        };
        let started = process
            .spawn("mcp-client-in", move || write(stdin, &queue))
            .and_then(|()| process.spawn("mcp-client-err", listener))
            .and_then(|()| process.spawn("mcp-client-out", reader));
        if let Err(error) = started {
            process.end();
            return Err(failed("no thread for its pipes", error));
        }
        Ok(process)
    }

    fn spawn(&self, name: &str, run: impl FnOnce() + Send + 'static) -> io::Result<()> {
        let thread = thread::Builder::new().name(name.to_owned()).spawn(run)?;
        lock(&self.threads).push(thread);
        Ok(())
    }

    /// Puts a line in the queue for stdin; waits where that is full.
    pub(super) fn send(&self, text: &str, wait: &Wait<'_>) -> Result<(), Error> {
        let gone = || Error::Transport { cause: "the process has ended".to_owned(), sent: false };
        let lines = lock(&self.lines).clone().ok_or_else(gone)?;
        let left = wait.left()?.unwrap_or(Duration::MAX);
        select! {
            send(lines, [text, "\n"].concat()) -> sent => sent.map_err(|_| gone()),
            recv(wait.cancel.channel()) -> _ => Err(Error::Cancelled),
            default(left) => Err(wait.over()),
        }
    }

    /// Reads until stdout ends; then the process is of no more use.
    fn read(&self, mut lines: Lines, slot: &EarsSlot, limits: &ClientLimits, ended: Ended) {
        loop {
            match lines.next() {
                Ok(Line::Message(line)) => self.take(line, slot, limits),
                Ok(Line::Blank) => {}
                Ok(Line::TooLong) => {
                    // one of those who wait would wait for ever
                    let error = Error::TooLarge { what: "a line of the server", limit: limits.message };
                    problem(slot, Problem::Skipped(error.to_string()));
                    self.routes.fail(&error, false);
                }
                Ok(Line::End) | Err(_) => break,
            }
        }
        drop(lock(&self.lines).take());
        let status = self.reap();
        ended(self);
        let cause = format!("the server's process has ended: {status}");
        self.routes.fail(&Error::Transport { cause, sent: true }, true);
    }

    fn take(&self, line: &[u8], slot: &EarsSlot, limits: &ClientLimits) {
        let message = match Incoming::read(line, limits.values) {
            Ok(message) => message,
            Err(Error::TooLarge { what, limit }) => {
                let error = Error::TooLarge { what, limit };
                problem(slot, Problem::Skipped(error.to_string()));
                return self.routes.fail(&error, false);
            }
            Err(error) => {
                let text = String::from_utf8_lossy(line.get(..200).unwrap_or(line));
                return problem(slot, Problem::Skipped(format!("{error}: {text}")));
            }
        };
        match message {
            Incoming::Response(reply) => {
                if let Err(unasked) = self.routes.response(reply) {
                    problem(slot, unasked);
                }
            }
            Incoming::Notification { method, params } => {
                let owner = Incoming::belongs_to(&params);
                let ownerless = owner.is_none() && method != "notifications/message";
                let message = Incoming::Notification { method, params };
                let left = if ownerless { Err(message) } else { self.routes.notification(owner.as_ref(), message) };
                if let (Err(message), Some(ears)) = (left, ears(slot)) {
                    ears.hear(message);
                }
            }
            Incoming::Broken { id, error } => {
                if let Err(error) = self.routes.broken(&id, error) {
                    problem(slot, Problem::Skipped(error.to_string()));
                }
            }
            message @ Incoming::Request { .. } => {
                if let Some(ears) = ears(slot) {
                    ears.hear(message);
                }
            }
        }
    }

    /// Waits for the process, and ends it where it does not end by itself: first kindly, then not. What became of it, in a phrase.
    fn reap(&self) -> String {
        for (step, limit) in [self.grace, self.grace, self.grace].into_iter().enumerate() {
            if let Some(status) = self.wait_for(limit) {
                return told(status);
            }
            match step {
                0 => self.ask_to_end(),
                _ => drop(lock(&self.child).kill()), // an error says that it has ended
            }
        }
        "it could not be ended".to_owned()
    }

    /// Looks at the process until it has ended, or `limit` is over.
    fn wait_for(&self, limit: Duration) -> Option<io::Result<ExitStatus>> {
        let end = Instant::now().checked_add(limit);
        let nothing = never::<()>();
        loop {
            match lock(&self.child).try_wait() {
                Ok(None) => {}
                Ok(Some(status)) => return Some(Ok(status)),
                Err(error) => return Some(Err(error)),
            }
            if end.is_none_or(|end| Instant::now() >= end) {
                return None;
            }
            let _ = nothing.recv_timeout(TICK);
        }
    }

    /// SIGTERM, by the program that every Unix has; what has none is killed at once.
    fn ask_to_end(&self) {
        let id = lock(&self.child).id();
        let mut kill = Command::new("kill");
        kill.arg(id.to_string()).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        if !kill.status().is_ok_and(|status| status.success()) {
            let _ = lock(&self.child).kill();
        }
    }

    /// Ends it: stdin closed, then as [`reap`](Process::reap). Waits for its threads, but not for what a grandchild holds open.
    pub(super) fn end(&self) {
        drop(lock(&self.lines).take());
        let status = self.reap();
        self.routes.fail(&Error::Transport { cause: format!("the client was closed: {status}"), sent: true }, true);
        let threads = std::mem::take(&mut *lock(&self.threads));
        let end = Instant::now().checked_add(self.grace);
        let nothing = never::<()>();
        for thread in threads {
            if thread.thread().id() == thread::current().id() {
                continue;
            }
            while !thread.is_finished() && end.is_some_and(|end| Instant::now() < end) {
                let _ = nothing.recv_timeout(TICK);
            }
            if thread.is_finished() {
                let _ = thread.join(); // callbacks have been contained
            }
        }
    }
}

fn told(status: io::Result<ExitStatus>) -> String {
    match status {
        Ok(status) => status.to_string(),
        Err(error) => format!("exit status unknown ({error})"),
    }
}

fn problem(slot: &EarsSlot, problem: Problem) {
    if let Some(ears) = ears(slot) {
        ears.problem(problem);
    }
}

/// Writes lines until there are no more, or nobody reads them. Then stdin is closed.
fn write(mut stdin: ChildStdin, queue: &Receiver<String>) {
    for line in queue {
        if stdin.write_all(line.as_bytes()).is_err() {
            return; // the reader tells how the process ended
        }
    }
}

fn hear(mut lines: Lines, slot: &EarsSlot) {
    loop {
        match lines.next() {
            Ok(Line::Message(line)) => {
                if let Some(ears) = ears(slot) {
                    ears.stderr(&String::from_utf8_lossy(line));
                }
            }
            Ok(Line::Blank | Line::TooLong) => {}
            Ok(Line::End) | Err(_) => return,
        }
    }
}
