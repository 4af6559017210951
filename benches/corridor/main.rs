//! What a request costs in this process, from the bytes that come in to the bytes that go out: no socket, no pipe, no thread.
//!
//! ```sh
//! cargo bench                                          # a table: nanoseconds for one operation
//! cargo bench -- --scenario http-call --count 1000     # exactly so many operations of one scenario, and nothing measured
//! ```
//!
//! Times differ from machine to machine and from run to run; instructions hardly do. Their number for one operation is the
//! difference of two runs, divided by the difference of their counts:
//!
//! ```sh
//! export CARGO_PROFILE_BENCH_STRIP=none CARGO_PROFILE_BENCH_DEBUG=line-tables-only
//! cargo bench --no-run                                 # prints where the program is
//! valgrind --tool=callgrind PROGRAM --scenario http-call --count 1000
//! valgrind --tool=callgrind PROGRAM --scenario http-call --count 11000
//! ```
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::as_conversions)]
#![allow(clippy::string_slice, missing_docs, unreachable_pub)]

mod line;
#[cfg(feature = "http")]
mod post;
mod scenarios;

use std::hint::black_box;
use std::time::{Duration, Instant};

use scenarios::{Scenario, all};

/// How many batches are timed; the table shows the one in the middle, and the fastest.
const BATCHES: usize = 15;
/// What one batch should take, at least.
const BATCH: Duration = Duration::from_millis(40);

fn main() {
    let (mut name, mut count) = (None, 1);
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().unwrap_or_else(|| panic!("{argument} needs a value"));
        match argument.as_str() {
            "--scenario" => name = Some(value()),
            "--count" => count = value().parse().expect("--count is a number"),
            "--bench" => {} // cargo's own
            _ => panic!("{argument} is none of --scenario NAME, --count N"),
        }
    }
    let scenarios = all();
    match name {
        None => scenarios.iter().for_each(measure),
        Some(name) => {
            let one = scenarios.iter().find(|scenario| scenario.name == name);
            let names = || scenarios.iter().map(|scenario| scenario.name.as_str()).collect::<Vec<_>>().join(" ");
            repeat(one.unwrap_or_else(|| panic!("{name} is none of {}", names())), count);
        }
    }
}

/// Prints the row of a scenario.
fn measure(scenario: &Scenario) {
    let mut count = 1;
    while time(scenario, count) < BATCH {
        count *= 2;
    }
    let mut batches: Vec<u128> = (0..BATCHES).map(|_| time(scenario, count).as_nanos() / count as u128).collect();
    batches.sort_unstable();
    println!(
        "{:<16} {:>9} ns (fastest {:>9}) {:>8} bytes in {:>8} out {:>7} a batch",
        scenario.name,
        batches[BATCHES / 2],
        batches[0],
        scenario.bytes_in,
        scenario.bytes_out,
        count
    );
}

fn time(scenario: &Scenario, count: usize) -> Duration {
    let start = Instant::now();
    repeat(scenario, count);
    start.elapsed()
}

/// Every answer has the length of the first, whose content was looked at.
fn repeat(scenario: &Scenario, count: usize) {
    for _ in 0..count {
        assert_eq!(black_box((scenario.run)()), scenario.bytes_out, "{}", scenario.name);
    }
}
