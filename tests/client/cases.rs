//! Faults that people met in other clients (`spec-notes/23-reported-faults.md`), each under the number of its report.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use plain_mcp::client::{Cache, Client, ClientLimits, Error, Problem};
use plain_mcp::types::ResourceBody;
use plain_mcp::types::wire::CompletionReference;
use serde_json::{Value, json};

use crate::script::{Asked, Log, Script, child, error, modern, raw, result, said, stream};

/// A client of a scripted process, and what was wrong and got over.
fn piped(log: &Log, script: &str) -> (Client, Arc<Mutex<Vec<Problem>>>) {
    let problems = Arc::<Mutex<Vec<Problem>>>::default();
    let ours = Arc::clone(&problems);
    let client = Client::stdio(child(&log.0, script))
        .on_problem(move |it| ours.lock().unwrap().push(it.clone()))
        .connect()
        .unwrap();
    (client, problems)
}

#[test]
fn case_020_a_banner_before_the_first_message() {
    let log = Log::new("020");
    let script = r#"say 'Starting up... ready'; discover; say '[info] 12 tools'; next; answer '"tools":[]'; next"#;
    let (client, problems) = piped(&log, script);
    assert!(client.tools().call().unwrap().is_empty());
    assert_eq!(log.methods(), ["server/discover", "tools/list"], "nothing is said of it to the server");
    let problems = problems.lock().unwrap();
    assert_eq!(problems.len(), 2);
    assert!(problems[0].to_string().contains("Starting up... ready"), "{problems:?}");
}

#[test]
fn case_021_unreadable_output_is_not_answered() {
    let log = Log::new("021");
    let script = "say 'not json'; say '{\"jsonrpc\":\"2.0\",\"result\":'; discover; next";
    let (client, problems) = piped(&log, script);
    assert_eq!(client.version(), "2026-07-28");
    client.close();
    assert_eq!(log.methods(), ["server/discover"]);
    assert_eq!(problems.lock().unwrap().len(), 2);
}

#[test]
fn case_022_a_full_stderr() {
    let log = Log::new("022");
    let script = r#"head -c 1048576 /dev/zero | tr '\0' e >&2; discover; next; answer '"tools":[]'; next"#;
    let (client, _) = piped(&log, script);
    assert!(client.tools().call().unwrap().is_empty());
}

/// Whether a process of this id is there.
#[cfg(target_os = "linux")]
fn lives(id: &str) -> bool {
    std::path::Path::new("/proc").join(id.trim()).exists()
}

#[cfg(target_os = "linux")]
#[test]
fn case_024_closing_leaves_nothing_running() {
    let log = Log::new("024");
    let (text, heard) = std::sync::mpsc::channel();
    let text = Mutex::new(text);
    // ignores the end of its input and SIGTERM
    let script = r#"trap '' TERM; echo $$ >&2; discover; while :; do read -r X || :; done"#;
    let limits = ClientLimits { shutdown: Duration::from_millis(100), ..ClientLimits::default() };
    let client = Client::stdio(child(&log.0, script))
        .limits(limits)
        .on_stderr(move |line| text.lock().unwrap().send(line.to_owned()).unwrap())
        .connect()
        .unwrap();
    let id = heard.recv_timeout(Duration::from_secs(20)).unwrap();
    assert!(lives(&id));
    client.close();
    assert!(!lives(&id), "ended and reaped");
}

#[test]
fn case_025_a_server_that_exits_at_the_probe() {
    let log = Log::new("025");
    let script = r#"next; case "$LINE" in *server/discover*) exit 1;; esac
        say '{"jsonrpc":"2.0","id":'$ID',"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"old","version":"1"}}}'
        next; next"#;
    let (client, _) = piped(&log, script);
    assert_eq!(client.version(), "2025-11-25");
    client.close();
    assert_eq!(log.methods(), ["server/discover", "initialize", "notifications/initialized"]);
}

#[test]
fn case_034_an_id_of_the_other_type() {
    let log = Log::new("034");
    let script = r#"discover; next
        say '{"jsonrpc":"2.0","id":"'$ID'","result":{"resultType":"complete","content":[{"type":"text","text":"wrong"}]}}'
        answer '"content":[{"type":"text","text":"done"}]'; next"#;
    let (client, problems) = piped(&log, script);
    assert_eq!(client.tool("echo", json!({"text": "x"})).call().unwrap().text(), "done");
    assert!(matches!(&problems.lock().unwrap()[..], [Problem::Unasked(_)]));
}

