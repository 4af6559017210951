//! §13.7 DNS rebinding protection, and CORS.
//! Law: a web page reaches a server only from an origin that is allowed; other clients send no Origin and pass.
//! Law: names compare without regard to case, and never by their end: `localhost.evil.example` is not `localhost`.

use std::net::{Ipv4Addr, Ipv6Addr};

use super::peer::Fields;
use crate::arrival::RequestHead;
use crate::errors::{Rule, rules};
use crate::param_headers::is_token;

rules! {
    // const   id        code   / status  text                       source
    ORIGIN     "13.7-1"  -32600 / 403     "Origin is not allowed"    "streamable_http.ex:177-262";
    HOST       "13.7-2"  -32600 / 403     "Host is not allowed"      "streamable_http.ex:177-262";
}

/// How long, in seconds, a browser may remember the answer to a preflight.
const PREFLIGHT_MAX_AGE: &str = "7200";

/// Which origins pass.
#[derive(Clone, Debug, Default)]
pub(crate) enum Origins {
    /// Pages of this machine: any port of a loopback host.
    // req 13.7-3
    #[default]
    Loopback,
    /// These.
    Listed(Vec<Origin>),
    /// All: nothing is checked.
    Any,
}

/// Which hosts a request may be addressed to.
#[derive(Clone, Debug, Default)]
pub(crate) enum Hosts {
    /// The names of this machine's loopback interface, with any port or none.
    #[default]
    Loopback,
    /// These.
    Listed(Vec<Authority>),
    /// All: nothing is checked.
    Any,
}

/// `http` or `https`, a host and the port, its default filled in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Origin {
    secure: bool,
    host: String,
    port: u16,
}

/// A host, in lower case, and the port, if one is named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Authority {
    host: String,
    port: Option<u16>,
}

impl Authority {
    /// Reads `host`, `host:port` or `[v6]:port`; without userinfo.
    pub(crate) fn read(text: &str) -> Option<Authority> {
        let (host, port) = match text.strip_prefix('[') {
            Some(rest) => {
                let (address, port) = rest.split_once(']')?;
                let address: Ipv6Addr = address.parse().ok()?;
                (format!("[{address}]"), port)
            }
            None => {
                let end = text.find(':').unwrap_or(text.len());
                let (host, port) = text.split_at(end);
                let lawful = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~%!$&'()*+,;=".contains(&byte);
                if host.is_empty() || !host.bytes().all(lawful) {
                    return None;
                }
                (host.to_ascii_lowercase(), port)
            }
        };
        let port = match port.strip_prefix(':') {
            None if port.is_empty() => None,
            Some(digits) if digits.bytes().all(|byte| byte.is_ascii_digit()) => Some(digits.parse().ok()?),
            _ => return None,
        };
        Some(Authority { host, port })
    }

    /// Whether this names the loopback interface. Only a name can be bound to another address, so any address of it will do:
    /// a server that is bound to 127.0.0.2 is called by that.
    fn is_loopback(&self) -> bool {
        is_loopback(&self.host) || self.host.parse::<Ipv4Addr>().is_ok_and(|address| address.is_loopback())
    }
}

impl Origin {
    /// Reads a serialised origin: no userinfo, no path, no trailing slash.
    pub(crate) fn read(text: &str) -> Option<Origin> {
        let (scheme, authority) = text.split_once("://")?;
        let secure = scheme.eq_ignore_ascii_case("https");
        if !secure && !scheme.eq_ignore_ascii_case("http") {
            return None;
        }
        let Authority { host, port } = Authority::read(authority)?;
        Some(Origin { secure, host, port: port.unwrap_or(if secure { 443 } else { 80 }) })
    }
}

fn is_loopback(host: &str) -> bool {
    matches!(host, "localhost" | "127.0.0.1" | "[::1]")
}

