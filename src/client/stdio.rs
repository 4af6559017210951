//! §14 The way to a server that is a child process.
//! Law: the process is started when it is needed, and again when it has ended; what was negotiated with it ends with it.
//! Law: nothing that is no message of ours is written to it, and nothing that it writes is answered but requests.

mod process;
mod routes;

use std::sync::{Arc, Mutex, Weak};

pub(crate) use std::process::Command;

use self::process::{EarsSlot, Process, ears};
use self::routes::Mailbox;
use super::error::Error;
use super::limits::ClientLimits;
use super::message::{Incoming, Outgoing};
use super::transport::{Ears, Flow, Opened, Transport};
use super::wait::Wait;
use crate::envelope::RequestId;
use crate::lock;

/// A server that is a child process.
pub(crate) struct StdioTransport(Arc<Shared>);

struct Shared {
    limits: ClientLimits,
    ears: EarsSlot,
    state: Mutex<State>,
}

struct State {
    command: Command,
    process: Option<Arc<Process>>,
    /// How many have been started.
    runs: u64,
    closed: bool,
}

/// A call under way; dropping it forgets the call.
struct StdioFlow {
    id: RequestId,
    mailbox: Mailbox,
    process: Arc<Process>,
}

impl StdioTransport {
    pub(crate) fn new(command: Command, limits: &ClientLimits) -> StdioTransport {
        let state = Mutex::new(State { command, process: None, runs: 0, closed: false });
        StdioTransport(Arc::new(Shared { limits: limits.clone(), ears: Arc::default(), state }))
    }

    /// The process, started if there is none.
    fn running(&self) -> Result<Arc<Process>, Error> {
        let shared = &self.0;
        let mut state = lock(&shared.state);
        if state.closed {
            return Err(Error::Cancelled);
        }
        if let Some(process) = &state.process {
            return Ok(Arc::clone(process));
        }
        let weak = Arc::downgrade(shared);
        let ended = move |process: &Process| {
            if let Some(shared) = weak.upgrade() {
                shared.forget(process);
            }
        };
        state.runs += 1;
        let runs = state.runs;
        let process = Process::start(&mut state.command, runs, &shared.limits, &shared.ears, Box::new(ended))?;
        state.process = Some(Arc::clone(&process));
        Ok(process)
    }
}

impl Shared {
    /// Forgets a process that has ended, and says that what was negotiated with it is void.
    fn forget(&self, process: &Process) {
        let mut state = lock(&self.state);
        let current = state.process.as_ref().is_some_and(|current| std::ptr::eq(&**current, process));
        let gone = if current { state.process.take() } else { None };
        drop(state);
        if let (Some(gone), Some(ears)) = (gone, ears(&self.ears)) {
            ears.lost(gone.run);
        }
    }
}

impl Transport for StdioTransport {
    fn attach(&self, ears: Weak<dyn Ears>) {
        *lock(&self.0.ears) = Some(ears);
    }

    fn open(&self, request: &Outgoing, wait: &Wait<'_>) -> Result<Opened, Error> {
        let Some(id) = request.id.clone() else { return Err(Error::Invalid("a request without an id".to_owned())) };
        let process = self.running()?;
        let over = || Error::Transport { cause: "the server's process has ended".to_owned(), sent: false };
        if request.run.is_some_and(|run| run != process.run) {
            return Err(over()); // what it speaks is not known yet
        }
        let listens = request.method.as_deref() == Some("subscriptions/listen");
        let mailbox = process.routes.add(id.clone(), listens, self.0.limits.queue).ok_or_else(over)?;
        let flow = StdioFlow { id, mailbox, process: Arc::clone(&process) };
        process.send(&request.text, &wait.at_most(self.0.limits.write_timeout, "room for a request"))?;
        Ok(Opened { flow: Box::new(flow), status: 200, session: None, run: process.run })
    }

    fn tell(&self, message: &Outgoing, wait: &Wait<'_>) -> Result<(), Error> {
        let process = lock(&self.0.state).process.clone();
        let gone = || Error::Transport { cause: "the server's process has ended".to_owned(), sent: false };
        let process = process.filter(|process| message.run.is_none_or(|run| run == process.run));
        process.ok_or_else(gone)?.send(&message.text, wait)
    }

    fn drop_cancels(&self) -> bool {
        false
    }

    fn close(&self) {
        let mut state = lock(&self.0.state);
        state.closed = true;
        let process = state.process.take();
        drop(state);
        if let Some(process) = process {
            process.end();
        }
    }
}

impl Drop for StdioTransport {
    fn drop(&mut self) {
        self.close();
    }
}

impl Flow for StdioFlow {
    fn next(&mut self, wait: &Wait<'_>) -> Result<Incoming, Error> {
        self.mailbox.next(wait)
    }
}

impl Drop for StdioFlow {
    fn drop(&mut self) {
        self.process.routes.remove(&self.id);
    }
}
