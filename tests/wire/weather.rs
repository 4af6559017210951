//! More clients than there is room for.

use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::process::{Command, Stdio};

use super::loopback::Client;
use super::stub::{Report, limits, post, start};
use plain_mcp::limits::Limits;

#[test]
fn one_connection_too_many() {
    covers!("13.9-7");
    let host = start(Limits { connections: 2, ..limits() });
    let mut kept = [host.client(), host.client()];
    for client in &mut kept {
        assert_eq!(client.send(post("/echo", "in")).answer().status, 200);
    }
    for _ in 0..5 {
        let mut refused = host.client();
        refused.try_send(post("/echo", "out"));
        let answer = refused.answer();
        assert_eq!((answer.status, answer.field("connection")), (503, Some("close")));
        assert!(refused.is_closed());
    }
    let [first, mut second] = kept;
    drop(first);
    assert_eq!(second.send(post("/echo", "still in")).answer().status, 200);
    // The place of the first is free as soon as its thread has seen it go.
    while host.client().send(post("/echo", "in")).answer().status != 200 {}
    host.stop();
}

/// The other side of the next test: a host in a process that may open few files.
#[test]
#[ignore = "is started by descriptors_run_out"]
fn host_with_few_descriptors() {
    let host = start(Limits { drain: std::time::Duration::from_secs(1), ..limits() });
    println!("\nlistening at {}", host.handle.local_addr());
    let _ = std::io::stdin().read(&mut [0]);
    host.stop();
}

/// `accept` fails with EMFILE: idle connections are shed, what runs goes on, and new clients are served again.
#[test]
#[cfg(unix)]
fn descriptors_run_out() {
    covers!("13.9-13");
    let program = std::env::current_exe().unwrap();
    let mut child = Command::new("sh")
        .args(["-c", "ulimit -n 40 && exec \"$0\" --exact weather::host_with_few_descriptors --ignored --nocapture"])
        .arg(program)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let address: SocketAddr =
        lines.find_map(|line| line.unwrap().strip_prefix("listening at ").map(|text| text.parse().unwrap())).unwrap();
    let mut busy = Client::connect(address);
    assert_eq!(busy.send(post("/echo", "before")).answer().status, 200);
    busy.send(post("/stream", "first"));
    busy.head();
    assert_eq!(busy.chunk(), b"first");
    let idle: Vec<_> = (0..100).map(|_| Client::connect(address)).collect();
    let mut late = Client::connect(address);
    assert_eq!(
        late.send(post("/echo", "after")).answer().text(),
        "after",
        "there were 40 descriptors and 100 idle clients"
    );
    drop(idle);
    drop(child.stdin.take());
    assert_eq!(busy.chunk(), b"data: result\r\n\r\n", "the busy connection was not shed");
    assert!(child.wait().unwrap().success());
}

#[test]
fn many_connections_come_and_go() {
    let host = start(limits());
    for round in 0..200 {
        let mut client = host.client();
        if round % 3 == 0 {
            continue;
        }
        assert_eq!(client.send(post("/echo", "x")).answer().status, 200);
    }
    let mut client = host.client();
    client.send(post("/wait", ""));
    assert_eq!(host.report(), Report::Entered);
    drop(client);
    assert_eq!(host.report(), Report::Cancelled);
    host.stop();
}
