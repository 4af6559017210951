//! The path of a request, from its `_meta` to the shape of its result.
//! Law: it runs wholly on the calling thread; notifications leave through the sink before it returns.
//! Law: whatever a handler does, there is an answer: a panic is -32603, and its cause goes to the observer only.

use std::sync::Mutex;

use crate::cancellation::{CANCELLED, CancelToken};
use crate::contained;
use crate::dialect::{Arrival, name_versions};
use crate::envelope::{Body, Request, Response};
use crate::errors::{Fault, INTERNAL};
use crate::handler::Interrupt;
use crate::handler::context::Context;
use crate::handler::hooks::{Event, Outcome};
use crate::handler::shared::Shared;
use crate::meta::RequestMeta;
use crate::methods::{Method, NOT_FOUND};
use crate::mrtr::{self, Carried, InputRequired, retry, state};
use crate::results::Reply;
use crate::server::Server;
use crate::sink::Sink;

impl Server {
    /// Serves one request: §2 meta, §5 method, §10.3 retry, the handler, §10.1 gate, §3 shape. Blocks as long as the handler does.
    /// After a cancel the response is to be dropped.
    pub fn serve(
        &self,
        mut request: Request,
        arrival: &Arrival<'_>,
        sink: &dyn Sink,
        cancel: &CancelToken,
    ) -> Response {
        let shared = &*self.shared;
        let start = shared.clock.monotonic();
        let (answer, outcome) = match self.corridor(&mut request, arrival, sink, cancel) {
            Ok((body, outcome)) => (Ok(body), outcome),
            Err(Interrupt::Cancelled) => (Err(CANCELLED.fault()), Outcome::Cancelled),
            Err(interrupt) => {
                let fault = name_versions(&request.method, self.fault(&request.method, interrupt), &shared.versions);
                let code = fault.code();
                (Err(fault), Outcome::Error(code))
            }
        };
        if shared.observer.is_some() {
            // whatever the handler has come to: the transport drops it
            let outcome = if cancel.cancelled() { Outcome::Cancelled } else { outcome };
            let duration = shared.clock.monotonic().saturating_sub(start);
            let name = name(&request, arrival);
            shared.observe(&Event::Call { method: &request.method, name, duration, outcome });
        }
        Response { id: Some(request.id), answer }
    }

    /// The corridor, door by door.
    fn corridor(
        &self,
        request: &mut Request,
        arrival: &Arrival<'_>,
        sink: &dyn Sink,
        cancel: &CancelToken,
    ) -> Result<(Body, Outcome), Interrupt> {
        let shared = &*self.shared;
        let meta = (arrival.dialect.read_meta)(&mut request.params, &shared.versions, &shared.limits)?; //  §2
        let Request { id, method: name, params } = &*request;
        let method = offered(shared, arrival, name)?; //                                                  §5.7 §4
        // req 10.3-12
        let retry = if method.may_ask { retry::read(params)? } else { retry::Retry::default() }; //       §10.3
        let principal = arrival.principal.map(|principal| principal.0.as_str());
        let binding = state::Binding { method: name, params, principal };
        let carried = open(shared, &retry, &binding)?; //                                                 §10.4
        let context = Context {
            shared,
            version: arrival.dialect.version,
            shape: arrival.dialect.shape,
            id,
            method: name,
            params,
            meta: &meta,
            retry: &retry,
            carried,
            principal: arrival.principal,
            via: arrival.via,
            sink,
            cancel,
            ending: arrival.ending,
            progress: Mutex::default(),
            keep: Mutex::default(),
        };
        let catalog = self.catalog();
        let run = || (method.run)(params, &context, &catalog);
        // req 12-15
        let outcome = match contained(run) {
            Ok(outcome) => outcome, //                                                                    §4 §5 §6 §11
            Err(text) => return Err(self.panicked(name, &text)),
        };
        let (result_type, reply, outcome) = match outcome {
            Err(Interrupt::InputRequired(input)) => {
                let keep = context.keep.into_inner().unwrap_or_default();
                let reply = input_required(shared, method, input, keep, &meta, &binding)?; //             §10.1 §10.2
                ("input_required", reply, Outcome::InputRequired)
            }
            reply => {
                let reply = reply?;
                let outcome = if reply.is_error() { Outcome::ToolError } else { Outcome::Complete };
                ("complete", reply, outcome)
            }
        };
        Ok(((arrival.dialect.shape)(result_type, reply, shared.stamp.as_ref()), outcome)) //              §3 §7
    }

