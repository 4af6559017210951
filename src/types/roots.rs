//! §10.1 Asking the client for its roots.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::json::Meta;
use super::uri;

/// `roots/list`: which folders the client works in (§10.1). Deprecated by SEP-2577, still part of this revision.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ListRoots {
    /// `_meta`.
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
    /// The peer wrote no params at all, which is its right.
    #[serde(skip)]
    bare: bool,
}

impl ListRoots {
    /// The request of a peer that wrote no params.
    pub(super) fn bare() -> ListRoots {
        ListRoots { meta: None, bare: true }
    }

    /// Whether there are no params to write.
    pub(super) fn is_bare(&self) -> bool {
        self.bare
    }
}

/// Asks for the client's roots.
pub fn list() -> ListRoots {
    ListRoots::default()
}

/// One root of the client (§10.3).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Root {
    /// A `file://` URI.
    pub uri: String,
    /// The name for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// `_meta`.
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
}

impl Root {
    /// A root at a `file://` URI.
    pub fn new(uri: impl Into<String>) -> Root {
        Root { uri: uri.into(), name: None, meta: None }
    }

    /// Sets the name for people.
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Root {
        self.name = Some(name.into());
        self
    }
}

/// The client's roots (§10.3).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ListRootsResult {
    /// The roots, in the order of the client; may be empty.
    pub roots: Vec<Root>,
}

impl ListRootsResult {
    /// An answer with these roots.
    pub fn new(roots: impl IntoIterator<Item = Root>) -> ListRootsResult {
        ListRootsResult { roots: roots.into_iter().collect() }
    }

    /// Reads an answer; nothing where its shape is wrong or a root is no `file://` URI.
    // req 10.3-11
    pub fn read(result: &Value) -> Option<ListRootsResult> {
        ListRootsResult::deserialize(result).ok().filter(|list| list.roots.iter().all(|root| uri::is_file(&root.uri)))
    }
}
