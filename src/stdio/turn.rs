//! §14 Whose turn it is to read.
//! Law: one thread reads at a time, and runs the call that it has read itself: to hand it over would cost more than most calls do. A call
//! that outlasts a tick keeps its thread and loses the turn, and another thread reads on. As long as calls run that do not have the
//! turn, new ones are handed over, so that none waits for another.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender, bounded};

/// How long a call may have the turn: once to twice as long a line waits behind it at most.
pub(super) const TICK: Duration = Duration::from_millis(1);

/// So many ticks without a call, and the watcher sleeps until one begins.
const REST: u32 = 4;

/// No call has the turn.
const NONE: u64 = 0;

/// The turn, as those see it who may have it.
pub(super) struct Turn {
    /// The number of the call that has the turn.
    call: AtomicU64,
    /// How many calls have had it.
    count: AtomicU64,
    /// How many calls run without it.
    elsewhere: AtomicUsize,
    asleep: AtomicBool,
    wake: Sender<()>,
}

impl Turn {
    pub(super) fn new() -> (Turn, Watch) {
        let (wake, woken) = bounded(1);
        let (call, count, elsewhere) = (AtomicU64::new(NONE), AtomicU64::new(NONE), AtomicUsize::new(0));
        (Turn { call, count, elsewhere, asleep: AtomicBool::new(false), wake }, Watch { woken, seen: NONE, quiet: 0 })
    }

    /// Whether a call that was read now runs on the thread that read it.
    pub(super) fn is_free(&self) -> bool {
        self.elsewhere.load(Ordering::SeqCst) == 0
    }

    /// A call begins elsewhere.
    pub(super) fn hand_over(&self) {
        self.elsewhere.fetch_add(1, Ordering::SeqCst);
    }

    /// A call that ran elsewhere has ended.
    pub(super) fn done_elsewhere(&self) {
        self.elsewhere.fetch_sub(1, Ordering::SeqCst);
    }

    /// Runs a call with the turn: `false` if it has lost it, and its thread is to read no more.
    pub(super) fn run(&self, call: impl FnOnce()) -> bool {
        let number = self.count.fetch_add(1, Ordering::SeqCst).wrapping_add(1);
        self.call.store(number, Ordering::SeqCst);
        if self.asleep.load(Ordering::SeqCst) {
            let _ = self.wake.try_send(());
        }
        call();
        let has_it = self.give(number);
        if !has_it {
            self.done_elsewhere();
        }
        has_it
    }

    /// Takes the turn from this call, if it has it.
    fn give(&self, number: u64) -> bool {
        self.call.compare_exchange(number, NONE, Ordering::SeqCst, Ordering::SeqCst).is_ok()
    }
}

/// What the watcher knows of the turn.
pub(super) struct Watch {
    woken: Receiver<()>,
    /// The call that had the turn at the last tick, or the last that had had it.
    seen: u64,
    quiet: u32,
}

impl Watch {
    /// To be called in each tick: `true` if a call has lost the turn, and nobody has it now.
    pub(super) fn tick(&mut self, turn: &Turn) -> bool {
        let (call, count) = (turn.call.load(Ordering::SeqCst), turn.count.load(Ordering::SeqCst));
        self.quiet = if call == NONE && count == self.seen { self.quiet + 1 } else { 0 };
        let outlasts = call != NONE && call == self.seen;
        self.seen = count;
        if !outlasts {
            return false;
        }
        turn.hand_over();
        let lost = turn.give(call);
        if !lost {
            turn.done_elsewhere();
        }
        lost
    }

    /// What to wait for beside the end of input: a call, if there is nothing to watch. The turn is told whether we sleep.
    pub(super) fn rests(&self, turn: &Turn) -> Option<&Receiver<()>> {
        let rests = self.quiet >= REST;
        turn.asleep.store(rests, Ordering::SeqCst);
        // Whoever began before the line above saw us awake: look once more. Whoever begins after it wakes us.
        (rests && turn.count.load(Ordering::SeqCst) == self.seen).then_some(&self.woken)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_that_ends_within_a_tick_keeps_the_turn() {
        let (turn, mut watch) = Turn::new();
        assert!(turn.run(|| {}));
        assert!(!watch.tick(&turn));
        assert!(turn.run(|| assert!(!watch.tick(&turn), "it may have just begun")));
        assert!(!watch.tick(&turn), "another call than the last");
        assert!(turn.is_free());
    }

    #[test]
    fn a_call_that_outlasts_a_tick_loses_it() {
        let (turn, mut watch) = Turn::new();
        let call = || {
            assert!(!watch.tick(&turn));
            assert!(watch.tick(&turn));
            assert!(!watch.tick(&turn), "it has lost it already");
            assert!(!turn.is_free());
            assert!(turn.run(|| {}), "whoever reads now may have calls of its own");
        };
        assert!(!turn.run(call));
        assert!(turn.is_free(), "it has ended");
    }

    #[test]
    fn calls_are_handed_over_while_others_run_elsewhere() {
        let (turn, _) = Turn::new();
        turn.hand_over();
        turn.hand_over();
        turn.done_elsewhere();
        assert!(!turn.is_free());
        turn.done_elsewhere();
        assert!(turn.is_free());
    }

    #[test]
    fn the_watcher_rests_until_a_call_begins() {
        let (turn, mut watch) = Turn::new();
        assert!(watch.rests(&turn).is_none());
        assert!(turn.run(|| {}));
        for _ in 0..REST {
            assert!(watch.rests(&turn).is_none());
            watch.tick(&turn);
        }
        assert!(watch.rests(&turn).is_none(), "the first tick has seen the call");
        watch.tick(&turn);
        assert!(turn.run(|| {}), "a call between a look and the next");
        assert!(watch.rests(&turn).is_none(), "is not slept through");
        for _ in 0..=REST {
            watch.tick(&turn);
        }
        assert!(watch.rests(&turn).is_some_and(Receiver::is_empty));
        assert!(turn.run(|| {}));
        assert_eq!(watch.woken.try_recv(), Ok(()));
    }
}
