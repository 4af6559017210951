//! §10 Multi-round-trip requests.

pub mod state; // §10.4
