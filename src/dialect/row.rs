//! §15 A dialect as a row of facts.

use std::fmt;

use crate::envelope::Object;
use crate::errors::{Code, Fault};
use crate::limits::Limits;
use crate::meta::RequestMeta;
use crate::methods::Method;
use crate::results::Shape;

/// One revision of the protocol, as data.
pub struct Dialect {
    /// The name of the revision.
    pub version: &'static str,
    /// The methods that exist, in the order of §4, §5 and §11.
    pub methods: &'static [Method],
    /// Which headers a POST must carry.
    pub headers: Headers,
    /// Reads a request's `_meta`, and takes it out of the params.
    pub(crate) read_meta: fn(&mut Object, &[&str], &Limits) -> Result<RequestMeta, Fault>,
    /// Shapes a result.
    pub(crate) shape: Shape,
    /// The HTTP status of an error (§12).
    pub status: fn(Code) -> u16,
}

/// The headers of a revision (§13.4 to §13.6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Headers {
    /// `MCP-Protocol-Version` must be there and equal the body's.
    pub version: bool,
    /// `Mcp-Method`, `Mcp-Name` and `Mcp-Param-…` must repeat the body.
    pub mirror: bool,
}

impl fmt::Debug for Dialect {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_tuple("Dialect").field(&self.version).finish()
    }
}

impl Dialect {
    /// The row of a method.
    pub fn method(&self, name: &str) -> Option<&'static Method> {
        self.methods.iter().find(|method| method.name == name)
    }
}
