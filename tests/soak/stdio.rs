//! A client over stdio: many requests at a time, each answered once, cancelled ones not any more.

use std::collections::{BTreeMap, VecDeque};
use std::io::Write;
use std::process::Stdio;
use std::sync::mpsc::RecvTimeoutError;

use serde_json::{Value, json};

use crate::ask::{Ask, SUBSCRIPTION};
use crate::counts::Counts;
use crate::loopback::PATIENCE;
use crate::methods::{self, Lists};
use crate::process::Fixture;
use crate::random::Random;
use crate::stage::ENVIRONMENT;
use crate::{rounds, tools};

/// So many requests are on their way at most: less than may run at a time.
const MOST: usize = 40;
/// So many of them run until they are cancelled.
const MOST_LONG: usize = 6;

pub struct Pipe {
    pub fixture: Fixture,
    pub random: Random,
    pub counts: Counts,
    serial: u64,
    /// By the text of their ids.
    pending: BTreeMap<String, Pending>,
    /// Those that only a cancel ends. None of them may ever be answered.
    long: Vec<Value>,
    /// Cancelled, by the text of their ids: they may have been answered before the cancel was read.
    cancelled: BTreeMap<String, Cancelled>,
    /// The errors without an id that are due, in their order.
    refusals: VecDeque<Value>,
    /// How many log messages of each text are due: nothing ties them to a request.
    logs: BTreeMap<String, i64>,
    /// What streams have been sent, for who waits for it.
    events: VecDeque<Value>,
}

/// A request that has not been answered.
struct Pending {
    serial: u64,
    id: Value,
    ask: Ask,
    notes: usize,
}

struct Cancelled {
    request: Pending,
    /// Once a request of this number or a later one is answered, the cancel has been read.
    until: u64,
}

impl Pipe {
    pub fn open(seed: u64) -> Pipe {
        let page = methods::PAGE.to_string();
        Pipe {
            fixture: Fixture::start(&["--stdio", "--profile", "cases", "--page", &page], ENVIRONMENT, Stdio::piped()),
            random: Random(seed),
            counts: Counts::default(),
            serial: 0,
            pending: BTreeMap::new(),
            long: Vec::new(),
            cancelled: BTreeMap::new(),
            refusals: VecDeque::new(),
            logs: BTreeMap::new(),
            events: VecDeque::new(),
        }
    }

    pub fn process(&self) -> u32 {
        self.fixture.child.id()
    }

    /// One thing or another.
    pub fn step(&mut self, lists: &Lists) {
        while self.pending.len() >= MOST {
            self.receive();
        }
        match self.random.below(200) {
            0..90 => self.start(tools::pick),
            90..125 => self.start(methods::pick),
            125..145 => self.start(rounds::pick),
            145..160 => self.start(methods::refused),
            160..165 => {
                let ask = lists.walk(&mut self.random);
                self.ask(ask);
            }
            165..175 => self.start_long(),
            175..185 => self.cancel_one(),
            185..194 => self.spoil(),
            194..196 => self.edit(lists),
            196..198 => self.listen(),
            _ => self.drain(),
        }
        while let Ok(line) = self.fixture.lines.try_recv() {
            self.take(&line);
        }
    }

    fn start(&mut self, pick: fn(&mut Random) -> Ask) {
        let ask = pick(&mut self.random);
        self.ask(ask);
    }

    /// An id of its own, a number or a text that looks like it.
    fn id(&mut self) -> Value {
        self.serial += 1;
        if self.random.below(2) == 0 { json!(self.serial) } else { json!(self.serial.to_string()) }
    }

    pub fn ask(&mut self, ask: Ask) {
        let id = self.id();
        self.ask_as(id, ask);
    }

    fn ask_as(&mut self, id: Value, ask: Ask) {
        let logged = ask.notes.iter().filter(|note| note["method"] == "notifications/message");
        logged.for_each(|note| *self.logs.entry(note.to_string()).or_default() += 1);
        self.write(&[ask.line(&id), "\n".to_owned()].concat());
        let request = Pending { serial: self.serial, id: id.clone(), ask, notes: 0 };
        assert!(self.pending.insert(id.to_string(), request).is_none(), "{id} twice");
    }

    /// In one piece or in two.
    fn write(&mut self, text: &str) {
        let cut = if self.random.below(8) == 0 { self.random.below(text.len()) } else { 0 };
        let mut input = self.fixture.input.as_ref().unwrap();
        input.write_all(&text.as_bytes()[..cut]).unwrap();
        input.write_all(&text.as_bytes()[cut..]).unwrap();
    }

    /// A request that runs until it is cancelled. Its id is taken as long as it does.
    fn start_long(&mut self) {
        if self.long.len() >= MOST_LONG {
            return self.cancel_long();
        }
        let id = self.id();
        self.write(&[tools::long().line(&id), "\n".to_owned()].concat());
        self.long.push(id.clone());
        if self.random.below(3) == 0 {
            let text = format!("Request id is already in use: {id}");
            self.ask_as(id, Ask::tool("id in use", "echo", json!({"text": "x"})).refused(0, -32600, &text));
        }
    }

