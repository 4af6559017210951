//! A server whose tools do what their arguments say.

use std::sync::LazyLock;

use plain_mcp::{
    Context, Level, Limits, NoArgs, Prompt, PromptArguments, PromptMessage, Resource, ResourceTemplate, Server, Tool,
    ToolOutput, Vars, contents, elicit, text,
};
use serde_json::{Value, json};

/// The longest line of [`SMALL`], in bytes, the longest id and the most values of a message.
pub const LINE: usize = 400;
pub const ID: usize = 16;
pub const VALUES: usize = 64;

/// With the bounds that a server has unless it is told others.
pub static SERVER: LazyLock<Server> = LazyLock::new(|| server(Limits::default()));

/// With small bounds, so that a short input meets them.
pub static SMALL: LazyLock<Server> =
    LazyLock::new(|| server(Limits { line: LINE, id: ID, values: VALUES, in_flight: 2, ..Limits::default() }));

fn server(limits: Limits) -> Server {
    let region = json!({"type": "object", "properties": {"region": {"type": "string", "x-mcp-header": "Region"}}});
    let server = Server::builder("fuzz", "1.0.0")
        .limits(limits)
        .tool(Tool::new("echo", "Gives back").input(region), |args: Value, _: &Context<'_>| {
            Ok(ToolOutput::structured(args))
        })
        .tool(Tool::new("script", "Does its steps"), |args: Value, cx: &Context<'_>| Ok(script(&args["steps"], cx)))
        .tool(Tool::new("ask", "Asks"), |_: NoArgs, cx: &Context<'_>| {
            let name = cx.ask("name", elicit::form("Name?").string("name").required())?;
            Ok(text(name.str("name")?))
        })
        .resource(Resource::new("test://a", "a"), |_: &str, _: &Context<'_>| Ok(contents::text("text/plain", "a")))
        .template(ResourceTemplate::new("test://t/{id}", "t"), |vars: &Vars, _: &Context<'_>| {
            Ok(contents::text("text/plain", vars.get("id").unwrap_or_default()))
        })
        .prompt(Prompt::new("p", "A prompt").arg("a"), |args: &PromptArguments, _: &Context<'_>| {
            Ok(PromptMessage::user(args["a"].as_str()))
        })
        .list_changed()
        .subscribe()
        .build()
        .unwrap();
    server.end_streams(); // a listen stream ends as soon as it is acknowledged
    server
}

/// A step is a letter and a text: `p` says the text as progress, `l` logs it, `n` logs under that name, `j` logs JSON; the last `r` is
/// the text of the result.
fn script(steps: &Value, cx: &Context<'_>) -> ToolOutput {
    let mut last = "";
    for (at, step) in steps.as_array().into_iter().flatten().filter_map(Value::as_str).enumerate() {
        let (kind, rest) = kind(step);
        match kind {
            'p' => cx.progress(at as f64, None, rest),
            'l' => cx.log(Level::Info, "script", rest),
            'n' => cx.log(Level::Info, rest, "named"),
            'j' => cx.log(Level::Info, "script", data(rest)),
            _ => last = rest,
        }
    }
    text(last)
}

/// The letter of a step, and its text.
pub fn kind(step: &str) -> (char, &str) {
    let mut characters = step.chars();
    (characters.next().unwrap_or(' '), characters.as_str())
}

/// The JSON of a step; `null` for what is none, or nests so deep that no reader would take it in an answer.
pub fn data(text: &str) -> Value {
    let shallow = text.matches(['[', '{']).count() < 100;
    serde_json::from_str(text).ok().filter(|_| shallow).unwrap_or_default()
}
