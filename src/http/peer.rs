//! §13 The seam between a host, which knows sockets and no MCP, and the corridor, which knows MCP and no sockets.

use std::sync::{Arc, Mutex};

use crate::arrival::RequestHead;
use crate::cancellation::{CancelSource, CancelToken, cancellation};
use crate::errors::{Rule, rules};
use crate::lock;
use crate::sink::{Gone, Offered};

rules! {
    // const              id       code   / status  text                                   source
    MALFORMED_REQUEST     "13.9-1" -32600 / 400     "Malformed HTTP request"               "ours";
    TRANSFER_CODING       "13.9-2" -32600 / 501     "Transfer coding is not supported"     "ours";
    HEAD_TOO_LARGE        "13.9-3" -32600 / 431     "Request head is too large"            "ours";
    BODY_TOO_LARGE        "13.9-4" -32600 / 413     "Request body is too large"            "ours";
    TOO_SLOW              "13.9-5" -32600 / 408     "Request did not arrive in time"       "ours";
    HTTP_VERSION          "13.9-6" -32600 / 505     "HTTP version is not supported"        "ours";
    TOO_MANY_CONNECTIONS  "13.9-7" -32600 / 503     "Too many connections"                 "ours";
}

/// Header fields, names in lower case.
pub type Fields = Vec<(&'static str, String)>;

/// A complete request, as a host hands it over.
#[derive(Clone, Copy, Debug)]
pub struct RawRequest<'a> {
    /// The head; the values have their outer white space trimmed.
    pub head: &'a RequestHead,
    /// The body, framing undone.
    pub body: &'a [u8],
}

/// A whole answer. The host writes it in one write and adds `content-length` (0 for an empty body, none with 204), `date` and
/// `connection`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpAnswer {
    /// The status code.
    pub status: u16,
    /// The fields, names in lower case; no framing fields.
    pub fields: Fields,
    /// The body; empty with 202, 204 and in the answer to HEAD.
    pub body: Vec<u8>,
}

/// Where an exchange writes to. Either one `answer`, or `begin_stream`, any number of `event`, and `end_stream`. `Gone` says that
/// the client is no longer there, or that a call comes out of this order.
pub trait Peer: Sync {
    /// Sends a whole answer.
    fn answer(&self, answer: HttpAnswer) -> Result<(), Gone>;

    /// Sends a head and the first bytes of its body in one write. The host chooses how the body ends: chunked (HTTP/1.1) or by
    /// closing (HTTP/1.0).
    fn begin_stream(&self, status: u16, fields: &[(&'static str, String)], first: &[u8]) -> Result<(), Gone>;

    /// Sends more of the body in one write.
    fn event(&self, bytes: &[u8]) -> Result<(), Gone>;

    /// Ends the body with its last bytes, perhaps none, in one write.
    fn end_stream(&self, last: &[u8]) -> Result<(), Gone>;

    /// A second way to the stream that has begun, for threads that must not wait; a host need not have one.
    fn outlet(&self) -> Option<Arc<dyn PeerOutlet>> {
        None
    }

    /// Sends what an [`outlet`](Peer::outlet) could send only in part.
    fn flush(&self) -> Result<(), Gone> {
        Ok(())
    }
}

/// What [`Peer::outlet`] gives. It may outlive the answer; then it takes nothing.
pub trait PeerOutlet: Send + Sync {
    /// Sends more of the body, as [`Peer::event`] does, if that can be done without waiting.
    fn offer(&self, bytes: &[u8]) -> Offered;
}

/// The cancellation of one exchange. The host cancels it when the client is gone (D9); the table of scoped requests holds it
/// too (D10).
#[derive(Debug)]
pub struct Cancelling {
    source: Mutex<Option<CancelSource>>,
    token: CancelToken,
}

impl Cancelling {
    /// One for an exchange that begins.
    pub fn new() -> Arc<Cancelling> {
        let (source, token) = cancellation();
        Arc::new(Cancelling { source: Mutex::new(Some(source)), token })
    }

    /// Cancels. A second time does nothing.
    pub fn cancel(&self) {
        let source = lock(&self.source).take();
        drop(source);
    }

    /// What the handler looks at.
    pub fn token(&self) -> &CancelToken {
        &self.token
    }
}

/// What a host itself refuses, before a request is whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostRefusal {
    /// The framing or the head is malformed: 400.
    Malformed,
    /// A transfer coding other than chunked: 501.
    TransferCoding,
    /// The head is over [`Limits::head`](crate::Limits) or has too many fields: 431.
    HeadTooLarge,
    /// The body is over [`Limits::body`](crate::Limits): 413.
    BodyTooLarge,
    /// A deadline passed: 408.
    TooSlow,
    /// Neither HTTP/1.0 nor HTTP/1.1: 505.
    HttpVersion,
    /// The number of connections is used up: 503.
    TooManyConnections,
    /// What the host serves panicked: 500.
    // req 12-14, 12-15: the peer learns no more than that
    Failed,
}

impl HostRefusal {
    pub(crate) fn rule(self) -> &'static Rule {
        match self {
            HostRefusal::Malformed => &MALFORMED_REQUEST,
            HostRefusal::TransferCoding => &TRANSFER_CODING,
            HostRefusal::HeadTooLarge => &HEAD_TOO_LARGE,
            HostRefusal::BodyTooLarge => &BODY_TOO_LARGE,
            HostRefusal::TooSlow => &TOO_SLOW,
            HostRefusal::HttpVersion => &HTTP_VERSION,
            HostRefusal::TooManyConnections => &TOO_MANY_CONNECTIONS,
            HostRefusal::Failed => &crate::errors::INTERNAL,
        }
    }
}
