//! §15 Which revision is spoken: the probe, the handshake, sessions, and what a server of the initialize era asks.

use std::sync::Mutex;
use std::sync::mpsc;
use std::time::Duration;

use plain_mcp::client::{Client, ClientLimits, Error, Problem};
use plain_mcp::types::{ElicitResult, Level};
use serde_json::{Value, json};

use crate::script::{Asked, Script, discovered, error, raw, reply, result, said, stream};

fn shaken(asked: &Asked, version: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": asked.id(), "result": {"protocolVersion": version,
        "capabilities": {"tools": {"listChanged": true}, "resources": {"subscribe": true}, "logging": {}},
        "serverInfo": {"name": "old", "version": "1"}, "instructions": "be kind"}})
}

fn session(asked: &Asked, version: &str, id: &str) -> Vec<u8> {
    let fields = format!("content-type: application/json\r\nmcp-session-id: {id}\r\n");
    raw(200, &fields, &shaken(asked, version).to_string())
}

/// A server of the initialize era: refuses the probe, shakes hands with this version, plays the rest.
fn old(version: &'static str, play: impl Fn(&Asked) -> Vec<u8> + Send + Sync + 'static) -> Script {
    Script::start(move |asked| match asked.method() {
        "server/discover" => raw(400, "", ""),
        "initialize" => reply(200, &shaken(asked, version)),
        "notifications/initialized" => raw(202, "", ""),
        "GET" => raw(405, "", ""),
        _ => play(asked),
    })
}

fn empty(asked: &Asked) -> Vec<u8> {
    result(asked, json!({"tools": []}))
}

#[test]
fn a_stateless_server_is_found_by_one_probe() {
    covers!("18.4-1", "18.4-2");
    let script = crate::script::modern(json!([]), |asked| result(asked, said("ok")));
    let client = Client::http(&script.url).connect().unwrap();
    client.tools().call().unwrap();
    client.tools().call().unwrap();
    assert_eq!(script.methods(), ["server/discover", "tools/list", "tools/list"], "the answer is remembered");
    assert_eq!(client.version(), "2026-07-28");
    assert_eq!(client.server_info().unwrap().name, "peer");
    assert!(client.capabilities().tools.is_some());
}

#[test]
fn who_the_server_is_may_be_left_out_or_stand_at_the_top() {
    covers!("18.4-3");
    for (info, name) in [(json!(null), None), (json!({"name": "top", "version": "1"}), Some("top"))] {
        let script = Script::start(move |asked| {
            let mut answer = json!({"supportedVersions": ["2026-07-28"], "capabilities": {}});
            if !info.is_null() {
                answer["serverInfo"] = info.clone();
            }
            result(asked, answer)
        });
        let client = Client::http(&script.url).connect().unwrap();
        assert_eq!(client.version(), "2026-07-28");
        assert_eq!(client.server_info().map(|info| info.name).as_deref(), name);
    }
}

#[test]
fn whatever_is_no_answer_of_this_revision_leads_to_initialize() {
    covers!("18.4-4");
    let replies: [fn(&Asked) -> Vec<u8>; 9] = [
        |_| reply(400, &json!({"jsonrpc": "2.0", "id": null, "error": {"code": -32600, "message": "Missing session"}})),
        |_| {
            reply(
                400,
                &json!({"jsonrpc": "2.0", "error": {"code": -32000, "message": "Bad Request: no session"}, "id": null}),
            )
        },
        |_| raw(404, "content-type: text/plain\r\n", "Invalid session ID"),
        |_| raw(405, "", ""),
        |_| raw(400, "", ""),
        |_| {
            reply(
                404,
                &json!({"jsonrpc": "2.0", "id": "server-error", "error": {"code": -32600, "message": "Session not found"}}),
            )
        },
        |asked| error(asked, 200, json!({"code": -32601, "message": "Method not found"})),
        |asked| error(asked, 200, json!({"code": 0, "message": "no"})),
        |asked| result(asked, json!({})),
    ];
    for probe in replies {
        let script = Script::start(move |asked| match asked.method() {
            "server/discover" => probe(asked),
            "initialize" => session(asked, "2025-11-25", "s1"),
            "notifications/initialized" => raw(202, "", ""),
            "GET" => raw(405, "", ""),
            "DELETE" => raw(200, "", ""),
            _ => empty(asked),
        });
        let client = Client::http(&script.url).connect().unwrap();
        client.tools().call().unwrap();
        assert_eq!(client.version(), "2025-11-25");
        let mut methods = script.methods();
        methods.retain(|method| method != "GET");
        assert_eq!(methods, ["server/discover", "initialize", "notifications/initialized", "tools/list"]);
    }
}

