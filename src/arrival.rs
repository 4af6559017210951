//! How a request arrived: what the transport knows about it, beside its bytes.

use std::fmt;

/// The head of an HTTP request, as a handler and an authenticator may read it.
#[derive(Clone, Debug, Default)]
pub struct RequestHead {
    /// The method, as sent.
    pub method: String,
    /// The request target, as sent.
    pub target: String,
    /// The fields in their order: name as sent, value as sent with outer white space trimmed.
    pub fields: Vec<(String, Vec<u8>)>,
}

impl RequestHead {
    /// All values of a field, in order; names compare without regard to case.
    pub fn all<'a, 'n>(&'a self, name: &'n str) -> impl Iterator<Item = &'a [u8]> + use<'a, 'n> {
        self.fields.iter().filter(move |(field, _)| field.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_slice())
    }

    /// The value of a field that occurs exactly once and is UTF-8; `None` otherwise.
    pub fn one(&self, name: &str) -> Option<&str> {
        let mut values = self.all(name);
        let value = values.next()?;
        if values.next().is_some() { None } else { std::str::from_utf8(value).ok() }
    }
}

/// Who is calling, as the application's authenticator found out. State tokens and cancellation scopes are bound to it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Principal(pub String);

impl fmt::Display for Principal {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(out)
    }
}

/// The way by which a request came.
#[derive(Clone, Copy, Debug)]
pub enum Via<'a> {
    /// A call in this process.
    Direct,
    /// A line on standard input.
    Stdio,
    /// An HTTP POST.
    Http(&'a RequestHead),
}
