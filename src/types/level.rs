//! §8.1 The eight levels of a log message.

use std::fmt;

use serde::{Deserialize, Serialize};

/// How grave a log message is (§8.1); ordered from `Debug`, the least, to `Emergency`.
// req 8.1-3: the order is that of the reference
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Detail for finding a fault.
    Debug,
    /// An ordinary event.
    Info,
    /// An ordinary event that deserves notice.
    Notice,
    /// Something that may go wrong.
    Warning,
    /// Something that went wrong.
    Error,
    /// A part of the system fails.
    Critical,
    /// Someone must act at once.
    Alert,
    /// The system is unusable.
    Emergency,
}

impl Level {
    /// All levels, the least grave first.
    pub const ALL: [Level; 8] = [
        Level::Debug,
        Level::Info,
        Level::Notice,
        Level::Warning,
        Level::Error,
        Level::Critical,
        Level::Alert,
        Level::Emergency,
    ];

    /// The level with this name on the wire; the case matters.
    pub fn parse(name: &str) -> Option<Level> {
        Level::ALL.into_iter().find(|level| level.name() == name)
    }

    /// The name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Level::Debug => "debug",
            Level::Info => "info",
            Level::Notice => "notice",
            Level::Warning => "warning",
            Level::Error => "error",
            Level::Critical => "critical",
            Level::Alert => "alert",
            Level::Emergency => "emergency",
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}
