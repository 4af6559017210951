//! What the fuzz targets judge: for each a plain function over bytes that panics where the invariant at the top of its file is broken.
//! `fuzz_targets/` hands it what the fuzzer makes up, `tests/corpus.rs` of the crate above what `corpus/` keeps.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::as_conversions)]
#![allow(clippy::string_slice, missing_docs, unreachable_pub, dead_code)]

mod support;

#[cfg(feature = "http")]
pub mod admission;
#[cfg(feature = "http")]
pub mod chunks;
pub mod cursor;
pub mod envelope;
pub mod header_value;
pub mod meta;
#[cfg(feature = "http")]
pub mod request;
pub mod schema;
#[cfg(feature = "http")]
pub mod sse_writer;
pub mod state_token;
pub mod stdio_reader;
pub mod uri_template;

/// What judges the bytes of a target.
pub type Check = fn(&[u8]);

/// Each target by its name.
pub const TARGETS: &[(&str, Check)] = &[
    #[cfg(feature = "http")]
    ("admission", admission::check),
    #[cfg(feature = "http")]
    ("chunks", chunks::check),
    ("cursor", cursor::check),
    ("envelope", envelope::check),
    ("header_value", header_value::check),
    ("meta", meta::check),
    #[cfg(feature = "http")]
    ("request", request::check),
    ("schema", schema::check),
    #[cfg(feature = "http")]
    ("sse_writer", sse_writer::check),
    ("state_token", state_token::check),
    ("stdio_reader", stdio_reader::check),
    ("uri_template", uri_template::check),
];
