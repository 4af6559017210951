//! plain-mcp: the Model Context Protocol, revision 2026-07-28, in plain synchronous Rust.
//!
//! Table of contents, in the order of the wire reference.

pub mod errors; // §12
pub mod schema; // §5.1 §5.2
