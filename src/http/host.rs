//! §13.1 The HTTP host: sockets and threads around the corridor.
//! Law: knows no MCP. It turns bytes into complete requests, runs each on the thread that read it, and writes what comes back.
//! Law: never ends by itself. No error of one connection, and none of `accept`, ends the host.
//! Law: everything has a bound: connections, head, body, and the time for each.

mod accept;
mod connection;
mod endpoint;
mod hang_up;
mod inbox;
mod registry;
mod reply;

use std::io;
use std::net::{SocketAddr, TcpListener, TcpStream, ToSocketAddrs};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::thread;
use std::time::Duration;

pub use endpoint::{Host, serve};
use socket2::{Domain, Protocol, SockRef, Socket, TcpKeepalive, Type};

use super::peer::{Cancelling, HostRefusal, HttpAnswer, Peer, RawRequest};
use crate::arrival::{Principal, RequestHead};
use crate::limits::Limits;

/// How many connections the kernel holds for us until they are accepted.
const BACKLOG: i32 = 1024;

/// When the kernel starts to ask a silent client whether it is still there, and how often it then asks: a machine that vanishes
/// sends neither FIN nor RST.
const PROBE: (Duration, Duration) = (Duration::from_secs(60), Duration::from_secs(15));

/// What answers the requests of a host. [`Exchange`](super::Exchange) is the one that speaks MCP.
pub trait Service: Send + Sync {
    /// The bounds to keep.
    fn limits(&self) -> &Limits;

    /// Judges a head before the body is read, and finds out who is calling. The answer to a refused one goes out in place of
    /// `100 Continue`.
    fn judge_head(&self, head: &RequestHead) -> Result<Option<Principal>, HttpAnswer>;

    /// Answers a request of `caller` through `peer`, on the calling thread, for as long as it takes. What returns without an
    /// answer has the connection closed. A panic is answered with [`HostRefusal::Failed`].
    fn run(&self, caller: Option<Principal>, request: RawRequest<'_>, peer: &dyn Peer, cancel: &Arc<Cancelling>);

    /// The answer to what the host itself refuses; `head`, if the request came that far.
    fn refusal(&self, kind: HostRefusal, head: Option<&RequestHead>) -> HttpAnswer;

    /// Seconds since 1970-01-01 UTC, for `date`.
    fn now(&self) -> u64;

    /// Called when the host shuts down: streams that would go on without end are to end now.
    fn end_streams(&self);
}

/// A bound socket, before anything answers at it.
#[derive(Debug)]
pub struct Listening {
    listener: Arc<TcpListener>,
    address: SocketAddr,
    stop: ShutdownSignal,
}

impl Listening {
    /// Binds the first address that can be bound. Port 0 takes any free one.
    pub fn bind(address: impl ToSocketAddrs) -> io::Result<Listening> {
        let mut failure = io::Error::new(io::ErrorKind::InvalidInput, "no address to bind");
        for address in address.to_socket_addrs()? {
            match listen(address) {
                Ok(listener) => return Listening::over(listener),
                Err(error) => failure = error,
            }
        }
        Err(failure)
    }

    fn over(listener: TcpListener) -> io::Result<Listening> {
        let address = listener.local_addr()?;
        let listener = Arc::new(listener);
        let stop = ShutdownSignal(Arc::new(Stop {
            set: AtomicBool::new(false),
            listener: Arc::downgrade(&listener),
            address,
        }));
        Ok(Listening { listener, address, stop })
    }

    /// Where it listens.
    pub fn local_addr(&self) -> SocketAddr {
        self.address
    }

    /// What ends [`run`](Listening::run) from another thread.
    pub fn shutdown_signal(&self) -> ShutdownSignal {
        self.stop.clone()
    }

    /// Serves until shut down. Fails only if the machine refuses the first threads.
    pub fn run(self, service: Arc<dyn Service>) -> io::Result<()> {
        accept::run(self.listener, service, self.stop)
    }

    /// Serves on a thread of its own.
    pub fn start(self, service: Arc<dyn Service>) -> io::Result<Handle> {
        let (address, stop) = (self.address, self.stop.clone());
        let thread = thread::Builder::new().name("mcp-accept".to_owned()).spawn(move || self.run(service))?;
        Ok(Handle { address, stop, thread })
    }
}

fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, Some(Protocol::TCP))?;
    // On Unix this lets a host that was just ended be started again; on Windows it would let two share the port.
    #[cfg(not(windows))]
    socket.set_reuse_address(true)?;
    // Accepted sockets inherit it on Linux and the BSDs. It is a help, no more: it need not work.
    let _ = socket.set_tcp_keepalive(&TcpKeepalive::new().with_time(PROBE.0).with_interval(PROBE.1));
    socket.bind(&address.into())?;
    socket.listen(BACKLOG)?;
    Ok(socket.into())
}

/// Shuts a host down, from any thread and any number of times.
#[derive(Clone, Debug)]
pub struct ShutdownSignal(Arc<Stop>);

#[derive(Debug)]
struct Stop {
    set: AtomicBool,
    listener: Weak<TcpListener>,
    address: SocketAddr,
}

impl ShutdownSignal {
    /// Begins the shutdown and returns at once. The host accepts no more connections and closes idle ones; running requests
    /// may finish within `Limits::drain`, then they are cancelled.
    pub fn shut_down(&self) {
        if self.0.set.swap(true, Ordering::SeqCst) {
            return;
        }
        // What wakes `accept` differs: Linux returns from it when the socket is shut down, others when somebody connects.
        if let Some(listener) = self.0.listener.upgrade() {
            let _ = SockRef::from(&*listener).shutdown(std::net::Shutdown::Both);
        }
        let mut address = self.0.address;
        if address.ip().is_unspecified() {
            address.set_ip(match address {
                SocketAddr::V4(_) => std::net::Ipv4Addr::LOCALHOST.into(),
                SocketAddr::V6(_) => std::net::Ipv6Addr::LOCALHOST.into(),
            });
        }
        let _ = TcpStream::connect_timeout(&address, Duration::from_secs(1));
    }

    fn is_set(&self) -> bool {
        self.0.set.load(Ordering::SeqCst)
    }
}

/// A host that runs on a thread of its own. Dropping the handle leaves it running.
#[derive(Debug)]
pub struct Handle {
    address: SocketAddr,
    stop: ShutdownSignal,
    thread: thread::JoinHandle<io::Result<()>>,
}

impl Handle {
    /// Where it listens.
    pub fn local_addr(&self) -> SocketAddr {
        self.address
    }

    /// What shuts it down without waiting for it.
    pub fn shutdown_signal(&self) -> ShutdownSignal {
        self.stop.clone()
    }

    /// Shuts the host down and waits until it has: at most `Limits::drain` and a little more. A handler that does not heed its
    /// cancellation is left behind on its thread.
    pub fn shutdown(self) -> io::Result<()> {
        self.stop.shut_down();
        self.thread.join().unwrap_or_else(|_| Err(io::Error::other("the host's thread panicked")))
    }
}
