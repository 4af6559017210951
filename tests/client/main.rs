//! §18 The client: calls to scripted servers, to the library's own, and to the fixture.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::as_conversions)]
#![allow(clippy::string_slice, missing_docs, unreachable_pub)]

#[macro_use]
#[path = "../support/ids.rs"]
mod ids;

mod cache;
#[cfg(unix)]
mod cases;
mod calls;
mod eras;
mod headers;
mod in_process;
mod own_server;
mod rounds;
mod script;
mod subscriptions;
