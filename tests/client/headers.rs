//! §13.4 §13.5 §13.6 The header fields of a request.

use std::sync::{Arc, Mutex};

use plain_mcp::client::{Client, Error, Problem};
use serde_json::{Value, json};

use crate::script::{Asked, Script, error, modern, result, said};

fn tool(name: &str, properties: Value) -> Value {
    json!({"name": name, "inputSchema": {"type": "object", "properties": properties}})
}

fn header(name: &str, kind: &str) -> Value {
    json!({"type": kind, "x-mcp-header": name})
}

fn params(asked: &Asked) -> Vec<(&str, &str)> {
    let own = asked.fields.iter().filter(|(name, _)| name.starts_with("mcp-param-"));
    own.map(|(name, value)| (name.as_str(), value.as_str())).collect()
}

#[test]
fn method_name_and_version_are_repeated() {
    covers!("18.2-1", "18.2-2");
    let script = modern(json!([]), |asked| match asked.method() {
        "prompts/get" => result(asked, json!({"messages": []})),
        "resources/read" => result(asked, json!({"contents": []})),
        _ => result(asked, said("ok")),
    });
    let client = Client::http(&script.url).connect().unwrap();
    client.tool("my-hyphenated-tool", ()).call().unwrap();
    client.prompt("r\u{e9}sum\u{e9}").call().unwrap();
    client.resource("file:///a b ").call().unwrap();
    client.resource("file:///path/to/file%20name.txt").call().unwrap();
    let asked = script.asked();
    let told: Vec<(&str, Option<&str>)> =
        asked.iter().map(|it| (it.field("mcp-method").unwrap(), it.field("mcp-name"))).collect();
    assert_eq!(
        told,
        [
            ("server/discover", None),
            ("tools/list", None),
            ("tools/call", Some("my-hyphenated-tool")),
            ("prompts/get", Some("=?base64?csOpc3Vtw6k=?=")),
            ("resources/read", Some("=?base64?ZmlsZTovLy9hIGIg?=")),
            ("resources/read", Some("file:///path/to/file%20name.txt")),
        ]
    );
    for asked in &asked {
        assert_eq!(asked.field("mcp-protocol-version"), Some("2026-07-28"));
        assert_eq!(asked.field("accept"), Some("application/json, text/event-stream"));
        assert_eq!(asked.field("content-type"), Some("application/json"));
        assert_eq!(asked.field("mcp-method"), Some(asked.method()));
    }
}

#[test]
fn annotated_arguments_are_mirrored() {
    covers!("18.2-3", "18.2-4");
    let schema = json!({
        "region": header("Region", "string"), "shard": header("Shard", "integer"), "flag": header("Flag", "boolean"),
        "empty": header("Empty", "string"), "null": header("Null", "string"), "absent": header("Absent", "string"),
        "method": header("Method", "string"), "big": header("Big", "integer"), "text": header("Text", "string"),
        "tab": header("Tab", "string"), "plain": {"type": "number"},
        "outer": {"type": "object", "properties": {"inner": header("Inner", "string")}},
    });
    let script = modern(json!([tool("t", schema)]), |asked| result(asked, said("ok")));
    let client = Client::http(&script.url).connect().unwrap();
    let arguments = json!({
        "region": "=?base64?x?=", "shard": 7, "flag": false, "empty": "", "null": null, "method": "m",
        "big": 1_000_000_000_000_000_i64, "text": "Hello, \u{4e16}\u{754c}", "tab": "\tx", "plain": 3.5, "outer": {"inner": "us west 1"},
    });
    client.tool("t", arguments).call().unwrap();
    let call = script.only("tools/call");
    let mut told = params(&call);
    told.sort_unstable();
    assert_eq!(
        told,
        [
            ("mcp-param-big", "1000000000000000"),
            ("mcp-param-empty", ""),
            ("mcp-param-flag", "false"),
            ("mcp-param-inner", "us west 1"),
            ("mcp-param-method", "m"),
            ("mcp-param-region", "=?base64?PT9iYXNlNjQ/eD89?="),
            ("mcp-param-shard", "7"),
            ("mcp-param-tab", "=?base64?CXg=?="),
            ("mcp-param-text", "=?base64?SGVsbG8sIOS4lueVjA==?="),
        ]
    );
    assert_eq!(call.field("mcp-method"), Some("tools/call"));
}

#[test]
fn the_annotations_are_looked_up_before_the_first_call() {
    covers!("18.2-5");
    let script = modern(json!([tool("t", json!({"s": header("S", "string")}))]), |asked| result(asked, said("ok")));
    let client = Client::http(&script.url).connect().unwrap();
    client.tool("t", json!({"s": "a"})).call().unwrap();
    client.tool("t", json!({"s": "b"})).call().unwrap();
    assert_eq!(script.methods(), ["server/discover", "tools/list", "tools/call", "tools/call"]);
    assert_eq!(params(&script.asked()[3]), [("mcp-param-s", "b")]);
}

