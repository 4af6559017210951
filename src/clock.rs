//! Time as a value, so that tokens are exact in tests.

use std::time::{SystemTime, UNIX_EPOCH};

/// Tells the time.
pub trait Clock: Send + Sync {
    /// Seconds since 1970-01-01 UTC.
    fn now(&self) -> u64;
}

/// The machine's clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> u64 {
        SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
    }
}

/// A clock that stands still.
#[derive(Clone, Copy, Debug)]
pub struct FixedClock(pub u64);

impl Clock for FixedClock {
    fn now(&self) -> u64 {
        self.0
    }
}
