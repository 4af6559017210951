//! §11 The hub and the listen loop.

use crate::kit::Soon;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender, bounded, unbounded};
use plain_mcp::cancellation::cancellation;
use plain_mcp::envelope::{Notification, Object, RequestId};
use plain_mcp::sink::{Collect, Gone, Offered, Outlet, Sink};
use plain_mcp::subscriptions::hub::Teller;
use plain_mcp::subscriptions::{Ended, Filter, Hub, HubLimits, Subscription, Topic, stream, subscribe};
use serde_json::json;

const LIMITS: HubLimits = HubLimits { streams: 3, pending: 5 };
/// Longer than any test: where it matters, the test would never end.
const NEVER: Duration = Duration::ZERO;
const ID: RequestId = RequestId::Int(9);

fn filter(notifications: serde_json::Value) -> Filter {
    Filter::read(&Object::from_iter([("notifications".to_owned(), notifications)]), 1000).unwrap()
}

fn all() -> Filter {
    filter(json!({"toolsListChanged": true, "promptsListChanged": true, "resourcesListChanged": true,
        "resourceSubscriptions": ["t:a", "t:b"]}))
}

fn tools() -> Filter {
    filter(json!({"toolsListChanged": true}))
}

/// `acknowledged`, `tools/list_changed`, `resources/updated t:a`, …
fn name(note: &Notification) -> String {
    assert_eq!(note.params["_meta"], json!({"io.modelcontextprotocol/subscriptionId": 9}));
    let method = note.method.trim_start_matches("notifications/").trim_start_matches("subscriptions/");
    match note.params.get("uri") {
        Some(uri) => format!("{method} {}", uri.as_str().unwrap()),
        None => method.to_owned(),
    }
}

/// Hands each message over and waits until it is taken, as a slow reader makes a transport wait.
struct Handover(Sender<String>);

impl Sink for Handover {
    fn send(&self, note: &Notification) -> Result<(), Gone> {
        self.0.send(name(note)).map_err(|_| Gone)
    }

    fn keep_alive(&self) -> Result<(), Gone> {
        self.0.send("keepalive".to_owned()).map_err(|_| Gone)
    }
}

fn names(collect: &Collect) -> Vec<String> {
    collect.take().iter().map(name).collect()
}

/// Listens on a thread of its own while `test` has the other end.
fn listening(subscription: Subscription, keepalive: Duration, test: impl FnOnce(&Receiver<String>)) -> Ended {
    let (sender, receiver) = bounded(0);
    let (_source, token) = cancellation();
    thread::scope(|scope| {
        let token = &token;
        let listener = scope.spawn(move || stream(&subscription, &ID, &Handover(sender), token, keepalive));
        test(&receiver);
        drop(receiver);
        listener.join().unwrap()
    })
}

#[test]
fn acknowledged_first_and_nothing_lost() {
    covers!("11-6", "11-17");
    // What happens between registration and acknowledgement comes after the latter
    let hub = Hub::new(LIMITS);
    let subscription = hub.register(tools()).unwrap();
    hub.publish(&Topic::Tools);
    hub.publish(&Topic::Prompts);
    hub.shut_down();
    let (_source, token) = cancellation();
    let sink = Collect::default();
    assert_eq!(stream(&subscription, &ID, &sink, &token, NEVER), Ended::Finished);
    assert_eq!(names(&sink), ["acknowledged", "tools/list_changed"]);
}

#[test]
fn coalesced_in_the_order_of_the_first() {
    let hub = Hub::new(LIMITS);
    let subscription = hub.register(all()).unwrap();
    for _ in 0..1000 {
        for topic in [Topic::updated("t:b"), Topic::Tools, Topic::updated("t:c"), Topic::updated("t:a"), Topic::Tools] {
            hub.publish(&topic);
        }
    }
    let pending = subscription.take();
    assert_eq!(pending.topics, [Topic::updated("t:b"), Topic::Tools, Topic::updated("t:a")]);
    assert!(!pending.overflow);
    assert!(subscription.take().topics.is_empty());
    hub.publish(&Topic::Tools);
    assert_eq!(subscription.take().topics, [Topic::Tools], "what was taken can become pending again");
}

