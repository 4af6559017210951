//! Changes of the catalog while the server runs.

use std::sync::{Arc, Mutex};
use std::thread;

use crossbeam_channel::{bounded, unbounded};
use plain_mcp::{
    CacheHint, Feature, NoArgs, Prompt, PromptMessage, Resource, ResourceTemplate, Server, Tool, ToolOutput, contents,
};
use serde_json::{Value, json};

use crate::kit::Soon;
use crate::kit::{builder, call, tool};

fn server() -> Server {
    let all = [Feature::Tools, Feature::Resources, Feature::Prompts, Feature::Completions];
    all.into_iter().fold(builder(), |builder, feature| builder.offer(feature)).build().unwrap()
}

fn names(server: &Server) -> Vec<String> {
    let sent = call(server, "tools/list", json!({}));
    sent.result()["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}

fn text(server: &Server, name: &str) -> String {
    tool(server, name, json!({})).result()["content"][0]["text"].as_str().unwrap().to_owned()
}

/// Where the text of a list lies: the same place is the same text, not one made anew.
fn place(server: &Server, method: &str) -> usize {
    server.direct().call(method, json!({})).response.answer.unwrap().as_str().as_ptr().addr()
}

#[test]
fn all_or_nothing() {
    covers!("api-6", "api-1");
    let server = server();
    server.edit(|edit| edit.tool(Tool::new("kept", "d"), |_: NoArgs, _| Ok("old"))).unwrap();
    let before = call(&server, "tools/list", json!({})).answer;
    let problems = server
        .edit(|edit| {
            edit.tool(Tool::new("good", "d"), |_: NoArgs, _| Ok(""));
            edit.tool(Tool::new("kept", "d"), |_: NoArgs, _| Ok("new"));
            edit.remove_tool("kept");
            edit.tool(Tool::new("bad", "d").input(json!([])), |_: NoArgs, _| Ok(""));
            edit.resource(Resource::new("nowhere", "r"), |_, _| Ok(contents::text("", "")));
            edit.complete_prompt("none", "a", |_, _| Ok(vec![""]));
            edit.cache("test://none", CacheHint::public(1));
        })
        .unwrap_err()
        .problems;
    assert!(problems.len() >= 4, "{problems:?}");
    assert_eq!((call(&server, "tools/list", json!({})).answer, text(&server, "kept")), (before, "old".to_owned()));
    tool(&server, "good", json!({})).is_error(-32602, "Unknown tool: good", None);
    assert_eq!(call(&server, "resources/list", json!({})).result()["resources"], json!([]));
}

#[test]
fn in_their_order() {
    covers!("api-6");
    let server = server();
    server
        .edit(|edit| {
            edit.tool(Tool::new("a", "d"), |_: NoArgs, _| Ok("1"));
            edit.tool(Tool::new("a", "d"), |_: NoArgs, _| Ok("2")); // at run time the later replaces the earlier
            edit.tool(Tool::new("b", "d"), |_: NoArgs, _| Ok(""));
            edit.remove_tool("b");
            edit.remove_tool("never there");
            edit.remove_tool("c");
            edit.tool(Tool::new("c", "d"), |_: NoArgs, _| Ok("3"));
        })
        .unwrap();
    assert_eq!(names(&server), ["a", "c"]);
    assert_eq!((text(&server, "a"), text(&server, "c")), ("2".into(), "3".into()));
}

#[test]
fn everything_can_come_and_go() {
    covers!("api-6");
    let server = server();
    let read = |uri: &str| call(&server, "resources/read", json!({"uri": uri}));
    server
        .edit(|edit| {
            edit.resource(Resource::new("test://r", "r"), |_, _| Ok(contents::text("", "r")));
            edit.template(ResourceTemplate::new("test://t/{x}", "t"), |_, _| Ok(contents::text("", "t")));
            edit.prompt(Prompt::new("p", "d").arg("a"), |_, _| Ok(PromptMessage::user("p")));
            edit.complete_prompt("p", "a", |_, _| Ok(vec!["v"]));
            edit.complete_template("test://t/{x}", "x", |_, _| Ok(vec!["w"]));
            edit.cache("test://r", CacheHint::public(5));
        })
        .unwrap();
    assert_eq!(
        (read("test://r").result()["ttlMs"].as_u64(), read("test://t/1").result()["ttlMs"].as_u64()),
        (Some(5), Some(0))
    );
    let complete = |reference: Value, name: &str| {
        call(&server, "completion/complete", json!({"ref": reference, "argument": {"name": name, "value": ""}}))
    };
    let (prompt, template) =
        (json!({"type": "ref/prompt", "name": "p"}), json!({"type": "ref/resource", "uri": "test://t/{x}"}));
    assert_eq!(complete(prompt.clone(), "a").result()["completion"]["values"], json!(["v"]));
    assert_eq!(complete(template.clone(), "x").result()["completion"]["values"], json!(["w"]));

    server
        .edit(|edit| {
            edit.remove_resource("test://r");
            edit.remove_template("test://t/{x}");
            edit.remove_prompt("p");
        })
        .unwrap();
    read("test://r").is_error(-32602, "Resource not found", Some(json!({"uri": "test://r"})));
    read("test://t/1").is_error(-32602, "Resource not found", Some(json!({"uri": "test://t/1"})));
    call(&server, "prompts/get", json!({"name": "p"})).is_error(-32602, "Unknown prompt: p", None);
    complete(prompt, "a").is_error(-32602, "Unknown completion prompt: p", None);
    complete(template, "x").is_error(
        -32602,
        "Unknown completion resource template",
        Some(json!({"uri": "test://t/{x}"})),
    );
}

#[test]
fn only_what_is_offered() {
    covers!("api-6");
    let server = builder().build().unwrap();
    let add = |edit: &mut plain_mcp::Edit| {
        edit.tool(Tool::new("t", "d"), |_: NoArgs, _| Ok(""));
        edit.tool(Tool::new("u", "d"), |_: NoArgs, _| Ok("")); // said once
        edit.prompt(Prompt::new("p", "d"), |_, _| Ok(PromptMessage::user("")));
        edit.resource(Resource::new("test://r", "r"), |_, _| Ok(contents::text("", "")));
    };
    let expected = ["Tools", "Prompts", "Resources"]
        .map(|what| format!("{what} are not offered: say so with ServerBuilder::offer"));
    assert_eq!(server.edit(add).unwrap_err().problems, expected);
    call(&server, "tools/list", json!({})).is_error(-32601, "Method not found: tools/list", None);
}

#[test]
fn a_running_request_keeps_what_it_began_with() {
    covers!("api-6");
    let server = server();
    let ((began, begins), (go, goes)) = (unbounded(), bounded::<()>(0));
    server
        .edit(|edit| {
            edit.tool(Tool::new("t", "d"), move |_: NoArgs, _| {
                began.send(()).unwrap();
                goes.soon();
                Ok("the old one")
            });
        })
        .unwrap();
    thread::scope(|scope| {
        let running = scope.spawn(|| text(&server, "t"));
        begins.soon();
        server.edit(|edit| edit.tool(Tool::new("t", "d"), |_: NoArgs, _| Ok("the new one"))).unwrap();
        assert_eq!(text(&server, "t"), "the new one");
        server.edit(|edit| edit.remove_tool("t")).unwrap();
        tool(&server, "t", json!({})).is_error(-32602, "Unknown tool: t", None);
        go.send(()).unwrap();
        assert_eq!(running.join().unwrap(), "the old one");
    });
}

#[test]
fn a_handler_can_edit_its_own_server() {
    covers!("api-6");
    let server = server();
    let own = server.clone();
    server
        .edit(|edit| {
            edit.tool(Tool::new("toggle", "d"), move |_: NoArgs, _| {
                own.edit(|edit| {
                    edit.remove_tool("toggle");
                    edit.tool(Tool::new("late", "d"), |_: NoArgs, _| Ok("here"));
                })
                .map_err(plain_mcp::Interrupt::failed)?;
                Ok("toggled")
            });
        })
        .unwrap();
    assert_eq!(text(&server, "toggle"), "toggled");
    assert_eq!((names(&server), text(&server, "late")), (vec!["late".to_owned()], "here".to_owned()));
}

#[test]
fn serialised_once() {
    covers!("api-7");
    let server = server();
    server.edit(|edit| edit.tool(Tool::new("t", "d"), |_: NoArgs, _| Ok(""))).unwrap();
    for method in ["tools/list", "resources/list", "resources/templates/list", "prompts/list"] {
        assert_eq!(place(&server, method), place(&server, method), "{method}");
    }
    // Held, so that its place is not given to another.
    let before = server.direct().call("tools/list", json!({})).response.answer.unwrap();
    server.edit(|edit| edit.tool(Tool::new("u", "d"), |_: NoArgs, _| Ok(""))).unwrap();
    let after = server.direct().call("tools/list", json!({})).response.answer.unwrap();
    assert_ne!(before, after);
    assert_eq!(after.as_str().as_ptr().addr(), place(&server, "tools/list"));
}

#[test]
fn edits_from_many_threads() {
    covers!("api-6");
    let server = server();
    thread::scope(|scope| {
        for at in 0..8 {
            let server = &server;
            scope.spawn(move || {
                server.edit(|edit| edit.tool(Tool::new(format!("t{at}"), "d"), |_: NoArgs, _| Ok(""))).unwrap()
            });
            scope.spawn(move || assert!(names(server).is_sorted()));
        }
    });
    assert_eq!(names(&server), (0..8).map(|at| format!("t{at}")).collect::<Vec<_>>());
}

#[test]
fn an_edit_that_panics_changes_nothing() {
    covers!("api-6");
    let server = server();
    let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        server.edit(|edit| {
            edit.tool(Tool::new("t", "d"), |_: NoArgs, _| Ok(""));
            panic!("no further");
        })
    }));
    assert!(panicked.is_err());
    assert!(names(&server).is_empty());
    server.edit(|edit| edit.tool(Tool::new("u", "d"), |_: NoArgs, _| Ok(""))).unwrap();
    assert_eq!(names(&server), ["u"]);
}

