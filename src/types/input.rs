//! §10.1 What a server asks of its client, inside an `input_required` result.
//! Law: an input request is bare: `{"method", "params"}`, without `jsonrpc` and without an id.

use std::borrow::Cow;

use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;

use super::elicit::{Form, UrlRequest};
use super::methods::{CREATE_MESSAGE, ELICIT, LIST_ROOTS};
use super::roots::ListRoots;
use super::sampling::CreateMessage;
use super::validate;

/// One thing that a server asks of its client (§10.1).
// req 10.1-4
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum InputRequest {
    /// A form for the user.
    Form(Form),
    /// A page for the user.
    Url(UrlRequest),
    /// A question for the client's model.
    CreateMessage(Box<CreateMessage>),
    /// The client's roots.
    ListRoots(ListRoots),
    /// Whatever its author wrote, or a peer's request that is none of the above.
    Raw(RawRequest),
}

/// An input request as its author wrote it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct RawRequest {
    /// The method.
    pub method: String,
    /// The params; absent is not the same as `{}`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub params: Option<Value>,
}

/// What a request asks for, as far as the client's capabilities go (§10.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Needs `elicitation.form`, or an empty `elicitation`.
    Form,
    /// Needs `elicitation.url`.
    Url,
    /// Needs `sampling`.
    CreateMessage {
        /// Also needs `sampling.tools`: `tools` or `toolChoice` is set.
        tools: bool,
        /// Also needs `sampling.context`: `includeContext` is set and is not `none`.
        context: bool,
    },
    /// Needs `roots`.
    ListRoots,
}

impl InputRequest {
    /// A request whose params the author writes; [`InputRequest::validate`] judges it like any other.
    pub fn raw(method: impl Into<String>, params: impl Into<Value>) -> InputRequest {
        InputRequest::Raw(RawRequest { method: method.into(), params: Some(params.into()) })
    }

    /// The method on the wire.
    pub fn method(&self) -> &str {
        match self {
            InputRequest::Form(_) | InputRequest::Url(_) => ELICIT,
            InputRequest::CreateMessage(_) => CREATE_MESSAGE,
            InputRequest::ListRoots(_) => LIST_ROOTS,
            InputRequest::Raw(raw) => &raw.method,
        }
    }

    /// The params on the wire; nothing where a peer wrote none.
    pub fn params(&self) -> Option<Cow<'_, Value>> {
        // Writing these types to a value cannot fail: their maps have string keys and their numbers are JSON numbers.
        let value = match self {
            InputRequest::Form(form) => serde_json::to_value(form),
            InputRequest::Url(url) => serde_json::to_value(url),
            InputRequest::CreateMessage(ask) => serde_json::to_value(ask),
            InputRequest::ListRoots(ask) if ask.is_bare() => return None,
            InputRequest::ListRoots(ask) => serde_json::to_value(ask),
            InputRequest::Raw(raw) => return raw.params.as_ref().map(Cow::Borrowed),
        };
        Some(Cow::Owned(value.unwrap_or_default()))
    }

    /// What is asked for; nothing where a raw request has an unknown method or mode.
    pub fn kind(&self) -> Option<Kind> {
        let raw = match self {
            InputRequest::Form(_) => return Some(Kind::Form),
            InputRequest::Url(_) => return Some(Kind::Url),
            InputRequest::ListRoots(_) => return Some(Kind::ListRoots),
            InputRequest::CreateMessage(_) | InputRequest::Raw(_) => self.params(),
        };
        let member = |name: &str| raw.as_ref().and_then(|params| params.get(name));
        match self.method() {
            ELICIT => match member("mode") {
                None => Some(Kind::Form),
                Some(mode) if mode == "form" => Some(Kind::Form),
                Some(mode) if mode == "url" => Some(Kind::Url),
                Some(_) => None,
            },
            // req 10.2-4
            CREATE_MESSAGE => Some(Kind::CreateMessage {
                tools: member("tools").is_some() || member("toolChoice").is_some(),
                context: member("includeContext").is_some_and(|context| context != "none"),
            }),
            LIST_ROOTS => Some(Kind::ListRoots),
            _ => None,
        }
    }

    /// Whether the request keeps the rules of §10.1; the error is one plain phrase that says why not. A server sends no request
    /// that does not.
    pub fn validate(&self) -> Result<(), String> {
        let problem = match self {
            InputRequest::Form(form) => form.problem().map(str::to_owned),
            InputRequest::CreateMessage(ask) => ask.problem(),
            InputRequest::Url(_) | InputRequest::ListRoots(_) | InputRequest::Raw(_) => None,
        };
        match problem {
            Some(problem) => Err(problem),
            // What is judged is what goes out.
            None => validate::request(self.method(), self.params().as_deref()),
        }
    }
}

impl Serialize for InputRequest {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        let mut map = out.serialize_map(Some(2))?;
        map.serialize_entry("method", self.method())?; // req 10.1-4: neither jsonrpc nor an id
        match self {
            InputRequest::Form(form) => map.serialize_entry("params", form)?,
            InputRequest::Url(url) => map.serialize_entry("params", url)?,
            InputRequest::CreateMessage(ask) => map.serialize_entry("params", ask)?,
            InputRequest::ListRoots(ask) if ask.is_bare() => {}
            InputRequest::ListRoots(ask) => map.serialize_entry("params", ask)?,
            InputRequest::Raw(RawRequest { params: Some(params), .. }) => map.serialize_entry("params", params)?,
            InputRequest::Raw(RawRequest { params: None, .. }) => {}
        }
        map.end()
    }
}

/// An input request before its params are read. Raw, because a form's fields keep their order and a tool its schema text.
#[derive(Deserialize)]
struct Bare {
    method: String,
    #[serde(default)]
    params: Option<Box<RawValue>>,
}

impl<'de> Deserialize<'de> for InputRequest {
    /// Reads a peer's request. One that does not fit its type is kept raw: [`InputRequest::validate`] says what is wrong.
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<InputRequest, D::Error> {
        let Bare { method, params } = Bare::deserialize(source)?;
        if params.is_none() && method == LIST_ROOTS {
            return Ok(InputRequest::ListRoots(ListRoots::bare()));
        }
        let text = params.as_ref().map(|params| params.get());
        if let Some(typed) = text.and_then(|text| typed(&method, text)) {
            return Ok(typed);
        }
        let params = text.map(serde_json::from_str).transpose().map_err(serde::de::Error::custom)?;
        Ok(InputRequest::Raw(RawRequest { method, params }))
    }
}

/// The params in their type, where they fit it.
fn typed(method: &str, text: &str) -> Option<InputRequest> {
    match method {
        ELICIT => serde_json::from_str(text)
            .map(InputRequest::Url)
            .or_else(|_| serde_json::from_str(text).map(InputRequest::Form))
            .ok(),
        CREATE_MESSAGE => serde_json::from_str(text).map(InputRequest::CreateMessage).ok(),
        LIST_ROOTS => serde_json::from_str(text).map(InputRequest::ListRoots).ok(),
        _ => None,
    }
}

impl From<Form> for InputRequest {
    fn from(form: Form) -> InputRequest {
        InputRequest::Form(form)
    }
}

impl From<UrlRequest> for InputRequest {
    fn from(url: UrlRequest) -> InputRequest {
        InputRequest::Url(url)
    }
}

impl From<CreateMessage> for InputRequest {
    fn from(ask: CreateMessage) -> InputRequest {
        InputRequest::CreateMessage(Box::new(ask))
    }
}

impl From<ListRoots> for InputRequest {
    fn from(ask: ListRoots) -> InputRequest {
        InputRequest::ListRoots(ask)
    }
}
