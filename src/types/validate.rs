//! §10.1 Whether an input request may be sent.
//! Law: what is judged is the JSON that goes out, so that raw requests and built ones pass the same door.

use serde_json::{Map, Value};

use super::methods::{CREATE_MESSAGE, ELICIT, LIST_ROOTS};
use super::verdict::{Verdict, known, text};
use super::{uri, validate_form, validate_sampling};

/// Judges one request by its method and its params (§10.1).
pub(super) fn request(method: &str, params: Option<&Value>) -> Verdict {
    let params = match params {
        None if method == LIST_ROOTS => return Ok(()),
        None => return Err(format!("{method} needs params")),
        Some(params) => params.as_object().ok_or("params must be an object")?,
    };
    match method {
        ELICIT => elicit(params),
        CREATE_MESSAGE => validate_sampling::params(params),
        LIST_ROOTS => known(params, &["_meta"], "roots/list"), // req 10.1-9
        _ => Err(format!("{method} is not an input request")), // req 10.1-4
    }
}

fn elicit(params: &Map<String, Value>) -> Verdict {
    match params.get("mode").map(Value::as_str) {
        // req 10.1-5
        None | Some(Some("form")) => {
            known(params, &["_meta", "message", "mode", "requestedSchema"], "a form")?;
            text(params, "message")?;
            let schema = params.get("requestedSchema").and_then(Value::as_object);
            validate_form::schema(schema.ok_or("requestedSchema must be an object")?)
        }
        // req 10.1-7
        Some(Some("url")) => {
            known(params, &["_meta", "message", "mode", "url"], "a URL elicitation")?;
            text(params, "message")?;
            Ok(uri::web(text(params, "url")?)?)
        }
        Some(_) => Err(String::from("mode must be form or url")),
    }
}
