//! §9 D9 Many clients that go while their handlers are silent.

use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, unbounded};
use plain_mcp::http::{Handle, Host};
use plain_mcp::{Tool, ToolResult};
use serde_json::json;

use super::call;
use super::victim::{Victim, crowd};
use crate::kit::builder;
use crate::loopback::{Client, PATIENCE};

/// So many silent requests at once.
const MANY: usize = 500;

#[test]
fn five_hundred_clients_go_at_once() {
    covers!("9-6", "9-9");
    let _crowd = crowd();
    let victim = Victim::start("500 clients go", "");
    let mut clients: Vec<Client> = (0..MANY).map(|_| victim.client()).collect();
    for client in &mut clients {
        client.send(call("silent", json!({})));
    }
    victim.says("silent", MANY);
    victim.unharmed();
    drop(clients.pop()); // the watcher's turn comes to the last one too, while all others stay
    victim.says("cancelled", 1);
    for (number, client) in clients.into_iter().enumerate() {
        if number % 2 == 0 { client.reset() } else { drop(client) }
    }
    victim.says("cancelled", MANY - 1);
    victim.survives();
}

/// A server in this process, so that both ends have one clock. Its tool says when it has begun, and when it was cancelled.
struct Measured {
    handle: Handle,
    begun: Receiver<usize>,
    cancelled: Receiver<(usize, Instant)>,
}

#[derive(serde::Deserialize)]
struct Numbered {
    n: usize,
}

fn measured() -> Measured {
    let ((begins, begun), (cancels, cancelled)) = (unbounded(), unbounded());
    let silent = move |numbered: Numbered, cx: &plain_mcp::Context<'_>| -> ToolResult {
        begins.send(numbered.n).unwrap();
        let _ = cx.cancel_token().channel().recv_timeout(PATIENCE * 10);
        cancels.send((numbered.n, Instant::now())).unwrap();
        cx.check()?;
        Ok("never cancelled".into())
    };
    let server = builder().tool(Tool::new("silent", "Says nothing"), silent).build().unwrap();
    Measured { handle: Host::local(&server, 0).unwrap().start().unwrap(), begun, cancelled }
}

/// For how long threads of this process had a processor: the thread of this name, or all.
fn processor_time(name: Option<&str>) -> Duration {
    let tasks = std::fs::read_dir("/proc/self/task").unwrap().map(|task| task.unwrap().path());
    let tasks = tasks.filter(|task| {
        let own = std::fs::read_to_string(task.join("comm")).unwrap_or_default();
        name.is_none_or(|name| own.trim() == name)
    });
    let times = tasks.filter_map(|task| std::fs::read_to_string(task.join("schedstat")).ok());
    Duration::from_nanos(times.map(|times| times.split_whitespace().next().unwrap().parse::<u64>().unwrap()).sum())
}

impl Measured {
    /// So many clients, whose requests all run.
    fn crowd(&self) -> Vec<Client> {
        let clients = (0..MANY).map(|number| {
            let mut client = Client::connect(self.handle.local_addr());
            client.send(call("silent", json!({"n": number})));
            client
        });
        let clients: Vec<Client> = clients.collect();
        assert!((0..MANY).all(|_| self.begun.recv_timeout(PATIENCE).is_ok()));
        clients
    }

    /// All go, every other one with a reset, after a pause each. Prints how long it took until the handlers knew.
    fn all_go(&self, what: &str, clients: Vec<Client>, pause: Duration) {
        let left: Vec<Instant> = clients
            .into_iter()
            .enumerate()
            .map(|(number, client)| {
                std::thread::sleep(pause);
                let left = Instant::now();
                if number % 2 == 0 {
                    drop(client)
                } else {
                    client.reset()
                }
                left
            })
            .collect();
        let mut waits = [Vec::new(), Vec::new()];
        for _ in 0..MANY {
            let (number, seen) = self.cancelled.recv_timeout(PATIENCE).unwrap();
            waits[number % 2].push(seen.saturating_duration_since(left[number]).as_secs_f64() * 1000.0);
        }
        for (how, waits) in ["FIN", "RST"].into_iter().zip(&mut waits) {
            waits.sort_unstable_by(f64::total_cmp);
            let at = |share: f64| waits[((waits.len() - 1) as f64 * share) as usize];
            let (half, most, last) = (at(0.5), at(0.99), at(1.0));
            println!("{what}, {how}: p50 {half:.1} ms, p99 {most:.1} ms, max {last:.1} ms");
        }
    }
}

/// Prints how soon a handler knows that its client has gone, and what it costs to watch.
#[test]
#[cfg(target_os = "linux")]
#[ignore = "a measurement: cargo test --release --test wire hang_up_cost -- --ignored --nocapture"]
fn hang_up_cost() {
    const WATCHED: Duration = Duration::from_secs(5);
    let measured = measured();
    println!("\n{MANY} silent requests at once");
    measured.all_go("just begun, all at once", measured.crowd(), Duration::ZERO);
    measured.all_go("just begun, one after the other", measured.crowd(), Duration::from_millis(1));
    for (what, pause) in [("all at once", Duration::ZERO), ("one after the other", Duration::from_millis(7))] {
        let clients = measured.crowd();
        std::thread::sleep(Duration::from_secs(3)); // now they are old
        let time = || [Some("mcp-hang-up"), None].map(processor_time);
        let (began, before) = (Instant::now(), time());
        std::thread::sleep(WATCHED);
        let (watched, after) = (began.elapsed(), time());
        let share = |at: usize| (after[at] - before[at]).as_secs_f64() / watched.as_secs_f64() * 100.0;
        println!("watching costs {:.2} % of a core, the whole process {:.2} %", share(0), share(1));
        measured.all_go(&format!("running for a while, {what}"), clients, pause);
    }
    measured.handle.shutdown().unwrap();
}
