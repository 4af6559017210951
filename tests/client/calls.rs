//! §5 §6 §8 §9 Calls: what is sent, what is read, what is heard meanwhile, and how they end.

use std::sync::mpsc;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use plain_mcp::client::{Cancel, Client, ClientLimits, Error, Problem, ServerError};
use plain_mcp::types::{ContentBlock, Level};
use serde_json::{Value, json};

use crate::script::{Asked, Script, discovered, error, modern, raw, result, said, stream};

fn client(script: &Script) -> Client {
    Client::http(&script.url).info("tester", "7").connect().unwrap()
}

#[test]
fn each_request_says_all_of_itself() {
    covers!("18.1-1", "18.1-2");
    let script = modern(json!([]), |call| result(call, said("ok")));
    let client = client(&script);
    client.tool("t", json!({"a": 1})).meta("traceparent", "00-1-2-01").call().unwrap();
    client.tool("t", ()).call().unwrap();
    let asked = script.asked();
    let methods: Vec<&str> = asked.iter().map(Asked::method).collect();
    assert_eq!(methods, ["server/discover", "tools/list", "tools/call", "tools/call"]);
    let ids: Vec<i64> = asked.iter().map(|asked| asked.id().as_i64().unwrap()).collect();
    assert_eq!(ids, [1, 2, 3, 4]);
    for asked in &asked {
        assert_eq!(asked.body["jsonrpc"], "2.0");
        let meta = &asked.params()["_meta"];
        assert_eq!(meta["io.modelcontextprotocol/protocolVersion"], "2026-07-28");
        assert_eq!(meta["io.modelcontextprotocol/clientInfo"], json!({"name": "tester", "version": "7"}));
        assert_eq!(meta["io.modelcontextprotocol/clientCapabilities"], json!({}));
    }
    assert_eq!(asked[2].params()["arguments"], json!({"a": 1}));
    assert_eq!(asked[2].params()["_meta"]["traceparent"], "00-1-2-01");
    assert_eq!(asked[3].params().get("arguments"), None);
    assert_eq!(asked[3].params()["_meta"].get("traceparent"), None);
}

#[test]
fn pages_are_followed_by_their_cursors() {
    covers!("18.1-3");
    let script = Script::start(|asked| match asked.method() {
        "server/discover" => result(asked, discovered()),
        _ => match asked.params().get("cursor") {
            None => result(asked, json!({"prompts": [{"name": "a"}], "nextCursor": ""})),
            Some(cursor) if cursor == "" => result(asked, json!({"prompts": [{"name": "b"}], "nextCursor": "x y"})),
            Some(_) => result(asked, json!({"prompts": [{"name": "c"}]})),
        },
    });
    let names: Vec<String> = client(&script).prompts().call().unwrap().iter().map(|it| it.name.clone()).collect();
    assert_eq!(names, ["a", "b", "c"]);
    let cursors: Vec<Option<Value>> = script.asked()[1..].iter().map(|it| it.params().get("cursor").cloned()).collect();
    assert_eq!(cursors, [None, Some(json!("")), Some(json!("x y"))]);
}

#[test]
fn pages_without_an_end_are_an_error() {
    covers!("18.1-4");
    let script = modern(json!(null), |asked| result(asked, json!({"resources": [], "nextCursor": "again"})));
    let error = client(&script).resources().call().unwrap_err();
    assert_eq!(error, Error::Protocol("resources/list gave the same cursor twice".to_owned()));
    assert_eq!(script.methods().len(), 3);

    let count = Mutex::new(0);
    let script = modern(json!(null), move |asked| {
        let mut count = count.lock().unwrap();
        *count += 1;
        result(asked, json!({"resources": [], "nextCursor": count.to_string()}))
    });
    let limits = ClientLimits { pages: 4, ..ClientLimits::default() };
    let client = Client::http(&script.url).limits(limits).connect().unwrap();
    let error = client.resources().call().unwrap_err();
    assert_eq!(error, Error::TooLarge { what: "the number of pages of a list", limit: 4 });
    assert_eq!(script.methods().len(), 5);
}

