//! §11 Subscriptions: who listens, and what has not yet been told to them.
//! Law: `publish` never waits for a listener, and what is kept for a listener is bounded. What can go out at once goes out at
//! once, from the publisher's own thread: to wake a thread for each of a thousand listeners would cost more than to write for it.
//! Law: a topic that is pending already is not kept twice: its notification says "look again", and once is enough.
//! Law: a listener's topics come in the order in which they became pending.

use std::collections::{BTreeMap, HashSet};
use std::convert::Infallible;
use std::fmt;
use std::sync::{Arc, Mutex};

use crossbeam_channel::{Receiver, Sender, bounded, never};

use crate::cancellation::CancelToken;
use crate::lock;
use crate::sink::Offered;
use crate::subscriptions::filter::{Filter, Topic};

/// The bounds of a [`Hub`].
#[derive(Clone, Copy, Debug)]
pub struct HubLimits {
    /// The most listen streams at a time.
    pub streams: usize,
    /// The most topics that wait for one stream; with one more the stream ends, and its client listens again.
    pub pending: usize,
}

/// Takes what is published and keeps it for those who listen. Clones are the same hub.
#[derive(Clone, Debug)]
pub struct Hub(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    limits: HubLimits,
    board: Mutex<Board>,
    /// Becomes disconnected when the hub shuts down.
    shutdown: Receiver<Infallible>,
}

#[derive(Debug)]
struct Board {
    next: u64,
    // req 11-18
    listeners: BTreeMap<u64, Listener>,
    /// Dropped to shut down.
    running: Option<Sender<Infallible>>,
}

/// Tells a listener a topic, if that can be done without waiting.
pub type Teller = Arc<dyn Fn(&Topic) -> Offered + Send + Sync>;

struct Listener {
    filter: Arc<Filter>,
    /// Set once the stream may be told anything.
    teller: Option<Teller>,
    /// In the order in which they became pending; `known` holds the same topics.
    pending: Vec<Topic>,
    known: HashSet<Topic>,
    overflow: bool,
    wake: Sender<()>,
}

impl fmt::Debug for Listener {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Listener")
            .field("filter", &self.filter)
            .field("pending", &self.pending)
            .finish_non_exhaustive()
    }
}

impl Listener {
    /// Who tells the next topic at once. Where others are pending it waits behind them.
    fn at_once(&self) -> Option<Teller> {
        self.teller.as_ref().filter(|_| self.pending.is_empty() && !self.overflow).map(Arc::clone)
    }

    /// req 11-15 11-16: never waits; a topic is kept once, and one too many ends the stream.
    fn add(&mut self, topic: &Topic, limit: usize) {
        if self.overflow || self.known.contains(topic) {
            return;
        }
        if self.pending.len() >= limit {
            self.overflow = true;
        } else {
            self.known.insert(topic.clone());
            self.pending.push(topic.clone());
        }
        self.wake();
    }

    fn wake(&self) {
        // Full means that the listener has been woken and has not looked yet; disconnected, that it is about to go.
        let _ = self.wake.try_send(());
    }
}

impl Hub {
    /// A hub without listeners.
    pub fn new(limits: HubLimits) -> Hub {
        let (running, shutdown) = bounded(0);
        let board = Board { next: 0, listeners: BTreeMap::new(), running: Some(running) };
        Hub(Arc::new(Shared { limits, board: Mutex::new(board), shutdown }))
    }

    /// Tells everyone who asked for this topic. Does not wait.
    pub fn publish(&self, topic: &Topic) {
        self.tell(topic, |filter| filter.wants(topic));
    }

    /// Tells everyone who subscribed to the resource `whole` that `part`, a sub-resource of it, has changed; also those who
    /// subscribed to `part` itself. Which resource is part of which only the author knows: URIs are not compared.
    pub fn publish_part(&self, part: &str, whole: &str) {
        let (topic, whole) = (Topic::updated(part), Topic::updated(whole));
        self.tell(&topic, |filter| filter.wants(&topic) || filter.wants(&whole));
    }

