//! §10 What a server asks of its client, and who answers.
//! Law: what is declared is what there are handlers for; a server that asks for more gets no answer.
//! Law: an answer goes out only if its shape fits what was asked.

use std::sync::Arc;

use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::error::{Error, ServerError};
use crate::contained;
use crate::dialect::Spoken;
use crate::envelope::{Object, json_text};
use crate::errors::Code;
use crate::types::elicit::UrlRequest;
use crate::types::{
    Action, Ask, CreateMessage, CreateMessageResult, ElicitResult, Form, InputRequest, Kind, ListRootsResult, Root,
};

/// Why a handler gives no answer: any error, also a text by `into()`.
pub type Failure = Box<dyn std::error::Error + Send + Sync>;

type Handler<I, O> = Arc<dyn Fn(&I) -> Result<O, Failure> + Send + Sync>;
type RootsHandler = Arc<dyn Fn() -> Result<Vec<Root>, Failure> + Send + Sync>;

/// What an error to a server of the initialize era says: (code, text).
const REFUSED: (i64, &str) = (-1, "The request was refused on the client's side");
const NO_HANDLER: (i64, &str) = (Code::METHOD_NOT_FOUND.number(), "The client has no handler for this request");
const BAD_REQUEST: (i64, &str) = (Code::INVALID_PARAMS.number(), "The request does not fit its method");
const TOO_MANY: (i64, &str) = (Code::INTERNAL_ERROR.number(), "Too many requests at once");

/// Who answers.
#[derive(Default)]
pub(crate) struct Handlers {
    pub(crate) form: Option<Handler<Form, ElicitResult>>,
    pub(crate) url: Option<Handler<UrlRequest, Action>>,
    pub(crate) sample: Option<Handler<CreateMessage, CreateMessageResult>>,
    pub(crate) sample_tools: bool,
    pub(crate) roots: Option<RootsHandler>,
    pub(crate) extensions: Object,
    pub(crate) experimental: Object,
}

/// What goes wrong between a request and its answer.
enum Unanswered {
    NoHandler(String),
    Refused(String),
    BadRequest(String),
}

/// The error for a request of the server that came while too many were being answered.
pub(crate) fn too_many() -> ServerError {
    error(TOO_MANY)
}

fn error((code, text): (i64, &str)) -> ServerError {
    ServerError { code, message: text.to_owned(), data: None }
}

impl Handlers {
    /// What the client declares, in the form of a revision (§2, §10.2).
    pub(crate) fn capabilities(&self, spoken: &Spoken) -> Object {
        let mut declared = Object::new();
        let mut modes = Object::new();
        if self.form.is_some() {
            modes.insert("form".to_owned(), json!({}));
        }
        if self.url.is_some() && spoken.elicitation_modes {
            modes.insert("url".to_owned(), json!({}));
        }
        if !modes.is_empty() {
            let modes = if spoken.elicitation_modes { modes } else { Object::new() };
            declared.insert("elicitation".to_owned(), Value::Object(modes));
        }
        if self.sample.is_some() {
            let tools = self.sample_tools && spoken.elicitation_modes;
            declared.insert("sampling".to_owned(), if tools { json!({"tools": {}}) } else { json!({}) });
        }
        if self.roots.is_some() {
            declared.insert("roots".to_owned(), json!({}));
        }
        if !self.experimental.is_empty() {
            declared.insert("experimental".to_owned(), Value::Object(self.experimental.clone()));
        }
        if !self.extensions.is_empty() && spoken.stateless {
            declared.insert("extensions".to_owned(), Value::Object(self.extensions.clone()));
        }
        declared
    }

    /// The bare result for one thing that a server asks (§10.3).
    pub(crate) fn answer(&self, request: &InputRequest) -> Result<Value, Error> {
        self.ask(request).map_err(|unanswered| {
            let reason = match unanswered {
                Unanswered::BadRequest(problem) => {
                    return Error::protocol(format!("a request for input that breaks its rules: {problem}"));
                }
                Unanswered::NoHandler(reason) | Unanswered::Refused(reason) => reason,
            };
            Error::Input { method: request.method().to_owned(), reason }
        })
    }

