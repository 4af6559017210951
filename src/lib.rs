//! plain-mcp: the Model Context Protocol, revision 2026-07-28, in plain synchronous Rust.
//!
//! Table of contents, in the order of the wire reference.

pub mod arrival;
pub mod cancellation; // §9
pub mod clock;
pub mod envelope; // §1
pub mod errors; // §12
#[cfg(feature = "http")]
pub mod http; // §13
mod pool;
pub mod server;
pub mod sink;

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Takes a lock whatever happened to its last holder: what our locks guard is whole after every step.
pub(crate) fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
