//! A client over HTTP: one connection for as long as it pleases, every way to send a request, every answer looked at.

use std::io::Write;
use std::net::SocketAddr;
use std::sync::RwLock;

use serde_json::{Value, json};

use crate::ask::{Ask, REVISION, SUBSCRIPTION, VERSION};
use crate::counts::Counts;
use crate::loopback::{Answer, Client};
use crate::methods::{self, Lists};
use crate::random::Random;
use crate::{rounds, tools};

/// What the clients of one server share.
pub struct Scene<'a> {
    pub address: SocketAddr,
    pub lists: &'a Lists,
    /// Held while the list of tools must not change, or for its change.
    pub edits: &'a RwLock<()>,
}

pub struct Caller<'a> {
    pub scene: &'a Scene<'a>,
    pub random: Random,
    pub counts: Counts,
    client: Option<Client>,
    serial: u64,
}

impl<'a> Caller<'a> {
    pub fn new(scene: &'a Scene<'a>, seed: u64) -> Caller<'a> {
        Caller { scene, random: Random(seed), counts: Counts::default(), client: None, serial: 0 }
    }

    /// One thing or another.
    pub fn step(&mut self) {
        match self.random.below(100) {
            0..40 => {
                let ask = tools::pick(&mut self.random);
                self.ask(ask);
            }
            40..55 => {
                let ask = methods::pick(&mut self.random);
                self.ask(ask);
            }
            55..63 => {
                let ask = rounds::pick(&mut self.random);
                self.ask(ask);
            }
            63..71 => {
                let ask = methods::refused(&mut self.random);
                self.ask(ask);
            }
            71..75 => self.walk(),
            75 => self.edit(),
            76..80 => self.pipeline(),
            80..83 => self.listen(),
            83..88 => self.spoil(),
            88..91 => self.notify(),
            _ => self.disconnect(),
        }
    }

    /// An id of any kind. Over HTTP they need not differ.
    pub fn id(&mut self) -> Value {
        self.serial += 1;
        let odd = [json!(0), json!(-1), json!(""), json!("日本"), json!(i64::MAX), json!(i64::MIN)];
        match self.random.below(3) {
            0 => self.random.pick(&odd).clone(),
            1 => json!(self.serial),
            _ => json!(format!("id-{}", self.serial)),
        }
    }

    /// The connection, or a new one.
    pub fn client(&mut self) -> &mut Client {
        let address = self.scene.address;
        self.client.get_or_insert_with(|| Client::connect(address))
    }

    /// Closes the connection in one of the two ways.
    pub fn leave(&mut self) {
        if let Some(client) = self.client.take() {
            self.part(client);
        }
    }

    pub fn part(&mut self, client: Client) {
        if self.random.below(2) == 0 { client.reset() } else { drop(client) }
    }

    /// Sends a request, and what follows from its answer.
    pub fn ask(&mut self, first: Ask) {
        let mut next = Some(first);
        while let Some(mut ask) = next {
            if self.random.below(12) == 0 {
                self.leave();
            }
            let id = self.id();
            let stays = self.random.below(12) > 0;
            self.send(&ask, &id, stays);
            let answer = self.client().answer();
            let result = judge(&ask, &id, &answer);
            assert_eq!(answer.field("connection"), (!stays).then_some("close"), "{}", ask.kind);
            if !stays {
                assert!(self.client().is_closed(), "{}", ask.kind);
                self.client = None;
            }
            self.counts.add("http", ask.kind);
            next = ask.then.take().map(|then| then(&result));
        }
    }

    /// Writes a request in one piece or in several, with a length, in chunks, or after `100 Continue`.
    fn send(&mut self, ask: &Ask, id: &Value, stays: bool) {
        let body = ask.line(id);
        let mut fields = if stays { String::new() } else { "connection: close\r\n".to_owned() };
        match self.random.below(8) {
            0 => {
                let cut = self.random.below(body.len());
                let cut = (0..=cut).rev().find(|cut| body.is_char_boundary(*cut)).unwrap();
                fields.push_str("transfer-encoding: chunked\r\n");
                self.client().send(head(ask, &fields));
                for part in [&body[..cut], &body[cut..]].into_iter().filter(|part| !part.is_empty()) {
                    self.client().send(format!("{:x}\r\n{part}\r\n", part.len()));
                }
                self.client().send("0\r\n\r\n");
            }
            1 => {
                fields.push_str(&format!("content-length: {}\r\nexpect: 100-continue\r\n", body.len()));
                self.client().send(head(ask, &fields));
                assert_eq!(self.client().head().status, 100);
                self.client().send(body);
            }
            2 => {
                let bytes = request(ask, id, &fields);
                let (first, second) = bytes.split_at(self.random.below(bytes.len()));
                self.client().send(first).send(second);
            }
            _ => drop(self.client().send(request(ask, id, &fields))),
        }
    }

    /// Several requests at once; the answers come in the same order.
    fn pipeline(&mut self) {
        let asks: Vec<(Value, Ask)> = (0..2 + self.random.below(3))
            .map(|_| (self.id(), if self.random.below(4) == 0 { methods::pick } else { tools::pick }(&mut self.random)))
            .collect();
        let bytes: Vec<u8> = asks.iter().flat_map(|(id, ask)| request(ask, id, "")).collect();
        // in the background: who sends much before it reads could wait for a host that waits for it
        let mut stream = self.client().stream.try_clone().unwrap();
        std::thread::scope(|scope| {
            scope.spawn(move || stream.write_all(&bytes).unwrap());
            for (id, ask) in &asks {
                let answer = self.client().answer();
                judge(ask, id, &answer);
                self.counts.add("http", "pipelined");
            }
        });
    }

    /// A walk through a list, which nobody changes meanwhile.
    fn walk(&mut self) {
        let _same = self.scene.edits.read().unwrap();
        let ask = self.scene.lists.walk(&mut self.random);
        self.ask(ask);
    }

    /// A tool comes, is listed, and goes.
    fn edit(&mut self) {
        let _alone = self.scene.edits.write().unwrap();
        let toggle = |text| Ask::tool("edit", "toggle_tool", json!({})).text(text);
        self.ask(toggle("added"));
        self.ask(self.scene.lists.walk_with_extra());
        self.ask(toggle("removed"));
    }

    /// A stream of one's own, a change, its notification; then the client hangs up.
    fn listen(&mut self) {
        let (id, uri) = (self.id(), format!("test://watched/{}", self.random.next()));
        let filter = json!({"resourceSubscriptions": [uri], "toolsListChanged": true});
        let ask = Ask::new("listen", "subscriptions/listen", json!({"notifications": filter}));
        let mut stream = Client::connect(self.scene.address);
        stream.send(request(&ask, &id, ""));
        let head = stream.head();
        assert_eq!((head.status, head.field("content-type")), (200, Some("text/event-stream")));
        let meta = json!({SUBSCRIPTION: id});
        let note = |method: &str, mut params: Value| {
            params["_meta"] = meta.clone();
            json!({"jsonrpc": "2.0", "method": method, "params": params})
        };
        let acknowledged = note("notifications/subscriptions/acknowledged", json!({"notifications": filter}));
        assert_eq!(events(&stream.chunk()), [acknowledged]);
        let changed = note("notifications/tools/list_changed", json!({}));
        let updated = note("notifications/resources/updated", json!({"uri": uri}));
        let mut updates = 0;
        self.ask(Ask::tool("touch", "touch_resource", json!({"uri": uri})).text("touched"));
        while updates == 0 {
            updates += seen(&stream.chunk(), &changed, &updated).1;
        }
        let text = "Announced a change of the tools";
        self.ask(Ask::tool("touch", "test_trigger_tool_change", json!({})).text(text));
        let mut changes = 0;
        while changes == 0 {
            let (more, again) = seen(&stream.chunk(), &changed, &updated);
            (changes, updates) = (changes + more, updates + again);
        }
        assert_eq!(updates, 1, "one change of the resource, one notification");
        self.counts.add("http", "listen");
        self.part(stream);
    }

    /// What is never answered is accepted, or not.
    fn notify(&mut self) {
        let cancelled = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}});
        let unheard = json!({"jsonrpc": "2.0", "method": "notifications/unheard"});
        let older = json!({"jsonrpc": "1.0", "method": "notifications/cancelled"});
        let response = json!({"jsonrpc": "2.0", "id": 1, "result": {}});
        let (message, status) =
            self.random.pick(&[(cancelled, 202), (unheard, 202), (older, 400), (response, 202)]).clone();
        let method = message["method"].as_str().map(|method| format!("mcp-method: {method}\r\n")).unwrap_or_default();
        let body = message.to_string();
        let fields = format!("mcp-protocol-version: {REVISION}\r\n{method}content-length: {}\r\n", body.len());
        self.client().send(plain_head(&fields)).send(body);
        let answer = self.client().answer();
        assert_eq!((answer.status, answer.text()), (status, ""));
        self.counts.add("http", "notification");
    }
}

