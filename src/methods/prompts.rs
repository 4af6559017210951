//! §5.5 prompts/get.
//! Law: arguments map strings to strings; all required ones that are missing are named at once.

use serde_json::{Value, json};

use crate::envelope::Object;
use crate::errors::{Fault, rules};
use crate::handler::catalog::Catalog;
use crate::handler::context::Context;
use crate::handler::{Interrupt, PromptArguments};
use crate::methods::non_empty;
use crate::results::Reply;

rules! {
    // const   id       code    text                                                 source
    NAME       "5.5-1"  -32602  "prompts/get requires a non-empty string name"       "v26:923-963";
    ARGUMENTS  "5.5-2"  -32602  "prompts/get arguments must map strings to strings"  "v26:923-963";
    UNKNOWN    "5.5-3"  -32602  "Unknown prompt: {}"                                 "router.ex:550";
    MISSING    "5.5-4"  -32602  "Missing required prompt arguments"                  "router.ex:887";
}

pub(crate) fn get(params: &Object, cx: &Context<'_>, catalog: &Catalog) -> Result<Reply, Interrupt> {
    let name = non_empty(params, "name", &NAME)?;
    let arguments = arguments(params)?;
    let entry = catalog.prompts.get(name).ok_or_else(|| UNKNOWN.about(name))?;
    let required = entry.prompt.arguments.iter().filter(|argument| argument.required == Some(true));
    let missing: Vec<&str> =
        required.map(|each| each.name.as_str()).filter(|name| !arguments.contains_key(*name)).collect();
    if !missing.is_empty() {
        return Err(MISSING.fault().data(json!({"missing": missing})).into());
    }
    let output = (entry.get)(&arguments, cx)?;
    // req 5.5-6 7-5
    Ok(Reply::new()
        .optional("description", output.description.as_ref())
        .member("messages", &output.messages)
        .meta(output.meta))
}

fn arguments(params: &Object) -> Result<PromptArguments, Fault> {
    match params.get("arguments") {
        None => Ok(PromptArguments::new()),
        Some(arguments) => strings(arguments).ok_or_else(|| ARGUMENTS.fault()),
    }
}

/// An object of strings.
pub(crate) fn strings(value: &Value) -> Option<PromptArguments> {
    value.as_object()?.iter().map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned()))).collect()
}