#[test]
fn case_039_both_a_result_and_an_error() {
    let script = modern(json!([]), |asked| {
        let error = json!({"code": -32603, "message": "no"});
        crate::script::reply(200, &json!({"jsonrpc": "2.0", "id": asked.id(), "result": said("done"), "error": error}))
    });
    let client = Client::http(&script.url).connect().unwrap();
    assert!(matches!(client.tool("echo", ()).call(), Err(Error::Protocol(_))));

    // on a pipe such a line is nobody's answer: the call ends by its timeout, and what came is reported
    let log = Log::new("039");
    let script = r#"discover; next
        say '{"jsonrpc":"2.0","id":'$ID',"result":{"resultType":"complete","content":[]},"error":{"code":-32603,"message":"no"}}'; next"#;
    let (client, problems) = piped(&log, script);
    let error = client.tool("echo", ()).timeout(Duration::from_secs(20)).call().unwrap_err();
    assert!(matches!(error, Error::Protocol(_)), "{error:?}");
    assert!(problems.lock().unwrap().is_empty());
}

#[test]
fn case_053_notifications_that_nobody_knows() {
    let log = Log::new("053");
    let script = r#"discover; next
        say '{"jsonrpc":"2.0","method":"notifications/future/thing","params":{"a":1}}'
        say '{"jsonrpc":"2.0","method":"notifications/bare"}'
        answer '"content":[{"type":"text","text":"done"}]'; next"#;
    let (client, problems) = piped(&log, script);
    assert_eq!(client.tool("echo", ()).call().unwrap().text(), "done");
    client.close();
    assert_eq!(log.methods(), ["server/discover", "tools/call"]);
    assert!(problems.lock().unwrap().is_empty());
}

#[test]
fn case_060_a_response_after_the_timeout() {
    let log = Log::new("060");
    // the call is answered when its cancel has come
    let script = r#"discover; next; CALL=$ID; next
        say '{"jsonrpc":"2.0","id":'$CALL',"result":{"resultType":"complete","content":[{"type":"text","text":"late"}]}}'
        next; answer '"tools":[]'; next"#;
    let (client, problems) = piped(&log, script);
    let error = client.tool("echo", ()).timeout(Duration::from_millis(200)).call().unwrap_err();
    assert!(matches!(error, Error::Timeout { .. }));
    assert!(client.tools().call().unwrap().is_empty());
    client.close();
    assert_eq!(log.methods(), ["server/discover", "tools/call", "notifications/cancelled", "tools/list"]);
    let lines = log.lines();
    assert_eq!(lines[2]["params"]["requestId"], lines[1]["id"]);
    assert!(problems.lock().unwrap().is_empty(), "a late response is no fault");
}

fn mirrored(name: &str, properties: Value) -> Value {
    json!([{"name": name, "inputSchema": {"type": "object", "properties": properties}}])
}

#[test]
fn case_074_names_in_headers_are_encoded() {
    let properties = json!({"region": {"type": "string", "x-mcp-header": "Region"}, "shard": {"type": "integer", "x-mcp-header": "Shard"}});
    let script = modern(mirrored("route", properties), |asked| match asked.method() {
        "prompts/get" => result(asked, json!({"messages": []})),
        "resources/read" => result(asked, json!({"contents": []})),
        _ => result(asked, said("done")),
    });
    let client = Client::http(&script.url).connect().unwrap();
    client.prompt("r\u{e9}sum\u{e9}").call().unwrap();
    client.resource("file:///a b ").call().unwrap();
    client.tool("route", json!({"region": "=?base64?x?=", "shard": 7})).call().unwrap();
    assert_eq!(script.only("prompts/get").field("mcp-name"), Some("=?base64?csOpc3Vtw6k=?="));
    assert_eq!(script.only("resources/read").field("mcp-name"), Some("=?base64?ZmlsZTovLy9hIGIg?="));
    let call = script.only("tools/call");
    assert_eq!(call.field("mcp-param-region"), Some("=?base64?PT9iYXNlNjQ/eD89?="));
    assert_eq!(call.field("mcp-param-shard"), Some("7"));
}

