//! §3 §5 Results as they are read.
//! Law: what is not known is not lost: every result and every item keeps the object that it came in.
//! Law: one item that cannot be read does not lose the others of its list.

use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;

use serde::de::{DeserializeOwned, Error as _, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::error::Error;
use super::message;
use super::transport::Problem;
use crate::schema::Schema;
use crate::types::results::Completion;
use crate::types::{ContentBlock, InputRequest, PromptMessage, ResourceBody, ResourceContents, Tool};

/// Something that was received, in its type; derefs to it. The object that it came in is kept, with all that the type does not know.
#[derive(Clone, Debug, PartialEq)]
pub struct Received<T> {
    known: T,
    raw: Value,
}

impl<T: DeserializeOwned> Received<T> {
    /// Reads JSON text.
    pub(crate) fn read(text: &str, values: usize) -> Result<Received<T>, Error> {
        let raw = message::value(text, values)?;
        Received::of(raw).map_err(|error| Error::protocol(format!("a result that is none of its method: {error}")))
    }

    fn of(raw: Value) -> Result<Received<T>, serde_json::Error> {
        T::deserialize(&raw).map(|known| Received { known, raw })
    }
}

impl<T> Received<T> {
    /// The object as it came.
    pub fn raw(&self) -> &Value {
        &self.raw
    }

    /// What is known of it.
    pub fn into_inner(self) -> T {
        self.known
    }
}

impl<T> Deref for Received<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.known
    }
}

/// One item of a result whose type may be unknown.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Seen<'r, T> {
    known: Option<&'r T>,
    raw: &'r Value,
}

impl<'r, T> Seen<'r, T> {
    /// The item in its type; `None` where the type is unknown.
    pub fn known(&self) -> Option<&'r T> {
        self.known
    }

    /// The item as it came.
    pub fn raw(&self) -> &'r Value {
        self.raw
    }
}

/// The items of a list member: those that are known, beside the list as it came.
#[derive(Clone, Debug, PartialEq)]
struct Items<T>(Vec<Option<T>>);

impl<T: DeserializeOwned> Items<T> {
    fn of(raw: &Value, member: &str) -> Option<Items<T>> {
        let items = raw.get(member)?.as_array()?;
        Some(Items(items.iter().map(|item| T::deserialize(item).ok()).collect()))
    }
}

impl<T> Items<T> {
    fn seen<'r>(&'r self, raw: &'r Value, member: &str) -> Vec<Seen<'r, T>> {
        let items = raw.get(member).and_then(Value::as_array).into_iter().flatten();
        items.zip(&self.0).map(|(raw, known)| Seen { known: known.as_ref(), raw }).collect()
    }
}

fn without(member: &str) -> Error {
    Error::protocol(format!("a result without a list {member}"))
}

/// What a tool answered (§5.2).
#[derive(Clone, Debug, PartialEq)]
pub struct ToolResult {
    content: Items<ContentBlock>,
    raw: Value,
}

/// A tool that ran and failed (§5.2): what it says of that, for the model to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolFailed {
    /// The text blocks of its answer, a line each.
    pub text: String,
}

impl fmt::Display for ToolFailed {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "the tool failed: {}", self.text)
    }
}

impl std::error::Error for ToolFailed {}

impl ToolResult {
    pub(crate) fn read(text: &str, values: usize) -> Result<ToolResult, Error> {
        let raw = message::value(text, values)?;
        let content = match Items::of(&raw, "content") {
            Some(content) => content,
            // older servers leave it out where there is a structured answer
            None if raw.get("content").is_none() && raw.get("structuredContent").is_some() => Items(Vec::new()),
            None => return Err(without("content")),
        };
        if raw.get("isError").is_some_and(|flag| !flag.is_boolean()) {
            return Err(Error::protocol("a result whose isError is no boolean"));
        }
        Ok(ToolResult { content, raw })
    }

