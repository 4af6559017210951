//! §14 A server that is a child process.

use std::sync::mpsc;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use plain_mcp::client::{Cancel, Change, Client, ClientBuilder, ClientLimits, Error, Problem};
use plain_mcp::types::{ElicitResult, Level};
use serde_json::{Value, json};

use crate::script::{Log, child};

/// A client that waits for nothing long, of a scripted process.
fn piped(log: &Log, script: &str) -> ClientBuilder {
    let limits = ClientLimits { shutdown: Duration::from_millis(200), ..ClientLimits::default() };
    Client::stdio(child(&log.0, script)).limits(limits)
}

/// What a builder's callback hears.
fn heard<T: Send + 'static>() -> (impl Fn(T) + Send + Sync + 'static, mpsc::Receiver<T>) {
    let (sender, receiver) = mpsc::channel();
    let sender = Mutex::new(sender);
    (move |it| drop(sender.lock().unwrap().send(it)), receiver)
}

const PATIENCE: Duration = Duration::from_secs(20);

fn fixture(profile: &str) -> std::process::Command {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_fixture"));
    command.args(["--stdio", "--profile", profile]);
    command
}

#[test]
fn many_threads_share_one_pipe() {
    covers!("18.3-1");
    let client = Client::stdio(fixture("bench")).connect().unwrap();
    std::thread::scope(|scope| {
        for thread in 0..64 {
            let client = &client;
            scope.spawn(move || {
                for round in 0..20 {
                    let text = format!("{thread}-{round}");
                    assert_eq!(client.tool("echo", json!({"text": text})).call().unwrap().text(), text);
                }
            });
        }
    });
}

#[test]
fn what_is_no_message_is_skipped_and_reported() {
    covers!("18.3-2");
    let log = Log::new("garbage");
    let script = r#"printf '\377\376\n\n   \n'; say 'hello'; say '[]'; say '{"jsonrpc":"1.0","id":1,"method":"x"}'
        discover; next; printf '%s\r\n' '{"jsonrpc":"2.0","id":'$ID',"result":{"tools":[]}}'; next"#;
    let (hear, problems) = heard();
    let client = piped(&log, script).on_problem(move |it: &Problem| hear(it.to_string())).connect().unwrap();
    assert!(client.tools().call().unwrap().is_empty());
    client.close();
    assert_eq!(log.methods(), ["server/discover", "tools/list"]);
    let problems: Vec<String> = problems.try_iter().collect();
    assert_eq!(problems.len(), 4, "empty lines are none: {problems:?}");
}

#[test]
fn a_line_over_the_limit_ends_the_calls_that_wait() {
    covers!("18.3-3");
    let log = Log::new("long");
    let script = r#"discover; next; head -c 200000 /dev/zero | tr '\0' x; echo; next; next; answer '"tools":[]'; next"#;
    let limits = ClientLimits { message: 100_000, ..ClientLimits::default() };
    let client = piped(&log, script).limits(limits).connect().unwrap();
    let error = client.tools().call().unwrap_err();
    assert_eq!(error, Error::TooLarge { what: "a line of the server", limit: 100_000 });
    assert!(client.tools().call().unwrap().is_empty(), "the process goes on");
}

#[test]
fn the_end_of_the_process_is_told_and_the_next_call_starts_another() {
    covers!("18.3-4", "18.3-5");
    let log = Log::new("exit");
    let script = r#"discover; next; case "$LINE" in *die*) exit 7;; esac; answer '"content":[]'; next"#;
    let client = piped(&log, script).connect().unwrap();
    let error = client.tool("die", ()).call().unwrap_err();
    let Error::Transport { cause, sent: true } = &error else { panic!("{error:?}") };
    assert!(cause.contains("exit status: 7"), "{cause}");
    client.tool("live", ()).call().unwrap();
    client.close();
    assert_eq!(log.methods(), ["server/discover", "tools/call", "server/discover", "tools/call"]);

    let log = Log::new("signal");
    let client = piped(&log, "discover; next; kill -9 $$").connect().unwrap();
    let error = client.tool("x", ()).call().unwrap_err();
    assert!(error.to_string().contains("signal: 9"), "{error}");
}

