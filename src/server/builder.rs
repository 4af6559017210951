//! Building a server.
//! Law: `build` reports every problem, not the first; nothing that was built can be refused later.

use std::sync::{Arc, Mutex};

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::caching::{CacheHint, CachePolicy};
use crate::clock::{Clock, SystemClock};
use crate::crypto::{Keyring, Secret};
use crate::dialect::{Dialect, V2026_07_28, versions};
use crate::handler::catalog::Catalog;
use crate::handler::context::Context;
use crate::handler::hooks::{Direction, Event, Observer, Tap};
use crate::handler::shared::{Feature, Offer, Shared};
use crate::handler::{Completion, Interrupt, PromptArguments, PromptOutput, ResourceOutput, ToolOutput};
use crate::limits::Limits;
use crate::meta::key::prefixed_meta_key;
use crate::methods::uri_template::Vars;
use crate::mrtr::state::Keys;
use crate::results::Stamp;
use crate::server::Server;
use crate::server::edit::{BuildError, Edit};
use crate::subscriptions::{Hub, HubLimits};
use crate::types::{Implementation, Prompt, Resource, ResourceTemplate, Tool};

/// Collects what a server is to be; [`build`](ServerBuilder::build) makes it.
#[must_use]
pub struct ServerBuilder {
    info: Implementation,
    anonymous: bool,
    instructions: Option<String>,
    dialects: Vec<&'static Dialect>,
    offer: Offer,
    cache: CachePolicy,
    limits: Limits,
    clock: Box<dyn Clock>,
    keys: Option<Keys>,
    observer: Option<Observer>,
    tap: Option<Tap>,
    edit: Edit,
}

impl Server {
    /// Begins a server that calls itself so (§3).
    pub fn builder(name: impl Into<String>, version: impl Into<String>) -> ServerBuilder {
        ServerBuilder {
            info: Implementation::new(name, version),
            anonymous: false,
            instructions: None,
            dialects: vec![&V2026_07_28],
            offer: Offer { logging: true, listen: true, ..Offer::default() }, // req 4-9 11-7: no extension; listen
            cache: CachePolicy::default(),
            limits: Limits::default(),
            clock: Box::new(SystemClock::default()),
            keys: None,
            observer: None,
            tap: None,
            edit: Edit::building(),
        }
    }
}

/// What the server says of itself.
impl ServerBuilder {
    /// Names the server in full: title, description, icons, web site.
    pub fn info(mut self, info: Implementation) -> Self {
        self.info = info;
        self
    }

    /// Leaves the server's identity out of its results (§3).
    pub fn anonymous(mut self) -> Self {
        self.anonymous = true;
        self
    }

    /// Tells clients, in plain language, how to use the server (§4).
    pub fn instructions(mut self, text: impl Into<String>) -> Self {
        self.instructions = Some(text.into());
        self
    }

    /// Enables these revisions, the preferred first. Without this call: 2026-07-28 alone.
    pub fn dialects(mut self, dialects: impl IntoIterator<Item = &'static Dialect>) -> Self {
        self.dialects = dialects.into_iter().collect();
        self
    }
}

