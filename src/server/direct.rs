//! Calls in this process, without any transport: for tests, and for programs that are their own client.

use serde_json::{Value, json};

use crate::arrival::{Principal, Via};
use crate::cancellation::{CancelToken, cancellation};
use crate::dialect::{Arrival, select};
use crate::envelope::{Notification, Object, Request, RequestId, Response};
use crate::meta::{CLIENT_CAPABILITIES, PROTOCOL_VERSION};
use crate::server::Server;
use crate::sink::{Collect, Sink};

/// A caller in this process. Each call is a request of its own, with a `_meta` of its own.
#[derive(Clone, Debug)]
pub struct Direct {
    server: Server,
    meta: Object,
    principal: Option<Principal>,
}

/// What a call has brought.
#[derive(Clone, Debug, PartialEq)]
pub struct Called {
    /// The response.
    pub response: Response,
    /// The notifications that came before it.
    pub notifications: Vec<Notification>,
}

impl Called {
    /// The whole response as a value, as it would be on the wire.
    pub fn to_value(&self) -> Value {
        serde_json::from_str(&self.response.to_json()).unwrap_or(Value::Null)
    }

    /// The result; `null` where the answer is an error.
    pub fn result(&self) -> Value {
        self.response.answer.as_ref().map_or(Value::Null, |body| body.to_value())
    }

    /// The error as a value; `null` where the answer is a result.
    pub fn error(&self) -> Value {
        let error = self.response.answer.as_ref().err();
        error.map_or(Value::Null, |fault| serde_json::to_value(fault).unwrap_or(Value::Null))
    }
}

impl Server {
    /// A caller in this process, who speaks the first enabled revision and declares no capability.
    pub fn direct(&self) -> Direct {
        let mut meta = Object::new();
        let version = self.shared.versions.first().copied().unwrap_or_default();
        meta.insert(PROTOCOL_VERSION.to_owned(), json!(version));
        meta.insert(CLIENT_CAPABILITIES.to_owned(), json!({}));
        Direct { server: self.clone(), meta, principal: None }
    }
}

impl Direct {
    /// Declares these client capabilities in every call.
    #[must_use]
    pub fn capabilities(self, capabilities: Value) -> Direct {
        self.meta(CLIENT_CAPABILITIES, capabilities)
    }

    /// Sets a key of every call's `_meta`.
    #[must_use]
    pub fn meta(mut self, key: &str, value: impl Into<Value>) -> Direct {
        self.meta.insert(key.to_owned(), value.into());
        self
    }

    /// Calls as this principal.
    #[must_use]
    pub fn principal(mut self, principal: Principal) -> Direct {
        self.principal = Some(principal);
        self
    }

    /// Calls a method with these params, under the id 1; `_meta` is filled in where they have none, and what is no object counts as
    /// `{}`. Blocks until the handler returns.
    pub fn call(&self, method: &str, params: Value) -> Called {
        let sink = Collect::default();
        let (_source, cancel) = cancellation();
        let response = self.call_with(method, params, &sink, &cancel);
        Called { response, notifications: sink.take() }
    }

    /// The same with a sink and a token of the caller's: to see notifications as they come, or to cancel.
    pub fn call_with(&self, method: &str, params: Value, sink: &dyn Sink, cancel: &CancelToken) -> Response {
        let mut params = match params {
            Value::Object(params) => params,
            _ => Object::new(),
        };
        params.entry("_meta").or_insert_with(|| Value::Object(self.meta.clone()));
        let id = RequestId::Int(1);
        match select(None, &params, &self.server.dialects) {
            Err(fault) => Response { id: Some(id), answer: Err(fault) },
            Ok(dialect) => {
                let arrival = Arrival { dialect, principal: self.principal.as_ref(), via: Via::Direct, ending: None };
                self.server.serve(Request { id, method: method.to_owned(), params }, &arrival, sink, cancel)
            }
        }
    }
}
