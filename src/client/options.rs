//! §18 What can be set for one call.

use std::time::{Duration, Instant};

use super::cancel::Cancel;
use super::progress::{LogMessage, Progress};
use super::wait::Wait;
use crate::envelope::Object;
use crate::types::Level;

/// Hears the progress of one call.
pub(crate) type OnProgress<'a> = Box<dyn FnMut(&Progress) + 'a>;
/// Hears the log messages of one call.
pub(crate) type OnCallLog<'a> = Box<dyn FnMut(&LogMessage) + 'a>;

/// What was set for one call.
#[derive(Default)]
pub(crate) struct Options<'a> {
    pub(crate) timeout: Option<Duration>,
    pub(crate) max_time: Option<Duration>,
    pub(crate) cancel: Cancel,
    /// Progress is asked for, whether anybody hears it or not.
    pub(crate) patient: bool,
    pub(crate) on_progress: Option<OnProgress<'a>>,
    pub(crate) on_log: Option<(Level, OnCallLog<'a>)>,
    /// Header fields, in lower case.
    pub(crate) fields: Vec<(String, String)>,
    pub(crate) meta: Object,
    /// The cache is not asked.
    pub(crate) fresh: bool,
}

/// How long a call may take in all, and how long the server may be silent.
pub(crate) struct Patience {
    timeout: Duration,
    /// The end of the whole call, and the time that was given.
    max: Option<(Option<Instant>, Duration)>,
}

impl Options<'_> {
    /// The patience of a call that begins now.
    pub(crate) fn patience(&self, timeout: Duration) -> Patience {
        let max = self.max_time.map(|max| (Instant::now().checked_add(max), max));
        Patience { timeout: self.timeout.unwrap_or(timeout), max }
    }
}

impl Patience {
    /// Nothing but a timeout.
    pub(crate) fn short(timeout: Duration) -> Patience {
        Patience { timeout, max: None }
    }

    /// How long the server may be silent.
    pub(crate) fn timeout(&self) -> Duration {
        self.timeout
    }

    /// The wait for the next message, from now on.
    pub(crate) fn begin<'c>(&self, cancel: &'c Cancel) -> Wait<'c> {
        let wait = Wait::new(self.timeout, "answer", cancel);
        match self.max {
            Some((Some(end), limit)) if wait.until.is_none_or(|until| end < until) => {
                Wait { until: Some(end), limit, what: "end of the call", cancel }
            }
            _ => wait,
        }
    }

    /// Whether the time of the whole call is over.
    pub(crate) fn spent(&self) -> bool {
        matches!(self.max, Some((Some(end), _)) if Instant::now() >= end)
    }
}
