//! §13.9 The connections that are open, and what each is doing.

use std::collections::BTreeMap;
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use socket2::SockRef;

use super::writer::Writer;
use crate::http::peer::Cancelling;
use crate::lock;

/// [`Conn::doing`]: waits for a request.
const IDLE: u64 = 0;
/// [`Conn::doing`]: has read a head and reads the rest. Greater values say in which round of the watcher the request that runs began.
const RECEIVING: u64 = 1;

/// One connection, as the threads that do not own it see it.
pub(super) struct Conn {
    /// Connections are numbered in the order in which they came.
    pub(super) id: u64,
    pub(super) came: Instant,
    pub(super) stream: TcpStream,
    /// Of the answer that is being written.
    pub(super) writer: Mutex<Writer>,
    /// Of the request that runs. Nearly always one serves all requests of a connection: whatever makes the client be gone for
    /// one of them ends the connection.
    cancelling: Mutex<Arc<Cancelling>>,
    doing: AtomicU64,
    /// The client counts as gone; nothing more is written.
    gone: AtomicBool,
}

impl Conn {
    pub(super) fn idle(&self) {
        self.doing.store(IDLE, Ordering::SeqCst);
    }

    pub(super) fn receiving(&self) {
        self.doing.store(RECEIVING, Ordering::SeqCst);
    }

    /// A request begins to run, when the watcher has made so many rounds.
    pub(super) fn running(&self, rounds: u64) {
        self.doing.store(rounds.saturating_add(RECEIVING + 1), Ordering::SeqCst);
    }

    pub(super) fn is_idle(&self) -> bool {
        self.doing.load(Ordering::SeqCst) == IDLE
    }

    pub(super) fn is_running(&self) -> bool {
        self.doing.load(Ordering::SeqCst) > RECEIVING
    }

    /// Whether the request that now runs began before the watcher had made so many rounds.
    pub(super) fn runs_since_before(&self, rounds: u64) -> bool {
        let doing = self.doing.load(Ordering::SeqCst);
        doing > RECEIVING && doing - (RECEIVING + 1) < rounds
    }

    /// What cancels the next request: that of the last one, unless it was used up by a message of the client (D10).
    pub(super) fn cancelling(&self) -> Arc<Cancelling> {
        let mut cancelling = lock(&self.cancelling);
        if cancelling.token().cancelled() {
            *cancelling = Cancelling::new();
        }
        Arc::clone(&cancelling)
    }

    pub(super) fn is_gone(&self) -> bool {
        self.gone.load(Ordering::SeqCst)
    }

    /// Cancels what runs and closes both directions, which also wakes a thread that reads or writes.
    pub(super) fn hang_up(&self) {
        // In this order: who asks for `cancelling` afterwards looks whether the client is gone.
        self.gone.store(true, Ordering::SeqCst);
        let cancelling = Arc::clone(&lock(&self.cancelling));
        cancelling.cancel();
        let _ = self.stream.shutdown(Shutdown::Both);
    }

    /// Hangs up on a client that does not take what it is sent. That is thrown away when the connection is closed; the kernel would
    /// keep it, and go on offering it for minutes.
    pub(super) fn cut_off(&self) {
        if !self.is_gone() {
            let _ = SockRef::from(&self.stream).set_linger(Some(Duration::ZERO));
            self.hang_up();
        }
    }
}

/// All open connections.
pub(super) struct Registry {
    limit: usize,
    open: Mutex<Open>,
    /// A connection has left, and somebody waits for that.
    left: Condvar,
}

#[derive(Default)]
struct Open {
    next: u64,
    connections: BTreeMap<u64, Arc<Conn>>,
    awaited: bool,
}

impl Registry {
    pub(super) fn new(limit: usize) -> Registry {
        Registry { limit, open: Mutex::default(), left: Condvar::new() }
    }

    /// Takes a connection in, or gives it back where there are too many.
    pub(super) fn enter(&self, stream: TcpStream) -> Result<Arc<Conn>, TcpStream> {
        let (cancelling, gone, writer) = (Mutex::new(Cancelling::new()), AtomicBool::new(false), Mutex::default());
        let mut open = lock(&self.open);
        if open.connections.len() >= self.limit {
            return Err(stream);
        }
        let id = open.next;
        open.next += 1;
        let doing = AtomicU64::new(IDLE);
        let conn = Arc::new(Conn { id, came: Instant::now(), stream, writer, cancelling, doing, gone });
        open.connections.insert(id, Arc::clone(&conn));
        Ok(conn)
    }

    pub(super) fn leave(&self, conn: &Conn) {
        let mut open = lock(&self.open);
        open.connections.remove(&conn.id);
        if open.awaited {
            self.left.notify_all();
        }
    }

    /// All that are open, oldest first.
    pub(super) fn all(&self) -> Vec<Arc<Conn>> {
        lock(&self.open).connections.values().map(Arc::clone).collect()
    }

    /// The first `most` that are wanted, in the order of their age, from the one after `last` on and round again.
    pub(super) fn some(&self, last: u64, most: usize, wanted: impl Fn(&Conn) -> bool) -> Vec<Arc<Conn>> {
        let open = lock(&self.open);
        let (behind, ahead) = (open.connections.range(..=last), open.connections.range(last.saturating_add(1)..));
        let wanted = ahead.chain(behind).map(|(_, conn)| conn).filter(|conn| wanted(conn));
        wanted.take(most).map(Arc::clone).collect()
    }

    /// Waits until none is open: `false` if that takes longer than `until`.
    pub(super) fn wait_empty(&self, until: Instant) -> bool {
        let mut open = lock(&self.open);
        while !open.connections.is_empty() {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            open = self.wait(open, left);
        }
        true
    }

    /// Waits until a connection leaves, but not for longer than `patience`.
    pub(super) fn wait_for_room(&self, patience: Duration) {
        drop(self.wait(lock(&self.open), patience));
    }

    fn wait<'a>(&self, mut open: MutexGuard<'a, Open>, patience: Duration) -> MutexGuard<'a, Open> {
        open.awaited = true;
        let mut open = self.left.wait_timeout(open, patience).unwrap_or_else(PoisonError::into_inner).0;
        open.awaited = false;
        open
    }
}
