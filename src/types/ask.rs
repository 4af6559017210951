//! §10 Questions and the reading of their answers.
//! Law: an answer of the wrong shape is no answer, so that the question is asked again; it is never an error.

use serde::Deserialize;
use serde_json::Value;

use super::answer::{Action, ElicitResult, FormAnswer};
use super::elicit::{Form, UrlRequest};
use super::input::{InputRequest, Kind};
use super::roots::{ListRoots, ListRootsResult};
use super::sampling::{CreateMessage, CreateMessageResult};

/// Something a handler asks of the client, and how its answer is read (§10).
pub trait Ask {
    /// What a well-formed answer is read into.
    type Answer;

    /// The request as it goes out.
    fn request(&self) -> InputRequest;

    /// Reads the client's bare result; nothing where its shape is wrong, so that it is asked again.
    // req 10.3-6
    fn read(&self, result: &Value) -> Option<Self::Answer>;
}

impl Ask for Form {
    type Answer = FormAnswer;

    fn request(&self) -> InputRequest {
        InputRequest::Form(self.clone())
    }

    /// An accepted answer must also fit the form's schema: types, required fields, choices and bounds. Formats are hints.
    // req 10.3-6
    fn read(&self, result: &Value) -> Option<FormAnswer> {
        let answer = FormAnswer::new(ElicitResult::read(result)?);
        (!answer.accepted() || self.requested_schema.accepts(answer.content())).then_some(answer)
    }
}

impl Ask for UrlRequest {
    type Answer = Action;

    fn request(&self) -> InputRequest {
        InputRequest::Url(self.clone())
    }

    fn read(&self, result: &Value) -> Option<Action> {
        ElicitResult::read(result).map(|answer| answer.action)
    }
}

impl Ask for CreateMessage {
    type Answer = CreateMessageResult;

    fn request(&self) -> InputRequest {
        InputRequest::CreateMessage(Box::new(self.clone()))
    }

    fn read(&self, result: &Value) -> Option<CreateMessageResult> {
        CreateMessageResult::read(result)
    }
}

impl Ask for ListRoots {
    type Answer = ListRootsResult;

    fn request(&self) -> InputRequest {
        InputRequest::ListRoots(self.clone())
    }

    fn read(&self, result: &Value) -> Option<ListRootsResult> {
        ListRootsResult::read(result)
    }
}

impl Ask for InputRequest {
    /// The bare result, once its shape fits what was asked.
    type Answer = Value;

    fn request(&self) -> InputRequest {
        self.clone()
    }

    fn read(&self, result: &Value) -> Option<Value> {
        let fits = match self.kind()? {
            Kind::Form => self.form()?.read(result).is_some(),
            Kind::Url => ElicitResult::read(result).is_some(),
            Kind::CreateMessage { .. } => CreateMessageResult::read(result).is_some(),
            Kind::ListRoots => ListRootsResult::read(result).is_some(),
        };
        fits.then(|| result.clone())
    }
}

impl InputRequest {
    /// The form, also that of a raw request.
    fn form(&self) -> Option<Form> {
        match self {
            InputRequest::Form(form) => Some(form.clone()),
            InputRequest::Raw(raw) => Form::deserialize(raw.params.as_ref()?).ok(),
            _ => None,
        }
    }
}
