//! §9 One request and all that comes for it, until its response.
//! Law: a request that is given up is cancelled in the way of its transport and era, before the caller hears of it.

use std::sync::Arc;

use serde_json::value::RawValue;

use super::cancel::Cancel;
use super::core::{Core, Peer};
use super::error::{Error, ServerError};
use super::message::{Incoming, Outgoing};
use super::options::Patience;
use super::transport::{Flow, Problem};
use crate::envelope::Object;

/// The answer to one request.
pub(crate) struct Answer {
    pub(crate) outcome: Result<Box<RawValue>, ServerError>,
    /// The HTTP status; 200 where the transport has none.
    pub(crate) status: u16,
    /// The session that the reply names.
    pub(crate) session: Option<String>,
}

/// What is done with a notification that comes before the response; `true` if it is progress of this request.
pub(crate) type Hear<'h> = dyn FnMut(&str, &Object) -> bool + 'h;

/// Sends a request and waits for its response. `peer` is `None` before anything has been negotiated.
pub(crate) fn post(
    core: &Arc<Core>,
    peer: Option<&Peer>,
    request: &Outgoing,
    (patience, cancel): (&Patience, &Cancel),
    hear: &mut Hear<'_>,
) -> Result<Answer, Error> {
    let answer = open(core, request, (patience, cancel), hear);
    match answer {
        Err(Error::Transport { .. }) if core.closed() => Err(Error::Cancelled),
        Err(error @ (Error::Timeout { .. } | Error::Cancelled | Error::TooLarge { .. })) => {
            give_up(core, peer, request, &error);
            Err(error)
        }
        answer => answer,
    }
}

fn open(
    core: &Arc<Core>,
    request: &Outgoing,
    (patience, cancel): (&Patience, &Cancel),
    hear: &mut Hear<'_>,
) -> Result<Answer, Error> {
    if core.closed() {
        return Err(Error::Cancelled);
    }
    let mut opened = core.transport.open(request, &patience.begin(cancel))?;
    let outcome = response(core, &mut *opened.flow, (patience, cancel), hear)?;
    Ok(Answer { outcome, status: opened.status, session: opened.session })
}

/// Reads until the response.
fn response(
    core: &Arc<Core>,
    flow: &mut dyn Flow,
    (patience, cancel): (&Patience, &Cancel),
    hear: &mut Hear<'_>,
) -> Result<Result<Box<RawValue>, ServerError>, Error> {
    let mut wait = patience.begin(cancel);
    loop {
        match flow.next(&wait) {
            Ok(Incoming::Response(reply)) => return Ok(reply.outcome),
            Ok(Incoming::Notification { method, params }) => {
                if hear(&method, &params) {
                    wait = patience.begin(cancel);
                }
            }
            Ok(Incoming::Request { id, method, params }) => core.asked(id, method, params),
            Ok(Incoming::Broken { error, .. }) => return Err(error),
            Err(Error::Timeout { .. }) if !patience.spent() && core.user_is_asked(patience.timeout()) => {
                wait = patience.begin(cancel);
            }
            Err(error) => return Err(error),
        }
    }
}

/// Tells the server that nobody waits any more. `initialize` must not be cancelled.
pub(crate) fn give_up(core: &Core, peer: Option<&Peer>, request: &Outgoing, why: &Error) {
    let stateless = peer.is_none_or(|peer| peer.spoken.stateless);
    let Some(id) = request.id.as_ref().filter(|_| request.method.as_deref() != Some("initialize")) else { return };
    if core.closed() || (stateless && core.transport.drop_cancels()) {
        return;
    }
    let mut params = Object::new();
    params.insert("requestId".to_owned(), id.to_value());
    params.insert("reason".to_owned(), why.to_string().into());
    if let Err(error) = tell(core, peer, "notifications/cancelled", params) {
        core.settings.problem(&Problem::Lenient(format!("a cancellation did not get to the server: {error}")));
    }
}

/// Sends a notification. Waits no longer than a write may take.
pub(crate) fn tell(core: &Core, peer: Option<&Peer>, method: &str, params: Object) -> Result<(), Error> {
    let mut message = Outgoing::notification(method, params);
    if let Some(peer) = peer {
        message.fields = core.fields(peer);
        if peer.spoken.stateless && core.transport.has_headers() {
            message.fields.push(("mcp-method".to_owned(), method.to_owned()));
        }
    }
    core.transport.tell(&message, &core.brief(&Cancel::new()))
}
