//! §10.1 Asking the client's model. Deprecated by SEP-2577, still part of this revision.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Number, Value};

use super::annotations::Role;
use super::conversation::{SamplingBlock, SamplingContent, SamplingMessage};
use super::json::{Meta, number};
use super::tool::Tool;

/// A name, or a part of one, of a wanted model (§10.1).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct ModelHint {
    /// The name or the part of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// Which model the server would like (§10.1); hints in their order go before priorities.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct ModelPreferences {
    /// Wanted models; the first that the client has wins.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hints: Vec<ModelHint>,
    /// How much a low price counts, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_priority: Option<Number>,
    /// How much speed counts, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub speed_priority: Option<Number>,
    /// How much ability counts, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub intelligence_priority: Option<Number>,
}

/// Which servers' context the client adds (§10.1). Anything but `None` is deprecated and needs `sampling.context`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum IncludeContext {
    /// None.
    None,
    /// That of the asking server.
    ThisServer,
    /// That of all servers.
    AllServers,
}

/// Whether the model may, must or must not use a tool (§10.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ToolChoiceMode {
    /// The model decides.
    Auto,
    /// At least one tool.
    Required,
    /// No tool.
    None,
}

/// `toolChoice` (§10.1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ToolChoice {
    /// The mode; absent means `auto`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<ToolChoiceMode>,
}

/// `sampling/createMessage` (§10.1).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CreateMessage {
    /// The conversation so far.
    pub messages: Vec<SamplingMessage>,
    /// How many tokens the model may write at most; positive.
    pub max_tokens: i64,
    /// What the model is told first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub system_prompt: Option<String>,
    /// Which model is wanted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model_preferences: Option<ModelPreferences>,
    /// The temperature of the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature: Option<Number>,
    /// Texts that end the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop_sequences: Option<Vec<String>>,
    /// Which servers' context is added.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub include_context: Option<IncludeContext>,
    /// Anything for the provider of the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Map<String, Value>>,
    /// Tools for the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<Vec<Tool>>,
    /// Whether it uses them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_choice: Option<ToolChoice>,
    /// What the builder could not take; see [`CreateMessage::problem`].
    #[serde(skip)]
    problems: Vec<&'static str>,
}

/// Asks the client's model with one message of the person. `max_tokens` is how much it may write at most.
pub fn message(text: impl Into<String>, max_tokens: i64) -> CreateMessage {
    CreateMessage::new([SamplingMessage::user(text.into())], max_tokens)
}

/// The model's answer (§10.3).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CreateMessageResult {
    /// Who speaks.
    pub role: Role,
    /// What is said.
    pub content: SamplingContent,
    /// The model that answered.
    pub model: String,
    /// Why it stopped: `endTurn`, `stopSequence`, `maxTokens`, `toolUse` or any other text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop_reason: Option<String>,
    /// `_meta`.
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
}

impl CreateMessageResult {
    /// An answer of the model with this name.
    pub fn new(content: impl Into<SamplingContent>, model: impl Into<String>) -> CreateMessageResult {
        let (content, model) = (content.into(), model.into());
        CreateMessageResult { role: Role::Assistant, content, model, stop_reason: None, meta: None }
    }

    /// Sets why the model stopped.
    #[must_use]
    pub fn stop_reason(mut self, reason: impl Into<String>) -> CreateMessageResult {
        self.stop_reason = Some(reason.into());
        self
    }

    /// The first text of the answer, if there is one.
    pub fn text(&self) -> Option<&str> {
        self.content.blocks().iter().find_map(|block| match block {
            SamplingBlock::Text(text) => Some(text.text.as_str()),
            _ => None,
        })
    }

    /// Reads an answer; nothing where its shape is wrong.
    // req 10.3-10
    pub fn read(result: &Value) -> Option<CreateMessageResult> {
        CreateMessageResult::deserialize(result).ok()
    }
}

