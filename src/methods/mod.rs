//! §5 Methods: the row type of a dialect's method table, and the lists, which are all alike.
//! Law: what is a method, what it needs, and where its Mcp-Name comes from is a row of a table, never an `if`.

pub mod completion; // §5.6
pub mod listen; // §11
pub mod lists; // §5.1 §5.3 §5.5 §6
pub mod prompts; // §5.5
pub mod resources; // §5.4
pub mod tools; // §5.2
pub mod uri_template; // §5.4, RFC 6570

use serde_json::Value;

use crate::envelope::Object;
use crate::errors::{Fault, Rule, rules};
use crate::handler::Interrupt;
use crate::handler::catalog::Catalog;
use crate::handler::context::Context;
use crate::handler::shared::Feature;
use crate::results::Reply;

rules! {
    // const   id       code    text                    source
    NOT_FOUND  "5.7-1"  -32601  "Method not found: {}"  "error.ex:37-39";
}

/// Serves one method.
pub(crate) type Run = fn(&Object, &Context<'_>, &Catalog) -> Result<Reply, Interrupt>;

/// Which member of `params` the header `Mcp-Name` repeats (§13.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameFrom {
    /// None: the header is not asked for.
    Nothing,
    /// `params.name`
    Name,
    /// `params.uri`
    Uri,
}

impl NameFrom {
    /// The member's name.
    pub const fn member(self) -> Option<&'static str> {
        match self {
            NameFrom::Nothing => None,
            NameFrom::Name => Some("name"),
            NameFrom::Uri => Some("uri"),
        }
    }
}

/// A row of a method table.
pub struct Method {
    /// The method's name.
    pub name: &'static str,
    /// What the server must offer for the method to exist.
    pub needs: Feature,
    /// Whether it may answer `input_required` (§10).
    pub may_ask: bool,
    /// Whether its answer is always a stream over HTTP (§11).
    pub streams: bool,
    /// Where its `Mcp-Name` comes from.
    pub mcp_name: NameFrom,
    /// Whether its arguments may have to be repeated in `Mcp-Param-…` (§13.6).
    pub mirrors_arguments: bool,
    pub(crate) run: Run,
}

/// A member of params that must be a non-empty string.
pub(crate) fn non_empty<'a>(params: &'a Object, member: &str, rule: &'static Rule) -> Result<&'a str, Fault> {
    params.get(member).and_then(Value::as_str).filter(|text| !text.is_empty()).ok_or_else(|| rule.fault())
}