#[test]
fn a_part_of_a_resource() {
    covers!("11-10");
    let hub = Hub::new(LIMITS);
    let (whole, other) =
        (hub.register(all()).unwrap(), hub.register(filter(json!({"resourceSubscriptions": ["t:z"]}))).unwrap());
    hub.publish(&Topic::updated("t:a/b"));
    assert!(whole.take().topics.is_empty(), "URIs are not compared by their parts");
    hub.publish_part("t:a/b", "t:a");
    hub.publish_part("t:b", "t:x");
    assert_eq!(whole.take().topics, [Topic::updated("t:a/b"), Topic::updated("t:b")]);
    assert!(other.take().topics.is_empty());
}

#[test]
fn more_than_can_be_kept_ends_the_stream() {
    covers!("11-16");
    let hub = Hub::new(LIMITS);
    let subscription = hub.register(all()).unwrap();
    for part in 0..100 {
        hub.publish_part(&format!("t:a/{part}"), "t:a");
    }
    let (_source, token) = cancellation();
    let sink = Collect::default();
    assert_eq!(stream(&subscription, &ID, &sink, &token, NEVER), Ended::Finished);
    let expected: Vec<String> = (0..5).map(|part| format!("resources/updated t:a/{part}")).collect();
    assert_eq!(names(&sink)[1..], expected);
}

#[test]
fn exactly_what_can_be_kept_does_not() {
    let hub = Hub::new(LIMITS);
    let subscription = hub.register(all()).unwrap();
    for _ in 0..2 {
        (0..5).for_each(|part| hub.publish_part(&format!("t:a/{part}"), "t:a"));
    }
    let pending = subscription.take();
    assert_eq!((pending.topics.len(), pending.overflow), (5, false));
}

#[test]
fn too_many_streams() {
    covers!("11-4");
    let hub = Hub::new(LIMITS);
    let mut open: Vec<Subscription> = (0..3).map(|_| hub.register(tools()).unwrap()).collect();
    let fault = subscribe(&hub, tools()).unwrap_err();
    assert_eq!((fault.code().number(), fault.message()), (-32600, "Too many open listen streams"));
    open.pop();
    assert!(subscribe(&hub, tools()).is_ok());
}

#[test]
fn a_dropped_subscription_leaves_nothing() {
    // Without any notification being sent.
    let hub = Hub::new(LIMITS);
    for _ in 0..1000 {
        let subscription = hub.register(all()).unwrap();
        assert_eq!(hub.listeners(), 1);
        drop(subscription);
    }
    assert_eq!(hub.listeners(), 0);
    hub.publish(&Topic::Tools);
}

#[test]
fn events_while_listening() {
    let hub = Hub::new(LIMITS);
    let ended = listening(hub.register(all()).unwrap(), NEVER, |events| {
        assert_eq!(events.soon(), "acknowledged");
        hub.publish(&Topic::Prompts);
        assert_eq!(events.soon(), "prompts/list_changed");
        hub.publish(&Topic::updated("t:b"));
        assert_eq!(events.soon(), "resources/updated t:b");
        hub.shut_down();
        assert!(events.is_over());
    });
    assert_eq!(ended, Ended::Finished);
    assert_eq!(hub.listeners(), 0);
}

#[test]
fn a_slow_reader_holds_nobody_up() {
    covers!("11-15");
    let hub = Hub::new(LIMITS);
    let (slow, quick) = (hub.register(all()).unwrap(), hub.register(tools()).unwrap());
    let ended = listening(slow, NEVER, |events| {
        // The listener stands in `send` of the acknowledgement all the while.
        (0..20_000).for_each(|_| hub.publish(&Topic::Tools));
        assert_eq!(quick.take().topics, [Topic::Tools]);
        assert_eq!(events.soon(), "acknowledged");
        assert_eq!(events.soon(), "tools/list_changed");
        hub.shut_down();
        assert!(events.is_over(), "20,000 publishes are one notification");
    });
    assert_eq!(ended, Ended::Finished);
}

