//! §13.2 Admission: the numbered steps between the bytes and the server.
//! Law: the steps run in the order of the reference; the first that fails answers, and nothing after it runs.
//! Law: admission is a function of the head, the body and the settings; it knows no socket.

use serde_json::Value;

use super::gate::{Challenge, Gate};
use super::peer::RawRequest;
use super::{headers, media, origin};
use crate::arrival::{Principal, RequestHead};
use crate::dialect::{self, Dialect, name_versions, name_versions_in};
use crate::envelope::{self, Message, Notification, Object, Refused, Request, RequestId};
use crate::errors::{Fault, Rule, rules};
use crate::meta;
use crate::methods::Method;
use crate::server::Server;

rules! {
    // const        id         code   / status  text                                                       source
    POST_ONLY       "13.1-1"   -32600 / 405     "Streamable HTTP accepts POST only"                        "streamable_http.ex:171-175, 609-621";
    NO_ENDPOINT     "13.1-2"   -32600 / 404     "No MCP endpoint at this path"                             "ours";
    CONTENT_TYPE    "13.2-1"   -32600 / 415     "Expected application/json"                                "streamable_http.ex:264-272";
    ACCEPT          "13.2-2"   -32600 / 406     "Accept must list application/json and text/event-stream"  "ours";
    UNAUTHORIZED    "13.2-11"  -32600 / 401     "Authentication is required"                               "ours";
    FORBIDDEN       "13.2-12"  -32600 / 403     "Caller is not allowed"                                    "ours";
}

/// What [`Exchange::judge_head`](super::Exchange::judge_head) has found out of a request whose head has passed; a host hands it to
/// [`Exchange::run`](super::Exchange::run).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Passed {
    /// Who is calling, where an authenticator knows.
    pub principal: Option<Principal>,
}

/// A message that has passed all steps.
pub(crate) enum Admitted {
    /// To be served.
    Call(Call),
    /// To be accepted.
    Notification(Notification),
    /// To be accepted and ignored: no request of ours can have asked for it.
    Response,
}

/// A request, the dialect that it speaks and its row there, if it has one.
pub(crate) struct Call {
    pub(crate) request: Request,
    pub(crate) dialect: &'static Dialect,
    pub(crate) method: Option<&'static Method>,
}

/// Why a request goes no further.
#[derive(Debug)]
pub(crate) struct Refusal {
    /// The HTTP status.
    pub(crate) status: u16,
    /// The id, where it is known.
    pub(crate) id: Option<RequestId>,
    /// The error; `None` where the body stays empty.
    pub(crate) fault: Option<Box<Fault>>,
    /// A field that belongs to this refusal.
    pub(crate) field: Option<(&'static str, String)>,
}

impl Refusal {
    pub(crate) fn by(rule: &'static Rule) -> Refusal {
        Refusal::of(None, rule.fault())
    }

    /// req 12-2: the status is that of the fault's rule, where the transport names one, else that of its code.
    fn of(id: Option<RequestId>, fault: Fault) -> Refusal {
        let status = fault.status().unwrap_or(fault.code().http_status());
        Refusal { status, id, fault: Some(Box::new(fault)), field: None }
    }

    /// req 13.2-8, 13.2-9: a notification is never answered; the id is there where it can be read.
    fn envelope(refused: Refused) -> Refusal {
        if refused.notification { Refusal::silent() } else { Refusal::of(refused.id, refused.fault) }
    }

    fn silent() -> Refusal {
        Refusal { status: 400, id: None, fault: None, field: None }
    }

    fn with(self, name: &'static str, value: String) -> Refusal {
        Refusal { field: Some((name, value)), ..self }
    }
}

/// Steps 1 to 5, which need no body.
// req 13.2-4: in this order
// req 13.1-4: no step looks for Mcp-Session-Id or Last-Event-ID
pub(crate) fn head(head: &RequestHead, gate: &Gate) -> Result<Passed, Refusal> {
    let (authority, path) = target(&head.target);
    demand(path == gate.served(), &NO_ENDPOINT)?; //          §13.1
    post(head)?; //                                           step 1
    gate.origins.check(head).map_err(Refusal::by)?; //        step 2
    gate.hosts.check(head, authority).map_err(Refusal::by)?; // step 3
    let principal = who_calls(head, gate)?; //                step 3a
    demand(media::is_json(head), &CONTENT_TYPE)?; //          step 4
    demand(media::accepts_both(head), &ACCEPT)?; //           step 5
    Ok(Passed { principal })
}

/// Steps 6 to 10.
// req 13.2-3, 13.2-5: step 6 is that of the envelope
#[inline(never)] // a thread that waits in a handler does not keep room for it
pub(crate) fn body(request: &RawRequest<'_>, server: &Server) -> Result<Admitted, Refusal> {
    let head = request.head;
    let versions = &server.shared.versions;
    let refused = |refused| Refusal::envelope(name_versions_in(refused, versions));
    match envelope::read(request.body, server.limits()).map_err(refused)? {
        //   steps 6 and 8
        Message::Response => Ok(Admitted::Response), //                                       step 7
        Message::Notification(note) => {
            note_headers(head, &note, server).map_err(|_| Refusal::silent())?;
            Ok(Admitted::Notification(note))
        }
        Message::Request(request) => {
            let refuse = |fault| Refusal::of(Some(request.id.clone()), name_versions(&request.method, fault, versions));
            let dialect = version(head, &request.params, server).map_err(refuse)?; //         step 9
            let method = dialect.method(&request.method).filter(|method| server.shared.offer.has(method.needs));
            mirrors(head, &request, method, dialect, server).map_err(refuse)?; //             step 10
            Ok(Admitted::Call(Call { request, dialect, method }))
        }
    }
}

/// Step 9 (§13.4).
// req 13.4-2, 13.4-3, 13.4-4, 13.4-5: `select` compares what the header and the body name
fn version(head: &RequestHead, params: &Object, server: &Server) -> Result<&'static Dialect, Fault> {
    let header = headers::version(head)?;
    let dialect = dialect::select(header, params, &server.dialects)?;
    if header.is_none() && dialect.headers.version { Err(headers::no_version()) } else { Ok(dialect) }
}

