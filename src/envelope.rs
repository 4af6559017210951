//! §1 JSON-RPC envelope.
//! Law: every message in and every message out passes through this file.
//! Law: an error echoes the request's id with its JSON type; an id that cannot be read is answered with `null` (D1).

use std::sync::Arc;

use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::{Map, Value};

use crate::errors::{Fault, PARSE_ERROR, rules};
use crate::json::{self, Document, Flaw};
use crate::limits::Limits;

rules! {
    // const         id      code    text                                                                    source
    NOT_JSON_RPC     "1-1"   -32600  "Expected a JSON-RPC 2.0 request"                                       "envelope.ex:68-72";
    METHOD_TYPE      "1-2"   -32600  "Request method must be a string"                                       "ours";
    PARAMS_TYPE      "1-3"   -32602  "Request params must be an object"                                      "envelope.ex:74-80";
    ID_TYPE          "1-4"   -32600  "Request id must be a string of at most 256 bytes or an int64 integer"  "ours";
    INVALID_REQUEST  "1-5"   -32600  "Invalid Request"                                                       "envelope.ex:43";
    TOO_MANY_VALUES  "1-18"  -32600  "Message has too many values"                                           "ours";
}

/// A JSON object: `params`, `_meta`, `arguments`, ….
pub type Object = Map<String, Value>;

/// The id of a request: a string of at most [`Limits::id`](crate::Limits) bytes, or an integer in the int64 range (§1).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum RequestId {
    /// An integer id.
    Int(i64),
    /// A string id.
    Str(Box<str>),
}

impl RequestId {
    /// Reads an id, or a progress token, which has the same form. `None` if it is of another type or over `limit` bytes.
    pub fn read(value: &Value, limit: usize) -> Option<RequestId> {
        match value {
            // req 1-12: whatever fits, also 0 and "", and an integer never by way of a float
            Value::String(text) if text.len() <= limit => Some(RequestId::Str(text.as_str().into())),
            Value::Number(number) => {
                let minus_zero = || number.as_f64().filter(|zero| *zero == 0.0 && zero.is_sign_negative()).map(|_| 0);
                number.as_i64().or_else(minus_zero).map(RequestId::Int) // serde_json keeps the integer -0 as a float
            }
            _ => None,
        }
    }

    /// The id as a JSON value of its own type.
    pub fn to_value(&self) -> Value {
        match self {
            RequestId::Int(number) => Value::from(*number),
            RequestId::Str(text) => Value::from(&**text),
        }
    }
}

impl Serialize for RequestId {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        match self {
            RequestId::Int(number) => out.serialize_i64(*number),
            RequestId::Str(text) => out.serialize_str(text),
        }
    }
}

/// A request: it has an id and is always answered.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// Chosen by the client; echoed in the answer.
    pub id: RequestId,
    /// The method name.
    pub method: String,
    /// The params; empty where the message has none.
    pub params: Object,
}

/// A notification: it has no id and is never answered.
#[derive(Clone, Debug, PartialEq)]
pub struct Notification {
    /// The method name.
    pub method: String,
    /// The params; empty where the message has none.
    pub params: Object,
}

/// A message that a peer sent (§1).
#[derive(Clone, Debug, PartialEq)]
pub enum Message {
    /// To be answered.
    Request(Request),
    /// Never to be answered.
    Notification(Notification),
    /// A response, which no request of ours can have asked for: ignored.
    Response,
}

/// A message that could not be read.
#[derive(Clone, Debug, PartialEq)]
pub struct Refused {
    /// The id, where it could be read.
    pub id: Option<RequestId>,
    /// The method, where it could be read.
    pub method: Option<String>,
    /// What is wrong.
    pub fault: Fault,
    /// The message is a notification, so that nothing may be answered.
    pub notification: bool,
}

impl Refused {
    fn nameless(fault: Fault) -> Refused {
        Refused { id: None, method: None, fault, notification: false }
    }
}

/// A result as JSON text. Lists share theirs among all calls until the catalog changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Body(pub(crate) Arc<String>);

impl Body {
    /// The result as JSON text on one line.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The result as a value.
    pub fn to_value(&self) -> Value {
        serde_json::from_str(&self.0).unwrap_or(Value::Null)
    }
}

/// The answer to a request.
#[derive(Clone, Debug, PartialEq)]
pub struct Response {
    /// The request's id; `None` is sent as `null` (D1).
    pub id: Option<RequestId>,
    /// The result, or the error.
    pub answer: Result<Body, Fault>,
}