#[test]
fn case_077_numbers_and_booleans_in_headers() {
    let of = |kind: &str, name: &str| json!({"type": kind, "x-mcp-header": name});
    let properties = json!({"n": of("integer", "N"), "b": of("boolean", "B"), "s": of("string", "S")});
    let script = modern(mirrored("t", properties), |asked| result(asked, said("done")));
    let client = Client::http(&script.url).connect().unwrap();
    client.tool("t", json!({"n": 1_000_000_000_000_000_i64, "b": true, "s": null})).call().unwrap();
    let call = script.only("tools/call");
    assert_eq!(call.field("mcp-param-n"), Some("1000000000000000"));
    assert_eq!(call.field("mcp-param-b"), Some("true"));
    assert_eq!(call.field("mcp-param-s"), None);
}

#[test]
fn case_083_a_redirect_to_another_origin() {
    let other = Script::start(|_| Vec::new());
    let location = format!("location: {}\r\n", other.url);
    let script = modern(json!(null), move |_| raw(301, &location, ""));
    let client = Client::http(&script.url).header("authorization", "Bearer secret").connect().unwrap();
    let error = client.tools().call().unwrap_err();
    assert!(error.to_string().contains(&other.url), "{error}");
    assert!(other.asked().is_empty(), "neither a GET nor the token goes there");
}

#[test]
fn case_091_a_stream_that_ends_without_a_response() {
    let script = modern(json!([]), |_| {
        stream(&[
            json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progressToken": "p", "progress": 1}}),
        ])
    });
    let client = Client::http(&script.url).connect().unwrap();
    let error = client.tool("echo", ()).timeout(Duration::from_secs(30)).call().unwrap_err();
    assert_eq!(error, Error::Transport { cause: "the stream ended without a response".to_owned(), sent: true });
    assert_eq!(script.methods(), ["server/discover", "tools/list", "tools/call"], "neither repeated nor taken up");
}

/// A server that writes these pieces for the one call, each in a write of its own.
fn pieces(pieces: Vec<Vec<u8>>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        let mut room = [0; 8192];
        let (mut stream, _) = listener.accept().unwrap();
        let _ = stream.read(&mut room).unwrap();
        let discovered = json!({"jsonrpc": "2.0", "id": 1, "result": crate::script::discovered()});
        stream.write_all(&crate::script::reply(200, &discovered)).unwrap();
        let (mut stream, _) = listener.accept().unwrap();
        stream.set_nodelay(true).unwrap();
        let _ = stream.read(&mut room).unwrap();
        for piece in pieces {
            stream.write_all(&piece).unwrap();
        }
    });
    url
}

const HEAD: &str = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\nConnection: close\r\n\r\n";

fn done(text: &str) -> String {
    json!({"jsonrpc": "2.0", "id": 2, "result": {"resultType": "complete", "content": [{"type": "text", "text": text}]}}).to_string()
}

/// What a resource named by any method says, over a stream of these pieces.
fn heard(stream: Vec<Vec<u8>>) -> String {
    let url = pieces([vec![HEAD.as_bytes().to_vec()], stream].concat());
    let client = Client::http(&url).connect().unwrap();
    let answer = client.request("x/y", json!({})).call().unwrap();
    answer["content"][0]["text"].as_str().unwrap().to_owned()
}

#[test]
fn case_095_lines_that_end_in_cr_or_crlf() {
    for end in ["\n", "\r\n", "\r"] {
        let text = format!(":c{end}event: message{end}data: {}{end}{end}", done("done"));
        assert_eq!(heard(vec![text.into_bytes()]), "done", "{end:?}");
    }
}

#[test]
fn case_096_cr_and_lf_in_two_pieces() {
    let data = format!("\ndata: {}\r", done("done"));
    let stream = ["event: message\r", &data, "\n\r", "\n"].map(|piece| piece.as_bytes().to_vec()).to_vec();
    assert_eq!(heard(stream), "done");
}

#[test]
fn case_097_data_of_several_lines_and_a_character_in_two_pieces() {
    let text = format!("data: {}\n\n", done("\u{6f22}\u{5b57}").replacen(",\"", ",\ndata: \"", 1));
    let bytes = text.into_bytes();
    for cut in 1..bytes.len() {
        if cut % 7 == 0 || bytes[cut] > 0x7f {
            let (first, second) = bytes.split_at(cut);
            assert_eq!(heard(vec![first.to_vec(), second.to_vec()]), "\u{6f22}\u{5b57}", "cut at {cut}");
        }
    }
}