#[test]
fn errors_of_this_revision_never_fall_back() {
    covers!("18.4-5");
    let errors = [
        json!({"code": -32022, "message": "Unsupported protocol version", "data": {"supported": ["2027-01-01"], "requested": "2026-07-28"}}),
        json!({"code": -32020, "message": "HeaderMismatch"}),
        json!({"code": -32021, "message": "Missing", "data": {"requiredCapabilities": {"sampling": {}}}}),
    ];
    for said in errors {
        let code = said["code"].clone();
        let script = Script::start(move |asked| error(asked, 400, said.clone()));
        let error = Client::http(&script.url).connect().unwrap_err();
        assert_eq!(json!(error.server().unwrap().code), code);
        assert_eq!(script.methods(), ["server/discover"]);
    }
}

#[test]
fn an_unsupported_version_names_another() {
    covers!("18.4-6");
    // the same version all the same: asked once more
    let first = Mutex::new(true);
    let script = Script::start(move |asked| {
        if std::mem::take(&mut *first.lock().unwrap()) {
            return error(asked, 400, json!({"code": -32022, "message": "no", "data": {"supported": ["2026-07-28"]}}));
        }
        result(asked, discovered())
    });
    assert_eq!(Client::http(&script.url).connect().unwrap().version(), "2026-07-28");
    assert_eq!(script.methods(), ["server/discover", "server/discover"]);

    // one of the other era
    let script = Script::start(|asked| match asked.method() {
        "server/discover" => error(
            asked,
            400,
            json!({"code": -32022, "message": "no", "data": {"supported": ["2025-06-18", "2024-11-05"]}}),
        ),
        "initialize" => reply(200, &shaken(asked, "2025-06-18")),
        "GET" => raw(405, "", ""),
        _ => raw(202, "", ""),
    });
    let client = Client::http(&script.url).connect().unwrap();
    assert_eq!(client.version(), "2025-06-18");
    assert_eq!(script.only("initialize").params()["protocolVersion"], "2025-06-18");
}

#[test]
fn who_must_log_in_first_is_told_so() {
    covers!("18.4-7");
    for status in [401, 403, 500, 503] {
        let script = Script::start(move |_| raw(status, "www-authenticate: Bearer realm=\"x\"\r\n", ""));
        let error = Client::http(&script.url).connect().unwrap_err();
        let Error::Status { status: said, challenge, .. } = error else { panic!("{error:?}") };
        assert_eq!((said, challenge.as_deref()), (status, Some("Bearer realm=\"x\"")));
        assert_eq!(script.methods(), ["server/discover"]);
    }
}

#[test]
fn a_silent_probe_is_followed_by_initialize() {
    covers!("18.4-4");
    let (go, may_go) = mpsc::channel::<()>();
    let may_go = Mutex::new(may_go);
    let script = Script::start(move |asked| match asked.method() {
        "server/discover" => {
            let _ = may_go.lock().unwrap().recv();
            Vec::new()
        }
        "initialize" => reply(200, &shaken(asked, "2025-11-25")),
        "GET" => raw(405, "", ""),
        _ => raw(202, "", ""),
    });
    let limits = ClientLimits { probe_timeout: Duration::from_millis(50), ..ClientLimits::default() };
    assert_eq!(Client::http(&script.url).limits(limits).connect().unwrap().version(), "2025-11-25");
    drop(go);
}

