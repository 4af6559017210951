//! §13.4 §15 Dialects: a revision of the protocol is a row of facts, chosen once for each message.
//! Law: a revision string stands in this room only; no code compares versions.
//! Law: nothing latches: every message is served by the version that it names itself (D15).

mod v2026_07_28;

pub use self::v2026_07_28::V2026_07_28;

use std::fmt;

use serde_json::{Value, json};

use crate::arrival::{Principal, Via};
use crate::cancellation::CancelToken;
use crate::envelope::{Body, Object};
use crate::errors::{Code, Fault};
use crate::handler::shared::Stamp;
use crate::limits::Limits;
use crate::meta::{self, RequestMeta};
use crate::methods::Method;
use crate::results::Reply;

/// One revision of the protocol, as data.
pub struct Dialect {
    /// The name of the revision.
    pub version: &'static str,
    /// The methods that exist, in the order of §4, §5 and §11.
    pub methods: &'static [Method],
    /// Which headers a POST must carry.
    pub headers: Headers,
    /// Reads a request's `_meta`.
    pub(crate) read_meta: fn(&Object, &[&str], &Limits) -> Result<RequestMeta, Fault>,
    /// Shapes a result.
    pub(crate) shape: fn(&str, Reply, Option<&Stamp>) -> Body,
    /// The HTTP status of an error (§12).
    pub(crate) status: fn(Code) -> u16,
}

/// The headers of a revision (§13.4 to §13.6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Headers {
    /// `MCP-Protocol-Version` must be there and equal the body's.
    pub version: bool,
    /// `Mcp-Method`, `Mcp-Name` and `Mcp-Param-…` must repeat the body.
    pub mirror: bool,
}

impl fmt::Debug for Dialect {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_tuple("Dialect").field(&self.version).finish()
    }
}

impl Dialect {
    /// The row of a method.
    pub fn method(&self, name: &str) -> Option<&'static Method> {
        self.methods.iter().find(|method| method.name == name)
    }
}

/// A request on its way to be served: the dialect it speaks, who sends it, and by which way.
#[derive(Clone, Copy, Debug)]
pub struct Arrival<'a> {
    /// The dialect, as [`select`] chose it.
    pub dialect: &'static Dialect,
    /// Who is calling; `None` for an anonymous caller.
    pub principal: Option<&'a Principal>,
    /// By which way.
    pub via: Via<'a>,
    /// Fires when the transport ends: its listen streams then end with their result (§11). `None`: it never does.
    pub ending: Option<&'a CancelToken>,
}

/// Chooses the dialect of a message. `header` is the value of `MCP-Protocol-Version`, where the transport has headers.
///
/// §13.4: a header that differs from the body is -32020, one that equals it and is not enabled -32022. A body without a version,
/// or on stdio with one that is not enabled, goes to the first dialect, which refuses it in its own order (§2).
pub fn select(header: Option<&str>, params: &Object, enabled: &[&'static Dialect]) -> Result<&'static Dialect, Fault> {
    let body = meta::body_version(params);
    if let Some((header, body)) = header.zip(body) {
        if header != body {
            return Err(meta::header_differs(header, body));
        }
        if !enabled.iter().any(|dialect| dialect.version == body) {
            return Err(meta::unsupported(body, &versions(enabled)));
        }
    }
    let named = enabled.iter().find(|dialect| Some(dialect.version) == body);
    Ok(named.or(enabled.first()).copied().unwrap_or(&V2026_07_28))
}

/// The names of the enabled revisions, in their order.
pub fn versions(enabled: &[&'static Dialect]) -> Vec<&'static str> {
    enabled.iter().map(|dialect| dialect.version).collect()
}

/// D14: the error that an `initialize` gets names the versions that it could have asked for.
pub fn name_versions(method: &str, fault: Fault, versions: &[&str]) -> Fault {
    if method != "initialize" {
        return fault;
    }
    let mut data = fault.detail().and_then(Value::as_object).cloned().unwrap_or_default();
    data.insert("supported".to_owned(), json!(versions));
    fault.data(Value::Object(data))
}
