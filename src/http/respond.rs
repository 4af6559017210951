//! §13.3 §8.3 Answers: one JSON object, or a stream of events.
//! Law: the first frame decides. A response that comes first is plain JSON with the status of §12; a notification that comes
//! first begins a stream, whose status is 200 whatever follows.
//! Law: after a cancel nothing is written.

use std::sync::{Arc, Mutex, TryLockError};

use super::admission::Refusal;
use super::peer::{Cancelling, Fields, HttpAnswer, Peer, PeerOutlet};
use crate::cancellation::CancelToken;
use crate::envelope::{Notification, Response};
use crate::handler::hooks::Direction;
use crate::lock;
use crate::server::Server;
use crate::sink::{Gone, Offered, Outlet, Sink};

/// A comment, which keeps a silent stream alive (§11).
const KEEP_ALIVE: &[u8] = b": keepalive\r\n\r\n";

/// req 8.3-2, C-9: the body of an event is one message on one line (D23).
fn event(json: &str) -> Vec<u8> {
    [b"data: ".as_slice(), json.as_bytes(), b"\r\n\r\n"].concat()
}

/// An answer without a body.
pub(crate) fn empty(status: u16, fields: Fields) -> HttpAnswer {
    HttpAnswer { status, fields, body: Vec::new() }
}

/// An answer with one JSON object.
pub(crate) fn json(status: u16, mut fields: Fields, text: String) -> HttpAnswer {
    fields.insert(0, ("content-type", "application/json".to_owned()));
    HttpAnswer { status, fields, body: text.into_bytes() }
}

/// The answer that a refusal is; `shared` are the fields that every answer to this request carries.
pub(crate) fn refusal(refusal: Refusal, shared: Fields) -> HttpAnswer {
    let mut fields = shared;
    fields.extend(refusal.field);
    match refusal.fault {
        Some(fault) => json(refusal.status, fields, Response { id: refusal.id, answer: Err(*fault) }.to_json()),
        None => empty(refusal.status, fields),
    }
}

/// Where the notifications and the response of one request go.
pub(crate) struct HttpSink<'a> {
    peer: &'a dyn Peer,
    shared: Fields,
    cancel: &'a Cancelling,
    server: &'a Server,
    /// Whether the stream has begun. Held across a write, so that frames leave whole and in order.
    // req 8.2-6
    begun: Arc<Mutex<bool>>,
}

impl<'a> HttpSink<'a> {
    pub(crate) fn new(peer: &'a dyn Peer, shared: Fields, cancel: &'a Cancelling, server: &'a Server) -> Self {
        HttpSink { peer, shared, cancel, server, begun: Arc::default() }
    }

    /// Sends the response: the last event of a stream, or the whole answer. `streams` says that the method always answers with a
    /// stream, unless it is refused before the first event.
    pub(crate) fn finish(&self, response: &Response, status: u16, streams: bool) -> Result<(), Gone> {
        let begun = lock(&self.begun);
        if self.cancel.token().cancelled() {
            return Err(Gone);
        }
        let text = response.to_json();
        self.server.tap(Direction::Out, text.as_bytes());
        if *begun {
            self.peer.end_stream(&event(&text)) // req 8.3-3, 8.3-4: the last event, also where it is an error
        } else if streams && response.answer.is_ok() {
            self.peer.begin_stream(200, &self.stream_fields(), &event(&text))?;
            self.peer.end_stream(b"")
        } else {
            self.peer.answer(json(status, self.shared.clone(), text)) // req 13.3-1
        }
    }

    /// Says nothing more to a client that cancelled the request by a message of its own and still listens (§9).
    pub(crate) fn fall_silent(&self) -> Result<(), Gone> {
        if *lock(&self.begun) { self.peer.end_stream(b"") } else { self.peer.answer(empty(204, self.shared.clone())) }
    }

    // req 8.3-1
    fn stream_fields(&self) -> Fields {
        let head = [("content-type", "text/event-stream"), ("cache-control", "no-cache"), ("x-accel-buffering", "no")];
        head.into_iter().map(|(name, value)| (name, value.to_owned())).chain(self.shared.iter().cloned()).collect()
    }

    /// req 9-6: a failed write means that the client is gone, which cancels (D9).
    fn or_cancel(&self, written: Result<(), Gone>) -> Result<(), Gone> {
        written.inspect_err(|Gone| self.cancel.cancel())
    }
}

impl Sink for HttpSink<'_> {
    fn send(&self, note: &Notification) -> Result<(), Gone> {
        let mut begun = lock(&self.begun);
        if self.cancel.token().cancelled() {
            return Err(Gone);
        }
        let text = note.to_json();
        self.server.tap(Direction::Out, text.as_bytes());
        // req 8.3-6, 13.3-2: now, and not when the handler ends
        let written = if *begun {
            self.peer.event(&event(&text))
        } else {
            *begun = true;
            self.peer.begin_stream(200, &self.stream_fields(), &event(&text))
        };
        self.or_cancel(written)
    }

    fn keep_alive(&self) -> Result<(), Gone> {
        let begun = lock(&self.begun);
        if self.cancel.token().cancelled() {
            return Err(Gone);
        }
        if *begun { self.or_cancel(self.peer.event(KEEP_ALIVE)) } else { Ok(()) }
    }

    fn outlet(&self) -> Option<Arc<dyn Outlet>> {
        let peer = self.peer.outlet()?;
        let (cancel, server, begun) = (self.cancel.token().clone(), self.server.clone(), Arc::clone(&self.begun));
        Some(Arc::new(HttpOutlet { peer, cancel, server, begun }))
    }

    fn flush(&self) -> Result<(), Gone> {
        let _begun = lock(&self.begun);
        self.or_cancel(self.peer.flush())
    }
}

/// The way to an open stream for threads that must not wait.
struct HttpOutlet {
    peer: Arc<dyn PeerOutlet>,
    cancel: CancelToken,
    server: Server,
    begun: Arc<Mutex<bool>>,
}

impl Outlet for HttpOutlet {
    fn offer(&self, note: &Notification) -> Offered {
        // Whoever holds it writes, perhaps to a client that does not read.
        let _begun = match self.begun.try_lock() {
            Ok(begun) => begun,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return Offered::Not,
        };
        if self.cancel.cancelled() {
            return Offered::Not;
        }
        let text = note.to_json();
        let offered = self.peer.offer(&event(&text));
        if offered != Offered::Not {
            self.server.tap(Direction::Out, text.as_bytes());
        }
        offered
    }
}
