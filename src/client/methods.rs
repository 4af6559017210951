//! §18 The methods of a client.

use std::fmt;
use std::sync::Arc;

use serde::Serialize;
use serde_json::{Value, json};

use super::call::Call;
use super::cancel::Cancel;
use super::connect;
use super::core::Core;
use super::error::Error;
use super::handle::Handle;
use super::lists;
use super::message;
use super::options::Options;
use super::post;
use super::received::{CompletionResult, PromptResult, Received, ResourceResult, ToolResult};
use super::rounds::{Plan, complete};
use super::subscription::Listen;
use crate::envelope::Object;
use crate::types::results::DiscoverResult;
use crate::types::wire::CompletionReference;
use crate::types::{Implementation, Prompt, Resource, ResourceTemplate, ServerCapabilities, Tool};

/// A client of one server. Cloning gives another handle to the same; threads may share it. The last one that is dropped closes it.
#[derive(Clone)]
pub struct Client(Arc<Handle>);

fn object<const N: usize>(members: [(&str, Value); N]) -> Object {
    members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

impl Client {
    pub(crate) fn new(handle: Handle) -> Client {
        Client(Arc::new(handle))
    }

    fn core(&self) -> &Arc<Core> {
        &self.0.0
    }

    /// The revision that is spoken, as requests name it; empty after the process that it was found out from has ended.
    pub fn version(&self) -> String {
        self.core().peer().map(|peer| peer.version.to_owned()).unwrap_or_default()
    }

    /// Who the server says it is: for display and logs only.
    pub fn server_info(&self) -> Option<Implementation> {
        self.core().peer()?.server.clone()
    }

    /// What the server offers, as it said when the client connected.
    pub fn capabilities(&self) -> ServerCapabilities {
        self.core().peer().map(|peer| peer.capabilities.clone()).unwrap_or_default()
    }

    /// How to use the server, for the model.
    pub fn instructions(&self) -> Option<String> {
        self.core().peer()?.instructions.clone()
    }

    /// Lists the tools (§5.1), all pages. Over HTTP those with annotations that break §13.6 are left out, and reported.
    pub fn tools(&self) -> Call<'_, Vec<Received<Tool>>> {
        Call::new(&self.0, "tools/list", Object::new(), |core, _, _, options| lists::tools(core, options))
    }

    /// Lists the resources (§5.3), all pages.
    pub fn resources(&self) -> Call<'_, Vec<Received<Resource>>> {
        Call::new(&self.0, "resources/list", Object::new(), |core, method, _, options| {
            lists::all(core, (method, "resources"), options)
        })
    }

    /// Lists the resource templates (§5.3), all pages.
    pub fn resource_templates(&self) -> Call<'_, Vec<Received<ResourceTemplate>>> {
        Call::new(&self.0, "resources/templates/list", Object::new(), |core, method, _, options| {
            lists::all(core, (method, "resourceTemplates"), options)
        })
    }

    /// Lists the prompts (§5.5), all pages.
    pub fn prompts(&self) -> Call<'_, Vec<Received<Prompt>>> {
        Call::new(&self.0, "prompts/list", Object::new(), |core, method, _, options| {
            lists::all(core, (method, "prompts"), options)
        })
    }

    /// Calls a tool (§5.2) with arguments that serialise to an object, or with `()` or `null` for none.
    pub fn tool(&self, name: &str, arguments: impl Serialize) -> Call<'_, ToolResult> {
        let (mut params, mut invalid) = (object([("name", json!(name))]), None);
        match serde_json::to_value(arguments) {
            Ok(Value::Null) => {}
            Ok(Value::Object(arguments)) => {
                params.insert("arguments".to_owned(), Value::Object(arguments));
            }
            Ok(_) => invalid = Some(Error::Invalid("arguments that are no object".to_owned())),
            Err(error) => invalid = Some(Error::Invalid(format!("arguments that cannot be written: {error}"))),
        }
        Call::new(&self.0, "tools/call", params, call_tool).invalid(invalid)
    }

    /// Reads a resource (§5.4).
    pub fn resource(&self, uri: &str) -> Call<'_, ResourceResult> {
        Call::new(&self.0, "resources/read", object([("uri", json!(uri))]), |core, method, params, options| {
            let text = complete(core, &Plan::new(method, params), options)?;
            ResourceResult::read(text.get(), core.settings.limits.values)
        })
    }

    /// Gets a prompt (§5.5); [`arg`](Call::arg) sets its arguments.
    pub fn prompt(&self, name: &str) -> Call<'_, PromptResult> {
        Call::new(&self.0, "prompts/get", object([("name", json!(name))]), |core, method, params, options| {
            let text = complete(core, &Plan::new(method, params), options)?;
            PromptResult::read(text.get(), core.settings.limits.values)
        })
    }

    /// Completes an argument of a prompt or of a template (§5.6), of which `value` is there so far; [`known`](Call::known) says what
    /// others are already.
    pub fn complete(&self, reference: CompletionReference, argument: &str, value: &str) -> Call<'_, CompletionResult> {
        let params = object([("ref", json!(reference)), ("argument", json!({"name": argument, "value": value}))]);
        Call::new(&self.0, "completion/complete", params, |core, method, params, options| {
            let text = complete(core, &Plan::new(method, params), options)?;
            CompletionResult::read(text.get(), core.settings.limits.values)
        })
    }

    /// Asks the server anew what it is and offers (§4). A server of the initialize era has no such method.
    pub fn discover(&self) -> Call<'_, Received<DiscoverResult>> {
        Call::new(&self.0, "server/discover", Object::new(), |core, method, params, options| {
            let text = complete(core, &Plan::new(method, params), options)?;
            Received::read(text.get(), core.settings.limits.values)
        })
    }

    /// Calls any method with params that are an object, or null for none; `_meta`, headers and rounds of input are the client's affair.
    pub fn request(&self, method: &str, params: Value) -> Call<'_, Value> {
        let (params, invalid) = match params {
            Value::Null => (Object::new(), None),
            Value::Object(params) => (params, None),
            _ => (Object::new(), Some(Error::Invalid("params that are no object".to_owned()))),
        };
        let call = Call::new(&self.0, method, params, |core, method, params, options| {
            let text = complete(core, &Plan::new(method, params), options)?;
            message::value(text.get(), core.settings.limits.values)
        });
        call.invalid(invalid)
    }

    /// Asks a server of the initialize era whether it is there. The stateless revision has no such method.
    pub fn ping(&self) -> Call<'_, ()> {
        Call::new(&self.0, "ping", Object::new(), |core, method, params, options| {
            complete(core, &Plan::new(method, params), options).map(drop)
        })
    }

    /// Sends a notification, with params that are an object, or null for none.
    ///
    /// # Errors
    /// [`Error::Invalid`], or what broke on the way. That the server has read it is never known.
    pub fn notify(&self, method: &str, params: Value) -> Result<(), Error> {
        let mut params = match params {
            Value::Null => Object::new(),
            Value::Object(params) => params,
            _ => return Err(Error::Invalid("params that are no object".to_owned())),
        };
        let peer = connect::peer(self.core(), &Cancel::new())?;
        let own = connect::own_meta(self.core(), &peer);
        if !own.is_empty() {
            if let Some(meta) = params.entry("_meta").or_insert_with(|| json!({})).as_object_mut() {
                meta.extend(own);
            }
        }
        post::tell(self.core(), Some(&peer), method, params)
    }

    /// Subscribes to what changes at the server (§11).
    pub fn listen(&self) -> Listen<'_> {
        Listen::new(&self.0)
    }

    /// Ends all calls and subscriptions, the session, and the process or the connections, and waits until they are gone. What is called
    /// afterwards returns [`Error::Cancelled`].
    pub fn close(&self) {
        self.core().close();
    }
}

fn call_tool(core: &Arc<Core>, method: &str, params: Object, options: &mut Options<'_>) -> Result<ToolResult, Error> {
    let name = params.get("name").and_then(Value::as_str).unwrap_or_default();
    let stateless = connect::peer(core, &options.cancel)?.spoken.stateless;
    if core.transport.has_headers() && stateless {
        lists::know(core, &options.cancel)?;
        if let Some(reason) = core.catalog.left_out(name) {
            return Err(Error::Invalid(format!("the tool {name:?} breaks a rule: {reason}")));
        }
    }
    let plan = Plan { refresh: Some(lists::refresh), ..Plan::new(method, params) };
    let text = complete(core, &plan, options)?;
    ToolResult::read(text.get(), core.settings.limits.values)
}

impl fmt::Debug for Client {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Client").field("version", &self.version()).finish_non_exhaustive()
    }
}
