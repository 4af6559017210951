//! §8.1 Logging.

use std::thread;

use plain_mcp::{Context, Level, NoArgs, Server, ServerBuilder, Tool, text};
use serde_json::{Value, json};

use crate::kit::{LEVEL, Sent, builder, call, meta_and};

const LEVELS: [&str; 8] = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

/// A tool that logs at every level, the gravest first.
fn logging(builder: ServerBuilder) -> Server {
    let run = |_: NoArgs, cx: &Context<'_>| {
        for level in Level::ALL.into_iter().rev() {
            cx.log(level, "logger", format!("{level} message"));
        }
        Ok(text("logged"))
    };
    builder.tool(Tool::new("log", "Logs"), run).build().unwrap()
}

fn logged(server: &Server, level: &str) -> Sent {
    call(server, "tools/call", json!({"name": "log", "_meta": meta_and(json!({LEVEL: level}))}))
}

#[test]
fn a_server_that_logs_says_so() {
    covers!("8.1-1");
    let discovered = call(&logging(builder()), "server/discover", json!({}));
    assert_eq!(discovered.result()["capabilities"]["logging"], json!({}));
    let silent = logging(builder().no_logging());
    assert_eq!(call(&silent, "server/discover", json!({})).result()["capabilities"].get("logging"), None);
    assert_eq!(logged(&silent, "debug").notifications, Vec::<Value>::new());
}

#[test]
fn without_a_level_nothing_is_logged() {
    covers!("8.1-2");
    let server = logging(builder());
    for more in [json!({}), json!({"progressToken": "t"}), json!({"logLevel": "debug", "level": "debug"})] {
        let sent = call(&server, "tools/call", json!({"name": "log", "logLevel": "debug", "_meta": meta_and(more)}));
        assert_eq!(sent.notifications, Vec::<Value>::new());
        assert_eq!(sent.result()["content"][0]["text"], "logged");
    }
    // nor after a request that named one
    assert_eq!(logged(&server, "debug").notifications.len(), 8);
    assert_eq!(call(&server, "tools/call", json!({"name": "log"})).notifications, Vec::<Value>::new());
}

#[test]
fn a_level_lets_the_graver_ones_through() {
    covers!("8.1-3", "8.1-4");
    let server = logging(builder());
    for (lowest, wanted) in LEVELS.iter().enumerate() {
        let sent = logged(&server, wanted);
        let due: Vec<Value> = LEVELS[lowest..]
            .iter()
            .rev()
            .map(|level| {
                json!({"jsonrpc": "2.0", "method": "notifications/message",
                    "params": {"level": level, "logger": "logger", "data": format!("{level} message")}})
            })
            .collect();
        assert_eq!(sent.notifications, due);
    }
}

#[test]
fn data_is_any_json_and_the_logger_may_be_left_out() {
    covers!("8.1-4", "8.1-5");
    let values = json!([null, true, 0, -1.5, "", "a\n\u{2028}", [], [1, [2]], {}, {"a": {"b": null}}]);
    let data = values.clone();
    let run = move |_: NoArgs, cx: &Context<'_>| {
        data.as_array().unwrap().iter().for_each(|value| cx.log(Level::Info, "", value));
        Ok(text(""))
    };
    let server = builder().tool(Tool::new("log", "Logs"), run).build().unwrap();
    let sent = logged(&server, "info");
    let due: Vec<Value> = values
        .as_array()
        .unwrap()
        .iter()
        .map(|value| json!({"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": value}}))
        .collect();
    assert_eq!(sent.notifications, due); // hence no id of the request, neither as an id nor elsewhere
}

#[test]
fn messages_go_to_their_own_request() {
    covers!("8.1-6");
    let server = logging(builder());
    let streams = thread::scope(|scope| {
        let calls = ["emergency", "debug", "error"].map(|level| {
            scope.spawn({
                let server = &server;
                move || logged(server, level).notifications.len()
            })
        });
        calls.map(|call| call.join().unwrap())
    });
    assert_eq!(streams, [1, 8, 4]);
}

#[test]
fn a_listen_stream_has_no_messages() {
    covers!("8.1-6", "8.2-7");
    let server = logging(builder().list_changed());
    server.end_streams(); // the stream ends at once
    let listen = json!({"notifications": {"toolsListChanged": true}, "_meta": meta_and(json!({LEVEL: "debug", "progressToken": 1}))});
    let sent = call(&server, "subscriptions/listen", listen);
    let methods: Vec<&Value> = sent.notifications.iter().map(|note| &note["method"]).collect();
    assert_eq!(methods, [&json!("notifications/subscriptions/acknowledged")]);
}
