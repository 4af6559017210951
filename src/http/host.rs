//! §13.1 The HTTP host: sockets and threads around the corridor.
//! Law: knows no MCP. It turns bytes into complete requests, runs each on the thread that read it, and writes what comes back.
//! Law: never ends by itself. No error of one connection, and none of `accept`, ends the host.
//! Law: everything has a bound: connections, head, body, and the time for each.

mod accept;
mod at_once;
mod connection;
mod endpoint;
mod hang_up;
mod inbox;
mod listening;
mod registry;
mod reply;
mod service;
mod shared;
mod shutdown;
mod writer;

pub use endpoint::{Host, serve};
pub use listening::{Handle, Listening};
pub use service::Service;
pub use shutdown::ShutdownSignal;
