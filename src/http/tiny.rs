//! §13 The same corridor inside an application that already runs tiny_http.
//! Law: nothing of §13 is decided here. Admission, answers and streams are those of [`Exchange`].
//!
//! tiny_http 0.12 has read the request before we see it, so what [`host`](super::host) promises about framing, deadlines, limits
//! of the head and the number of connections is not promised here, and a client that leaves is noticed only at the next write.
//! It is for an application that trusts its callers; `spec-notes/decisions/0001-http-host.md` has the facts.

use std::io::{self, Read, Write};
use std::sync::{Arc, Mutex};

use tiny_http::{HTTPVersion, Request};

use super::exchange::Exchange;
use super::gate::{Gate, GateError};
use super::peer::{Cancelling, HostRefusal, HttpAnswer, Peer, RawRequest};
use super::wire::{self, Framing, Version};
use crate::arrival::RequestHead;
use crate::server::Server;
use crate::sink::Gone;
use crate::{contained, lock};

/// How much of a body over the limit is read and dropped so that its sender can be told.
const SKIPPED: usize = 64 * 1024 * 1024;

/// Serves MCP to requests that a tiny_http server has received.
///
/// ```no_run
/// # fn example(server: plain_mcp::Server) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
/// use plain_mcp::http::{Gate, tiny::Tiny};
///
/// let mcp = Tiny::new(&server, Gate::new())?;
/// let listening = tiny_http::Server::http("127.0.0.1:3001")?;
/// std::thread::scope(|threads| {
///     for request in listening.incoming_requests() {
///         threads.spawn(|| mcp.answer(request));
///     }
/// });
/// # Ok(()) }
/// ```
// req 13.9-17
#[derive(Debug)]
pub struct Tiny {
    exchange: Exchange,
}

impl Tiny {
    /// The corridor of a server behind a gate. Call [`Gate::bound_to`] where the application does not listen on loopback only.
    pub fn new(server: &Server, gate: Gate) -> Result<Tiny, GateError> {
        Ok(Tiny { exchange: Exchange::new(server, gate)? })
    }

    /// Answers a request on the calling thread, for as long as its handler takes; a listen stream until it ends. Give each request
    /// a thread, or a thread of a pool that is large enough. A request for another path is answered with 404, one of HTTP/1.0 with
    /// 505. One that announces a body of more than 64 MiB is left without an answer: its connection stays until the client leaves,
    /// and what tiny_http has stored of it is never freed.
    pub fn answer(&self, request: Request) {
        let head = head(&request);
        if *request.http_version() < HTTPVersion(1, 1) {
            // There is no way to close the connection from here, and without that, or chunks, a stream could not end.
            return self.send(request, &head, self.exchange.refusal(HostRefusal::HttpVersion, Some(&head)));
        }
        let announced = request.body_length().unwrap_or_default();
        if announced > SKIPPED {
            // Dropping it would allocate all that it announces, and end the process where there is not so much. So it stays, and
            // its connection with it, until the client leaves.
            return std::mem::forget(request);
        }
        let judged = contained(|| self.exchange.judge_head(&head))
            .unwrap_or_else(|_| Err(self.exchange.refusal(HostRefusal::Failed, Some(&head))));
        let passed = match judged {
            Ok(passed) => passed,
            Err(answer) => return self.send(request, &head, answer),
        };
        let mut request = request;
        let body = match body(&mut request, self.exchange.limits().body) {
            Ok(body) => body,
            Err(kind) => return self.send(request, &head, self.exchange.refusal(kind, Some(&head))),
        };
        let peer = self.peer(request, &head);
        let raw = RawRequest { head: &head, body: &body };
        let cancelling = Arc::clone(&peer.cancelling);
        let ran = contained(|| self.exchange.run(passed, raw, &peer, &cancelling));
        if ran.is_err() {
            let _ = peer.answer(self.exchange.refusal(HostRefusal::Failed, Some(&head)));
        }
    }

    fn send(&self, request: Request, head: &RequestHead, answer: HttpAnswer) {
        let _gone = self.peer(request, head).answer(answer);
    }

