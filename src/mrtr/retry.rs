//! §10.3 The retry: `inputResponses` and `requestState` of a request, read at admission.
//! Law: only the methods that may ask read them; ids that nobody asked for are ignored by whoever looks an answer up.

use serde_json::Value;

use crate::envelope::Object;
use crate::errors::{Fault, rules};

rules! {
    // const        id        code    text                                                         source
    RESPONSES_MAP   "10.3-1"  -32602  "inputResponses must map string IDs to bare result objects"  "mrtr.ex:39-64";
    RESPONSES_TYPE  "10.3-2"  -32602  "inputResponses must be an object"                           "mrtr.ex:39-64";
    STATE_TYPE      "10.3-3"  -32602  "requestState must be a string"                              "mrtr.ex:39-64";
}

/// What a request brings back from an earlier round.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Retry {
    /// The answers of the client, by the ids that the server chose.
    pub responses: Object,
    /// The state of the server, echoed; not yet opened.
    pub state: Option<String>,
}

impl Retry {
    /// Whether the request is a second or later round: it forces `ttlMs` 0 on a read result (§5.4).
    pub fn is_later_round(&self) -> bool {
        self.state.is_some() || !self.responses.is_empty()
    }
}

/// Reads both members.
pub fn read(params: &Object) -> Result<Retry, Fault> {
    let responses = match params.get("inputResponses") {
        None => Object::new(),
        Some(Value::Object(responses)) if responses.values().all(Value::is_object) => responses.clone(),
        Some(Value::Object(_)) => return Err(RESPONSES_MAP.fault()),
        Some(_) => return Err(RESPONSES_TYPE.fault()),
    };
    let state = match params.get("requestState") {
        None => None,
        Some(Value::String(state)) => Some(state.clone()),
        Some(_) => return Err(STATE_TYPE.fault()),
    };
    Ok(Retry { responses, state })
}
