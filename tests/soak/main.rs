//! Mixed traffic over both transports, good and bad, with clients that go away in the middle. Every answer is compared with
//! what is due for exactly its request, and in the end the servers hold no more than they held in the beginning.
//!
//! A short form is an ordinary test. The long one takes ten minutes, or as many as SOAK_MINUTES says, and prints its figures
//! after each:
//!
//! ```sh
//! cargo test --release --test soak -- --ignored --nocapture
//! ```
//!
//! SOAK_SEED repeats a run: the choices are then the same, though not how the threads take turns.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::as_conversions)]
#![allow(clippy::string_slice, missing_docs, unreachable_pub)]

mod ask;
mod counts;
mod faults;
mod figures;
mod http;
#[path = "../support/loopback.rs"]
mod loopback;
mod methods;
#[path = "../support/process.rs"]
mod process;
#[path = "../support/random.rs"]
mod random;
mod rounds;
mod stage;
mod stdio;
mod tools;

use std::env;
use std::time::{Duration, Instant, SystemTime};

use figures::Figures;
use stage::{Stage, Until};

/// What may be added to the memory of a server between the second minute and the last, in KiB.
const GROWTH: u64 = 2 * 1024;
/// And between the beginning and the last minute, code that had not been needed before among it.
const ABOVE: u64 = 16 * 1024;

fn variable(name: &str) -> Option<u64> {
    env::var(name).ok().map(|text| text.parse().unwrap_or_else(|_| panic!("{name} is a number")))
}

/// A little of everything.
#[test]
fn short() {
    let mut stage = Stage::set(variable("SOAK_SEED").unwrap_or(1));
    for _ in 0..2 {
        stage.round(Until::Steps(150));
    }
    println!("{}", stage.counts);
    stage.end();
}

#[test]
#[ignore = "takes ten minutes"]
fn long() {
    let clock = || SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs();
    let mut stage = Stage::set(variable("SOAK_SEED").unwrap_or_else(clock));
    let minutes = variable("SOAK_MINUTES").unwrap_or(10);
    let beginning = stage.beginning;
    println!("beginning: {}", stage::written(&beginning, &beginning));
    let mut after: Vec<[Option<Figures>; 2]> = Vec::new();
    for minute in 1..=minutes {
        let figures = stage.round(Until::Time(Instant::now() + Duration::from_secs(60)));
        let before = after.last().unwrap_or(&beginning);
        println!("minute {minute}: {}; {} done", stage::written(&figures, before), stage.counts.total());
        after.push(figures);
    }
    println!("{}", stage.counts);
    stage.end();
    let Some(last) = after.last() else { return };
    grown(&beginning, last, ABOVE);
    if let Some(second) = after.get(1) {
        grown(second, last, GROWTH);
    }
}

/// No server has more memory than `most` KiB above what it had.
fn grown(before: &[Option<Figures>; 2], last: &[Option<Figures>; 2], most: u64) {
    for (before, last) in before.iter().zip(last).filter_map(|(before, last)| before.zip(*last)) {
        let allowed = before.resident + most;
        assert!(last.resident <= allowed, "{} KiB, after {} KiB", last.resident, before.resident);
    }
}
