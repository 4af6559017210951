//! The servers under test, and the clients that are let loose on them.

use std::net::SocketAddr;
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, RwLock};
use std::thread::{self, Builder};
use std::time::Instant;

use serde_json::json;

use crate::ask::Ask;
use crate::counts::Counts;
use crate::figures::Figures;
use crate::http::{Caller, Scene};
use crate::methods::{LISTS, Lists, PAGE};
use crate::process::Fixture;
use crate::random::Random;
use crate::stdio::Pipe;

/// Clients over HTTP at a time.
const CALLERS: usize = 4;
/// What a client of stdio that comes and goes asks before it does.
const VISIT: usize = 60;

/// What makes the memory of a server that of its own values: the allocator gives back at once what is freed (glibc; by itself it
/// keeps up to tens of MiB for each of its arenas), and a panic looks up no names, which are kept for the next one.
pub const ENVIRONMENT: &[(&str, &str)] = &[
    ("MALLOC_ARENA_MAX", "1"),
    ("MALLOC_MMAP_THRESHOLD_", "65536"),
    ("MALLOC_TRIM_THRESHOLD_", "65536"),
    ("RUST_BACKTRACE", "0"),
];

/// When a client has done enough.
#[derive(Clone, Copy)]
pub enum Until {
    Steps(usize),
    Time(Instant),
}

impl Until {
    fn reached(self, steps: usize) -> bool {
        match self {
            Until::Steps(most) => steps >= most,
            Until::Time(end) => Instant::now() >= end,
        }
    }
}

/// The servers, and what they held before the traffic.
pub struct Stage {
    host: Fixture,
    address: SocketAddr,
    pipe: Pipe,
    lists: Lists,
    pub beginning: [Option<Figures>; 2],
    pub counts: Counts,
    seeds: Random,
}

impl Stage {
    pub fn set(seed: u64) -> Stage {
        println!("SOAK_SEED={seed}");
        let page = PAGE.to_string();
        let host = Fixture::start(&["--port", "0", "--profile", "cases", "--page", &page], ENVIRONMENT, Stdio::piped());
        let address = host.address();
        let mut pipe = Pipe::open(seed);
        pipe.drain(); // now it has begun
        let lists = lists();
        let beginning = [Figures::still(host.child.id()), Figures::still(pipe.process())];
        Stage { host, address, pipe, lists, beginning, counts: Counts::default(), seeds: Random(seed) }
    }

    /// Lets all clients loose at the same time, waits for their end, and for the servers to let go of everything. Their figures
    /// then.
    pub fn round(&mut self, until: Until) -> [Option<Figures>; 2] {
        let (edits, counts, failed) = (RwLock::new(()), Mutex::new(Counts::default()), AtomicBool::new(false));
        let scene = Scene { address: self.address, lists: &self.lists, edits: &edits };
        let (seeds, pipe) = (&mut self.seeds, &mut self.pipe);
        let run = |size: usize, step: &mut dyn FnMut()| {
            let _tells = Tells(&failed);
            let mut steps = 0;
            while !until.reached(steps) && !failed.load(Ordering::SeqCst) {
                step();
                steps += size;
            }
        };
        let (run, scene, counts) = (&run, &scene, &counts);
        let visits = AtomicU64::new(seeds.next());
        thread::scope(|scope| {
            for number in 0..CALLERS {
                let mut caller = Caller::new(scene, seeds.next());
                let work = move || {
                    run(1, &mut || caller.step());
                    counts.lock().unwrap().merge(&caller.counts);
                };
                Builder::new().name(format!("http {number}")).spawn_scoped(scope, work).unwrap();
            }
            let piped = move || {
                run(1, &mut || pipe.step(scene.lists));
                pipe.drain();
                counts.lock().unwrap().merge(&std::mem::take(&mut pipe.counts));
            };
            Builder::new().name("stdio".to_owned()).spawn_scoped(scope, piped).unwrap();
            let visited = || {
                run(VISIT, &mut || {
                    let done = visit(visits.fetch_add(1, Ordering::SeqCst), scene.lists);
                    counts.lock().unwrap().merge(&done);
                });
            };
            Builder::new().name("stdio visits".to_owned()).spawn_scoped(scope, visited).unwrap();
        });
        self.counts.merge(&counts.lock().unwrap());
        let [host, pipe] = self.beginning;
        [Figures::rest(self.host.child.id(), host), Figures::rest(self.pipe.process(), pipe)]
    }

    /// Ends the servers, as whoever has started them does.
    pub fn end(self) {
        assert!(self.host.end().success());
        self.pipe.leave();
    }
}

/// Ends the others when a client fails.
struct Tells<'a>(&'a AtomicBool);

impl Drop for Tells<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.store(true, Ordering::SeqCst);
        }
    }
}

/// A process of its own, a few requests, and the end of its input while they run.
fn visit(seed: u64, lists: &Lists) -> Counts {
    let mut pipe = Pipe::open(seed);
    for _ in 0..VISIT {
        pipe.step(lists);
    }
    pipe.leave()
}

/// The lists of a server that has all items on one page.
fn lists() -> Lists {
    let mut server = Fixture::start(&["--stdio", "--profile", "cases"], &[], Stdio::piped());
    let whole = LISTS.map(|(method, member)| {
        let line = Ask::new("list", method, json!({})).line(&json!(1));
        let answer = server.ask(&serde_json::from_str(&line).unwrap());
        assert_eq!(answer["result"].get("nextCursor"), None);
        (method, member, Arc::new(answer["result"][member].as_array().unwrap().clone()))
    });
    assert!(whole[0].2.len() > 3 * PAGE, "the tools have several pages");
    Lists(whole.to_vec())
}

/// The figures of the two servers on one line, and how much more memory they have than before.
pub fn written(figures: &[Option<Figures>; 2], before: &[Option<Figures>; 2]) -> String {
    let one = |name: &str, at: usize| match figures[at].zip(before[at]) {
        Some((now, before)) => {
            let Figures { threads, descriptors, resident } = now;
            let more = resident as i64 - before.resident as i64;
            format!("{name} {threads} threads, {descriptors} descriptors, {resident} KiB ({more:+})")
        }
        None => format!("{name} not measured"),
    };
    [one("http", 0), one("stdio", 1)].join("; ")
}