#[test]
fn streams_do_not_mix() {
    covers!("11-18");
    let hub = Hub::new(LIMITS);
    let first = hub.register(tools()).unwrap();
    let second = hub.register(filter(json!({"resourceSubscriptions": ["t:a"]}))).unwrap();
    hub.publish(&Topic::Tools);
    hub.publish(&Topic::updated("t:a"));
    assert_eq!(first.take().topics, [Topic::Tools]);
    drop(first);
    assert_eq!(second.take().topics, [Topic::updated("t:a")]);
    hub.publish(&Topic::updated("t:a"));
    assert_eq!(second.take().topics, [Topic::updated("t:a")]);
}

#[test]
fn keepalive_when_silent() {
    let hub = Hub::new(LIMITS);
    let ended = listening(hub.register(tools()).unwrap(), Duration::from_millis(1), |events| {
        assert_eq!(events.soon(), "acknowledged");
        assert_eq!(events.soon(), "keepalive");
        assert_eq!(events.soon(), "keepalive");
        hub.publish(&Topic::Tools);
        while events.soon() != "tools/list_changed" {}
    });
    assert_eq!(ended, Ended::Gone, "the reader went away");
}

#[test]
fn gone() {
    struct Refuses(Mutex<usize>);
    impl Sink for Refuses {
        fn send(&self, _: &Notification) -> Result<(), Gone> {
            let mut left = self.0.lock().unwrap();
            *left = left.checked_sub(1).ok_or(Gone)?;
            Ok(())
        }
    }
    let hub = Hub::new(LIMITS);
    let (_source, token) = cancellation();
    let subscription = hub.register(tools()).unwrap();
    hub.publish(&Topic::Tools);
    for accepted in [0, 1] {
        assert_eq!(stream(&subscription, &ID, &Refuses(Mutex::new(accepted)), &token, NEVER), Ended::Gone);
    }
}

#[test]
fn cancelled_before_and_while() {
    let hub = Hub::new(LIMITS);
    let subscription = hub.register(tools()).unwrap();
    let (source, token) = cancellation();
    source.cancel();
    let sink = Collect::default();
    assert_eq!(stream(&subscription, &ID, &sink, &token, NEVER), Ended::Cancelled);
    assert!(names(&sink).is_empty());

    let (source, token) = cancellation();
    let (sender, events) = unbounded();
    thread::scope(|scope| {
        let listener = scope.spawn(|| stream(&subscription, &ID, &Handover(sender), &token, NEVER));
        assert_eq!(events.soon(), "acknowledged");
        source.cancel();
        assert_eq!(listener.join().unwrap(), Ended::Cancelled);
    });
}

#[test]
fn a_cancelled_stream_gets_nothing_more() {
    /// Cancels while its first message is being sent.
    struct Cancels(Mutex<Option<plain_mcp::cancellation::CancelSource>>, Collect);
    impl Sink for Cancels {
        fn send(&self, note: &Notification) -> Result<(), Gone> {
            self.0.lock().unwrap().take();
            self.1.send(note)
        }
    }
    let hub = Hub::new(LIMITS);
    let subscription = hub.register(all()).unwrap();
    hub.publish(&Topic::Tools);
    hub.shut_down();
    let (source, token) = cancellation();
    let sink = Cancels(Mutex::new(Some(source)), Collect::default());
    assert_eq!(stream(&subscription, &ID, &sink, &token, NEVER), Ended::Cancelled);
    assert_eq!(names(&sink.1), ["acknowledged"]);
}

#[test]
fn a_shut_hub_ends_new_streams_at_once() {
    let hub = Hub::new(LIMITS);
    hub.shut_down();
    hub.shut_down();
    let (_source, token) = cancellation();
    let sink = Collect::default();
    assert_eq!(stream(&hub.register(all()).unwrap(), &ID, &sink, &token, NEVER), Ended::Finished);
    assert_eq!(names(&sink), ["acknowledged"]);
}

