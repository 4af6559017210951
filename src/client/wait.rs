//! §9 How long a step may take, and who can end it.

use std::time::{Duration, Instant};

use super::cancel::Cancel;
use super::error::Error;

/// The patience of one step of a call.
#[derive(Clone, Copy)]
pub(crate) struct Wait<'a> {
    /// When it is over; `None`: never.
    pub(crate) until: Option<Instant>,
    /// The time that was given, for the error.
    pub(crate) limit: Duration,
    /// What is waited for, in a phrase, for the error.
    pub(crate) what: &'static str,
    /// Who may end it.
    pub(crate) cancel: &'a Cancel,
}

impl<'a> Wait<'a> {
    /// From now on, so long.
    pub(crate) fn new(limit: Duration, what: &'static str, cancel: &'a Cancel) -> Wait<'a> {
        Wait { until: Instant::now().checked_add(limit), limit, what, cancel }
    }

    /// Without an end of its own.
    pub(crate) fn endless(what: &'static str, cancel: &'a Cancel) -> Wait<'a> {
        Wait { until: None, limit: Duration::MAX, what, cancel }
    }

    /// The shorter of this and `limit` from now on.
    pub(crate) fn at_most(self, limit: Duration, what: &'static str) -> Wait<'a> {
        let other = Wait::new(limit, what, self.cancel);
        match (self.until, other.until) {
            (Some(own), Some(until)) if own <= until => self,
            (Some(_), None) => self,
            _ => other,
        }
    }

    /// What is left; `None`: no end. Fails where it is over, by time or by cancel.
    pub(crate) fn left(&self) -> Result<Option<Duration>, Error> {
        if self.cancel.cancelled() {
            return Err(Error::Cancelled);
        }
        let Some(until) = self.until else { return Ok(None) };
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() { Err(self.over()) } else { Ok(Some(left)) }
    }

    /// The error of a step that took too long.
    pub(crate) fn over(&self) -> Error {
        Error::Timeout { waiting_for: self.what, limit: self.limit }
    }
}
