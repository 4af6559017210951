//! §13 One connection to a server, and how bytes get over it in time.
//! Law: every read and write ends by its deadline or by its cancel, whatever the peer does.

use std::io::{self, Read, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, Shutdown, SocketAddr, TcpStream, ToSocketAddrs};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use socket2::SockRef;

use super::url::Url;
use crate::client::cancel::{Cancel, Watch};
use crate::client::error::Error;
use crate::client::wait::Wait;

/// The socket itself, which others may shut down while it is being read.
#[derive(Clone, Debug)]
pub(super) struct Socket(pub(super) Arc<TcpStream>);

impl Read for Socket {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        (&*self.0).read(room)
    }
}

impl Write for Socket {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        (&*self.0).write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Socket {
    /// Ends it in both directions; whoever reads or writes wakes.
    pub(super) fn shut(&self) {
        let _ = self.0.shutdown(Shutdown::Both); // it may be gone already
    }

    pub(super) fn weak(&self) -> Weak<TcpStream> {
        Arc::downgrade(&self.0)
    }

    /// Shuts it down on cancel, as long as the watch lives.
    pub(super) fn watched(&self, cancel: &Cancel) -> Watch {
        let socket = self.weak();
        cancel.watch(move || {
            if let Some(socket) = socket.upgrade() {
                Socket(socket).shut();
            }
        })
    }
}

/// Connects to the first address of the host that answers. Each gets an equal part of the time that is left.
pub(super) fn connect(url: &Url, limit: Duration, wait: &Wait<'_>) -> Result<Socket, Error> {
    let wait = wait.at_most(limit, "connection");
    wait.left()?;
    let failed = |cause: String| Error::Transport { cause, sent: false };
    let addresses = (url.host.as_str(), url.port)
        .to_socket_addrs()
        .map_err(|error| failed(format!("{} has no address: {error}", url.host)))?;
    let mut addresses: Vec<SocketAddr> = addresses.collect();
    if url.host.eq_ignore_ascii_case("localhost") {
        // many machines name only one of the two, and a server listens on the other
        let both = [IpAddr::V4(Ipv4Addr::LOCALHOST), IpAddr::V6(Ipv6Addr::LOCALHOST)];
        let others = both.into_iter().map(|address| SocketAddr::new(address, url.port));
        let others: Vec<SocketAddr> = others.filter(|address| !addresses.contains(address)).collect();
        addresses.extend(others);
    }
    let mut last = format!("{} has no address", url.host);
    for (tried, address) in addresses.iter().enumerate() {
        let left = wait.left()?.unwrap_or(limit);
        let others = u32::try_from(addresses.len() - tried).unwrap_or(u32::MAX);
        let part = if others > 1 { (left / others).max(Duration::from_millis(1)) } else { left };
        match TcpStream::connect_timeout(address, part) {
            Ok(stream) => {
                // without it small requests on a kept connection wait for an acknowledgement
                let _ = stream.set_nodelay(true);
                return Ok(Socket(Arc::new(stream)));
            }
            Err(error) if error.kind() == io::ErrorKind::TimedOut => last = format!("{address} does not answer"),
            Err(error) => last = format!("{address}: {error}"),
        }
    }
    wait.left()?;
    Err(failed(last))
}

/// What the bytes go through: the socket, or TLS over it.
pub(super) enum Stream {
    Plain(Socket),
    #[cfg(feature = "tls")]
    Tls(Box<super::tls::Tls<Socket>>),
}

/// A connection, with what has been read from it and not used.
pub(super) struct Connection {
    pub(super) socket: Socket,
    stream: Stream,
    /// The bytes that have come.
    pub(super) buffer: Vec<u8>,
    /// So many of them have been used.
    pub(super) used: usize,
    /// The read and the write timeout that are set.
    armed: [Option<Duration>; 2],
    /// Since when nobody uses it.
    pub(super) idle_since: Instant,
    /// Ends it when the client is closed.
    _closed: Watch,
}

/// What a read gave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Got {
    Bytes,
    End,
}

/// How much is read at once.
const READ: usize = 64 * 1024;

impl Connection {
    pub(super) fn new(socket: Socket, stream: Stream, closed: &Cancel) -> Connection {
        let (buffer, armed, idle_since) = (Vec::new(), [None; 2], Instant::now());
        let _closed = socket.watched(closed);
        Connection { socket, stream, buffer, used: 0, armed, idle_since, _closed }
    }

    /// What has come and is not used yet.
    pub(super) fn rest(&self) -> &[u8] {
        self.buffer.get(self.used..).unwrap_or_default()
    }

    /// Sets a timeout of the socket that ends before `left` does. Most calls find one that still fits, which saves a call of the kernel.
    fn arm(&mut self, write: bool, left: Option<Duration>) -> io::Result<()> {
        let Some(slot) = self.armed.get_mut(usize::from(write)) else { return Ok(()) };
        let fits = match (*slot, left) {
            (None, None) => true,
            (Some(armed), Some(left)) => armed <= left && armed >= left / 2,
            _ => false,
        };
        if fits {
            return Ok(());
        }
        let timeout = left.map(|left| (left * 3 / 4).max(Duration::from_millis(1)));
        if write {
            self.socket.0.set_write_timeout(timeout)?
        } else {
            self.socket.0.set_read_timeout(timeout)?
        }
        *slot = timeout;
        Ok(())
    }

