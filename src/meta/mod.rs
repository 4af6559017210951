//! §2 Request _meta.
//! Law: this file knows nothing of transports; the header comparison (2-7) is called by admission.
//! Law: the checks stand in the order of the reference; the first that fails is the answer.

pub mod key;

use serde::Deserialize;
use serde_json::{Value, json};

use crate::envelope::{Object, RequestId};
use crate::errors::{Fault, rules};
use crate::limits::Limits;
use crate::types::{ClientCapabilities, Implementation, Level};
use crate::uri;

use self::key::{meta_key, prefixed_meta_key};

rules! {
    // const            id      code    text                                                                                  source
    NOT_OBJECT          "2-1"   -32602  "_meta must be an object"                                                             "v26:1024-1030";
    BAD_KEY             "2-2"   -32602  "_meta contains an invalid key or non-JSON value"                                     "v26:1176-1190";
    PROGRESS_TOKEN      "2-3"   -32602  "progressToken must be a string of at most 256 bytes or an int64 integer"             "v26:1192-1206";
    LOG_LEVEL           "2-4"   -32602  "Invalid MCP request log level"                                                       "v26:1208-1214";
    NO_VERSION          "2-5"   -32602  "Missing required io.modelcontextprotocol/protocolVersion metadata"                   "v26:1118-1124";
    VERSION_TYPE        "2-6"   -32602  "io.modelcontextprotocol/protocolVersion must be a string"                            "v26:1118-1124";
    HEADER_DIFFERS      "2-7"   -32020  "Protocol header does not match request metadata"                                     "v26:1044-1061";
    UNSUPPORTED         "2-8"   -32022  "Unsupported protocol version"                                                        "v26:1063-1076";
    CLIENT_INFO         "2-9"   -32602  "Client info must include string name and version"                                    "v26:1078-1090";
    CLIENT_INFO_STRING  "2-12"  -32602  "Client info {} must be a string"                                                     "ours";
    CLIENT_INFO_URL     "2-13"  -32602  "Client info websiteUrl must be a URI"                                                "ours";
    CLIENT_INFO_ICONS   "2-14"  -32602  "Client info icons must be a list of valid icons"                                     "ours";
    NO_CAPABILITIES     "2-10"  -32602  "Missing required client capabilities metadata"                                       "v26:1099-1105";
    CAPABILITIES_TYPE   "2-11"  -32602  "Client capabilities must be an object"                                               "v26:1099-1105";
    ROOTS_TYPE          "2-15"  -32602  "Client capability roots must be an object"                                           "ours";
    SAMPLING_TYPE       "2-16"  -32602  "Client capability sampling must be an object whose context and tools are objects"    "ours";
    ELICITATION_TYPE    "2-17"  -32602  "Client capability elicitation must be an object, empty or with form or url objects"  "ours";
    EXPERIMENTAL_TYPE   "2-18"  -32602  "Client capability experimental must map names to objects"                            "ours";
    EXTENSIONS_TYPE     "2-19"  -32602  "Client capability extensions must map prefixed names to objects"                     "ours";
}

/// The key of the protocol version in a request's `_meta`.
pub const PROTOCOL_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
/// The key of the client's capabilities in a request's `_meta`.
pub const CLIENT_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
/// The key of the client's identity in a request's `_meta`.
pub const CLIENT_INFO_KEY: &str = "io.modelcontextprotocol/clientInfo";
/// The key of the log level that a request asks for.
pub const LOG_LEVEL_KEY: &str = "io.modelcontextprotocol/logLevel";
/// The key of the token that a request gives for progress.
pub const PROGRESS_TOKEN_KEY: &str = "progressToken";
/// The key of the server's identity in a result's `_meta` (§3).
pub const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";
/// The key of the listen request's id in the `_meta` of what its stream carries (§11).
pub const SUBSCRIPTION_ID: &str = "io.modelcontextprotocol/subscriptionId";

