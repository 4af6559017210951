//! §6 Lists, page by page.
//! Law: a cursor is given back as it came, an empty one too; one that comes twice is an error, never a loop.

use std::collections::HashSet;
use std::sync::Arc;

use serde_json::Value;

use super::cancel::Cancel;
use super::core::Core;
use super::error::{Error, ServerError};
use super::options::Options;
use super::received::{Received, page};
use super::rounds::{Plan, complete};
use super::transport::Problem;
use crate::envelope::Object;
use crate::errors::Code;
use crate::types::Tool;
use serde::de::DeserializeOwned;

/// All items of a list. What one page says goes to `each` as it comes.
pub(crate) fn all<T: DeserializeOwned>(
    core: &Arc<Core>,
    (method, member): (&str, &str),
    options: &mut Options<'_>,
) -> Result<Vec<Received<T>>, Error> {
    let (mut items, mut seen, mut cursor) = (Vec::new(), HashSet::new(), None);
    for _ in 0..core.settings.limits.pages {
        let mut params = Object::new();
        params.extend(cursor.take().map(|cursor: String| ("cursor".to_owned(), Value::from(cursor))));
        let later = !params.is_empty();
        let text = match complete(core, &Plan::new(method, params), options) {
            // a page out of the cache may have named a cursor that is none any more
            Err(Error::Server(error)) if later && !options.fresh && is_stale(core, &error) => {
                core.settings.cache.iter().for_each(|cache| cache.forget(method));
                options.fresh = true;
                (items, seen) = (Vec::new(), HashSet::new());
                continue;
            }
            text => text?,
        };
        let page = page(text.get(), member, core.settings.limits.values)?;
        items.extend(page.items);
        page.problems.iter().for_each(|problem| core.settings.problem(problem));
        let Some(next) = page.next_cursor else { return Ok(items) };
        if !seen.insert(next.clone()) {
            return Err(Error::protocol(format!("{method} gave the same cursor twice")));
        }
        cursor = Some(next);
    }
    Err(Error::TooLarge { what: "the number of pages of a list", limit: core.settings.limits.pages })
}

/// Whether an error of a later page may come of an earlier one that was kept.
fn is_stale(core: &Core, error: &ServerError) -> bool {
    core.settings.cache.is_some() && error.code == Code::INVALID_PARAMS.number()
}

/// All tools. Where requests have headers, those with annotations that break a rule are left out (§13.6), and the others' are kept.
pub(crate) fn tools(core: &Arc<Core>, options: &mut Options<'_>) -> Result<Vec<Received<Tool>>, Error> {
    let tools = all::<Tool>(core, ("tools/list", "tools"), options)?;
    let stateless = core.peer().is_none_or(|peer| peer.spoken.stateless);
    if !core.transport.has_headers() || !stateless {
        return Ok(tools);
    }
    let (tools, problems): (Vec<Received<Tool>>, Vec<Problem>) = core.catalog.take(tools);
    problems.iter().for_each(|problem| core.settings.problem(problem));
    Ok(tools)
}

/// Lists the tools where that has not been done yet: a call needs their annotations (§13.6). A list that cannot be had stops no call.
pub(crate) fn know(core: &Arc<Core>, cancel: &Cancel) -> Result<(), Error> {
    if !core.catalog.is_new() {
        return Ok(());
    }
    match refresh(core, cancel) {
        Err(Error::Cancelled) => Err(Error::Cancelled),
        Err(error) => {
            core.catalog.take(Vec::new());
            core.settings.problem(&Problem::Lenient(format!("the tools cannot be listed: {error}")));
            Ok(())
        }
        Ok(()) => Ok(()),
    }
}

/// Lists the tools anew, for their annotations alone.
pub(crate) fn refresh(core: &Arc<Core>, cancel: &Cancel) -> Result<(), Error> {
    let mut options = Options { fresh: true, cancel: cancel.clone(), ..Options::default() };
    tools(core, &mut options).map(drop)
}
