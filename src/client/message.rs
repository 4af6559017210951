//! §1 Messages as a client reads and writes them.
//! Law: strict where being wrong would hurt (both result and error, neither, a member twice); lenient where servers differ and nothing
//! is lost (an error with `id: null`, members that nobody knows).
//! Law: a result stays text until its type is known, so that integers, the order of members and unknown ones are not lost.

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::error::{Error, ServerError};
use crate::envelope::{Object, RequestId, json_text};
use crate::json::{self, Flaw};
use crate::meta::{PROGRESS_TOKEN_KEY, SUBSCRIPTION_ID};

/// The longest id or method that is read, in bytes.
const LONGEST_NAME: usize = 4096;

/// A message from the server.
#[derive(Debug)]
pub(crate) enum Incoming {
    /// The answer to a request of ours.
    Response(Reply),
    /// A request of the server (initialize era).
    Request { id: RequestId, method: String, params: Option<Box<RawValue>> },
    /// A notification.
    Notification { method: String, params: Object },
    /// What was meant as the answer to a request of ours, and is none.
    Broken { id: RequestId, error: Error },
}

/// A response.
#[derive(Debug)]
pub(crate) struct Reply {
    /// Whose answer it is; `None`: an error whose `id` is null or missing.
    pub(crate) id: Option<RequestId>,
    /// The result as text, or the error.
    pub(crate) outcome: Result<Box<RawValue>, ServerError>,
}

/// A message before its members are judged. serde refuses a member that stands twice.
#[derive(Deserialize)]
struct Members {
    jsonrpc: Option<Value>,
    #[serde(default, deserialize_with = "present")]
    id: Option<Value>,
    method: Option<String>,
    params: Option<Box<RawValue>>,
    #[serde(default, deserialize_with = "present")]
    result: Option<Box<RawValue>>,
    error: Option<WireError>,
}

/// What tells whose answer a message was meant to be.
#[derive(Deserialize)]
struct Named {
    id: Option<Value>,
    method: Option<Value>,
}

#[derive(Deserialize)]
struct WireError {
    code: serde_json::Number,
    message: String,
    #[serde(default, deserialize_with = "present")]
    data: Option<Value>,
}

/// A member that is there is `Some`, also where it is null.
fn present<'de, T: Deserialize<'de>, D: serde::Deserializer<'de>>(source: D) -> Result<Option<T>, D::Error> {
    T::deserialize(source).map(Some)
}

impl Incoming {
    /// Reads one message: JSON text in UTF-8, of at most `values` values. What is no message but names a request is
    /// [`Incoming::Broken`], so that who waits for that answer does not wait in vain.
    pub(crate) fn read(bytes: &[u8], values: usize) -> Result<Incoming, Error> {
        let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        Incoming::strictly(bytes, values).or_else(|error| match serde_json::from_slice::<Named>(bytes) {
            Ok(Named { id: Some(id), method: None }) => match RequestId::read(&id, LONGEST_NAME) {
                Some(id) => Ok(Incoming::Broken { id, error }),
                None => Err(error),
            },
            _ => Err(error),
        })
    }

    fn strictly(bytes: &[u8], values: usize) -> Result<Incoming, Error> {
        let members: Members = serde_json::from_slice(bytes)
            .map_err(|error| Error::protocol(format!("not a JSON-RPC message: {error}")))?;
        if members.jsonrpc.as_ref().and_then(Value::as_str) != Some("2.0") {
            return Err(Error::protocol("a message without \"jsonrpc\": \"2.0\""));
        }
        match members {
            Members { method: Some(method), params, id, result: None, error: None, .. }
                if method.len() <= LONGEST_NAME =>
            {
                Incoming::call(id, method, params, values)
            }
            Members { method: None, id, result, error, .. } => Incoming::response(id, result, error),
            _ => Err(Error::protocol("a message that is both a request and a response")),
        }
    }

    fn call(
        id: Option<Value>,
        method: String,
        params: Option<Box<RawValue>>,
        values: usize,
    ) -> Result<Incoming, Error> {
        if let Some(id) = id {
            let id =
                RequestId::read(&id, LONGEST_NAME).ok_or_else(|| Error::protocol("a request whose id is no id"))?;
            return Ok(Incoming::Request { id, method, params });
        }
        let params = match params.map(|params| value(params.get(), values)).transpose()? {
            None => Object::new(),
            Some(Value::Object(params)) => params,
            Some(_) => return Err(Error::protocol("a notification whose params are no object")),
        };
        Ok(Incoming::Notification { method, params })
    }

