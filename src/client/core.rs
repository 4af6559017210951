//! §18 What the calls of one client share: the transport, what is known of the server, and who hears what belongs to no call.
//! Law: a request of the server is answered on a thread of its own; who reads never waits for a user.

use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, bounded, select};
use serde_json::value::RawValue;

use super::cancel::Cancel;
use super::catalog::Catalog;
use super::error::Error;
use super::inputs;
use super::message::{Incoming, Outgoing};
use super::progress::LogMessage;
use super::settings::Settings;
use super::transport::{Ears, Problem, Transport};
use super::wait::Wait;
use crate::dialect::Spoken;
use crate::envelope::{Object, RequestId};
use crate::lock;
use crate::pool::{Job, Pool};
use crate::types::{Implementation, ServerCapabilities};

/// What is known of the server. Kept for the life of the client, or of the process that it was learned from.
#[derive(Debug)]
pub(crate) struct Peer {
    pub(crate) spoken: &'static Spoken,
    /// The version that requests name: that of `spoken`, unless the server answered `initialize` with the stateless revision.
    pub(crate) version: &'static str,
    pub(crate) session: Option<String>,
    pub(crate) server: Option<Implementation>,
    pub(crate) capabilities: ServerCapabilities,
    pub(crate) instructions: Option<String>,
}

/// A listener of the initialize era: what it takes, and where it goes.
pub(crate) type Listener = Arc<dyn Fn(&str, &Object) + Send + Sync>;

pub(crate) struct Core {
    pub(crate) settings: Settings,
    pub(crate) transport: Box<dyn Transport>,
    pub(crate) catalog: Catalog,
    ids: AtomicI64,
    peer: Mutex<Option<Arc<Peer>>>,
    /// What the server spoke when it was asked last.
    spoken: Mutex<Option<&'static Spoken>>,
    /// Holds one token: who has it may negotiate.
    turn: (Sender<()>, Receiver<()>),
    closed: Cancel,
    workers: Pool,
    /// Requests of the server that are being answered.
    answering: AtomicUsize,
    /// When the last of them was.
    answered: Mutex<Option<Instant>>,
    listeners: Mutex<Vec<(RequestId, Listener)>>,
    own: Weak<Core>,
}

/// The right to negotiate; it goes back when this is dropped.
pub(crate) struct Turn(Sender<()>);

impl Drop for Turn {
    fn drop(&mut self) {
        let _ = self.0.try_send(());
    }
}

impl Core {
    pub(crate) fn new(settings: Settings, transport: Box<dyn Transport>) -> Arc<Core> {
        let turn = bounded(1);
        let _ = turn.0.try_send(());
        let workers = Pool::new("mcp-client", settings.limits.server_requests);
        let core = Arc::new_cyclic(|own| Core {
            settings,
            transport,
            catalog: Catalog::default(),
            ids: AtomicI64::new(1),
            peer: Mutex::new(None),
            spoken: Mutex::new(None),
            turn,
            closed: Cancel::new(),
            workers,
            answering: AtomicUsize::new(0),
            answered: Mutex::new(None),
            listeners: Mutex::default(),
            own: Weak::clone(own),
        });
        let ears: Weak<dyn Ears> = core.own.clone();
        core.transport.attach(ears);
        core
    }

    /// An id that no request of this client had before.
    pub(crate) fn next_id(&self) -> RequestId {
        RequestId::Int(self.ids.fetch_add(1, Ordering::Relaxed))
    }

    pub(crate) fn closed(&self) -> bool {
        self.closed.cancelled()
    }

    /// Fires when the client is closed.
    pub(crate) fn closing(&self) -> &Cancel {
        &self.closed
    }

    /// What is known of the server; `None` before the first call and after its process has ended.
    pub(crate) fn peer(&self) -> Option<Arc<Peer>> {
        lock(&self.peer).clone()
    }

    pub(crate) fn know(&self, peer: Arc<Peer>) {
        *lock(&self.spoken) = Some(peer.spoken);
        *lock(&self.peer) = Some(peer);
    }

