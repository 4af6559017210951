//! What several invariants share.

#[cfg(feature = "http")]
pub mod answer;
pub mod base64;
pub mod json;
pub mod server;
