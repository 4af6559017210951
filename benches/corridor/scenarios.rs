//! The server that is measured, and what it is asked.

use plain_mcp::{Context, NoArgs, Server, Tool, ToolOutput, ToolResult, text};
use serde::Deserialize;
use serde_json::{Value, json};

use super::line;
#[cfg(feature = "http")]
use super::post;

/// One request, sent again and again.
pub struct Scenario {
    /// The name of the request; over HTTP with `http-` before it.
    pub name: String,
    pub bytes_in: usize,
    pub bytes_out: usize,
    /// Runs one operation; returns the bytes that go out.
    pub run: Box<dyn Fn() -> usize>,
}

/// A request, and a piece of text that its answer must have.
struct Ask {
    name: &'static str,
    method: &'static str,
    params: Value,
    answered: String,
}

/// All scenarios: as lines, and then as HTTP requests.
pub fn all() -> Vec<Scenario> {
    let server = server();
    let lines = asks().into_iter().map(|ask| {
        let line = ask.message().to_string().into_bytes();
        let (bytes_in, server) = (line.len(), server.clone());
        ask.scenario("", bytes_in, move || line::answer(&server, &line))
    });
    #[cfg(not(feature = "http"))]
    return lines.collect();
    #[cfg(feature = "http")]
    {
        let posts = asks().into_iter().map(|ask| {
            let bytes = post::bytes(&ask.message());
            let (bytes_in, host) = (bytes.len(), post::Host::new(&server));
            ask.scenario("http-", bytes_in, move || host.answer(&bytes))
        });
        lines.chain(posts).collect()
    }
}

impl Ask {
    fn message(&self) -> Value {
        let mut params = self.params.clone();
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "1.0.0"},
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        json!({"jsonrpc": "2.0", "id": 1, "method": self.method, "params": params})
    }

    fn scenario(self, before: &str, bytes_in: usize, answer: impl Fn() -> Vec<u8> + 'static) -> Scenario {
        let name = [before, self.name].concat();
        let first = answer();
        let text = String::from_utf8_lossy(&first);
        assert!(text.contains(&self.answered), "{name}: {text:.500}");
        Scenario { name, bytes_in, bytes_out: first.len(), run: Box::new(move || answer().len()) }
    }
}

fn asks() -> Vec<Ask> {
    let ask = |name, method, params, answered: &str| Ask { name, method, params, answered: answered.to_owned() };
    let large = "x".repeat(1024 * 1024);
    vec![
        ask("call", "tools/call", json!({"name": "hello"}), r#""text":"Hello""#),
        ask("structured", "tools/call", json!({"name": "add", "arguments": {"a": 2, "b": 3.5}}), r#"{"sum":5.5}"#),
        ask("list", "tools/list", json!({}), r#""name":"dummy_096""#),
        ask("discover", "server/discover", json!({}), r#""supportedVersions":["2026-07-28"]"#),
        ask("large-in", "tools/call", json!({"name": "length", "arguments": {"text": large}}), r#""text":"1048576""#),
        ask("large-echo", "tools/call", json!({"name": "echo", "arguments": {"text": large}}), &large),
        ask("refused", "tools/call", json!({"name": "nobody"}), "-32602"),
    ]
}

#[derive(Deserialize)]
struct Add {
    a: f64,
    b: f64,
}

#[derive(Deserialize)]
struct Text {
    text: String,
}

/// Four tools that do something; with the others they are a hundred, which is one page.
fn server() -> Server {
    let texts = || json!({"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]});
    let add = Tool::new("add", "Adds two numbers")
        .input(json!({
            "type": "object",
            "properties": {"a": {"type": "number"}, "b": {"type": "number"}},
            "required": ["a", "b"],
        }))
        .output(json!({"type": "object", "properties": {"sum": {"type": "number"}}, "required": ["sum"]}));
    let server = Server::builder("bench", "0.1.0")
        .tool(Tool::new("hello", "Says hello"), hello)
        .tool(add, |Add { a, b }, _| Ok(ToolOutput::structured(json!({"sum": a + b}))))
        .tool(Tool::new("length", "Measures its text").input(texts()), |it: Text, _| Ok(it.text.len().to_string()))
        .tool(Tool::new("echo", "Returns its text").input(texts()), |it: Text, _| Ok(it.text));
    (1..=96).fold(server, |server, number| server.tool(dummy(number), hello)).build().unwrap()
}

fn hello(_: NoArgs, _: &Context<'_>) -> ToolResult {
    Ok(text("Hello"))
}

fn dummy(number: u32) -> Tool {
    let description = format!("Tool number {number}, which makes the list as long as a real one");
    Tool::new(format!("dummy_{number:03}"), description).input(json!({
        "type": "object",
        "properties": {
            "path": {"type": "string", "description": "Path of the file to work on"},
            "limit": {"type": "integer", "minimum": 1, "maximum": 1000, "description": "Upper bound on the results"},
            "mode": {"type": "string", "enum": ["fast", "full"], "description": "How thorough to be"},
        },
        "required": ["path"],
    }))
}