    /// Its id is free again at once.
    fn cancel_long(&mut self) {
        let Some(id) = self.long.pop() else { return };
        self.cancel(&id);
        self.counts.add("stdio", "cancelled while it ran");
        if !self.pending.contains_key(&id.to_string()) {
            self.serial += 1;
            let ask = tools::echo(&mut self.random);
            self.ask_as(id, ask);
        }
    }

    fn cancel(&mut self, id: &Value) {
        let params = json!({"requestId": id, "reason": "No longer needed"});
        let note = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params});
        self.write(&format!("{note}\n"));
    }

    /// Cancels a long request, or one that may be answered already.
    fn cancel_one(&mut self) {
        if self.random.below(2) == 0 {
            return self.cancel_long();
        }
        // a round that follows would be lost, and log messages say nothing of their request
        let free = |request: &&Pending| {
            let logs = request.ask.notes.iter().any(|note| note["method"] == "notifications/message");
            request.ask.kind != "id in use" && !logs
        };
        let keys: Vec<String> = self.pending.values().filter(free).map(|request| request.id.to_string()).collect();
        if keys.is_empty() {
            return;
        }
        let key = self.random.pick(&keys).clone();
        let request = self.pending.remove(&key).unwrap();
        self.cancel(&request.id);
        self.cancelled.insert(key, Cancelled { request, until: self.serial + 1 });
        self.counts.add("stdio", "cancelled");
    }

    /// A line that is no request. What has no id is answered without one, or not at all.
    fn spoil(&mut self) {
        let refused = |code: i64, text: &str| Some((code, text.to_owned()));
        let number = self.random.below(8);
        let (line, refusal) = match number {
            0 => (r#"{"jsonrpc": "2.0", "id": 1, "meth"#.to_owned(), refused(-32700, "Parse error")),
            1 => ("[]".to_owned(), refused(-32600, "Invalid Request")),
            2 => (" \t".to_owned(), None),
            3 => (r#"{"jsonrpc": "1.0", "method": "notifications/unheard"}"#.to_owned(), None),
            4 => (r#"{"jsonrpc": "2.0", "id": 1, "result": {}}"#.to_owned(), None),
            5 => (r#"{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {}}"#.to_owned(), None),
            6 => (
                r#"{"jsonrpc": "2.0", "id": 7.5, "method": "tools/list"}"#.to_owned(),
                refused(-32600, "Request id must be a string of at most 256 bytes or an int64 integer"),
            ),
            _ if self.random.below(8) > 0 => (String::new(), None),
            _ => ("x".repeat(5_000_000), refused(-32600, "Line exceeds the size limit")),
        };
        self.write(&[&line, "\n"].concat());
        if let Some((code, text)) = refusal {
            let error = json!({"code": code, "message": text});
            self.refusals.push_back(json!({"jsonrpc": "2.0", "id": null, "error": error}));
        }
        self.counts.add("stdio", "bad line");
    }

    /// The tool that comes and goes; the list is walked while it is there.
    fn edit(&mut self, lists: &Lists) {
        self.settle();
        for ask in [
            Ask::tool("edit", "toggle_tool", json!({})).text("added"),
            lists.walk_with_extra(),
            Ask::tool("edit", "toggle_tool", json!({})).text("removed"),
        ] {
            self.ask(ask);
            self.settle();
        }
    }

    /// Two streams, changes, exactly their notifications; then one is cancelled and hears nothing more, and then the other.
    fn listen(&mut self) {
        self.settle();
        let uri = format!("test://watched/{}", self.random.next());
        let (tools, both) =
            (json!({"toolsListChanged": true}), json!({"toolsListChanged": true, "resourceSubscriptions": [uri]}));
        let streams = [tools, both].map(|filter| {
            let id = self.id();
            let ask = Ask::new("listen", "subscriptions/listen", json!({"notifications": filter}));
            self.write(&[ask.line(&id), "\n".to_owned()].concat());
            self.hears(&[(&id, "subscriptions/acknowledged", json!({"notifications": filter}))]);
            self.counts.add("stdio", "listen");
            id
        });
        let [first, second] = &streams;
        let trigger = || {
            let text = "Announced a change of the tools";
            Ask::tool("touch", "test_trigger_tool_change", json!({})).text(text)
        };
        let touch = Ask::tool("touch", "touch_resource", json!({"uri": uri})).text("touched");
        let changed = "tools/list_changed";
        self.ask(trigger());
        self.hears(&[(first, changed, json!({})), (second, changed, json!({}))]);
        self.ask(touch);
        self.hears(&[(second, "resources/updated", json!({"uri": uri}))]);
        self.cancel(first);
        self.ask(trigger());
        self.hears(&[(second, changed, json!({}))]);
        self.cancel(second);
        self.ask(trigger());
        self.settle();
        self.ask(methods::discover(&mut Random(0)));
        self.settle();
        assert!(self.events.is_empty(), "after the end of the streams: {:?}", self.events);
    }

    /// Waits for these notifications of streams, in any order.
    fn hears(&mut self, due: &[(&Value, &str, Value)]) {
        let wanted = due.iter().map(|(id, method, params)| {
            let mut params = params.clone();
            params["_meta"] = json!({SUBSCRIPTION: id});
            json!({"jsonrpc": "2.0", "method": format!("notifications/{method}"), "params": params})
        });
        let mut wanted: Vec<Value> = wanted.collect();
        while !wanted.is_empty() {
            while let Some(event) = self.events.pop_front() {
                let at = wanted.iter().position(|wanted| *wanted == event);
                wanted.remove(at.unwrap_or_else(|| panic!("{event} is none of {wanted:?}")));
            }
            if !wanted.is_empty() {
                self.receive();
            }
        }
        self.settle();
    }

    /// Waits until nothing more is due but what has to be cancelled.
    fn settle(&mut self) {
        while !self.pending.is_empty() {
            self.receive();
        }
    }

    /// Everything is answered or cancelled, and nothing is left over.
    pub fn drain(&mut self) {
        while !self.long.is_empty() {
            self.cancel_long();
        }
        self.settle();
        self.ask(methods::discover(&mut Random(0)));
        self.settle();
        assert!(self.cancelled.is_empty(), "their cancels came before the last request");
        assert!(self.refusals.is_empty(), "not answered: {:?}", self.refusals);
        assert!(self.logs.values().all(|count| *count == 0), "{:?}", self.logs);
        assert!(self.events.is_empty(), "{:?}", self.events);
    }

    /// Closes the input in the middle of a line. The server waits a while for what still runs: it may be answered or not.
    pub fn leave(mut self) -> Counts {
        let patient = self.random.below(4) > 0;
        if patient {
            self.drain();
        }
        let error = json!({"code": -32700, "message": "Parse error"});
        self.refusals.push_back(json!({"jsonrpc": "2.0", "id": null, "error": error}));
        self.write(r#"{"jsonrpc": "2.0", "#);
        self.pending.values_mut().for_each(|request| request.ask.then = None);
        self.fixture.input = None;
        loop {
            match self.fixture.lines.recv_timeout(PATIENCE) {
                // who leaves early may find the last answer cut off
                Ok(line) if !patient && serde_json::from_slice::<Value>(&line).is_err() => {
                    assert_eq!(self.fixture.lines.recv_timeout(PATIENCE), Err(RecvTimeoutError::Disconnected));
                    break;
                }
                Ok(line) => self.take(&line),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => panic!("it stays"),
            }
        }
        assert!(!patient || self.pending.is_empty(), "not answered: {:?}", self.pending.keys());
        assert!(self.refusals.is_empty(), "not answered: {:?}", self.refusals);
        assert!(self.fixture.child.wait().unwrap().success());
        self.counts.add("stdio", if patient { "input closed" } else { "input closed early" });
        self.counts
    }

    fn receive(&mut self) {
        let line = self.fixture.lines.recv_timeout(PATIENCE);
        let waiting = || self.pending.values().map(|request| request.ask.kind).collect::<Vec<_>>();
        let line = line.unwrap_or_else(|error| panic!("{error}; not answered: {:?}", waiting()));
        self.take(&line);
    }

    /// A line from the server.
    fn take(&mut self, line: &[u8]) {
        let message: Value = serde_json::from_slice(line).unwrap();
        if let Some(method) = message["method"].as_str() {
            return match method {
                "notifications/progress" => self.progressed(&message),
                "notifications/message" => *self.logs.entry(message.to_string()).or_default() -= 1,
                _ => self.events.push_back(message),
            };
        }
        if message["id"].is_null() {
            assert_eq!(Some(message), self.refusals.pop_front());
            return;
        }
        let id = message["id"].to_string();
        let Some(mut request) = self.pending.remove(&id) else {
            let Some(Cancelled { request, .. }) = self.cancelled.remove(&id) else {
                panic!("nobody waits for this: {message}")
            };
            request.ask.check(&request.id, &message); // it came before the cancel
            return;
        };
        self.cancelled.retain(|_, cancelled| cancelled.until > request.serial);
        request.ask.check(&request.id, &message);
        let progress = request.ask.notes.iter().filter(|note| note["method"] == "notifications/progress").count();
        assert_eq!(request.notes, progress, "{}: notifications", request.ask.kind);
        self.counts.add("stdio", request.ask.kind);
        if let Some(then) = request.ask.then.take() {
            self.ask(then(&message["result"]));
        }
    }

    /// Progress of a request that waits for its answer, or has been cancelled a moment ago.
    fn progressed(&mut self, note: &Value) {
        let token = &note["params"]["progressToken"];
        let cancelled = self.cancelled.values_mut().map(|cancelled| &mut cancelled.request);
        let mut requests = self.pending.values_mut().chain(cancelled);
        let request = requests.find(|request| request.ask.params["_meta"]["progressToken"] == *token);
        let request = request.unwrap_or_else(|| panic!("nobody waits for this: {note}"));
        request.ask.check_note(request.notes, note);
        request.notes += 1;
    }
}
