//! The pure sections, each by its own functions.
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

#[path = "spec/crypto.rs"]
mod crypto;
#[path = "spec/meta_key.rs"]
mod meta_key;
#[path = "spec/pagination.rs"]
mod pagination;
#[path = "support/random.rs"]
mod random;
#[path = "spec/state.rs"]
mod state;
#[path = "spec/subscriptions_filter.rs"]
mod subscriptions_filter;
#[path = "spec/subscriptions_hub.rs"]
mod subscriptions_hub;
#[path = "spec/uri_template.rs"]
mod uri_template;