    /// The blocks of the answer, in their order.
    pub fn content(&self) -> Vec<Seen<'_, ContentBlock>> {
        self.content.seen(&self.raw, "content")
    }

    /// All text blocks, a line each.
    pub fn text(&self) -> String {
        let texts = self.content.0.iter().filter_map(|block| match block {
            Some(ContentBlock::Text(text)) => Some(text.text.as_str()),
            _ => None,
        });
        texts.collect::<Vec<_>>().join("\n")
    }

    /// The structured answer: any JSON. `Some(Value::Null)` where the server wrote `null`, `None` where it wrote none.
    pub fn structured(&self) -> Option<&Value> {
        self.raw.get("structuredContent")
    }

    /// Whether the tool failed.
    pub fn is_error(&self) -> bool {
        self.raw.get("isError") == Some(&Value::Bool(true))
    }

    /// Whether the structured answer fits the tool's output schema (§5.2). A tool without one, and a result that failed, always fit.
    ///
    /// # Errors
    /// A phrase that says what does not fit, or why the schema cannot be used: it is then no reason to doubt the answer.
    pub fn fits(&self, tool: &Tool) -> Result<(), String> {
        let Some(schema) = tool.output_schema.as_ref().filter(|_| !self.is_error()) else { return Ok(()) };
        let schema = serde_json::to_value(schema).map_err(|error| error.to_string())?;
        let schema = Schema::compile(&schema)
            .map_err(|unsupported| format!("the output schema cannot be used: {unsupported}"))?;
        let answer = self.structured().ok_or("there is an output schema, but no structured answer")?;
        schema.check(answer).map_err(|violation| violation.to_string())
    }

    /// The result of a tool that did not fail.
    ///
    /// # Errors
    /// The tool failed.
    pub fn check(self) -> Result<ToolResult, ToolFailed> {
        if self.is_error() { Err(ToolFailed { text: self.text() }) } else { Ok(self) }
    }

    /// The result as it came.
    pub fn raw(&self) -> &Value {
        &self.raw
    }
}

/// What a resource holds (§5.4).
#[derive(Clone, Debug, PartialEq)]
pub struct ResourceResult {
    contents: Items<ResourceContents>,
    raw: Value,
}

impl ResourceResult {
    pub(crate) fn read(text: &str, values: usize) -> Result<ResourceResult, Error> {
        let raw = message::value(text, values)?;
        let contents = Items::of(&raw, "contents").ok_or_else(|| without("contents"))?;
        Ok(ResourceResult { contents, raw })
    }

    /// The parts of the resource, in their order.
    pub fn contents(&self) -> Vec<Seen<'_, ResourceContents>> {
        self.contents.seen(&self.raw, "contents")
    }

    /// The first part that is text.
    pub fn text(&self) -> Option<&str> {
        self.contents.0.iter().flatten().find_map(|part| match &part.body {
            ResourceBody::Text(text) => Some(text.as_str()),
            _ => None,
        })
    }

    /// The result as it came.
    pub fn raw(&self) -> &Value {
        &self.raw
    }
}

/// A prompt, filled in (§5.5).
#[derive(Clone, Debug, PartialEq)]
pub struct PromptResult {
    messages: Items<PromptMessage>,
    raw: Value,
}

impl PromptResult {
    pub(crate) fn read(text: &str, values: usize) -> Result<PromptResult, Error> {
        let raw = message::value(text, values)?;
        let messages = Items::of(&raw, "messages").ok_or_else(|| without("messages"))?;
        Ok(PromptResult { messages, raw })
    }

    /// What the prompt is for.
    pub fn description(&self) -> Option<&str> {
        self.raw.get("description")?.as_str()
    }

    /// The messages, in their order.
    pub fn messages(&self) -> Vec<Seen<'_, PromptMessage>> {
        self.messages.seen(&self.raw, "messages")
    }

    /// The result as it came.
    pub fn raw(&self) -> &Value {
        &self.raw
    }
}

/// Suggestions for an argument (§5.6).
#[derive(Clone, Debug, PartialEq)]
pub struct CompletionResult {
    completion: Completion,
    raw: Value,
}

impl CompletionResult {
    pub(crate) fn read(text: &str, values: usize) -> Result<CompletionResult, Error> {
        let raw = message::value(text, values)?;
        let completion = raw.get("completion").and_then(|completion| Completion::deserialize(completion).ok());
        let completion = completion.ok_or_else(|| Error::protocol("a result without a completion"))?;
        Ok(CompletionResult { completion, raw })
    }

