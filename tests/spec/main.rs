//! The requirements of `spec-notes/`, one module a section. Texts stand here literally: nothing is imported from `src`'s tables.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::as_conversions)]
#![allow(clippy::string_slice, missing_docs, unreachable_pub)]

#[macro_use]
#[path = "../support/ids.rs"]
mod ids;
#[path = "../support/kit.rs"]
mod kit;
#[path = "../support/wire_schema.rs"]
mod wire_schema;

mod param_headers;
mod smoke;
