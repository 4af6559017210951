//! §11 subscriptions/listen.
//! Law: the acknowledgement is the first message of a stream; registration comes before it and delivery after it, so that
//! nothing is lost and nothing precedes it.
//! Law: every notification of a stream carries the id of the listen request, with its JSON type.
//! Law: a stream that the server ends is ended by the result of the listen request (D8); one that the client ended gets
//! nothing more.

pub mod filter;
pub mod hub;

use std::sync::Arc;
use std::time::Duration;

use crossbeam_channel::select;
use serde_json::Value;

use crate::cancellation::CancelToken;
use crate::envelope::{Notification, Object, RequestId};
use crate::errors::Fault;
use crate::meta::SUBSCRIPTION_ID;
use crate::sink::{Gone, Sink};
pub use crate::subscriptions::filter::{Filter, Offered, RULES, Topic};
pub use crate::subscriptions::hub::{Hub, HubLimits, Subscription};

/// How a stream ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// By the client: nothing more is sent.
    Cancelled,
    /// The client is gone or does not read: nothing more can be sent.
    Gone,
    /// By the server, because it shuts down or had more to tell than it keeps: the result of the request is sent.
    Finished,
}

/// Registers a stream; with more than [`HubLimits::streams`] of them the fault is -32600, over HTTP with status 503 (§11).
pub fn subscribe(hub: &Hub, filter: Filter) -> Result<Subscription, Fault> {
    hub.register(filter).ok_or_else(|| filter::TOO_MANY_STREAMS.fault())
}

/// Serves a registered stream until it ends: acknowledges it, then sends what is published, and a sign of life whenever
/// nothing was sent for `keepalive` (zero: never). Waits on the calling thread.
pub fn stream(
    subscription: &Subscription,
    id: &RequestId,
    sink: &dyn Sink,
    cancel: &CancelToken,
    keepalive: Duration,
) -> Ended {
    if cancel.cancelled() {
        return Ended::Cancelled;
    }
    // req 11-6 11-17: the stream is registered already, so that what changes meanwhile waits for it
    if sink.send(&acknowledged(subscription.filter(), id)).is_err() {
        return Ended::Gone;
    }
    if let Some(outlet) = sink.outlet() {
        let id = id.clone();
        subscription.tell_at_once(Arc::new(move |topic| outlet.offer(&event(topic, &id))));
    }
    let keepalive = if keepalive.is_zero() { Duration::MAX } else { keepalive };
    loop {
        let next = select! {
            recv(cancel.channel()) -> _ => return Ended::Cancelled,
            recv(subscription.woken()) -> _ => deliver(subscription, id, sink, cancel),
            recv(subscription.shutdown()) -> _ => deliver(subscription, id, sink, cancel).or(Some(Ended::Finished)),
            recv(subscription.ending()) -> _ => deliver(subscription, id, sink, cancel).or(Some(Ended::Finished)),
            // req 11-14
            default(keepalive) => sink.keep_alive().err().map(|Gone| Ended::Gone),
        };
        if let Some(ended) = next {
            return ended;
        }
    }
}

/// Sends what is pending; says how the stream ended, if it did.
fn deliver(subscription: &Subscription, id: &RequestId, sink: &dyn Sink, cancel: &CancelToken) -> Option<Ended> {
    let pending = subscription.take();
    for topic in &pending.topics {
        if cancel.cancelled() {
            return Some(Ended::Cancelled);
        }
        if sink.send(&event(topic, id)).is_err() {
            return Some(Ended::Gone);
        }
    }
    if cancel.cancelled() {
        return Some(Ended::Cancelled);
    }
    if sink.flush().is_err() {
        return Some(Ended::Gone);
    }
    pending.overflow.then_some(Ended::Finished)
}

/// The first message of a stream: what is granted.
pub fn acknowledged(filter: &Filter, id: &RequestId) -> Notification {
    let mut params = stamped(id);
    params.insert("notifications".to_owned(), filter.to_value());
    Notification { method: "notifications/subscriptions/acknowledged".to_owned(), params }
}

/// The notification about a topic, as the stream `id` carries it.
// req 11-10
pub fn event(topic: &Topic, id: &RequestId) -> Notification {
    let mut params = stamped(id);
    let method = match topic {
        Topic::Tools => "notifications/tools/list_changed",
        Topic::Prompts => "notifications/prompts/list_changed",
        Topic::Resources => "notifications/resources/list_changed",
        Topic::Updated(uri) => {
            params.insert("uri".to_owned(), Value::from(&**uri));
            "notifications/resources/updated"
        }
    };
    Notification { method: method.to_owned(), params }
}

/// The `_meta` of everything that belongs to the stream `id`, also of its result.
// req 11-9 11-12
pub fn stream_meta(id: &RequestId) -> Object {
    member(SUBSCRIPTION_ID, id.to_value())
}

fn stamped(id: &RequestId) -> Object {
    member("_meta", Value::Object(stream_meta(id)))
}

/// An object of one member. Collecting it would take more stack than all else that a stream does.
fn member(name: &str, value: Value) -> Object {
    let mut object = Object::new();
    object.insert(name.to_owned(), value);
    object
}
