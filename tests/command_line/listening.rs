//! Listening, with an end of its own and with one from outside.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use crate::{MCP, Served, stdio};

#[test]
fn listening_ends_when_it_should() {
    let ran = stdio(&["--seconds", "0.05"], &["listen", "test://static-text"], "");
    assert_eq!(ran.out(0), "");
    assert!(ran.err.starts_with("granted: {"), "{}", ran.err);
}

#[test]
fn changes_are_printed_until_the_server_ends() {
    let served = Served::new("listen");
    let mut command = Command::new(&*MCP);
    command.args(["--json", "http", served.url(), "listen"]);
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut err = BufReader::new(child.stderr.take().unwrap()).lines();
    assert!(err.next().unwrap().unwrap().starts_with("granted: "));
    served.mcp(&[], &["call", "test_trigger_prompt_change"], "").out(0);
    let mut out = BufReader::new(child.stdout.take().unwrap()).lines();
    assert_eq!(out.next().unwrap().unwrap(), r#"{"changed":"prompts"}"#);
    drop(served);
    assert!(out.next().is_none());
    assert_eq!(err.map(Result::unwrap).collect::<Vec<_>>(), [""; 0]);
    assert_eq!(child.wait().unwrap().code(), Some(0), "the server has ended the subscription as it should");
}
