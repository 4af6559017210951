//! Changes of a catalog: recorded first, checked all together, applied at once.
//! Law: every problem is reported, not the first.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::caching::CacheHint;
use crate::handler::catalog::{
    Catalog, Complete, GetPrompt, List, PromptEntry, ReadResource, ReadTemplate, ResourceEntry, RunTool, TemplateEntry,
    ToolEntry,
};
use crate::handler::context::Context;
use crate::handler::shared::{Feature, Offer};
use crate::handler::{Completion, Interrupt, PromptArguments, PromptOutput, ResourceOutput, ToolOutput};
use crate::methods::tools::read_arguments;
use crate::methods::uri_template::{UriTemplate, Vars};
use crate::schema::Schema;
use crate::types::{Prompt, Resource, ResourceTemplate, SchemaText, Tool};
use crate::{param_headers, uri};

/// Why a server could not be built or changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuildError {
    /// Every problem, in plain words.
    pub problems: Vec<String>,
}

impl fmt::Display for BuildError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.problems.join("; "))
    }
}

impl std::error::Error for BuildError {}

/// One recorded change.
enum Change {
    Tool(ToolEntry),
    Resource(ResourceEntry),
    Template(TemplateEntry),
    Prompt(PromptEntry),
    Cache { uri: String, hint: CacheHint },
    CompletePrompt { prompt: String, argument: String, complete: Complete },
    CompleteTemplate { template: String, argument: String, complete: Complete },
    Remove(List, String),
}

/// Changes of what a server offers. What is added under a name that exists replaces it, at run time; a server that is being
/// built has each name once.
pub struct Edit {
    offer: Offer,
    /// The server is being built: a name that comes twice is a mistake.
    building: bool,
    changes: Vec<Change>,
    problems: Vec<String>,
}

