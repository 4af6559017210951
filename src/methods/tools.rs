//! §5.2 tools/call.
//! Law: arguments that do not fit the input schema are a result with `isError: true`, which the model can read and mend.
//! Law: a result that does not fit the tool's own output schema is never sent.

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::envelope::{Object, whole};
use crate::errors::{INTERNAL, rules};
use crate::handler::catalog::{Catalog, ToolEntry};
use crate::handler::context::Context;
use crate::handler::{Interrupt, ToolOutput};
use crate::methods::non_empty;
use crate::results::Reply;

rules! {
    // const   id       code    text                                           source
    NAME       "5.2-1"  -32602  "tools/call requires a non-empty string name"  "v26:916-921";
    ARGUMENTS  "5.2-2"  -32602  "tools/call arguments must be an object"       "ours";
    UNKNOWN    "5.2-3"  -32602  "Unknown tool: {}"                             "router.ex:549";
}

pub(crate) fn call(params: &Object, cx: &Context<'_>, catalog: &Catalog) -> Result<Reply, Interrupt> {
    let name = non_empty(params, "name", &NAME)?;
    let none = Value::Object(Object::new());
    let arguments = match params.get("arguments") {
        None => &none, // req 5.2-4
        Some(arguments @ Value::Object(_)) => arguments,
        Some(_) => return Err(ARGUMENTS.fault().into()),
    };
    let entry = catalog.tools.get(name).ok_or_else(|| UNKNOWN.about(name))?;
    let output = match run(entry, arguments, cx) {
        Err(Interrupt::Failed(reason)) => ToolOutput::error(reason),
        output => output?,
    };
    if let Err(cause) = conforms(entry, &output) {
        cx.shared.cause(cx.method, &cause);
        return Err(INTERNAL.fault().into());
    }
    // req 5.2-10 7-5
    let reply =
        Reply::new().member("content", &output.content).optional("structuredContent", output.structured.as_ref());
    Ok(reply.member("isError", &output.is_error).failed(output.is_error).meta(output.meta))
}

fn run(entry: &ToolEntry, arguments: &Value, cx: &Context<'_>) -> Result<ToolOutput, Interrupt> {
    // req 5.2-5: what is invalid becomes a result with `isError`
    match entry.input.check(arguments) {
        Ok(()) => (entry.run)(arguments, cx),
        Err(violation) => Err(invalid(&violation)),
    }
}

/// req 5.2-6: reads checked arguments as the type that the handler takes.
pub(crate) fn read_arguments<A: DeserializeOwned>(arguments: &Value) -> Result<A, Interrupt> {
    A::deserialize(arguments).or_else(|error| {
        // to JSON Schema 3.0 is an integer, to serde it is not: where that is in the way, it is read as 3
        let whole = with_whole_numbers(arguments);
        whole.and_then(|whole| A::deserialize(&whole).ok()).ok_or_else(|| invalid(&error))
    })
}

/// The value with each number like `3.0` written as `3`; `None` where there is none.
fn with_whole_numbers(value: &Value) -> Option<Value> {
    match value {
        Value::Number(number) => number.as_f64().filter(|_| number.is_f64()).and_then(whole).map(Value::from),
        Value::Array(items) => {
            let changed: Vec<_> = items.iter().map(with_whole_numbers).collect();
            let any = changed.iter().any(Option::is_some);
            any.then(|| changed.into_iter().zip(items).map(|(new, old)| new.unwrap_or_else(|| old.clone())).collect())
        }
        Value::Object(members) => {
            let changed: Vec<_> = members.values().map(with_whole_numbers).collect();
            let any = changed.iter().any(Option::is_some);
            let merge = |(new, (name, old)): (Option<Value>, (&String, &Value))| {
                (name.clone(), new.unwrap_or_else(|| old.clone()))
            };
            any.then(|| Value::Object(changed.into_iter().zip(members).map(merge).collect()))
        }
        Value::Null | Value::Bool(_) | Value::String(_) => None,
    }
}

/// What is said of arguments that do not fit: the place and the fault.
fn invalid(fault: &dyn std::fmt::Display) -> Interrupt {
    Interrupt::failed(format_args!("Invalid arguments: {fault}"))
}

/// req 5.2-11: a failed tool owes no structured content.
fn conforms(entry: &ToolEntry, output: &ToolOutput) -> Result<(), String> {
    let Some(schema) = entry.output.as_ref().filter(|_| !output.is_error) else { return Ok(()) };
    let Some(value) = &output.structured else {
        return Err("the tool has an output schema and gave no structured content".to_owned());
    };
    schema.check(value).map_err(|violation| violation.to_string())
}
