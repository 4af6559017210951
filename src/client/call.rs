//! §5 §18 One call: what can be set for it, and how it is made.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use super::cancel::Cancel;
use super::core::Core;
use super::error::Error;
use super::fields::checked;
use super::handle::Handle;
use super::options::Options;
use super::progress::{LogMessage, Progress};
use super::received::{CompletionResult, PromptResult};
use crate::envelope::Object;
use crate::types::Level;

/// How a call is made, and its result read.
pub(crate) type Run<T> = fn(&Arc<Core>, &str, Object, &mut Options<'_>) -> Result<T, Error>;

/// A call that has not been made yet. [`call`](Call::call) makes it; the others set what it may take, and who hears of it.
///
/// Callbacks run on the calling thread, while `call` blocks it.
#[must_use = "nothing is sent before `call`"]
pub struct Call<'a, T> {
    handle: &'a Handle,
    method: String,
    params: Object,
    options: Options<'a>,
    /// The first thing that was set and cannot be.
    invalid: Option<Error>,
    run: Run<T>,
}

impl<'a, T> Call<'a, T> {
    pub(crate) fn new(handle: &'a Handle, method: &str, params: Object, run: Run<T>) -> Call<'a, T> {
        Call { handle, method: method.to_owned(), params, options: Options::default(), invalid: None, run }
    }

    /// A call that cannot be made.
    pub(crate) fn invalid(mut self, error: Option<Error>) -> Call<'a, T> {
        self.invalid = self.invalid.or(error);
        self
    }

    /// How long the server may be silent: [`ClientLimits::timeout`](super::ClientLimits::timeout) by default. Progress begins it anew, and it does not run
    /// while this side is being asked for input. Then the call is cancelled and returns [`Error::Timeout`].
    pub fn timeout(mut self, timeout: Duration) -> Call<'a, T> {
        self.options.timeout = Some(timeout);
        self
    }

    /// How long the call may take in all, whatever comes meanwhile: without a bound by default.
    pub fn max_time(mut self, time: Duration) -> Call<'a, T> {
        self.options.max_time = Some(time);
        self
    }

    /// Asks for progress (§8.2), so that a server which reports some is waited for, and hears it.
    pub fn on_progress(mut self, hear: impl FnMut(&Progress) + 'a) -> Call<'a, T> {
        self.options.on_progress = Some(Box::new(hear));
        self
    }

    /// Asks for progress only so that a server which reports some is waited for.
    pub fn patiently(mut self) -> Call<'a, T> {
        self.options.patient = true;
        self
    }

    /// Asks for log messages of this level and graver (§8.1), and hears them.
    ///
    /// In the initialize era, and on stdio while several calls are under way, a message does not say which call it belongs to; it then goes
    /// to the callback of [`ClientBuilder::on_log`](super::ClientBuilder::on_log).
    pub fn on_log(mut self, level: Level, hear: impl FnMut(&LogMessage) + 'a) -> Call<'a, T> {
        self.options.on_log = Some((level, Box::new(hear)));
        self
    }

    /// Gives a handle that can cancel the call from another thread.
    pub fn cancel(mut self, cancel: &Cancel) -> Call<'a, T> {
        self.options.cancel = cancel.clone();
        self
    }

    /// Adds a header field, where the transport has any. One that the protocol sets itself, or that is no field, makes the call
    /// [`Error::Invalid`].
    pub fn header(mut self, name: &str, value: &str) -> Call<'a, T> {
        match checked(name, value) {
            Ok(field) => self.options.fields.push(field),
            Err(error) => self.invalid = self.invalid.or(Some(error)),
        }
        self
    }

    /// Adds a member to the request's `_meta`, for example `traceparent` (§2.1). What the protocol puts there itself goes before it.
    pub fn meta(mut self, key: &str, value: impl Into<Value>) -> Call<'a, T> {
        self.options.meta.insert(key.to_owned(), value.into());
        self
    }

    /// Does not take the result from the cache; puts it there all the same (§7).
    pub fn fresh(mut self) -> Call<'a, T> {
        self.options.fresh = true;
        self
    }

    /// Sets a member of the params, for what an extension adds.
    pub fn param(mut self, name: &str, value: impl Into<Value>) -> Call<'a, T> {
        self.params.insert(name.to_owned(), value.into());
        self
    }

    /// Makes the call, with all its rounds and pages, and waits for its result.
    ///
    /// # Errors
    /// Every [`Error`].
    pub fn call(mut self) -> Result<T, Error> {
        match self.invalid {
            Some(error) => Err(error),
            None => (self.run)(&self.handle.0, &self.method, self.params, &mut self.options),
        }
    }

    /// The member `name` of the params as an object, made where it is not there.
    fn object(&mut self, name: &str) -> Option<&mut Object> {
        self.params.entry(name).or_insert_with(|| json!({})).as_object_mut()
    }
}

impl<T> fmt::Debug for Call<'_, T> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Call").field("method", &self.method).field("params", &self.params).finish_non_exhaustive()
    }
}

impl<'a> Call<'a, PromptResult> {
    /// Sets an argument of the prompt (§5.5).
    pub fn arg(mut self, name: &str, value: &str) -> Call<'a, PromptResult> {
        if let Some(arguments) = self.object("arguments") {
            arguments.insert(name.to_owned(), value.into());
        }
        self
    }
}

impl<'a> Call<'a, CompletionResult> {
    /// Says what another argument is already (§5.6).
    pub fn known(mut self, name: &str, value: &str) -> Call<'a, CompletionResult> {
        if let Some(arguments) = self
            .object("context")
            .and_then(|context| context.entry("arguments").or_insert_with(|| json!({})).as_object_mut())
        {
            arguments.insert(name.to_owned(), value.into());
        }
        self
    }
}
