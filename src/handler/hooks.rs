//! What an operator can watch: every call with its outcome, every internal cause that is never sent, every raw message.
//! Law: hooks see, they do not decide; one that panics changes nothing.
//! Law: no lock is held while one runs, save that of a transport around its write: messages are shown in the order in which they
//! leave.

use std::time::Duration;

use crate::errors::Code;

/// How a call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// `resultType: "complete"`.
    Complete,
    /// A tool's result with `isError: true`.
    ToolError,
    /// `resultType: "input_required"`.
    InputRequired,
    /// A JSON-RPC error.
    Error(Code),
    /// Cancelled: nothing was answered.
    Cancelled,
}

/// What an observer is told.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Event<'a> {
    /// A request has been served.
    Call {
        /// The method.
        method: &'a str,
        /// The tool, prompt or resource that it named.
        name: Option<&'a str>,
        /// How long it took.
        duration: Duration,
        /// How it ended.
        outcome: Outcome,
    },
    /// Why a request was answered with less than the whole truth: a panic, a result against its own schema, a failure inside.
    Cause {
        /// The method.
        method: &'a str,
        /// In plain words.
        cause: &'a str,
    },
}

/// Which way a raw message went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From the peer.
    In,
    /// To the peer.
    Out,
}

/// The hook of [`ServerBuilder::observer`](crate::ServerBuilder::observer).
pub(crate) type Observer = Box<dyn Fn(&Event<'_>) + Send + Sync>;
/// The hook of [`ServerBuilder::raw_messages`](crate::ServerBuilder::raw_messages).
pub(crate) type Tap = Box<dyn Fn(Direction, &[u8]) + Send + Sync>;
