//! §18 Building a client.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use super::cache::Cache;
use super::cancel::Cancel;
use super::connect;
use super::core::Core;
use super::direct::DirectTransport;
use super::error::Error;
use super::fields::checked;
use super::handle::Handle;
#[cfg(feature = "http")]
use super::http::HttpTransport;
use super::inputs::{Failure, Handlers};
use super::limits::ClientLimits;
use super::methods::Client;
use super::progress::LogMessage;
use super::settings::Settings;
use super::stdio::{Command, StdioTransport};
use super::transport::{Problem, Transport};
use crate::dialect::Spoken;
use crate::envelope::Object;
use crate::server::Server;
use crate::types::elicit::UrlRequest;
use crate::types::{Action, CreateMessage, CreateMessageResult, ElicitResult, Form, Implementation, Level, Root};

/// A client that has not connected yet. What it can be asked for is what it has handlers for, no more and no less.
///
/// Handlers and callbacks may run on other threads than the one that calls, several at a time.
#[must_use = "nothing happens before `connect`"]
pub struct ClientBuilder {
    target: Target,
    settings: Settings,
    /// The first thing that was set and cannot be.
    invalid: Option<Error>,
    #[cfg(feature = "http")]
    certificates: Vec<Vec<u8>>,
}

enum Target {
    #[cfg(feature = "http")]
    Http(String),
    Stdio(Command),
    Direct(Server),
}

impl Client {
    /// A client of the server at this URL: `http`, and with the feature `tls` also `https`.
    #[cfg(feature = "http")]
    pub fn http(url: &str) -> ClientBuilder {
        ClientBuilder::new(Target::Http(url.to_owned()))
    }

    /// A client of the server that this command runs: a child process, started again at the next call when it has ended. Its stdin,
    /// stdout and stderr are the client's; the rest of the command is as it was given.
    pub fn stdio(command: Command) -> ClientBuilder {
        ClientBuilder::new(Target::Stdio(command))
    }

    /// A client of a server in this process, without any bytes between them.
    pub fn direct(server: &Server) -> ClientBuilder {
        ClientBuilder::new(Target::Direct(server.clone()))
    }
}

