//! Where notifications go that a request produces before its answer.

use std::sync::{Arc, Mutex};

use crate::envelope::Notification;
use crate::lock;

/// The peer is gone, or reads nothing any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gone;

/// What became of something that was offered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Offered {
    /// It has gone out.
    Sent,
    /// It was taken, and whoever serves the stream has to [`flush`](Sink::flush) what is left of it.
    Partly,
    /// It was not taken: that would have needed waiting, or the stream is over.
    Not,
}

/// A way to a stream for threads that do not serve it.
pub trait Outlet: Send + Sync {
    /// Sends one notification, if that can be done without waiting.
    fn offer(&self, note: &Notification) -> Offered;
}

/// Takes the notifications of one request, in order. A transport's sink may block until its write deadline, then says [`Gone`].
pub trait Sink: Sync {
    /// Sends one notification to the client whose request is being served.
    // req 1-8: nothing else can be sent before the answer, least of all a request
    fn send(&self, note: &Notification) -> Result<(), Gone>;

    /// Keeps a silent stream alive, where the transport needs that (§11).
    fn keep_alive(&self) -> Result<(), Gone> {
        Ok(())
    }

    /// A second way to the stream that has begun here, where the transport has one.
    fn outlet(&self) -> Option<Arc<dyn Outlet>> {
        None
    }

    /// Sends what an [`outlet`](Sink::outlet) could send only in part.
    fn flush(&self) -> Result<(), Gone> {
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
