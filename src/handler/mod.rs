//! What a handler returns.
//! Law: the Rust result is the wire discriminator, one to one: `Ok` is "complete", [`Interrupt::InputRequired`] is
//! "input_required", [`Interrupt::Fault`] is a JSON-RPC error, [`ToolOutput::error`] is `isError: true`.

pub mod asking; // §10
pub mod catalog;
pub mod context;
pub mod hooks;
pub mod shared;

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;
use serde_json::Value;

use crate::caching::CacheHint;
use crate::envelope::{Object, json_text};
use crate::errors::Fault;
use crate::mrtr::InputRequired;
use crate::types::{AnswerError, ContentBlock, PromptMessage, ResourceContents};

/// Why a handler ends without a result.
#[derive(Clone, Debug)]
pub enum Interrupt {
    /// A JSON-RPC error.
    Fault(Fault),
    /// The client is asked for input; it calls again with the answers (§10).
    InputRequired(InputRequired),
    /// The operation failed: a tool answers the text with `isError: true`, so that the model sees it; anything else answers
    /// -32603 and the text goes to the observer only.
    Failed(String),
    /// There is nothing under the URI that was asked for: `resources/read` says so, and names it (§5.4). No other handler has
    /// a use for it.
    NotFound,
    /// The request was cancelled: nothing is answered (§9).
    Cancelled,
}

impl Interrupt {
    /// The operation failed, for the reason given: `work().map_err(Interrupt::failed)?`.
    pub fn failed(reason: impl fmt::Display) -> Interrupt {
        Interrupt::Failed(reason.to_string())
    }
}

impl From<Fault> for Interrupt {
    fn from(fault: Fault) -> Interrupt {
        Interrupt::Fault(fault)
    }
}

impl From<InputRequired> for Interrupt {
    fn from(input: InputRequired) -> Interrupt {
        Interrupt::InputRequired(input)
    }
}

/// The user declined, or left a field out: the tool fails with a text that says so.
impl From<AnswerError> for Interrupt {
    fn from(error: AnswerError) -> Interrupt {
        Interrupt::failed(error)
    }
}

/// What a tool's handler returns.
pub type ToolResult = Result<ToolOutput, Interrupt>;

/// For tools without arguments: whatever is passed is ignored.
#[derive(Clone, Copy, Debug, Default, serde::Deserialize)]
pub struct NoArgs {}

/// The result of a tool (§5.2).
// req 5.2-10: what is not set is `[]` and `false`
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolOutput {
    /// What the model reads.
    pub content: Vec<ContentBlock>,
    /// Any JSON value, also `null`; `None` leaves the member out.
    pub structured: Option<Value>,
    /// The tool failed; `content` says why.
    pub is_error: bool,
    /// The result's `_meta`; the server adds its identity.
    pub meta: Object,
}

/// A result of one text block.
pub fn text(text: impl Into<String>) -> ToolOutput {
    // req 5.2-7
    ToolOutput { content: vec![ContentBlock::text(text)], ..ToolOutput::default() }
}

impl ToolOutput {
    /// A failure that the model can read and react to.
    pub fn error(reason: impl Into<String>) -> ToolOutput {
        // req 5.2-9
        ToolOutput { is_error: true, ..text(reason) }
    }

    /// A structured result, and a text block with its JSON. A value that is no JSON reads as `null`.
    pub fn structured(value: impl Serialize) -> ToolOutput {
        let value = serde_json::to_value(value).unwrap_or(Value::Null);
        // req 5.2-8
        ToolOutput { structured: Some(value.clone()), ..text(json_text(&value)) }
    }

    /// Adds a content block.
    #[must_use]
    pub fn and(mut self, block: impl Into<ContentBlock>) -> ToolOutput {
        self.content.push(block.into());
        self
    }

    /// Adds a member to the result's `_meta`.
    #[must_use]
    pub fn meta(mut self, key: impl Into<String>, value: impl Into<Value>) -> ToolOutput {
        self.meta.insert(key.into(), value.into());
        self
    }
}

impl From<ContentBlock> for ToolOutput {
    fn from(block: ContentBlock) -> ToolOutput {
        ToolOutput { content: vec![block], ..ToolOutput::default() }
    }
}

impl From<Vec<ContentBlock>> for ToolOutput {
    fn from(content: Vec<ContentBlock>) -> ToolOutput {
        ToolOutput { content, ..ToolOutput::default() }
    }
}

impl From<&str> for ToolOutput {
    fn from(content: &str) -> ToolOutput {
        text(content)
    }
}

impl From<String> for ToolOutput {
    fn from(content: String) -> ToolOutput {
        text(content)
    }
}

/// The result of reading a resource (§5.4).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ResourceOutput {
    /// The contents; an empty `uri` in one is filled with the URI that was asked for.
    pub contents: Vec<ResourceContents>,
    /// How long the result is fresh; `None`: the policy of the server.
    pub cache: Option<CacheHint>,
    /// The result's `_meta`.
    pub meta: Object,
}

impl ResourceOutput {
    /// Sets how long this result is fresh.
    #[must_use]
    pub fn cache(mut self, hint: CacheHint) -> ResourceOutput {
        self.cache = Some(hint);
        self
    }
}

impl From<ResourceContents> for ResourceOutput {
    fn from(contents: ResourceContents) -> ResourceOutput {
        vec![contents].into()
    }
}

impl From<Vec<ResourceContents>> for ResourceOutput {
    fn from(contents: Vec<ResourceContents>) -> ResourceOutput {
        ResourceOutput { contents, ..ResourceOutput::default() }
    }
}

/// The arguments of a prompt (§5.5): names to strings.
pub type PromptArguments = BTreeMap<String, String>;

/// The result of a prompt (§5.5).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PromptOutput {
    /// What the prompt is for; `None` leaves the member out.
    pub description: Option<String>,
    /// The messages.
    pub messages: Vec<PromptMessage>,
    /// The result's `_meta`.
    pub meta: Object,
}

impl PromptOutput {
    /// Sets the description.
    #[must_use]
    pub fn description(mut self, text: impl Into<String>) -> PromptOutput {
        self.description = Some(text.into());
        self
    }
}

impl From<PromptMessage> for PromptOutput {
    fn from(message: PromptMessage) -> PromptOutput {
        vec![message].into()
    }
}

impl From<Vec<PromptMessage>> for PromptOutput {
    fn from(messages: Vec<PromptMessage>) -> PromptOutput {
        PromptOutput { messages, ..PromptOutput::default() }
    }
}

/// The result of a completion (§5.6).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Completion {
    /// The proposals, best first. At most 100 are sent.
    pub values: Vec<String>,
    /// How many there are in all; raised to the number of values where it is less.
    pub total: Option<u64>,
    /// Whether there are more than those sent.
    pub has_more: Option<bool>,
}

impl Completion {
    /// Says how many proposals there are in all.
    #[must_use]
    pub fn total(mut self, total: u64) -> Completion {
        self.total = Some(total);
        self
    }

    /// Says whether there are more than those given.
    #[must_use]
    pub fn has_more(mut self, more: bool) -> Completion {
        self.has_more = Some(more);
        self
    }
}

impl<T: Into<String>> From<Vec<T>> for Completion {
    fn from(values: Vec<T>) -> Completion {
        Completion { values: values.into_iter().map(Into::into).collect(), ..Completion::default() }
    }
}
