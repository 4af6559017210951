//! Placeholder until the lead's Server lands.
pub mod limits;