#[test]
fn a_process_that_ended_while_nobody_called_is_started_again() {
    covers!("18.3-5");
    let log = Log::new("idle");
    let (hear, lines) = heard();
    let script =
        "discover; if [ ! -e \"$LOG.once\" ]; then : >\"$LOG.once\"; exit 0; fi; next; answer '\"tools\":[]'; next";
    let client = piped(&log, script).on_stderr(move |line| hear(line.to_owned())).connect().unwrap();
    // a call that was written before the end was noticed is lost, and says so; the next one finds another process
    let listed = client.tools().call();
    let again = if matches!(listed, Err(Error::Transport { sent: true, .. })) { client.tools().call() } else { listed };
    assert!(again.unwrap().is_empty());
    drop(lines);
    std::fs::remove_file(format!("{}.once", log.0.display())).unwrap();
}

#[test]
fn a_program_that_is_not_there() {
    covers!("18.3-6");
    let error = Client::stdio(std::process::Command::new("/no/such/program")).connect().unwrap_err();
    let Error::Transport { cause, sent: false } = error else { panic!("{error:?}") };
    assert!(cause.starts_with("cannot start /no/such/program: "), "{cause}");
}

#[test]
fn stderr_is_drained_and_heard() {
    covers!("18.3-7");
    let log = Log::new("stderr");
    let script =
        r#"echo first >&2; head -c 10000000 /dev/zero | tr '\0' e >&2; echo >&2; echo last >&2; discover; next"#;
    let (hear, lines) = heard();
    let client = piped(&log, script).on_stderr(move |line| hear(line.to_owned())).connect().unwrap();
    assert_eq!(client.version(), "2026-07-28");
    assert_eq!(lines.recv_timeout(PATIENCE).unwrap(), "first");
    assert_eq!(lines.recv_timeout(PATIENCE).unwrap(), "last", "a line over 64 KiB is not told");
}

#[test]
fn a_call_that_is_given_up_is_cancelled() {
    covers!("18.3-8");
    let log = Log::new("cancel");
    let (hear, problems) = heard();
    let script = "discover; next; CALL=$ID; next; ID=$CALL; answer '\"content\":[]'; next; answer '\"tools\":[]'; next";
    let client = piped(&log, script).on_problem(move |it: &Problem| hear(it.to_string())).connect().unwrap();
    let cancel = Cancel::new();
    std::thread::scope(|scope| {
        let call = scope.spawn(|| client.tool("slow", ()).cancel(&cancel).call());
        while log.methods().len() < 2 {
            std::thread::yield_now();
        }
        cancel.cancel();
        assert_eq!(call.join().unwrap().unwrap_err(), Error::Cancelled);
    });
    assert!(client.tools().call().unwrap().is_empty());
    client.close();
    let lines = log.lines();
    assert_eq!(lines[2]["method"], "notifications/cancelled");
    assert_eq!(lines[2]["params"], json!({"requestId": lines[1]["id"], "reason": "the call was cancelled"}));
    assert_eq!(problems.try_iter().count(), 0, "the late response is dropped silently");
}

#[test]
fn a_child_that_never_reads_is_not_waited_for() {
    covers!("18.3-9");
    let log = Log::new("deaf");
    let script = "discover; exec sleep 60"; // reads nothing, writes nothing
    let limits = ClientLimits {
        queue: 1,
        write_timeout: Duration::from_millis(200),
        shutdown: Duration::from_millis(200),
        ..ClientLimits::default()
    };
    let client = piped(&log, script).limits(limits).connect().unwrap();
    let large = json!({"text": "x".repeat(300_000)});
    let outcomes: Vec<Error> = std::thread::scope(|scope| {
        let calls: Vec<_> = (0..4)
            .map(|_| scope.spawn(|| client.tool("t", &large).timeout(Duration::from_millis(400)).call().unwrap_err()))
            .collect();
        calls.into_iter().map(|call| call.join().unwrap()).collect()
    });
    for error in &outcomes {
        assert!(matches!(error, Error::Timeout { .. }), "{error:?}");
    }
    let cancel = Cancel::new();
    cancel.cancel();
    assert_eq!(client.tool("t", &large).cancel(&cancel).call().unwrap_err(), Error::Cancelled);
    client.close();
}