/// What the server offers.
impl ServerBuilder {
    /// Adds a tool (§5.1): see [`Edit::tool`].
    pub fn tool<A, R, F>(mut self, tool: Tool, run: F) -> Self
    where
        A: DeserializeOwned,
        R: Into<ToolOutput>,
        F: Fn(A, &Context<'_>) -> Result<R, Interrupt> + Send + Sync + 'static,
    {
        self.offer.tools = true;
        self.edit.tool(tool, run);
        self
    }

    /// Adds a resource (§5.3).
    pub fn resource<R, F>(mut self, resource: Resource, read: F) -> Self
    where
        R: Into<ResourceOutput>,
        F: Fn(&str, &Context<'_>) -> Result<R, Interrupt> + Send + Sync + 'static,
    {
        self.offer.resources = true;
        self.edit.resource(resource, read);
        self
    }

    /// Adds a resource template (§5.3, RFC 6570).
    pub fn template<R, F>(mut self, template: ResourceTemplate, read: F) -> Self
    where
        R: Into<ResourceOutput>,
        F: Fn(&Vars, &Context<'_>) -> Result<R, Interrupt> + Send + Sync + 'static,
    {
        self.offer.resources = true;
        self.edit.template(template, read);
        self
    }

    /// Adds a prompt (§5.5).
    pub fn prompt<R, F>(mut self, prompt: Prompt, get: F) -> Self
    where
        R: Into<PromptOutput>,
        F: Fn(&PromptArguments, &Context<'_>) -> Result<R, Interrupt> + Send + Sync + 'static,
    {
        self.offer.prompts = true;
        self.edit.prompt(prompt, get);
        self
    }

    /// Completes an argument of a prompt added before (§5.6).
    pub fn complete_prompt<R, F>(mut self, prompt: &str, argument: &str, complete: F) -> Self
    where
        R: Into<Completion>,
        F: Fn(&str, &Context<'_>) -> Result<R, Interrupt> + Send + Sync + 'static,
    {
        self.offer.completions = true;
        self.edit.complete_prompt(prompt, argument, complete);
        self
    }

    /// Completes a variable of a template added before (§5.6).
    pub fn complete_template<R, F>(mut self, template: &str, variable: &str, complete: F) -> Self
    where
        R: Into<Completion>,
        F: Fn(&str, &Context<'_>) -> Result<R, Interrupt> + Send + Sync + 'static,
    {
        self.offer.completions = true;
        self.edit.complete_template(template, variable, complete);
        self
    }

    /// Offers a feature although nothing of its kind has been added yet: it will be, by [`Server::edit`].
    pub fn offer(mut self, feature: Feature) -> Self {
        match feature {
            Feature::Core | Feature::Listen => {}
            Feature::Tools => self.offer.tools = true,
            Feature::Resources => self.offer.resources = true,
            Feature::Prompts => self.offer.prompts = true,
            Feature::Completions => self.offer.completions = true,
        }
        self
    }

    /// Advertises `listChanged` for whatever lists there are (§4, §11).
    pub fn list_changed(mut self) -> Self {
        self.offer.list_changed = true;
        self
    }

    /// Advertises `resources.subscribe` (§4, §11).
    pub fn subscribe(mut self) -> Self {
        self.offer.subscribe = true;
        self
    }

    /// Switches `subscriptions/listen` off (D7): it is then an unknown method.
    pub fn no_listen(mut self) -> Self {
        self.offer.listen = false;
        self
    }

    /// Does not advertise logging; [`Context::log`] then does nothing.
    pub fn no_logging(mut self) -> Self {
        self.offer.logging = false;
        self
    }

    /// Advertises an experimental capability; `settings` must be an object.
    pub fn experimental(mut self, name: impl Into<String>, settings: impl Into<Value>) -> Self {
        self.offer.experimental.insert(name.into(), settings.into());
        self
    }

    /// Advertises an extension (D24: none is on by itself); the name must have a prefix, `settings` be an object.
    pub fn extension(mut self, name: impl Into<String>, settings: impl Into<Value>) -> Self {
        self.offer.extensions.insert(name.into(), settings.into());
        self
    }
}

/// How the server works.
impl ServerBuilder {
    /// Says how long the cacheable results are fresh (§7). Without this call: not at all, and private.
    pub fn cache(mut self, policy: CachePolicy) -> Self {
        self.cache = policy;
        self
    }

    /// Says how long what is read under this URI, or URI template, is fresh (§7). It must have been added before.
    pub fn cache_resource(mut self, uri: &str, hint: CacheHint) -> Self {
        self.edit.cache(uri, hint);
        self
    }

    /// Sets the bounds.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Sets the clock. Without this call: the machine's.
    pub fn clock(mut self, clock: impl Clock + 'static) -> Self {
        self.clock = Box::new(clock);
        self
    }

    /// Signs `requestState` with this secret (§10.4), so that any process that has it can serve the next round. Without a secret
    /// or a keyring: a random one, which only this process knows.
    pub fn secret(mut self, secret: Secret) -> Self {
        self.keys = Some(Keys::One(secret));
        self
    }

    /// Signs `requestState` with the current key of a keyring, and accepts all of its keys (§10.4): for rotation.
    pub fn keyring(mut self, ring: Keyring) -> Self {
        self.keys = Some(Keys::Ring(ring));
        self
    }

    /// Watches every call, and every cause that is not sent. Runs on the thread of the request.
    pub fn observer(mut self, observer: impl Fn(&Event<'_>) + Send + Sync + 'static) -> Self {
        self.observer = Some(Box::new(observer));
        self
    }

    /// Watches every raw message that a transport reads or writes. Runs on the thread of the request; one that goes out is shown
    /// right before it is written, and what else its connection has to write waits for that.
    pub fn raw_messages(mut self, tap: impl Fn(Direction, &[u8]) + Send + Sync + 'static) -> Self {
        self.tap = Some(Box::new(tap));
        self
    }

    /// Makes the server, or says everything that is wrong; of a schema that is wrong in several places, the first of them.
    pub fn build(mut self) -> Result<Server, BuildError> {
        self.check();
        let keys = match self.keys.take() {
            Some(keys) => keys,
            None => Keys::One(Secret::random().map_err(|error| BuildError { problems: vec![error.to_string()] })?),
        };
        let mut catalog = Catalog::default();
        let mut edit = self.edit;
        edit.offered(self.offer.clone());
        edit.apply(&mut catalog)?;
        let hub = Hub::new(HubLimits { streams: self.limits.streams, pending: self.limits.uris.saturating_add(3) });
        let shared = Shared {
            stamp: (!self.anonymous).then(|| Stamp::new(&self.info)),
            info: self.info,
            instructions: self.instructions,
            versions: versions(&self.dialects),
            offer: self.offer,
            cache: self.cache,
            limits: self.limits,
            clock: self.clock,
            keys,
            hub,
            observer: self.observer,
            tap: self.tap,
        };
        Ok(Server {
            shared: Arc::new(shared),
            catalog: Arc::new(Mutex::new(Arc::new(catalog))),
            dialects: self.dialects.into(),
        })
    }

    fn check(&mut self) {
        for problem in self.limits.problems() {
            self.edit.problem(format_args!("limits: {problem}"));
        }
        if self.dialects.is_empty() {
            self.edit.problem("no dialect is enabled");
        }
        // req 4-6
        if !self.offer.listen && (self.offer.list_changed || self.offer.subscribe) {
            self.edit.problem("listChanged and subscribe need subscriptions/listen, which is switched off");
        }
        if self.offer.subscribe && !self.offer.resources {
            self.edit.problem("subscribe needs resources");
        }
        let named = self.offer.experimental.iter().map(|(name, settings)| (name, settings, false));
        let named = named.chain(self.offer.extensions.iter().map(|(name, settings)| (name, settings, true)));
        let bad =
            named.filter(|(name, settings, prefixed)| !settings.is_object() || (*prefixed && !prefixed_meta_key(name)));
        let bad: Vec<String> = bad.map(|(name, ..)| name.clone()).collect();
        for name in bad {
            self.edit.problem(format_args!(
                "capability {name:?}: an extension has a prefixed name, and settings are an object"
            ));
        }
    }
}
