//! §12 Error codes.
//! Law: a message text and its code are written once, as a row of a section's `rules!` table.
//! Law: nothing outside this file builds a [`Fault`] from a free text, except the author's own application errors.

use std::borrow::Cow;
use std::fmt;

use serde_json::Value;

/// A JSON-RPC error code (§12).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Code(i64);

/// One row of the table of §12.
struct Row {
    code: Code,
    name: &'static str,
    http_status: u16,
}

/// §12, row for row.
// req 12-2 12-3 12-4 12-6 12-7 12-8 12-12: these codes and no others are sent by the server itself
const TABLE: [Row; 8] = [
    Row { code: Code::PARSE_ERROR, name: "Parse error", http_status: 400 },
    Row { code: Code::INVALID_REQUEST, name: "Invalid Request", http_status: 400 },
    Row { code: Code::METHOD_NOT_FOUND, name: "Method not found", http_status: 404 },
    Row { code: Code::INVALID_PARAMS, name: "Invalid params", http_status: 400 },
    Row { code: Code::INTERNAL_ERROR, name: "Internal error", http_status: 500 },
    Row { code: Code::HEADER_MISMATCH, name: "HeaderMismatch", http_status: 400 },
    Row { code: Code::MISSING_CLIENT_CAPABILITY, name: "MissingRequiredClientCapability", http_status: 400 },
    Row { code: Code::UNSUPPORTED_VERSION, name: "UnsupportedProtocolVersion", http_status: 400 },
];

impl Code {
    /// The body is not JSON.
    pub const PARSE_ERROR: Code = Code(-32700);
    /// The message is not a JSON-RPC 2.0 request, or the transport refuses it.
    pub const INVALID_REQUEST: Code = Code(-32600);
    /// No such method, or its capability is not offered.
    pub const METHOD_NOT_FOUND: Code = Code(-32601);
    /// The params do not fit the method; also "resource not found".
    pub const INVALID_PARAMS: Code = Code(-32602);
    /// The server failed; the cause is never sent.
    pub const INTERNAL_ERROR: Code = Code(-32603);
    /// An HTTP header is missing or differs from the body.
    pub const HEADER_MISMATCH: Code = Code(-32020);
    /// The request needs a client capability that it did not declare.
    pub const MISSING_CLIENT_CAPABILITY: Code = Code(-32021);
    /// The protocol version of the request is not enabled.
    pub const UNSUPPORTED_VERSION: Code = Code(-32022);

    /// A code by its number, for the tables only.
    pub(crate) const fn of(number: i64) -> Code {
        Code(number)
    }

    /// The number on the wire.
    pub const fn number(self) -> i64 {
        self.0
    }

    /// The name in the table of §12; empty for a code of an application.
    pub fn name(self) -> &'static str {
        TABLE.iter().find(|row| row.code == self).map_or("", |row| row.name)
    }

    /// The HTTP status that an error with this code is sent with (§12); 200 for any code without a row.
    // req 12-10
    pub fn http_status(self) -> u16 {
        TABLE.iter().find(|row| row.code == self).map_or(200, |row| row.http_status)
    }
}

impl fmt::Display for Code {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(out)
    }
}

/// One row of a section's table of errors: what the reference says, and where it says it.
#[derive(Debug)]
pub struct Rule {
    /// The id of the requirement in `spec-notes/`.
    pub id: &'static str,
    /// The code of the error.
    pub code: Code,
    /// The HTTP status, where the transport names one; else that of the code (§12).
    pub status: Option<u16>,
    /// The message text; at most one `{}` is filled in.
    pub text: &'static str,
    /// Where the reference takes it from; "ours" where it is silent.
    pub source: &'static str,
}

impl Rule {
    /// The fault that this row describes.
    pub(crate) fn fault(&'static self) -> Fault {
        Fault { rule: self.id, code: self.code, status: self.status, message: Cow::Borrowed(self.text), data: None }
    }

    /// The fault with its `{}` filled in.
    pub(crate) fn about(&'static self, what: &str) -> Fault {
        Fault { message: Cow::Owned(self.text.replacen("{}", what, 1)), ..self.fault() }
    }
}

/// A JSON-RPC error on its way out.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    rule: &'static str,
    code: Code,
    status: Option<u16>,
    message: Cow<'static, str>,
    data: Option<Value>,
}

/// The code given to [`Fault::application`] lies in a range that JSON-RPC or MCP reserves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReservedCode(pub i64);

impl fmt::Display for ReservedCode {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "code {} is reserved: use one outside -32768..-32000", self.0)
    }
}

impl std::error::Error for ReservedCode {}

impl Fault {
    /// An error of the application itself, with any text. The code must lie outside -32768..=-32000, which JSON-RPC and MCP reserve.
    pub fn application(code: i64, message: impl Into<String>) -> Result<Fault, ReservedCode> {
        // req 12-11 12-12
        if (-32768..=-32000).contains(&code) {
            return Err(ReservedCode(code));
        }
        Ok(Fault { rule: "", code: Code(code), status: None, message: Cow::Owned(message.into()), data: None })
    }

    /// The params of a request do not fit, as its handler finds: -32602 with a text of the author's. Where a model is to read
    /// it and try again, a tool answers `isError` instead.
    pub fn invalid_params(message: impl Into<String>) -> Fault {
        Fault { rule: "", code: Code::INVALID_PARAMS, status: None, message: Cow::Owned(message.into()), data: None }
    }

    /// Adds `error.data`: any JSON.
    // req 12-13
    #[must_use]
    pub fn data(mut self, data: Value) -> Fault {
        self.data = Some(data);
        self
    }

    /// The id of the requirement that the request broke; empty for an application's own error.
    pub fn rule(&self) -> &'static str {
        self.rule
    }

    /// The JSON-RPC code.
    pub fn code(&self) -> Code {
        self.code
    }

    /// The HTTP status, where it is not that of the code.
    pub fn status(&self) -> Option<u16> {
        self.status
    }

    /// The message as sent.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// `error.data`, if any.
    pub fn detail(&self) -> Option<&Value> {
        self.data.as_ref()
    }
}

/// Writes a section's table of errors: `NAME "id" code "text" "source";`, with `code / status` where the HTTP status is
/// not that of the code. Yields one `static` a row and the slice `RULES` in the order of the reference.
macro_rules! rules {
    ($($name:ident $id:literal $code:literal $(/ $status:literal)? $text:literal $source:literal;)*) => {
        $(pub(crate) static $name: crate::errors::Rule = crate::errors::Rule {
            id: $id,
            code: crate::errors::Code::of($code),
            status: rules!(@status $($status)?),
            text: $text,
            source: $source,
        };)*
        /// The table of this section, in the order of the reference.
        pub static RULES: &[&crate::errors::Rule] = &[$(&$name),*];
    };
    (@status) => { None };
    (@status $status:literal) => { Some($status) };
}
pub(crate) use rules;

rules! {
    // const      id      code    text              source
    PARSE_ERROR   "12-1"  -32700  "Parse error"     "error.ex:25";
    INTERNAL      "12-5"  -32603  "Internal error"  "error.ex:59";
}