/// How many notifications of each of the two are in a piece of a stream; there are no others.
fn seen(chunk: &[u8], changed: &Value, updated: &Value) -> (usize, usize) {
    let (mut changes, mut updates) = (0, 0);
    for event in events(chunk) {
        assert!(event == *changed || event == *updated, "{event} is neither {changed} nor {updated}");
        if event == *changed { changes += 1 } else { updates += 1 }
    }
    (changes, updates)
}

/// The head of a POST up to its last field.
pub fn plain_head(fields: &str) -> String {
    format!(
        "POST /mcp HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n\
         accept: application/json, text/event-stream\r\n{fields}\r\n"
    )
}

/// The head of a request, with these fields added.
pub fn head(ask: &Ask, fields: &str) -> String {
    let version = ask.params["_meta"][VERSION].as_str().unwrap_or(REVISION);
    let name = ask.header_name().map(|name| format!("mcp-name: {name}\r\n")).unwrap_or_default();
    let more: String = ask.fields.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    plain_head(&format!("mcp-protocol-version: {version}\r\nmcp-method: {}\r\n{name}{more}{fields}", ask.method))
}

/// The bytes of a request with a length.
pub fn request(ask: &Ask, id: &Value, fields: &str) -> Vec<u8> {
    let body = ask.line(id);
    [head(ask, &format!("{fields}content-length: {}\r\n", body.len())), body].concat().into_bytes()
}

/// The messages of a piece of a stream; comments are left out.
fn events(bytes: &[u8]) -> Vec<Value> {
    let text = std::str::from_utf8(bytes).unwrap();
    let events = text.split_terminator("\r\n\r\n").filter(|event| !event.starts_with(':'));
    events.map(|event| serde_json::from_str(event.strip_prefix("data: ").unwrap()).unwrap()).collect()
}

/// Compares an answer with what is due; returns its result.
fn judge(ask: &Ask, id: &Value, answer: &Answer) -> Value {
    let streamed = !ask.notes.is_empty();
    let (status, kind) = if streamed { (200, "text/event-stream") } else { (ask.status(), "application/json") };
    assert_eq!((answer.status, answer.field("content-type")), (status, Some(kind)), "{}: {answer:.500?}", ask.kind);
    let mut messages =
        if streamed { events(&answer.body) } else { vec![serde_json::from_slice(&answer.body).unwrap()] };
    let last = messages.pop().unwrap();
    assert_eq!(messages.len(), ask.notes.len(), "{}: notifications", ask.kind);
    messages.iter().enumerate().for_each(|(number, note)| ask.check_note(number, note));
    ask.check(id, &last);
    last["result"].clone()
}
