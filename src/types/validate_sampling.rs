//! §10.1 Whether the params of a `sampling/createMessage` may be sent.

use std::collections::BTreeSet;

use serde::Deserialize;
use serde_json::{Map, Value};

use super::annotations::Role;
use super::conversation::{SamplingBlock, SamplingMessage};
use super::tool::Tool;
use super::verdict::{Verdict, known};

/// The members of the params (§10.1).
const MEMBERS: [&str; 11] = [
    "_meta",
    "includeContext",
    "maxTokens",
    "messages",
    "metadata",
    "modelPreferences",
    "stopSequences",
    "systemPrompt",
    "temperature",
    "toolChoice",
    "tools",
];

/// req 10.1-8: judges the params.
pub(super) fn params(params: &Map<String, Value>) -> Verdict {
    known(params, &MEMBERS, "sampling/createMessage")?;
    conversation(params)?;
    if params.get("maxTokens").and_then(Value::as_u64).is_none_or(|tokens| tokens == 0) {
        return Err(String::from("maxTokens must be a positive integer"));
    }
    each(params, "systemPrompt", "a string", Value::is_string)?;
    each(params, "temperature", "a number", Value::is_number)?;
    each(params, "stopSequences", "a list of strings", is_strings)?;
    each(params, "metadata", "an object", Value::is_object)?;
    each(params, "includeContext", "none, thisServer or allServers", |value| {
        ["none", "thisServer", "allServers"].iter().any(|known| value == known)
    })?;
    if let Some(preferences) = params.get("modelPreferences") {
        self::preferences(preferences)?;
    }
    tools(params)
}

/// A member that may be absent, and otherwise must be as its test says.
fn each(members: &Map<String, Value>, name: &str, what: &str, test: impl Fn(&Value) -> bool) -> Verdict {
    match members.get(name) {
        Some(value) if !test(value) => Err(format!("{name} must be {what}")),
        _ => Ok(()),
    }
}

fn is_strings(value: &Value) -> bool {
    value.as_array().is_some_and(|list| list.iter().all(Value::is_string))
}

fn preferences(value: &Value) -> Verdict {
    let members = value.as_object().ok_or("modelPreferences must be an object")?;
    known(members, &["hints", "costPriority", "speedPriority", "intelligencePriority"], "modelPreferences")?;
    let is_hint = |hint: &Value| hint.as_object().is_some_and(|hint| hint.get("name").is_none_or(Value::is_string));
    each(members, "hints", "a list of objects with a string name", |hints| {
        hints.as_array().is_some_and(|hints| hints.iter().all(is_hint))
    })?;
    for name in ["costPriority", "speedPriority", "intelligencePriority"] {
        each(members, name, "a number from 0 to 1", |value| {
            value.as_f64().is_some_and(|priority| (0.0..=1.0).contains(&priority))
        })?;
    }
    Ok(())
}

fn tools(params: &Map<String, Value>) -> Verdict {
    if let Some(tools) = params.get("tools") {
        let tools = tools.as_array().ok_or("tools must be a list of tools")?;
        for tool in tools {
            let tool = Tool::deserialize(tool).map_err(|_| String::from("tools must be a list of tools"))?;
            if let Some(problem) = tool.problems().next() {
                return Err(format!("tool {}: {problem}", tool.name));
            }
        }
    }
    let Some(choice) = params.get("toolChoice") else { return Ok(()) };
    let choice = choice.as_object().ok_or("toolChoice must be an object")?;
    known(choice, &["mode"], "toolChoice")?;
    each(choice, "mode", "auto, none or required", |mode| {
        ["auto", "none", "required"].iter().any(|known| mode == known)
    })
}

/// The messages: there are some, each has a role and content, and each use of a tool is answered by the next message.
fn conversation(params: &Map<String, Value>) -> Verdict {
    let messages = params.get("messages").and_then(Value::as_array).filter(|messages| !messages.is_empty());
    let messages = messages.ok_or("messages must be a non-empty list")?;
    let mut open = BTreeSet::new();
    for message in messages {
        let message = SamplingMessage::deserialize(message)
            .map_err(|_| String::from("a message needs the role user or assistant and content"))?;
        balance(&message, &open)?;
        open = uses(&message)?;
    }
    if open.is_empty() { Ok(()) } else { Err(String::from("a tool_use is not answered by the next message")) }
}

/// The ids of the tools that a message calls.
fn uses(message: &SamplingMessage) -> Result<BTreeSet<String>, String> {
    let mut ids = BTreeSet::new();
    for block in message.content.blocks() {
        let SamplingBlock::ToolUse(call) = block else { continue };
        if message.role == Role::User {
            return Err(String::from("a user message holds a tool_use"));
        }
        if !ids.insert(call.id.clone()) {
            return Err(String::from("two tool_use blocks have the same id"));
        }
    }
    Ok(ids)
}

/// A message answers exactly the tools that the message before it called, and then holds nothing else.
fn balance(message: &SamplingMessage, open: &BTreeSet<String>) -> Verdict {
    let blocks = message.content.blocks();
    let results: Vec<&str> = blocks
        .iter()
        .filter_map(|block| match block {
            SamplingBlock::ToolResult(result) => Some(result.tool_use_id.as_str()),
            _ => None,
        })
        .collect();
    if !results.is_empty() && message.role == Role::Assistant {
        return Err(String::from("an assistant message holds a tool_result"));
    }
    if !results.is_empty() && results.len() != blocks.len() {
        return Err(String::from("a message with a tool_result holds something else too"));
    }
    if results.len() != open.len() && results.iter().all(|id| open.contains(*id)) {
        return Err(String::from("a tool_use is not answered by the next message"));
    }
    let answered: BTreeSet<&str> = results.iter().copied().collect();
    if answered.len() != results.len() || !answered.iter().all(|id| open.contains(*id)) {
        return Err(String::from("a tool_result answers no tool_use of the message before it"));
    }
    Ok(())
}