/// What a request says of itself in `params._meta`.
#[derive(Clone, Debug, Default)]
pub struct RequestMeta {
    /// The protocol version that the request speaks.
    pub version: String,
    /// Who the client says it is: for display and logs only, never for decisions.
    // req 2-26
    pub client: Option<Implementation>,
    /// What the client can be asked for, in answer to this very request; never taken from an earlier one.
    pub capabilities: ClientCapabilities,
    /// The lowest level of log messages that the request wants; `None`: it wants none.
    pub log_level: Option<Level>,
    /// The token for progress notifications; `None`: it wants none.
    pub progress_token: Option<RequestId>,
    /// The whole `_meta`, as sent: also the keys of others (`traceparent`, a vendor's own).
    // req 2-25
    pub raw: Object,
}

/// Reads the `_meta` of a request in the order of §2, and takes it out of the params: a copy would cost more than all the rest.
/// `versions` are the enabled ones.
// req 2-20 2-24: in this order, and from this request alone
pub fn read(params: &mut Object, versions: &[&str], limits: &Limits) -> Result<RequestMeta, Fault> {
    let raw = match params.remove("_meta") {
        None => Object::new(), // req 2-21
        Some(Value::Object(meta)) => meta,
        Some(_) => return Err(NOT_OBJECT.fault()), // 1
    };
    let meta = &raw;
    keys(meta)?; // 2
    let progress_token = progress_token(meta, limits)?; // 3
    let log_level = log_level(meta)?; // 4
    let version = version(meta)?; // 5; 6 is admission's
    if !versions.contains(&version) {
        return Err(unsupported(version, versions)); // 7
    }
    let client = client_info(meta)?; // 8
    let capabilities = capabilities(meta)?; // 9
    Ok(RequestMeta { version: version.to_owned(), client, capabilities, log_level, progress_token, raw })
}

/// Checks the `_meta` of a notification: nothing in it is required, and what there is is looked at for its shape only.
// req 2-23
pub fn read_notification(params: &Object, limits: &Limits) -> Result<(), Fault> {
    let meta = match params.get("_meta") {
        None => return Ok(()),
        Some(Value::Object(meta)) => meta,
        Some(_) => return Err(NOT_OBJECT.fault()),
    };
    keys(meta)?;
    progress_token(meta, limits)?;
    log_level(meta)?;
    let has = |name| meta.contains_key(name);
    has(PROTOCOL_VERSION).then(|| version(meta)).transpose()?;
    client_info(meta)?;
    has(CLIENT_CAPABILITIES).then(|| capabilities(meta)).transpose().map(|_| ())
}

/// The protocol version in the body, where it is a string: for the comparison with the header and the choice of a dialect.
pub fn body_version(params: &Object) -> Option<&str> {
    params.get("_meta")?.get(PROTOCOL_VERSION)?.as_str()
}

/// The -32022 error, which names what was asked for and what there is.
pub(crate) fn unsupported(requested: &str, supported: &[&str]) -> Fault {
    UNSUPPORTED.fault().data(json!({"requested": requested, "supported": supported}))
}

/// The -32020 error of a header that differs from the body.
pub(crate) fn header_differs(header: &str, body: &str) -> Fault {
    HEADER_DIFFERS.fault().data(json!({"header": header, "body": body}))
}

/// Any value that the parser gave us is JSON; only the keys remain to be checked.
fn keys(meta: &Object) -> Result<(), Fault> {
    if meta.keys().all(|name| meta_key(name)) { Ok(()) } else { Err(BAD_KEY.fault()) }
}

fn progress_token(meta: &Object, limits: &Limits) -> Result<Option<RequestId>, Fault> {
    let Some(token) = meta.get(PROGRESS_TOKEN_KEY) else { return Ok(None) };
    RequestId::read(token, limits.id).map(Some).ok_or_else(|| PROGRESS_TOKEN.fault())
}

fn log_level(meta: &Object) -> Result<Option<Level>, Fault> {
    let Some(level) = meta.get(LOG_LEVEL_KEY) else { return Ok(None) };
    level.as_str().and_then(Level::parse).map(Some).ok_or_else(|| LOG_LEVEL.fault())
}

