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

mod param_headers;
