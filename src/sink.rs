//! Where notifications go that a request produces before its answer.

use std::sync::Mutex;

use crate::envelope::Notification;
use crate::lock;

/// The peer is gone, or reads nothing any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gone;

/// Takes the notifications of one request, in order. A transport's sink may block until its write deadline, then says [`Gone`].
pub trait Sink: Sync {
    /// Sends one notification to the client whose request is being served.
    // req 1-8: nothing else can be sent before the answer, least of all a request
    fn send(&self, note: &Notification) -> Result<(), Gone>;

    /// Keeps a silent stream alive, where the transport needs that (§11).
    fn keep_alive(&self) -> Result<(), Gone> {
        Ok(())
    }
}

/// A sink that keeps what it is given: for calls without a transport.
#[derive(Debug, Default)]
pub struct Collect(Mutex<Vec<Notification>>);

impl Collect {
    /// Takes out what has been sent so far.
    pub fn take(&self) -> Vec<Notification> {
        std::mem::take(&mut *lock(&self.0))
    }
}

impl Sink for Collect {
    fn send(&self, note: &Notification) -> Result<(), Gone> {
        lock(&self.0).push(note.clone());
        Ok(())
    }
}
