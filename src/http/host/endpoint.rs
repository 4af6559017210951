//! §13.1 A server at an address: the corridor, its gate and the host put together.

use std::io;
use std::net::{Ipv4Addr, SocketAddr, ToSocketAddrs};
use std::sync::Arc;

use super::listening::{Handle, Listening};
use super::service::Service;
use super::shutdown::ShutdownSignal;
use crate::arrival::{Principal, RequestHead};
use crate::http::admission::Passed;
use crate::http::exchange::Exchange;
use crate::http::gate::{Challenge, Gate};
use crate::http::peer::{Cancelling, HostRefusal, HttpAnswer, Peer, RawRequest};
use crate::limits::Limits;
use crate::server::Server;

/// Serves at an address, at the path `/mcp`, until the process ends. Fails if no address can be bound, or if the machine refuses
/// the first threads.
///
/// Only pages of this machine may call, and, bound to a loopback address, only under its names (§13.7). [`Host`] has the choices.
pub fn serve(server: &Server, address: impl ToSocketAddrs) -> io::Result<()> {
    Host::bind(server, address)?.run()
}

/// A server that is bound to an address and not yet served there.
#[derive(Debug)]
pub struct Host {
    server: Server,
    gate: Gate,
    listening: Listening,
}

impl Host {
    /// Binds the first address that can be bound; port 0 takes any free one. From now on clients can connect, and wait. Fails with
    /// the reason of the last address that cannot be bound.
    pub fn bind(server: &Server, address: impl ToSocketAddrs) -> io::Result<Host> {
        let listening = Listening::bind(address)?;
        let gate = Gate::new().bound_to(listening.local_addr().ip());
        Ok(Host { server: server.clone(), gate, listening })
    }

    /// Binds a port of 127.0.0.1: a server that is not told where to listen is not seen by the network (D25). Fails as
    /// [`bind`](Host::bind) does.
    // req 13.1-5
    pub fn local(server: &Server, port: u16) -> io::Result<Host> {
        Host::bind(server, (Ipv4Addr::LOCALHOST, port))
    }

    /// As [`Gate::path`].
    #[must_use]
    pub fn path(self, path: impl Into<String>) -> Host {
        Host { gate: self.gate.path(path), ..self }
    }

    /// As [`Gate::allow_origins`].
    #[must_use]
    pub fn allow_origins<S: AsRef<str>>(self, origins: impl IntoIterator<Item = S>) -> Host {
        Host { gate: self.gate.allow_origins(origins), ..self }
    }

    /// As [`Gate::any_origin`].
    #[must_use]
    pub fn any_origin(self) -> Host {
        Host { gate: self.gate.any_origin(), ..self }
    }

    /// As [`Gate::allow_hosts`].
    #[must_use]
    pub fn allow_hosts<S: AsRef<str>>(self, hosts: impl IntoIterator<Item = S>) -> Host {
        Host { gate: self.gate.allow_hosts(hosts), ..self }
    }

    /// As [`Gate::any_host`].
    #[must_use]
    pub fn any_host(self) -> Host {
        Host { gate: self.gate.any_host(), ..self }
    }

    /// As [`Gate::cors`].
    #[must_use]
    pub fn cors(self, on: bool) -> Host {
        Host { gate: self.gate.cors(on), ..self }
    }

    /// As [`Gate::authenticate`].
    #[must_use]
    pub fn authenticate<F>(self, who: F) -> Host
    where
        F: Fn(&RequestHead) -> Result<Option<Principal>, Challenge> + Send + Sync + 'static,
    {
        Host { gate: self.gate.authenticate(who), ..self }
    }

    /// As [`Gate::cancellation_scope`].
    #[must_use]
    pub fn cancellation_scope<F>(self, scope: F) -> Host
    where
        F: Fn(&RequestHead, Option<&Principal>) -> Option<String> + Send + Sync + 'static,
    {
        Host { gate: self.gate.cancellation_scope(scope), ..self }
    }

    /// Where it listens.
    pub fn local_addr(&self) -> SocketAddr {
        self.listening.local_addr()
    }

    /// What a client on this machine connects to.
    pub fn url(&self) -> String {
        format!("http://{}{}", self.local_addr(), self.gate.served())
    }

    /// What ends [`run`](Host::run) from another thread.
    pub fn shutdown_signal(&self) -> ShutdownSignal {
        self.listening.shutdown_signal()
    }

    /// Serves on this thread until shut down. Fails if the configuration is wrong (`InvalidInput`, all that is wrong with it), or
    /// if the machine refuses the first threads.
    pub fn run(self) -> io::Result<()> {
        let exchange = exchange(&self.server, self.gate)?;
        self.listening.run(exchange)
    }

    /// Serves on a thread of its own. Fails as [`run`](Host::run) does.
    pub fn start(self) -> io::Result<Handle> {
        let exchange = exchange(&self.server, self.gate)?;
        self.listening.start(exchange)
    }
}

fn exchange(server: &Server, gate: Gate) -> io::Result<Arc<Exchange>> {
    let exchange = Exchange::new(server, gate).map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, error))?;
    Ok(Arc::new(exchange))
}

impl Service for Exchange {
    fn limits(&self) -> &Limits {
        Exchange::limits(self)
    }

    fn judge_head(&self, head: &RequestHead) -> Result<Option<Principal>, HttpAnswer> {
        Exchange::judge_head(self, head).map(|passed| passed.principal)
    }

    fn run(&self, caller: Option<Principal>, request: RawRequest<'_>, peer: &dyn Peer, cancel: &Arc<Cancelling>) {
        Exchange::run(self, Passed { principal: caller }, request, peer, cancel);
    }

    fn refusal(&self, kind: HostRefusal, head: Option<&RequestHead>) -> HttpAnswer {
        Exchange::refusal(self, kind, head)
    }

    fn now(&self) -> u64 {
        self.server().shared.clock.now()
    }

    fn end_streams(&self) {
        Exchange::end_streams(self);
    }
}
