//! §13 What a host wants from what it serves.

use std::sync::Arc;

use crate::arrival::{Principal, RequestHead};
use crate::http::peer::{Cancelling, HostRefusal, HttpAnswer, Peer, RawRequest};
use crate::limits::Limits;

/// What answers the requests of a host. [`Exchange`](crate::http::Exchange) is the one that speaks MCP.
pub trait Service: Send + Sync {
    /// The bounds to keep.
    fn limits(&self) -> &Limits;

    /// Judges a head before the body is read, and finds out who is calling. The answer to a refused one goes out in place of
    /// `100 Continue`.
    fn judge_head(&self, head: &RequestHead) -> Result<Option<Principal>, HttpAnswer>;

    /// Answers a request of `caller` through `peer`, on the calling thread, for as long as it takes. What returns without an
    /// answer has the connection closed. A panic is answered with [`HostRefusal::Failed`].
    fn run(&self, caller: Option<Principal>, request: RawRequest<'_>, peer: &dyn Peer, cancel: &Arc<Cancelling>);

    /// The answer to what the host itself refuses; `head`, if the request came that far.
    fn refusal(&self, kind: HostRefusal, head: Option<&RequestHead>) -> HttpAnswer;

    /// Seconds since 1970-01-01 UTC, for `date`.
    fn now(&self) -> u64;

    /// Called when the host shuts down: streams that would go on without end are to end now.
    fn end_streams(&self);
}
