//! §9 Ending a call from another thread.
//! Law: who waits on a channel watches the token; who waits on something else leaves word how to be woken.

use std::convert::Infallible;
use std::fmt;
#[cfg(feature = "http")]
use std::sync::Weak;
use std::sync::{Arc, Mutex};

use crossbeam_channel::Receiver;

use crate::cancellation::{CancelSource, CancelToken, cancellation};
use crate::lock;

/// Ends the calls that were given it, from any thread (§9). Cloning gives another handle to the same.
///
/// A cancelled call returns [`Error::Cancelled`](super::Error::Cancelled), and the server is told in the way of the transport. Once cancelled,
/// always cancelled: a call that is given the handle later ends at once.
#[derive(Clone)]
pub struct Cancel(Arc<Inner>);

struct Inner {
    token: CancelToken,
    state: Mutex<State>,
}

struct State {
    /// `None` once cancelled.
    source: Option<CancelSource>,
    wakers: Vec<(u64, Waker)>,
    #[cfg(feature = "http")]
    next: u64,
}

type Waker = Arc<dyn Fn() + Send + Sync>;

/// Takes a waker back when it is dropped.
#[cfg(feature = "http")]
pub(crate) struct Watch(Weak<Inner>, u64);

impl Cancel {
    /// A handle that has not been used yet.
    pub fn new() -> Cancel {
        let (source, token) = cancellation();
        let state = State {
            source: Some(source),
            wakers: Vec::new(),
            #[cfg(feature = "http")]
            next: 0,
        };
        Cancel(Arc::new(Inner { token, state: Mutex::new(state) }))
    }

    /// Cancels. Does not wait for the calls to end.
    pub fn cancel(&self) {
        let mut state = lock(&self.0.state);
        let source = state.source.take();
        let wakers = std::mem::take(&mut state.wakers);
        drop(state);
        drop(source);
        for (_, wake) in wakers {
            wake();
        }
    }

    /// Whether it has been cancelled.
    pub fn cancelled(&self) -> bool {
        self.0.token.cancelled()
    }

    /// Becomes disconnected, hence ready, on cancel; for `select!`.
    pub(crate) fn channel(&self) -> &Receiver<Infallible> {
        self.0.token.channel()
    }

    #[cfg(feature = "http")]
    /// Calls `wake` on cancel, at once if that has been already, on the thread that cancels. `wake` must not block.
    pub(crate) fn watch(&self, wake: impl Fn() + Send + Sync + 'static) -> Watch {
        let wake: Waker = Arc::new(wake);
        let mut state = lock(&self.0.state);
        let id = state.next;
        state.next += 1;
        let late = state.source.is_none();
        if !late {
            state.wakers.push((id, Arc::clone(&wake)));
        }
        drop(state);
        if late {
            wake();
        }
        Watch(Arc::downgrade(&self.0), id)
    }
}

impl Default for Cancel {
    fn default() -> Cancel {
        Cancel::new()
    }
}

impl fmt::Debug for Cancel {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_tuple("Cancel").field(&self.cancelled()).finish()
    }
}

#[cfg(feature = "http")]
impl Drop for Watch {
    fn drop(&mut self) {
        let Some(inner) = self.0.upgrade() else { return };
        lock(&inner.state).wakers.retain(|(id, _)| *id != self.1);
    }
}