fn version(meta: &Object) -> Result<&str, Fault> {
    let version = meta.get(PROTOCOL_VERSION).ok_or_else(|| NO_VERSION.fault())?;
    version.as_str().ok_or_else(|| VERSION_TYPE.fault())
}

fn client_info(meta: &Object) -> Result<Option<Implementation>, Fault> {
    let Some(info) = meta.get(CLIENT_INFO_KEY) else { return Ok(None) }; // req 2-22
    if !["name", "version"].iter().all(|name| info.get(name).is_some_and(Value::is_string)) {
        return Err(CLIENT_INFO.fault());
    }
    for name in ["title", "description"] {
        if info.get(name).is_some_and(|text| !text.is_string()) {
            return Err(CLIENT_INFO_STRING.about(name));
        }
    }
    if info.get("websiteUrl").is_some_and(|url| !is_uri(url)) {
        return Err(CLIENT_INFO_URL.fault());
    }
    if info.get("icons").is_some_and(|icons| !icons.as_array().is_some_and(|icons| icons.iter().all(is_icon))) {
        return Err(CLIENT_INFO_ICONS.fault());
    }
    Ok(Implementation::deserialize(info).ok())
}

fn is_uri(value: &Value) -> bool {
    value.as_str().is_some_and(uri::is_absolute)
}

/// An icon has a URI `src`, and optionally a string `mimeType`, a list of strings `sizes`, and a `theme` of light or dark.
fn is_icon(icon: &Value) -> bool {
    let optional = |name: &str, fits: fn(&Value) -> bool| icon.get(name).is_none_or(fits);
    icon.get("src").is_some_and(is_uri)
        && optional("mimeType", Value::is_string)
        && optional("sizes", |sizes| sizes.as_array().is_some_and(|sizes| sizes.iter().all(Value::is_string)))
        && optional("theme", |theme| matches!(theme.as_str(), Some("light" | "dark")))
}

fn capabilities(meta: &Object) -> Result<ClientCapabilities, Fault> {
    let declared = meta.get(CLIENT_CAPABILITIES).ok_or_else(|| NO_CAPABILITIES.fault())?;
    let Value::Object(declared) = declared else { return Err(CAPABILITIES_TYPE.fault()) };
    check_capabilities(declared)?;
    Ok(ClientCapabilities::from(declared.clone()))
}

/// The sub-shapes of client capabilities, one row each.
// req 2-25: what is not named here is accepted
fn check_capabilities(declared: &Object) -> Result<(), Fault> {
    let optional = |name: &str, fits: fn(&Value) -> bool| declared.get(name).is_none_or(fits);
    if !optional("roots", Value::is_object) {
        return Err(ROOTS_TYPE.fault());
    }
    if !optional("sampling", |sampling| sampling.is_object() && has_objects(sampling, &["context", "tools"])) {
        return Err(SAMPLING_TYPE.fault());
    }
    if !optional("elicitation", elicitation) {
        return Err(ELICITATION_TYPE.fault());
    }
    if !optional("experimental", |named| named.as_object().is_some_and(|named| named.values().all(Value::is_object))) {
        return Err(EXPERIMENTAL_TYPE.fault());
    }
    if !optional("extensions", extensions) {
        return Err(EXTENSIONS_TYPE.fault());
    }
    Ok(())
}

fn has_objects(value: &Value, names: &[&str]) -> bool {
    names.iter().all(|name| value.get(name).is_none_or(Value::is_object))
}

fn elicitation(value: &Value) -> bool {
    let Some(modes) = value.as_object() else { return false };
    has_objects(value, &["form", "url"])
        && (modes.is_empty() || modes.contains_key("form") || modes.contains_key("url"))
}

fn extensions(value: &Value) -> bool {
    value
        .as_object()
        .is_some_and(|named| named.iter().all(|(name, settings)| prefixed_meta_key(name) && settings.is_object()))
}
