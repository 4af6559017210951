//! §18 What a client was built with.

use std::sync::Arc;

use serde_json::Value;

use super::cache::Cache;
use super::inputs::Handlers;
use super::limits::ClientLimits;
use super::progress::LogMessage;
use super::transport::Problem;
use crate::contained;
use crate::dialect::Spoken;
use crate::envelope::Object;
use crate::types::{Implementation, Level};

/// Hears log messages.
pub(crate) type OnLog = Arc<dyn Fn(&LogMessage) + Send + Sync>;
/// Hears notifications: their method and params.
pub(crate) type OnNotification = Arc<dyn Fn(&str, &Object) + Send + Sync>;
/// Hears of what was wrong and has been got over.
pub(crate) type OnProblem = Arc<dyn Fn(&Problem) + Send + Sync>;
/// Hears the lines of a child's stderr.
pub(crate) type OnLine = Arc<dyn Fn(&str) + Send + Sync>;

/// What a client was built with.
pub(crate) struct Settings {
    pub(crate) info: Implementation,
    pub(crate) handlers: Handlers,
    pub(crate) limits: ClientLimits,
    /// Header fields of every request, in lower case.
    pub(crate) fields: Vec<(String, String)>,
    /// The only revision that may be spoken.
    pub(crate) pinned: Option<&'static Spoken>,
    pub(crate) log: Option<(Level, OnLog)>,
    pub(crate) on_notification: Option<OnNotification>,
    pub(crate) on_problem: Option<OnProblem>,
    pub(crate) on_stderr: Option<OnLine>,
    pub(crate) cache: Option<Cache>,
    /// Whose results the cache keeps (§7): as it was set, else the value of `authorization`.
    pub(crate) context: Option<String>,
}

impl Settings {
    /// The authorization context (§7).
    pub(crate) fn context(&self) -> &str {
        let authorization =
            || self.fields.iter().find(|(name, _)| name == "authorization").map(|(_, value)| value.as_str());
        self.context.as_deref().or_else(authorization).unwrap_or_default()
    }

    /// Says that something was wrong. What panics in the callback is lost: there is nobody left to tell.
    pub(crate) fn problem(&self, problem: &Problem) {
        if let Some(hear) = &self.on_problem {
            let _ = contained(|| hear(problem));
        }
    }

    /// Runs a callback that may panic.
    pub(crate) fn tell(&self, callback: impl FnOnce()) {
        if let Err(panic) = contained(callback) {
            self.problem(&Problem::Panicked(panic));
        }
    }

    /// The identity, as a revision may have it.
    pub(crate) fn info(&self, spoken: &Spoken) -> Value {
        let mut info = self.info.clone();
        if !spoken.rich_info {
            info.description = None;
            info.icons.clear();
            info.website_url = None;
        }
        serde_json::to_value(info).unwrap_or_default()
    }
}
