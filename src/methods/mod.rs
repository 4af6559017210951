//! §5 Methods.

pub mod uri_template; // §5.4
