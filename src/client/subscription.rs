//! §11 Subscriptions: what changes at the server, as it happens.
//! Law: an end that the server announced is told from one that it did not.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};

use super::cancel::Cancel;
use super::change::Change;
use super::connect;
use super::core::{Core, Peer};
use super::error::Error;
use super::handle::Handle;
use super::message::{Incoming, Outgoing};
use super::old_listen::OldListen;
use super::options::Options;
use super::post;
use super::rounds::{fields, meta};
use super::transport::Flow;
use super::wait::Wait;
use crate::envelope::Object;
use crate::types::wire::SubscriptionFilter;

/// A subscription that has not been opened yet: what it is for.
#[must_use = "nothing is sent before `open`"]
pub struct Listen<'a> {
    handle: &'a Arc<Handle>,
    filter: SubscriptionFilter,
    cancel: Cancel,
    timeout: Option<Duration>,
}

/// An open subscription (§11). Dropping it, or [`close`](Subscription::close), ends it and tells the server.
pub struct Subscription {
    handle: Arc<Handle>,
    granted: SubscriptionFilter,
    cancel: Cancel,
    source: Source,
    over: bool,
}

/// Where the changes come from.
enum Source {
    /// `subscriptions/listen`.
    Stream { flow: Option<Box<dyn Flow>>, request: Outgoing, peer: Arc<Peer> },
    /// What a server of the initialize era sends to everyone who has shaken its hand.
    Old(OldListen),
}

impl<'a> Listen<'a> {
    pub(crate) fn new(handle: &'a Arc<Handle>) -> Listen<'a> {
        let filter = SubscriptionFilter {
            tools_list_changed: None,
            prompts_list_changed: None,
            resources_list_changed: None,
            resource_subscriptions: None,
        };
        Listen { handle, filter, cancel: Cancel::new(), timeout: None }
    }

    /// Asks for changes of the list of tools.
    pub fn tools(mut self) -> Listen<'a> {
        self.filter.tools_list_changed = Some(true);
        self
    }

    /// Asks for changes of the list of prompts.
    pub fn prompts(mut self) -> Listen<'a> {
        self.filter.prompts_list_changed = Some(true);
        self
    }

    /// Asks for changes of the lists of resources and templates.
    pub fn resources(mut self) -> Listen<'a> {
        self.filter.resources_list_changed = Some(true);
        self
    }

    /// Asks for changes of one resource.
    pub fn resource(mut self, uri: impl Into<String>) -> Listen<'a> {
        self.filter.resource_subscriptions.get_or_insert_with(Vec::new).push(uri.into());
        self
    }

    /// Gives a handle that can end the subscription from another thread.
    pub fn cancel(mut self, cancel: &Cancel) -> Listen<'a> {
        self.cancel = cancel.clone();
        self
    }

    /// How long the acknowledgement may take: [`ClientLimits::timeout`](super::ClientLimits::timeout) by default.
    pub fn timeout(mut self, timeout: Duration) -> Listen<'a> {
        self.timeout = Some(timeout);
        self
    }

    /// Opens it, and waits until the server has said what it grants.
    ///
    /// With a server of the initialize era it is `resources/subscribe` for each URI, and what such a server sends unasked.
    ///
    /// # Errors
    /// Every [`Error`].
    pub fn open(self) -> Result<Subscription, Error> {
        let core = &self.handle.0;
        let peer = connect::peer(core, &self.cancel)?;
        let limit = self.timeout.unwrap_or(core.settings.limits.timeout);
        let wait = Wait::new(limit, "acknowledgement", &self.cancel);
        let (granted, source) = if peer.spoken.stateless {
            open_stream(core, peer, &self.filter, &wait)?
        } else {
            let (granted, old) = OldListen::open(core, &peer, &self.filter, &self.cancel)?;
            (granted, Source::Old(old))
        };
        Ok(Subscription { handle: Arc::clone(self.handle), granted, cancel: self.cancel, source, over: false })
    }
}

/// `subscriptions/listen`, up to the acknowledgement.
fn open_stream(
    core: &Arc<Core>,
    peer: Arc<Peer>,
    filter: &SubscriptionFilter,
    wait: &Wait<'_>,
) -> Result<(SubscriptionFilter, Source), Error> {
    let id = core.next_id();
    let mut params = Object::new();
    params.insert("notifications".to_owned(), json!(filter));
    let fields = fields(core, &peer, "subscriptions/listen", &params);
    params.insert("_meta".to_owned(), Value::Object(meta(core, &peer, &id, &Options::default())));
    let mut request = Outgoing::request(id, "subscriptions/listen", params);
    request.fields = fields;
    request.repeatable = true;
    let begun = acknowledged(core, &request, wait);
    if let Err(error @ (Error::Timeout { .. } | Error::Cancelled)) = &begun {
        post::give_up(core, Some(&peer), &request, error);
    }
    let (flow, granted) = begun?;
    Ok((granted, Source::Stream { flow: Some(flow), request, peer }))
}

