//! §5 and §10: what the builders write, what is refused and in which words, and which answers are read.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::as_conversions,
    clippy::string_slice,
    missing_docs,
    unreachable_pub
)]

#[macro_use]
#[path = "../support/ids.rs"]
mod ids;

mod answers;
mod asking;
mod capabilities;
mod content;
mod listing;
mod refused;

use serde::Serialize;

/// The line that goes out.
fn line<T: Serialize>(value: &T) -> String {
    serde_json::to_string(value).unwrap()
}
