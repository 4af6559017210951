//! §11 What a subscription tells of.

use serde_json::Value;

use crate::envelope::Object;

/// What has changed.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Change {
    /// The list of tools.
    Tools,
    /// The list of prompts.
    Prompts,
    /// The list of resources or of resource templates.
    Resources,
    /// The resource with this URI.
    Resource(String),
}

impl Change {
    /// The change that a notification tells of.
    pub(crate) fn read(method: &str, params: &Object) -> Option<Change> {
        match method {
            "notifications/tools/list_changed" => Some(Change::Tools),
            "notifications/prompts/list_changed" => Some(Change::Prompts),
            "notifications/resources/list_changed" => Some(Change::Resources),
            "notifications/resources/updated" => {
                params.get("uri").and_then(Value::as_str).map(|uri| Change::Resource(uri.to_owned()))
            }
            _ => None,
        }
    }
}
