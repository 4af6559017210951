//! The side of the attacker: a victim that runs, and what is to be true of it after an attack.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

use serde_json::{Value, json};

use super::figures::{Figures, MOST_KIB, until};
use super::{call, json_of, server};
use crate::kit::SERVER;
use crate::loopback::{Client, PATIENCE};

/// A server in a process of its own.
pub struct Victim {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    pub address: SocketAddr,
    /// When nobody is there.
    rest: Option<Figures>,
    name: &'static str,
}

/// Holds as long as a test has hundreds of sockets: two such tests at once could meet the limit of their own process.
static CROWD: Mutex<()> = Mutex::new(());

/// Waits until no other test has a crowd.
pub fn crowd() -> MutexGuard<'static, ()> {
    CROWD.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Victim {
    /// Starts one for the attack of this name; `limits` as [`server::LIMITS`] says.
    pub fn start(name: &'static str, limits: &str) -> Victim {
        Victim::spawn(name, limits, Command::new(std::env::current_exe().unwrap()))
    }

    /// Starts one that may open no more than so many descriptors.
    #[cfg(unix)]
    pub fn start_with_descriptors(name: &'static str, limits: &str, most: usize) -> Victim {
        let mut command = Command::new("sh");
        command.args(["-c", &format!("ulimit -n {most} && exec \"$0\" \"$@\"")]).arg(std::env::current_exe().unwrap());
        Victim::spawn(name, limits, command)
    }

    fn spawn(name: &'static str, limits: &str, mut command: Command) -> Victim {
        command.args(["--exact", "hostile::server::as_a_process", "--ignored", "--nocapture"]);
        // A backtrace is made of the debugging information, which takes more memory than the server.
        command.env(server::LIMITS, limits).env("RUST_BACKTRACE", "0");
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = channel();
        thread::spawn(move || output.lines().map_while(Result::ok).try_for_each(|line| sender.send(line)));
        let input = child.stdin.take();
        let mut victim =
            Victim { child, input, lines, address: SocketAddr::from(([127, 0, 0, 1], 0)), rest: None, name };
        victim.address = loop {
            if let Some(address) = victim.line().strip_prefix("listening at ") {
                break address.parse().unwrap();
            }
        };
        // Its own threads run when it answers; the client and its thread are not counted.
        let mut client = victim.client();
        is_served(&mut client);
        victim.rest = victim.figures().map(|Figures { peak, memory, threads, descriptors }| Figures {
            memory,
            peak,
            threads: threads - 1,
            descriptors: descriptors - 1,
        });
        victim
    }

    pub fn client(&self) -> Client {
        Client::connect(self.address)
    }

    /// The next thing that it says.
    pub fn line(&self) -> String {
        self.lines.recv_timeout(PATIENCE).expect("the victim says something")
    }

    /// It says this so many times, and nothing else meanwhile.
    pub fn says(&self, word: &str, times: usize) {
        for _ in 0..times {
            assert_eq!(self.line(), word);
        }
    }

    pub fn figures(&self) -> Option<Figures> {
        Figures::of(self.child.id())
    }

    /// Another client is served: a tool is called on a new connection, and the answer is what it has to be.
    pub fn unharmed(&self) {
        is_served(&mut self.client());
    }

    /// Threads and descriptors come back to what they are when nobody is there, and `more`.
    pub fn settles_but_for(&self, more: u64) {
        let Some(Figures { peak, memory, threads, descriptors }) = self.rest else { return };
        let rest = Figures { peak, memory, threads: threads + more, descriptors: descriptors + more };
        let back = |now: &Option<Figures>| now.is_some_and(|now| now.are_back_at(&rest));
        let took = until("threads and descriptors as before", || self.figures(), back);
        println!("{}: settled after {} ms", self.name, took.as_millis());
    }

    /// The end of an attack, when its clients are gone or have been given up: others are served, nothing is left behind, memory was bounded, and the
    /// server can be shut down.
    pub fn survives(mut self) {
        self.unharmed();
        self.settles_but_for(0);
        if let Some(now) = self.figures() {
            println!("{}: peak {} KiB", self.name, now.peak);
            assert!(now.peak < MOST_KIB, "{}: {} KiB at its peak", self.name, now.peak);
        }
        self.ends();
    }

    /// It ends when it is told to, whatever still runs.
    pub fn ends(&mut self) {
        self.input = None;
        while self.lines.recv_timeout(PATIENCE).is_ok() {}
        let ended = until("the victim ends", || self.child.try_wait().unwrap(), Option::is_some);
        println!("{}: ended within {} ms", self.name, ended.as_millis());
        assert!(self.child.wait().unwrap().success());
    }
}

/// Nothing that a test starts outlives it.
impl Drop for Victim {
    fn drop(&mut self) {
        let _ended_already = self.child.kill();
        let _ended_already = self.child.wait();
    }
}

/// This client is served, with exactly the right answer.
pub fn is_served(client: &mut Client) {
    let answer = client.send(call("echo", json!({"text": "well"}))).answer();
    assert_eq!((answer.status, json_of(&answer)), (200, echoed("well")));
}

/// The answer of the tool `echo`.
pub fn echoed(text: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "result": {
        "resultType": "complete",
        "content": [{"type": "text", "text": text}],
        "isError": false,
        "_meta": {SERVER: {"name": "test", "version": "1.0.0"}},
    }})
}
