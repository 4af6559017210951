//! Results for people.
//! Law: what a server wrote cannot steer the terminal: control characters are shown, not sent.

use std::fmt::Write as _;
use std::io::{self, IsTerminal, Write};

use plain_mcp::client::{Change, PromptResult, ResourceResult, Seen, ToolResult};
use plain_mcp::types::{ContentBlock, ResourceBody, ResourceContents};
use serde_json::Value;

/// A line on standard error. That it cannot be written harms nothing.
pub(crate) fn tell(text: &str) {
    let _ = writeln!(io::stderr(), "{}", clean(text));
}

/// The text with control characters other than line ends and tabs made visible.
pub(crate) fn clean(text: &str) -> String {
    let harmless = |letter: char| !letter.is_control() || matches!(letter, '\n' | '\t');
    text.chars().map(|letter| if harmless(letter) { letter } else { char::REPLACEMENT_CHARACTER }).collect()
}

/// A text on standard output: as it is for a program, clean for a terminal.
fn print(out: &mut dyn Write, text: &str) -> io::Result<()> {
    let text = if io::stdout().is_terminal() { clean(text) } else { text.to_owned() };
    out.write_all(text.as_bytes())?;
    if text.ends_with('\n') { Ok(()) } else { out.write_all(b"\n") }
}

/// JSON on one line.
pub(crate) fn json(out: &mut dyn Write, value: &Value) -> io::Result<()> {
    writeln!(out, "{value}")
}

/// The lists, each item with what calls it.
pub(crate) fn lists(out: &mut dyn Write, lists: &[(&str, Value)]) -> io::Result<()> {
    for (name, items) in lists {
        print(out, &format!("{name}:"))?;
        for item in items.as_array().into_iter().flatten() {
            print(out, &format!("  {}", head(item)))?;
            let about = text(item, "description").or_else(|| text(item, "title")).unwrap_or_default();
            for line in about.lines().filter(|line| !line.trim().is_empty()) {
                print(out, &format!("      {}", line.trim()))?;
            }
        }
    }
    Ok(())
}

fn text<'v>(item: &'v Value, member: &str) -> Option<&'v str> {
    item.get(member).and_then(Value::as_str)
}

/// `name(argument, [optional])` of what is called, the URI of what is read.
fn head(item: &Value) -> String {
    let name = text(item, "name").unwrap_or("?");
    if let Some(uri) = text(item, "uri").or_else(|| text(item, "uriTemplate")) {
        let kind = text(item, "mimeType").map(|kind| format!(", {kind}")).unwrap_or_default();
        return format!("{uri} ({name}{kind})");
    }
    format!("{name}({})", arguments(item).join(", "))
}

fn arguments(item: &Value) -> Vec<String> {
    let optional = |name: &str, required: bool| if required { name.to_owned() } else { format!("[{name}]") };
    if let Some(arguments) = item.get("arguments").and_then(Value::as_array) {
        let is_required = |argument: &Value| argument.get("required") == Some(&Value::Bool(true));
        let name = |argument: &Value| text(argument, "name").unwrap_or("?").to_owned();
        return arguments.iter().map(|argument| optional(&name(argument), is_required(argument))).collect();
    }
    let required = item.pointer("/inputSchema/required").and_then(Value::as_array);
    let is_required = |name: &str| required.is_some_and(|names| names.iter().any(|required| required == name));
    let properties = item.pointer("/inputSchema/properties").and_then(Value::as_object);
    let property = |(name, schema): (&String, &Value)| {
        let kind = text(schema, "type").map(|kind| format!(": {kind}")).unwrap_or_default();
        optional(&format!("{name}{kind}"), is_required(name))
    };
    properties.into_iter().flatten().map(property).collect()
}

/// What a tool answered: its blocks, or where there are none its structured answer.
pub(crate) fn tool(out: &mut dyn Write, result: &ToolResult) -> io::Result<()> {
    let blocks = result.content();
    if let (true, Some(structured)) = (blocks.is_empty(), result.structured()) {
        return print(out, &format!("{structured:#}"));
    }
    blocks.iter().try_for_each(|block| print(out, &self::block(block)))
}

/// A resource: its texts, and a note on what is no text.
pub(crate) fn resource(out: &mut dyn Write, result: &ResourceResult) -> io::Result<()> {
    result.contents().iter().try_for_each(|part| {
        let text = part.known().map_or_else(|| part.raw().to_string(), contents);
        print(out, &text)
    })
}

/// The messages of a prompt, each after who says it.
pub(crate) fn prompt(out: &mut dyn Write, result: &PromptResult) -> io::Result<()> {
    for message in result.messages() {
        let content = message.raw().get("content").unwrap_or(&Value::Null);
        let known = message.known().map(|message| &message.content);
        let role = text(message.raw(), "role").unwrap_or("?");
        print(out, &format!("{role}: {}", known.map_or_else(|| content.to_string(), known_block)))?;
    }
    Ok(())
}

/// A change, on one line.
pub(crate) fn change(change: &Change) -> Option<String> {
    match change {
        Change::Tools => Some("tools".to_owned()),
        Change::Prompts => Some("prompts".to_owned()),
        Change::Resources => Some("resources".to_owned()),
        Change::Resource(uri) => Some(format!("resource {uri}")),
        _ => None,
    }
}

fn block(block: &Seen<'_, ContentBlock>) -> String {
    block.known().map_or_else(|| block.raw().to_string(), known_block)
}

fn known_block(block: &ContentBlock) -> String {
    match block {
        ContentBlock::Text(text) => text.text.clone(),
        ContentBlock::Image(image) => bytes("image", Some(&image.mime_type), &image.data),
        ContentBlock::Audio(audio) => bytes("audio", Some(&audio.mime_type), &audio.data),
        ContentBlock::ResourceLink(resource) => format!("[resource {}]", resource.uri),
        ContentBlock::Resource(resource) => contents(&resource.resource),
        _ => "[a block of an unknown type]".to_owned(),
    }
}

fn contents(contents: &ResourceContents) -> String {
    match &contents.body {
        ResourceBody::Text(text) => text.clone(),
        ResourceBody::Blob(data) => bytes(&contents.uri, contents.mime_type.as_deref(), data),
    }
}

/// A note on bytes in base64; `--json` shows them.
fn bytes(what: &str, mime_type: Option<&str>, data: &str) -> String {
    let mut note = format!("[{what}");
    if let Some(mime_type) = mime_type {
        let _ = write!(note, ", {mime_type}");
    }
    let padding = data.bytes().rev().take_while(|byte| *byte == b'=').count();
    let _ = write!(note, ", {} bytes]", (data.len() / 4 * 3).saturating_sub(padding));
    note
}
