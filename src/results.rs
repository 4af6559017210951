//! §3 Results: `resultType` and the result's `_meta`.
//! Law: every result has a `resultType`, and the server's identity in `_meta` unless it was told not to name itself.

use std::borrow::Cow;
use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;

use crate::caching::CacheHint;
use crate::envelope::{Body, Object, json_text};
use crate::meta::SERVER_INFO;

/// A result as a method hands it over: its own members, before the dialect shapes it.
#[derive(Clone, Debug, Default)]
pub struct Reply {
    /// Names and JSON texts, in the order in which they are written.
    members: Vec<(&'static str, String)>,
    /// What the method or the handler puts into `_meta`.
    meta: Object,
    /// Where the result is one of the six cacheable ones (§7).
    // req 7-5: whoever does not set it has neither member
    cache: Option<CacheHint>,
    /// A whole result, shaped before: a page of a list.
    ready: Option<Body>,
    /// A tool's `isError`.
    is_error: bool,
}

impl Reply {
    /// A result without members of its own.
    pub(crate) fn new() -> Reply {
        Reply::default()
    }

    /// A result that has been shaped before.
    pub(crate) fn ready(body: Body) -> Reply {
        Reply { ready: Some(body), ..Reply::default() }
    }

    pub(crate) fn member(mut self, name: &'static str, value: &(impl Serialize + ?Sized)) -> Reply {
        self.members.push((name, json_text(value)));
        self
    }

    /// A member whose JSON text is at hand.
    pub(crate) fn member_text(mut self, name: &'static str, json: String) -> Reply {
        self.members.push((name, json));
        self
    }

    pub(crate) fn optional(self, name: &'static str, value: Option<&(impl Serialize + ?Sized)>) -> Reply {
        match value {
            Some(value) => self.member(name, value),
            None => self,
        }
    }

    pub(crate) fn meta(mut self, meta: Object) -> Reply {
        self.meta = meta;
        self
    }

    pub(crate) fn cached(mut self, hint: CacheHint) -> Reply {
        self.cache = Some(hint);
        self
    }

    pub(crate) fn failed(mut self, is_error: bool) -> Reply {
        self.is_error = is_error;
        self
    }

    pub(crate) fn is_error(&self) -> bool {
        self.is_error
    }
}

/// Makes a result of a dialect out of a method's reply: its `resultType`, the reply, the server's identity.
pub(crate) type Shape = fn(&'static str, Reply, Option<&Stamp>) -> Body;

/// The result of 2026-07-28: `resultType`, the members, `ttlMs` and `cacheScope` where they belong, `_meta`.
pub(crate) fn shape(result_type: &'static str, reply: Reply, stamp: Option<&Stamp>) -> Body {
    if let Some(body) = reply.ready {
        return body;
    }
    let size: usize = reply.members.iter().map(|(name, json)| name.len() + json.len() + 4).sum();
    let mut out = String::with_capacity(size + 192);
    for part in [r#"{"resultType":""#, result_type, "\""] {
        out.push_str(part); // req 3-1
    }
    let mut member = |name: &str, json: &str| {
        for part in [",\"", name, "\":", json] {
            out.push_str(part);
        }
    };
    for (name, json) in &reply.members {
        member(name, json);
    }
    // req 7-1
    if let Some(hint) = reply.cache {
        member("ttlMs", &hint.ttl_ms.to_string());
        member("cacheScope", &json_text(hint.scope.name()));
    }
    if let Some(meta) = stamped(reply.meta, stamp) {
        member("_meta", &meta);
    }
    out.push('}');
    Body(Arc::new(out))
}

/// req 3-2 3-3 4-5: the identity is merged into what the handler has put there.
fn stamped(mut meta: Object, stamp: Option<&Stamp>) -> Option<Cow<'_, str>> {
    match stamp {
        Some(stamp) if meta.is_empty() => Some(Cow::Borrowed(&stamp.meta)),
        Some(stamp) => {
            meta.insert(SERVER_INFO.to_owned(), stamp.info.clone());
            Some(json_text(&meta).into())
        }
        None if meta.is_empty() => None,
        None => Some(json_text(&meta).into()),
    }
}

/// The server's identity, made once.
pub(crate) struct Stamp {
    pub(crate) info: Value,
    /// A whole `_meta` with nothing but the identity, as JSON text.
    pub(crate) meta: String,
}

impl Stamp {
    /// The stamp of a server that names itself so.
    pub(crate) fn new(info: &impl Serialize) -> Stamp {
        let info = serde_json::to_value(info).unwrap_or(Value::Null);
        let mut meta = Object::new();
        meta.insert(SERVER_INFO.to_owned(), info.clone());
        Stamp { info, meta: json_text(&meta) }
    }
}
