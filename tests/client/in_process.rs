//! §18 Calls to a server in this process.

use plain_mcp::client::{Cancel, Change, Client, Error};
use plain_mcp::types::ElicitResult;
use plain_mcp::{NoArgs, Server, Tool, elicit, text};
use serde_json::json;

fn server() -> Server {
    Server::builder("demo", "1")
        .list_changed()
        .tool(Tool::new("hello", "Says hello"), |_: NoArgs, _| Ok(text("Hello")))
        .tool(Tool::new("greet", "Asks for a name"), |_: NoArgs, cx| {
            let who = cx.ask("name", elicit::form("Your name?").string("name").required())?;
            Ok(text(format!("Hello, {}!", who.str("name")?)))
        })
        .tool(Tool::new("steps", "Reports progress"), |_: NoArgs, cx| {
            for step in 1..=3 {
                cx.progress(f64::from(step), Some(3.0), "");
            }
            Ok(text("done"))
        })
        .tool(Tool::new("forever", "Waits for a cancel"), |_: NoArgs, cx| {
            let _ = cx.cancel_token().channel().recv();
            Ok(text("too late"))
        })
        .build()
        .unwrap()
}

#[test]
fn a_tool_is_listed_and_called() {
    covers!("18.3-19");
    let client = Client::direct(&server()).connect().unwrap();
    let names: Vec<String> = client.tools().call().unwrap().iter().map(|tool| tool.name.clone()).collect();
    assert_eq!(names, ["forever", "greet", "hello", "steps"]);
    assert_eq!(client.tool("hello", ()).call().unwrap().text(), "Hello");
}

#[test]
fn a_form_is_answered() {
    covers!("18.3-19");
    let client =
        Client::direct(&server()).on_elicit(|_| Ok(ElicitResult::accept(None).field("name", "Ada"))).connect().unwrap();
    assert_eq!(client.tool("greet", json!({})).call().unwrap().text(), "Hello, Ada!");
}

#[test]
fn progress_is_heard() {
    covers!("18.3-19");
    let client = Client::direct(&server()).connect().unwrap();
    let mut heard = Vec::new();
    client.tool("steps", ()).on_progress(|progress| heard.push(progress.progress)).call().unwrap();
    assert_eq!(heard, [1.0, 2.0, 3.0]);
}

#[test]
fn a_call_is_cancelled_from_another_thread() {
    covers!("18.3-18");
    let client = Client::direct(&server()).connect().unwrap();
    let cancel = Cancel::new();
    std::thread::scope(|scope| {
        scope.spawn(|| cancel.cancel());
        assert_eq!(client.tool("forever", ()).cancel(&cancel).call().unwrap_err(), Error::Cancelled);
    });
}

#[test]
fn a_change_is_heard() {
    covers!("18.1-31");
    let server = server();
    let client = Client::direct(&server).connect().unwrap();
    let mut changes = client.listen().tools().open().unwrap();
    server
        .edit(|edit| {
            edit.tool(Tool::new("new", "New"), |_: NoArgs, _| Ok(text("new")));
        })
        .unwrap();
    assert_eq!(changes.next_change().unwrap(), Some(Change::Tools));
    server.end_streams();
    assert_eq!(changes.next_change().unwrap(), None);
}

#[test]
fn a_handler_that_never_returns_is_not_waited_for() {
    covers!("18.3-18");
    let client = Client::direct(&server()).connect().unwrap();
    let limit = std::time::Duration::from_millis(50);
    assert_eq!(
        client.tool("forever", ()).timeout(limit).call().unwrap_err(),
        Error::Timeout { waiting_for: "answer", limit }
    );
    std::thread::scope(|scope| {
        let call = scope.spawn(|| client.tool("forever", ()).call());
        scope.spawn(|| client.close());
        assert_eq!(call.join().unwrap().unwrap_err(), Error::Cancelled);
    });
    assert_eq!(client.tool("hello", ()).call().unwrap_err(), Error::Cancelled);
}

#[test]
fn what_a_server_says_is_what_it_would_say_by_wire() {
    covers!("18.3-19");
    let client = Client::direct(&server()).connect().unwrap();
    let error = client.tool("nope", ()).call().unwrap_err();
    assert_eq!(
        (error.server().unwrap().code, error.server().unwrap().message.as_str()),
        (-32602, "Unknown tool: nope")
    );
    assert_eq!(client.server_info().unwrap().name, "demo");
    assert_eq!(client.version(), "2026-07-28");
    // without a handler the server may not ask
    assert_eq!(client.tool("greet", ()).call().unwrap_err().server().unwrap().code, -32021);
    client.notify("notifications/whatever", json!({"a": 1})).unwrap();
}