#[test]
fn one_bad_item_does_not_lose_the_others() {
    covers!("18.1-5", "18.1-6");
    let script = modern(json!(null), |asked| {
        result(
            asked,
            json!({"resources": [{"uri": "a:1", "name": "one", "later": {"x": 12345678901234567_i64}}, {"uri": "a:2"}, 3]}),
        )
    });
    let (heard, problems) = mpsc::channel();
    let heard = Mutex::new(heard);
    let client = Client::http(&script.url)
        .on_problem(move |problem| heard.lock().unwrap().send(problem.clone()).unwrap())
        .connect();
    let resources = client.unwrap().resources().call().unwrap();
    assert_eq!(resources.len(), 1);
    assert_eq!(resources[0].uri, "a:1");
    assert_eq!(resources[0].raw()["later"]["x"], json!(12345678901234567_i64));
    let texts: Vec<String> = problems.try_iter().map(|problem| problem.to_string()).collect();
    assert_eq!(texts.len(), 2);
    assert!(texts[0].starts_with("skipped: \"a:2\" among resources"), "{texts:?}");
}

#[test]
fn what_is_not_known_is_kept() {
    covers!("18.1-6", "18.1-7");
    let script = modern(json!([]), |asked| {
        result(
            asked,
            json!({"resultType": "complete", "content": [
            {"type": "text", "text": "one", "annotations": {"priority": 0.5, "mood": "blue"}},
            {"type": "hologram", "depth": 3},
            {"type": "text", "text": "two"}], "structuredContent": null, "extra": 18446744073709551615_u64}),
        )
    });
    let answer = client(&script).tool("t", ()).call().unwrap();
    let content = answer.content();
    assert!(matches!(content[0].known(), Some(ContentBlock::Text(text)) if text.text == "one"));
    assert_eq!(content[0].raw()["annotations"]["mood"], "blue");
    assert_eq!(content[1].known(), None);
    assert_eq!(content[1].raw(), &json!({"type": "hologram", "depth": 3}));
    assert_eq!(answer.text(), "one\ntwo");
    assert_eq!(answer.structured(), Some(&Value::Null));
    assert_eq!(answer.raw()["extra"], json!(18446744073709551615_u64));
}

#[test]
fn structured_answers_are_any_json() {
    covers!("18.1-7");
    for value in [json!([1, 2]), json!(7), json!("x"), json!(true), json!({"a": null})] {
        let said = value.clone();
        let script = modern(json!([]), move |asked| {
            result(asked, json!({"resultType": "complete", "content": [], "structuredContent": said}))
        });
        assert_eq!(client(&script).tool("t", ()).call().unwrap().structured(), Some(&value));
    }
    let script = modern(json!([]), |asked| result(asked, said("plain")));
    assert_eq!(client(&script).tool("t", ()).call().unwrap().structured(), None);
}

#[test]
fn an_answer_can_be_checked_against_its_schema() {
    covers!("18.1-8");
    let tools = json!([
        {"name": "broken", "inputSchema": {"type": "object"}, "outputSchema": {"$ref": "#/$defs/nope"}},
        {"name": "fine", "inputSchema": {"type": "object"},
            "outputSchema": {"type": "object", "properties": {"v": {"type": "integer"}}, "required": ["v"]}},
        {"name": "free", "inputSchema": {"type": "object"}},
    ]);
    let script = modern(tools, |asked| {
        let v = if asked.params()["name"] == "fine" { json!({"v": 1}) } else { json!({"v": "x"}) };
        result(asked, json!({"resultType": "complete", "content": [], "structuredContent": v}))
    });
    let client = client(&script);
    let tools = client.tools().call().unwrap();
    assert_eq!(tools.len(), 3, "a schema that cannot be used hides no tool");
    let fine = client.tool("fine", ()).call().unwrap();
    assert_eq!(fine.fits(&tools[1]), Ok(()));
    let broken = client.tool("broken", ()).call().unwrap();
    assert!(broken.fits(&tools[0]).unwrap_err().starts_with("the output schema cannot be used: "));
    assert!(broken.fits(&tools[1]).is_err());
    assert_eq!(broken.fits(&tools[2]), Ok(()));
}

