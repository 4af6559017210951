//! What a client leaves behind: nothing. Alone in its process, since it counts threads and descriptors.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::as_conversions)]
#![allow(missing_docs, unreachable_pub)]

#[macro_use]
#[path = "support/ids.rs"]
mod ids;

use std::process::Command;
use std::time::{Duration, Instant};

use plain_mcp::client::{Client, ClientLimits};
use plain_mcp::http::Host;
use plain_mcp::{NoArgs, Server, Tool, text};
use serde_json::json;

fn count(what: &str) -> usize {
    std::fs::read_dir(format!("/proc/self/{what}")).unwrap().count()
}

/// Waits until no more threads and descriptors are there than before; pool threads end a second after their last job.
fn settles(before: (usize, usize)) {
    let end = Instant::now() + Duration::from_secs(20);
    while (count("task"), count("fd")) > before && Instant::now() < end {
        std::thread::yield_now();
    }
    assert!(
        count("task") <= before.0 && count("fd") <= before.1,
        "{:?} after {before:?}",
        (count("task"), count("fd"))
    );
}

fn busy(client: &Client) {
    std::thread::scope(|scope| {
        for thread in 0..64 {
            scope.spawn(move || {
                for round in 0..10 {
                    let text = format!("{thread}-{round}");
                    assert_eq!(client.tool("echo", json!({"text": text})).call().unwrap().text(), text);
                }
            });
        }
    });
    let subscription = client.listen().tools().open().unwrap();
    assert!(client.tool("nope", ()).timeout(Duration::from_millis(500)).call().is_err());
    drop(subscription);
}

#[test]
fn nothing_is_left_of_64_threads() {
    covers!("18.1-43");
    let server = Server::builder("demo", "1")
        .list_changed()
        .tool(Tool::new("echo", "Echoes").input(json!({"type": "object"})), |args: serde_json::Value, _| {
            Ok(text(args["text"].as_str().unwrap_or_default()))
        })
        .tool(Tool::new("nothing", "Nothing"), |_: NoArgs, _| Ok(text("")))
        .build()
        .unwrap();
    let before = (count("task"), count("fd"));
    let host = Host::bind(&server, "127.0.0.1:0").unwrap();
    let url = host.url();
    let handle = host.start().unwrap();
    let client = Client::http(&url).connect().unwrap();
    busy(&client);
    drop(client);
    handle.shutdown().unwrap();
    settles(before);

    let client = Client::direct(&server).connect().unwrap();
    busy(&client);
    drop(client);
    settles(before);

    let mut command = Command::new(env!("CARGO_BIN_EXE_fixture"));
    command.args(["--stdio", "--profile", "bench"]);
    let limits = ClientLimits::default();
    for closed in [true, false] {
        let mut again = Command::new(command.get_program());
        again.args(command.get_args());
        let client = Client::stdio(again).limits(limits.clone()).connect().unwrap();
        busy(&client);
        if closed {
            client.close();
        }
        drop(client);
        settles(before);
    }
}