    fn response(id: Option<Value>, result: Option<Box<RawValue>>, error: Option<WireError>) -> Result<Incoming, Error> {
        let id = match id {
            None | Some(Value::Null) => None,
            Some(id) => Some(
                RequestId::read(&id, LONGEST_NAME).ok_or_else(|| Error::protocol("a response whose id is no id"))?,
            ),
        };
        let outcome = match (result, error) {
            (Some(_), Some(_)) => return Err(Error::protocol("a response with both a result and an error")),
            (None, None) => return Err(Error::protocol("a response with neither a result nor an error")),
            (Some(_), None) if id.is_none() => return Err(Error::protocol("a result without an id")),
            (Some(result), None) => Ok(result),
            (None, Some(error)) => Err(error.read()?),
        };
        Ok(Incoming::Response(Reply { id, outcome }))
    }

    /// The call of ours that a notification belongs to: by its progress token, which is the id of the request, or by its subscription.
    pub(crate) fn belongs_to(params: &Object) -> Option<RequestId> {
        let subscription = params.get("_meta").and_then(|meta| meta.get(SUBSCRIPTION_ID));
        let owner = subscription.or_else(|| params.get(PROGRESS_TOKEN_KEY))?;
        RequestId::read(owner, LONGEST_NAME)
    }
}

impl WireError {
    fn read(self) -> Result<ServerError, Error> {
        // an integer, also one that was written as a float
        let whole = |number: f64| crate::envelope::whole(number);
        let code = self.code.as_i64().or_else(|| self.code.as_f64().and_then(whole));
        let code = code.ok_or_else(|| Error::protocol("an error whose code is no integer"))?;
        Ok(ServerError { code, message: self.message, data: self.data })
    }
}

/// Reads a value, strictly: no member twice, no name that JSON readers here keep for themselves, no more values than allowed.
pub(crate) fn value(text: &str, values: usize) -> Result<Value, Error> {
    let document = json::read(text.as_bytes(), values).map_err(|flaw| match flaw {
        Flaw::NotJson => Error::protocol("a value that is no JSON, or lies too deep"),
        Flaw::TooManyValues => Error::TooLarge { what: "the number of values in a message", limit: values },
    })?;
    if document.ambiguous {
        Err(Error::protocol("an object with a member that stands twice"))
    } else {
        Ok(document.value)
    }
}

/// A message to the server, as JSON text on one line, and what a transport has to know of it.
#[derive(Clone, Debug)]
pub(crate) struct Outgoing {
    /// The id of a request; `None`: nothing answers this message.
    pub(crate) id: Option<RequestId>,
    /// The method; `None` for a response.
    pub(crate) method: Option<String>,
    /// The message.
    pub(crate) text: String,
    /// Header fields, for a transport that has them: names in lower case and values.
    pub(crate) fields: Vec<(String, String)>,
    /// Whether sending it twice does no harm.
    pub(crate) repeatable: bool,
    /// Whether a stream that breaks may be taken up again with `Last-Event-ID` (initialize era).
    pub(crate) resumable: bool,
}

impl Outgoing {
    /// A request.
    pub(crate) fn request(id: RequestId, method: &str, params: Object) -> Outgoing {
        let text = [
            r#"{"jsonrpc":"2.0","id":"#,
            &json_text(&id),
            r#","method":"#,
            &json_text(method),
            r#","params":"#,
            &json_text(&params),
            "}",
        ]
        .concat();
        Outgoing {
            id: Some(id),
            method: Some(method.to_owned()),
            text,
            fields: Vec::new(),
            repeatable: false,
            resumable: false,
        }
    }

    /// A notification.
    pub(crate) fn notification(method: &str, params: Object) -> Outgoing {
        let text = crate::envelope::Notification { method: method.to_owned(), params }.to_json();
        Outgoing {
            id: None,
            method: Some(method.to_owned()),
            text,
            fields: Vec::new(),
            repeatable: false,
            resumable: false,
        }
    }

    /// The answer to a request of the server.
    pub(crate) fn response(id: &RequestId, answer: &Result<Value, ServerError>) -> Outgoing {
        let answer = match answer {
            Ok(result) => [r#","result":"#, &json_text(result)].concat(),
            Err(error) => {
                let mut members = Object::new();
                members.insert("code".to_owned(), error.code.into());
                members.insert("message".to_owned(), error.message.as_str().into());
                members.extend(error.data.clone().map(|data| ("data".to_owned(), data)));
                [r#","error":"#, &json_text(&members)].concat()
            }
        };
        let text = [r#"{"jsonrpc":"2.0","id":"#, &json_text(id), &answer, "}"].concat();
        Outgoing { id: None, method: None, text, fields: Vec::new(), repeatable: false, resumable: false }
    }
}
