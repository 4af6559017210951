//! Faults that people have met in other implementations, each played against the fixture as a process (`--profile cases`). A
//! test has the number of its case; `spec-notes/23-reported-faults.md` says who reported what. Beside the case itself each test
//! plays its brothers: the same fault in another field, in another method, on the other transport.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::as_conversions)]
#![allow(clippy::string_slice, missing_docs, unreachable_pub)]

#[path = "../support/kit.rs"]
mod kit;
#[path = "../support/loopback.rs"]
mod loopback;
#[path = "../support/process.rs"]
mod process;
#[path = "../support/source.rs"]
mod source;
#[path = "../support/wire_schema.rs"]
mod wire_schema;

mod peer;
#[cfg(target_os = "linux")]
mod proc;

mod cancel;
mod ending;
mod framing;
mod headers;
mod http;
mod ids;
mod index;
mod lists;
mod meta;
mod mrtr;
mod progress;
mod schemas;
mod subscriptions;
mod tools;
mod uris;
mod versions;
