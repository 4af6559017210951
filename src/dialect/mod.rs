//! §13.4 §15 Dialects: a revision of the protocol is a row of facts, chosen once for each message.
//! Law: a revision string stands in this room only; no code compares versions.

mod choice;
mod row;
#[cfg(feature = "client")]
mod spoken;
mod v2026_07_28;

pub use self::choice::{Arrival, name_versions, name_versions_in, select, versions};
pub use self::row::{Dialect, Headers};
#[cfg(feature = "client")]
pub use self::spoken::{SPOKEN, Spoken};
pub use self::v2026_07_28::V2026_07_28;
