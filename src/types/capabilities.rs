//! §4 and §10.2 What a server offers and what a client can be asked.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// What a server offers, as `server/discover` answers it (§4). A member that is absent is not offered.
// req 4-3
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct ServerCapabilities {
    /// Argument completion; always `{}`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub completions: Option<Map<String, Value>>,
    /// Anything that no specification names, by name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub experimental: Option<Map<String, Value>>,
    /// Extensions by their prefixed id, each with its settings; `{}` means no settings.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extensions: Option<Map<String, Value>>,
    /// Log messages; always `{}`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub logging: Option<Map<String, Value>>,
    /// Prompts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompts: Option<ListCapability>,
    /// Resources.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resources: Option<ResourcesCapability>,
    /// Tools.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tools: Option<ListCapability>,
}

impl ServerCapabilities {
    /// Nothing is offered.
    pub fn new() -> ServerCapabilities {
        ServerCapabilities::default()
    }
}

/// The settings of `tools` and `prompts` (§4).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ListCapability {
    /// Whether the server says when the list changes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub list_changed: Option<bool>,
}

/// The settings of `resources` (§4).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ResourcesCapability {
    /// Whether the server says when the list changes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub list_changed: Option<bool>,
    /// Whether the server says when one resource changes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subscribe: Option<bool>,
}

/// What a client can be asked, as each request declares it (§2, §10.2). Kept as it came: unknown members stay.
// req 2-25, 10.2-7: a handler asks here what its request declared
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ClientCapabilities(Map<String, Value>);

impl ClientCapabilities {
    /// Nothing can be asked.
    pub fn none() -> ClientCapabilities {
        ClientCapabilities::default()
    }

    /// The declaration as a JSON object.
    pub fn as_map(&self) -> &Map<String, Value> {
        &self.0
    }

    /// The member of this name, where it is an object.
    fn object(&self, name: &str) -> Option<&Map<String, Value>> {
        self.0.get(name)?.as_object()
    }

    /// Whether the member `outer` is an object that holds an object `inner`.
    fn has(&self, outer: &str, inner: &str) -> bool {
        self.object(outer).and_then(|members| members.get(inner)).is_some_and(Value::is_object)
    }

    /// Whether a form may be asked: `elicitation` is `{}` or holds `form` (§10.2).
    // req 10.2-2
    pub fn elicitation_form(&self) -> bool {
        self.object("elicitation").is_some_and(Map::is_empty) || self.has("elicitation", "form")
    }

    /// Whether the user may be sent to a URL: `elicitation.url` (§10.2).
    // req 10.2-3
    pub fn elicitation_url(&self) -> bool {
        self.has("elicitation", "url")
    }

    /// Whether the client's model may be asked: `sampling` (§10.2).
    pub fn sampling(&self) -> bool {
        self.object("sampling").is_some()
    }

    /// Whether that model may be given tools: `sampling.tools` (§10.2).
    pub fn sampling_tools(&self) -> bool {
        self.has("sampling", "tools")
    }

    /// Whether that model may be given context of servers: `sampling.context` (§10.2).
    pub fn sampling_context(&self) -> bool {
        self.has("sampling", "context")
    }

    /// Whether the client's roots may be asked for: `roots` (§10.2).
    // req 10.2-5
    pub fn roots(&self) -> bool {
        self.object("roots").is_some()
    }

    /// The settings of an extension, by its prefixed id; nothing where the client does not have it.
    pub fn extension(&self, id: &str) -> Option<&Map<String, Value>> {
        self.object("extensions")?.get(id)?.as_object()
    }

    /// The settings of an experimental capability, by its name.
    pub fn experimental(&self, name: &str) -> Option<&Map<String, Value>> {
        self.object("experimental")?.get(name)?.as_object()
    }
}

impl From<Map<String, Value>> for ClientCapabilities {
    fn from(members: Map<String, Value>) -> ClientCapabilities {
        ClientCapabilities(members)
    }
}
