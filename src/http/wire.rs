//! §13 HTTP/1.1 as bytes: request heads, bodies, answers. RFC 9112, and RFC 9110 where it says what a field means.
//! Law: pure. Bytes in, values out; no socket, no clock, no thread, no word of MCP.
//! Law: strict. Where two readers of one request could see two messages, the request is refused, never repaired.
//! Law: how the bytes are cut into reads makes no difference to what comes out.

mod answer;
mod body;
mod fields;
mod head;

pub use answer::{CONTINUE, Framing, date, put_chunk, put_head};
pub use body::{Chunked, LAST_CHUNK};
pub use head::{Frame, HeadEnd, Length, MOST_FIELDS, Version, read_head};

/// What is wrong with the bytes of a request. After any of them the connection is of no further use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flaw {
    /// Head or framing break the grammar, or are ambiguous: 400.
    Malformed,
    /// A transfer coding other than chunked: 501.
    TransferCoding,
    /// The head is over [`Bounds::head`] or has more fields than [`Bounds::fields`]: 431.
    HeadTooLarge,
    /// The body is over [`Bounds::body`]: 413.
    BodyTooLarge,
    /// HTTP, but neither 1.0 nor 1.1; also the preface of HTTP/2: 505.
    Version,
}

/// How much of a request is read before it is refused.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Bytes of the head, the empty line and any empty lines before it included.
    pub head: usize,
    /// Fields in the head; what lies over [`MOST_FIELDS`] counts as that.
    pub fields: usize,
    /// Bytes of the body, framing undone.
    pub body: usize,
}
