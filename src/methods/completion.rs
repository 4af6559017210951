//! §5.6 completion/complete.
//! Law: the checks stand in the order of the reference: the reference, the argument, the context, then the lookup.
//! Law: at most 100 values go out, and `total` is never less than their number.

use serde_json::{Value, json};

use crate::envelope::Object;
use crate::errors::{Fault, rules};
use crate::handler::catalog::{Catalog, Complete};
use crate::handler::context::Context;
use crate::handler::{Completion, Interrupt};
use crate::methods::non_empty;
use crate::methods::prompts::strings;
use crate::results::Reply;

rules! {
    // const           id       code    text                                                           source
    REF_TYPE           "5.6-1"  -32602  "Completion reference type is not supported"                   "completion.ex:60-125";
    REF                "5.6-2"  -32602  "Completion requires a prompt or resource-template reference"  "completion.ex:60-125";
    ARGUMENT           "5.6-3"  -32602  "Completion argument requires string name and value"           "completion.ex:60-125";
    CONTEXT            "5.6-4"  -32602  "Completion context must be an object"                         "completion.ex:60-125";
    CONTEXT_ARGUMENTS  "5.6-5"  -32602  "Completion context arguments must map strings to strings"     "completion.ex:60-125";
    UNKNOWN_PROMPT     "5.6-6"  -32602  "Unknown completion prompt: {}"                                "router.ex:556-602";
    UNKNOWN_TEMPLATE   "5.6-7"  -32602  "Unknown completion resource template"                         "router.ex:556-602";
    NOT_OFFERED        "5.6-8"  -32602  "Argument does not support completion"                         "router.ex:556-602";
}

/// What is to be completed.
enum Target<'a> {
    Prompt(&'a str),
    Template(&'a str),
}

pub(crate) fn complete(params: &Object, cx: &Context<'_>, catalog: &Catalog) -> Result<Reply, Interrupt> {
    let target = target(params.get("ref"))?;
    let (argument, value) = argument(params.get("argument"))?;
    context(params.get("context"))?; // what it holds is read by `Context::resolved`
    let completer = completer(catalog, &target, argument)?;
    let completion = completer(value, cx)?;
    Ok(Reply::new().member("completion", &wire(completion, cx.shared.limits.completion_values)))
}

fn target(reference: Option<&Value>) -> Result<Target<'_>, Fault> {
    let Some(Value::Object(reference)) = reference else { return Err(REF.fault()) };
    let text = |member| non_empty(reference, member, &REF);
    match reference.get("type") {
        Some(Value::String(kind)) if kind == "ref/prompt" => text("name").map(Target::Prompt),
        Some(Value::String(kind)) if kind == "ref/resource" => text("uri").map(Target::Template),
        Some(Value::String(_)) => Err(REF_TYPE.fault()),
        _ => Err(REF.fault()),
    }
}

fn argument(argument: Option<&Value>) -> Result<(&str, &str), Fault> {
    let Some(Value::Object(argument)) = argument else { return Err(ARGUMENT.fault()) };
    let value = argument.get("value").and_then(Value::as_str).ok_or_else(|| ARGUMENT.fault())?;
    Ok((non_empty(argument, "name", &ARGUMENT)?, value))
}

/// The arguments that the user has filled in already: only their shape is looked at here.
fn context(context: Option<&Value>) -> Result<(), Fault> {
    let Some(context) = context else { return Ok(()) };
    let Value::Object(context) = context else { return Err(CONTEXT.fault()) };
    let fits = context.get("arguments").is_none_or(|arguments| strings(arguments).is_some());
    if fits { Ok(()) } else { Err(CONTEXT_ARGUMENTS.fault()) }
}

fn completer<'a>(catalog: &'a Catalog, target: &Target<'_>, argument: &str) -> Result<&'a Complete, Fault> {
    let completers = match target {
        Target::Prompt(name) => &catalog.prompts.get(*name).ok_or_else(|| UNKNOWN_PROMPT.about(name))?.completers,
        Target::Template(uri) => {
            // the schema names a template; the prose also lets a URI stand that a template serves
            let entry = catalog.templates.get(*uri).or_else(|| catalog.template(uri).map(|(entry, _)| entry));
            &entry.ok_or_else(|| UNKNOWN_TEMPLATE.fault().data(json!({"uri": uri})))?.completers
        }
    };
    completers.get(argument).ok_or_else(|| NOT_OFFERED.fault())
}

/// req 5.6-9 5.6-10: `completion` as it goes out, cut to the bound, and then with `total` and `hasMore` that say so.
fn wire(completion: Completion, limit: usize) -> Value {
    let Completion { mut values, total, has_more } = completion;
    let given = values.len();
    values.truncate(limit);
    let cut = given > values.len();
    let given = u64::try_from(given).unwrap_or(u64::MAX);
    let total = if cut { Some(total.unwrap_or(given)) } else { total }.map(|total| total.max(given));
    let has_more = if cut { Some(true) } else { has_more };

    let mut out = Object::new();
    out.insert("values".to_owned(), json!(values));
    if let Some(total) = total {
        out.insert("total".to_owned(), json!(total));
    }
    if let Some(more) = has_more {
        out.insert("hasMore".to_owned(), json!(more));
    }
    Value::Object(out)
}
