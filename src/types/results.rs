//! §3 - §11 The results of the methods, for whoever reads or writes them typed.
//! Law: a result without `resultType` is read as `complete` (§3); one without `ttlMs` or `cacheScope` as stale and private.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::capabilities::ServerCapabilities;
use super::content::{ContentBlock, ResourceContents};
use super::input::InputRequest;
use super::json::{Meta, present};
use super::listing::{Resource, ResourceTemplate};
use super::prompt::{Prompt, PromptMessage};
use super::tool::Tool;

/// How a request ended (§3); extensions add more.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ResultType {
    /// It is done.
    Complete,
    /// The client is asked something first (§10).
    InputRequired,
    /// What an extension adds, for example `task`.
    #[serde(untagged)]
    Other(String),
}

impl Default for ResultType {
    /// What a result of an older server means.
    fn default() -> ResultType {
        ResultType::Complete
    }
}

/// Who may share a cached result (§7).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CacheScope {
    /// Everyone.
    Public,
    /// Only the same authorization context.
    Private,
}

/// Writes a result of the schema: `resultType` first, `_meta` last, its own members between them.
macro_rules! results {
    ($($(#[doc = $doc:literal])* $name:ident {
        $($(#[$attr:meta])* $field:ident: $kind:ty,)*
    })*) => {$(
        $(#[doc = $doc])*
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(rename_all = "camelCase")]
        pub struct $name {
            /// How the request ended.
            #[serde(default)]
            pub result_type: ResultType,
            $($(#[$attr])* pub $field: $kind,)*
            /// `_meta`.
            #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
            pub meta: Option<Meta>,
        }
    )*};
}

results! {
    /// The result of `server/discover` (§4).
    DiscoverResult {
        /// The versions that a request may name.
        supported_versions: Vec<String>,
        /// What the server offers.
        capabilities: ServerCapabilities,
        /// How to use the server, for the model.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        instructions: Option<String>,
        /// How long it stays fresh, in milliseconds.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        ttl_ms: Option<u64>,
        /// Who may share it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cache_scope: Option<CacheScope>,
    }

    /// The result of `tools/list` (§5.1).
    ListToolsResult {
        /// One page of tools.
        tools: Vec<Tool>,
        /// Where the next page starts; absent on the last.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        next_cursor: Option<String>,
        /// How long it stays fresh, in milliseconds.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        ttl_ms: Option<u64>,
        /// Who may share it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cache_scope: Option<CacheScope>,
    }

    /// The result of `tools/call` (§5.2).
    CallToolResult {
        /// The answer in blocks.
        content: Vec<ContentBlock>,
        /// The answer as a value; any JSON, also null.
        #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
        structured_content: Option<Value>,
        /// Whether the tool failed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        is_error: Option<bool>,
    }

    /// The result of `resources/list` (§5.3).
    ListResourcesResult {
        /// One page of resources.
        resources: Vec<Resource>,
        /// Where the next page starts; absent on the last.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        next_cursor: Option<String>,
        /// How long it stays fresh, in milliseconds.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        ttl_ms: Option<u64>,
        /// Who may share it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cache_scope: Option<CacheScope>,
    }

    /// The result of `resources/templates/list` (§5.3).
    ListResourceTemplatesResult {
        /// One page of templates.
        resource_templates: Vec<ResourceTemplate>,
        /// Where the next page starts; absent on the last.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        next_cursor: Option<String>,
        /// How long it stays fresh, in milliseconds.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        ttl_ms: Option<u64>,
        /// Who may share it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cache_scope: Option<CacheScope>,
    }

    /// The result of `resources/read` (§5.4).
    ReadResourceResult {
        /// What the resource holds.
        contents: Vec<ResourceContents>,
        /// How long it stays fresh, in milliseconds.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        ttl_ms: Option<u64>,
        /// Who may share it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cache_scope: Option<CacheScope>,
    }

    /// The result of `prompts/list` (§5.5).
    ListPromptsResult {
        /// One page of prompts.
        prompts: Vec<Prompt>,
        /// Where the next page starts; absent on the last.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        next_cursor: Option<String>,
        /// How long it stays fresh, in milliseconds.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        ttl_ms: Option<u64>,
        /// Who may share it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cache_scope: Option<CacheScope>,
    }

    /// The result of `prompts/get` (§5.5).
    GetPromptResult {
        /// What the prompt is for.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        description: Option<String>,
        /// The messages.
        messages: Vec<PromptMessage>,
    }

    /// The result of `completion/complete` (§5.6).
    CompleteResult {
        /// The suggestions.
        completion: Completion,
    }

    /// A result that asks the client something first (§10.1); one of the two members is there.
    InputRequiredResult {
        /// What is asked, by ids of the server's choice.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        input_requests: Option<BTreeMap<String, InputRequest>>,
        /// What the client echoes.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        request_state: Option<String>,
    }

    /// The result that ends a `subscriptions/listen` (§11); its `_meta` holds the id of the subscription.
    SubscriptionsListenResult {}
}

/// Suggestions for an argument (§5.6).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Completion {
    /// The values; a server sends at most 100.
    pub values: Vec<String>,
    /// How many there are in all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total: Option<u64>,
    /// Whether there are more than those sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub has_more: Option<bool>,
}
