//! §13 Streamable HTTP.
//! Law: only `host` knows sockets, and only `wire` how HTTP/1.1 is written; what lies between them and the server knows neither.

pub mod admission; // §13.2
pub mod exchange; // §13: the corridor over HTTP
mod gate; // §13.1 §13.7: what is let in
pub mod headers; // §13.4 §13.5 §13.6
pub mod host; // §13.1: sockets and threads
mod media; // §13.2 Content-Type, Accept
pub mod origin; // §13.7
pub mod peer; // §13: the seam between a host and the corridor
mod respond; // §13.3 §8.3
mod scope; // §9 over HTTP
#[cfg(feature = "tiny_http")]
pub mod tiny; // the adapter for tiny_http
pub mod wire; // HTTP/1.1 as bytes

pub use admission::Passed;
pub use exchange::Exchange;
pub use gate::{Challenge, Gate, GateError};
pub use host::{Handle, Host, ShutdownSignal, serve};
pub use peer::{Cancelling, Fields, HostRefusal, HttpAnswer, Peer, RawRequest};
