//! §13 One HTTP exchange: the seam between a host, which knows sockets and no MCP, and the corridor, which knows MCP and no
//! sockets.
//! Law: a host calls [`Exchange::judge_head`] when it has the head, [`Exchange::run`] when it has the body, and no third thing.

use std::sync::{Arc, Mutex};

use super::admission::{self, Admitted, Call, Passed, Refusal};
use super::gate::{Gate, GateError};
use super::respond::HttpSink;
use super::scope::{Place, Scoped};
use super::{Fields, origin, respond};
use crate::arrival::{Principal, RequestHead, Via};
use crate::cancellation::{CancelSource, CancelToken, cancellation};
use crate::dialect::{Arrival, Dialect};
use crate::envelope::Notification;
use crate::errors::{Fault, Rule, rules};
use crate::handler::hooks::Direction;
use crate::limits::Limits;
use crate::lock;
use crate::server::Server;
use crate::sink::Gone;

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
    pub fields: Vec<(&'static str, String)>,
    /// The body; empty with 202, 204 and in the answer to HEAD.
    pub body: Vec<u8>,
}

/// Where an exchange writes to. Either one `answer`, or `begin_stream`, any number of `event`, and `end_stream`.
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
    /// Something below the host panicked: 500.
    Failed,
}

impl HostRefusal {
    fn rule(self) -> &'static Rule {
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

/// The corridor over HTTP. One serves all connections of a host.
#[derive(Debug)]
pub struct Exchange {
    server: Server,
    gate: Gate,
    scoped: Scoped,
}

impl Exchange {
    /// The corridor of a server behind a gate.
    pub fn new(server: &Server, gate: Gate) -> Result<Exchange, GateError> {
        Ok(Exchange { server: server.clone(), gate: gate.checked()?, scoped: Scoped::default() })
    }

    /// The server behind the gate.
    pub(crate) fn server(&self) -> &Server {
        &self.server
    }

    /// The bounds that the host keeps.
    pub fn limits(&self) -> &Limits {
        self.server.limits()
    }

    /// Judges the head before the body is read (§13.2 steps 1 to 5), so that a client that waits for `100 Continue` learns the
    /// final status instead. The error is the answer; a browser's preflight is answered so too.
    pub fn judge_head(&self, head: &RequestHead) -> Result<Passed, HttpAnswer> {
        let judged = match admission::preflight(head, &self.gate) {
            Some(passed) => passed.map(|()| Err(respond::empty(204, origin::preflight(head, &self.gate.origins)))),
            None => admission::head(head, &self.gate).map(Ok),
        };
        judged.unwrap_or_else(|refusal| Err(self.refuse(refusal, head)))
    }

    /// Serves a request whose head has passed, and returns when it is answered. Nothing is written after a cancel.
    pub fn run(&self, passed: Passed, request: RawRequest<'_>, peer: &dyn Peer, cancel: &Arc<Cancelling>) {
        self.server.tap(Direction::In, request.body);
        let head = request.head;
        let answer = match admission::body(&request, &self.server) {
            Ok(Admitted::Call(call)) => return self.call(call, &passed, head, peer, cancel),
            Ok(Admitted::Notification(note)) => self.notified(&note, &passed, head),
            Ok(Admitted::Response) => respond::empty(202, self.shared(head)), // D2
            Err(refusal) => self.refuse(refusal, head),
        };
        if !cancel.token().cancelled() {
            let _gone = peer.answer(answer);
        }
    }

    /// What the host answers when it refuses a request itself; `head`, if the request came that far.
    pub fn refusal(&self, kind: HostRefusal, head: Option<&RequestHead>) -> HttpAnswer {
        match head {
            Some(head) => self.refuse(Refusal::by(kind.rule()), head),
            None => respond::refusal(Refusal::by(kind.rule()), Vec::new()),
        }
    }

    /// Step 11 for a request.
    fn call(&self, call: Call, passed: &Passed, head: &RequestHead, peer: &dyn Peer, cancel: &Arc<Cancelling>) {
        let Call { request, dialect, method } = call;
        let principal = passed.principal.as_ref();
        let scope = self.scope(head, principal);
        let place = scope.map(|scope| self.scoped.enter(scope, &request.id, cancel));
        let out = |message: &[u8]| self.server.tap(Direction::Out, message);
        let sink = HttpSink::new(peer, self.shared(head), cancel, &out);
        let arrival = Arrival { dialect, principal, via: Via::Http(head), ending: None };
        let response = self.server.serve(request, &arrival, &sink, cancel.token());
        let _gone = if place.is_some_and(Place::leave) {
            sink.fall_silent()
        } else {
            let status = response.answer.as_ref().map_or_else(|fault| status(dialect, fault), |_| 200);
            sink.finish(&response, status, method.is_some_and(|method| method.streams))
        };
    }

    /// Step 11 for a notification: accepted, known or not.
    fn notified(&self, note: &Notification, passed: &Passed, head: &RequestHead) -> HttpAnswer {
        if note.method == "notifications/cancelled" {
            if let Some(scope) = self.scope(head, passed.principal.as_ref()) {
                self.scoped.cancelled(scope, &note.params, self.limits().id);
            }
        }
        respond::empty(202, self.shared(head))
    }

    fn scope(&self, head: &RequestHead, principal: Option<&Principal>) -> Option<String> {
        self.gate.scope.as_ref().and_then(|scope| scope(head, principal))
    }

    fn refuse(&self, refusal: Refusal, head: &RequestHead) -> HttpAnswer {
        let mut answer = respond::refusal(refusal, self.shared(head));
        if head.method == "HEAD" {
            answer.body.clear();
        }
        self.server.tap(Direction::Out, &answer.body);
        answer
    }

    /// The fields that every answer to a request carries.
    fn shared(&self, head: &RequestHead) -> Fields {
        if self.gate.cors { origin::readable(head, &self.gate.origins) } else { Vec::new() }
    }
}

/// The status of an error: that of its rule, where the transport names one, else that of its code (§12).
fn status(dialect: &Dialect, fault: &Fault) -> u16 {
    fault.status().unwrap_or_else(|| (dialect.status)(fault.code()))
}
