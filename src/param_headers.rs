//! §13.6 Mcp-Param headers: the `x-mcp-header` annotation, and how a value travels in a header.
//! Law: an annotation is judged once, when a tool is registered (server) or listed (client).
//! Law: encoding and decoding stand side by side; the `Mcp-Name` header of §13.5 uses them too.

use std::borrow::Cow;
use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use crate::envelope::Object;

/// The keyword of the annotation.
const KEYWORD: &str = "x-mcp-header";
const PREFIX: &str = "=?base64?";
const SUFFIX: &str = "?=";
/// The greatest integer that every JSON reader keeps exactly: 2^53 - 1.
const SAFE: i64 = 9_007_199_254_740_991;

/// One annotated property of a tool's input schema: the header `Mcp-Param-<name>` mirrors the argument at `path`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mirror {
    name: String,
    path: Vec<String>,
}

/// Why an annotation makes its tool unusable over HTTP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The value of the annotation is not a string.
    NotText,
    /// The name is empty.
    Empty,
    /// The name is not an RFC 9110 token.
    NotToken,
    /// The property's `type` is none of `string`, `integer` and `boolean`, or a list of types.
    NotPrimitive,
    /// Another property has the same name, without regard to case.
    Repeated,
    /// The annotation is not on a property that `properties` alone lead to.
    OutOfReach,
}

/// An annotation that breaks a rule of §13.6.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadAnnotation {
    /// Where it stands, as a JSON pointer into the schema.
    pub at: String,
    /// What is wrong.
    pub reason: Reason,
}

impl fmt::Display for BadAnnotation {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let reason = match self.reason {
            Reason::NotText => "must be a string",
            Reason::Empty => "must not be empty",
            Reason::NotToken => "must be a header token",
            Reason::NotPrimitive => "needs a property of type string, integer or boolean",
            Reason::Repeated => "is used twice",
            Reason::OutOfReach => "must be on a property that `properties` alone lead to",
        };
        write!(out, "{KEYWORD} at {}/{KEYWORD} {reason}", self.at)
    }
}

impl std::error::Error for BadAnnotation {}

impl Mirror {
    /// The whole header name, in lower case: `mcp-param-region`.
    pub fn header(&self) -> String {
        ["mcp-param-", &self.name.to_ascii_lowercase()].concat()
    }

    /// The names of the properties that lead from the arguments to the value.
    pub fn path(&self) -> &[String] {
        &self.path
    }

    /// The argument that is mirrored; `None` where it is absent or `null`, for which no header is sent.
    // req 13.6-8, 13.6-11
    pub fn argument<'a>(&self, arguments: &'a Object) -> Option<&'a Value> {
        let (last, parents) = self.path.split_last()?;
        let mut object = arguments;
        for name in parents {
            object = object.get(name)?.as_object()?;
        }
        object.get(last).filter(|value| !value.is_null())
    }
}

/// Reads all annotations of an input schema. Any bad one makes the tool unusable over HTTP, so the first is reported.
// req 13.6-10
pub fn annotations(schema: &Value) -> Result<Vec<Mirror>, BadAnnotation> {
    let mut walk = Walk { found: Vec::new(), path: Vec::new(), at: String::new() };
    walk.schema(schema, Place::Root)?;
    Ok(walk.found)
}

/// Where a subschema stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Root,
    /// Reached through `properties` alone.
    Property,
    /// Behind any other keyword, whence no header can be read.
    Elsewhere,
}

/// Keywords whose value is a schema, or a list of schemas.
const SCHEMAS: [&str; 16] = [
    "additionalItems",
    "additionalProperties",
    "allOf",
    "anyOf",
    "contains",
    "contentSchema",
    "else",
    "if",
    "items",
    "not",
    "oneOf",
    "prefixItems",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
];

/// Keywords whose value maps names to schemas.
const MAPS: [&str; 5] = ["$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties"];

/// The walk over a schema. It follows the keywords, so that a property named `x-mcp-header`, or such a member inside `const`,
/// `enum`, `default` or `examples`, is no annotation.
struct Walk {
    found: Vec<Mirror>,
    path: Vec<String>,
    at: String,
}

impl Walk {
    fn schema(&mut self, schema: &Value, place: Place) -> Result<(), BadAnnotation> {
        let Value::Object(schema) = schema else { return Ok(()) };
        if let Some(name) = schema.get(KEYWORD) {
            self.annotation(name, schema, place)?;
        }
        for (keyword, value) in schema {
            match (keyword.as_str(), value) {
                ("properties", Value::Object(properties)) => self.properties(properties, place)?,
                (map, Value::Object(members)) if MAPS.contains(&map) => {
                    for (name, member) in members {
                        self.below(&[map, name], member)?;
                    }
                }
                (list, Value::Array(members)) if SCHEMAS.contains(&list) => {
                    for (index, member) in members.iter().enumerate() {
                        self.below(&[list, &index.to_string()], member)?;
                    }
                }
                (one, value) if SCHEMAS.contains(&one) => self.below(&[one], value)?,
                _ => {}
            }
        }
        Ok(())
    }

    fn properties(&mut self, properties: &Object, place: Place) -> Result<(), BadAnnotation> {
        let inner = if place == Place::Elsewhere { Place::Elsewhere } else { Place::Property };
        for (name, property) in properties {
            self.path.push(name.clone());
            let step = self.enter(&["properties", name]);
            self.schema(property, inner)?;
            self.at.truncate(step);
            self.path.pop();
        }
        Ok(())
    }