impl Origins {
    /// Step 2 of §13.2. A request without Origin passes.
    // req 13.7-3
    pub(crate) fn check(&self, head: &RequestHead) -> Result<(), &'static Rule> {
        if matches!(self, Origins::Any) || head.all("origin").next().is_none() {
            return Ok(());
        }
        self.allowed(head).map(|_| ()).ok_or(&ORIGIN)
    }

    /// The origin of a request, if it has exactly one and that one passes.
    fn allowed<'a>(&self, head: &'a RequestHead) -> Option<&'a str> {
        let text = head.one("origin")?;
        let passes = match self {
            Origins::Loopback => Origin::read(text).is_some_and(|origin| is_loopback(&origin.host)),
            Origins::Listed(list) => Origin::read(text).is_some_and(|origin| list.contains(&origin)),
            Origins::Any => true, // `null` too, which is what a page of a file or a sandbox sends
        };
        passes.then_some(text)
    }
}

impl Hosts {
    /// Step 3 of §13.2. `authority` is that of an absolute request target, which then counts in place of the Host field.
    pub(crate) fn check(&self, head: &RequestHead, authority: Option<&str>) -> Result<(), &'static Rule> {
        if matches!(self, Hosts::Any) {
            return Ok(());
        }
        let host = authority.or_else(|| head.one("host")).and_then(Authority::read).ok_or(&HOST)?;
        let passes = match self {
            Hosts::Loopback => host.is_loopback(),
            Hosts::Listed(list) => {
                list.iter().any(|entry| entry.host == host.host && (entry.port.is_none() || entry.port == host.port))
            }
            Hosts::Any => true,
        };
        if passes { Ok(()) } else { Err(&HOST) }
    }
}

/// req 13.7-5: whether the request is a browser's question before the real one.
pub(crate) fn is_preflight(head: &RequestHead) -> bool {
    head.method == "OPTIONS"
        && head.all("origin").next().is_some()
        && head.all("access-control-request-method").next().is_some()
}

/// The answer to that question. `Mcp-Param-*` names cannot be listed beforehand, so what is asked for is echoed, where it is ours.
pub(crate) fn preflight(head: &RequestHead, origins: &Origins) -> Fields {
    let mut fields = Vec::new();
    if let Some(origin) = origins.allowed(head) {
        fields.push(("access-control-allow-origin", origin.to_owned()));
        fields.push(("access-control-allow-methods", "POST".to_owned()));
        fields.push(("access-control-allow-headers", asked_for(head).join(", ")));
        fields.push(("access-control-max-age", PREFLIGHT_MAX_AGE.to_owned()));
    }
    fields.push(("vary", "origin".to_owned()));
    fields
}

fn asked_for(head: &RequestHead) -> Vec<String> {
    let lines = head.all("access-control-request-headers").filter_map(|line| std::str::from_utf8(line).ok());
    let names = lines.flat_map(|line| line.split(',')).map(|name| name.trim().to_ascii_lowercase());
    names.filter(|name| is_token(name) && is_ours(name)).collect()
}

fn is_ours(name: &str) -> bool {
    matches!(name, "content-type" | "accept" | "authorization" | "last-event-id") || name.starts_with("mcp-")
}

/// req 13.7-5: what every answer to a page's request carries, so that the page may read it; errors too.
pub(crate) fn readable(head: &RequestHead, origins: &Origins) -> Fields {
    let mut fields = Vec::new();
    if let Some(origin) = origins.allowed(head) {
        fields.push(("access-control-allow-origin", origin.to_owned()));
        fields.push(("access-control-expose-headers", "www-authenticate".to_owned()));
    }
    fields.push(("vary", "origin".to_owned()));
    fields
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(name: &str, value: &str) -> RequestHead {
        RequestHead { fields: vec![(name.to_owned(), value.as_bytes().to_vec())], ..RequestHead::default() }
    }

    #[test]
    fn a_server_is_called_by_any_address_of_the_loopback_interface() {
        for (host, passes) in [
            ("127.0.0.2", true),
            ("127.0.0.2:3001", true),
            ("127.255.255.254", true),
            ("127.1", false),
            ("127.0.0.2.example", false),
            ("128.0.0.1", false),
        ] {
            assert_eq!(Hosts::Loopback.check(&head("host", host), None).is_ok(), passes, "{host}");
        }
    }

    #[test]
    fn where_any_origin_may_call_any_can_read_the_answer() {
        let fields = readable(&head("origin", "null"), &Origins::Any);
        assert!(fields.contains(&("access-control-allow-origin", "null".to_owned())), "{fields:?}");
        assert!(
            !readable(&head("origin", "null"), &Origins::Loopback).iter().any(|(name, _)| name.starts_with("access"))
        );
    }
}
