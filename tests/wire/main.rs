//! §13, §14 Over real sockets and pipes of this machine. Nothing here measures time; every wait has a bound.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::as_conversions)]
#![allow(clippy::string_slice, missing_docs, unreachable_pub)]

#[macro_use]
#[path = "../support/ids.rs"]
mod ids;
#[path = "../support/kit.rs"]
mod kit;
#[path = "../support/random.rs"]
mod random;
#[cfg(feature = "http")]
#[path = "../support/loopback.rs"]
mod loopback;
#[cfg(feature = "http")]
#[path = "../support/process.rs"]
mod process;
#[path = "../support/wire_schema.rs"]
mod wire_schema;

#[cfg(feature = "http")]
mod fixture;
#[cfg(feature = "http")]
mod framing;
#[cfg(feature = "http")]
mod hang_up;
#[cfg(feature = "http")]
mod host;
#[cfg(feature = "http")]
mod hostile;
#[cfg(feature = "http")]
mod mutation;
#[cfg(feature = "http")]
mod served;
#[cfg(feature = "http")]
mod shutdown;
mod stdio;
#[cfg(feature = "http")]
mod streams;
#[cfg(feature = "http")]
mod stub;
#[cfg(feature = "tiny_http")]
mod tiny;
#[cfg(feature = "http")]
mod weather;
