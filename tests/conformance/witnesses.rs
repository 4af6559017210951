//! §19.2 How clients end, and what they leave running; with this test program as the client.

use std::fs;
use std::io::Read;
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::{Folder, leftovers, witness};

/// What a child is told by.
const ADDRESS: &str = "PLAIN_MCP_TEST_ADDRESS";

/// Not a test: a client that does not end. The open connection tells that it lives.
#[test]
#[ignore = "started by the other tests of this module"]
fn child() {
    let Ok(address) = std::env::var(ADDRESS) else { return };
    TcpStream::connect(address).unwrap().read_to_end(&mut Vec::new()).unwrap();
}

#[test]
fn the_command_is_quoted_for_a_shell() {
    let paths = ["/a b/launcher", "/it's/exits", "/$x/`c`"].map(Path::new);
    let line = witness::command(paths[0], paths[1], paths[2]).unwrap();
    assert_eq!(line, r"'/a b/launcher' '--witness' '/it'\''s/exits' '/$x/`c`'");
}

#[test]
fn what_the_witnesses_left_is_read_with_its_folders() {
    let folder = Folder::new("exits");
    fs::create_dir_all(folder.0.join("auth")).unwrap();
    fs::write(folder.0.join("tools_call"), "exit status: 0").unwrap();
    fs::write(folder.0.join("auth/iss"), "signal: 9 (SIGKILL)").unwrap();
    let exits = witness::exits(&folder.0).unwrap();
    let exits: Vec<(&str, &str)> = exits.iter().map(|(name, exit)| (name.as_str(), exit.as_str())).collect();
    assert_eq!(exits, [("auth/iss", "signal: 9 (SIGKILL)"), ("tools_call", "exit status: 0")]);
    assert!(witness::exits(&folder.0.join("none")).is_err());
}

#[test]
fn a_witness_needs_its_arguments() {
    assert!(witness::run(&["folder".into(), "client".into()]).is_err());
}

#[test]
fn a_client_past_its_limit_is_killed() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--ignored", "--exact", "witnesses::child"]).stdout(Stdio::null());
    let endless = command.env(ADDRESS, listener.local_addr().unwrap().to_string()).spawn().unwrap();
    let (mut stream, _) = listener.accept().unwrap();
    assert_eq!(witness::wait(endless, Duration::ZERO).unwrap(), None);
    let gone = match stream.read(&mut [0]) {
        Ok(read) => read == 0,
        Err(error) => error.kind() == std::io::ErrorKind::ConnectionReset,
    };
    assert!(gone, "its end of the connection is closed");
    let status = witness::wait(command.env_remove(ADDRESS).spawn().unwrap(), Duration::from_secs(60)).unwrap();
    assert!(status.unwrap().success());
}

/// One that has the variable with the run's own value is found and ended; one with another value is not.
#[test]
#[cfg(target_os = "linux")]
fn what_still_runs_is_ended_and_named() {
    let [folder, other] = ["leftovers", "leftovers-other"].map(Folder::new);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut children = [&folder, &other].map(|of| {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--ignored", "--exact", "witnesses::child"]).stdout(Stdio::null());
        command.env(ADDRESS, listener.local_addr().unwrap().to_string()).env(leftovers::VARIABLE, &of.0);
        let child = command.spawn().unwrap();
        (child, listener.accept().unwrap())
    });
    let found = leftovers::end(&folder.0);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].contains(&format!("process {}, ", children[0].0.id())), "{found:?}");
    assert!(found[0].ends_with(": killed"), "{found:?}");
    assert!(!children[0].0.wait().unwrap().success());
    assert_eq!(leftovers::end(&folder.0), [""; 0]);
    assert!(children[1].0.try_wait().unwrap().is_none(), "the other still runs");
    children[1].0.kill().unwrap();
    children[1].0.wait().unwrap();
}
