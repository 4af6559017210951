//! §13, §14 Over real sockets and pipes of this machine. Nothing here measures time; every wait has a bound.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::as_conversions)]
#![allow(clippy::string_slice, missing_docs, unreachable_pub)]

#[macro_use]
#[path = "../support/ids.rs"]
mod ids;
#[path = "../support/kit.rs"]
mod kit;
#[path = "../support/wire_schema.rs"]
mod wire_schema;

mod stdio;
