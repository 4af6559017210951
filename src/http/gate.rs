//! §13.1 §13.7 What a server over HTTP lets in: the path, origins, hosts, and who is calling.

use std::fmt;
use std::net::IpAddr;

use super::origin::{Authority, Hosts, Origin, Origins};
use crate::arrival::{Principal, RequestHead};

/// Finds out who is calling. `Ok(None)` serves a request of nobody in particular.
pub(crate) type Authenticate = dyn Fn(&RequestHead) -> Result<Option<Principal>, Challenge> + Send + Sync;
/// Names the group of callers who may cancel each other's requests; `None` for a caller who may not.
pub(crate) type Scope = dyn Fn(&RequestHead, Option<&Principal>) -> Option<String> + Send + Sync;

/// Why a caller is not served, as an authenticator says it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Challenge {
    /// 401: it is not known who is calling. The text goes out as `www-authenticate`, with what cannot stand in a field left out.
    Unauthorized(String),
    /// 403: it is known, and not allowed. The text goes out as `www-authenticate`, unless it is empty.
    Forbidden(String),
}

/// What a server over HTTP lets in (§13.2 steps 1 to 5). The defaults suit a server that is bound to a loopback address.
///
/// What cannot be a path, an origin or a host is not refused at once: whoever puts the gate to use
/// ([`Exchange::new`](super::Exchange::new), [`Host::run`](super::Host::run)) is told all of it together.
#[derive(Default)]
pub struct Gate {
    pub(crate) path: Option<String>,
    pub(crate) origins: Origins,
    pub(crate) hosts: Hosts,
    pub(crate) cors: bool,
    pub(crate) authenticate: Option<Box<Authenticate>>,
    pub(crate) scope: Option<Box<Scope>>,
    problems: Vec<String>,
}

impl Gate {
    /// The path `/mcp`; origins and hosts of the loopback interface only; no CORS; anybody may call.
    pub fn new() -> Gate {
        Gate::default()
    }

    /// The address that the server is bound to: the Host field is checked by default for a loopback address only (D25), since
    /// only there the names by which a server may be called are known. Call it before [`allow_hosts`](Gate::allow_hosts).
    #[must_use]
    pub fn bound_to(mut self, address: IpAddr) -> Gate {
        // req 13.7-4
        self.hosts = if address.is_loopback() { Hosts::Loopback } else { Hosts::Any };
        self
    }

    /// The one path that is served; it begins with `/` and has no query. What a request has after `?` is ignored; any other path
    /// is 404.
    #[must_use]
    pub fn path(mut self, path: impl Into<String>) -> Gate {
        let path = path.into();
        if !path.starts_with('/') || path.contains(['?', '#', ' ']) {
            self.problems.push(format!("not a path: {path:?}"));
        }
        self.path = Some(path);
        self
    }

    /// The origins whose pages may call, as browsers write them (`https://app.example`), in place of those of this machine.
    #[must_use]
    pub fn allow_origins<S: AsRef<str>>(mut self, origins: impl IntoIterator<Item = S>) -> Gate {
        let mut list = Vec::new();
        for origin in origins {
            match Origin::read(origin.as_ref()) {
                Some(origin) => list.push(origin),
                None => self.problems.push(format!("not an origin: {:?}", origin.as_ref())),
            }
        }
        self.origins = Origins::Listed(list);
        self
    }

    /// Pages of any origin may call. Only for a server that is protected by other means.
    #[must_use]
    pub fn any_origin(mut self) -> Gate {
        self.origins = Origins::Any;
        self
    }

    /// The hosts that a request may be addressed to: `name` with any port, or `name:port`. A request without Host, or with another
    /// one, is 403.
    #[must_use]
    pub fn allow_hosts<S: AsRef<str>>(mut self, hosts: impl IntoIterator<Item = S>) -> Gate {
        let mut list = Vec::new();
        for host in hosts {
            match Authority::read(host.as_ref()) {
                Some(host) => list.push(host),
                None => self.problems.push(format!("not a host: {:?}", host.as_ref())),
            }
        }
        self.hosts = Hosts::Listed(list);
        self
    }

    /// A request may be addressed to any host. Only for a server that is protected by other means.
    #[must_use]
    pub fn any_host(mut self) -> Gate {
        self.hosts = Hosts::Any;
        self
    }

    /// Whether pages of the allowed origins may read the answers (CORS): preflights are answered. Off by default.
    #[must_use]
    pub fn cors(mut self, on: bool) -> Gate {
        self.cors = on;
        self
    }

    /// Asks `who` for each request, before its body is read, who is calling.
    #[must_use]
    pub fn authenticate<F>(mut self, who: F) -> Gate
    where
        F: Fn(&RequestHead) -> Result<Option<Principal>, Challenge> + Send + Sync + 'static,
    {
        self.authenticate = Some(Box::new(who));
        self
    }

    /// Lets a posted `notifications/cancelled` cancel the requests of the same scope (§9). Without it, and for callers to whom
    /// `scope` gives `None`, such a notification is accepted and matches nothing: ids are easily guessed (D10).
    #[must_use]
    pub fn cancellation_scope<F>(mut self, scope: F) -> Gate
    where
        F: Fn(&RequestHead, Option<&Principal>) -> Option<String> + Send + Sync + 'static,
    {
        self.scope = Some(Box::new(scope));
        self
    }

    /// req 13.1-3: the path that is served.
    pub(crate) fn served(&self) -> &str {
        self.path.as_deref().unwrap_or("/mcp")
    }

    /// All that is wrong with what was configured.
    pub(crate) fn checked(self) -> Result<Gate, GateError> {
        if self.problems.is_empty() { Ok(self) } else { Err(GateError(self.problems)) }
    }
}

impl fmt::Debug for Gate {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Gate")
            .field("path", &self.served())
            .field("origins", &self.origins)
            .field("hosts", &self.hosts)
            .field("cors", &self.cors)
            .finish_non_exhaustive()
    }
}

/// What is wrong with a [`Gate`]: all of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GateError(Vec<String>);

impl fmt::Display for GateError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0.join("; "))
    }
}

impl std::error::Error for GateError {}
