//! §12 What can go wrong with a call.
//! Law: what the server said keeps its code; a fault on this side never has one.

use std::fmt;
use std::time::Duration;

use serde_json::Value;

use crate::errors::Code;

/// What servers of earlier revisions say of a resource that they do not have.
const RESOURCE_NOT_FOUND: i64 = -32002;

/// Why a call has no result. Nothing in here is a JSON-RPC error of our own making.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Error {
    /// The server answered with an error (§12).
    Server(ServerError),
    /// An HTTP status that no JSON-RPC message came with.
    Status {
        /// The status code.
        status: u16,
        /// The value of `WWW-Authenticate`, where there is one.
        challenge: Option<String>,
        /// The value of `Location`, where there is one. It is not followed.
        location: Option<String>,
        /// The beginning of the body, at most 1 KiB, as text.
        body: String,
    },
    /// What came is nothing that the protocol allows; the text says what, in a phrase.
    Protocol(String),
    /// The way to the server broke.
    Transport {
        /// What happened, in a phrase; for a child process with its exit status.
        cause: String,
        /// Whether the server may have seen the request.
        sent: bool,
    },
    /// The call took too long.
    Timeout {
        /// What was waited for, in a phrase.
        waiting_for: &'static str,
        /// The time that was given.
        limit: Duration,
    },
    /// The call was cancelled from this side, by its [`Cancel`](super::Cancel) handle or because the client was closed.
    Cancelled,
    /// Something is over a bound of [`ClientLimits`](super::ClientLimits).
    TooLarge {
        /// What is too large, in a phrase.
        what: &'static str,
        /// The bound.
        limit: usize,
    },
    /// The server asked for input that was not given (§10): there is no handler, or the handler refused or failed.
    Input {
        /// The method of what was asked: `elicitation/create`, `sampling/createMessage` or `roots/list`.
        method: String,
        /// Why, in a phrase.
        reason: String,
    },
    /// The call cannot be made like this; nothing was sent.
    Invalid(String),
}

/// An error as the server wrote it (§12).
#[derive(Clone, Debug, PartialEq)]
pub struct ServerError {
    /// The code.
    pub code: i64,
    /// One sentence for people.
    pub message: String,
    /// What programs may read; `Some(Value::Null)` where the server wrote `null`.
    pub data: Option<Value>,
}

impl Error {
    pub(crate) fn protocol(what: impl Into<String>) -> Error {
        Error::Protocol(what.into())
    }

    /// The server's own error, where this is one.
    pub fn server(&self) -> Option<&ServerError> {
        match self {
            Error::Server(error) => Some(error),
            _ => None,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Server(error) => error.fmt(out),
            Error::Status { status, location: Some(location), .. } => {
                write!(out, "the server answered with status {status} and points to {location}, which is not followed")
            }
            Error::Status { status, body, .. } if body.is_empty() => {
                write!(out, "the server answered with status {status}")
            }
            Error::Status { status, body, .. } => write!(out, "the server answered with status {status}: {body}"),
            Error::Protocol(what) => write!(out, "the server broke the protocol: {what}"),
            Error::Transport { cause, .. } => write!(out, "the connection failed: {cause}"),
            Error::Timeout { waiting_for, limit } => write!(out, "no {waiting_for} within {limit:?}"),
            Error::Cancelled => out.write_str("the call was cancelled"),
            Error::TooLarge { what, limit } => write!(out, "{what} is over the limit of {limit}"),
            Error::Input { method, reason } => write!(out, "the server's {method} was not answered: {reason}"),
            Error::Invalid(what) => write!(out, "the call cannot be made: {what}"),
        }
    }
}

impl std::error::Error for Error {}

impl ServerError {
    /// Whether the resource that was asked for does not exist: -32602 with `data.uri` (§5.4), or the -32002 of earlier revisions.
    pub fn is_resource_not_found(&self) -> bool {
        let names_it = self.data.as_ref().is_some_and(|data| data.get("uri").is_some());
        self.code == RESOURCE_NOT_FOUND || (self.code == Code::INVALID_PARAMS.number() && names_it)
    }
}

impl fmt::Display for ServerError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "the server answered with error {}: {}", self.code, self.message)
    }
}

impl std::error::Error for ServerError {}

impl From<ServerError> for Error {
    fn from(error: ServerError) -> Error {
        Error::Server(error)
    }
}