    /// The revision of a session that is over: the next one need not be looked for.
    pub(crate) fn spoke(&self) -> Option<&'static Spoken> {
        *lock(&self.spoken)
    }

    /// Forgets which revision the server spoke.
    pub(crate) fn unlearn(&self) {
        *lock(&self.spoken) = None;
    }

    /// Forgets this peer, unless another is known already. What was subscribed in its session is over.
    pub(crate) fn forget(&self, peer: &Arc<Peer>) {
        let mut known = lock(&self.peer);
        let same = known.as_ref().is_some_and(|known| Arc::ptr_eq(known, peer));
        if same {
            *known = None;
        }
        drop(known);
        if same {
            lock(&self.listeners).clear();
        }
    }

    /// Waits for the right to negotiate.
    pub(crate) fn turn(&self, wait: &Wait<'_>) -> Result<Turn, Error> {
        let left = wait.left()?.unwrap_or(Duration::MAX);
        select! {
            recv(self.turn.1) -> _ => Ok(Turn(self.turn.0.clone())),
            recv(wait.cancel.channel()) -> _ => Err(Error::Cancelled),
            recv(self.closed.channel()) -> _ => Err(Error::Cancelled),
            default(left) => Err(wait.over()),
        }
    }

    /// The fields that every message of an era carries.
    pub(crate) fn fields(&self, peer: &Peer) -> Vec<(String, String)> {
        let mut fields = self.settings.fields.clone();
        if self.transport.has_headers() {
            fields.push(("mcp-protocol-version".to_owned(), peer.version.to_owned()));
            fields.extend(peer.session.clone().map(|session| ("mcp-session-id".to_owned(), session)));
        }
        fields
    }

    /// Whether a call has reason to wait although the server is silent: the user is being asked, or was not long ago.
    pub(crate) fn user_is_asked(&self, timeout: Duration) -> bool {
        let lately = lock(&self.answered).is_some_and(|answered| answered.elapsed() < timeout);
        lately || self.answering.load(Ordering::Acquire) > 0
    }

    /// A request of the server. Answered in the initialize era; in the stateless one there is none.
    pub(crate) fn asked(&self, id: RequestId, method: String, params: Option<Box<RawValue>>) {
        let peer = self.peer();
        if peer.as_ref().is_some_and(|peer| peer.spoken.stateless) {
            return self.problem(Problem::Skipped(format!("the request {method} of a server, which may send none")));
        }
        let Some(core) = self.own.upgrade() else { return };
        self.answering.fetch_add(1, Ordering::AcqRel);
        let job: Job = {
            let (id, core) = (id.clone(), Arc::clone(&core));
            Box::new(move || {
                let answer = core.settings.handlers.answer_request(&method, params.as_deref());
                core.answer(&Outgoing::response(&id, &answer));
            })
        };
        if self.workers.run(job).is_err() {
            let refusal = Err(inputs::too_many());
            // on this thread, since there is no other: it waits for no user
            core.answer(&Outgoing::response(&id, &refusal));
        }
    }

    fn answer(&self, message: &Outgoing) {
        *lock(&self.answered) = Some(Instant::now());
        self.answering.fetch_sub(1, Ordering::AcqRel);
        let mut message = message.clone();
        if let Some(peer) = self.peer() {
            message.fields = self.fields(&peer);
        }
        if let Err(error) = self.transport.tell(&message, &self.brief(&Cancel::new())) {
            self.problem(Problem::Lenient(format!("an answer did not get to the server: {error}")));
        }
    }

    /// The wait for something that is said in passing.
    pub(crate) fn brief<'c>(&self, cancel: &'c Cancel) -> Wait<'c> {
        Wait::new(self.settings.limits.write_timeout, "room for a message", cancel)
    }

    /// A notification that no call has taken.
    pub(crate) fn noted(&self, method: &str, params: &Object) {
        if let Some(cache) = &self.settings.cache {
            cache.noted(method, params);
        }
        if method == "notifications/message" {
            match (&self.settings.log, LogMessage::read(params)) {
                (Some((level, hear)), Ok(message)) if message.level >= *level => self.settings.tell(|| hear(&message)),
                (_, Err(problem)) => self.problem(problem),
                _ => {}
            }
        }
        let listeners: Vec<Listener> = lock(&self.listeners).iter().map(|(_, listener)| Arc::clone(listener)).collect();
        for listener in listeners {
            listener(method, params);
        }
        if let Some(hear) = &self.settings.on_notification {
            self.settings.tell(|| hear(method, params));
        }
    }

    /// Adds a listener of the initialize era, where all of a connection hear the same.
    pub(crate) fn add_listener(&self, id: RequestId, listener: Listener) {
        lock(&self.listeners).push((id, listener));
    }

    pub(crate) fn remove_listener(&self, id: &RequestId) {
        lock(&self.listeners).retain(|(other, _)| other != id);
    }

    /// Ends all: the session, where there is one, and the transport.
    pub(crate) fn close(&self) {
        if self.closed.cancelled() {
            return;
        }
        self.closed.cancel();
        let peer = lock(&self.peer).take();
        if let Some(peer) = peer.filter(|peer| peer.session.is_some()) {
            self.transport.end_session(&self.fields(&peer), &self.brief(&Cancel::new()));
        }
        self.transport.close();
        lock(&self.listeners).clear();
    }
}

impl Ears for Core {
    fn hear(&self, message: Incoming) {
        match message {
            Incoming::Notification { method, params } => self.noted(&method, &params),
            Incoming::Request { id, method, params } => self.asked(id, method, params),
            Incoming::Broken { error, .. } => self.problem(Problem::Skipped(error.to_string())),
            Incoming::Response(_) => self.problem(Problem::Unasked("a response that no call waits for".to_owned())),
        }
    }

    fn problem(&self, problem: Problem) {
        self.settings.problem(&problem);
    }

    fn stderr(&self, line: &str) {
        if let Some(hear) = &self.settings.on_stderr {
            self.settings.tell(|| hear(line));
        }
    }

    fn lost(&self) {
        *lock(&self.peer) = None;
        self.unlearn();
        lock(&self.listeners).clear();
    }
}
