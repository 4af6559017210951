//! Tools that answer by themselves: every kind of content, notifications on the way, faults of the tool.

use serde_json::{Value, json};

use crate::ask::{Ask, LEVEL, header_text};
use crate::random::Random;

const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mP8/x8AAusB9Y9Z4p8AAAAASUVORK5CYII=";
const WAV: &str = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";
const PIECES: &[&str] =
    &["a", "Zürich ", "\"", "\\", "\n", "\r\n", "\t", "\u{0}", "\u{2028}", "😀", "日本", "/", "{}", " "];

/// One of these calls.
pub fn pick(random: &mut Random) -> Ask {
    random.pick(CALLS)(random)
}

const CALLS: &[fn(&mut Random) -> Ask] = &[
    simple, content, echo, echo, large, number, odd_name, headers, meta, progress, steps, logging, nap, structured,
    optional, schema, mistaken, failing, panicking,
];

fn simple(_: &mut Random) -> Ask {
    Ask::tool("call", "test_simple_text", json!({})).text("This is a simple text response for testing.")
}

fn content(random: &mut Random) -> Ask {
    let image = json!({"type": "image", "data": PNG, "mimeType": "image/png"});
    let resource =
        |uri, kind, text| json!({"type": "resource", "resource": {"uri": uri, "mimeType": kind, "text": text}});
    let call = |name| Ask::tool("call content", name, json!({}));
    match random.below(4) {
        0 => call("test_image_content").content(json!([image])),
        1 => call("test_audio_content").content(json!([{"type": "audio", "data": WAV, "mimeType": "audio/wav"}])),
        2 => {
            let text = "This is an embedded resource content.";
            call("test_embedded_resource").content(json!([resource("test://embedded-resource", "text/plain", text)]))
        }
        _ => {
            let (uri, text) = ("test://mixed-content-resource", r#"{"test":"data","value":123}"#);
            let first = json!({"type": "text", "text": "Multiple content types test:"});
            let content = json!([first, image, resource(uri, "application/json", text)]);
            call("test_multiple_content_types").content(content)
        }
    }
}

pub fn echo(random: &mut Random) -> Ask {
    let text = random.text(PIECES, 60);
    Ask::tool("call echo", "echo", json!({"text": text})).text(&text)
}

/// Up to a megabyte there and back.
pub fn large(random: &mut Random) -> Ask {
    let piece = *random.pick(&["x", "é", "\"", "plain "]);
    let text = piece.repeat(random.below(1024 * 1024) / piece.len());
    Ask::tool("call large", "echo", json!({"text": text})).text(&text)
}

fn number(random: &mut Random) -> Ask {
    let number = random.next() as i64 >> random.below(64);
    Ask::tool("call", "count", json!({"n": number})).text(&number.to_string())
}

fn odd_name(_: &mut Random) -> Ask {
    Ask::tool("call", "größe/日本", json!({})).text("ok")
}

/// Arguments that headers repeat.
fn headers(random: &mut Random) -> Ask {
    let region = *random.pick(&["us-west1", "Zürich", "日本"]);
    if random.below(2) == 0 {
        let mut ask = Ask::tool("call headers", "custom_header_region", json!({"region": region})).text(region);
        ask.fields = vec![("mcp-param-region", header_text(region))];
        return ask;
    }
    let shard = random.below(1000);
    let mut ask = Ask::tool("call headers", "route", json!({"region": region, "shard": shard})).text("ok");
    ask.fields = vec![("mcp-param-region", header_text(region)), ("mcp-param-shard", shard.to_string())];
    ask
}

fn meta(random: &mut Random) -> Ask {
    let ask = Ask::tool("call meta", "echo_meta", json!({})).meta("example.com/mark", random.below(1_000_000));
    let meta = ask.params["_meta"].clone();
    let text = json!([{"type": "text", "text": meta.to_string()}]);
    ask.gives(json!({"content": text, "structuredContent": meta, "isError": false}))
}

fn token(random: &mut Random) -> Value {
    if random.below(2) == 0 { json!(random.next() as i64) } else { json!(format!("t-{}", random.next())) }
}

fn note(token: &Value, progress: i64, total: i64, message: &str) -> Value {
    let mut params = json!({"progressToken": token, "progress": progress, "total": total});
    if !message.is_empty() {
        params["message"] = message.into();
    }
    json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": params})
}

fn progress(random: &mut Random) -> Ask {
    let ask =
        Ask::tool("call progress", "test_tool_with_progress", json!({})).text("Progress computation completed: 5050");
    if random.below(4) == 0 {
        return ask; // who names no token gets none
    }
    let token = token(random);
    let steps = [(0, "Starting computation"), (50, "First half complete"), (100, "Computation complete")];
    let notes = steps.map(|(progress, message)| note(&token, progress, 100, message)).to_vec();
    Ask { notes, ..ask.meta("progressToken", token) }
}

/// Progress that does not always grow; what does not is not sent.
fn steps(random: &mut Random) -> Ask {
    let token = token(random);
    let notes = [1, 2, 3].map(|progress| note(&token, progress, 3, "")).to_vec();
    Ask { notes, ..Ask::tool("call progress", "steps", json!({})).text("done").meta("progressToken", token) }
}

fn logging(random: &mut Random) -> Ask {
    let levels = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];
    let from = random.below(levels.len() + 1);
    let name = *random.pick(&["test_logging_tool", "test_tool_with_logging"]);
    let ask = Ask::tool("call logging", name, json!({})).text("Logged at every level");
    let Some(level) = levels.get(from) else { return ask }; // who names no level gets none
    let message = |level: &&str| {
        let params = json!({"level": level, "logger": "conformance", "data": format!("{level} message")});
        json!({"jsonrpc": "2.0", "method": "notifications/message", "params": params})
    };
    Ask { notes: levels[from..].iter().map(message).collect(), ..ask.meta(LEVEL, *level) }
}

