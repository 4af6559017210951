//! §11 What a listen stream asks for, and what of it is granted.
//! Law: every kind of notification is opt-in; what the filter does not name is never sent.

use std::collections::HashSet;
use std::sync::Arc;

use serde_json::{Value, json};

use crate::envelope::Object;
use crate::errors::{Fault, rules};
use crate::uri;

rules! {
    // const          id      code          text                                                                             source
    NO_FILTER         "11-1"  -32602        "subscriptions/listen requires a notifications object"                           "v26:866-879";
    FLAG_TYPE         "11-2"  -32602        "subscriptions/listen {} must be a boolean"                                      "ours";
    URIS              "11-3"  -32602        "subscriptions/listen resourceSubscriptions must list at most {} absolute URIs"  "ours";
    TOO_MANY_STREAMS  "11-4"  -32600 / 503  "Too many open listen streams"                                                   "ours";
}

const TOOLS: &str = "toolsListChanged";
const PROMPTS: &str = "promptsListChanged";
const RESOURCES: &str = "resourcesListChanged";
const UPDATES: &str = "resourceSubscriptions";

/// What a notification on a listen stream is about.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Topic {
    /// The list of tools has changed.
    Tools,
    /// The list of prompts has changed.
    Prompts,
    /// The list of resources or of resource templates has changed.
    Resources,
    /// The resource with this URI has changed.
    Updated(Arc<str>),
}

impl Topic {
    /// The resource with this URI has changed.
    pub fn updated(uri: &str) -> Topic {
        Topic::Updated(uri.into())
    }
}

/// What the server advertises, hence can grant (§4): three `listChanged` and `resources.subscribe`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Offered {
    /// `tools.listChanged`
    pub tools: bool,
    /// `prompts.listChanged`
    pub prompts: bool,
    /// `resources.listChanged`
    pub resources: bool,
    /// `resources.subscribe`
    pub updates: bool,
}

/// What a stream delivers: as requested, or as granted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    tools: bool,
    prompts: bool,
    resources: bool,
    /// In the client's order, each once.
    uris: Vec<Arc<str>>,
    /// The same URIs, to find one in.
    known: HashSet<Arc<str>>,
}

impl Filter {
    /// Reads `params.notifications` of `subscriptions/listen`; at most `uri_limit` URIs. Unknown members are ignored: nothing
    /// is granted for them.
    pub fn read(params: &Object, uri_limit: usize) -> Result<Filter, Fault> {
        let asked = params.get("notifications").and_then(Value::as_object).ok_or_else(|| NO_FILTER.fault())?;
        let mut filter = Filter {
            tools: flag(asked, TOOLS)?,
            prompts: flag(asked, PROMPTS)?,
            resources: flag(asked, RESOURCES)?,
            ..Filter::default()
        };
        let Some(uris) = asked.get(UPDATES) else { return Ok(filter) };
        let wrong = || URIS.about(&uri_limit.to_string());
        let uris = uris.as_array().filter(|uris| uris.len() <= uri_limit).ok_or_else(wrong)?;
        for uri in uris {
            let uri = uri.as_str().filter(|uri| uri::is_absolute(uri)).ok_or_else(wrong)?;
            filter.add(uri.into());
        }
        Ok(filter)
    }

    /// The part of it that the server can honour.
    // req 11-7
    #[must_use]
    pub fn granted(mut self, offered: Offered) -> Filter {
        self.tools &= offered.tools;
        self.prompts &= offered.prompts;
        self.resources &= offered.resources;
        if !offered.updates {
            self.uris.clear();
            self.known.clear();
        }
        self
    }

    /// Whether the filter names this topic. URIs are compared as they are written.
    // req 11-8
    pub fn wants(&self, topic: &Topic) -> bool {
        match topic {
            Topic::Tools => self.tools,
            Topic::Prompts => self.prompts,
            Topic::Resources => self.resources,
            Topic::Updated(uri) => self.known.contains(uri),
        }
    }

    /// The filter as the acknowledgement names it: without what is not granted.
    pub fn to_value(&self) -> Value {
        let mut members = Object::new();
        for (name, set) in [(TOOLS, self.tools), (PROMPTS, self.prompts), (RESOURCES, self.resources)] {
            if set {
                members.insert(name.to_owned(), json!(true));
            }
        }
        if !self.uris.is_empty() {
            let uris = self.uris.iter().map(|uri| json!(&**uri)).collect();
            members.insert(UPDATES.to_owned(), Value::Array(uris));
        }
        Value::Object(members)
    }

    fn add(&mut self, uri: Arc<str>) {
        if self.known.insert(Arc::clone(&uri)) {
            self.uris.push(uri);
        }
    }
}

/// An absent flag is `false`.
fn flag(asked: &Object, name: &str) -> Result<bool, Fault> {
    match asked.get(name) {
        None => Ok(false),
        Some(Value::Bool(set)) => Ok(*set),
        Some(_) => Err(FLAG_TYPE.about(name)),
    }
}
