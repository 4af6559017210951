//! §2 Request _meta.

pub mod key; // §2.1
