//! §13 The URL of a server (RFC 3986), as far as a client needs it.

use crate::client::error::Error;

/// An `http` or `https` URL, in parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Url {
    pub(super) tls: bool,
    /// The name or address, without the brackets of IPv6.
    pub(super) host: String,
    pub(super) port: u16,
    /// What the `Host` field says.
    pub(super) authority: String,
    /// The path and the query.
    pub(super) target: String,
}

impl Url {
    /// Reads a URL. A fragment is dropped; user information is refused.
    pub(super) fn parse(text: &str) -> Result<Url, Error> {
        let bad = |what: &str| Error::Invalid(format!("the URL {text:?} {what}"));
        if !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(bad("is not printable ASCII"));
        }
        let (scheme, rest) = text.split_once("://").ok_or_else(|| bad("has no scheme"))?;
        let tls = match scheme.to_ascii_lowercase().as_str() {
            "http" => false,
            "https" => true,
            _ => return Err(bad("is neither http nor https")),
        };
        let rest = rest.split('#').next().unwrap_or_default();
        let end = rest.find(['/', '?']).unwrap_or(rest.len());
        let (authority, path) = rest.split_at_checked(end).unwrap_or((rest, ""));
        if authority.contains('@') {
            return Err(bad("has user information, which does not belong into one"));
        }
        let (host, port) = match authority.strip_prefix('[').and_then(|inner| inner.split_once(']')) {
            Some((host, "")) => (host, ""),
            Some((host, port)) => (host, port.strip_prefix(':').ok_or_else(|| bad("has no good host"))?),
            None => authority.split_once(':').unwrap_or((authority, "")),
        };
        if host.is_empty() || host.contains(['[', ']', '\\']) {
            return Err(bad("has no good host"));
        }
        let port = match port {
            "" => {
                if tls {
                    443
                } else {
                    80
                }
            }
            digits if digits.bytes().all(|byte| byte.is_ascii_digit()) => {
                digits.parse().map_err(|_| bad("has no good port"))?
            }
            _ => return Err(bad("has no good port")),
        };
        let target = match path.chars().next() {
            None => "/".to_owned(),
            Some('?') => ["/", path].concat(),
            Some(_) => path.to_owned(),
        };
        Ok(Url { tls, host: host.to_owned(), port, authority: authority.trim_end_matches(':').to_owned(), target })
    }
}
