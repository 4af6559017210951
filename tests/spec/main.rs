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
#[path = "../support/random.rs"]
mod random;

mod crypto;
mod meta_key;
mod pagination;
mod param_headers;
mod state;
mod subscriptions_filter;
mod subscriptions_hub;
mod uri_template;
