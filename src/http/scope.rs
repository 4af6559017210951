//! §9 Posted cancellations: the requests that a caller of the same scope may cancel (D10).
//! Law: who is not in a scope matches nothing, and nothing of another scope is ever matched.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use super::peer::Cancelling;
use crate::cancellation::cancelled_id;
use crate::envelope::{Object, RequestId};
use crate::lock;

type Key = (String, RequestId);

/// The requests in flight that have a scope. Bounded by the number of connections, each of which serves one request at a time.
#[derive(Debug, Default)]
pub(crate) struct Scoped(Mutex<HashMap<Key, Vec<Arc<Cancelling>>>>);

/// A request's place in the table; leaving it is dropping this.
pub(crate) struct Place<'a> {
    table: &'a Scoped,
    key: Key,
    cancel: &'a Arc<Cancelling>,
}

impl Scoped {
    /// Registers a request.
    pub(crate) fn enter<'a>(&'a self, scope: String, id: &RequestId, cancel: &'a Arc<Cancelling>) -> Place<'a> {
        let key = (scope, id.clone());
        lock(&self.0).entry(key.clone()).or_default().push(Arc::clone(cancel));
        Place { table: self, key, cancel }
    }

    /// Cancels the request that a `notifications/cancelled` names. Where the scope has two requests of that id, which HTTP cannot
    /// prevent, none is meant for certain, and none is cancelled.
    pub(crate) fn cancelled(&self, scope: String, params: &Object, id_limit: usize) {
        let Some(id) = cancelled_id(params, id_limit) else { return };
        let key = (scope, id);
        let mut table = lock(&self.0);
        let found = if table.get(&key).is_some_and(|requests| requests.len() == 1) { table.remove(&key) } else { None };
        drop(table);
        found.into_iter().flatten().for_each(|cancel| cancel.cancel());
    }
}

impl Place<'_> {
    /// Takes the request out: whether a message of its caller had cancelled it.
    pub(crate) fn leave(self) -> bool {
        let mut table = lock(&self.table.0);
        let Some(requests) = table.get_mut(&self.key) else { return true };
        let before = requests.len();
        requests.retain(|other| !Arc::ptr_eq(other, self.cancel));
        let was_there = requests.len() < before;
        if requests.is_empty() {
            table.remove(&self.key);
        }
        !was_there
    }
}
