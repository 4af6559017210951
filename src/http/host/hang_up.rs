//! §9 The watcher: sees that a client has gone while its handler says nothing (D9).
//! Law: a request that ends within a tick costs nothing here but one load of an atomic.
//! Law: a tick looks at a bounded number of requests, whoever has waited longest first, so that watching many costs no more than watching
//! some, and none is forgotten.
//!
//! A client that shuts only its sending half down looks exactly like one that has gone, so it is taken for gone: its request is
//! cancelled if it runs longer than a tick. No client of MCP does that; `nc -N` does.

use std::cell::Cell;
use std::io::{ErrorKind, Read};
use std::net::{Shutdown, TcpStream};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender, bounded};

use super::at_once::gone;
use super::registry::Registry;
use crate::lock;

/// So many ticks without a running request, and the watcher sleeps until one begins.
const REST: u32 = 50;
/// So many requests are looked at in one tick: with 500 that run it is the turn of each in every fourth.
const LOOKS: usize = 125;

/// So many refused connections wait for their end at the same time; more are closed at once.
const MOST_LINGERING: usize = 64;
/// So many ticks a refused connection waits for its client to close.
const LINGER: u32 = 50;

/// The part that connections share with the watcher's thread.
pub(super) struct Watcher {
    asleep: AtomicBool,
    wake: Sender<()>,
    lingering: Mutex<Vec<(TcpStream, u32)>>,
    finished: AtomicBool,
    /// How many rounds it has made.
    rounds: AtomicU64,
}

/// The watcher's end of the channel that wakes it.
pub(super) struct Waking(Receiver<()>);

impl Watcher {
    pub(super) fn new() -> (Watcher, Waking) {
        let (wake, woken) = bounded(1);
        (
            Watcher {
                asleep: AtomicBool::new(false),
                wake,
                lingering: Mutex::default(),
                finished: AtomicBool::new(false),
                rounds: AtomicU64::new(0),
            },
            Waking(woken),
        )
    }

    /// How many rounds it has made: what a connection is marked with when a request begins to run.
    pub(super) fn rounds(&self) -> u64 {
        self.rounds.load(Ordering::Relaxed)
    }

    /// To be called after a connection was marked as running.
    pub(super) fn look(&self) {
        if self.asleep.load(Ordering::SeqCst) {
            let _ = self.wake.try_send(());
        }
    }

    /// Keeps a refused connection until its client has read the answer and closed. If it were closed with unread bytes in it,
    /// the client would see a reset in place of the answer. The stream must not block.
    pub(super) fn linger(&self, stream: TcpStream) {
        let _ = stream.shutdown(Shutdown::Write);
        let mut lingering = lock(&self.lingering);
        if lingering.len() < MOST_LINGERING {
            lingering.push((stream, LINGER));
        }
        drop(lingering);
        self.look();
    }

    /// Watches until [`finish`](Watcher::finish). Runs on a thread of its own.
    pub(super) fn watch(&self, waking: &Waking, registry: &Registry, tick: Duration) {
        let (mut quiet, mut last) = (0, 0);
        while !self.finished.load(Ordering::SeqCst) {
            quiet = if self.round(registry, &mut last) { 0 } else { quiet + 1 };
            if quiet >= REST {
                self.asleep.store(true, Ordering::SeqCst);
                // Whoever began before the line above saw us awake: look once more. Whoever begins after it wakes us.
                if !self.round(registry, &mut last) && !self.finished.load(Ordering::SeqCst) {
                    let _ = waking.0.recv();
                }
                self.asleep.store(false, Ordering::SeqCst);
                quiet = 0;
            }
            let _ = waking.0.recv_timeout(tick);
        }
    }

    /// Lets the watcher's thread end.
    pub(super) fn finish(&self) {
        self.finished.store(true, Ordering::SeqCst);
        let _ = self.wake.try_send(());
    }

    /// Looks at those whose turn it is, from the one after `last` on: `true` if there was something to look at.
    fn round(&self, registry: &Registry, last: &mut u64) -> bool {
        let round = self.rounds.fetch_add(1, Ordering::Relaxed);
        let busy = Cell::new(false);
        let due = registry.some(*last, LOOKS, |conn| {
            busy.set(busy.get() || conn.is_running());
            conn.runs_since_before(round) && !conn.is_gone()
        });
        for conn in due {
            if gone(&conn.stream) {
                conn.hang_up();
            }
            *last = conn.id;
        }
        busy.get() | self.linger_on()
    }

    fn linger_on(&self) -> bool {
        let waiting = std::mem::take(&mut *lock(&self.lingering));
        let mut still: Vec<_> = waiting.into_iter().filter_map(|(stream, left)| drained(stream, left)).collect();
        let mut lingering = lock(&self.lingering);
        lingering.append(&mut still);
        !lingering.is_empty()
    }
}

/// Throws away what a refused client still sends. `None` when there will be no more, or the time is up: it is then closed.
fn drained(mut stream: TcpStream, left: u32) -> Option<(TcpStream, u32)> {
    let left = left.checked_sub(1)?;
    let mut waste = [0; 4096];
    for _ in 0..16 {
        match stream.read(&mut waste) {
            Ok(0) => return None,
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::WouldBlock => break,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(_) => return None,
        }
    }
    Some((stream, left))
}
