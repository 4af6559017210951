//! §9 The watcher: sees that a client has gone while its handler says nothing (D9).
//! Law: a request that ends within a tick costs nothing here but one load of an atomic.
//!
//! A client that shuts only its sending half down looks exactly like one that has gone, so it is taken for gone: its request is
//! cancelled if it runs longer than a tick. No client of MCP does that; `nc -N` does.

use std::io::{ErrorKind, Read};
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender, bounded};
use super::at_once::gone;
use super::registry::{Conn, Registry};
use crate::lock;

/// So many ticks without a running request, and the watcher sleeps until one begins.
const REST: u32 = 50;
/// So many ticks long a request is looked at in every tick, then in one of [`SELDOM`]: a thousand silent listen streams must
/// not keep a processor busy.
const YOUNG: u64 = 50;
const SELDOM: u64 = 5;

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
            },
            Waking(woken),
        )
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
        let mut quiet = 0;
        while !self.finished.load(Ordering::SeqCst) {
            quiet = if self.round(registry) { 0 } else { quiet + 1 };
            if quiet >= REST {
                self.asleep.store(true, Ordering::SeqCst);
                // Whoever began before the line above saw us awake: look once more. Whoever begins after it wakes us.
                if !self.round(registry) && !self.finished.load(Ordering::SeqCst) {
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

    /// One look at everything: `true` if there was something to look at.
    fn round(&self, registry: &Registry) -> bool {
        let mut busy = false;
        for conn in registry.all() {
            let ticks = conn.tick();
            busy |= conn.is_running();
            if due(&conn, ticks) && gone(&conn.stream) {
                conn.hang_up();
            }
        }
        busy | self.linger_on()
    }

    fn linger_on(&self) -> bool {
        let waiting = std::mem::take(&mut *lock(&self.lingering));
        let mut still: Vec<_> = waiting.into_iter().filter_map(|(stream, left)| drained(stream, left)).collect();
        let mut lingering = lock(&self.lingering);
        lingering.append(&mut still);
        !lingering.is_empty()
    }
}

fn due(conn: &Arc<Conn>, ticks: u64) -> bool {
    ticks > 0 && (ticks <= YOUNG || ticks.wrapping_add(conn.id) % SELDOM == 0)
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
