//! The other methods: discovery, lists in pages, resources, prompts, completion; and requests that are refused.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::ask::{ANY, Ask, CAPS, REVISION, VERSION};
use crate::random::Random;

/// Items on a page of the servers under test.
pub const PAGE: usize = 7;

/// The four lists as a server with one page gives them: method, member, items.
pub struct Lists(pub Vec<(&'static str, &'static str, Arc<Vec<Value>>)>);

/// The methods of lists, and the member that their items are in.
pub const LISTS: [(&str, &str); 4] = [
    ("tools/list", "tools"),
    ("resources/list", "resources"),
    ("resources/templates/list", "resourceTemplates"),
    ("prompts/list", "prompts"),
];

impl Lists {
    /// A walk through one of the lists.
    pub fn walk(&self, random: &mut Random) -> Ask {
        let (method, member, items) = random.pick(&self.0).clone();
        page(method, member, items, 0, None)
    }

    /// A walk through the tools while the tool that comes and goes is there.
    pub fn walk_with_extra(&self) -> Ask {
        let (method, member, items) = self.0[0].clone();
        let mut items = items.to_vec();
        let schema = json!({"type": "object"});
        items.push(json!({"name": "extra", "description": "Comes and goes", "inputSchema": schema}));
        items.sort_by(|a, b| a["name"].as_str().cmp(&b["name"].as_str()));
        page(method, member, Arc::new(items), 0, None)
    }
}

fn page(method: &'static str, member: &'static str, items: Arc<Vec<Value>>, from: usize, cursor: Option<Value>) -> Ask {
    let end = items.len().min(from + PAGE);
    let mut result = json!({member: items[from..end], "ttlMs": 0, "cacheScope": "private"});
    let params = cursor.map_or_else(|| json!({}), |cursor| json!({"cursor": cursor}));
    if end < items.len() {
        result["nextCursor"] = ANY.into();
    }
    let mut ask = Ask::new("list", method, params).gives(result);
    if end < items.len() {
        ask.then = Some(Box::new(move |result| page(method, member, items, end, Some(result["nextCursor"].clone()))));
    }
    ask
}

/// One of the methods that are no lists and no calls of tools.
pub fn pick(random: &mut Random) -> Ask {
    random.pick(&[discover, discover, read, read, prompt, prompt, complete])(random)
}

pub fn discover(_: &mut Random) -> Ask {
    Ask::new("discover", "server/discover", json!({})).gives(json!({
        "supportedVersions": [REVISION],
        "capabilities": {
            "completions": {},
            "logging": {},
            "prompts": {"listChanged": true},
            "resources": {"listChanged": true, "subscribe": true},
            "tools": {"listChanged": true},
        },
        "ttlMs": 0,
        "cacheScope": "private",
    }))
}

fn read(random: &mut Random) -> Ask {
    let id = random.below(1000);
    let (uri, contents) = match random.below(4) {
        0 => (
            "test://static-text".to_owned(),
            json!({"mimeType": "text/plain", "text": "This is a static text resource for testing."}),
        ),
        1 => {
            ("test://static-binary".to_owned(), json!({"mimeType": "application/octet-stream", "blob": "AAECA3+A/v8="}))
        }
        2 => (
            format!("test://template/{id}/data"),
            json!({"mimeType": "text/plain", "text": format!("Template resource data for id {id}")}),
        ),
        _ => (format!("test://caf%C3%A9/{id}"), json!({"mimeType": "text/plain", "text": id.to_string()})),
    };
    let mut contents = contents;
    contents["uri"] = uri.as_str().into();
    let result = json!({"contents": [contents], "ttlMs": 0, "cacheScope": "private"});
    Ask::new("read", "resources/read", json!({"uri": uri})).gives(result)
}

fn prompt(random: &mut Random) -> Ask {
    let get = |name, arguments| Ask::new("prompt", "prompts/get", json!({"name": name, "arguments": arguments}));
    let says = |text: &str| json!({"messages": [{"role": "user", "content": {"type": "text", "text": text}}]});
    let word = random.text(&["a", "'", "é", " "], 9);
    match random.below(3) {
        0 => get("test_simple_prompt", json!({})).gives(says("This is a simple prompt for testing.")),
        1 => get("p", json!({"a": word})).gives(says("p")),
        _ => get("test_prompt_with_arguments", json!({"arg1": word, "arg2": "2"}))
            .gives(says(&format!("Prompt with arguments: arg1='{word}', arg2='2'"))),
    }
}

fn complete(random: &mut Random) -> Ask {
    let value = random.text(&["a", "é"], 9);
    let (name, argument) = *random.pick(&[("test_prompt_with_arguments", "arg2"), ("p", "a")]);
    let completion = if name == "p" {
        let values: Vec<String> = (0..100).map(|number| format!("{value}{number}")).collect();
        json!({"values": values, "total": 250, "hasMore": true})
    } else {
        json!({"values": [value], "total": 1, "hasMore": false})
    };
    let params = json!({"ref": {"type": "ref/prompt", "name": name}, "argument": {"name": argument, "value": value}});
    Ask::new("complete", "completion/complete", params).gives(json!({"completion": completion}))
}

