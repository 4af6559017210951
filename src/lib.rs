//! plain-mcp: the Model Context Protocol, revision 2026-07-28, in plain synchronous Rust.
#![cfg_attr(all(feature = "http", feature = "client"), doc = include_str!("../README.md"))]
//!
//! # Table of contents
//!
//! The modules stand in the order of the wire reference; what a section stands on comes right before it.

// The ground: values that every section uses.
pub mod errors; // §12
pub mod limits;
pub mod clock;
pub mod crypto;
pub mod uri;
pub mod json; // §1

pub mod envelope; // §1
pub mod arrival;
pub mod sink;
pub mod types; // the shapes of §2, §5 and §10
pub mod meta; // §2
pub mod schema; // §5.1, §5.2
pub mod param_headers; // §13.6
pub mod caching; // §7
pub mod results; // §3
pub mod pagination; // §6
pub mod logging; // §8.1
pub mod progress; // §8.2
pub mod cancellation; // §9
pub mod mrtr; // §10
pub mod subscriptions; // §11

// What a handler sees, and what it is registered in.
pub mod handler;

pub mod discover; // §4
pub mod methods; // §5
pub mod dialect; // §13.4, §15

// The path of a request, and the two ends of it.
pub mod server;
mod pool;
#[cfg(feature = "http")]
pub mod http; // §13
pub mod stdio; // §14
#[cfg(feature = "client")]
pub mod client; // §18

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, MutexGuard, PoisonError};

// The paved path.
pub use crate::caching::{CacheHint, CachePolicy, CacheScope};
pub use crate::clock::{Clock, FixedClock, SystemClock};
pub use crate::crypto::{Keyring, Secret};
pub use crate::handler::context::Context;
pub use crate::handler::hooks::{Direction, Event, Outcome};
pub use crate::handler::shared::Feature;
pub use crate::handler::{
    Completion, Interrupt, NoArgs, PromptArguments, PromptOutput, ResourceOutput, ToolOutput, ToolResult, text,
};
pub use crate::limits::Limits;
pub use crate::methods::uri_template::Vars;
pub use crate::mrtr::InputRequired;
pub use crate::mrtr::capability::Need;
pub use crate::server::Server;
pub use crate::server::builder::ServerBuilder;
pub use crate::server::edit::{BuildError, Edit};
pub use crate::types::{
    ContentBlock, Implementation, Level, Prompt, PromptMessage, Resource, ResourceTemplate, Tool, contents, elicit,
    roots, sampling,
};

/// Takes a lock whatever happened to its last holder: what our locks guard is whole after every step.
pub(crate) fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs what others wrote, which may panic: `Err` is what the panic says. What it carries may panic in its turn when it is dropped; what
/// that one carries is not dropped any more.
pub(crate) fn contained<T>(run: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(run)).map_err(|payload| {
        let text = said(&*payload);
        if let Err(another) = catch_unwind(AssertUnwindSafe(|| drop(payload))) {
            std::mem::forget(another);
        }
        text
    })
}

fn said(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().copied().or(payload.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("no text").to_owned()
}
