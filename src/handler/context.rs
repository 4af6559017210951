//! What a handler knows of its request, and what it can do while it runs.
//! Law: nothing here names a transport.
//! Law: a dropped progress value or log message is never an error in the handler; a peer that is gone cancels.

use std::sync::Mutex;

use serde::Serialize;
use serde_json::Value;

use crate::arrival::{Principal, RequestHead, Via};
use crate::cancellation::CancelToken;
use crate::envelope::{Notification, Object, RequestId};
use crate::handler::Interrupt;
use crate::handler::shared::Shared;
use crate::lock;
use crate::meta::RequestMeta;
use crate::mrtr::Carried;
use crate::mrtr::capability::Need;
use crate::mrtr::retry::Retry;
use crate::results::Shape;
use crate::sink::Sink;
use crate::subscriptions::Topic;
use crate::types::Level;
use crate::{logging, progress};

/// One request, as its handler sees it. It can be shared with scoped threads of the handler's own.
pub struct Context<'a> {
    pub(crate) shared: &'a Shared,
    pub(crate) version: &'static str,
    /// How the dialect shapes results: for lists, which are shaped once and kept.
    pub(crate) shape: Shape,
    pub(crate) id: &'a RequestId,
    pub(crate) method: &'a str,
    pub(crate) params: &'a Object,
    pub(crate) meta: &'a RequestMeta,
    pub(crate) retry: &'a Retry,
    /// What an earlier round sealed into `requestState`.
    pub(crate) carried: Carried,
    pub(crate) principal: Option<&'a Principal>,
    pub(crate) via: Via<'a>,
    pub(crate) sink: &'a dyn Sink,
    pub(crate) cancel: &'a CancelToken,
    pub(crate) ending: Option<&'a CancelToken>,
    pub(crate) progress: Mutex<progress::Gate>,
    /// What goes along with the next `input_required`.
    pub(crate) keep: Mutex<Carried>,
}

/// What the request is about.
impl Context<'_> {
    /// The request's id.
    pub fn request_id(&self) -> &RequestId {
        self.id
    }

    /// The request's `_meta` (§2): version, client, capabilities, and in `raw` every key as sent.
    pub fn meta(&self) -> &RequestMeta {
        self.meta
    }

    /// Who is calling, where the transport has an authenticator.
    pub fn principal(&self) -> Option<&Principal> {
        self.principal
    }

    /// The head of the HTTP request, where it came by HTTP.
    pub fn http_head(&self) -> Option<&RequestHead> {
        match self.via {
            Via::Http(head) => Some(head),
            Via::Direct | Via::Stdio => None,
        }
    }

    /// Whether the client declared, in this request, that it can be asked for this (§10.2).
    // req 10.2-7
    pub fn supports(&self, need: Need) -> bool {
        need.met_by(&self.meta.capabilities)
    }

    /// The value of another argument that the user has filled in already, in a completion (§5.6).
    // req 5.6-11
    pub fn resolved(&self, argument: &str) -> Option<&str> {
        self.params.get("context")?.get("arguments")?.get(argument)?.as_str()
    }
}

/// Progress, logs and cancellation.
impl Context<'_> {
    /// Reports progress (§8.2), if the request gave a token. Values must increase; what does not, and what is over the caps of
    /// [`Limits`](crate::Limits), is dropped. An empty message is left out.
    pub fn progress(&self, progress: f64, total: Option<f64>, message: &str) {
        // req 8.2-1
        let Some(token) = &self.meta.progress_token else { return };
        // req 8.2-3: held while it is sent, or of two threads of a handler one could overtake the other; nobody else waits for it
        let mut gate = lock(&self.progress);
        if let Some(note) = gate.step(token, progress, total, message, &self.shared.limits) {
            self.send(&note);
        }
    }

    /// Sends a log message (§8.1), if the request asked for its level. An empty logger is left out.
    pub fn log(&self, level: Level, logger: &str, data: impl Serialize) {
        if !self.shared.offer.logging || self.meta.log_level.is_none() {
            return;
        }
        let data = serde_json::to_value(data).unwrap_or(Value::Null);
        if let Some(note) = logging::frame(self.meta.log_level, level, logger, data) {
            self.send(&note);
        }
    }

    fn send(&self, note: &Notification) {
        // req 8.1-6 8.2-6: by the stream of this request, and before its answer, which is made when the handler has returned
        if !self.cancelled() {
            let _gone = self.sink.send(note); // a transport whose peer is gone cancels the token itself
        }
    }

    /// Whether the request has been cancelled (§9).
    pub fn cancelled(&self) -> bool {
        self.cancel.cancelled()
    }

    /// Leaves the handler if the request has been cancelled: `cx.check()?`.
    pub fn check(&self) -> Result<(), Interrupt> {
        if self.cancelled() { Err(Interrupt::Cancelled) } else { Ok(()) }
    }

    /// The token itself, for waiting on several channels at once.
    pub fn cancel_token(&self) -> &CancelToken {
        self.cancel
    }
}

/// Telling the listeners (§11). A change of the catalog by [`Server::edit`](crate::Server::edit) tells them by itself.
impl Context<'_> {
    /// The list of tools has changed.
    pub fn tools_changed(&self) {
        self.shared.hub.publish(&Topic::Tools);
    }

    /// The list of prompts has changed.
    pub fn prompts_changed(&self) {
        self.shared.hub.publish(&Topic::Prompts);
    }

    /// The list of resources has changed.
    pub fn resources_changed(&self) {
        self.shared.hub.publish(&Topic::Resources);
    }

    /// The resource has changed.
    pub fn resource_updated(&self, uri: &str) {
        self.shared.hub.publish(&Topic::updated(uri));
    }

    /// A part of the resource `whole` has changed: those who subscribed to either are told of the part.
    pub fn resource_part_updated(&self, part: &str, whole: &str) {
        self.shared.hub.publish_part(part, whole);
    }
}