    /// The answer to a request of a server of the initialize era.
    pub(crate) fn answer_request(&self, method: &str, params: Option<&RawValue>) -> Result<Value, ServerError> {
        if method == "ping" {
            return Ok(json!({}));
        }
        let params = params.map(|params| [r#","params":"#, params.get()].concat()).unwrap_or_default();
        let text = [r#"{"method":"#, &json_text(method), &params, "}"].concat();
        let request: InputRequest = serde_json::from_str(&text).map_err(|_| error(BAD_REQUEST))?;
        self.ask(&request).map_err(|unanswered| {
            let (row, what) = match unanswered {
                Unanswered::NoHandler(_) => return error(NO_HANDLER),
                Unanswered::Refused(reason) => (REFUSED, reason),
                Unanswered::BadRequest(problem) => (BAD_REQUEST, problem),
            };
            ServerError { data: Some(json!({ "reason": what })), ..error(row) }
        })
    }

    /// Whether there is a handler; else what for there is none.
    fn has(&self, kind: Kind) -> Result<(), &'static str> {
        let (there, what) = match kind {
            Kind::Form => (self.form.is_some(), "forms"),
            Kind::Url => (self.url.is_some(), "pages"),
            Kind::CreateMessage { tools: true, .. } => {
                (self.sample.is_some() && self.sample_tools, "sampling with tools")
            }
            Kind::CreateMessage { .. } => (self.sample.is_some(), "sampling"),
            Kind::ListRoots => (self.roots.is_some(), "roots"),
        };
        if there { Ok(()) } else { Err(what) }
    }

    fn ask(&self, request: &InputRequest) -> Result<Value, Unanswered> {
        let none = |what: &str| Unanswered::NoHandler(format!("the client has no handler for {what}"));
        let Some(kind) = request.kind() else { return Err(none(request.method())) };
        self.has(kind).map_err(none)?;
        request.validate().map_err(Unanswered::BadRequest)?;
        match (request, &self.form, &self.url, &self.sample, &self.roots) {
            (InputRequest::Form(form), Some(handler), ..) => checked(form, &answer_of(run(|| handler(form))?)),
            (InputRequest::Url(url), _, Some(handler), ..) => Ok(json!({ "action": run(|| handler(url))? })),
            (InputRequest::CreateMessage(ask), _, _, Some(handler), _) => {
                let answer = run(|| handler(ask))?;
                checked(&**ask, &serde_json::to_value(answer).unwrap_or_default())
            }
            (InputRequest::ListRoots(ask), .., Some(handler)) => {
                let roots = run(|| handler())?;
                checked(ask, &serde_json::to_value(ListRootsResult::new(roots)).unwrap_or_default())
            }
            _ => Err(Unanswered::BadRequest("params that are none of the method".to_owned())),
        }
    }
}

/// The answer to a form on the wire: what is accepted has content, be it empty.
fn answer_of(answer: ElicitResult) -> Value {
    let content = match answer.action {
        Action::Accept => Some(answer.content.unwrap_or_default()),
        Action::Decline | Action::Cancel => None,
    };
    let mut value = json!({ "action": answer.action });
    if let (Some(content), Some(members)) = (content, value.as_object_mut()) {
        members.insert("content".to_owned(), Value::Object(content));
    }
    value
}

/// The answer, if the one who asked would take it for one.
fn checked<A: Ask>(ask: &A, answer: &Value) -> Result<Value, Unanswered> {
    match ask.read(answer) {
        Some(_) => Ok(answer.clone()),
        None => Err(Unanswered::Refused("the handler's answer does not fit what was asked".to_owned())),
    }
}

/// Runs a handler, which may fail or panic.
fn run<T>(handler: impl FnOnce() -> Result<T, Failure>) -> Result<T, Unanswered> {
    match contained(handler) {
        Ok(Ok(answer)) => Ok(answer),
        Ok(Err(failure)) => Err(Unanswered::Refused(failure.to_string())),
        Err(panic) => Err(Unanswered::Refused(format!("the handler panicked: {panic}"))),
    }
}
