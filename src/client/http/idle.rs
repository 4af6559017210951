//! §13 Connections that are kept for the next request.
//! Law: a connection that is not certainly open, silent and at the start of a reply is not used again.

use std::collections::VecDeque;
use std::sync::Mutex;
use std::time::Instant;

use super::body::Body;
use super::socket::Connection;
use crate::client::limits::ClientLimits;
use crate::lock;

/// The connections that nobody uses, with what is left of the last reply; the one used last at the end.
#[derive(Default)]
pub(super) struct Idle(Mutex<VecDeque<(Connection, Body)>>);

impl Idle {
    /// Keeps a connection. The oldest goes where there are too many.
    pub(super) fn keep(&self, mut connection: Connection, body: Body, limits: &ClientLimits) {
        if limits.idle_connections == 0 {
            return;
        }
        connection.idle_since = Instant::now();
        connection.buffer.shrink_to(64 * 1024);
        let mut kept = lock(&self.0);
        let oldest = if kept.len() >= limits.idle_connections { kept.pop_front() } else { None };
        kept.push_back((connection, body));
        drop(kept);
        drop(oldest);
    }

    /// A connection that can be used again.
    pub(super) fn take(&self, limits: &ClientLimits) -> Option<Connection> {
        loop {
            let (mut connection, mut body) = lock(&self.0).pop_back()?;
            let usable = connection.idle_since.elapsed() < limits.idle
                && body.finish_at_hand(&mut connection, limits)
                && connection.is_quiet();
            if usable {
                return Some(connection);
            }
        }
    }

    pub(super) fn clear(&self) {
        let kept = std::mem::take(&mut *lock(&self.0));
        drop(kept);
    }
}