#[test]
fn a_failed_tool_is_no_error_until_it_is_checked() {
    covers!("18.1-19");
    let script = modern(json!([]), |asked| {
        result(
            asked,
            json!({"resultType": "complete", "content": [{"type": "text", "text": "no such city"}], "isError": true}),
        )
    });
    let answer = client(&script).tool("t", ()).call().unwrap();
    assert!(answer.is_error());
    assert_eq!(answer.check().unwrap_err().to_string(), "the tool failed: no such city");
}

#[test]
fn what_the_server_says_keeps_its_code() {
    covers!("18.1-20", "18.1-21");
    let script = modern(json!([]), |asked| {
        error(asked, 400, json!({"code": -32602, "message": "Unknown tool: x", "data": {"a": null}}))
    });
    let error = client(&script).tool("x", ()).call().unwrap_err();
    let said = ServerError { code: -32602, message: "Unknown tool: x".to_owned(), data: Some(json!({"a": null})) };
    assert_eq!(error, Error::Server(said));
    assert_eq!(error.to_string(), "the server answered with error -32602: Unknown tool: x");

    for code in [-32002, -32602] {
        let said = ServerError { code, message: "Resource not found".to_owned(), data: Some(json!({"uri": "a:1"})) };
        assert!(said.is_resource_not_found());
    }
    let other = ServerError { code: -32602, message: "bad".to_owned(), data: None };
    assert!(!other.is_resource_not_found());
}

#[test]
fn faults_of_this_side_have_no_code() {
    covers!("18.1-20");
    let script = modern(json!([]), |_| raw(500, "content-type: text/plain\r\n", "oh dear"));
    let client = client(&script);
    let error = client.tool("x", ()).call().unwrap_err();
    assert_eq!(error.server(), None);
    assert_eq!(error.to_string(), "the server answered with status 500: oh dear");
    assert!(matches!(client.tool("x", json!([1])).call(), Err(Error::Invalid(_))));
    assert!(matches!(client.request("x", json!(1)).call(), Err(Error::Invalid(_))));
    assert!(matches!(client.notify("x", json!(1)), Err(Error::Invalid(_))));
    assert!(matches!(Client::http("ftp://x/").connect(), Err(Error::Invalid(_))));
    assert!(matches!(Client::http(&script.url).version("1999-01-01").connect(), Err(Error::Invalid(_))));
    let gone = Script::start(|_| Vec::new()).url.clone();
    assert!(matches!(Client::http(&gone).connect(), Err(Error::Transport { sent: false, .. })));
}

#[test]
fn progress_and_log_messages_are_heard_in_order() {
    covers!("18.1-22", "18.1-23");
    let script = modern(json!([]), |asked| {
        let meta = &asked.params()["_meta"];
        assert_eq!(meta["progressToken"], *asked.id());
        assert_eq!(meta["io.modelcontextprotocol/logLevel"], "info");
        let progress = |n: i32| {
            json!({"jsonrpc": "2.0", "method": "notifications/progress",
            "params": {"progressToken": asked.id(), "progress": n, "total": 2, "message": "step"}})
        };
        let log = |level: &str| {
            json!({"jsonrpc": "2.0", "method": "notifications/message",
            "params": {"level": level, "logger": "l", "data": {"level": level}}})
        };
        let other = json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progressToken": "p", "progress": 9}});
        let answer = json!({"jsonrpc": "2.0", "id": asked.id(), "result": said("done")});
        stream(&[progress(1), log("debug"), log("error"), other, progress(2), answer])
    });
    let heard = Mutex::new(Vec::new());
    let answer = client(&script)
        .tool("t", ())
        .on_progress(|it| heard.lock().unwrap().push(format!("{}/{:?} {:?}", it.progress, it.total, it.message)))
        .on_log(Level::Info, |it| heard.lock().unwrap().push(format!("{:?} {:?} {}", it.level, it.logger, it.data)))
        .call()
        .unwrap();
    assert_eq!(answer.text(), "done");
    let heard = heard.into_inner().unwrap();
    assert_eq!(
        heard,
        ["1/Some(2.0) Some(\"step\")", "Error Some(\"l\") {\"level\":\"error\"}", "2/Some(2.0) Some(\"step\")",]
    );
}