    /// The suggestions.
    pub fn values(&self) -> &[String] {
        &self.completion.values
    }

    /// How many there are in all.
    pub fn total(&self) -> Option<u64> {
        self.completion.total
    }

    /// Whether there are more than those sent.
    pub fn has_more(&self) -> bool {
        self.completion.has_more == Some(true)
    }

    /// The result as it came.
    pub fn raw(&self) -> &Value {
        &self.raw
    }
}

/// One page of a list (§6).
pub(crate) struct Page<T> {
    pub(crate) items: Vec<Received<T>>,
    pub(crate) next_cursor: Option<String>,
    /// The items that could not be read.
    pub(crate) problems: Vec<Problem>,
}

/// Reads a page whose items stand in `member`.
pub(crate) fn page<T: DeserializeOwned>(text: &str, member: &str, values: usize) -> Result<Page<T>, Error> {
    let Value::Object(mut page) = message::value(text, values)? else { return Err(without(member)) };
    let Some(Value::Array(list)) = page.remove(member) else { return Err(without(member)) };
    let next_cursor = match page.remove("nextCursor") {
        None | Some(Value::Null) => None,
        Some(Value::String(cursor)) => Some(cursor),
        Some(_) => return Err(Error::protocol("a cursor that is no string")),
    };
    let (mut items, mut problems) = (Vec::with_capacity(list.len()), Vec::new());
    for raw in list {
        let name = raw.get("name").or_else(|| raw.get("uri")).and_then(Value::as_str).unwrap_or("?").to_owned();
        match Received::of(raw) {
            Ok(item) => items.push(item),
            Err(error) => problems.push(Problem::Skipped(format!("{name:?} among {member}: {error}"))),
        }
    }
    Ok(Page { items, next_cursor, problems })
}

/// What a result of the stateless revision is (§3).
pub(crate) enum Judged {
    Complete,
    InputRequired(Asked),
}

/// What a server asks before it goes on (§10.1).
pub(crate) struct Asked {
    /// In the order in which they were written.
    pub(crate) requests: Vec<(String, InputRequest)>,
    pub(crate) state: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Head {
    #[serde(default)]
    result_type: Option<Value>,
    #[serde(default)]
    input_requests: Option<Ordered<InputRequest>>,
    #[serde(default)]
    request_state: Option<Value>,
}

/// Judges a result by its `resultType`: complete where there is none, and what is not known is no answer.
pub(crate) fn judge(text: &str, values: usize) -> Result<Judged, Error> {
    let head: Head = serde_json::from_str(text).map_err(|error| Error::protocol(format!("a result: {error}")))?;
    match head.result_type {
        None => return Ok(Judged::Complete),
        Some(Value::String(kind)) if kind == "complete" => return Ok(Judged::Complete),
        Some(Value::String(kind)) if kind == "input_required" => {}
        Some(kind) => return Err(Error::protocol(format!("a result of the type {kind}, which is not known"))),
    }
    message::value(text, values)?;
    let state = match head.request_state {
        None => None,
        Some(Value::String(state)) => Some(state),
        Some(_) => return Err(Error::protocol("a requestState that is no string")),
    };
    let requests = head.input_requests.map(|requests| requests.0);
    if requests.is_none() && state.is_none() {
        return Err(Error::protocol("an input_required result that asks for nothing and has no state"));
    }
    Ok(Judged::InputRequired(Asked { requests: requests.unwrap_or_default(), state }))
}

/// An object with its members in the order of the text, each once.
struct Ordered<T>(Vec<(String, T)>);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Ordered<T> {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Ordered<T>, D::Error> {
        struct Members<T>(PhantomData<T>);

        impl<'de, T: Deserialize<'de>> Visitor<'de> for Members<T> {
            type Value = Ordered<T>;

            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Ordered<T>, A::Error> {
                let mut members: Vec<(String, T)> = Vec::new();
                while let Some((name, value)) = map.next_entry::<String, T>()? {
                    if members.iter().any(|(other, _)| *other == name) {
                        return Err(A::Error::custom("a member that stands twice"));
                    }
                    members.push((name, value));
                }
                Ok(Ordered(members))
            }
        }

        source.deserialize_map(Members(PhantomData))
    }
}
