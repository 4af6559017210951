//! The fixture over its two transports.

use std::process::Command;

use plain_mcp::client::{Client, Error};
use plain_mcp::types::ElicitResult;
use plain_mcp::{NoArgs, Server, Tool, elicit, text};
use serde_json::json;

fn fixture() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fixture"));
    command.arg("--stdio");
    command
}

#[test]
fn stdio_calls() {
    let client =
        Client::stdio(fixture()).on_elicit(|form| Ok(ElicitResult::accept(Some(form.defaults())))).connect().unwrap();
    assert_eq!(client.version(), "2026-07-28");
    assert!(client.tools().call().unwrap().len() > 5);
    let mut heard = 0;
    let done = client.tool("test_tool_with_progress", json!({})).on_progress(|_| heard += 1).call().unwrap();
    assert!(!done.is_error());
    assert_eq!(heard, 3);
    client.close();
    assert_eq!(client.tools().call().unwrap_err(), Error::Cancelled);
}

#[test]
fn http_calls() {
    let server = Server::builder("demo", "1")
        .tool(Tool::new("hello", "Says hello"), |_: NoArgs, _| Ok(text("Hello")))
        .tool(Tool::new("greet", "Asks for a name"), |_: NoArgs, cx| {
            let who = cx.ask("name", elicit::form("Your name?").string("name").required())?;
            Ok(text(format!("Hello, {}!", who.str("name")?)))
        })
        .build()
        .unwrap();
    let host = plain_mcp::http::Host::bind(&server, "127.0.0.1:0").unwrap();
    let url = host.url();
    let handle = host.start().unwrap();
    let client =
        Client::http(&url).on_elicit(|_| Ok(ElicitResult::accept(None).field("name", "Ada"))).connect().unwrap();
    for _ in 0..3 {
        assert_eq!(client.tool("hello", ()).call().unwrap().text(), "Hello");
    }
    assert_eq!(client.tool("greet", ()).call().unwrap().text(), "Hello, Ada!");
    let error = client.tool("nope", ()).call().unwrap_err();
    assert_eq!(error.server().unwrap().code, -32602);
    drop(client);
    handle.shutdown().unwrap();
}
