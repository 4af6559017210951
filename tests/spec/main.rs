//! The requirements of `spec-notes/`, one module a section. Texts stand here literally: nothing is imported from `src`'s tables.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::as_conversions)]
#![allow(clippy::string_slice, missing_docs, unreachable_pub)]

#[macro_use]
#[path = "../support/ids.rs"]
mod ids;
#[path = "../support/kit.rs"]
mod kit;
#[path = "../support/random.rs"]
mod random;
#[path = "../support/wire_schema.rs"]
mod wire_schema;

mod caching;
#[cfg(feature = "http")]
mod clients;
mod crypto;
mod dialects;
mod discover;
mod envelope;
mod errors;
mod json;
mod lines;
mod logging;
mod meta;
mod meta_key;
mod pagination;
#[cfg(feature = "http")]
mod admission;
#[cfg(feature = "http")]
mod answers;
#[cfg(feature = "http")]
mod any_bytes;
#[cfg(feature = "http")]
mod corridor;
#[cfg(feature = "http")]
mod headers;
#[cfg(feature = "http")]
mod origin;
mod fixture;
mod param_headers;
mod progress;
mod results;
mod lists;
mod cancellation;
mod subscriptions;
mod mrtr;
mod any_params;
mod api;
mod edit;
mod completion;
mod methods;
mod prompts;
mod resources;
mod tools;
#[cfg(feature = "http")]
mod statuses;
mod state;
mod subscriptions_filter;
mod subscriptions_hub;
mod uri_template;
