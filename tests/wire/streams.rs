//! §11 Many listen streams on one server: all are told, and what that takes.

use std::process::Stdio;
use std::time::Instant;

use serde_json::json;

use super::hostile::figures::Figures;
use super::kit::request;
use super::loopback::Client;
use super::process::Fixture;
use super::served::post;

#[test]
fn every_listener_is_told() {
    covers!("11-11", "11-19");
    all_are_told(300, |_| {});
}

/// The server and its clients need a descriptor for each stream. `STREAMS` says how many, ten thousand where nobody says.
#[test]
#[ignore = "a measurement: cargo test --release --test wire listeners_cost -- --ignored --nocapture"]
fn listeners_cost() {
    let streams = std::env::var("STREAMS").map_or(10_000, |streams| streams.parse().unwrap());
    all_are_told(streams, |line| println!("{line}"));
}

fn all_are_told(count: usize, say: impl Fn(&str)) {
    let fixture = Fixture::start(&["--profile", "bench", "--port", "0"], &[], Stdio::piped());
    let address = fixture.address();
    let listen = post(&request("subscriptions/listen", json!({"notifications": {"toolsListChanged": true}})), "");
    let trigger = json!({"name": "test_trigger_tool_change", "arguments": {}, "_meta": super::kit::meta()});
    let trigger = post(&request("tools/call", trigger), "");
    let mut publisher = Client::connect(address);
    assert_eq!(publisher.send(&trigger).answer().status, 200);

    let idle = Figures::of(fixture.id());
    let mut streams: Vec<Client> = (0..count).map(|_| Client::connect(address)).collect();
    for stream in &mut streams {
        assert_eq!(stream.send(&listen).head().status, 200);
        assert!(text(stream).contains("notifications/subscriptions/acknowledged"));
    }
    if let (Some(idle), Some(open)) = (idle, Figures::of(fixture.id())) {
        let each = (open.memory - idle.memory) as f64 / count as f64;
        say(&format!("\nidle: {} KiB; {count} listen streams: {each:.1} KiB each", idle.memory));
    }
    for _ in 0..5 {
        let began = Instant::now();
        publisher.send(&trigger);
        for stream in &mut streams {
            assert!(text(stream).contains("notifications/tools/list_changed"));
        }
        say(&format!("one change, told to all: {:.1} ms", began.elapsed().as_secs_f64() * 1000.0));
        assert_eq!(publisher.answer().status, 200);
    }
    assert!(fixture.end().success());
    for stream in &mut streams {
        assert!(text(stream).contains(r#""resultType":"complete""#), "and of the end");
    }
}

fn text(stream: &mut Client) -> String {
    String::from_utf8(stream.chunk()).unwrap()
}
