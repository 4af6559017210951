//! §5.1 §5.3 §5.5 §6 tools/list, resources/list, resources/templates/list, prompts/list.
//! Law: a page is serialised when it is first asked for, and then served as it is until the catalog changes.

use std::sync::Arc;

use crate::caching::CacheHint;
use crate::envelope::{Body, Object};
use crate::handler::Interrupt;
use crate::handler::catalog::{Catalog, List, Pages, hash};
use crate::handler::context::Context;
use crate::pagination::{self, INVALID};
use crate::results::Reply;

pub(crate) fn tools(params: &Object, cx: &Context<'_>, catalog: &Catalog) -> Result<Reply, Interrupt> {
    page(params, cx, catalog, List::Tools)
}

pub(crate) fn resources(params: &Object, cx: &Context<'_>, catalog: &Catalog) -> Result<Reply, Interrupt> {
    page(params, cx, catalog, List::Resources)
}

pub(crate) fn templates(params: &Object, cx: &Context<'_>, catalog: &Catalog) -> Result<Reply, Interrupt> {
    page(params, cx, catalog, List::Templates)
}

pub(crate) fn prompts(params: &Object, cx: &Context<'_>, catalog: &Catalog) -> Result<Reply, Interrupt> {
    page(params, cx, catalog, List::Prompts)
}

// req 5.1-6 6-3: the same page for whoever asks
fn page(params: &Object, cx: &Context<'_>, catalog: &Catalog, list: List) -> Result<Reply, Interrupt> {
    let pages = pages(cx, catalog, list);
    let paged = paged(cx, &pages.hash, pages.length);
    let start = pagination::start(&paged, params.get("cursor"))?;
    // a cursor of ours points at the start of a page
    let at = start.checked_div(paged.size).filter(|at| at * paged.size == start);
    let body = at.and_then(|at| pages.bodies.get(at)).ok_or_else(|| INVALID.fault())?;
    Ok(Reply::ready(body.clone()))
}

fn paged<'a>(cx: &'a Context<'_>, hash: &'a str, total: usize) -> pagination::List<'a> {
    let limits = &cx.shared.limits;
    pagination::List {
        version: cx.version,
        method: cx.method,
        hash,
        total,
        size: limits.page,
        cursor_limit: limits.cursor,
    }
}

fn pages(cx: &Context<'_>, catalog: &Catalog, list: List) -> Arc<Pages> {
    catalog.pages(cx.version, list, || {
        let items = catalog.items(list);
        let hash = hash(&items);
        let paged = paged(cx, &hash, items.len());
        // req 5.1-7 6-8: an empty list is a page too; each page begins where the one before it ended
        let starts = (0..items.len().max(1)).step_by(paged.size.max(1));
        let pages = starts.map(|start| paged.page_at(start));
        let bodies = pages.map(|page| body(cx, list, items.get(page.range).unwrap_or_default(), page.next)).collect();
        Pages { length: items.len(), bodies, hash }
    })
}

/// One page, shaped (§3, §7).
fn body(cx: &Context<'_>, list: List, items: &[String], next: Option<String>) -> Body {
    let (member, hint) = facts(cx, list);
    let reply = Reply::new()
        .member_text(member, ["[", &items.join(","), "]"].concat())
        .optional("nextCursor", next.as_ref())
        .cached(hint);
    (cx.shape)("complete", reply, cx.shared.stamp.as_ref())
}

/// req 7-4: the member that holds the items, and the policy of the list, one for all its pages.
fn facts(cx: &Context<'_>, list: List) -> (&'static str, CacheHint) {
    let cache = &cx.shared.cache;
    match list {
        List::Tools => ("tools", cache.tools),
        List::Resources => ("resources", cache.resources),
        List::Templates => ("resourceTemplates", cache.templates),
        List::Prompts => ("prompts", cache.prompts),
    }
}