    fn peer(&self, request: Request, head: &RequestHead) -> TinyPeer {
        let date = wire::date(self.exchange.server().shared.clock.now());
        let state = State { writer: request.into_writer(), stage: Stage::Fresh, out: Vec::new() };
        let head_only = head.method == "HEAD";
        TinyPeer { state: Mutex::new(state), head_only, date, cancelling: Cancelling::new() }
    }
}

/// The head as tiny_http has read it.
fn head(request: &Request) -> RequestHead {
    let field = |field: &tiny_http::Header| {
        (field.field.as_str().as_str().to_owned(), field.value.as_str().trim_matches([' ', '\t']).as_bytes().to_vec())
    };
    RequestHead {
        method: request.method().as_str().to_owned(),
        target: request.url().to_owned(),
        fields: request.headers().iter().map(field).collect(),
    }
}

/// The body, if it is not longer than the limit. One that is longer is read to its end, or as far as it is to be borne.
fn body(request: &mut Request, limit: usize) -> Result<Vec<u8>, HostRefusal> {
    let mut body = Vec::new();
    let bound = u64::try_from(limit).unwrap_or(u64::MAX).saturating_add(1);
    let read = request.as_reader().take(bound).read_to_end(&mut body);
    if read.is_err() {
        return Err(HostRefusal::Malformed);
    }
    if body.len() > limit {
        let skipped = u64::try_from(SKIPPED).unwrap_or(u64::MAX);
        let _ = io::copy(&mut request.as_reader().take(skipped), &mut io::sink());
        return Err(HostRefusal::BodyTooLarge);
    }
    Ok(body)
}

/// How far an answer has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Fresh,
    Streaming,
    Over,
}

/// The way back: tiny_http's writer, to which we write the whole answer, head and all, since its own response cannot stream.
struct TinyPeer {
    state: Mutex<State>,
    head_only: bool,
    date: String,
    cancelling: Arc<Cancelling>,
}

struct State {
    writer: Box<dyn Write + Send + 'static>,
    stage: Stage,
    out: Vec<u8>,
}

impl TinyPeer {
    /// Writes what is in `out`, if the answer is at `stage`; then it is at `next`.
    fn write(&self, stage: Stage, next: Stage, put: impl FnOnce(&mut Vec<u8>)) -> Result<(), Gone> {
        let mut state = lock(&self.state);
        if state.stage != stage {
            return Err(Gone);
        }
        let State { writer, out, .. } = &mut *state;
        out.clear();
        put(out);
        let written = writer.write_all(out).and_then(|()| writer.flush());
        state.stage = if written.is_ok() { next } else { Stage::Over };
        drop(state);
        written.map_err(|_| {
            self.cancelling.cancel();
            Gone
        })
    }

    fn put_head(&self, out: &mut Vec<u8>, status: u16, fields: &[(&'static str, String)], framing: Framing) {
        wire::put_head(out, status, fields, framing, (Version::Http11, true), self.date.as_bytes());
    }

    fn put_chunk(&self, out: &mut Vec<u8>, data: &[u8]) {
        if !self.head_only {
            wire::put_chunk(out, data);
        }
    }
}

impl Peer for TinyPeer {
    fn answer(&self, answer: HttpAnswer) -> Result<(), Gone> {
        let framing = Framing::whole(answer.status, answer.body.len(), self.head_only);
        self.write(Stage::Fresh, Stage::Over, |out| {
            self.put_head(out, answer.status, &answer.fields, framing);
            if !self.head_only {
                out.extend_from_slice(&answer.body);
            }
        })
    }

    fn begin_stream(&self, status: u16, fields: &[(&'static str, String)], first: &[u8]) -> Result<(), Gone> {
        self.write(Stage::Fresh, Stage::Streaming, |out| {
            self.put_head(out, status, fields, Framing::Chunked);
            self.put_chunk(out, first);
        })
    }

    fn event(&self, bytes: &[u8]) -> Result<(), Gone> {
        self.write(Stage::Streaming, Stage::Streaming, |out| self.put_chunk(out, bytes))
    }

    fn end_stream(&self, last: &[u8]) -> Result<(), Gone> {
        self.write(Stage::Streaming, Stage::Over, |out| {
            self.put_chunk(out, last);
            if !self.head_only {
                out.extend_from_slice(wire::LAST_CHUNK);
            }
        })
    }
}
