//! §13.3 §8.3 The way back: one answer, or one stream, onto the connection of its request.
//! Law: one write for a whole answer, one for each event. A write that fails, or takes too long, cancels.
//! Law: to a client that is gone nothing is written.

use std::io::{self, ErrorKind, IoSlice, Write};
use std::net::TcpStream;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use super::registry::Conn;
use super::shutdown::ShutdownSignal;
use crate::http::peer::{HttpAnswer, Peer};
use crate::http::wire::{self, Framing, Version};
use crate::lock;
use crate::sink::Gone;

/// What is known of an answer before there is one.
#[derive(Clone, Copy)]
pub(super) struct Shape<'a> {
    pub(super) version: Version,
    /// Whether the client wants to use the connection again.
    pub(super) keep_alive: bool,
    /// When this is set, it may not.
    pub(super) stop: &'a ShutdownSignal,
    /// The request was a HEAD: the answer has a head only.
    pub(super) head_only: bool,
    pub(super) date: &'a str,
    /// The time for one write.
    pub(super) write_deadline: Duration,
}

impl Shape<'_> {
    /// Whether the connection may be used again, as of now.
    fn stays(&self) -> bool {
        self.keep_alive && !self.stop.is_set()
    }

    /// req 13.9-11: whether a stream may be cut into chunks; else it ends with the connection.
    fn chunked(&self) -> bool {
        self.version == Version::Http11
    }
}

/// How far an answer has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// Nothing has been written.
    Fresh,
    /// A stream has begun; after it the connection may be used again if `true`.
    Streaming(bool),
    /// All has been written; the connection may be used again if `true`.
    Whole(bool),
    /// A write failed.
    Broken,
}

/// The answer to one request.
pub(super) struct Reply<'a> {
    conn: &'a Conn,
    shape: Shape<'a>,
    state: Mutex<State>,
}

struct State {
    stage: Stage,
    out: Vec<u8>,
}

impl<'a> Reply<'a> {
    /// `out` is room that is used again.
    pub(super) fn new(conn: &'a Conn, shape: Shape<'a>, mut out: Vec<u8>) -> Reply<'a> {
        out.clear();
        Reply { conn, shape, state: Mutex::new(State { stage: Stage::Fresh, out }) }
    }

    /// How far it came, and the room back.
    pub(super) fn end(self) -> (Stage, Vec<u8>) {
        let state = self.state.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        (state.stage, state.out)
    }

    pub(super) fn is_fresh(&self) -> bool {
        lock(&self.state).stage == Stage::Fresh
    }

    /// Writes what `step` puts, and `body` behind it, in one write. `step` is told how far the answer is, and says how far it will
    /// be, or `None` where this step cannot follow.
    fn write(&self, body: &[u8], step: impl FnOnce(Stage, &mut Vec<u8>) -> Option<Stage>) -> Result<(), Gone> {
        let mut state = lock(&self.state);
        let State { stage, out } = &mut *state;
        out.clear();
        let Some(next) = step(*stage, out) else {
            return Err(Gone);
        };
        let sent = !self.conn.is_gone() && send(&self.conn.stream, out, body, self.shape.write_deadline).is_ok();
        *stage = if sent { next } else { Stage::Broken };
        drop(state);
        if sent {
            return Ok(());
        }
        self.conn.cut_off();
        Err(Gone)
    }

    fn put_event(&self, out: &mut Vec<u8>, bytes: &[u8]) {
        match (self.shape.head_only, self.shape.chunked()) {
            (true, _) => {}
            (false, true) => wire::put_chunk(out, bytes),
            (false, false) => out.extend_from_slice(bytes),
        }
    }
}

impl Peer for Reply<'_> {
    fn answer(&self, answer: HttpAnswer) -> Result<(), Gone> {
        let shape = self.shape;
        let framing = Framing::whole(answer.status, answer.body.len(), shape.head_only);
        let body = if shape.head_only { &[] } else { answer.body.as_slice() };
        self.write(body, |stage, out| {
            let stays = shape.stays();
            let connection = (shape.version, stays);
            wire::put_head(out, answer.status, &answer.fields, framing, connection, shape.date.as_bytes());
            (stage == Stage::Fresh).then_some(Stage::Whole(stays))
        })
    }

    fn begin_stream(&self, status: u16, fields: &[(&'static str, String)], first: &[u8]) -> Result<(), Gone> {
        let shape = self.shape;
        let framing = if shape.chunked() { Framing::Chunked } else { Framing::Silent };
        self.write(&[], |stage, out| {
            let stays = shape.stays() && shape.chunked();
            wire::put_head(out, status, fields, framing, (shape.version, stays), shape.date.as_bytes());
            self.put_event(out, first);
            (stage == Stage::Fresh).then_some(Stage::Streaming(stays))
        })
    }

    fn event(&self, bytes: &[u8]) -> Result<(), Gone> {
        self.write(&[], |stage, out| {
            self.put_event(out, bytes);
            matches!(stage, Stage::Streaming(_)).then_some(stage)
        })
    }

    fn end_stream(&self, last: &[u8]) -> Result<(), Gone> {
        self.write(&[], |stage, out| {
            let Stage::Streaming(stays) = stage else { return None };
            self.put_event(out, last);
            if self.shape.chunked() && !self.shape.head_only {
                out.extend_from_slice(wire::LAST_CHUNK);
            }
            Some(Stage::Whole(stays))
        })
    }
}

/// The part of an answer that has a write deadline of its own: without it a large answer could not cross a slow line.
const STRETCH: usize = 1024 * 1024;

/// req 13.9-8, 13.9-15: writes two pieces in one write, or in more where the socket takes only a part. The deadline is for each [`STRETCH`] or part
/// of one, all together: a client that takes a byte now and then does not hold the thread for longer.
pub(super) fn send(mut stream: &TcpStream, first: &[u8], second: &[u8], deadline: Duration) -> io::Result<()> {
    let (mut first, mut second) = (first, second);
    let stretches = u32::try_from((first.len() + second.len()) / STRETCH + 1).unwrap_or(u32::MAX);
    let started = Instant::now();
    while !first.is_empty() || !second.is_empty() {
        let written = match stream.write_vectored(&[IoSlice::new(first), IoSlice::new(second)]) {
            Ok(0) => return Err(ErrorKind::WriteZero.into()),
            Ok(written) => written,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        let beyond = written.saturating_sub(first.len());
        first = first.get(written..).unwrap_or_default();
        second = second.get(beyond..).unwrap_or_default();
        if !(first.is_empty() && second.is_empty()) && started.elapsed() > deadline.saturating_mul(stretches) {
            return Err(ErrorKind::TimedOut.into());
        }
    }
    Ok(())
}