#[test]
fn case_098_comments_and_other_events() {
    let text = format!(
        "\u{feff}:hello\n\n:\r\nevent: ping\ndata: 2026-01-01T00:00:00Z\n\nunknownfield: x\nevent: message\ndata: {}\n\n",
        done("done")
    );
    assert_eq!(heard(vec![text.into_bytes()]), "done");
}

#[test]
fn case_104_an_output_schema_that_leads_nowhere() {
    let tools = json!([
        {"name": "broken", "inputSchema": {"type": "object"}, "outputSchema": {"$ref": "#/$defs/nope"}},
        {"name": "fine", "inputSchema": {"type": "object"}},
    ]);
    let script = modern(tools, |asked| {
        result(
            asked,
            json!({"resultType": "complete", "content": [{"type": "text", "text": "done"}], "structuredContent": {"v": 1}}),
        )
    });
    let client = Client::http(&script.url).connect().unwrap();
    let tools = client.tools().call().unwrap();
    assert_eq!(tools.iter().map(|tool| tool.name.as_str()).collect::<Vec<_>>(), ["broken", "fine"]);
    let broken = client.tool("broken", json!({})).call().unwrap();
    assert!(broken.fits(&tools[0]).unwrap_err().starts_with("the output schema cannot be used"));
    let fine = client.tool("fine", json!({})).call().unwrap();
    assert_eq!((fine.text().as_str(), fine.fits(&tools[1])), ("done", Ok(())));
}

#[test]
fn case_111_a_structured_answer_of_null() {
    let script = modern(json!([]), |asked| {
        result(asked, json!({"resultType": "complete", "content": [], "structuredContent": null}))
    });
    let client = Client::http(&script.url).connect().unwrap();
    assert_eq!(client.tool("t", json!({})).call().unwrap().structured(), Some(&Value::Null));
}

#[test]
fn case_116_one_of_several_shapes() {
    let script = modern(json!([]), |asked| match asked.method() {
        "resources/read" => result(
            asked,
            json!({"contents": [
            {"uri": "file:///b", "mimeType": "image/png", "blob": "iVBORw0="}, {"uri": "file:///t", "text": ""}]}),
        ),
        _ => result(asked, json!({"completion": {"values": ["7", ""]}})),
    });
    let client = Client::http(&script.url).connect().unwrap();
    let read = client.resource("file:///b").call().unwrap();
    let parts: Vec<&ResourceBody> = read.contents().iter().map(|part| &part.known().unwrap().body).collect();
    assert!(matches!(parts[..], [ResourceBody::Blob(_), ResourceBody::Text(text)] if text.is_empty()), "{parts:?}");
    let prompt = CompletionReference::Prompt { name: "p".to_owned(), title: None };
    assert_eq!(client.complete(prompt, "a", "").call().unwrap().values(), ["7", ""]);
}

#[test]
fn case_120_a_cursor_that_is_empty() {
    let tool = |name: &str| json!([{"name": name, "inputSchema": {"type": "object"}}]);
    let script = modern(json!(null), move |asked| match asked.params().get("cursor") {
        None => result(asked, json!({"tools": tool("a"), "nextCursor": ""})),
        Some(_) => result(asked, json!({"tools": tool("b")})),
    });
    let client = Client::http(&script.url).connect().unwrap();
    let tools = client.tools().call().unwrap();
    assert_eq!(tools.iter().map(|tool| tool.name.as_str()).collect::<Vec<_>>(), ["a", "b"]);
    assert_eq!(script.asked()[2].params()["cursor"], "");
}

/// A server of the initialize era with sessions s1, s2, …, which refuses the probe with this.
fn old(probe: Vec<u8>, play: impl Fn(&Asked) -> Vec<u8> + Send + Sync + 'static) -> Script {
    let sessions = Mutex::new(0);
    Script::start(move |asked| match asked.method() {
        "server/discover" => probe.clone(),
        "initialize" => {
            let mut sessions = sessions.lock().unwrap();
            *sessions += 1;
            let body = json!({"jsonrpc": "2.0", "id": asked.id(), "result": {"protocolVersion": "2025-11-25",
                "capabilities": {"tools": {}}, "serverInfo": {"name": "old", "version": "1"}}});
            raw(200, &format!("content-type: application/json\r\nmcp-session-id: s{sessions}\r\n"), &body.to_string())
        }
        "notifications/initialized" => raw(202, "", ""),
        "GET" | "DELETE" => raw(405, "", ""),
        _ => play(asked),
    })
}

