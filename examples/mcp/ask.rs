//! What the server asks the person who runs this.
//! Law: nothing is sent that this person has not seen and agreed to, or given on the command line.

use std::io::{self, BufRead, Write};

use plain_mcp::client::Failure;
use plain_mcp::types::elicit::UrlRequest;
use plain_mcp::types::{Action, ElicitResult, FieldKind, FieldSchema, Form};
use serde_json::{Map, Value, json};

use crate::options::Answers;
use crate::show::{clean, tell};

/// The answer to a form.
///
/// # Errors
/// What was given on the command line does not fit the form.
pub(crate) fn form(form: &Form, answers: &Answers) -> Result<ElicitResult, Failure> {
    if answers.decline {
        return Ok(ElicitResult::decline());
    }
    if !answers.given.is_empty() {
        return Ok(ElicitResult::accept(Some(given(form, &answers.given)?)));
    }
    Ok(asked(form, &mut io::stdin().lock(), &mut io::stderr())?)
}

/// The answer to being sent to a page. Whether to go there is for the person to say, so that nobody means no.
///
/// # Errors
/// The person cannot be asked.
pub(crate) fn page(page: &UrlRequest, answers: &Answers) -> Result<Action, Failure> {
    if answers.decline || !answers.given.is_empty() {
        return Ok(Action::Decline);
    }
    tell(&format!("The server sends you to a page: {}\n{}", page.message, page.url));
    Ok(agreed("Will you go there?", &mut io::stdin().lock(), &mut io::stderr())?)
}

/// What was given, and what the form shows of itself in the other fields.
fn given(form: &Form, given: &[(String, String)]) -> Result<Map<String, Value>, String> {
    let mut content = form.defaults();
    for (name, field) in &form.requested_schema.properties.0 {
        if let Some((_, text)) = given.iter().rfind(|(given, _)| given == name) {
            content.insert(name.clone(), typed(field, text).map_err(|why| format!("{name}: {why}"))?);
        }
    }
    match form.requested_schema.required.iter().find(|name| !content.contains_key(*name)) {
        Some(name) => Err(format!("--answer {name}=… is missing: {}", form.message)),
        None => Ok(content),
    }
}

/// Asks field by field.
pub(crate) fn asked(form: &Form, input: &mut impl BufRead, out: &mut impl Write) -> io::Result<ElicitResult> {
    writeln!(out, "The server asks: {}", clean(&form.message))?;
    let mut content = Map::new();
    for (name, field) in &form.requested_schema.properties.0 {
        let required = form.requested_schema.required.contains(name);
        loop {
            write!(out, "  {}: ", clean(&question(name, field, required)))?;
            let Some(line) = line(input, out)? else { return Ok(ElicitResult::cancel()) };
            let answer = match (line.as_str(), &field.default) {
                ("", Some(default)) => Ok(default.clone()),
                ("", None) if !required => break,
                (line, _) => typed(field, line),
            };
            match answer {
                Ok(value) => {
                    content.insert(name.clone(), value);
                    break;
                }
                Err(why) => writeln!(out, "  {}", clean(&why))?,
            }
        }
    }
    Ok(match agreed("Send this?", input, out)? {
        Action::Accept => ElicitResult::accept(Some(content)),
        Action::Decline => ElicitResult::decline(),
        Action::Cancel => ElicitResult::cancel(),
    })
}

/// Yes, no, or the end of the input.
fn agreed(question: &str, input: &mut impl BufRead, out: &mut impl Write) -> io::Result<Action> {
    write!(out, "{question} [y/n] ")?;
    Ok(match line(input, out)?.as_deref() {
        Some("y" | "Y" | "yes") => Action::Accept,
        Some(_) => Action::Decline,
        None => Action::Cancel,
    })
}

fn line(input: &mut impl BufRead, out: &mut impl Write) -> io::Result<Option<String>> {
    out.flush()?;
    let mut line = String::new();
    let read = input.read_line(&mut line)?;
    Ok((read > 0).then(|| line.trim().to_owned()))
}

/// The field's name, and what may be answered.
fn question(name: &str, field: &FieldSchema, required: bool) -> String {
    let kind = match field.kind {
        FieldKind::String => "text",
        FieldKind::Number => "number",
        FieldKind::Integer => "whole number",
        FieldKind::Boolean => "yes or no",
        FieldKind::Array => "any, with commas between",
    };
    let mut notes = vec![kind.to_owned()];
    let choices = choices(field);
    if !choices.is_empty() {
        notes.push(format!("one of {}", choices.join(", ")));
    }
    match &field.default {
        Some(default) => notes.push(format!("else {default}")),
        None if !required => notes.push("may be empty".to_owned()),
        None => {}
    }
    let title = field.title.as_deref().or(field.description.as_deref()).unwrap_or(name);
    format!("{title} ({})", notes.join("; "))
}

fn choices(field: &FieldSchema) -> Vec<&str> {
    let items = field.items.as_ref();
    let plain = field.choices.iter().chain(items.and_then(|items| items.choices.as_ref()));
    let titled = field.one_of.iter().chain(items.and_then(|items| items.any_of.as_ref()));
    let plain = plain.flatten().map(String::as_str);
    plain.chain(titled.flatten().map(|choice| choice.value.as_str())).collect()
}

/// The value that a text stands for in a field.
fn typed(field: &FieldSchema, text: &str) -> Result<Value, String> {
    let value = match field.kind {
        FieldKind::String => Some(json!(text)),
        FieldKind::Number | FieldKind::Integer => serde_json::from_str(text).ok().filter(Value::is_number),
        FieldKind::Boolean => match text {
            "y" | "yes" | "true" => Some(json!(true)),
            "n" | "no" | "false" => Some(json!(false)),
            _ => None,
        },
        FieldKind::Array => Some(text.split(',').map(str::trim).filter(|part| !part.is_empty()).collect()),
    };
    value.filter(|value| field.accepts(value)).ok_or_else(|| format!("{text:?} does not fit"))
}