    fn tell(&self, topic: &Topic, wanted: impl Fn(&Filter) -> bool) {
        let limit = self.0.limits.pending;
        let mut tellers = Vec::new();
        for (key, listener) in lock(&self.0.board).listeners.iter_mut().filter(|(_, one)| wanted(&one.filter)) {
            match listener.at_once() {
                Some(teller) => tellers.push((*key, teller)),
                None => listener.add(topic, limit),
            }
        }
        for (key, tell) in tellers {
            let offered = tell(topic); // outside of the lock
            if offered == Offered::Sent {
                continue;
            }
            if let Some(listener) = lock(&self.0.board).listeners.get_mut(&key) {
                if offered == Offered::Partly { listener.wake() } else { listener.add(topic, limit) }
            }
        }
    }

    /// Begins to keep topics for a new listener, so that nothing is lost from here on; `None` if there are too many. After
    /// [`shut_down`](Hub::shut_down) the subscription is over at once.
    pub fn register(&self, filter: Filter) -> Option<Subscription> {
        let filter = Arc::new(filter);
        let (wake, woken) = bounded(1);
        let mut board = lock(&self.0.board);
        if board.listeners.len() >= self.0.limits.streams {
            return None;
        }
        let key = board.next;
        board.next = key.wrapping_add(1);
        let (pending, known) = (Vec::new(), HashSet::new());
        let listener = Listener { filter: Arc::clone(&filter), teller: None, pending, known, overflow: false, wake };
        board.listeners.insert(key, listener);
        drop(board);
        Some(Subscription { hub: self.clone(), key, filter, woken, ending: never() })
    }

    /// Ends all listen streams, each with its result, and those that are still to come. Does not wait for them.
    pub fn shut_down(&self) {
        let running = lock(&self.0.board).running.take();
        drop(running);
    }

    /// How many listen.
    pub fn listeners(&self) -> usize {
        lock(&self.0.board).listeners.len()
    }
}

/// What was pending for a subscription.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pending {
    /// In the order in which they became pending.
    pub topics: Vec<Topic>,
    /// More was published than could be kept: the stream has to end, so that the client looks at everything anew.
    pub overflow: bool,
}

/// A place in a [`Hub`]. Dropping it gives the place back, whether or not anything was ever published.
#[derive(Debug)]
pub struct Subscription {
    hub: Hub,
    key: u64,
    filter: Arc<Filter>,
    woken: Receiver<()>,
    ending: Receiver<Infallible>,
}

impl Subscription {
    /// The same, over also when the token fires: when the stream's own transport ends.
    #[must_use]
    pub fn until(mut self, token: Option<&CancelToken>) -> Subscription {
        if let Some(token) = token {
            self.ending = token.channel().clone();
        }
        self
    }

    /// From now on the listener is told at once what can be told without waiting, unless something is pending already.
    pub fn tell_at_once(&self, teller: Teller) {
        if let Some(listener) = lock(&self.hub.0.board).listeners.get_mut(&self.key) {
            listener.teller = Some(teller);
        }
    }

    /// Disconnected, hence ready, when the stream's transport ends.
    pub fn ending(&self) -> &Receiver<Infallible> {
        &self.ending
    }

    /// What was granted.
    pub fn filter(&self) -> &Filter {
        &self.filter
    }

    /// Ready when something may be pending.
    pub fn woken(&self) -> &Receiver<()> {
        &self.woken
    }

    /// Disconnected, hence ready, when the hub has shut down.
    pub fn shutdown(&self) -> &Receiver<Infallible> {
        &self.hub.0.shutdown
    }

    /// Takes what is pending. Does not wait.
    pub fn take(&self) -> Pending {
        let mut board = lock(&self.hub.0.board);
        let Some(listener) = board.listeners.get_mut(&self.key) else { return Pending::default() };
        listener.known.clear();
        Pending { topics: std::mem::take(&mut listener.pending), overflow: listener.overflow }
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        let listener = lock(&self.hub.0.board).listeners.remove(&self.key);
        drop(listener); // outside of the lock
    }
}