/// Step 10 (§13.5, §13.6). A method that does not exist has no name to compare: it is refused as such (§5.7).
// req 13.5-3: the row of the method says whether it has a name, and under which param
fn mirrors(
    head: &RequestHead,
    request: &Request,
    method: Option<&Method>,
    dialect: &Dialect,
    server: &Server,
) -> Result<(), Fault> {
    if !dialect.headers.mirror {
        return Ok(());
    }
    headers::method(head, &request.method)?;
    let Some((method, member)) = method.and_then(|method| Some((method, method.mcp_name.member()?))) else {
        return Ok(());
    };
    let name = request.params.get(member);
    headers::name(head, name)?;
    match name.and_then(Value::as_str).filter(|_| method.mirrors_arguments) {
        Some(tool) => headers::params(head, &server.mirrors(tool), request.params.get("arguments")),
        None => Ok(()),
    }
}

/// Steps 9 and 10 for a notification, whose `_meta` is looked at for its shape (§2).
fn note_headers(head: &RequestHead, note: &Notification, server: &Server) -> Result<(), Fault> {
    let dialect = version(head, &note.params, server)?;
    meta::read_notification(&note.params, server.limits())?;
    if dialect.headers.mirror { headers::notification_method(head, &note.method) } else { Ok(()) }
}

/// Steps 1 to 3 for a browser's preflight, which has neither a caller nor a body; `None` if the request is none, or CORS is off.
pub(crate) fn preflight(head: &RequestHead, gate: &Gate) -> Option<Result<(), Refusal>> {
    let asked = gate.cors && origin::is_preflight(head);
    asked.then(|| {
        let (authority, path) = target(&head.target);
        demand(path == gate.served(), &NO_ENDPOINT)?;
        gate.origins.check(head).map_err(Refusal::by)?;
        gate.hosts.check(head, authority).map_err(Refusal::by)
    })
}

fn demand(holds: bool, rule: &'static Rule) -> Result<(), Refusal> {
    if holds { Ok(()) } else { Err(Refusal::by(rule)) }
}

/// Step 1.
fn post(head: &RequestHead) -> Result<(), Refusal> {
    if head.method == "POST" { Ok(()) } else { Err(Refusal::by(&POST_ONLY).with("allow", "POST".to_owned())) }
}

/// Step 3a: who is calling, where the application wants to know.
fn who_calls(head: &RequestHead, gate: &Gate) -> Result<Option<Principal>, Refusal> {
    let Some(authenticate) = &gate.authenticate else { return Ok(None) };
    authenticate(head).map_err(|challenge| match challenge {
        Challenge::Unauthorized(text) => Refusal::by(&UNAUTHORIZED).with("www-authenticate", field_text(&text)),
        Challenge::Forbidden(text) if text.is_empty() => Refusal::by(&FORBIDDEN),
        Challenge::Forbidden(text) => Refusal::by(&FORBIDDEN).with("www-authenticate", field_text(&text)),
    })
}

/// What of a text may stand in a field: a line break there would begin another field.
fn field_text(text: &str) -> String {
    text.chars().filter(|character| matches!(character, ' '..='~')).collect()
}

/// The authority, if the request target is in absolute form, and the path without its query.
fn target(target: &str) -> (Option<&str>, &str) {
    let path_of = |text: &'_ str| text.find(['?', '#']).unwrap_or(text.len());
    let absolute =
        target.split_once("://").filter(|(scheme, _)| ["http", "https"].contains(&&*scheme.to_ascii_lowercase()));
    let (authority, rest) = match absolute {
        Some((_, rest)) => {
            let (authority, path) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
            (Some(authority), path)
        }
        None => (None, target),
    };
    (authority, rest.split_at(path_of(rest)).0)
}
