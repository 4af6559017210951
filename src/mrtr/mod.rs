//! §10.1 Multi round-trip requests: the `input_required` result, and the gate that it passes after the handler.
//! Law: each round is a fresh, independent request; nothing waits on the server.
//! Law: what the gate lets out is valid, permitted for its method, and covered by the request's own capabilities.

pub mod capability;
pub mod retry;
pub mod state;

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Value, json};

use crate::envelope::Object;
use crate::errors::{Fault, rules};
use crate::types::{ClientCapabilities, InputRequest};

rules! {
    // const       id        code    text                                                         source
    NOT_PERMITTED  "10.1-1"  -32603  "Input-required result is not permitted for this operation"  "mrtr.ex:90-92";
    INVALID        "10.1-2"  -32603  "Invalid input-required result"                              "mrtr.ex:94-105";
}

/// The client is asked for input, and calls again with its answers (§10.1).
#[derive(Clone, Debug, Default)]
pub struct InputRequired {
    // req 10.1-4: a map, so that an id stands once
    pub(crate) requests: BTreeMap<String, InputRequest>,
    pub(crate) state: Option<Value>,
}

impl InputRequired {
    /// Nothing asked yet; a result that asks for nothing must have a state.
    pub fn new() -> InputRequired {
        InputRequired::default()
    }

    /// Asks one thing under an id of the server's choice.
    #[must_use]
    pub fn ask(mut self, id: impl Into<String>, request: impl Into<InputRequest>) -> InputRequired {
        self.requests.insert(id.into(), request.into());
        self
    }

    /// Sends a state along, sealed into `requestState`; the next round opens it with
    /// [`Context::state`](crate::Context::state). A value that is no JSON reads as `null`.
    #[must_use]
    pub fn with_state(mut self, state: &impl Serialize) -> InputRequired {
        self.state = Some(serde_json::to_value(state).unwrap_or(Value::Null));
        self
    }
}

/// Judges an `input_required` result: permitted here, well formed, covered by what the client declared. `sealed` says whether a
/// state goes along. The second of a refusal is the cause, for the observer.
pub(crate) fn gate(
    permitted: bool,
    input: &InputRequired,
    sealed: bool,
    declared: &ClientCapabilities,
) -> Result<(), (Fault, String)> {
    if !permitted {
        return Err((NOT_PERMITTED.fault(), "this method must not ask for input".to_owned()));
    }
    if input.requests.is_empty() && !sealed {
        return Err((INVALID.fault(), "neither inputRequests nor requestState".to_owned()));
    }
    for (id, request) in &input.requests {
        request.validate().map_err(|cause| (INVALID.fault(), [id, ": ", &cause].concat()))?;
    }
    let needs = input.requests.values().flat_map(capability::needs);
    capability::check(needs, declared).map_err(|fault| (fault, "the client did not declare it".to_owned()))
}

/// What is sealed into `requestState`: the author's own state, and the answers that earlier rounds have brought, since a retry
/// carries those of the latest round only.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Carried {
    pub(crate) state: Option<Value>,
    pub(crate) answers: Object,
}

impl Carried {
    pub(crate) fn is_empty(&self) -> bool {
        self.state.is_none() && self.answers.is_empty()
    }

    pub(crate) fn to_value(&self) -> Value {
        json!({"state": self.state, "answers": self.answers})
    }

    pub(crate) fn from_value(mut value: Value) -> Carried {
        let state = value.get_mut("state").map(Value::take).filter(|state| !state.is_null());
        let answers = match value.get_mut("answers").map(Value::take) {
            Some(Value::Object(answers)) => answers,
            _ => Object::new(),
        };
        Carried { state, answers }
    }
}
