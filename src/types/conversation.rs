//! §10.1 The messages that go to and from the client's model.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::annotations::Role;
use super::content::{AudioContent, ContentBlock, ImageContent, TextContent};
use super::json::{Meta, kind, no_such_kind, present, read_value};

/// One block of a message to or from the model (§10.1).
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum SamplingBlock {
    /// Text.
    Text(TextContent),
    /// An image.
    Image(ImageContent),
    /// Sound.
    Audio(AudioContent),
    /// The model calls a tool.
    ToolUse(ToolUseContent),
    /// What that tool answered.
    ToolResult(ToolResultContent),
}

read_value!(SamplingBlock, |block| match kind(block) {
    Some("text") => TextContent::deserialize(block).map(SamplingBlock::Text),
    Some("image") => ImageContent::deserialize(block).map(SamplingBlock::Image),
    Some("audio") => AudioContent::deserialize(block).map(SamplingBlock::Audio),
    Some("tool_use") => ToolUseContent::deserialize(block).map(SamplingBlock::ToolUse),
    Some("tool_result") => ToolResultContent::deserialize(block).map(SamplingBlock::ToolResult),
    _ => Err(no_such_kind()),
});

/// The model calls a tool (§10.1).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ToolUseContent {
    /// The id that the result names.
    pub id: String,
    /// The name of the tool.
    pub name: String,
    /// Its arguments.
    pub input: Map<String, Value>,
    /// `_meta`; to be kept when the block is sent back.
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
}

/// What a tool answered to the model (§10.1).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ToolResultContent {
    /// The id of the [`ToolUseContent`] that this answers.
    pub tool_use_id: String,
    /// The answer.
    pub content: Vec<ContentBlock>,
    /// The answer as a value.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub structured_content: Option<Value>,
    /// Whether the tool failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_error: Option<bool>,
    /// `_meta`; to be kept when the block is sent back.
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
}

impl SamplingBlock {
    /// A text block.
    pub fn text(text: impl Into<String>) -> SamplingBlock {
        SamplingBlock::Text(TextContent { text: text.into(), annotations: None, meta: None })
    }

    /// What a tool answered to the call with this id.
    pub fn tool_result(tool_use_id: impl Into<String>, content: Vec<ContentBlock>) -> SamplingBlock {
        SamplingBlock::ToolResult(ToolResultContent {
            tool_use_id: tool_use_id.into(),
            content,
            structured_content: None,
            is_error: None,
            meta: None,
        })
    }
}

/// The content of a message: one block, or a list of them (§10.1).
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum SamplingContent {
    /// One block.
    One(SamplingBlock),
    /// Several blocks.
    List(Vec<SamplingBlock>),
}

read_value!(SamplingContent, |content| match content {
    Value::Array(_) => Vec::deserialize(content).map(SamplingContent::List),
    _ => SamplingBlock::deserialize(content).map(SamplingContent::One),
});

impl SamplingContent {
    /// The blocks, however they were written.
    pub fn blocks(&self) -> &[SamplingBlock] {
        match self {
            SamplingContent::One(block) => std::slice::from_ref(block),
            SamplingContent::List(blocks) => blocks,
        }
    }
}

impl From<&str> for SamplingContent {
    fn from(text: &str) -> SamplingContent {
        SamplingContent::One(SamplingBlock::text(text))
    }
}

impl From<String> for SamplingContent {
    fn from(text: String) -> SamplingContent {
        SamplingContent::One(SamplingBlock::text(text))
    }
}

impl From<SamplingBlock> for SamplingContent {
    fn from(block: SamplingBlock) -> SamplingContent {
        SamplingContent::One(block)
    }
}

impl From<Vec<SamplingBlock>> for SamplingContent {
    fn from(blocks: Vec<SamplingBlock>) -> SamplingContent {
        SamplingContent::List(blocks)
    }
}

/// One message of the conversation with the model (§10.1).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SamplingMessage {
    /// Who speaks.
    pub role: Role,
    /// What is said.
    pub content: SamplingContent,
    /// `_meta`.
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
}

impl SamplingMessage {
    /// A message of the person.
    pub fn user(content: impl Into<SamplingContent>) -> SamplingMessage {
        SamplingMessage { role: Role::User, content: content.into(), meta: None }
    }

    /// A message of the model.
    pub fn assistant(content: impl Into<SamplingContent>) -> SamplingMessage {
        SamplingMessage { role: Role::Assistant, content: content.into(), meta: None }
    }
}