#[test]
fn case_141_an_old_server_refuses_the_probe_in_its_own_way() {
    let refusals = [
        crate::script::reply(
            400,
            &json!({"jsonrpc": "2.0", "id": null, "error": {"code": -32600, "message": "Missing session"}}),
        ),
        crate::script::reply(
            400,
            &json!({"jsonrpc": "2.0", "error": {"code": -32000, "message": "no session"}, "id": null}),
        ),
        raw(404, "content-type: text/plain\r\n", "Invalid session ID"),
        raw(405, "", ""),
        raw(400, "", ""),
        crate::script::reply(
            404,
            &json!({"jsonrpc": "2.0", "id": "server-error", "error": {"code": -32600, "message": "none"}}),
        ),
    ];
    for refusal in refusals {
        let script = old(refusal, |asked| result(asked, json!({"tools": []})));
        assert_eq!(Client::http(&script.url).connect().unwrap().version(), "2025-11-25");
    }
}

#[test]
fn case_142_an_old_server_answers_the_probe_with_200() {
    let script = Script::start(|asked| match asked.method() {
        "server/discover" => error(asked, 200, json!({"code": -32601, "message": "Method not found"})),
        "initialize" => result(
            asked,
            json!({"protocolVersion": "2025-06-18", "capabilities": {}, "serverInfo": {"name": "old", "version": "1"}}),
        ),
        "tools/list" => result(asked, json!({"tools": []})),
        "GET" => raw(405, "", ""),
        _ => raw(202, "", ""),
    });
    let client = Client::http(&script.url).connect().unwrap();
    client.tools().call().unwrap();
    client.tools().call().unwrap();
    let mut methods = script.methods();
    methods.retain(|method| method != "GET");
    assert_eq!(methods, ["server/discover", "initialize", "notifications/initialized", "tools/list", "tools/list"]);
}

#[test]
fn case_143_the_fall_back_is_tied_to_no_code() {
    let shake = r#"say '{"jsonrpc":"2.0","id":'$ID',"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"old","version":"1"}}}'; next; next"#;
    for (number, refusal) in [
        r#"say '{"jsonrpc":"2.0","id":'$ID',"error":{"code":-32602,"message":"bad"}}'"#,
        r#"say '{"jsonrpc":"2.0","id":'$ID',"error":{"code":-32601,"message":"no"}}'"#,
        r#"say '{"jsonrpc":"2.0","id":'$ID',"error":{"code":0,"message":"no"}}'"#,
        "PROBE=$ID", // silence, and a late answer below
    ]
    .iter()
    .enumerate()
    {
        let log = Log::new(&format!("143-{number}"));
        let late =
            r#"[ -z "$PROBE" ] || say '{"jsonrpc":"2.0","id":'$PROBE',"error":{"code":-32601,"message":"late"}}'"#;
        // until `initialize` comes: a probe that is given up is cancelled first
        let script =
            format!("next; {refusal}; next; case \"$LINE\" in *notifications/cancelled*) next;; esac; {late}; {shake}");
        let limits = ClientLimits { probe_timeout: Duration::from_millis(300), ..ClientLimits::default() };
        let problems = Arc::<Mutex<Vec<Problem>>>::default();
        let ours = Arc::clone(&problems);
        let client = Client::stdio(child(&log.0, &script))
            .limits(limits)
            .on_problem(move |it| ours.lock().unwrap().push(it.clone()))
            .connect()
            .unwrap();
        assert_eq!(client.version(), "2025-11-25");
        client.close();
        let mut methods = log.methods();
        methods.retain(|method| method != "notifications/cancelled");
        assert_eq!(methods, ["server/discover", "initialize", "notifications/initialized"]);
        assert!(problems.lock().unwrap().is_empty(), "{problems:?}");
    }
}

