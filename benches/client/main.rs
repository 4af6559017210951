//! What a call costs the client: CPU time of this process, for calls of the tool `echo` of a server in another.
//!
//! ```sh
//! cargo run --release --bin fixture -- --profile bench --port 3005 &
//! cargo bench --bench client -- http://127.0.0.1:3005/mcp 20000 1 16      # calls, threads, length of the text
//! cargo bench --bench client -- 'target/release/fixture --profile bench --stdio' 20000 1 16
//! ```
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::as_conversions)]
#![allow(missing_docs, unreachable_pub)]

use std::process::Command;

use plain_mcp::client::Client;
use serde_json::json;

const USAGE: &str = "usage: cargo bench --bench client -- URL|COMMAND CALLS THREADS LENGTH";

/// The CPU time of this process, in hundredths of a second. Linux only; elsewhere there is nothing to read.
fn cpu() -> u64 {
    let stat = std::fs::read_to_string("/proc/self/stat").expect("Linux");
    let words: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
    words[11].parse::<u64>().unwrap() + words[12].parse::<u64>().unwrap()
}

fn main() {
    // cargo adds `--bench`
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let [target, calls, threads, length] = &arguments[..] else { return println!("{USAGE}") };
    let [calls, threads, length] = [calls, threads, length].map(|number| number.parse::<usize>().expect(USAGE));
    let builder = if target.starts_with("http") {
        Client::http(target)
    } else {
        let mut words = target.split(' ');
        let mut command = Command::new(words.next().unwrap());
        command.args(words);
        Client::stdio(command)
    };
    let client = builder.connect().unwrap();
    client.tools().call().unwrap();
    let text = "x".repeat(length);
    let before = cpu();
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                for _ in 0..calls / threads {
                    let answer = client.tool("echo", json!({"text": text})).call().unwrap();
                    assert_eq!(answer.text().len(), length);
                }
            });
        }
    });
    println!("{:.2} us of CPU a call", (cpu() - before) as f64 * 10_000.0 / calls as f64);
}
