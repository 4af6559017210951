//! What a server offers at one moment: tools, resources, templates and prompts, sorted, with their handlers.
//! Law: a catalog never changes; an edit makes a new one.
//! Law: each list is serialised once per catalog, when it is first asked for (§6).

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use serde::Serialize;
use serde_json::Value;

use crate::caching::CacheHint;
use crate::crypto::sha256;
use crate::envelope::{Body, json_text};
use crate::handler::context::Context;
use crate::handler::{Completion, Interrupt, PromptArguments, PromptOutput, ResourceOutput, ToolResult};
use crate::lock;
use crate::methods::uri_template::{UriTemplate, Vars};
use crate::param_headers::Mirror;
use crate::schema::Schema;
use crate::types::{Prompt, Resource, ResourceTemplate, Tool};

pub(crate) type RunTool = Arc<dyn Fn(&Value, &Context<'_>) -> ToolResult + Send + Sync>;
pub(crate) type ReadResource = Arc<dyn Fn(&str, &Context<'_>) -> Result<ResourceOutput, Interrupt> + Send + Sync>;
pub(crate) type ReadTemplate = Arc<dyn Fn(&Vars, &Context<'_>) -> Result<ResourceOutput, Interrupt> + Send + Sync>;
pub(crate) type GetPrompt =
    Arc<dyn Fn(&PromptArguments, &Context<'_>) -> Result<PromptOutput, Interrupt> + Send + Sync>;
pub(crate) type Complete = Arc<dyn Fn(&str, &Context<'_>) -> Result<Completion, Interrupt> + Send + Sync>;

/// A tool with what its registration has made of it.
pub(crate) struct ToolEntry {
    pub(crate) tool: Tool,
    pub(crate) input: Schema,
    pub(crate) output: Option<Schema>,
    pub(crate) mirrors: Vec<Mirror>,
    pub(crate) run: RunTool,
}

#[derive(Clone)]
pub(crate) struct ResourceEntry {
    pub(crate) resource: Resource,
    pub(crate) cache: Option<CacheHint>,
    pub(crate) read: ReadResource,
}

#[derive(Clone)]
pub(crate) struct TemplateEntry {
    pub(crate) template: ResourceTemplate,
    pub(crate) matcher: UriTemplate,
    pub(crate) cache: Option<CacheHint>,
    pub(crate) read: ReadTemplate,
    pub(crate) completers: BTreeMap<String, Complete>,
}

#[derive(Clone)]
pub(crate) struct PromptEntry {
    pub(crate) prompt: Prompt,
    pub(crate) get: GetPrompt,
    pub(crate) completers: BTreeMap<String, Complete>,
}

/// One of the four lists (§6).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum List {
    Tools,
    Resources,
    Templates,
    Prompts,
}

/// The pages of one list in one dialect, and the hash that its cursors carry.
pub(crate) struct Pages {
    pub(crate) hash: String,
    pub(crate) length: usize,
    pub(crate) bodies: Vec<Body>,
}

/// Sorted by name, URI or template (§5.1, §5.3).
// req 5.1-2 5.3-2 5.3-4 5.5-5
#[derive(Default)]
pub(crate) struct Catalog {
    pub(crate) tools: BTreeMap<String, Arc<ToolEntry>>,
    pub(crate) resources: BTreeMap<String, Arc<ResourceEntry>>,
    pub(crate) templates: BTreeMap<String, Arc<TemplateEntry>>,
    pub(crate) prompts: BTreeMap<String, Arc<PromptEntry>>,
    pages: Mutex<BTreeMap<(&'static str, List), Arc<Pages>>>,
}

/// The entries are shared; the serialised lists are not.
impl Clone for Catalog {
    fn clone(&self) -> Catalog {
        Catalog {
            tools: self.tools.clone(),
            resources: self.resources.clone(),
            templates: self.templates.clone(),
            prompts: self.prompts.clone(),
            pages: Mutex::default(),
        }
    }
}

impl Catalog {
    /// The items of a list, each as JSON text, in their order.
    pub(crate) fn items(&self, list: List) -> Vec<String> {
        fn texts<'a, T: Serialize + 'a>(items: impl Iterator<Item = &'a T>) -> Vec<String> {
            items.map(json_text).collect()
        }
        match list {
            List::Tools => texts(self.tools.values().map(|entry| &entry.tool)),
            List::Resources => texts(self.resources.values().map(|entry| &entry.resource)),
            List::Templates => texts(self.templates.values().map(|entry| &entry.template)),
            List::Prompts => texts(self.prompts.values().map(|entry| &entry.prompt)),
        }
    }

    /// The pages of a list in a dialect: those made before, or made by `make` now.
    pub(crate) fn pages(&self, version: &'static str, list: List, make: impl FnOnce() -> Pages) -> Arc<Pages> {
        if let Some(pages) = lock(&self.pages).get(&(version, list)) {
            return Arc::clone(pages);
        }
        let pages = Arc::new(make()); // two threads may make the same at once; either will do
        lock(&self.pages).insert((version, list), Arc::clone(&pages));
        pages
    }

    /// The resource, or else the first template in order, that serves a URI.
    pub(crate) fn template(&self, uri: &str) -> Option<(&Arc<TemplateEntry>, Vars)> {
        self.templates.values().find_map(|entry| Some((entry, entry.matcher.matches(uri)?)))
    }
}

/// A hash of a list that changes whenever an item does (§6): it makes old cursors expire.
pub(crate) fn hash(items: &[String]) -> String {
    let digest = sha256(&[items.join("\n").as_bytes()]);
    digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}