#[test]
fn unknown_notifications_go_to_whoever_listens() {
    covers!("18.1-24");
    let script = modern(json!([]), |asked| {
        let future = json!({"jsonrpc": "2.0", "method": "notifications/future/thing", "params": {"a": 1}});
        let bare = json!({"jsonrpc": "2.0", "method": "notifications/bare"});
        let answer = json!({"jsonrpc": "2.0", "id": asked.id(), "result": said("done")});
        stream(&[future, bare, answer])
    });
    let heard = Arc::<Mutex<Vec<String>>>::default();
    let ours = Arc::clone(&heard);
    let client = Client::http(&script.url)
        .on_notification(move |method, params| ours.lock().unwrap().push(format!("{method} {}", json!(params))))
        .connect()
        .unwrap();
    assert_eq!(client.tool("t", ()).call().unwrap().text(), "done");
    assert_eq!(*heard.lock().unwrap(), ["notifications/future/thing {\"a\":1}", "notifications/bare {}"]);
}

#[test]
fn a_request_of_a_stateless_server_is_reported_and_not_answered() {
    covers!("18.1-25");
    let script = modern(json!([]), |asked| {
        let request = json!({"jsonrpc": "2.0", "id": 9, "method": "roots/list"});
        let answer = json!({"jsonrpc": "2.0", "id": asked.id(), "result": said("done")});
        stream(&[request, answer])
    });
    let problems = Arc::<Mutex<Vec<Problem>>>::default();
    let ours = Arc::clone(&problems);
    let client = Client::http(&script.url)
        .on_problem(move |it| ours.lock().unwrap().push(it.clone()))
        .roots([])
        .connect()
        .unwrap();
    assert_eq!(client.tool("t", ()).call().unwrap().text(), "done");
    assert_eq!(script.methods(), ["server/discover", "tools/list", "tools/call"]);
    let said = "skipped: the request roots/list of a server, which may send none";
    assert_eq!(problems.lock().unwrap().iter().map(Problem::to_string).collect::<Vec<_>>(), [said]);
}

/// A server that answers no call until it is told to.
fn silent() -> (Script, mpsc::Sender<()>) {
    let (go, may_go) = mpsc::channel();
    let may_go = Mutex::new(may_go);
    let script = modern(json!([]), move |asked| {
        let _ = may_go.lock().unwrap().recv();
        result(asked, said("late"))
    });
    (script, go)
}

#[test]
fn a_silent_server_is_not_waited_for() {
    covers!("18.1-26");
    let (script, _go) = silent();
    let client = client(&script);
    let limit = Duration::from_millis(50);
    let error = client.tool("t", ()).timeout(limit).call().unwrap_err();
    assert_eq!(error, Error::Timeout { waiting_for: "answer", limit });
}

#[test]
fn the_maximum_holds_whatever_comes() {
    covers!("18.1-27");
    // progress without an end
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let server = std::thread::spawn(move || {
        use std::io::{Read, Write};
        let (mut stream, _) = listener.accept().unwrap();
        let mut room = [0; 4096];
        let read = stream.read(&mut room).unwrap();
        assert!(room[..read].starts_with(b"POST / HTTP/1.1\r\n"));
        stream.write_all(b"HTTP/1.1 200 X\r\ncontent-type: text/event-stream\r\n\r\n").unwrap();
        let progress = "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":2,\"progress\":1}}\n\n";
        while stream.write_all(progress.as_bytes()).is_ok() {} // until the client hangs up
    });
    // the probe fails at once, so that what is measured is `initialize`
    let limits = ClientLimits { timeout: Duration::from_millis(200), ..ClientLimits::default() };
    let started = Client::http(&url).version("2025-11-25").limits(limits).connect();
    assert!(matches!(started, Err(Error::Timeout { .. })), "{started:?}");
    server.join().unwrap();
}

