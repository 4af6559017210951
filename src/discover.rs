//! §4 server/discover.
//! Law: what is advertised is what the method table serves; nothing is promised that has no handler behind it.

use serde_json::{Value, json};

use crate::envelope::Object;
use crate::handler::Interrupt;
use crate::handler::catalog::Catalog;
use crate::handler::context::Context;
use crate::handler::shared::Offer;
use crate::results::Reply;

/// server/discover: any params are accepted.
// req 4-1 4-2 4-8
pub(crate) fn run(_params: &Object, cx: &Context<'_>, _catalog: &Catalog) -> Result<Reply, Interrupt> {
    let shared = cx.shared;
    Ok(Reply::new()
        .member("supportedVersions", &shared.versions)
        .member("capabilities", &capabilities(&shared.offer))
        .optional("instructions", shared.instructions.as_ref())
        .cached(shared.cache.discover))
}

/// `ServerCapabilities`, in the order of the table of §4.
// req 4-3
pub(crate) fn capabilities(offer: &Offer) -> Value {
    let mut out = Object::new();
    let list_changed = || if offer.list_changed { json!({"listChanged": true}) } else { json!({}) };
    if offer.tools {
        out.insert("tools".to_owned(), list_changed());
    }
    if offer.resources {
        let mut resources = list_changed();
        if let (true, Some(members)) = (offer.subscribe, resources.as_object_mut()) {
            members.insert("subscribe".to_owned(), json!(true));
        }
        out.insert("resources".to_owned(), resources);
    }
    if offer.prompts {
        out.insert("prompts".to_owned(), list_changed());
    }
    if offer.completions {
        out.insert("completions".to_owned(), json!({}));
    }
    if offer.logging {
        // req 8.1-1
        out.insert("logging".to_owned(), json!({}));
    }
    for (name, named) in [("experimental", &offer.experimental), ("extensions", &offer.extensions)] {
        if !named.is_empty() {
            out.insert(name.to_owned(), Value::Object(named.clone()));
        }
    }
    Value::Object(out)
}