#[test]
fn a_replaced_tool_is_checked_by_its_own_schema() {
    covers!("api-6", "5.2-5");
    let server = server();
    let with = |schema: Value| {
        server
            .edit(|edit| {
                edit.tool(Tool::new("t", "d").input(schema), |args: Value, _| Ok(ToolOutput::structured(args)))
            })
            .unwrap();
    };
    with(json!({"type": "object", "required": ["a"]}));
    assert_eq!(tool(&server, "t", json!({})).result()["isError"], true);
    with(json!({"type": "object", "required": ["b"]}));
    assert_eq!(tool(&server, "t", json!({"a": 1})).result()["isError"], true);
    assert_eq!(tool(&server, "t", json!({"b": 1})).result()["isError"], false);
}

#[test]
fn what_is_removed_is_dropped() {
    covers!("api-6");
    let server = server();
    let held = Arc::new(Mutex::new(0));
    let weak = Arc::downgrade(&held);
    server
        .edit(move |edit| edit.tool(Tool::new("t", "d"), move |_: NoArgs, _| Ok(held.lock().unwrap().to_string())))
        .unwrap();
    assert_eq!(text(&server, "t"), "0");
    assert!(weak.upgrade().is_some());
    server.edit(|edit| edit.remove_tool("t")).unwrap();
    assert!(weak.upgrade().is_none(), "with its handler goes what the handler holds");
}

#[test]
fn what_is_dropped_may_call_the_server() {
    covers!("api-12");
    /// Removes a tool of its server when it is dropped.
    struct Tidies(Server, &'static str);
    impl Tidies {
        fn name(&self) -> &'static str {
            self.1
        }
    }
    impl Drop for Tidies {
        fn drop(&mut self) {
            self.0.edit(|edit| edit.remove_tool(self.1)).unwrap();
        }
    }
    let server = server();
    let tidies = Tidies(server.clone(), "b");
    server
        .edit(|edit| {
            edit.tool(Tool::new("a", "d"), move |_: NoArgs, _| Ok(tidies.name()));
            edit.tool(Tool::new("b", "d"), |_: NoArgs, _| Ok(""));
        })
        .unwrap();
    server.edit(|edit| edit.remove_tool("a")).unwrap();
    assert!(names(&server).is_empty());
    let tidies = Tidies(server.clone(), "c");
    let refused = server.edit(|edit| {
        edit.tool(Tool::new("a", "d"), move |_: NoArgs, _| Ok(tidies.name()));
        edit.cache("test://none", CacheHint::public(1));
    });
    assert!(refused.is_err());
}
