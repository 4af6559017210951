//! §7 Results that the server lets a client keep.
//! Law: a key is the method and all its params; a private result is for the same authorization context only.
//! Law: what a notification says has changed is stale at once.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::change::Change;
use crate::envelope::Object;
use crate::lock;
use crate::mrtr::state::canonical;

/// The longest result that is kept, in bytes.
const LONGEST: usize = 1024 * 1024;

/// A cache of results (§7). Cloning gives another handle to the same, for several clients of one server.
#[derive(Clone, Default)]
pub struct Cache(Arc<Mutex<HashMap<Key, Entry>>>);

#[derive(Clone, PartialEq, Eq, Hash)]
struct Key {
    /// Whose it is; `None`: everyone's.
    context: Option<String>,
    method: String,
    params: String,
}

struct Entry {
    result: Box<RawValue>,
    until: Instant,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Hints {
    #[serde(default)]
    ttl_ms: Option<Value>,
    #[serde(default)]
    cache_scope: Option<Value>,
}

impl Cache {
    /// An empty cache.
    pub fn new() -> Cache {
        Cache::default()
    }

    /// Forgets everything.
    pub fn clear(&self) {
        lock(&self.0).clear();
    }

    /// A result that is still fresh.
    pub(crate) fn get(&self, context: &str, method: &str, params: &Object) -> Option<Box<RawValue>> {
        let mut key = Key { context: Some(context.to_owned()), method: method.to_owned(), params: text(params) };
        let now = Instant::now();
        let entries = lock(&self.0);
        let fresh = |key: &Key| entries.get(key).filter(|entry| entry.until > now).map(|entry| entry.result.clone());
        fresh(&key).or_else(|| {
            key.context = None;
            fresh(&key)
        })
    }

    /// Keeps a result, where its hints allow it; at most `most` of them. Without hints it is stale at once.
    pub(crate) fn keep(&self, context: &str, method: &str, params: &Object, result: &RawValue, most: usize) {
        let Ok(hints) = serde_json::from_str::<Hints>(result.get()) else { return };
        let ttl = hints.ttl_ms.as_ref().and_then(Value::as_u64).filter(|ttl| *ttl > 0);
        let until = ttl.and_then(|ttl| Instant::now().checked_add(Duration::from_millis(ttl)));
        let Some(until) = until.filter(|_| most > 0 && result.get().len() <= LONGEST) else { return };
        let public = hints.cache_scope.as_ref().and_then(Value::as_str) == Some("public");
        let context = if public { None } else { Some(context.to_owned()) };
        let key = Key { context, method: method.to_owned(), params: text(params) };
        let mut entries = lock(&self.0);
        if entries.len() >= most && !entries.contains_key(&key) {
            let first = entries.iter().min_by_key(|(_, entry)| entry.until).map(|(key, _)| key.clone());
            first.map(|first| entries.remove(&first));
        }
        entries.insert(key, Entry { result: result.to_owned(), until });
    }

    /// Forgets all results of a method.
    pub(crate) fn forget(&self, method: &str) {
        lock(&self.0).retain(|key, _| key.method != method);
    }

    /// Forgets what a notification says has changed.
    pub(crate) fn noted(&self, method: &str, params: &Object) {
        let Some(change) = Change::read(method, params) else { return };
        lock(&self.0).retain(|key, _| match &change {
            Change::Tools => key.method != "tools/list",
            Change::Prompts => key.method != "prompts/list",
            Change::Resources => key.method != "resources/list" && key.method != "resources/templates/list",
            Change::Resource(uri) => key.method != "resources/read" || !names(&key.params, uri),
        });
    }
}

/// The params as text, the same for the same.
fn text(params: &Object) -> String {
    canonical(&Value::Object(params.clone()))
}

fn names(params: &str, uri: &str) -> bool {
    serde_json::from_str::<Value>(params).is_ok_and(|params| params.get("uri").and_then(Value::as_str) == Some(uri))
}

impl fmt::Debug for Cache {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Cache").field("results", &lock(&self.0).len()).finish()
    }
}