/// Answers an offer as it is told to, and says which topics it was offered.
fn teller(answers: Vec<Offered>) -> (Teller, Receiver<Topic>) {
    let (sender, offered) = unbounded();
    let answers = Mutex::new(answers.into_iter());
    let teller = Arc::new(move |topic: &Topic| {
        sender.send(topic.clone()).unwrap();
        answers.lock().unwrap().next().unwrap()
    });
    (teller, offered)
}

#[test]
fn what_can_go_out_at_once_does() {
    covers!("11-15", "11-19");
    let hub = Hub::new(LIMITS);
    let subscription = hub.register(all()).unwrap();
    let (teller, offered) = teller(vec![Offered::Sent, Offered::Not, Offered::Sent, Offered::Partly]);
    subscription.tell_at_once(teller);
    hub.publish(&Topic::Tools);
    hub.publish(&Topic::updated("t:nobody"));
    assert_eq!(offered.soon(), Topic::Tools);
    assert!(subscription.woken().is_empty() && subscription.take().topics.is_empty(), "nobody was woken for it");

    hub.publish(&Topic::Prompts); // is not taken, and waits
    assert_eq!(offered.soon(), Topic::Prompts);
    hub.publish(&Topic::Tools); // behind it
    assert!(offered.is_empty(), "what comes later does not overtake");
    subscription.woken().soon();
    assert_eq!(subscription.take().topics, [Topic::Prompts, Topic::Tools]);

    hub.publish(&Topic::Prompts); // nothing waits any more
    assert_eq!(offered.soon(), Topic::Prompts);
    assert!(subscription.woken().is_empty());
    hub.publish(&Topic::Resources);
    subscription.woken().soon(); // to send the rest
    assert!(subscription.take().topics.is_empty(), "it was taken");
}

/// A sink with an outlet that takes nothing for a while.
struct TwoWays {
    through: Sender<String>,
    takes: Arc<AtomicBool>,
}

struct SecondWay {
    through: Sender<String>,
    takes: Arc<AtomicBool>,
}

impl Sink for TwoWays {
    fn send(&self, note: &Notification) -> Result<(), Gone> {
        self.through.send(name(note)).map_err(|_| Gone)
    }

    fn outlet(&self) -> Option<Arc<dyn Outlet>> {
        Some(Arc::new(SecondWay { through: self.through.clone(), takes: Arc::clone(&self.takes) }))
    }

    fn flush(&self) -> Result<(), Gone> {
        self.through.send("flush".to_owned()).map_err(|_| Gone)
    }
}

impl Outlet for SecondWay {
    fn offer(&self, note: &Notification) -> Offered {
        if !self.takes.load(Ordering::SeqCst) {
            return Offered::Not;
        }
        self.through.send(format!("at once: {}", name(note))).unwrap();
        Offered::Partly
    }
}

#[test]
fn both_ways_of_a_stream() {
    covers!("11-19");
    let hub = Hub::new(LIMITS);
    let subscription = hub.register(all()).unwrap();
    let (through, messages) = unbounded();
    let takes = Arc::new(AtomicBool::new(false));
    let sink = TwoWays { through, takes: Arc::clone(&takes) };
    let (_source, token) = cancellation();
    thread::scope(|scope| {
        let listener = scope.spawn(|| stream(&subscription, &ID, &sink, &token, NEVER));
        assert_eq!(messages.soon(), "acknowledged");
        hub.publish(&Topic::Tools);
        assert_eq!(messages.soon(), "tools/list_changed");
        assert_eq!(messages.soon(), "flush");
        takes.store(true, Ordering::SeqCst);
        hub.publish(&Topic::Prompts);
        assert_eq!(messages.soon(), "at once: prompts/list_changed");
        assert_eq!(messages.soon(), "flush", "the thread of the stream sends the rest");
        hub.shut_down();
        assert_eq!(listener.join().unwrap(), Ended::Finished);
    });
}
