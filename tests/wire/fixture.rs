//! §19.1 The fixture as a process: the line that says it is ready, its options, and its end.

use std::fs;
use std::process::Stdio;

use serde_json::{Value, json};

use super::kit::{CAPS, meta_and, request};
use super::loopback::Client;
use super::process::Fixture;

fn connect(fixture: &Fixture) -> Client {
    Client::connect(fixture.address())
}

fn post(client: &mut Client, method: &str, params: Value) {
    let body = request(method, params).to_string();
    let port = client.stream.peer_addr().unwrap().port();
    let head = format!(
        "POST /mcp HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\ncontent-type: application/json\r\n\
         accept: application/json, text/event-stream\r\nmcp-protocol-version: 2026-07-28\r\nmcp-method: {method}\r\n\
         content-length: {}\r\n\r\n",
        body.len()
    );
    client.send(head).send(body);
}

fn discovers(client: &mut Client) {
    post(client, "server/discover", json!({}));
    let answer = client.answer();
    assert_eq!(answer.status, 200);
    assert!(answer.text().contains("plain-mcp-conformance"), "{answer:?}");
}

#[test]
fn it_says_when_it_is_ready_and_ends_with_its_input() {
    covers!("19.1-1", "19.1-2", "19.1-3");
    let fixture = Fixture::start(&[], &[("MCP_PORT", "0")], Stdio::piped());
    let mut client = connect(&fixture);
    discovers(&mut client);
    post(&mut client, "subscriptions/listen", json!({"notifications": {}})); // an open stream does not hold it
    assert_eq!(client.head().status, 200);
    let event = |client: &mut Client| String::from_utf8(client.chunk()).unwrap();
    assert!(event(&mut client).contains("subscriptions/acknowledged"));
    assert!(fixture.end().success());
    assert!(event(&mut client).contains(r#""resultType":"complete""#));
}

#[test]
fn two_at_a_time_have_two_ports() {
    covers!("19.1-2");
    let start = || Fixture::start(&["--port", "0"], &[("MCP_PORT", "1")], Stdio::piped());
    let (one, two) = (start(), start());
    discovers(&mut connect(&one));
    discovers(&mut connect(&two));
    assert!(one.end().success());
    assert!(two.end().success());
}

#[test]
fn an_input_that_nobody_holds_ends_it_only_when_it_is_told_so() {
    covers!("19.1-3");
    let mut stays = Fixture::start(&["--port", "0"], &[], Stdio::null());
    let managed = Fixture::start(&["--port", "0"], &[("MCP_CONFORMANCE_MANAGED", "1")], Stdio::null());
    assert!(managed.line().contains("conformanceReady"));
    assert!(managed.end().success());
    discovers(&mut connect(&stays));
    assert!(stays.is_running());
}

#[test]
fn the_same_server_on_stdio() {
    covers!("19.1-4");
    let mut fixture = Fixture::start(&["--stdio"], &[], Stdio::piped());
    let answer = fixture.ask(&request("server/discover", json!({})));
    assert_eq!(answer["result"]["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "plain-mcp-conformance");
    assert!(fixture.end().success());
}

#[test]
fn a_secret_makes_two_processes_one_server() {
    const SECRET: &str = "a secret of more than 32 bytes, for a test";
    let file = std::env::temp_dir().join(format!("plain-mcp-fixture-{}.secret", std::process::id()));
    fs::write(&file, [SECRET, "\n"].concat()).unwrap();
    let file_name = file.to_str().unwrap();

    let name = "test_input_required_result_request_state";
    let meta = meta_and(json!({CAPS: {"elicitation": {}}}));
    let mut one = Fixture::start(&["--stdio"], &[("MCP_STATE_SECRET", SECRET)], Stdio::piped());
    let first = one.ask(&request("tools/call", json!({"name": name, "arguments": {}, "_meta": meta})));
    let next = json!({"name": name, "arguments": {}, "_meta": meta, "requestState": first["result"]["requestState"],
        "inputResponses": {"confirm": {"action": "accept", "content": {"ok": true}}}});
    let mut two = Fixture::start(&["--stdio", "--secret-file", file_name], &[], Stdio::piped());
    let second = two.ask(&request("tools/call", next.clone()));
    fs::remove_file(&file).unwrap();
    assert_eq!(second["result"]["content"][0]["text"], "state-ok: ok is true");
    let mut stranger = Fixture::start(&["--stdio"], &[], Stdio::piped());
    assert_eq!(stranger.ask(&request("tools/call", next))["error"]["message"], "Invalid or expired request state");
}

#[test]
fn what_it_cannot_do_it_says_with_its_exit_code() {
    let code = |arguments: &[&str], environment: &[(&str, &str)]| {
        Fixture::start(arguments, environment, Stdio::null()).end().code()
    };
    assert_eq!(code(&["--help"], &[]), Some(0));
    assert_eq!(code(&["--nope"], &[]), Some(2));
    assert_eq!(code(&["--stdio"], &[("MCP_STATE_SECRET", "too short")]), Some(1));
    assert_eq!(code(&["--stdio", "--secret-file", "/no such file"], &[]), Some(1));
}