/// A request that both transports refuse.
pub fn refused(random: &mut Random) -> Ask {
    random.pick(REFUSED)(random)
}

const REFUSED: &[fn(&mut Random) -> Ask] = &[
    unknown,
    unknown,
    no_version,
    no_meta,
    no_capabilities,
    other_version,
    incapable,
    bad_params,
    bad_params,
    spoilt,
    spoilt,
];

fn unknown(random: &mut Random) -> Ask {
    let name = format!("none-{}", random.below(1000));
    match random.below(4) {
        0 => Ask::tool("refused unknown", &name, json!({})).refused(400, -32602, &format!("Unknown tool: {name}")),
        1 => Ask::new("refused unknown", "no/such/method", json!({})).refused(
            404,
            -32601,
            "Method not found: no/such/method",
        ),
        2 => Ask::new("refused unknown", "prompts/get", json!({"name": name})).refused(
            400,
            -32602,
            &format!("Unknown prompt: {name}"),
        ),
        _ => {
            let uri = format!("test://{name}");
            Ask::new("refused unknown", "resources/read", json!({"uri": uri}))
                .refused(400, -32602, "Resource not found")
                .data(json!({"uri": uri}))
        }
    }
}

fn no_version(_: &mut Random) -> Ask {
    let text = "Missing required io.modelcontextprotocol/protocolVersion metadata";
    without(VERSION).refused(400, -32602, text)
}

fn no_meta(_: &mut Random) -> Ask {
    let text = "Missing required io.modelcontextprotocol/protocolVersion metadata";
    let mut ask = Ask::new("refused meta", "prompts/list", json!({}));
    ask.params.as_object_mut().unwrap().remove("_meta");
    ask.refused(400, -32602, text)
}

fn no_capabilities(_: &mut Random) -> Ask {
    without(CAPS).refused(400, -32602, "Missing required client capabilities metadata")
}

fn without(member: &str) -> Ask {
    let mut ask = Ask::new("refused meta", "server/discover", json!({}));
    ask.params["_meta"].as_object_mut().unwrap().remove(member);
    ask
}

fn other_version(_: &mut Random) -> Ask {
    let ask = Ask::new("refused version", "tools/list", json!({})).meta(VERSION, "v999.0.0");
    let data = json!({"requested": "v999.0.0", "supported": [REVISION]});
    ask.refused(400, -32022, "Unsupported protocol version").data(data)
}

fn incapable(_: &mut Random) -> Ask {
    Ask::tool("refused capability", "test_missing_capability", json!({}))
        .meta(CAPS, json!({}))
        .refused(400, -32021, "Missing required client capability")
        .data(json!({"requiredCapabilities": {"sampling": {}}}))
}

fn bad_params(random: &mut Random) -> Ask {
    let (method, params, text) = random
        .pick(&[
            ("tools/call", json!({"name": "echo", "arguments": []}), "tools/call arguments must be an object"),
            ("tools/list", json!({"cursor": "AAAA"}), "Invalid pagination cursor"),
            ("prompts/list", json!({"cursor": 5}), "Cursor must be a string"),
            ("resources/read", json!({"uri": "relative"}), "resources/read uri must be an absolute URI"),
            ("tools/call", json!({"name": "echo", "inputResponses": 5}), "inputResponses must be an object"),
            ("tools/call", json!({"name": "ask", "requestState": "AAAA"}), "Invalid or expired request state"),
            ("subscriptions/listen", json!({}), "subscriptions/listen requires a notifications object"),
            (
                "completion/complete",
                json!({"ref": {"type": "ref/prompt", "name": "none"}, "argument": {"name": "a", "value": ""}}),
                "Unknown completion prompt: none",
            ),
        ])
        .clone();
    Ask::new("refused params", method, params).refused(400, -32602, text)
}

/// A message that is none; its id can still be read.
fn spoilt(random: &mut Random) -> Ask {
    let mut ask = Ask::new("refused message", "server/discover", json!({}));
    let (spoil, code, text): (fn(Value) -> String, _, _) = *random.pick(&[
        (older as fn(Value) -> String, -32600, "Expected a JSON-RPC 2.0 request"),
        (listed, -32602, "Request params must be an object"),
        (twice, -32600, "Invalid Request"),
    ]);
    ask.spoil = Some(spoil);
    ask.refused(400, code, text)
}

fn older(mut message: Value) -> String {
    message["jsonrpc"] = "1.0".into();
    message.to_string()
}

fn listed(mut message: Value) -> String {
    message["params"] = json!([]);
    message.to_string()
}

fn twice(message: Value) -> String {
    message.to_string().replacen('{', r#"{"method":"tools/list","#, 1)
}