#[test]
fn a_grandchild_that_holds_the_pipes_does_not_hold_the_client() {
    covers!("18.3-10");
    let log = Log::new("grandchild");
    let (hear, lines) = heard();
    let client = piped(&log, "sleep 30 & echo $! >&2; discover; next")
        .on_stderr(move |line| hear(line.to_owned()))
        .connect()
        .unwrap();
    let grandchild = lines.recv_timeout(PATIENCE).unwrap();
    client.close();
    client.close(); // a second time does nothing
    assert!(std::process::Command::new("kill").arg(grandchild).status().unwrap().success(), "it was still there");
}

#[test]
fn subscriptions_of_one_pipe_are_told_apart() {
    covers!("18.3-11");
    let log = Log::new("subscriptions");
    let script = r#"discover
        ack() { next; say '{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":'$ID'},"notifications":{"toolsListChanged":true}}}'; }
        told() { say '{"jsonrpc":"2.0","method":"notifications/'$1'","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":'$2'}}}'; }
        ack; A=$ID; ack; B=$ID
        told prompts/list_changed $B; told tools/list_changed $A
        say '{"jsonrpc":"2.0","id":'$A',"result":{"resultType":"complete","_meta":{"io.modelcontextprotocol/subscriptionId":'$A'}}}'
        next; next"#;
    let client = piped(&log, script).connect().unwrap();
    let mut first = client.listen().tools().open().unwrap();
    let mut second = client.listen().tools().prompts().open().unwrap();
    assert_eq!(second.next_change(), Ok(Some(Change::Prompts)));
    assert_eq!(first.next_change(), Ok(Some(Change::Tools)));
    assert_eq!(first.next_change(), Ok(None), "ended by its result");
    let closer = second.closer();
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| second.next_change());
        closer.cancel();
        assert_eq!(waiting.join().unwrap(), Err(Error::Cancelled));
    });
    drop(second);
    client.close();
    let lines = log.lines();
    assert_eq!(lines[3]["method"], "notifications/cancelled");
    assert_eq!(lines[3]["params"]["requestId"], lines[2]["id"], "only the one that was open is cancelled");
    assert_eq!(lines.len(), 4);
}

#[test]
fn a_subscription_that_breaks_says_so() {
    covers!("18.3-12");
    let log = Log::new("broken");
    let script = r#"discover; next
        say '{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":'$ID'},"notifications":{}}}'; exit 3"#;
    let client = piped(&log, script).connect().unwrap();
    let mut changes = client.listen().tools().open().unwrap();
    let error = changes.next_change().unwrap_err();
    assert!(error.to_string().contains("exit status: 3"), "{error}");
}

#[test]
fn a_listener_that_does_not_listen_loses_its_subscription_and_stops_no_call() {
    covers!("18.3-13");
    let log = Log::new("full");
    let script = r#"discover; next; S=$ID
        say '{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":'$S'},"notifications":{"toolsListChanged":true}}}'
        next; for n in 1 2 3 4 5 6; do say '{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":'$S'}}}'; done
        answer '"tools":[]'; next; next"#;
    let limits = ClientLimits { queue: 4, shutdown: Duration::from_millis(200), ..ClientLimits::default() };
    let client = piped(&log, script).limits(limits).connect().unwrap();
    let mut changes = client.listen().tools().open().unwrap();
    client.tools().call().unwrap();
    for _ in 0..4 {
        assert_eq!(changes.next_change(), Ok(Some(Change::Tools)));
    }
    assert_eq!(changes.next_change(), Err(Error::TooLarge { what: "the number of changes that wait", limit: 4 }));
}

#[test]
fn an_error_without_an_id_is_the_answer_of_the_only_call() {
    covers!("18.3-14");
    let log = Log::new("nameless");
    let script = r#"discover; next; say '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"what?"}}'
        next; answer '"tools":[]'
        say '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"again?"}}'; say '{"jsonrpc":"2.0","id":99,"result":{}}'; next"#;
    let (hear, problems) = heard();
    let client = piped(&log, script).on_problem(move |it: &Problem| hear(it.clone())).connect().unwrap();
    assert_eq!(client.tools().call().unwrap_err().server().unwrap().message, "what?");
    client.tools().call().unwrap();
    for _ in 0..2 {
        assert!(matches!(problems.recv_timeout(PATIENCE), Ok(Problem::Unasked(_))));
    }
}