#[test]
fn a_server_that_was_slow_to_start_is_asked_again() {
    covers!("18.4-8");
    let first = Mutex::new(true);
    let script = Script::start(move |asked| match asked.method() {
        "server/discover" if std::mem::take(&mut *first.lock().unwrap()) => raw(404, "", ""),
        "server/discover" => result(asked, discovered()),
        _ => error(
            asked,
            404,
            json!({"code": -32601, "message": "Method not found", "data": {"supported": ["2026-07-28"]}}),
        ),
    });
    assert_eq!(Client::http(&script.url).connect().unwrap().version(), "2026-07-28");
    assert_eq!(script.methods(), ["server/discover", "initialize", "server/discover"]);
}

#[test]
fn the_handshake_says_who_we_are_and_what_we_can() {
    covers!("18.4-9", "18.4-10");
    let script = old("2025-06-18", empty);
    let client = Client::http(&script.url)
        .info("tester", "7")
        .on_elicit(|_| Ok(ElicitResult::decline()))
        .on_elicit_url(|_| Err("no".into()))
        .on_sample(|_| Err("no".into()))
        .roots([])
        .connect()
        .unwrap();
    let asked = script.only("initialize");
    assert_eq!(
        *asked.params(),
        json!({
            "protocolVersion": "2025-11-25",
            "capabilities": {"elicitation": {"form": {}, "url": {}}, "sampling": {}, "roots": {}},
            "clientInfo": {"name": "tester", "version": "7"},
        })
    );
    assert_eq!(asked.field("mcp-protocol-version"), None);
    assert_eq!(client.version(), "2025-06-18");
    assert_eq!(client.server_info().unwrap().name, "old");
    assert_eq!(client.instructions().as_deref(), Some("be kind"));
    client.tools().call().unwrap();
    let listed = script.only("tools/list");
    assert_eq!(listed.field("mcp-protocol-version"), Some("2025-06-18"));
    assert_eq!(listed.params().get("_meta"), None, "the handshake has said it");
    assert_eq!(listed.field("mcp-session-id"), None);
    assert_eq!(script.only("notifications/initialized").field("mcp-protocol-version"), Some("2025-06-18"));
    // a tool is called without a list before it, and without the headers of the other era
    assert!(client.tool("t", ()).call().is_err());
    assert_eq!(script.only("tools/call").field("mcp-method"), None);
}

#[test]
fn older_answers_are_accepted_and_unknown_ones_are_not() {
    covers!("18.4-11");
    for version in ["2025-11-25", "2025-06-18", "2025-03-26"] {
        let script = old(version, empty);
        assert_eq!(Client::http(&script.url).connect().unwrap().version(), version);
    }
    let script = old("2024-11-05", empty);
    assert!(matches!(Client::http(&script.url).connect(), Err(Error::Protocol(_))));

    // the stateless revision as an answer is borne: what such a server expects is anybody's guess, so both are sent
    let (heard, problems) = mpsc::channel();
    let heard = Mutex::new(heard);
    let script = old("2026-07-28", empty);
    let client = Client::http(&script.url)
        .on_problem(move |problem| heard.lock().unwrap().send(problem.clone()).unwrap())
        .connect()
        .unwrap();
    assert_eq!(client.version(), "2026-07-28");
    client.tools().call().unwrap();
    let listed = script.only("tools/list");
    assert_eq!(listed.params()["_meta"]["io.modelcontextprotocol/protocolVersion"], "2026-07-28");
    assert!(matches!(problems.recv(), Ok(Problem::Lenient(_))));
}

#[test]
fn a_pinned_revision_is_spoken_or_none() {
    covers!("18.4-12");
    let script = old("2025-06-18", empty);
    assert_eq!(Client::http(&script.url).version("2025-06-18").connect().unwrap().version(), "2025-06-18");
    assert_eq!(script.methods()[0], "initialize");
    assert!(matches!(Client::http(&script.url).version("2025-11-25").connect(), Err(Error::Protocol(_))));
    let error = Client::http(&script.url).version("2026-07-28").connect().unwrap_err();
    assert!(matches!(error, Error::Status { status: 400, .. }));
}