/// Adding.
impl Edit {
    /// Adds a tool (§5.1). Its arguments are checked against the input schema and then read as `A`; either failure is a result
    /// with `isError: true`.
    pub fn tool<A, R, F>(&mut self, tool: Tool, run: F)
    where
        A: DeserializeOwned,
        R: Into<ToolOutput>,
        F: Fn(A, &Context<'_>) -> Result<R, Interrupt> + Send + Sync + 'static,
    {
        self.add_tool(
            tool,
            Arc::new(move |arguments: &Value, cx: &Context<'_>| run(read_arguments(arguments)?, cx).map(Into::into)),
        );
    }

    /// Adds a resource (§5.3).
    pub fn resource<R, F>(&mut self, resource: Resource, read: F)
    where
        R: Into<ResourceOutput>,
        F: Fn(&str, &Context<'_>) -> Result<R, Interrupt> + Send + Sync + 'static,
    {
        self.add_resource(resource, Arc::new(move |uri, cx| read(uri, cx).map(Into::into)));
    }

    /// Adds a resource template (§5.3, RFC 6570).
    pub fn template<R, F>(&mut self, template: ResourceTemplate, read: F)
    where
        R: Into<ResourceOutput>,
        F: Fn(&Vars, &Context<'_>) -> Result<R, Interrupt> + Send + Sync + 'static,
    {
        self.add_template(template, Arc::new(move |vars, cx| read(vars, cx).map(Into::into)));
    }

    /// Adds a prompt (§5.5).
    pub fn prompt<R, F>(&mut self, prompt: Prompt, get: F)
    where
        R: Into<PromptOutput>,
        F: Fn(&PromptArguments, &Context<'_>) -> Result<R, Interrupt> + Send + Sync + 'static,
    {
        self.add_prompt(prompt, Arc::new(move |arguments, cx| get(arguments, cx).map(Into::into)));
    }

    /// Completes an argument of a prompt that is there or has been added before (§5.6).
    pub fn complete_prompt<R, F>(&mut self, prompt: &str, argument: &str, complete: F)
    where
        R: Into<Completion>,
        F: Fn(&str, &Context<'_>) -> Result<R, Interrupt> + Send + Sync + 'static,
    {
        let (prompt, argument) = (prompt.to_owned(), argument.to_owned());
        let complete: Complete = Arc::new(move |value, cx| complete(value, cx).map(Into::into));
        self.changes.push(Change::CompletePrompt { prompt, argument, complete });
    }

    /// Completes a variable of a template that is there or has been added before (§5.6).
    pub fn complete_template<R, F>(&mut self, template: &str, variable: &str, complete: F)
    where
        R: Into<Completion>,
        F: Fn(&str, &Context<'_>) -> Result<R, Interrupt> + Send + Sync + 'static,
    {
        let (template, argument) = (template.to_owned(), variable.to_owned());
        let complete: Complete = Arc::new(move |value, cx| complete(value, cx).map(Into::into));
        self.changes.push(Change::CompleteTemplate { template, argument, complete });
    }

    /// Says how long what is read under this URI, or URI template, is fresh (§7). Only what is there or has been added before can
    /// have a hint.
    // req 7-4
    pub fn cache(&mut self, uri: &str, hint: CacheHint) {
        self.changes.push(Change::Cache { uri: uri.to_owned(), hint });
    }
}

/// What the generic methods above come to: once in the program, not once for every tool.
impl Edit {
    fn add_tool(&mut self, tool: Tool, run: RunTool) {
        let name = tool.name.clone();
        self.named("tool", &name, tool.problems());
        if name.chars().count() > 128 {
            self.problem(format_args!("tool {name:?}: the name has more than 128 characters")); // req 5.1-5
        }
        let input = self.schema(&name, "input", &tool.input_schema);
        let output = tool.output_schema.as_ref().map(|schema| self.schema(&name, "output", schema));
        let mirrors = param_headers::annotations(&tool.input_schema.value());
        let mirrors = mirrors.map_err(|bad| self.problem(format_args!("tool {name:?}: {bad}")));
        let output = output.map_or(Some(None), |schema| schema.map(Some));
        if let (Some(input), Ok(mirrors), Some(output)) = (input, mirrors, output) {
            self.changes.push(Change::Tool(ToolEntry { tool, input, output, mirrors, run }));
        }
    }

    fn add_resource(&mut self, resource: Resource, read: ReadResource) {
        self.named("resource", &resource.uri, resource.problems());
        // req 5.3-5
        if !uri::is_absolute(&resource.uri) {
            self.problem(format_args!("resource {:?}: not an absolute URI", resource.uri));
        }
        self.changes.push(Change::Resource(ResourceEntry { resource, cache: None, read }));
    }

    fn add_template(&mut self, template: ResourceTemplate, read: ReadTemplate) {
        self.named("template", &template.uri_template, template.problems());
        if template.uri_template.is_empty() {
            self.problem("a template has no text");
        }
        // req 5.3-5
        match UriTemplate::parse(&template.uri_template) {
            Ok(matcher) => {
                let entry = TemplateEntry { template, matcher, cache: None, read, completers: BTreeMap::new() };
                self.changes.push(Change::Template(entry));
            }
            Err(error) => self.problem(format_args!("template {:?}: {error}", template.uri_template)),
        }
    }

    fn add_prompt(&mut self, prompt: Prompt, get: GetPrompt) {
        self.named("prompt", &prompt.name, prompt.problems());
        self.changes.push(Change::Prompt(PromptEntry { prompt, get, completers: BTreeMap::new() }));
    }
}

/// Taking away: what is not there is no problem.
impl Edit {
    /// Removes a tool.
    pub fn remove_tool(&mut self, name: &str) {
        self.changes.push(Change::Remove(List::Tools, name.to_owned()));
    }

    /// Removes a resource.
    pub fn remove_resource(&mut self, uri: &str) {
        self.changes.push(Change::Remove(List::Resources, uri.to_owned()));
    }

    /// Removes a resource template.
    pub fn remove_template(&mut self, template: &str) {
        self.changes.push(Change::Remove(List::Templates, template.to_owned()));
    }

    /// Removes a prompt.
    pub fn remove_prompt(&mut self, name: &str) {
        self.changes.push(Change::Remove(List::Prompts, name.to_owned()));
    }
}

impl Edit {
    pub(crate) fn new(offer: Offer) -> Edit {
        Edit { offer, building: false, changes: Vec::new(), problems: Vec::new() }
    }

    /// The edit that builds a server: what it offers is said once all is known, with [`offered`](Edit::offered).
    pub(crate) fn building() -> Edit {
        Edit { building: true, ..Edit::new(Offer::default()) }
    }

    /// What the server offers, where that was not known at first.
    pub(crate) fn offered(&mut self, offer: Offer) {
        self.offer = offer;
    }

    pub(crate) fn problem(&mut self, problem: impl fmt::Display) {
        self.problems.push(problem.to_string());
    }

    fn named<'a>(&mut self, kind: &str, name: &str, problems: impl Iterator<Item = &'a str>) {
        for problem in problems {
            self.problem(format_args!("{kind} {name:?}: {problem}"));
        }
    }

    fn schema(&mut self, tool: &str, which: &str, schema: &SchemaText) -> Option<Schema> {
        Schema::compile(&schema.value())
            .map_err(|error| self.problem(format_args!("tool {tool:?}: {which} schema: {error}")))
            .ok()
    }

    /// Applies the changes in their order, and says which lists are not what they were.
    pub(crate) fn apply(mut self, catalog: &mut Catalog) -> Result<BTreeSet<List>, BuildError> {
        let mut changed = BTreeSet::new();
        for change in std::mem::take(&mut self.changes) {
            if let Some(list) = self.put(catalog, change) {
                self.check_offered(match list {
                    List::Tools => Feature::Tools,
                    List::Resources | List::Templates => Feature::Resources,
                    List::Prompts => Feature::Prompts,
                });
                changed.insert(list);
            }
        }
        if self.problems.is_empty() { Ok(changed) } else { Err(BuildError { problems: self.problems }) }
    }

    fn check_offered(&mut self, feature: Feature) {
        let problem = format!("{feature:?} are not offered: say so with ServerBuilder::offer");
        if !self.offer.has(feature) && !self.problems.contains(&problem) {
            self.problems.push(problem);
        }
    }

    /// Puts an entry under its name.
    fn insert<E>(&mut self, entries: &mut BTreeMap<String, Arc<E>>, kind: &str, name: String, entry: E) {
        // req 5.1-5 5.3-5
        if self.building && entries.contains_key(&name) {
            self.problem(format_args!("{kind} {name:?}: there are two"));
        }
        entries.insert(name, Arc::new(entry));
    }

    fn put(&mut self, catalog: &mut Catalog, change: Change) -> Option<List> {
        match change {
            Change::Tool(entry) => {
                self.insert(&mut catalog.tools, "tool", entry.tool.name.clone(), entry);
                Some(List::Tools)
            }
            Change::Resource(entry) => {
                self.insert(&mut catalog.resources, "resource", entry.resource.uri.clone(), entry);
                Some(List::Resources)
            }
            Change::Template(entry) => {
                self.insert(&mut catalog.templates, "template", entry.template.uri_template.clone(), entry);
                Some(List::Templates)
            }
            Change::Prompt(entry) => {
                self.insert(&mut catalog.prompts, "prompt", entry.prompt.name.clone(), entry);
                Some(List::Prompts)
            }
            Change::Cache { uri, hint } => {
                self.cache_hint(catalog, &uri, hint);
                None
            }
            Change::CompletePrompt { prompt, argument, complete } => {
                self.complete(catalog.prompts.get_mut(&prompt), "prompt", &prompt, argument, complete);
                None
            }
            Change::CompleteTemplate { template, argument, complete } => {
                self.complete(catalog.templates.get_mut(&template), "template", &template, argument, complete);
                None
            }
            Change::Remove(list, name) => remove(catalog, list, &name).then_some(list),
        }
    }

    fn cache_hint(&mut self, catalog: &mut Catalog, uri: &str, hint: CacheHint) {
        if let Some(entry) = catalog.resources.get_mut(uri) {
            *entry = Arc::new(ResourceEntry { cache: Some(hint), ..ResourceEntry::clone(entry) });
        } else if let Some(entry) = catalog.templates.get_mut(uri) {
            *entry = Arc::new(TemplateEntry { cache: Some(hint), ..TemplateEntry::clone(entry) });
        } else {
            self.problem(format_args!("cache policy for {uri:?}: no such resource or template"));
        }
    }

    fn complete<E: Completes>(
        &mut self,
        entry: Option<&mut Arc<E>>,
        kind: &str,
        name: &str,
        argument: String,
        complete: Complete,
    ) {
        self.check_offered(Feature::Completions);
        match entry {
            None => self.problem(format_args!("completion of {argument:?}: no {kind} {name:?}")),
            Some(entry) if !entry.has(&argument) => {
                self.problem(format_args!("completion of {argument:?}: {kind} {name:?} has no such argument"));
            }
            Some(entry) => {
                let mut changed = E::clone(entry);
                changed.completers().insert(argument, complete);
                *entry = Arc::new(changed);
            }
        }
    }
}

fn remove(catalog: &mut Catalog, list: List, name: &str) -> bool {
    match list {
        List::Tools => catalog.tools.remove(name).is_some(),
        List::Resources => catalog.resources.remove(name).is_some(),
        List::Templates => catalog.templates.remove(name).is_some(),
        List::Prompts => catalog.prompts.remove(name).is_some(),
    }
}

/// What has arguments that can be completed.
trait Completes: Clone {
    fn has(&self, argument: &str) -> bool;
    fn completers(&mut self) -> &mut BTreeMap<String, Complete>;
}

impl Completes for PromptEntry {
    fn has(&self, argument: &str) -> bool {
        self.prompt.arguments.iter().any(|each| each.name == argument)
    }

    fn completers(&mut self) -> &mut BTreeMap<String, Complete> {
        &mut self.completers
    }
}

impl Completes for TemplateEntry {
    fn has(&self, variable: &str) -> bool {
        self.matcher.names().any(|each| each == variable)
    }

    fn completers(&mut self) -> &mut BTreeMap<String, Complete> {
        &mut self.completers
    }
}