#[test]
fn case_144_an_error_of_this_revision_is_no_reason_to_fall_back() {
    let script = Script::start(|asked| {
        let data = json!({"supported": ["2027-01-01"], "requested": "2026-07-28"});
        error(asked, 400, json!({"code": -32022, "message": "Unsupported protocol version", "data": data}))
    });
    let error = Client::http(&script.url).connect().unwrap_err();
    assert_eq!(error.server().unwrap().data.as_ref().unwrap()["supported"], json!(["2027-01-01"]));
    assert_eq!(script.methods(), ["server/discover"]);
}

#[test]
fn case_151_a_server_that_does_not_say_who_it_is() {
    let log = Log::new("151");
    let (client, _) = piped(&log, "discover; next");
    assert_eq!(client.version(), "2026-07-28");
    assert_eq!(client.server_info(), None);
}

#[test]
fn case_154_a_session_that_the_server_has_dropped() {
    let count = Mutex::new(0);
    let script = old(raw(400, "", ""), move |asked| {
        let mut count = count.lock().unwrap();
        *count += 1;
        if *count == 2 { raw(404, "", "") } else { result(asked, json!({"tools": []})) }
    });
    let client = Client::http(&script.url).connect().unwrap();
    client.tools().call().unwrap();
    client.tools().call().unwrap();
    let asked: Vec<Asked> = script.asked().into_iter().filter(|asked| asked.verb == "POST").collect();
    let methods: Vec<&str> = asked.iter().map(Asked::method).collect();
    assert_eq!(
        methods,
        [
            "server/discover",
            "initialize",
            "notifications/initialized",
            "tools/list",
            "tools/list",
            "initialize",
            "notifications/initialized",
            "tools/list",
        ]
    );
    assert_eq!((asked[5].field("mcp-session-id"), asked[7].field("mcp-session-id")), (None, Some("s2")));
}

#[test]
fn case_156_a_state_and_nothing_else() {
    let state = "s=1&t=\"q\"\\\u{e9} ";
    let script = modern(json!([]), move |asked| match asked.params().get("requestState") {
        None => result(asked, json!({"resultType": "input_required", "requestState": state})),
        Some(_) => result(asked, said("done")),
    });
    let client = Client::http(&script.url).connect().unwrap();
    assert_eq!(client.tool("t", json!({"a": 1})).call().unwrap().text(), "done");
    let calls: Vec<Asked> = script.asked().into_iter().filter(|asked| asked.method() == "tools/call").collect();
    assert_eq!(calls.len(), 2);
    assert_ne!(calls[0].id(), calls[1].id());
    assert_eq!(calls[1].params()["requestState"], state);
    assert_eq!(calls[1].params().get("inputResponses"), None);
    assert_eq!(calls[1].params()["arguments"], json!({"a": 1}));
}

#[test]
fn case_161_hints_that_are_believed_too_far() {
    let hour = 3_600_000;
    let count = Mutex::new(0);
    let script = modern(json!(null), move |asked| match asked.method() {
        "tools/call" => stream(&[
            json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}),
            json!({"jsonrpc": "2.0", "id": asked.id(), "result": said("changed")}),
        ]),
        _ => {
            let mut count = count.lock().unwrap();
            *count += 1;
            let ttl = if *count == 1 { -5 } else { hour };
            result(asked, json!({"resultType": "complete", "tools": [], "ttlMs": ttl, "cacheScope": "private"}))
        }
    });
    let cache = Cache::new();
    let connect =
        |token: &str| Client::http(&script.url).shared_cache(&cache).header("authorization", token).connect().unwrap();
    let lists = || script.methods().iter().filter(|method| *method == "tools/list").count();
    let client = connect("Bearer a");
    client.tools().call().unwrap(); // A
    client.tools().call().unwrap(); // B: a negative ttlMs is 0
    assert_eq!(lists(), 2);
    client.tools().call().unwrap(); // C: fresh
    assert_eq!(lists(), 2);
    client.tool("t", ()).call().unwrap(); // brings the notification
    client.tools().call().unwrap(); // D
    assert_eq!(lists(), 3);
    connect("Bearer b").tools().call().unwrap(); // E
    assert_eq!(lists(), 4);
}

/// The command of the script is one that every Unix has.
#[test]
fn the_shell_is_there() {
    assert!(Command::new("sh").arg("-c").arg("exit 0").status().unwrap().success());
}