#[test]
fn a_session_is_kept_renewed_once_and_ended() {
    covers!("18.4-13", "18.4-14");
    let count = Mutex::new(0);
    let script = Script::start(move |asked| match asked.method() {
        "server/discover" => raw(400, "", ""),
        "initialize" => {
            let mut count = count.lock().unwrap();
            *count += 1;
            session(asked, "2025-11-25", &format!("s{count}"))
        }
        "notifications/initialized" => raw(202, "", ""),
        "GET" => raw(405, "", ""),
        "DELETE" => raw(204, "", ""),
        _ if asked.field("mcp-session-id") == Some("s1") => raw(404, "", ""),
        _ => empty(asked),
    });
    let client = Client::http(&script.url).connect().unwrap();
    client.tools().call().unwrap();
    drop(client);
    let mut asked = script.asked();
    asked.retain(|asked| asked.verb != "GET");
    let told: Vec<(&str, Option<&str>)> = asked.iter().map(|it| (it.method(), it.field("mcp-session-id"))).collect();
    assert_eq!(
        told,
        [
            ("server/discover", None),
            ("initialize", None),
            ("notifications/initialized", Some("s1")),
            ("tools/list", Some("s1")),
            ("initialize", None),
            ("notifications/initialized", Some("s2")),
            ("tools/list", Some("s2")),
            ("DELETE", Some("s2")),
        ]
    );
}

#[test]
fn a_session_that_cannot_be_renewed_is_an_error() {
    covers!("18.4-14");
    let script = Script::start(|asked| match asked.method() {
        "server/discover" | "DELETE" => raw(400, "", ""),
        "initialize" => session(asked, "2025-11-25", "s"),
        "notifications/initialized" => raw(202, "", ""),
        "GET" => raw(405, "", ""),
        _ => raw(404, "", ""),
    });
    let client = Client::http(&script.url).connect().unwrap();
    assert!(matches!(client.tools().call(), Err(Error::Status { status: 404, .. })));
    assert_eq!(script.methods().iter().filter(|method| *method == "initialize").count(), 2);
}

#[test]
fn what_an_old_server_asks_is_answered_by_the_same_handlers() {
    covers!("18.4-15", "18.4-16");
    let (answers, answered) = mpsc::channel();
    let answers = Mutex::new(answers);
    let answered = Mutex::new(answered);
    let script = old("2025-11-25", move |asked| match asked.method() {
        "tools/call" => {
            // the questions come on the stream of the call, and the answers by POST: each as it comes
            let ask = |id: Value, method: &str, params: Value| json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
            let form = json!({"message": "Name?", "requestedSchema": {"type": "object", "properties": {"name": {"type": "string"}}}});
            stream(&[
                ask(json!("p"), "ping", json!({})),
                ask(json!(7), "elicitation/create", form),
                ask(json!("r"), "roots/list", json!({})),
                ask(json!("s"), "sampling/createMessage", json!({"messages": [], "maxTokens": 1})),
                ask(json!("x"), "what/ever", json!({})),
                json!({"jsonrpc": "2.0", "id": asked.id(), "result": {"content": []}}),
            ])
        }
        _ => {
            answers.lock().unwrap().send(asked.body.clone()).unwrap();
            raw(202, "", "")
        }
    });
    let client = Client::http(&script.url)
        .on_elicit(|form| {
            assert_eq!(form.message, "Name?");
            Ok(ElicitResult::accept(None).field("name", "Ada"))
        })
        .on_roots(|| Err("not today".into()))
        .connect()
        .unwrap();
    client.tool("t", ()).call().unwrap();
    let answered = answered.lock().unwrap();
    let mut all: Vec<Value> = (0..5).map(|_| answered.recv_timeout(Duration::from_secs(20)).unwrap()).collect();
    all.sort_by_key(|answer| answer["id"].to_string());
    let refused = |id: &str, code: i64, text: &str, reason: Option<&str>| {
        let mut error = json!({"code": code, "message": text});
        if let Some(reason) = reason {
            error["data"] = json!({"reason": reason});
        }
        json!({"jsonrpc": "2.0", "id": id, "error": error})
    };
    assert_eq!(
        all,
        [
            json!({"jsonrpc": "2.0", "id": "p", "result": {}}),
            refused("r", -1, "The request was refused on the client's side", Some("not today")),
            refused("s", -32601, "The client has no handler for this request", None),
            refused("x", -32601, "The client has no handler for this request", None),
            json!({"jsonrpc": "2.0", "id": 7, "result": {"action": "accept", "content": {"name": "Ada"}}}),
        ]
    );
}

