//! §13.4 §15 The choice of a dialect, made once for each message.
//! Law: nothing latches: every message is served by the version that it names itself (D15).

use serde_json::{Value, json};

use crate::arrival::{Principal, Via};
use crate::cancellation::CancelToken;
use crate::dialect::row::Dialect;
use crate::dialect::v2026_07_28::V2026_07_28;
use crate::envelope::{Object, Refused};
use crate::errors::Fault;
use crate::meta;

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
    // req 15-2 15-3: by what the message itself says
    let named = enabled.iter().find(|dialect| Some(dialect.version) == body);
    Ok(named.or(enabled.first()).copied().unwrap_or(&V2026_07_28))
}

/// The names of the enabled revisions, in their order.
pub fn versions(enabled: &[&'static Dialect]) -> Vec<&'static str> {
    enabled.iter().map(|dialect| dialect.version).collect()
}

/// req 15-1: the error that an `initialize` gets names the versions that it could have asked for.
pub fn name_versions(method: &str, fault: Fault, versions: &[&str]) -> Fault {
    if method != "initialize" {
        return fault;
    }
    let mut data = fault.detail().and_then(Value::as_object).cloned().unwrap_or_default();
    data.insert("supported".to_owned(), json!(versions));
    fault.data(Value::Object(data))
}

/// The same for a message that could not be read as a request.
pub fn name_versions_in(refused: Refused, versions: &[&str]) -> Refused {
    match &refused.method {
        Some(method) => Refused { fault: name_versions(method, refused.fault, versions), ..refused },
        None => refused,
    }
}
