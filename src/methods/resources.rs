//! §5.4 resources/read.
//! Law: a listed resource wins over a template; templates are tried in the order of the list.
//! Law: what is not found is an error that names the URI, never an empty list of contents.

use serde_json::json;

use crate::caching::CacheHint;
use crate::envelope::Object;
use crate::errors::{Fault, INTERNAL, rules};
use crate::handler::catalog::Catalog;
use crate::handler::context::Context;
use crate::handler::{Interrupt, ResourceOutput};
use crate::methods::non_empty;
use crate::results::Reply;
use crate::uri;

rules! {
    // const      id       code    text                                              source
    URI           "5.4-1"  -32602  "resources/read requires a non-empty string uri"  "v26:853-863";
    URI_ABSOLUTE  "5.4-2"  -32602  "resources/read uri must be an absolute URI"      "v26:853-863";
    NOT_FOUND     "5.4-3"  -32602  "Resource not found"                              "router.ex:553";
}

/// req 12-9: the URI stands in `data`.
fn not_found(uri: &str) -> Fault {
    NOT_FOUND.fault().data(json!({"uri": uri}))
}

pub(crate) fn read(params: &Object, cx: &Context<'_>, catalog: &Catalog) -> Result<Reply, Interrupt> {
    let uri = non_empty(params, "uri", &URI)?;
    if !uri::is_absolute(uri) {
        return Err(URI_ABSOLUTE.fault().into());
    }
    let (mut output, hint) = match run(uri, cx, catalog) {
        Err(Interrupt::NotFound) => return Err(not_found(uri).into()),
        outcome => outcome?,
    };
    // req 5.4-4
    if output.contents.is_empty() {
        cx.shared.cause(cx.method, "the handler gave no contents");
        return Err(INTERNAL.fault().into());
    }
    let contents: Vec<_> = std::mem::take(&mut output.contents).into_iter().map(|each| each.or_uri(uri)).collect();
    let hint = output.cache.or(hint).unwrap_or(cx.shared.cache.read);
    // req 5.4-8: what depends on a client's answers is stale at once
    let hint = if cx.retry.is_later_round() { CacheHint { ttl_ms: 0, ..hint } } else { hint };
    Ok(Reply::new().member("contents", &contents).cached(hint).meta(output.meta))
}

fn run(uri: &str, cx: &Context<'_>, catalog: &Catalog) -> Result<(ResourceOutput, Option<CacheHint>), Interrupt> {
    if let Some(entry) = catalog.resources.get(uri) {
        // req 5.4-7
        return Ok(((entry.read)(uri, cx)?, entry.cache));
    }
    let (entry, vars) = catalog.template(uri).ok_or_else(|| not_found(uri))?;
    Ok(((entry.read)(&vars, cx)?, entry.cache))
}
