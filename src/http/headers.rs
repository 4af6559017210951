//! §13.4 §13.5 §13.6 The headers that mirror the body.
//! Law: a header is compared, never believed; the body is the request.
//! Law: whoever stands between client and server reads the same as we do: no header twice, no bytes that two readers may
//! understand in two ways.

use std::borrow::Cow;

use serde_json::Value;

use crate::arrival::RequestHead;
use crate::envelope::Object;
use crate::errors::{Fault, rules};
use crate::param_headers::{self, Malformed, Mirror};

rules! {
    // req 12-6: none of these has data
    // const       id        code    text                                          source
    HEADER_COUNT   "13.4-1"  -32020  "Missing or repeated required header: {}"     "streamable_http.ex:524-555";
    MIRROR         "13.5-1"  -32020  "{} does not match the request body"          "streamable_http.ex:456-461";
    MALFORMED      "13.6-1"  -32020  "{} is malformed"                             "streamable_http.ex:524-555";
}

/// The names, as they stand in messages.
const VERSION: &str = "mcp-protocol-version";
const METHOD: &str = "mcp-method";
const NAME: &str = "mcp-name";

/// §13.4: the one `MCP-Protocol-Version` of a message, if it has one.
pub(crate) fn version(head: &RequestHead) -> Result<Option<&str>, Fault> {
    if head.all(VERSION).next().is_none() {
        return Ok(None);
    }
    required(head, VERSION).and_then(|value| text(VERSION, value)).map(Some)
}

/// §13.4: there is none, and there must be one.
pub(crate) fn no_version() -> Fault {
    HEADER_COUNT.about(VERSION)
}

/// req 13.5-2: `Mcp-Method` says which method is called, letter by letter.
pub(crate) fn method(head: &RequestHead, method: &str) -> Result<(), Fault> {
    let value = required(head, METHOD)?;
    same(METHOD, text(METHOD, value)? == method)
}

/// req 13.5-6, C-3: on a notification `Mcp-Method` may be absent; present, it must match.
pub(crate) fn notification_method(head: &RequestHead, name: &str) -> Result<(), Fault> {
    if head.all(METHOD).next().is_none() { Ok(()) } else { method(head, name) }
}

/// §13.5: `Mcp-Name` says what is called or read: `in_body` is `params.name` or `params.uri`. Where the body has none, no header
/// agrees with it.
// req 13.5-3
pub(crate) fn name(head: &RequestHead, in_body: Option<&Value>) -> Result<(), Fault> {
    let value = required(head, NAME)?;
    let value = decoded(NAME, value)?; // req 13.5-5
    same(NAME, in_body.and_then(Value::as_str) == Some(&*value))
}

/// §13.6: each `Mcp-Param-*` header that the tool declares says what the argument says; others are ignored.
// req 13.6-9
pub(crate) fn params(head: &RequestHead, declared: &[Mirror], arguments: Option<&Value>) -> Result<(), Fault> {
    let none = Object::new();
    let arguments = arguments.and_then(Value::as_object).unwrap_or(&none);
    declared.iter().try_for_each(|param| one_param(head, param, param.argument(arguments)))
}

fn one_param(head: &RequestHead, param: &Mirror, argument: Option<&Value>) -> Result<(), Fault> {
    let header = param.header();
    let Some(argument) = argument else {
        return same(&header, head.all(&header).next().is_none()); // req 13.6-3, 13.6-8
    };
    if matches!(argument, Value::Array(_) | Value::Object(_)) && head.all(&header).next().is_none() {
        return Ok(()); // req 13.6-5: no header can say this, and the schema of the tool refuses it
    }
    let value = required(head, &header)?; // req 13.6-2
    let value = decoded(&header, value)?;
    let agrees = param_headers::agrees(&value, argument).map_err(|Malformed| MALFORMED.about(&header))?; // req 13.6-4
    same(&header, agrees)
}

fn required<'a>(head: &'a RequestHead, name: &str) -> Result<&'a [u8], Fault> {
    let mut values = head.all(name);
    match (values.next(), values.next()) {
        (Some(value), None) => Ok(value),
        _ => Err(HEADER_COUNT.about(name)),
    }
}

fn text<'a>(name: &str, value: &'a [u8]) -> Result<&'a str, Fault> {
    param_headers::plain(value).map_err(|Malformed| MALFORMED.about(name))
}

fn decoded<'a>(name: &str, value: &'a [u8]) -> Result<Cow<'a, str>, Fault> {
    param_headers::decode(value).map_err(|Malformed| MALFORMED.about(name))
}

fn same(name: &str, agrees: bool) -> Result<(), Fault> {
    if agrees { Ok(()) } else { Err(MIRROR.about(name)) }
}
