//! §13.3 What is being written to a connection, and how far it has come.

/// How far an answer has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Stage {
    /// Nothing has been written.
    #[default]
    Fresh,
    /// A stream has begun; after it the connection may be used again if `true`.
    Streaming(bool),
    /// All has been written; the connection may be used again if `true`.
    Whole(bool),
    /// A write failed.
    Broken,
}

/// What is being written to a connection.
#[derive(Debug, Default)]
pub(super) struct Writer {
    /// Counts the answers, so that an outlet of one cannot write into another.
    pub(super) turn: u64,
    pub(super) stage: Stage,
    /// Room that is used again.
    pub(super) out: Vec<u8>,
    /// What an outlet has begun to write. It comes before everything else.
    pub(super) rest: Vec<u8>,
}