    /// req 12-14: what is answered where a handler ended without a result; the cause goes to the observer.
    fn fault(&self, method: &str, interrupt: Interrupt) -> Fault {
        match interrupt {
            Interrupt::Fault(fault) => fault,
            Interrupt::Failed(cause) => {
                self.shared.cause(method, &cause);
                INTERNAL.fault()
            }
            Interrupt::NotFound => {
                self.shared.cause(method, "nothing found, where that is no answer");
                INTERNAL.fault()
            }
            Interrupt::InputRequired(_) | Interrupt::Cancelled => INTERNAL.fault(), // both have been dealt with before
        }
    }

    fn panicked(&self, method: &str, text: &str) -> Interrupt {
        self.shared.cause(method, &["the handler panicked: ", text].concat());
        INTERNAL.fault().into()
    }
}

/// req 4-4 11-5: the method's row, if it exists in this dialect and the server offers what it needs.
fn offered(shared: &Shared, arrival: &Arrival<'_>, name: &str) -> Result<&'static Method, Fault> {
    let method = arrival.dialect.method(name).filter(|method| shared.offer.has(method.needs));
    method.ok_or_else(|| NOT_FOUND.about(name))
}

/// The tool, prompt or resource that a request names.
fn name<'a>(request: &'a Request, arrival: &Arrival<'_>) -> Option<&'a str> {
    let member = arrival.dialect.method(&request.method)?.mcp_name.member()?;
    request.params.get(member)?.as_str()
}

fn bounds(shared: &Shared) -> state::Bounds {
    state::Bounds { bytes: shared.limits.state, ttl: shared.limits.state_ttl_max.as_secs() }
}

/// What an earlier round has sealed; a token that is not ours, not for this request, or too old is refused.
#[inline(never)] // a thread that waits in a handler does not keep room for it
fn open(shared: &Shared, retry: &retry::Retry, binding: &state::Binding<'_>) -> Result<Carried, Fault> {
    let Some(token) = &retry.state else { return Ok(Carried::default()) };
    let now = shared.clock.now();
    state::open(&shared.keys, binding, token, now, bounds(shared)).map(Carried::from_value)
}

/// The `input_required` result, if it may go out.
#[inline(never)] // a thread that waits in a handler does not keep room for it
fn input_required(
    shared: &Shared,
    method: &Method,
    input: InputRequired,
    mut keep: Carried,
    meta: &RequestMeta,
    binding: &state::Binding<'_>,
) -> Result<Reply, Fault> {
    keep.state = input.state.clone().or(keep.state);
    // req 10.1-10 10.4-10: what earlier rounds brought goes along, so that no two rounds have the same state
    keep.answers.retain(|id, _| !input.requests.contains_key(id)); // what is asked anew has no answer yet
    let seals = !keep.is_empty();
    mrtr::gate(method.may_ask, &input, seals, &meta.capabilities).map_err(|(fault, cause)| {
        shared.cause(method.name, &cause);
        fault
    })?;
    // req 10.1-3
    let reply = Reply::new().optional("inputRequests", Some(&input.requests).filter(|requests| !requests.is_empty()));
    if !seals {
        return Ok(reply);
    }
    let (now, ttl) = (shared.clock.now(), shared.limits.state_ttl.as_secs());
    let token = state::seal(&shared.keys, binding, &keep.to_value(), now, ttl, bounds(shared)).map_err(|error| {
        shared.cause(method.name, &error.to_string());
        INTERNAL.fault()
    })?;
    Ok(reply.member("requestState", &token))
}