#[test]
fn a_request_of_a_stateless_process_is_not_answered() {
    covers!("18.1-25");
    let log = Log::new("asks");
    let script = r#"discover; next; say '{"jsonrpc":"2.0","id":5,"method":"ping"}'; answer '"tools":[]'; next"#;
    let (hear, problems) = heard();
    let client = piped(&log, script).on_problem(move |it: &Problem| hear(it.clone())).connect().unwrap();
    client.tools().call().unwrap();
    client.close();
    assert_eq!(log.methods(), ["server/discover", "tools/list"]);
    assert!(matches!(problems.try_iter().collect::<Vec<_>>()[..], [Problem::Skipped(_)]));
}

#[test]
fn an_old_process_asks_and_is_answered() {
    covers!("18.3-15");
    let log = Log::new("old");
    let script = r#"next; say '{"jsonrpc":"2.0","id":'$ID',"error":{"code":-32601,"message":"Method not found"}}'
        next; say '{"jsonrpc":"2.0","id":'$ID',"result":{"protocolVersion":"2025-06-18","capabilities":{"logging":{}},"serverInfo":{"name":"old","version":"1"}}}'
        next; next; say '{"jsonrpc":"2.0","id":'$ID',"result":{}}'
        next; CALL=$ID
        say '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"error","data":"oh"}}'
        say '{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{"message":"Name?","requestedSchema":{"type":"object","properties":{"name":{"type":"string"}}}}}'
        next
        say '{"jsonrpc":"2.0","id":1,"method":"ping"}'
        next
        say '{"jsonrpc":"2.0","id":'$CALL',"result":{"content":[{"type":"text","text":"done"}]}}'; next"#;
    let (hear, said) = heard();
    let client = piped(&log, script)
        .on_elicit(|form| Ok(ElicitResult::accept(None).field("name", form.message.len().to_string())))
        .on_log(Level::Info, move |message| hear(message.data.clone()))
        .connect()
        .unwrap();
    assert_eq!(client.tool("t", ()).call().unwrap().text(), "done");
    assert_eq!(said.recv_timeout(PATIENCE).unwrap(), json!("oh"));
    client.close();
    let lines = log.lines();
    let methods: Vec<&str> = lines.iter().map(|line| line["method"].as_str().unwrap_or("a response")).collect();
    assert_eq!(
        methods,
        [
            "server/discover",
            "initialize",
            "notifications/initialized",
            "logging/setLevel",
            "tools/call",
            "a response",
            "a response"
        ]
    );
    assert_eq!(lines[1]["params"]["capabilities"], json!({"elicitation": {"form": {}}}));
    assert_eq!(
        lines[5],
        json!({"jsonrpc": "2.0", "id": "q", "result": {"action": "accept", "content": {"name": "5"}}})
    );
    assert_eq!(lines[6], json!({"jsonrpc": "2.0", "id": 1, "result": {}}));
}

/// A question to the user does not count against the timeout of the call that it belongs to.
#[test]
fn a_call_waits_while_its_user_is_asked() {
    covers!("18.3-16");
    let log = Log::new("asked");
    let script = r#"next; say '{"jsonrpc":"2.0","id":'$ID',"error":{"code":-32601,"message":"Method not found"}}'
        next; say '{"jsonrpc":"2.0","id":'$ID',"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"old","version":"1"}}}'
        next; next; CALL=$ID
        say '{"jsonrpc":"2.0","id":"q","method":"roots/list"}'; next
        say '{"jsonrpc":"2.0","id":'$CALL',"result":{"content":[{"type":"text","text":"done"}]}}'; next"#;
    let (go, may_go) = mpsc::channel::<()>();
    let may_go = Mutex::new(may_go);
    let asked = Arc::new(Mutex::new(Some(go)));
    let client = piped(&log, script)
        .on_roots(move || {
            let _ = may_go.lock().unwrap().recv_timeout(Duration::from_millis(400)); // a user who thinks
            Ok(Vec::new())
        })
        .connect()
        .unwrap();
    assert_eq!(client.tool("t", ()).timeout(Duration::from_millis(100)).call().unwrap().text(), "done");
    drop(asked.lock().unwrap().take());
}

#[test]
fn log_messages_of_the_only_call_are_its_own() {
    covers!("18.3-17");
    let log = Log::new("logs");
    let script = r#"discover; next; say '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}'; answer '"content":[]'; next"#;
    let client = piped(&log, script).connect().unwrap();
    let mut data = Vec::new();
    client.tool("t", ()).on_log(Level::Info, |message| data.push(message.data.clone())).call().unwrap();
    assert_eq!(data, [Value::from(1)]);
}