#[test]
fn a_cancelled_call_is_told_to_an_old_server() {
    covers!("18.4-17");
    let (told, was_told) = mpsc::channel();
    let told = Mutex::new(told);
    let (go, may_go) = mpsc::channel::<()>();
    let may_go = Mutex::new(may_go);
    let script = old("2025-11-25", move |asked| match asked.method() {
        "tools/call" => {
            let _ = may_go.lock().unwrap().recv();
            Vec::new()
        }
        _ => {
            told.lock().unwrap().send(asked.body.clone()).unwrap();
            raw(202, "", "")
        }
    });
    let client = Client::http(&script.url).connect().unwrap();
    let error = client.tool("t", ()).timeout(Duration::from_millis(50)).call().unwrap_err();
    assert!(matches!(error, Error::Timeout { .. }));
    let note = was_told.recv_timeout(Duration::from_secs(20)).unwrap();
    assert_eq!(note["method"], "notifications/cancelled");
    assert_eq!(note["params"]["requestId"], *script.only("tools/call").id());
    assert_eq!(note["params"]["reason"], "no answer within 50ms");
    drop(go);
}

#[test]
fn log_messages_are_asked_for_once() {
    covers!("18.4-18");
    let script = old("2025-11-25", |asked| match asked.method() {
        "logging/setLevel" => result(asked, json!({})),
        _ => empty(asked),
    });
    let client = Client::http(&script.url).on_log(Level::Warning, |_| ()).connect().unwrap();
    client.tools().call().unwrap();
    assert_eq!(script.only("logging/setLevel").params()["level"], "warning");
}

#[test]
fn subscriptions_are_made_of_what_an_old_server_has() {
    covers!("18.4-19");
    let script = old("2025-11-25", |asked| match asked.method() {
        "resources/subscribe" | "resources/unsubscribe" => result(asked, json!({})),
        _ => stream(&[
            json!({"jsonrpc": "2.0", "method": "notifications/resources/updated", "params": {"uri": "a:other"}}),
            json!({"jsonrpc": "2.0", "method": "notifications/resources/updated", "params": {"uri": "a:1"}}),
            json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}),
            json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}),
            json!({"jsonrpc": "2.0", "id": asked.id(), "result": {"content": []}}),
        ]),
    });
    let client = Client::http(&script.url).connect().unwrap();
    let mut changes = client.listen().tools().prompts().resource("a:1").open().unwrap();
    assert_eq!(json!(changes.granted()), json!({"toolsListChanged": true, "resourceSubscriptions": ["a:1"]}));
    assert_eq!(script.only("resources/subscribe").params()["uri"], "a:1");
    client.tool("t", ()).call().unwrap();
    assert_eq!(changes.next_change().unwrap(), Some(plain_mcp::client::Change::Resource("a:1".to_owned())));
    assert_eq!(changes.next_change().unwrap(), Some(plain_mcp::client::Change::Tools));
    let limit = Duration::from_millis(10);
    assert!(matches!(changes.next_within(limit), Err(Error::Timeout { .. })), "two of one kind are one");
    changes.close();
    assert_eq!(script.only("resources/unsubscribe").params()["uri"], "a:1");
}
