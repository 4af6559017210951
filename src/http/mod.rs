//! §13 Streamable HTTP.
//! Law: only `wire.rs` and `host.rs` know sockets; what lies between the bytes and the server is pure and knows none.

pub mod exchange; // §13.2 §13.3: the seam between a host and the corridor

pub use exchange::{Cancelling, HostRefusal, HttpAnswer, Peer, RawRequest};

pub mod host;
pub mod wire;
