//! §13.9 What the threads of a host share.

use std::sync::Arc;

use super::hang_up::Watcher;
use super::registry::Registry;
use super::service::Service;
use super::shutdown::ShutdownSignal;

/// What the threads of one host share.
pub(super) struct Shared {
    pub(super) service: Arc<dyn Service>,
    pub(super) watcher: Watcher,
    pub(super) registry: Registry,
    pub(super) stop: ShutdownSignal,
}
