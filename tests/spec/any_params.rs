//! Whatever params a client sends, the answer is a message of the official schema, and never says that the server failed.

use std::collections::BTreeSet;

use plain_mcp::types::{elicit, roots, sampling};
use plain_mcp::{
    Context, Feature, Limits, NoArgs, Prompt, PromptMessage, Resource, ResourceTemplate, Server, Tool, ToolOutput,
    contents, text,
};
use serde_json::{Map, Value, json};

use crate::kit::{CAPS, CLIENT, LEVEL, REVISION, VERSION, builder, request, send};
use crate::random::Random;

fn server() -> Server {
    let schema = json!({"type": "object", "properties": {"a": {"type": "integer", "maximum": 9}, "b": {"items": {"enum": ["x", 1, null]}}}, "required": ["a"]});
    let asks = |_: NoArgs, cx: &Context<'_>| {
        let answers = cx.ask_all([
            ("q", elicit::form("m").string("name").required().into()),
            ("s", sampling::message("m", 5).into()),
        ])?;
        cx.keep(&json!({"answers": answers}));
        let roots = cx.ask("r", roots::list())?;
        Ok(text(roots.roots.len().to_string()))
    };
    builder()
        .limits(Limits { page: 1, streams: 0, ..Limits::default() })
        .tool(Tool::new("echo", "d").input(schema), |args: Value, cx| {
            cx.progress(1.0, Some(2.0), "half");
            cx.log(plain_mcp::Level::Warning, "l", &args);
            Ok(ToolOutput::structured(args))
        })
        .tool(Tool::new("asks", "d"), asks)
        .prompt(Prompt::new("p", "d").arg("a").optional_arg("b"), |args, _| {
            Ok(PromptMessage::user(format!("{args:?}")))
        })
        .prompt(Prompt::new("q", "d"), |_, _| Ok(PromptMessage::user("")))
        .complete_prompt("p", "a", |value, cx| {
            Ok(vec![value.to_owned(), cx.resolved("b").unwrap_or_default().to_owned()])
        })
        .resource(Resource::new("test://r", "r"), |uri, _| Ok(contents::text("", uri)))
        .resource(Resource::new("test://s", "s"), |uri, _| Ok(contents::text("", uri)))
        .template(ResourceTemplate::new("test://t/{x}", "t"), |vars, _| {
            Ok(contents::text("", vars.get("x").unwrap_or_default()))
        })
        .template(ResourceTemplate::new("test://u/{+x}", "u"), |_, _| Ok(contents::blob("", b"x")))
        .complete_template("test://t/{x}", "x", |value, _| Ok(vec![value.to_owned()]))
        .offer(Feature::Completions)
        .list_changed()
        .subscribe()
        .build()
        .unwrap()
}

/// Good params for each method.
fn good() -> Vec<(&'static str, Value)> {
    let meta = json!({VERSION: REVISION, CAPS: {"elicitation": {"form": {}}, "sampling": {}, "roots": {}}, LEVEL: "info", "progressToken": "p",
        CLIENT: {"name": "c", "version": "1", "icons": [{"src": "https://example.com"}]}});
    let answers = json!({"q": {"action": "accept", "content": {"name": "x"}}, "r": {"roots": [{"uri": "file:///a"}]},
        "s": {"role": "assistant", "content": {"type": "text", "text": "t"}, "model": "m"}});
    let mut all = vec![
        ("server/discover", json!({})),
        ("tools/list", json!({"cursor": "mcp1.WzFd"})),
        ("tools/call", json!({"name": "echo", "arguments": {"a": 1, "b": ["x"]}})),
        ("tools/call", json!({"name": "asks", "inputResponses": answers, "requestState": "mrtr1.a.b"})),
        ("tools/call", json!({"name": "asks", "arguments": {}, "inputResponses": answers})),
        ("resources/list", json!({"cursor": "x"})),
        ("resources/templates/list", json!({})),
        ("resources/read", json!({"uri": "test://t/%41"})),
        ("prompts/list", json!({})),
        ("prompts/get", json!({"name": "p", "arguments": {"a": "1", "b": "2"}})),
        (
            "completion/complete",
            json!({"ref": {"type": "ref/prompt", "name": "p"}, "argument": {"name": "a", "value": "v"}, "context": {"arguments": {"b": "c"}}}),
        ),
        (
            "completion/complete",
            json!({"ref": {"type": "ref/resource", "uri": "test://t/{x}"}, "argument": {"name": "x", "value": "v"}}),
        ),
        (
            "subscriptions/listen",
            json!({"notifications": {"toolsListChanged": true, "resourceSubscriptions": ["test://r"]}}),
        ),
        ("nope", json!({})),
    ];
    for (_, params) in &mut all {
        params["_meta"] = meta.clone();
    }
    all
}

