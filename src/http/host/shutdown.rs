//! §13.9 The signal that ends a host.

use std::net::{Ipv4Addr, Ipv6Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use socket2::SockRef;

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
    /// For a host that listens there. It does not keep the socket open.
    pub(super) fn new(listener: &Arc<TcpListener>, address: SocketAddr) -> ShutdownSignal {
        ShutdownSignal(Arc::new(Stop { set: AtomicBool::new(false), listener: Arc::downgrade(listener), address }))
    }

    /// Begins the shutdown and returns at once. The host accepts no more connections and closes idle ones; running requests
    /// may finish within [`Limits::drain`](crate::Limits::drain), then they are cancelled.
    pub fn shut_down(&self) {
        if self.0.set.swap(true, Ordering::SeqCst) {
            return;
        }
        // What wakes `accept` differs: Linux returns from it when the socket is shut down, others when somebody connects.
        if let Some(listener) = self.0.listener.upgrade() {
            let _ = SockRef::from(&*listener).shutdown(Shutdown::Both);
        }
        let mut address = self.0.address;
        if address.ip().is_unspecified() {
            address.set_ip(match address {
                SocketAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
                SocketAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
            });
        }
        let _ = TcpStream::connect_timeout(&address, Duration::from_secs(1));
    }

    pub(super) fn is_set(&self) -> bool {
        self.0.set.load(Ordering::SeqCst)
    }
}
