//! §13 How a message is framed, how much of it is read, and what can be wrong with it.

/// The most fields that a head can be allowed to have: they are parsed into an array on the stack.
pub const MOST_FIELDS: usize = 128;

/// The version of a request. Answers always say HTTP/1.1 (RFC 9110 section 2.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// HTTP/1.0: closed after the answer unless it asked otherwise, no chunks.
    Http10,
    /// HTTP/1.1.
    Http11,
}

/// How long the body is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Length {
    /// So many bytes; 0 where the head says nothing.
    Known(usize),
    /// Until the last chunk.
    Chunked,
}

/// What a head says about the message around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The version of the request.
    pub version: Version,
    /// The length of the body.
    pub length: Length,
    /// Whether the client leaves the connection open for another request.
    pub keep_alive: bool,
    /// Whether the client waits for `100 Continue` before it sends the body.
    pub expects_continue: bool,
}

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