#[test]
fn tools_that_break_the_rules_are_left_out_and_not_called() {
    covers!("18.2-6");
    let bad = [
        json!(""),
        json!({}),
        json!([]),
        json!(null),
        json!(1),
        json!("my header"),
        json!("a:b"),
        json!("R\u{e9}gion"),
        json!("a\tb"),
    ];
    let mut tools: Vec<Value> = bad
        .iter()
        .enumerate()
        .map(|(number, name)| tool(&format!("bad{number}"), json!({"p": {"type": "string", "x-mcp-header": name}})))
        .collect();
    tools.push(tool("number", json!({"p": header("P", "number")})));
    tools.push(tool("twice", json!({"p": header("P", "string"), "q": header("p", "string")})));
    tools.push(tool("good", json!({"p": header("P", "string")})));
    let count = tools.len();
    let script = modern(json!(tools), |asked| result(asked, said("ok")));
    let problems = Arc::<Mutex<Vec<Problem>>>::default();
    let ours = Arc::clone(&problems);
    let client =
        Client::http(&script.url).on_problem(move |it| ours.lock().unwrap().push(it.clone())).connect().unwrap();
    let names: Vec<String> = client.tools().call().unwrap().iter().map(|tool| tool.name.clone()).collect();
    assert_eq!(names, ["good"]);
    let left_out: Vec<String> = problems
        .lock()
        .unwrap()
        .iter()
        .map(|problem| match problem {
            Problem::ToolLeftOut { tool, reason } => {
                assert!(reason.contains("x-mcp-header"), "{reason}");
                tool.clone()
            }
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(left_out.len(), count - 1);
    assert!(matches!(client.tool("twice", ()).call(), Err(Error::Invalid(_))));
    client.tool("good", ()).call().unwrap();
    assert_eq!(script.methods(), ["server/discover", "tools/list", "tools/call"]);
}

#[test]
fn headers_that_do_not_fit_are_looked_up_once() {
    covers!("18.2-7");
    let lists = Mutex::new(0);
    let script = Script::start(move |asked| match asked.method() {
        "server/discover" => result(asked, crate::script::discovered()),
        "tools/list" => {
            let mut lists = lists.lock().unwrap();
            *lists += 1;
            let name = if *lists == 1 { "Old" } else { "New" };
            result(asked, json!({"tools": [tool("t", json!({"s": header(name, "string")}))]}))
        }
        _ if asked.field("mcp-param-new").is_some() && asked.params()["name"] == "t" => result(asked, said("ok")),
        _ => {
            error(asked, 400, json!({"code": -32020, "message": "Missing or repeated required header: Mcp-Param-New"}))
        }
    });
    let client = Client::http(&script.url).connect().unwrap();
    assert_eq!(client.tool("t", json!({"s": "a"})).call().unwrap().text(), "ok");
    let expected = ["server/discover", "tools/list", "tools/call", "tools/list", "tools/call"];
    assert_eq!(script.methods(), expected);
    assert_eq!(params(&script.asked()[4]), [("mcp-param-new", "a")]);
    // a second time it is an error
    assert_eq!(client.tool("other", ()).call().unwrap_err().server().unwrap().code, -32020);
    assert_eq!(script.methods()[5..], ["tools/call", "tools/list", "tools/call"]);
}

#[test]
fn fields_of_the_user_go_with_every_request() {
    covers!("18.2-8");
    let script = modern(json!([]), |asked| result(asked, said("ok")));
    let client = Client::http(&script.url).header("Authorization", "Bearer x").connect().unwrap();
    client.tool("t", ()).header("X-Own", "1").header("x-empty", "").call().unwrap();
    for asked in script.asked() {
        assert_eq!(asked.field("authorization"), Some("Bearer x"));
    }
    let call = script.only("tools/call");
    assert_eq!((call.field("x-own"), call.field("x-empty")), (Some("1"), Some("")));
    for (name, value) in
        [("a b", "x"), ("x", "a\r\nb: c"), ("x", "\u{e9}"), ("Host", "x"), ("mcp-param-x", "x"), ("", "x")]
    {
        assert!(matches!(client.tool("t", ()).header(name, value).call(), Err(Error::Invalid(_))), "{name}");
        assert!(matches!(Client::http(&script.url).header(name, value).connect(), Err(Error::Invalid(_))), "{name}");
    }
}

#[test]
fn redirects_are_not_followed() {
    covers!("18.2-9");
    let other = Script::start(|_| Vec::new());
    let location = format!("location: {}\r\n", other.url);
    let script = modern(json!([]), move |_| crate::script::raw(301, &location, ""));
    let client = Client::http(&script.url).header("authorization", "Bearer x").connect().unwrap();
    let error = client.tool("t", ()).call().unwrap_err();
    assert!(error.to_string().contains(&other.url), "{error}");
    assert!(other.asked().is_empty());
    assert_eq!(script.methods(), ["server/discover", "tools/list", "tools/call"]);
}
