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

    /// req 9-8: cancels the request that a `notifications/cancelled` names. Where the scope has two requests of that id, which HTTP cannot
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
    /// Takes the request out: whether a message of its caller had cancelled it. It is cancelled then, also if whoever took it out
    /// of the table has not come to that yet: the next request of the connection must not be cancelled in its stead.
    pub(crate) fn leave(self) -> bool {
        let cancelled = !self.take_out();
        if cancelled {
            self.cancel.cancel();
        }
        cancelled
    }

    /// Whether it was still there.
    fn take_out(&self) -> bool {
        let mut table = lock(&self.table.0);
        let Some(requests) = table.get_mut(&self.key) else { return false };
        let before = requests.len();
        requests.retain(|other| !Arc::ptr_eq(other, self.cancel));
        let was_there = requests.len() < before;
        if requests.is_empty() {
            table.remove(&self.key);
        }
        was_there
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.take_out();
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn entered(table: &Scoped) -> usize {
        lock(&table.0).values().map(Vec::len).sum()
    }

    /// A connection uses its [`Cancelling`] again for its next request, unless it is used up.
    #[test]
    fn a_request_that_was_taken_out_is_cancelled_when_it_leaves() {
        let (table, cancel) = (Scoped::default(), Cancelling::new());
        let place = table.enter("scope".to_owned(), &RequestId::Int(1), &cancel);
        lock(&table.0).clear(); // the first half of `cancelled`
        assert!(place.leave());
        assert!(cancel.token().cancelled());
    }

    /// An id is free again as soon as its request is cancelled: the next request that has it keeps its own place.
    #[test]
    fn a_place_is_left_by_its_own_request() {
        let (table, first, second) = (Scoped::default(), Cancelling::new(), Cancelling::new());
        let cancelled = table.enter("scope".to_owned(), &RequestId::Int(1), &first);
        let params = json!({"requestId": 1}).as_object().cloned().unwrap_or_default();
        table.cancelled("scope".to_owned(), &params, 256);
        let next = table.enter("scope".to_owned(), &RequestId::Int(1), &second);
        assert!(cancelled.leave());
        assert!(!next.leave());
        assert!(!second.token().cancelled());
    }

    #[test]
    fn a_place_that_is_dropped_is_free() {
        let (table, cancel) = (Scoped::default(), Cancelling::new());
        drop(table.enter("scope".to_owned(), &RequestId::Int(1), &cancel));
        assert_eq!(entered(&table), 0);
        let params = json!({"requestId": 1}).as_object().cloned().unwrap_or_default();
        table.cancelled("scope".to_owned(), &params, 256);
        assert!(!cancel.token().cancelled());
    }
}
