//! §13.1 A bound socket, and the thread that serves there.

use std::io;
use std::net::{SocketAddr, TcpListener, ToSocketAddrs};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use socket2::{Domain, Protocol, Socket, TcpKeepalive, Type};

use super::accept;
use super::service::Service;
use super::shutdown::ShutdownSignal;

/// How many connections the kernel holds for us until they are accepted.
const BACKLOG: i32 = 1024;

/// When the kernel starts to ask a silent client whether it is still there, and how often it then asks: a machine that vanishes
/// sends neither FIN nor RST.
const PROBE: (Duration, Duration) = (Duration::from_secs(60), Duration::from_secs(15));

/// A bound socket, before anything answers at it.
#[derive(Debug)]
pub struct Listening {
    listener: Arc<TcpListener>,
    address: SocketAddr,
    stop: ShutdownSignal,
}

impl Listening {
    /// Binds the first address that can be bound. Port 0 takes any free one. Fails with the reason of the last address that cannot
    /// be bound.
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
        let stop = ShutdownSignal::new(&listener, address);
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

    /// Serves on a thread of its own. Fails if the machine refuses that thread; what else [`run`](Listening::run) may say comes
    /// from [`Handle::shutdown`].
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

    /// Shuts the host down and waits until it has: at most [`Limits::drain`](crate::Limits::drain) and a quarter of a second. A
    /// handler that does not heed its cancellation is left behind on its thread. The error is that of a host that could not begin
    /// to serve, or whose own thread panicked.
    pub fn shutdown(self) -> io::Result<()> {
        self.stop.shut_down();
        self.thread.join().unwrap_or_else(|_| Err(io::Error::other("the host's thread panicked")))
    }
}
