//! §19 The limits on children, with this test program as the child.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::Command;
use std::time::{Duration, Instant};

use crate::Folder;
use crate::fixture::Fixture;
use crate::process::{Line, Process};

/// Longer than any of this takes; reached only where something is wrong.
const LONG: Duration = Duration::from_secs(30);

/// What the child does is told by this variable.
const PART: &str = "PLAIN_MCP_TEST_PART";

/// Not a test: the child's side of the ones below.
#[test]
#[ignore = "started by the other tests of this module"]
fn child() {
    let say = |line: &str| std::io::stdout().write_all(format!("\n{line}\n").as_bytes()).unwrap();
    let to_end_of_input = || std::io::stdin().read_to_end(&mut Vec::new()).unwrap();
    let Ok(part) = std::env::var(PART) else { return };
    let ready = r#"{"conformanceReady":true,"url":"http://127.0.0.1:4/mcp"}"#;
    match part.as_str() {
        "good" => {
            say(ready);
            // More than a pipe and the queue hold: nobody may have to read it.
            (0..20_000).for_each(|_| say("and it goes on"));
            to_end_of_input();
        }
        "elsewhere" => {
            say(&ready.replace("127.0.0.1", "0.0.0.0"));
            to_end_of_input();
        }
        "bad end" => {
            say(ready);
            to_end_of_input();
            std::process::exit(3);
        }
        "early end" => say("not yet"),
        address => {
            // Stays until it is killed; the open connection tells the parent that it lives.
            let mut stream = TcpStream::connect(address).unwrap();
            say("connected");
            stream.read_to_end(&mut Vec::new()).unwrap();
        }
    }
}

fn command(part: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--ignored", "--exact", "--nocapture", "children::child"]).env(PART, part);
    command
}

fn fixture(part: &str) -> Result<Fixture, String> {
    let folder = Folder::new(&part.replace(' ', "-"));
    Fixture::start_command(command(part), &folder.0.join("log"), false)
}

#[test]
fn a_fixture_is_ready_and_ends_with_its_input() {
    let fixture = fixture("good").unwrap();
    assert_eq!(fixture.url, "http://127.0.0.1:4/mcp");
    assert_eq!(fixture.close(), Ok(()));
}

#[test]
fn a_fixture_that_serves_elsewhere_is_refused() {
    assert!(fixture("elsewhere").unwrap_err().contains("not on 127.0.0.1"));
}

#[test]
fn a_fixture_that_ends_before_it_is_ready_is_refused() {
    assert!(fixture("early end").unwrap_err().contains("ended before it was ready"));
}

#[test]
fn a_fixture_that_ends_badly_is_told_of() {
    assert!(fixture("bad end").unwrap().close().unwrap_err().contains("exit status: 3"));
}

#[test]
fn a_program_that_is_not_there_is_told_of() {
    let folder = Folder::new("none");
    let command = Command::new(folder.0.join("none"));
    assert!(Process::start("nothing", command, &folder.0.join("log"), false).unwrap_err().contains("cannot start"));
}

#[test]
fn output_goes_to_the_log_and_to_the_listener() {
    let folder = Folder::new("log");
    let log = folder.0.join("log");
    let mut process = Process::start("child", command("early end"), &log, false).unwrap();
    let deadline = Instant::now() + LONG;
    let mut lines = Vec::new();
    while let Line::Text(line) = process.line(deadline) {
        lines.push(line);
    }
    assert!(lines.contains(&"not yet".to_owned()), "{lines:?}");
    assert_eq!(process.line(deadline), Line::End);
    assert!(process.wait(LONG).unwrap().unwrap().success());
    assert!(std::fs::read_to_string(log).unwrap().contains("\nnot yet\n"));
}

#[test]
fn a_child_past_its_limit_is_told_of_and_killed_when_dropped() {
    let folder = Folder::new("late");
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let mut process = Process::start("child", command(&address), &folder.0.join("log"), false).unwrap();
    let deadline = Instant::now() + LONG;
    while process.line(deadline) != Line::Text("connected".to_owned()) {
        assert!(Instant::now() < deadline, "the child does not connect");
    }
    let (mut stream, _) = listener.accept().unwrap();
    assert_eq!(process.line(Instant::now()), Line::Late, "it says no more, and does not end");
    assert_eq!(process.wait(Duration::ZERO), Ok(None));
    drop(process);
    stream.set_read_timeout(Some(LONG)).unwrap();
    let gone = match stream.read(&mut [0]) {
        Ok(read) => read == 0,
        Err(error) => error.kind() == std::io::ErrorKind::ConnectionReset,
    };
    assert!(gone, "its end of the connection is closed");
}

#[test]
fn a_run_past_its_limit_is_an_error() {
    let folder = Folder::new("run");
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let error = Process::run("child", command(&address), &folder.0.join("log"), false, Duration::ZERO).unwrap_err();
    assert!(error.contains("killed"), "{error}");
}