impl Response {
    /// The response as JSON text on one line.
    pub fn to_json(&self) -> String {
        let mut out = String::with_capacity(64 + self.answer.as_ref().map_or(128, |body| body.0.len()));
        out.push_str(r#"{"jsonrpc":"2.0","id":"#);
        // req 1-10 1-11: the id with its type; null where there is none
        out.push_str(&json_text(&self.id));
        match &self.answer {
            Ok(body) => {
                out.push_str(r#","result":"#);
                out.push_str(&body.0);
            }
            Err(fault) => {
                out.push_str(r#","error":"#);
                out.push_str(&json_text(fault));
            }
        }
        out.push('}');
        out
    }
}

impl Serialize for Fault {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        let mut map = out.serialize_map(None)?;
        map.serialize_entry("code", &self.code().number())?;
        map.serialize_entry("message", self.message())?;
        if let Some(data) = self.detail() {
            map.serialize_entry("data", data)?;
        }
        map.end()
    }
}

impl Notification {
    /// The notification as JSON text on one line; `params` is left out where it is empty.
    pub fn to_json(&self) -> String {
        // req 1-14: there is no id to write
        let params =
            if self.params.is_empty() { String::new() } else { [r#","params":"#, &json_text(&self.params)].concat() };
        [r#"{"jsonrpc":"2.0","method":"#, &json_text(&self.method), &params, "}"].concat()
    }
}

/// Values with string keys always serialise; a failure would be a fault of an author's own type and reads as `null`.
pub(crate) fn json_text<T: Serialize + ?Sized>(value: &T) -> String {
    serde_json::to_string(value).unwrap_or_else(|_| "null".to_owned())
}

/// The integer that a float of the int64 range is, exactly.
pub(crate) fn whole(float: f64) -> Option<i64> {
    if float.fract() == 0.0 { format!("{float:.0}").parse().ok() } else { None }
}

/// Reads the bytes of one message: JSON text in UTF-8, a leading byte-order mark skipped (§13.2 step 6), decoded at once (§1).
/// A message of which two readers would not see the same is refused (D18).
///
/// A message of more than [`Limits::values`] values is refused as soon as they are counted (req 1-18).
pub fn read(bytes: &[u8], limits: &Limits) -> Result<Message, Refused> {
    let text = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let document = json::read(text, limits.values).map_err(|flaw| {
        // req 1-16: bytes that are no UTF-8 are no JSON
        let rule = if flaw == Flaw::NotJson { &PARSE_ERROR } else { &TOO_MANY_VALUES };
        Refused::nameless(rule.fault())
    })?;
    if document.ambiguous { refuse_ambiguous(&document, limits.id) } else { decode(document.value, limits.id) }
}

/// req 1-9 1-17: the id is echoed unless it is itself among the repeated members.
fn refuse_ambiguous(document: &Document, id_limit: usize) -> Result<Message, Refused> {
    let Value::Object(message) = &document.value else { return Err(Refused::nameless(INVALID_REQUEST.fault())) };
    if is_response(message) {
        return Ok(Message::Response);
    }
    // which of two ids was meant cannot be known
    let id = message.get("id").filter(|_| !document.id_repeated).and_then(|id| RequestId::read(id, id_limit));
    let method = message.get("method").and_then(Value::as_str).map(str::to_owned);
    let notification = method.is_some() && !message.contains_key("id");
    Err(Refused { id, method, fault: INVALID_REQUEST.fault(), notification })
}

/// req 1-7: no method, and a result or an error.
fn is_response(message: &Object) -> bool {
    !message.contains_key("method") && (message.contains_key("result") || message.contains_key("error"))
}

/// Decodes one JSON value as a message, in the order of §1.
pub fn decode(value: Value, id_limit: usize) -> Result<Message, Refused> {
    let Value::Object(mut message) = value else {
        return Err(Refused::nameless(INVALID_REQUEST.fault())); // also a batch, which this revision forbids
    };
    if is_response(&message) {
        return Ok(Message::Response); // first: it is never answered, whatever else is wrong with it (§13.2 step 7)
    }
    let id = message.remove("id");
    let readable = id.as_ref().and_then(|id| RequestId::read(id, id_limit));
    let method = message.remove("method");
    // req 1-6: without an id and with a method it is never answered, whatever else is wrong
    let notification = id.is_none() && matches!(method, Some(Value::String(_)));
    let refuse = |method: Option<&str>, fault| {
        let (id, method) = (readable.clone(), method.map(str::to_owned));
        Refused { id, method, fault, notification }
    };

    if message.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return Err(refuse(method.as_ref().and_then(Value::as_str), NOT_JSON_RPC.fault()));
    }
    let Some(Value::String(method)) = method else { return Err(refuse(None, METHOD_TYPE.fault())) };
    let params = match message.remove("params") {
        // req 1-13
        None => Object::new(),
        Some(Value::Object(params)) => params,
        Some(_) => return Err(refuse(Some(&method), PARAMS_TYPE.fault())),
    };
    // req 1-15: what else stood in the message is dropped with it
    match (id, readable.clone()) {
        (None, _) => Ok(Message::Notification(Notification { method, params })),
        (Some(_), Some(id)) => Ok(Message::Request(Request { id, method, params })),
        (Some(_), None) => Err(refuse(Some(&method), ID_TYPE.fault())),
    }
}
