//! Time as a value, so that tokens are exact in tests.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Tells the time.
pub trait Clock: Send + Sync {
    /// Seconds since 1970-01-01 UTC.
    fn now(&self) -> u64;

    /// The time since some fixed moment, never going back: for durations.
    fn monotonic(&self) -> Duration;
}

/// The machine's clock.
#[derive(Clone, Copy, Debug)]
pub struct SystemClock {
    start: Instant,
}

impl Default for SystemClock {
    fn default() -> SystemClock {
        SystemClock { start: Instant::now() }
    }
}

impl Clock for SystemClock {
    fn now(&self) -> u64 {
        SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
    }

    fn monotonic(&self) -> Duration {
        self.start.elapsed()
    }
}

/// A clock that stands still, at this many seconds since 1970-01-01 UTC.
#[derive(Clone, Copy, Debug)]
pub struct FixedClock(pub u64);

impl Clock for FixedClock {
    fn now(&self) -> u64 {
        self.0
    }

    fn monotonic(&self) -> Duration {
        Duration::ZERO
    }
}