impl ClientBuilder {
    fn new(target: Target) -> ClientBuilder {
        let settings = Settings {
            info: Implementation::new(env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION")),
            handlers: Handlers::default(),
            limits: ClientLimits::default(),
            fields: Vec::new(),
            pinned: None,
            log: None,
            on_notification: None,
            on_problem: None,
            on_stderr: None,
            cache: None,
            context: None,
        };
        ClientBuilder {
            target,
            settings,
            invalid: None,
            #[cfg(feature = "http")]
            certificates: Vec::new(),
        }
    }

    /// Says who the client is: for the server's display and logs. By default this crate.
    pub fn info(self, name: &str, version: &str) -> ClientBuilder {
        self.implementation(Implementation::new(name, version))
    }

    /// The same with all that an implementation can say of itself.
    pub fn implementation(mut self, info: Implementation) -> ClientBuilder {
        self.settings.info = info;
        self
    }

    /// Shows forms to the user (§10.1). The handler gives what the user did; its error ends the call with [`Error::Input`].
    /// Show which server asks, and let the user decline, cancel, and look at the answers before they go.
    pub fn on_elicit(
        mut self,
        handler: impl Fn(&Form) -> Result<ElicitResult, Failure> + Send + Sync + 'static,
    ) -> ClientBuilder {
        self.settings.handlers.form = Some(Arc::new(handler));
        self
    }

    /// Sends the user to a page (§10.1). Show the host and ask for consent first; [`Action::Accept`] says that there was consent.
    pub fn on_elicit_url(
        mut self,
        handler: impl Fn(&UrlRequest) -> Result<Action, Failure> + Send + Sync + 'static,
    ) -> ClientBuilder {
        self.settings.handlers.url = Some(Arc::new(handler));
        self
    }

    /// Asks the model (§10.1). A human should see the request and the answer.
    pub fn on_sample(
        mut self,
        handler: impl Fn(&CreateMessage) -> Result<CreateMessageResult, Failure> + Send + Sync + 'static,
    ) -> ClientBuilder {
        self.settings.handlers.sample = Some(Arc::new(handler));
        self
    }

    /// Says that the model may be given tools: `sampling.tools`. Nothing without [`on_sample`](ClientBuilder::on_sample).
    pub fn sample_tools(mut self) -> ClientBuilder {
        self.settings.handlers.sample_tools = true;
        self
    }

    /// Names the roots, once and for all.
    pub fn roots(self, roots: impl IntoIterator<Item = Root>) -> ClientBuilder {
        let roots: Vec<Root> = roots.into_iter().collect();
        self.on_roots(move || Ok(roots.clone()))
    }

    /// Names the roots each time a server asks (§10.1).
    pub fn on_roots(
        mut self,
        handler: impl Fn() -> Result<Vec<Root>, Failure> + Send + Sync + 'static,
    ) -> ClientBuilder {
        self.settings.handlers.roots = Some(Arc::new(handler));
        self
    }

    /// Declares an extension by its prefixed id, with its settings: an object.
    pub fn extension(mut self, id: &str, settings: Value) -> ClientBuilder {
        if !crate::meta::key::prefixed_meta_key(id) || !settings.is_object() {
            self.invalid(format!("{id:?} is no prefixed id of an extension, or its settings are no object"));
        }
        self.settings.handlers.extensions.insert(id.to_owned(), settings);
        self
    }

    /// Declares an experimental capability, with its settings: an object.
    pub fn experimental(mut self, name: &str, settings: Value) -> ClientBuilder {
        if !settings.is_object() {
            self.invalid(format!("the settings of {name:?} are no object"));
        }
        self.settings.handlers.experimental.insert(name.to_owned(), settings);
        self
    }

    /// Sets all bounds.
    pub fn limits(mut self, limits: ClientLimits) -> ClientBuilder {
        self.settings.limits = limits;
        self
    }

    /// Sets [`ClientLimits::timeout`], which each call may change for itself.
    pub fn timeout(mut self, timeout: Duration) -> ClientBuilder {
        self.settings.limits.timeout = timeout;
        self
    }

    /// Adds a header field to every request, for example `authorization`. A field that the protocol sets itself, or that is none, makes
    /// [`connect`](ClientBuilder::connect) fail.
    pub fn header(mut self, name: &str, value: &str) -> ClientBuilder {
        match checked(name, value) {
            Ok(field) => self.settings.fields.push(field),
            Err(error) => self.invalid = self.invalid.or(Some(error)),
        }
        self
    }

    /// Asks for log messages of this level and graver with every request (§8.1), and hears those that no call hears itself.
    pub fn on_log(mut self, level: Level, hear: impl Fn(&LogMessage) + Send + Sync + 'static) -> ClientBuilder {
        self.settings.log = Some((level, Arc::new(hear)));
        self
    }

    /// Hears every notification that no call or subscription has for itself: its method and its params.
    pub fn on_notification(mut self, hear: impl Fn(&str, &Object) + Send + Sync + 'static) -> ClientBuilder {
        self.settings.on_notification = Some(Arc::new(hear));
        self
    }

    /// Hears of what was wrong and has been got over.
    pub fn on_problem(mut self, hear: impl Fn(&Problem) + Send + Sync + 'static) -> ClientBuilder {
        self.settings.on_problem = Some(Arc::new(hear));
        self
    }

    /// Hears each line that the server's process writes to its stderr. Without it they are read and dropped. They are no errors.
    pub fn on_stderr(mut self, hear: impl Fn(&str) + Send + Sync + 'static) -> ClientBuilder {
        self.settings.on_stderr = Some(Arc::new(hear));
        self
    }

    /// Keeps results as long as the server says that they stay fresh (§7), in a cache of the client's own.
    pub fn cache(self) -> ClientBuilder {
        self.shared_cache(&Cache::default())
    }

    /// Keeps results in a cache that other clients of the same server use too; private ones only for the same
    /// [`cache_context`](ClientBuilder::cache_context).
    pub fn shared_cache(mut self, cache: &Cache) -> ClientBuilder {
        self.settings.cache = Some(cache.clone());
        self
    }

    /// Names the authorization context: who the server takes the client for. By default the value of the header `authorization`.
    pub fn cache_context(mut self, context: impl Into<String>) -> ClientBuilder {
        self.settings.context = Some(context.into());
        self
    }

    /// Speaks this revision only, for example `2025-11-25`. By default the server is asked.
    pub fn version(mut self, revision: &str) -> ClientBuilder {
        self.settings.pinned = Spoken::named(revision);
        if self.settings.pinned.is_none() {
            self.invalid(format!("{revision:?} is no revision that this client speaks"));
        }
        self
    }

    /// Trusts a certificate, in DER, beside the usual ones.
    #[cfg(feature = "tls")]
    pub fn root_certificate(mut self, der: impl Into<Vec<u8>>) -> ClientBuilder {
        self.certificates.push(der.into());
        self
    }

    fn invalid(&mut self, what: String) {
        if self.invalid.is_none() {
            self.invalid = Some(Error::Invalid(what));
        }
    }

    /// Connects: finds out which revision the server speaks, and shakes hands where it has to.
    ///
    /// # Errors
    /// [`Error::Invalid`] for what was set and cannot be; else every [`Error`].
    pub fn connect(self) -> Result<Client, Error> {
        if let Some(error) = self.invalid {
            return Err(error);
        }
        let limits = &self.settings.limits;
        let transport: Box<dyn Transport> = match self.target {
            #[cfg(feature = "http")]
            Target::Http(url) => Box::new(HttpTransport::new(&url, limits, self.certificates)?),
            Target::Stdio(command) => Box::new(StdioTransport::new(command, limits)),
            Target::Direct(server) => Box::new(DirectTransport::new(&server, limits)),
        };
        let handle = Handle(Core::new(self.settings, transport));
        connect::peer(&handle.0, &Cancel::new())?;
        Ok(Client::new(handle))
    }
}

impl fmt::Debug for ClientBuilder {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("ClientBuilder").field("info", &self.settings.info).finish_non_exhaustive()
    }
}
