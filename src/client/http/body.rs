//! §13 The reply to one request: its head, and its body as it comes.

use super::socket::{Connection, Got};
use crate::client::error::Error;
use crate::client::limits::ClientLimits;
use crate::client::wait::Wait;
use crate::http::wire::{Bounds, Chunked, Flaw, HeadEnd, Length, MOST_FIELDS, ReplyHead, read_reply};

/// The most heads with a status below 200 before the one that counts.
const MOST_INTERIM: usize = 16;

/// How far a body has been read.
#[derive(Debug)]
pub(super) enum Body {
    /// So many bytes are to come.
    Known(usize),
    Chunked(Chunked),
    UntilClose,
    Done,
}

/// What is wrong with a reply.
fn flaw(flaw: Flaw, limits: &ClientLimits) -> Error {
    match flaw {
        Flaw::HeadTooLarge => Error::TooLarge { what: "the head of a reply", limit: limits.head },
        Flaw::BodyTooLarge => Error::TooLarge { what: "the body of a reply", limit: limits.message },
        Flaw::Malformed => Error::protocol("a reply that is not HTTP, or whose length is not certain"),
        Flaw::TransferCoding => Error::protocol("a reply with a transfer coding that is not known"),
        Flaw::Version => Error::protocol("a reply of another version of HTTP"),
    }
}

/// Reads the head of the reply that counts. `None`: the connection ended before the first byte.
pub(super) fn read_head(
    connection: &mut Connection,
    limits: &ClientLimits,
    wait: &Wait<'_>,
) -> Result<Option<ReplyHead>, Error> {
    let bounds = Bounds { head: limits.head, fields: MOST_FIELDS, body: usize::MAX };
    for interim in 0..MOST_INTERIM {
        let mut end = HeadEnd::default();
        let length = loop {
            match end.find(connection.rest(), &bounds).map_err(|wrong| flaw(wrong, limits))? {
                Some(length) => break length,
                None => match connection.read_more(wait)? {
                    Got::Bytes => {}
                    Got::End if connection.rest().is_empty() && interim == 0 => return Ok(None),
                    Got::End => return Err(cut("the head of a reply")),
                },
            }
        };
        let bytes = connection.rest().get(..length).unwrap_or_default();
        let head = read_reply(bytes, &bounds).map_err(|wrong| flaw(wrong, limits))?;
        connection.used += length;
        match head.status {
            101 => return Err(Error::protocol("a reply that changes the protocol")),
            100..=199 => {}
            _ => return Ok(Some(head)),
        }
    }
    Err(Error::protocol("interim replies without an end"))
}

fn cut(what: &str) -> Error {
    Error::Transport { cause: format!("the connection ended within {what}"), sent: true }
}

impl Body {
    pub(super) fn new(length: Option<Length>) -> Body {
        match length {
            Some(Length::Known(0)) => Body::Done,
            Some(Length::Known(length)) => Body::Known(length),
            Some(Length::Chunked) => Body::Chunked(Chunked::default()),
            None => Body::UntilClose,
        }
    }

    pub(super) fn done(&self) -> bool {
        matches!(self, Body::Done)
    }

    /// Adds what has come already to `out`, which may grow to `limit` bytes.
    pub(super) fn take(
        &mut self,
        connection: &mut Connection,
        out: &mut Vec<u8>,
        (limit, limits): (usize, &ClientLimits),
    ) -> Result<(), Error> {
        let rest = connection.buffer.get(connection.used..).unwrap_or_default();
        let too_large = Error::TooLarge { what: "the body of a reply", limit };
        match self {
            Body::Done => return Ok(()),
            Body::Known(left) => {
                let bytes = rest.get(..*left).unwrap_or(rest);
                if bytes.len() > limit.saturating_sub(out.len()) {
                    return Err(too_large);
                }
                out.extend_from_slice(bytes);
                connection.used += bytes.len();
                *left -= bytes.len();
                if *left == 0 {
                    *self = Body::Done;
                }
            }
            Body::UntilClose => {
                if rest.len() > limit.saturating_sub(out.len()) {
                    return Err(too_large);
                }
                out.extend_from_slice(rest);
                connection.used += rest.len();
            }
            Body::Chunked(chunked) => {
                let used = chunked.decode(rest, out, limit).map_err(|wrong| match wrong {
                    Flaw::BodyTooLarge => too_large,
                    wrong => flaw(wrong, limits),
                })?;
                connection.used += used;
                if chunked.finished() {
                    *self = Body::Done;
                }
            }
        }
        Ok(())
    }

    /// Waits for more bytes; `false` once the body has ended.
    pub(super) fn wait(&mut self, connection: &mut Connection, wait: &Wait<'_>) -> Result<bool, Error> {
        if self.done() {
            return Ok(false);
        }
        match (connection.read_more(wait)?, &self) {
            (Got::Bytes, _) => Ok(true),
            (Got::End, Body::UntilClose) => {
                *self = Body::Done;
                Ok(false)
            }
            (Got::End, _) => Err(cut("the body of a reply")),
        }
    }

    /// The whole body, of at most `limit` bytes.
    pub(super) fn read_all(
        &mut self,
        connection: &mut Connection,
        (limit, limits): (usize, &ClientLimits),
        wait: &Wait<'_>,
    ) -> Result<Vec<u8>, Error> {
        let mut out = Vec::new();
        if let Body::Known(length) = self {
            if *length > limit {
                return Err(Error::TooLarge { what: "the body of a reply", limit });
            }
        }
        loop {
            self.take(connection, &mut out, (limit, limits))?;
            if !self.wait(connection, wait)? {
                return Ok(out);
            }
        }
    }

    /// Whether the body ends within what is at hand. What comes of it is dropped; it has to be little.
    pub(super) fn finish_at_hand(&mut self, connection: &mut Connection, limits: &ClientLimits) -> bool {
        let mut dropped = Vec::new();
        loop {
            if self.take(connection, &mut dropped, (READ_AND_DROP, limits)).is_err() {
                return false;
            }
            if self.done() {
                return connection.rest().is_empty();
            }
            if matches!(self, Body::UntilClose) || !connection.read_at_hand() {
                return false;
            }
        }
    }
}

/// What may follow the response in its stream before the connection is not worth keeping, in bytes.
const READ_AND_DROP: usize = 64 * 1024;
