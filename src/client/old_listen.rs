//! §15 Subscriptions with a server of the initialize era: `resources/subscribe` for each URI, and what it sends unasked.
//! Law: a change that waits already is not put in the queue a second time, so that the queue has a bound.

use std::sync::{Arc, Mutex};

use crossbeam_channel::{Receiver, bounded, select};
use serde_json::Value;

use super::cancel::Cancel;
use super::change::Change;
use super::core::{Core, Peer};
use super::error::Error;
use super::options::Options;
use super::rounds::{Plan, complete};
use super::transport::Problem;
use super::wait::Wait;
use crate::envelope::{Object, RequestId};
use crate::lock;
use crate::types::wire::SubscriptionFilter;
use std::time::Duration;

/// An open subscription.
pub(crate) struct OldListen {
    id: RequestId,
    uris: Vec<String>,
    waiting: Arc<Mutex<Vec<Change>>>,
    /// Ready when something waits; disconnected when the connection is gone.
    wake: Receiver<()>,
}

impl OldListen {
    /// Subscribes to what the server offers of the filter, which is what is granted.
    pub(crate) fn open(
        core: &Arc<Core>,
        peer: &Peer,
        filter: &SubscriptionFilter,
        cancel: &Cancel,
    ) -> Result<(SubscriptionFilter, OldListen), Error> {
        let granted = granted(peer, filter);
        let (waiting, (send, wake)) = (Arc::<Mutex<Vec<Change>>>::default(), bounded(1));
        let listener = {
            let (waiting, granted) = (Arc::clone(&waiting), granted.clone());
            move |method: &str, params: &Object| {
                let Some(change) = Change::read(method, params).filter(|change| wants(&granted, change)) else {
                    return;
                };
                let mut waiting = lock(&waiting);
                if !waiting.contains(&change) {
                    waiting.push(change);
                }
                let _ = send.try_send(()); // one is enough
            }
        };
        let id = core.next_id();
        core.add_listener(id.clone(), Arc::new(listener));
        let mut old = OldListen { id, uris: Vec::new(), waiting, wake };
        for uri in granted.resource_subscriptions.iter().flatten() {
            if let Err(error) = ask(core, "resources/subscribe", uri, cancel, None) {
                old.close(core);
                return Err(error);
            }
            old.uris.push(uri.clone());
        }
        Ok((granted, old))
    }

    /// The next change.
    pub(crate) fn next(&mut self, core: &Core, wait: &Wait<'_>) -> Result<Change, Error> {
        loop {
            let left = wait.left()?.unwrap_or(Duration::MAX);
            {
                let mut waiting = lock(&self.waiting);
                if !waiting.is_empty() {
                    return Ok(waiting.remove(0));
                }
            }
            select! {
                recv(self.wake) -> woken => if woken.is_err() && lock(&self.waiting).is_empty() {
                    let closed = core.closed();
                    let cause = "the connection that it was on is gone".to_owned();
                    return Err(if closed { Error::Cancelled } else { Error::Transport { cause, sent: true } });
                },
                recv(wait.cancel.channel()) -> _ => return Err(Error::Cancelled),
                default(left) => return Err(wait.over()),
            }
        }
    }

    /// Takes all back, as far as the server lets it.
    pub(crate) fn close(&mut self, core: &Arc<Core>) {
        core.remove_listener(&self.id);
        for uri in std::mem::take(&mut self.uris) {
            if core.peer().is_none() {
                return; // whoever knew of it is gone
            }
            let limit = core.settings.limits.shutdown;
            if let Err(error) = ask(core, "resources/unsubscribe", &uri, &Cancel::new(), Some(limit)) {
                core.settings.problem(&Problem::Lenient(format!("resources/unsubscribe failed: {error}")));
            }
        }
    }
}

fn ask(core: &Arc<Core>, method: &str, uri: &str, cancel: &Cancel, limit: Option<Duration>) -> Result<(), Error> {
    let mut params = Object::new();
    params.insert("uri".to_owned(), Value::from(uri));
    let mut options = Options { cancel: cancel.clone(), timeout: limit, ..Options::default() };
    complete(core, &Plan::new(method, params), &mut options).map(drop)
}

/// What of the filter the server offers.
fn granted(peer: &Peer, filter: &SubscriptionFilter) -> SubscriptionFilter {
    let offered = &peer.capabilities;
    let listed = |asked: Option<bool>, offered: Option<bool>| asked.filter(|asked| *asked && offered == Some(true));
    let resources = offered.resources;
    SubscriptionFilter {
        tools_list_changed: listed(filter.tools_list_changed, offered.tools.and_then(|tools| tools.list_changed)),
        prompts_list_changed: listed(filter.prompts_list_changed, offered.prompts.and_then(|it| it.list_changed)),
        resources_list_changed: listed(filter.resources_list_changed, resources.and_then(|it| it.list_changed)),
        resource_subscriptions: filter
            .resource_subscriptions
            .clone()
            .filter(|_| resources.and_then(|resources| resources.subscribe) == Some(true)),
    }
}

fn wants(granted: &SubscriptionFilter, change: &Change) -> bool {
    match change {
        Change::Tools => granted.tools_list_changed == Some(true),
        Change::Prompts => granted.prompts_list_changed == Some(true),
        Change::Resources => granted.resources_list_changed == Some(true),
        Change::Resource(uri) => granted.resource_subscriptions.iter().flatten().any(|granted| granted == uri),
    }
}
