//! §13 The corridor over HTTP: one exchange, from the head to the answer.
//! Law: a host calls [`Exchange::judge_head`] when it has the head and [`Exchange::run`] when it has the body; what it refuses
//! itself it answers with [`Exchange::refusal`].

use std::sync::Arc;

use super::admission::{self, Admitted, Call, Passed, Refusal};
use super::gate::{Gate, GateError};
use super::peer::{Cancelling, Fields, HostRefusal, HttpAnswer, Peer, RawRequest};
use super::respond::HttpSink;
use super::scope::{Place, Scoped};
use super::{origin, respond};
use crate::arrival::{Principal, RequestHead, Via};
use crate::dialect::{Arrival, Dialect};
use crate::envelope::Notification;
use crate::errors::Fault;
use crate::handler::hooks::Direction;
use crate::limits::Limits;
use crate::server::Server;

/// The corridor over HTTP. One serves all connections of a host.
#[derive(Debug)]
pub struct Exchange {
    server: Server,
    gate: Gate,
    scoped: Scoped,
    /// Fires when the host ends.
    ending: Arc<Cancelling>,
}

impl Exchange {
    /// The corridor of a server behind a gate. Fails with all that is wrong with how the gate was configured.
    pub fn new(server: &Server, gate: Gate) -> Result<Exchange, GateError> {
        let (gate, scoped, ending) = (gate.checked()?, Scoped::default(), Cancelling::new());
        Ok(Exchange { server: server.clone(), gate, scoped, ending })
    }

    /// Ends the listen streams that come through this exchange, each with its result, and those still to come: the host shuts
    /// down.
    pub fn end_streams(&self) {
        self.ending.cancel();
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
            Ok(Admitted::Response) => respond::empty(202, self.shared(head)), // req 13.2-6: D2
            Err(refusal) => self.refuse(refusal, head),
        };
        if !cancel.token().cancelled() {
            let _gone = peer.answer(answer);
        }
    }

    /// What the host answers when it refuses a request itself; `head`, if the request came that far.
    pub fn refusal(&self, kind: HostRefusal, head: Option<&RequestHead>) -> HttpAnswer {
        let nothing = RequestHead::default();
        self.refuse(Refusal::by(kind.rule()), head.unwrap_or(&nothing))
    }

    /// Step 11 for a request.
    fn call(&self, call: Call, passed: &Passed, head: &RequestHead, peer: &dyn Peer, cancel: &Arc<Cancelling>) {
        let Call { request, dialect, method } = call;
        let principal = passed.principal.as_ref();
        let scope = self.scope(head, principal);
        let place = scope.map(|scope| self.scoped.enter(scope, &request.id, cancel));
        let sink = HttpSink::new(peer, self.shared(head), cancel, &self.server);
        // req api-10: the handler sees the head
        let arrival = Arrival { dialect, principal, via: Via::Http(head), ending: Some(self.ending.token()) };
        let response = self.server.serve(request, &arrival, &sink, cancel.token());
        let _gone = if place.is_some_and(Place::leave) {
            sink.fall_silent()
        } else {
            let status = response.answer.as_ref().map_or_else(|fault| status(dialect, fault), |_| 200);
            sink.finish(&response, status, method.is_some_and(|method| method.streams))
        };
    }

    /// Step 11 for a notification.
    // req 13.2-7: accepted, known or not
    fn notified(&self, note: &Notification, passed: &Passed, head: &RequestHead) -> HttpAnswer {
        if note.method == "notifications/cancelled" {
            // req 9-7, 9-8: without a scope it matches nothing
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
        if !answer.body.is_empty() {
            self.server.tap(Direction::Out, &answer.body);
        }
        answer
    }

    /// The fields that every answer to a request carries.
    fn shared(&self, head: &RequestHead) -> Fields {
        if self.gate.cors { origin::readable(head, &self.gate.origins) } else { Vec::new() }
    }
}

/// req 12-2, 12-10: the status of an error is that of its rule, where the transport names one, else that of its code.
fn status(dialect: &Dialect, fault: &Fault) -> u16 {
    fault.status().unwrap_or_else(|| (dialect.status)(fault.code()))
}
