//! §5 The method table of revision 2026-07-28, the stateless one.

use crate::dialect::row::{Dialect, Headers};
use crate::errors::Code;
use crate::handler::shared::Feature;
use crate::methods::{Method, NameFrom, Run, completion, listen, lists, prompts, resources, tools};
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

/// A row, in the order of the columns below.
const fn row(
    name: &'static str,
    needs: Feature,
    may_ask: bool,
    streams: bool,
    mcp_name: NameFrom,
    mirrors_arguments: bool,
    run: Run,
) -> Method {
    Method { name, needs, may_ask, streams, mcp_name, mirrors_arguments, run }
}

const NONE: NameFrom = NameFrom::Nothing;
const NAME: NameFrom = NameFrom::Name;
const URI: NameFrom = NameFrom::Uri;

// req 5.7-2 15-5: what is not in the table does not exist, `initialize` and `ping` among them
#[rustfmt::skip]
static METHODS: &[Method] = &[
    //                              §4                    §10    §11    §13.5 §13.6
    //  method                      needs                 asks   stream name  params run
    row("server/discover",          Feature::Core,        false, false, NONE, false, discover::run),
    row("tools/list",               Feature::Tools,       false, false, NONE, false, lists::tools),
    row("tools/call",               Feature::Tools,       true,  false, NAME, true,  tools::call),
    row("resources/list",           Feature::Resources,   false, false, NONE, false, lists::resources),
    row("resources/templates/list", Feature::Resources,   false, false, NONE, false, lists::templates),
    row("resources/read",           Feature::Resources,   true,  false, URI,  false, resources::read),
    row("prompts/list",             Feature::Prompts,     false, false, NONE, false, lists::prompts),
    row("prompts/get",              Feature::Prompts,     true,  false, NAME, false, prompts::get),
    row("completion/complete",      Feature::Completions, false, false, NONE, false, completion::complete),
    row("subscriptions/listen",     Feature::Listen,      false, true,  NONE, false, listen::listen),
];