impl CreateMessage {
    /// Asks the client's model with a conversation.
    pub fn new(messages: impl IntoIterator<Item = SamplingMessage>, max_tokens: i64) -> CreateMessage {
        CreateMessage {
            messages: messages.into_iter().collect(),
            max_tokens,
            system_prompt: None,
            model_preferences: None,
            temperature: None,
            stop_sequences: None,
            include_context: None,
            metadata: None,
            tools: None,
            tool_choice: None,
            problems: Vec::new(),
        }
    }

    /// Adds a message to the conversation.
    #[must_use]
    pub fn then(mut self, message: SamplingMessage) -> CreateMessage {
        self.messages.push(message);
        self
    }

    /// Sets what the model is told first.
    #[must_use]
    pub fn system_prompt(mut self, prompt: impl Into<String>) -> CreateMessage {
        self.system_prompt = Some(prompt.into());
        self
    }

    /// Adds a wanted model, by its name or a part of it.
    #[must_use]
    pub fn hint(mut self, name: impl Into<String>) -> CreateMessage {
        self.preferences().hints.push(ModelHint { name: Some(name.into()) });
        self
    }

    /// Says how much a low price counts, 0 to 1.
    #[must_use]
    pub fn cost_priority(mut self, priority: f64) -> CreateMessage {
        self.preferences().cost_priority = self.finite(priority, "costPriority is not a finite number");
        self
    }

    /// Says how much speed counts, 0 to 1.
    #[must_use]
    pub fn speed_priority(mut self, priority: f64) -> CreateMessage {
        self.preferences().speed_priority = self.finite(priority, "speedPriority is not a finite number");
        self
    }

    /// Says how much ability counts, 0 to 1.
    #[must_use]
    pub fn intelligence_priority(mut self, priority: f64) -> CreateMessage {
        self.preferences().intelligence_priority = self.finite(priority, "intelligencePriority is not a finite number");
        self
    }

    /// Sets the temperature of the model.
    #[must_use]
    pub fn temperature(mut self, temperature: f64) -> CreateMessage {
        self.temperature = self.finite(temperature, "temperature is not a finite number");
        self
    }

    /// Adds a text that ends the answer.
    #[must_use]
    pub fn stop_sequence(mut self, text: impl Into<String>) -> CreateMessage {
        self.stop_sequences.get_or_insert_with(Vec::new).push(text.into());
        self
    }

    /// Asks for context of servers. Deprecated: anything but [`IncludeContext::None`] needs `sampling.context`.
    #[must_use]
    pub fn include_context(mut self, context: IncludeContext) -> CreateMessage {
        self.include_context = Some(context);
        self
    }

    /// Adds one member for the provider of the model.
    #[must_use]
    pub fn metadata(mut self, key: impl Into<String>, value: impl Into<Value>) -> CreateMessage {
        self.metadata.get_or_insert_with(Map::new).insert(key.into(), value.into());
        self
    }

    /// Adds a tool for the model; needs `sampling.tools`.
    #[must_use]
    pub fn tool(mut self, tool: Tool) -> CreateMessage {
        self.tools.get_or_insert_with(Vec::new).push(tool);
        self
    }

    /// Says whether the model uses its tools; needs `sampling.tools`.
    #[must_use]
    pub fn tool_choice(mut self, mode: ToolChoiceMode) -> CreateMessage {
        self.tool_choice = Some(ToolChoice { mode: Some(mode) });
        self
    }

    /// What the builder could not take, or what keeps one of the tools from being listed; nothing where all is well.
    pub fn problem(&self) -> Option<String> {
        if let Some(problem) = self.problems.first() {
            return Some((*problem).to_owned());
        }
        let of_tool = |tool: &Tool| tool.problems().next().map(|problem| format!("tool {}: {problem}", tool.name));
        self.tools.iter().flatten().find_map(of_tool)
    }

    fn preferences(&mut self) -> &mut ModelPreferences {
        self.model_preferences.get_or_insert_with(ModelPreferences::default)
    }

    fn finite(&mut self, value: f64, problem: &'static str) -> Option<Number> {
        let number = number(value);
        if number.is_none() {
            self.problems.push(problem);
        }
        number
    }
}
