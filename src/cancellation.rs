//! §9 Cancellation.
//! Law: a token is a channel that carries nothing and whose sender is dropped to cancel, so that it can be polled, waited
//! for and selected on, and never has to be reset.
//! Law: after a cancel the transport drops whatever the handler returns; no late response exists.

use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::Mutex;

use crossbeam_channel::{Receiver, Sender, TryRecvError, bounded};

use crate::envelope::{Object, RequestId};
use crate::errors::rules;
use crate::lock;

rules! {
    // const   id      code    text                     source
    CANCELLED  "9-10"  -32603  "Request was cancelled"  "ours";
}

/// Tells a handler that its request has been cancelled.
// req 9-9
#[derive(Clone, Debug)]
pub struct CancelToken(Receiver<Infallible>);

/// The other end of a [`CancelToken`]: dropping it, or calling [`cancel`](CancelSource::cancel), cancels.
#[derive(Debug)]
pub struct CancelSource(Sender<Infallible>);

/// A new token and its source.
pub fn cancellation() -> (CancelSource, CancelToken) {
    let (sender, receiver) = bounded(0);
    (CancelSource(sender), CancelToken(receiver))
}

impl CancelSource {
    /// Cancels.
    pub fn cancel(self) {
        drop(self.0);
    }
}

impl CancelToken {
    /// Whether the request has been cancelled. Does not block.
    pub fn cancelled(&self) -> bool {
        matches!(self.0.try_recv(), Err(TryRecvError::Disconnected))
    }

    /// A channel that becomes disconnected, hence ready, on cancel; for `select!`.
    pub fn channel(&self) -> &Receiver<Infallible> {
        &self.0
    }
}

/// The requests of one stdio connection that are being served, by id. Each has the token that it was given, since an id is
/// free again as soon as its request is cancelled, while the handler of that request may still run.
#[derive(Debug, Default)]
pub struct InFlight(Mutex<HashMap<RequestId, (CancelSource, CancelToken)>>);

impl InFlight {
    /// Registers a request. `None` if its id is in use already.
    pub fn enter(&self, id: &RequestId) -> Option<CancelToken> {
        let mut table = lock(&self.0);
        if table.contains_key(id) {
            return None;
        }
        let (source, token) = cancellation();
        table.insert(id.clone(), (source, token.clone()));
        Some(token)
    }

    /// Takes the request out that was given this token: `true` if it may still be answered, `false` if it was cancelled
    /// meanwhile, whoever has its id now.
    pub fn leave(&self, id: &RequestId, token: &CancelToken) -> bool {
        let mut table = lock(&self.0);
        let ours = table.get(id).is_some_and(|(_, entered)| entered.0.same_channel(&token.0));
        let left = if ours { table.remove(id) } else { None };
        drop(table);
        left.is_some()
    }

    /// Cancels the request that a `notifications/cancelled` names. An unknown, finished or malformed id is ignored.
    pub fn cancelled(&self, params: &Object, id_limit: usize) {
        if let Some(id) = cancelled_id(params, id_limit) {
            let entry = lock(&self.0).remove(&id);
            drop(entry);
        }
    }

    /// Cancels all.
    pub fn cancel_all(&self) {
        let table = std::mem::take(&mut *lock(&self.0));
        drop(table);
    }
}

/// req 9-1 9-2: `requestId` must be a bounded id and `reason`, if present, a string; else the notification is ignored.
pub(crate) fn cancelled_id(params: &Object, id_limit: usize) -> Option<RequestId> {
    if params.get("reason").is_some_and(|reason| !reason.is_string()) {
        return None;
    }
    RequestId::read(params.get("requestId")?, id_limit)
}