fn nap(random: &mut Random) -> Ask {
    Ask::tool("call slow", "slow", json!({"ms": random.below(60)})).text("slept")
}

/// Sleeps longer than any test waits: only a cancel ends it.
pub fn long() -> Ask {
    Ask::tool("call cancelled", "slow", json!({"ms": 60_000})).text("slept")
}

fn structured(random: &mut Random) -> Ask {
    let (name, value) = random.pick(&[("arr", json!([1, 2])), ("num", json!(4.5)), ("nul", Value::Null)]).clone();
    let text = json!([{"type": "text", "text": value.to_string()}]);
    let result = json!({"content": text, "structuredContent": value, "isError": false});
    Ask::tool("call structured", name, json!({})).gives(result)
}

fn optional(random: &mut Random) -> Ask {
    let (arguments, text) =
        random.pick(&[(json!({}), "(none)"), (json!({"q": null}), "(none)"), (json!({"q": "q"}), "q")]).clone();
    Ask::tool("call", "opt", arguments).text(text)
}

fn schema(random: &mut Random) -> Ask {
    let tree = (0..random.below(20)).fold(json!({"kids": []}), |kid, _| json!({"kids": [kid]}));
    let person = json!({"name": "A", "contactMethod": "phone", "phone": "1"});
    match random.below(2) {
        0 => Ask::tool("call", "tree", tree).text("ok"),
        _ => Ask::tool("call", "json_schema_2020_12_tool", person).text("The arguments fit the schema"),
    }
}

/// Arguments that do not fit the schema.
fn mistaken(random: &mut Random) -> Ask {
    let (name, arguments, fault) = random
        .pick(&[
            ("echo", json!({"text": 5}), "/text: must be of type string"),
            ("echo", json!({}), "arguments: missing required property \"text\""),
            ("count", json!({"n": 1.5}), "/n: must be of type integer"),
            (
                "json_schema_2020_12_tool",
                json!({"contactMethod": "email", "phone": "1"}),
                "arguments: missing required property \"email\"",
            ),
        ])
        .clone();
    Ask::tool("call mistaken", name, arguments).fails(&format!("Invalid arguments: {fault}"))
}

fn failing(_: &mut Random) -> Ask {
    let text = "This tool intentionally returns an error for testing";
    Ask::tool("call failing", "test_error_handling", json!({})).fails(text)
}

fn panicking(_: &mut Random) -> Ask {
    Ask::tool("call panicking", "boom", json!({})).refused(500, -32603, "Internal error")
}
