//! §13 Header fields that a user adds.

use super::error::Error;
use crate::param_headers::is_token;

/// What the client sets itself.
const OWN: [&str; 15] = [
    "accept",
    "connection",
    "content-length",
    "content-type",
    "expect",
    "host",
    "keep-alive",
    "last-event-id",
    "mcp-method",
    "mcp-name",
    "mcp-protocol-version",
    "mcp-session-id",
    "te",
    "transfer-encoding",
    "upgrade",
];

/// A field with its name in lower case. [`Error::Invalid`] for one that is none, or that is the client's own.
pub(crate) fn checked(name: &str, value: &str) -> Result<(String, String), Error> {
    let name = name.to_ascii_lowercase();
    let text = value.bytes().all(|byte| byte == b'\t' || matches!(byte, b' '..=b'~'));
    if !is_token(&name) || !text {
        return Err(Error::Invalid(format!("{name:?} is no header field, or its value is no printable ASCII")));
    }
    if OWN.contains(&name.as_str()) || name.starts_with("mcp-param-") {
        return Err(Error::Invalid(format!("the header {name} is set by the client itself")));
    }
    Ok((name, value.to_owned()))
}
