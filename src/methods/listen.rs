//! §11 subscriptions/listen, as a method: the stream itself is `subscriptions/`.

use crate::envelope::Object;
use crate::handler::Interrupt;
use crate::handler::catalog::Catalog;
use crate::handler::context::Context;
use crate::results::Reply;
use crate::subscriptions::{Ended, Filter, stream, stream_meta, subscribe};

/// Blocks until the stream ends; its result is the end that the server makes (D8).
// req 8.2-7: it reports no progress
pub(crate) fn listen(params: &Object, cx: &Context<'_>, _catalog: &Catalog) -> Result<Reply, Interrupt> {
    let asked = Filter::read(params, cx.shared.limits.uris)?;
    let granted = asked.granted(cx.shared.offer.streamed());
    let subscription = subscribe(&cx.shared.hub, granted)?.until(cx.ending);
    match stream(&subscription, cx.id, cx.sink, cx.cancel, cx.shared.limits.keepalive) {
        // req 9-3 11-12 11-16: a result and no `notifications/cancelled`
        Ended::Finished => Ok(Reply::new().meta(stream_meta(cx.id))),
        Ended::Cancelled | Ended::Gone => Err(Interrupt::Cancelled), // req 9-5
    }
}