#[test]
fn a_call_ends_from_another_thread() {
    covers!("18.1-28");
    let (script, _go) = silent();
    let client = client(&script);
    let cancel = Cancel::new();
    let (begun, has_begun) = mpsc::channel();
    std::thread::scope(|scope| {
        let call = scope.spawn(|| {
            begun.send(()).unwrap();
            client.tool("t", ()).cancel(&cancel).call()
        });
        has_begun.recv().unwrap();
        cancel.cancel();
        assert_eq!(call.join().unwrap().unwrap_err(), Error::Cancelled);
    });
    assert_eq!(client.tool("t", ()).cancel(&cancel).call().unwrap_err(), Error::Cancelled, "once and for all");
}

#[test]
fn closing_ends_calls_of_other_threads() {
    covers!("18.1-29");
    let (script, _go) = silent();
    let client = client(&script);
    std::thread::scope(|scope| {
        let call = scope.spawn(|| client.tool("t", ()).call());
        while script.methods().iter().filter(|method| *method == "tools/call").count() == 0 {
            std::thread::yield_now();
        }
        client.close();
        assert_eq!(call.join().unwrap().unwrap_err(), Error::Cancelled);
    });
    assert_eq!(client.tools().call().unwrap_err(), Error::Cancelled);
    client.close();
}

#[test]
fn other_methods_and_results() {
    covers!("18.1-30");
    let script = modern(json!(null), |asked| match asked.method() {
        "prompts/get" => {
            assert_eq!(asked.params()["arguments"], json!({"a": "1", "b": "2"}));
            result(
                asked,
                json!({"description": "d", "messages": [
                {"role": "user", "content": {"type": "text", "text": "hi"}}, {"role": "user", "content": {"type": "new"}}]}),
            )
        }
        "resources/read" => result(
            asked,
            json!({"contents": [
            {"uri": "a:b", "mimeType": "image/png", "blob": "iVBORw0="}, {"uri": "a:t", "text": ""}]}),
        ),
        "completion/complete" => {
            assert_eq!(asked.params()["context"], json!({"arguments": {"x": "y"}}));
            assert_eq!(asked.params()["argument"], json!({"name": "a", "value": "v"}));
            result(asked, json!({"completion": {"values": ["7", ""], "total": 3, "hasMore": true}}))
        }
        "resources/templates/list" => {
            result(asked, json!({"resourceTemplates": [{"uriTemplate": "a:{x}", "name": "t"}]}))
        }
        "x/y" => {
            assert_eq!(asked.params()["p"], 1);
            result(asked, json!({"resultType": "complete", "z": 2}))
        }
        _ => error(asked, 404, json!({"code": -32601, "message": "Method not found"})),
    });
    let client = client(&script);
    let prompt = client.prompt("p").arg("a", "1").arg("b", "2").call().unwrap();
    assert_eq!(prompt.description(), Some("d"));
    assert!(prompt.messages()[0].known().is_some());
    assert_eq!(
        (prompt.messages()[1].known(), prompt.messages()[1].raw()["content"]["type"].as_str()),
        (None, Some("new"))
    );
    let read = client.resource("a:b").call().unwrap();
    assert_eq!(read.contents().len(), 2);
    assert_eq!(read.text(), Some(""), "the first is a blob, the second a text although it is empty");
    let reference = plain_mcp::types::wire::CompletionReference::Resource { uri: "a:{x}".to_owned() };
    let values = client.complete(reference, "a", "v").known("x", "y").call().unwrap();
    assert_eq!(
        (values.values(), values.total(), values.has_more()),
        (&["7".to_owned(), String::new()][..], Some(3), true)
    );
    assert_eq!(client.resource_templates().call().unwrap()[0].uri_template, "a:{x}");
    assert_eq!(client.request("x/y", json!({"p": 1})).call().unwrap()["z"], 2);
    assert_eq!(client.ping().call().unwrap_err().server().unwrap().code, -32601);
    assert_eq!(client.discover().call().unwrap().supported_versions, ["2026-07-28"]);
}
