//! §13, §14 What a way to a server can do.
//! Law: a transport carries messages and knows nothing of their meaning; what they mean is the caller's affair.
//! Law: whatever the peer does, every wait ends by its deadline or by its cancel.

use std::fmt;
use std::sync::Weak;

use super::error::Error;
use super::message::{Incoming, Outgoing};
use super::wait::Wait;

/// A way to a server.
pub(crate) trait Transport: Send + Sync {
    /// Where messages go that belong to no flow. Called once, before anything is opened.
    fn attach(&self, ears: Weak<dyn Ears>);

    /// Sends a request. What comes for it is read from the flow.
    fn open(&self, request: &Outgoing, wait: &Wait<'_>) -> Result<Opened, Error>;

    /// Sends a message that nothing answers: a notification, or a response to a request of the server.
    fn tell(&self, message: &Outgoing, wait: &Wait<'_>) -> Result<(), Error>;

    /// Whether dropping an unfinished flow tells the server that the call is cancelled; else `notifications/cancelled` has to.
    fn drop_cancels(&self) -> bool;

    /// Whether requests carry header fields.
    fn has_headers(&self) -> bool {
        false
    }

    /// Reads what the server sends on its own account, where that needs a stream of its own (initialize era, HTTP GET): from now on, on a
    /// thread of the transport, until the session ends. `fields` go with it.
    fn listen(&self, _fields: Vec<(String, String)>) {}

    /// Tells the server that the session is over (initialize era, HTTP DELETE), and stops [`listen`](Transport::listen).
    fn end_session(&self, _fields: &[(String, String)], _wait: &Wait<'_>) {}

    /// Ends everything; flows that are open fail. Returns when nothing of the transport is left: no thread, no process.
    fn close(&self);
}

/// A request that has been sent.
pub(crate) struct Opened {
    /// What comes for it.
    pub(crate) flow: Box<dyn Flow>,
    /// The HTTP status; 200 where the transport has none.
    pub(crate) status: u16,
    /// The value of `Mcp-Session-Id`, where the reply has one.
    pub(crate) session: Option<String>,
    /// The run of the server's process, counted from 1; 0 where there is no process.
    pub(crate) run: u64,
}

/// What comes for one request: any number of notifications and requests, then the response. Dropping it gives the rest up.
pub(crate) trait Flow: Send {
    /// The next message. After a response, or after an error, there is none.
    fn next(&mut self, wait: &Wait<'_>) -> Result<Incoming, Error>;
}

/// Who hears what belongs to no flow. No method may block: whoever calls reads for all.
pub(crate) trait Ears: Send + Sync {
    /// A request of the server, or a notification.
    fn hear(&self, message: Incoming);

    /// Something that is wrong and harms no call.
    fn problem(&self, problem: Problem);

    /// A line that a child process wrote to its stderr.
    fn stderr(&self, _line: &str) {}

    /// This run of the server's process is over: what was negotiated with it is void.
    fn lost(&self, _run: u64) {}
}

/// Something that was wrong and has been got over.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Problem {
    /// What came was no message, or none that belongs here; it was skipped. The text says why, with the beginning of what came.
    Skipped(String),
    /// A response to no request that waits for one.
    Unasked(String),
    /// A tool was left out of the list, since its annotations break a rule (§13.6).
    ToolLeftOut {
        /// The name of the tool.
        tool: String,
        /// The rule.
        reason: String,
    },
    /// The server answers in a way that it should not, which is borne.
    Lenient(String),
    /// A callback of ours panicked.
    Panicked(String),
}

impl fmt::Display for Problem {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::Skipped(what) => write!(out, "skipped: {what}"),
            Problem::Unasked(what) => write!(out, "a response to no request: {what}"),
            Problem::ToolLeftOut { tool, reason } => write!(out, "the tool {tool:?} was left out: {reason}"),
            Problem::Lenient(what) => write!(out, "borne: {what}"),
            Problem::Panicked(what) => write!(out, "a callback panicked: {what}"),
        }
    }
}