/// Something that nobody expects there.
fn odd(random: &mut Random) -> Value {
    let texts =
        ["", " ", "\u{0}", "ü\n", "test://r", "test://t/%", "mcp1.e30", "asks", "p", "{}", "{x}", "../..", "\u{202e}x"];
    match random.below(10) {
        0 => Value::Null,
        1 => json!(random.below(2) == 0),
        2 => json!(random.next()),
        3 => json!(*random.pick(&[0.0, -1.5, 1e300, 5e-324, 9_007_199_254_740_993.0])),
        4 => json!([]),
        5 => json!({}),
        6 => json!([[{"a": [null]}], 1, "x"]),
        7 => json!({"name": {"name": 1}, "": null, "a b": {}}),
        8 => json!("x".repeat(random.below(5000))),
        _ => json!(*random.pick(&texts)),
    }
}

/// All places in a value, as pointers.
fn places(value: &Value, at: &str, all: &mut Vec<String>) {
    all.push(at.to_owned());
    let step = |name: &str| format!("{at}/{}", name.replace('~', "~0").replace('/', "~1"));
    match value {
        Value::Object(members) => members.iter().for_each(|(name, value)| places(value, &step(name), all)),
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(index, value)| places(value, &step(&index.to_string()), all))
        }
        _ => {}
    }
}

/// Changes, takes out or puts in one thing somewhere.
fn spoil(random: &mut Random, params: &mut Value) {
    let mut all = Vec::new();
    places(params, "", &mut all);
    if all.len() < 2 {
        return; // nothing is left to spoil
    }
    let at = random.pick(&all[1..]).clone();
    let value = params.pointer_mut(&at).unwrap();
    match (random.below(4), value) {
        (0, Value::Object(members)) => {
            drop(members.insert((*random.pick(&["", "x", "name", "uri", "a/b"])).to_owned(), odd(random)))
        }
        (0, Value::Array(items)) => items.push(odd(random)),
        (1, Value::String(text)) => *text = random.spoil(text),
        (2, _) => {
            let (parent, name) = at.rsplit_once('/').unwrap();
            let name = name.replace("~1", "/").replace("~0", "~");
            if let Some(Value::Object(members)) = params.pointer_mut(parent) {
                members.remove(&name);
            }
        }
        (_, value) => *value = odd(random),
    }
}

#[test]
fn any_params_get_an_answer() {
    covers!("3-4", "1-10");
    let server = server();
    let mut random = Random(11);
    let (mut codes, mut served) = (BTreeSet::new(), 0);
    let methods = good();
    for round in 0..6000 {
        let (method, params) = &methods[round % methods.len()];
        let mut params = params.clone();
        for _ in 0..random.below(3) {
            spoil(&mut random, &mut params);
        }
        if !params.is_object() {
            params = Value::Object(Map::new());
        }
        let mut message = request(method, params);
        message["id"] = json!(round);
        let sent = send(&server, &message); // checks it against the schema
        let answer = sent.answer.as_ref().unwrap();
        assert_eq!(answer["id"], json!(round));
        match answer.get("error") {
            None => served += 1,
            Some(error) => {
                let code = error["code"].as_i64().unwrap();
                assert_ne!(code, -32603, "{message}\n{answer}");
                codes.insert(code);
            }
        }
    }
    // The test has been everywhere.
    assert!(served > 1000, "{served}");
    assert_eq!(codes.into_iter().collect::<Vec<_>>(), [-32602, -32601, -32600, -32022, -32021]);
}
