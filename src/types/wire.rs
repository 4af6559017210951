//! §1 - §11 Whole messages and their params, for whoever reads or writes them typed; the results are in [`super::results`].
//! Law: derived code only. A server reads params by hand, so that each refusal has the text of the reference.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::json::{Meta, present};
use super::level::Level;

/// `"jsonrpc": "2.0"` (§1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum JsonRpc {
    /// The only version.
    #[default]
    #[serde(rename = "2.0")]
    V2,
}

/// Writes a struct of the schema: camelCase, optional members left out when absent.
macro_rules! wire {
    ($($(#[doc = $doc:literal])* $name:ident $(<$of:ident>)? {
        $($(#[$attr:meta])* $field:ident: $kind:ty,)*
    })*) => {$(
        $(#[doc = $doc])*
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(rename_all = "camelCase")]
        pub struct $name $(<$of>)? {
            $($(#[$attr])* pub $field: $kind,)*
        }
    )*};
}

wire! {
    /// A request (§1).
    Request<P> {
        /// `2.0`.
        jsonrpc: JsonRpc,
        /// The id: a string or an integer.
        id: Value,
        /// The method.
        method: String,
        /// The params.
        params: P,
    }

    /// A notification (§1).
    Notification<P> {
        /// `2.0`.
        jsonrpc: JsonRpc,
        /// The method.
        method: String,
        /// The params.
        params: P,
    }

    /// A response that carries a result (§1).
    ResultResponse<R> {
        /// `2.0`.
        jsonrpc: JsonRpc,
        /// The id of the request.
        id: Value,
        /// The result.
        result: R,
    }

    /// A response that carries an error (§1, §12).
    ErrorResponse {
        /// `2.0`.
        jsonrpc: JsonRpc,
        /// The id of the request; null where it could not be read.
        id: Value,
        /// The error.
        error: ErrorObject,
    }

    /// An error (§12).
    ErrorObject {
        /// The code.
        code: i64,
        /// One sentence for people.
        message: String,
        /// What programs may read.
        #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
        data: Option<Value>,
    }

    /// Params with nothing but `_meta` (§2): `server/discover`.
    RequestParams {
        /// `_meta`.
        #[serde(rename = "_meta")]
        meta: Meta,
    }

    /// Params of the four lists (§6).
    PaginatedRequestParams {
        /// `_meta`.
        #[serde(rename = "_meta")]
        meta: Meta,
        /// Where to go on.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cursor: Option<String>,
    }

    /// Params of `tools/call` (§5.2).
    CallToolRequestParams {
        /// `_meta`.
        #[serde(rename = "_meta")]
        meta: Meta,
        /// The tool.
        name: String,
        /// Its arguments.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        arguments: Option<Map<String, Value>>,
        /// Answers to input requests, by their ids (§10.3).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        input_responses: Option<Map<String, Value>>,
        /// The state of the round before, as it came (§10.3).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        request_state: Option<String>,
    }

    /// Params of `resources/read` (§5.4).
    ReadResourceRequestParams {
        /// `_meta`.
        #[serde(rename = "_meta")]
        meta: Meta,
        /// The address.
        uri: String,
        /// Answers to input requests, by their ids (§10.3).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        input_responses: Option<Map<String, Value>>,
        /// The state of the round before, as it came (§10.3).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        request_state: Option<String>,
    }

    /// Params of `prompts/get` (§5.5).
    GetPromptRequestParams {
        /// `_meta`.
        #[serde(rename = "_meta")]
        meta: Meta,
        /// The prompt.
        name: String,
        /// Its arguments: string to string.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        arguments: Option<std::collections::BTreeMap<String, String>>,
        /// Answers to input requests, by their ids (§10.3).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        input_responses: Option<Map<String, Value>>,
        /// The state of the round before, as it came (§10.3).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        request_state: Option<String>,
    }

    /// Params of `completion/complete` (§5.6).
    CompleteRequestParams {
        /// `_meta`.
        #[serde(rename = "_meta")]
        meta: Meta,
        /// What is completed.
        r#ref: CompletionReference,
        /// The argument and its text so far.
        argument: CompletionArgument,
        /// What is known already.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        context: Option<CompletionContext>,
    }

    /// The argument that is completed (§5.6).
    CompletionArgument {
        /// Its name.
        name: String,
        /// Its text so far.
        value: String,
    }

    /// What is known already when an argument is completed (§5.6).
    CompletionContext {
        /// The other arguments: string to string.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        arguments: Option<std::collections::BTreeMap<String, String>>,
    }

    /// What a `subscriptions/listen` asks for, or what is granted of it (§11).
    SubscriptionFilter {
        /// When the list of tools changes.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tools_list_changed: Option<bool>,
        /// When the list of prompts changes.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        prompts_list_changed: Option<bool>,
        /// When the list of resources changes.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        resources_list_changed: Option<bool>,
        /// When one of these resources changes.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        resource_subscriptions: Option<Vec<String>>,
    }

    /// Params of `subscriptions/listen` (§11).
    SubscriptionsListenRequestParams {
        /// `_meta`.
        #[serde(rename = "_meta")]
        meta: Meta,
        /// What is asked for.
        notifications: SubscriptionFilter,
    }

    /// Params of `notifications/subscriptions/acknowledged` (§11).
    SubscriptionsAcknowledgedNotificationParams {
        /// `_meta`, with the id of the subscription.
        #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
        meta: Option<Meta>,
        /// What is granted.
        notifications: SubscriptionFilter,
    }

    /// Params of the three `list_changed` notifications (§11).
    NotificationParams {
        /// `_meta`, with the id of the subscription.
        #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
        meta: Option<Meta>,
    }

    /// Params of `notifications/resources/updated` (§11).
    ResourceUpdatedNotificationParams {
        /// `_meta`, with the id of the subscription.
        #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
        meta: Option<Meta>,
        /// The resource.
        uri: String,
    }

    /// Params of `notifications/progress` (§8.2).
    ProgressNotificationParams {
        /// `_meta`.
        #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
        meta: Option<Meta>,
        /// The token of the request: a string or an integer.
        progress_token: Value,
        /// How far it has come; only ever more.
        progress: serde_json::Number,
        /// How far it will come.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        total: Option<serde_json::Number>,
        /// What is being done.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        message: Option<String>,
    }

    /// Params of `notifications/message` (§8.1).
    LoggingMessageNotificationParams {
        /// `_meta`.
        #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
        meta: Option<Meta>,
        /// How grave it is.
        level: Level,
        /// Who says it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        logger: Option<String>,
        /// What is said: any JSON.
        data: Value,
    }

    /// Params of `notifications/cancelled` (§9).
    CancelledNotificationParams {
        /// `_meta`.
        #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
        meta: Option<Meta>,
        /// The id of the request: a string or an integer.
        request_id: Value,
        /// Why.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    }
}

/// What is completed (§5.6).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type")]
pub enum CompletionReference {
    /// An argument of a prompt.
    #[serde(rename = "ref/prompt")]
    Prompt {
        /// The prompt.
        name: String,
        /// Its name for people.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        title: Option<String>,
    },
    /// A variable of a resource template.
    #[serde(rename = "ref/resource")]
    Resource {
        /// The template.
        uri: String,
    },
}