    /// The same for a read or a write through whatever lies between: TLS may have to do the other of the two.
    fn arm_for(&mut self, write: bool, left: Option<Duration>) -> io::Result<()> {
        if !matches!(self.stream, Stream::Plain(_)) {
            self.arm(!write, left)?;
        }
        self.arm(write, left)
    }

    /// Reads more. Fails as the wait says, and as the connection says.
    pub(super) fn read_more(&mut self, wait: &Wait<'_>) -> Result<Got, Error> {
        if self.used == self.buffer.len() {
            self.buffer.clear();
            self.used = 0;
        }
        let start = self.buffer.len();
        loop {
            let left = wait.left()?;
            self.arm_for(false, left).map_err(|error| broken(&error))?;
            self.buffer.resize(start + READ, 0);
            let room = self.buffer.get_mut(start..).unwrap_or_default();
            let got = match &mut self.stream {
                Stream::Plain(socket) => socket.read(room),
                #[cfg(feature = "tls")]
                Stream::Tls(tls) => tls.read(room),
            };
            self.buffer.truncate(start + got.as_ref().map_or(0, |count| *count));
            match got {
                Ok(0) if wait.cancel.cancelled() => return Err(Error::Cancelled),
                Ok(0) => return Ok(Got::End),
                Ok(_) => return Ok(Got::Bytes),
                Err(error) if waits(&error) => {}
                Err(_) if wait.cancel.cancelled() => return Err(Error::Cancelled),
                Err(error) => return Err(broken(&error)),
            }
        }
    }

    /// Writes all of it. The error says whether any of it went out.
    pub(super) fn write_all(&mut self, mut bytes: &[u8], wait: &Wait<'_>) -> Result<(), Error> {
        let mut sent = false;
        while !bytes.is_empty() {
            let left = wait.left()?;
            self.arm_for(true, left).map_err(|error| broken(&error))?;
            let wrote = match &mut self.stream {
                Stream::Plain(socket) => socket.write(bytes),
                #[cfg(feature = "tls")]
                Stream::Tls(tls) => tls.write(bytes),
            };
            match wrote {
                Ok(count) => {
                    sent |= count > 0;
                    bytes = bytes.get(count..).unwrap_or_default();
                }
                Err(error) if waits(&error) => {}
                Err(_) if wait.cancel.cancelled() => return Err(Error::Cancelled),
                Err(error) => return Err(Error::Transport { cause: error.to_string(), sent }),
            }
        }
        match &mut self.stream {
            Stream::Plain(_) => Ok(()),
            #[cfg(feature = "tls")]
            Stream::Tls(_) => self.flush_tls(wait),
        }
    }

    /// Sends what TLS still holds back.
    #[cfg(feature = "tls")]
    fn flush_tls(&mut self, wait: &Wait<'_>) -> Result<(), Error> {
        loop {
            let left = wait.left()?;
            self.arm_for(true, left).map_err(|error| broken(&error))?;
            let Stream::Tls(tls) = &mut self.stream else { return Ok(()) };
            match tls.flush() {
                Ok(()) => return Ok(()),
                Err(error) if waits(&error) => {}
                Err(_) if wait.cancel.cancelled() => return Err(Error::Cancelled),
                Err(error) => return Err(broken(&error)),
            }
        }
    }

    /// Whether an idle connection is still open and silent. Does not wait.
    pub(super) fn is_quiet(&self) -> bool {
        let mut room = [std::mem::MaybeUninit::uninit(); 1];
        let socket = SockRef::from(&*self.socket.0);
        if socket.set_nonblocking(true).is_err() {
            return false;
        }
        let peeked = socket.peek(&mut room);
        let restored = socket.set_nonblocking(false);
        matches!(peeked, Err(error) if error.kind() == io::ErrorKind::WouldBlock) && restored.is_ok()
    }

    /// Reads what is at hand, without waiting; `false` where there is nothing, or the end.
    pub(super) fn read_at_hand(&mut self) -> bool {
        if !matches!(self.stream, Stream::Plain(_)) || self.socket.0.set_nonblocking(true).is_err() {
            return false;
        }
        let start = self.buffer.len();
        self.buffer.resize(start + READ, 0);
        let got = self.socket.read(self.buffer.get_mut(start..).unwrap_or_default());
        let count = got.unwrap_or(0);
        self.buffer.truncate(start + count);
        self.socket.0.set_nonblocking(false).is_ok() && count > 0
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.socket.shut();
    }
}

fn waits(error: &io::Error) -> bool {
    use io::ErrorKind::{Interrupted, TimedOut, WouldBlock};
    matches!(error.kind(), WouldBlock | TimedOut | Interrupted)
}

/// The error of a connection on which a request had been sent.
fn broken(error: &io::Error) -> Error {
    Error::Transport { cause: error.to_string(), sent: true }
}
