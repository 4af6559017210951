//! The connections that are open, and what each is doing.

use std::collections::BTreeMap;
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Instant;

use super::Cancelling;
use crate::lock;

/// [`Conn::doing`]: waits for a request.
const IDLE: u64 = 0;
/// [`Conn::doing`]: has read a head and reads the rest. Greater values number the requests that run.
const RECEIVING: u64 = 1;

/// One connection, as the threads that do not own it see it.
pub(super) struct Conn {
    /// Connections are numbered in the order in which they came.
    pub(super) id: u64,
    pub(super) stream: TcpStream,
    /// One for all requests of the connection: whatever cancels one of them also ends the connection.
    pub(super) cancelling: Arc<Cancelling>,
    doing: AtomicU64,
    /// Only the watcher's: the request that it saw last, and for how many ticks.
    seen: AtomicU64,
    ticks: AtomicU64,
}

impl Conn {
    pub(super) fn idle(&self) {
        self.doing.store(IDLE, Ordering::SeqCst);
    }

    pub(super) fn receiving(&self) {
        self.doing.store(RECEIVING, Ordering::SeqCst);
    }

    /// Request number `serial` of this connection, counted from 0, has begun to run.
    pub(super) fn running(&self, serial: u64) {
        self.doing.store(serial.wrapping_add(RECEIVING + 1), Ordering::SeqCst);
    }

    pub(super) fn is_idle(&self) -> bool {
        self.doing.load(Ordering::SeqCst) == IDLE
    }

    pub(super) fn is_running(&self) -> bool {
        self.doing.load(Ordering::SeqCst) > RECEIVING
    }

    /// For how many ticks the request that now runs has been running, as far as the watcher saw; 0 if none runs.
    pub(super) fn tick(&self) -> u64 {
        let doing = self.doing.load(Ordering::SeqCst);
        if doing <= RECEIVING || self.seen.swap(doing, Ordering::Relaxed) != doing {
            self.ticks.store(0, Ordering::Relaxed);
            return 0;
        }
        self.ticks.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Cancels what runs and closes both directions, which also wakes a thread that reads or writes.
    pub(super) fn hang_up(&self) {
        self.cancelling.cancel();
        let _ = self.stream.shutdown(Shutdown::Both);
    }
}

/// All open connections.
pub(super) struct Registry {
    limit: usize,
    open: Mutex<Open>,
    emptied: Condvar,
}

#[derive(Default)]
struct Open {
    next: u64,
    connections: BTreeMap<u64, Arc<Conn>>,
}

impl Registry {
    pub(super) fn new(limit: usize) -> Registry {
        Registry { limit, open: Mutex::default(), emptied: Condvar::new() }
    }

    /// Takes a connection in, or gives it back where there are too many.
    pub(super) fn enter(&self, stream: TcpStream) -> Result<Arc<Conn>, TcpStream> {
        let cancelling = Cancelling::new();
        let mut open = lock(&self.open);
        if open.connections.len() >= self.limit {
            return Err(stream);
        }
        let id = open.next;
        open.next += 1;
        let (doing, seen, ticks) = (AtomicU64::new(IDLE), AtomicU64::new(IDLE), AtomicU64::new(0));
        let conn = Arc::new(Conn { id, stream, cancelling, doing, seen, ticks });
        open.connections.insert(id, Arc::clone(&conn));
        Ok(conn)
    }

    pub(super) fn leave(&self, conn: &Conn) {
        let mut open = lock(&self.open);
        open.connections.remove(&conn.id);
        if open.connections.is_empty() {
            self.emptied.notify_all();
        }
    }

    /// All that are open, oldest first.
    pub(super) fn all(&self) -> Vec<Arc<Conn>> {
        lock(&self.open).connections.values().map(Arc::clone).collect()
    }

    /// Waits until none is open: `false` if that takes longer than `until`.
    pub(super) fn wait_empty(&self, until: Instant) -> bool {
        let mut open = lock(&self.open);
        while !open.connections.is_empty() {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            open = self.emptied.wait_timeout(open, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        true
    }
}