fn acknowledged(
    core: &Arc<Core>,
    request: &Outgoing,
    wait: &Wait<'_>,
) -> Result<(Box<dyn Flow>, SubscriptionFilter), Error> {
    let mut opened = core.transport.open(request, wait)?;
    loop {
        match opened.flow.next(wait)? {
            Incoming::Notification { method, params } if method == "notifications/subscriptions/acknowledged" => {
                let granted = params.get("notifications").unwrap_or(&Value::Null);
                let granted = SubscriptionFilter::deserialize(granted)
                    .map_err(|_| Error::protocol("an acknowledgement without the filter that is granted"))?;
                return Ok((opened.flow, granted));
            }
            Incoming::Notification { method, params } => core.noted(&method, &params),
            Incoming::Request { id, method, params } => core.asked(id, method, params),
            Incoming::Broken { error, .. } => return Err(error),
            Incoming::Response(reply) => {
                reply.outcome?;
                return Err(Error::protocol("a subscription that ended before it was acknowledged"));
            }
        }
    }
}

impl Subscription {
    /// What the server grants; it may be less than what was asked for.
    pub fn granted(&self) -> &SubscriptionFilter {
        &self.granted
    }

    /// A handle that ends the subscription from another thread.
    pub fn closer(&self) -> Cancel {
        self.cancel.clone()
    }

    /// Waits for the next change. `None`: the server has ended the subscription, as it should.
    ///
    /// # Errors
    /// [`Error::Cancelled`]: it was ended from this side. Else it broke, and what changed since is not known.
    pub fn next_change(&mut self) -> Result<Option<Change>, Error> {
        let cancel = self.cancel.clone();
        self.wait(&Wait::endless("change", &cancel))
    }

    /// The same, but waits only so long.
    ///
    /// # Errors
    /// [`Error::Timeout`]: nothing has changed; the subscription goes on. Else as [`next_change`](Subscription::next_change).
    pub fn next_within(&mut self, limit: Duration) -> Result<Option<Change>, Error> {
        let cancel = self.cancel.clone();
        self.wait(&Wait::new(limit, "change", &cancel))
    }

    /// Ends the subscription and tells the server.
    pub fn close(self) {
        drop(self);
    }

    fn wait(&mut self, wait: &Wait<'_>) -> Result<Option<Change>, Error> {
        if self.over {
            return Ok(None);
        }
        let core = &self.handle.0;
        let outcome = match &mut self.source {
            Source::Stream { flow: Some(flow), .. } => stream(core, &mut **flow, wait),
            Source::Stream { flow: None, .. } => Ok(None),
            Source::Old(old) => old.next(core, wait).map(Some),
        };
        match outcome {
            Err(Error::Transport { .. }) if core.closed() => {
                self.over = true;
                Err(Error::Cancelled)
            }
            Ok(None) => {
                self.over = true;
                if let Source::Stream { flow, .. } = &mut self.source {
                    *flow = None;
                }
                Ok(None)
            }
            outcome => outcome,
        }
    }
}

/// The next change on the stream; `None` at its result.
fn stream(core: &Arc<Core>, flow: &mut dyn Flow, wait: &Wait<'_>) -> Result<Option<Change>, Error> {
    loop {
        match flow.next(wait)? {
            Incoming::Notification { method, params } => {
                let change = Change::read(&method, &params);
                core.noted(&method, &params);
                if change.is_some() {
                    return Ok(change);
                }
            }
            Incoming::Request { id, method, params } => core.asked(id, method, params),
            Incoming::Broken { error, .. } => return Err(error),
            Incoming::Response(reply) => return reply.outcome.map(|_| None).map_err(Error::Server),
        }
    }
}

/// The same without an end but the subscription's own: what [`next_change`](Subscription::next_change) gives, over after an error.
impl Iterator for Subscription {
    type Item = Result<Change, Error>;

    fn next(&mut self) -> Option<Result<Change, Error>> {
        let change = self.next_change().transpose();
        self.over |= matches!(change, Some(Err(_)));
        change
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        let core = &self.handle.0;
        match &mut self.source {
            // a stream that is over is told to nobody
            Source::Stream { .. } if self.over => {}
            Source::Stream { flow, request, peer } => {
                *flow = None;
                post::give_up(core, Some(peer), request, &Error::Cancelled);
            }
            Source::Old(old) => old.close(core),
        }
    }
}

impl fmt::Debug for Subscription {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Subscription").field("granted", &self.granted).finish_non_exhaustive()
    }
}

impl fmt::Debug for Listen<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_tuple("Listen").field(&self.filter).finish()
    }
}