    fn below(&mut self, steps: &[&str], schema: &Value) -> Result<(), BadAnnotation> {
        let step = self.enter(steps);
        self.schema(schema, Place::Elsewhere)?;
        self.at.truncate(step);
        Ok(())
    }

    fn enter(&mut self, steps: &[&str]) -> usize {
        let length = self.at.len();
        for step in steps {
            self.at.push('/');
            self.at.push_str(&step.replace('~', "~0").replace('/', "~1"));
        }
        length
    }

    fn annotation(&mut self, name: &Value, schema: &Object, place: Place) -> Result<(), BadAnnotation> {
        let bad = |reason| BadAnnotation { at: self.at.clone(), reason };
        let name = name.as_str().ok_or_else(|| bad(Reason::NotText))?;
        if name.is_empty() {
            return Err(bad(Reason::Empty));
        }
        if !is_token(name) {
            return Err(bad(Reason::NotToken));
        }
        if place != Place::Property {
            return Err(bad(Reason::OutOfReach));
        }
        if !matches!(schema.get("type").and_then(Value::as_str), Some("string" | "integer" | "boolean")) {
            return Err(bad(Reason::NotPrimitive));
        }
        if self.found.iter().any(|other| other.name.eq_ignore_ascii_case(name)) {
            return Err(bad(Reason::Repeated));
        }
        self.found.push(Mirror { name: name.to_owned(), path: self.path.clone() });
        Ok(())
    }
}

/// An RFC 9110 token.
pub(crate) fn is_token(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
}

/// The header value for a text: as it is, or wrapped in base64 where it could not travel as it is or would be read as a wrapper.
pub fn encode(text: &str) -> Cow<'_, str> {
    let plain = text.bytes().all(|byte| matches!(byte, b' '..=b'~'))
        && !text.starts_with(' ')
        && !text.ends_with(' ')
        && wrapped(text).is_none();
    if plain { Cow::Borrowed(text) } else { Cow::Owned([PREFIX, &STANDARD.encode(text), SUFFIX].concat()) }
}

/// The header value for an argument: `None` where none is sent (absent values, `null`, and what has no header form).
pub fn encode_argument(value: &Value) -> Option<Cow<'_, str>> {
    match value {
        Value::String(text) => Some(encode(text)),
        Value::Bool(flag) => Some(Cow::Borrowed(if *flag { "true" } else { "false" })),
        Value::Number(_) => safe_integer(value).map(|number| Cow::Owned(number.to_string())),
        _ => None,
    }
}

/// A header value that cannot be read: bytes outside visible ASCII, space and tab, or a wrapper whose content is not strict
/// base64 (RFC 4648, padded) of UTF-8.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Malformed;

/// A header value as text, without its outer white space. Wrappers stay as they are.
// req 13.5-4
pub fn plain(value: &[u8]) -> Result<&str, Malformed> {
    let text = std::str::from_utf8(value).map_err(|_| Malformed)?.trim_matches([' ', '\t']);
    if text.bytes().all(|byte| matches!(byte, b'\t' | b' '..=b'~')) { Ok(text) } else { Err(Malformed) }
}

/// The text that a header value stands for. The markers of the wrapper are exact: what has only one of them is plain.
// req 13.6-7
pub fn decode(value: &[u8]) -> Result<Cow<'_, str>, Malformed> {
    let text = plain(value)?;
    let Some(inner) = wrapped(text) else { return Ok(Cow::Borrowed(text)) };
    let bytes = STANDARD.decode(inner).map_err(|_| Malformed)?;
    String::from_utf8(bytes).map(Cow::Owned).map_err(|_| Malformed)
}

fn wrapped(text: &str) -> Option<&str> {
    text.strip_prefix(PREFIX)?.strip_suffix(SUFFIX)
}

/// Whether a decoded header says what an argument says. Integers compare as numbers and exactly: `42.0` is 42 (D19). An integer
/// outside ±(2^53 - 1), or text that is no integer where the argument is one, is malformed.
// req 13.6-4, 13.6-5
pub fn agrees(header: &str, argument: &Value) -> Result<bool, Malformed> {
    match argument {
        Value::String(text) => Ok(header == text),
        Value::Bool(flag) => Ok(header == if *flag { "true" } else { "false" }),
        Value::Number(number) if number.is_f64() && safe_integer(argument).is_none() => match number.as_f64() {
            Some(float) if float.fract() == 0.0 => Err(Malformed),
            _ => Ok(false),
        },
        Value::Number(_) => {
            let argument = safe_integer(argument).ok_or(Malformed)?;
            Ok(integer(header).ok_or(Malformed)? == argument)
        }
        _ => Ok(false),
    }
}

/// req 13.6-6: an integer in decimal, with a fraction of zeros or none.
fn integer(text: &str) -> Option<i64> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let digits = whole.strip_prefix('-').unwrap_or(whole);
    let lawful = !digits.is_empty()
        && digits.bytes().all(|byte| byte.is_ascii_digit())
        && (digits.len() == 1 || !digits.starts_with('0'))
        && !fraction.is_empty()
        && fraction.bytes().all(|byte| byte == b'0');
    if lawful { whole.parse().ok() } else { None }
}

/// The integer that a JSON number is, within the range that every reader keeps; `1.0` is one too.
fn safe_integer(value: &Value) -> Option<i64> {
    let number = match value.as_i64() {
        Some(number) => number,
        None => {
            value.as_f64().filter(|float| float.fract() == 0.0).and_then(|float| integer(&format!("{float:.0}")))?
        }
    };
    if (-SAFE..=SAFE).contains(&number) { Some(number) } else { None }
}
