//! §5 The method table of revision 2026-07-28, the stateless one.

use crate::dialect::row::{Dialect, Headers};
use crate::errors::Code;
use crate::handler::shared::Feature;
use crate::methods::{Method, NameFrom, completion, listen, lists, prompts, resources, tools};
use crate::{discover, meta, results};

/// Revision 2026-07-28.
pub static V2026_07_28: Dialect = Dialect {
    version: "2026-07-28",
    methods: METHODS,
    headers: Headers { version: true, mirror: true },
    read_meta: meta::read,
    shape: results::shape,
    status: Code::http_status,
};

/// A row that asks for nothing special.
const fn row(name: &'static str, needs: Feature, run: crate::methods::Run) -> Method {
    Method { name, needs, may_ask: false, streams: false, mcp_name: NameFrom::Nothing, run }
}

/// A row of §10: it may answer `input_required`, and names its object in `Mcp-Name`.
const fn asking(name: &'static str, needs: Feature, mcp_name: NameFrom, run: crate::methods::Run) -> Method {
    Method { may_ask: true, mcp_name, ..row(name, needs, run) }
}

#[rustfmt::skip]
static METHODS: &[Method] = &[
    //     method                      needs                 Mcp-Name         run
    row(   "server/discover",          Feature::Core,                         discover::run),
    row(   "tools/list",               Feature::Tools,                        lists::tools),
    asking("tools/call",               Feature::Tools,       NameFrom::Name,  tools::call),
    row(   "resources/list",           Feature::Resources,                    lists::resources),
    row(   "resources/templates/list", Feature::Resources,                    lists::templates),
    asking("resources/read",           Feature::Resources,   NameFrom::Uri,   resources::read),
    row(   "prompts/list",             Feature::Prompts,                      lists::prompts),
    asking("prompts/get",              Feature::Prompts,     NameFrom::Name,  prompts::get),
    row(   "completion/complete",      Feature::Completions,                  completion::complete),
    Method { streams: true, ..row("subscriptions/listen", Feature::Listen,    listen::listen) },
];
