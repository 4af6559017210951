//! §13.3 §8.3 The way back: one answer, or one stream, onto the connection of its request.
//! Law: one write for a whole answer, one for each event. A write that fails, or takes too long, cancels.
//! Law: to a client that is gone nothing is written.

use std::io::{self, ErrorKind, IoSlice, Write};
use std::net::TcpStream;
use std::sync::{Arc, TryLockError};
use std::time::{Duration, Instant};

use super::at_once;
use super::registry::Conn;
use super::shutdown::ShutdownSignal;
use super::writer::{Stage, Writer};
use crate::http::peer::{HttpAnswer, Peer, PeerOutlet};
use crate::http::wire::{self, Framing, Version};
use crate::lock;
use crate::sink::{Gone, Offered};

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

/// Room larger than this is given back after an answer.
const LARGE: usize = 64 * 1024;

/// The answer to one request.
pub(super) struct Reply<'a> {
    conn: &'a Arc<Conn>,
    shape: Shape<'a>,
}

impl<'a> Reply<'a> {
    pub(super) fn new(conn: &'a Arc<Conn>, shape: Shape<'a>) -> Reply<'a> {
        let mut writer = lock(&conn.writer);
        writer.turn = writer.turn.wrapping_add(1);
        writer.stage = Stage::Fresh;
        drop(writer);
        Reply { conn, shape }
    }

    /// How far it came. What is offered to its outlets from now on comes too late.
    pub(super) fn end(self) -> Stage {
        let mut writer = lock(&self.conn.writer);
        writer.out.clear();
        writer.out.shrink_to(LARGE);
        std::mem::replace(&mut writer.stage, Stage::Broken)
    }

    pub(super) fn is_fresh(&self) -> bool {
        lock(&self.conn.writer).stage == Stage::Fresh
    }

    /// Writes what `step` puts, and `body` behind it, in one write. `step` is told how far the answer is, and says how far it will
    /// be, or `None` where this step cannot follow.
    fn write(&self, body: &[u8], step: impl FnOnce(Stage, &mut Vec<u8>) -> Option<Stage>) -> Result<(), Gone> {
        let mut writer = lock(&self.conn.writer);
        let Writer { stage, out, rest, .. } = &mut *writer;
        out.clear();
        out.append(rest);
        let Some(next) = step(*stage, out) else {
            return Err(Gone);
        };
        let sent = !self.conn.is_gone() && send(&self.conn.stream, out, body, self.shape.write_deadline).is_ok();
        *stage = if sent { next } else { Stage::Broken };
        drop(writer);
        if sent {
            return Ok(());
        }
        self.conn.cut_off();
        Err(Gone)
    }

    fn framed(&self) -> Framed {
        match (self.shape.head_only, self.shape.chunked()) {
            (true, _) => Framed::Never,
            (false, true) => Framed::Chunked,
            (false, false) => Framed::Plain,
        }
    }
}

/// How a stream's bytes are framed.
#[derive(Clone, Copy)]
enum Framed {
    Chunked,
    Plain,
    /// There is no body.
    Never,
}

impl Framed {
    fn put(self, out: &mut Vec<u8>, bytes: &[u8]) {
        match self {
            Framed::Chunked => wire::put_chunk(out, bytes),
            Framed::Plain => out.extend_from_slice(bytes),
            Framed::Never => {}
        }
    }
}

/// A second way to a stream.
struct ReplyOutlet {
    conn: Arc<Conn>,
    turn: u64,
    framed: Framed,
}

impl PeerOutlet for ReplyOutlet {
    fn offer(&self, bytes: &[u8]) -> Offered {
        // Whoever holds it writes, perhaps to a client that does not read.
        let mut writer = match self.conn.writer.try_lock() {
            Ok(writer) => writer,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return Offered::Not,
        };
        let Writer { turn, stage, out, rest } = &mut *writer;
        let open = *turn == self.turn && matches!(stage, Stage::Streaming(_)) && rest.is_empty();
        if !open || self.conn.is_gone() {
            return Offered::Not;
        }
        out.clear();
        self.framed.put(out, bytes);
        match at_once::send(&self.conn.stream, out) {
            Ok(sent) if sent >= out.len() => Offered::Sent,
            Ok(sent) => {
                rest.extend_from_slice(out.get(sent..).unwrap_or_default());
                Offered::Partly
            }
            Err(_) => Offered::Not, // an error that stays is met by the thread of the stream
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
            self.framed().put(out, first);
            (stage == Stage::Fresh).then_some(Stage::Streaming(stays))
        })
    }

    fn event(&self, bytes: &[u8]) -> Result<(), Gone> {
        self.write(&[], |stage, out| {
            self.framed().put(out, bytes);
            matches!(stage, Stage::Streaming(_)).then_some(stage)
        })
    }

    fn end_stream(&self, last: &[u8]) -> Result<(), Gone> {
        self.write(&[], |stage, out| {
            let Stage::Streaming(stays) = stage else { return None };
            self.framed().put(out, last);
            if self.shape.chunked() && !self.shape.head_only {
                out.extend_from_slice(wire::LAST_CHUNK);
            }
            Some(Stage::Whole(stays))
        })
    }

    fn outlet(&self) -> Option<Arc<dyn PeerOutlet>> {
        let turn = lock(&self.conn.writer).turn;
        Some(Arc::new(ReplyOutlet { conn: Arc::clone(self.conn), turn, framed: self.framed() }))
    }

    fn flush(&self) -> Result<(), Gone> {
        if lock(&self.conn.writer).rest.is_empty() { Ok(()) } else { self.write(&[], |stage, _| Some(stage)) }
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
