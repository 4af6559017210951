//! §10 A call from its first request to its last result: rounds of input, and what can be mended on the way.
//! Law: a retry has a new id, the state byte for byte or not at all, and the inputs of the round before it alone.
//! Law: each fault is mended once for each call: a process that has ended, a lost session, a version, headers that do not fit.

use std::sync::Arc;
use std::time::Duration;

use crossbeam_channel::select;
use serde_json::Value;
use serde_json::value::RawValue;

use super::cancel::Cancel;
use super::connect::{self, own_meta};
use super::core::{Core, Peer};
use super::error::{Error, ServerError};
use super::message::Outgoing;
use super::options::{Options, Patience};
use super::post::{Answer, post};
use super::progress::{LogMessage, Progress};
use super::received::{Judged, judge};
use super::transport::Problem;
use crate::dialect::V2026_07_28;
use crate::envelope::{Object, RequestId};
use crate::errors::Code;
use crate::meta::{LOG_LEVEL_KEY, PROGRESS_TOKEN_KEY};
use crate::param_headers;

/// How long to wait before a retry for which nothing was asked: doubled each time, up to the second.
const BACK_OFF: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(5));

/// Lists the tools anew.
type Refresh = fn(&Arc<Core>, &Cancel) -> Result<(), Error>;

/// One method with its params, without `_meta`.
pub(crate) struct Plan<'p> {
    pub(crate) method: &'p str,
    pub(crate) params: Object,
    /// What to do once where the server finds headers that do not fit the body (-32020).
    pub(crate) refresh: Option<Refresh>,
}

impl<'p> Plan<'p> {
    pub(crate) fn new(method: &'p str, params: Object) -> Plan<'p> {
        Plan { method, params, refresh: None }
    }
}

/// What the next round carries.
#[derive(Default)]
struct Round {
    inputs: Option<Object>,
    state: Option<String>,
}

/// What has been mended already.
#[derive(Default)]
struct Mended {
    process: bool,
    session: bool,
    version: bool,
    headers: bool,
}

/// Calls until there is a result, and gives it as text.
pub(crate) fn complete(core: &Arc<Core>, plan: &Plan<'_>, options: &mut Options<'_>) -> Result<Box<RawValue>, Error> {
    let cached = core.settings.cache.as_ref().filter(|_| options.fields.is_empty());
    let context = core.settings.context();
    if let Some(cache) = cached.filter(|_| !options.fresh) {
        if let Some(result) = cache.get(context, plan.method, &plan.params) {
            return Ok(result);
        }
    }
    let patience = options.patience(core.settings.limits.timeout);
    let (mut round, mut mended, mut pause) = (Round::default(), Mended::default(), BACK_OFF.0);
    for number in 0..core.settings.limits.rounds {
        let (result, stateless) = attempt(core, plan, &round, &mut mended, (&patience, options))?;
        let judged = if stateless { judge(result.get(), core.settings.limits.values)? } else { Judged::Complete };
        let Judged::InputRequired(asked) = judged else {
            if let Some(cache) = cached.filter(|_| number == 0 && stateless) {
                cache.keep(context, plan.method, &plan.params, &result, core.settings.limits.cached);
            }
            return Ok(result);
        };
        if asked.requests.is_empty() {
            wait(core, &options.cancel, pause)?;
            pause = (pause * 2).min(BACK_OFF.1);
        }
        let mut inputs = Object::new();
        for (key, request) in &asked.requests {
            inputs.insert(key.clone(), core.settings.handlers.answer(request)?);
        }
        round = Round { inputs: (!inputs.is_empty()).then_some(inputs), state: asked.state };
    }
    Err(Error::TooLarge { what: "the number of rounds of a call", limit: core.settings.limits.rounds })
}

fn wait(core: &Core, cancel: &Cancel, pause: Duration) -> Result<(), Error> {
    let closed = core.closing();
    select! {
        recv(cancel.channel()) -> _ => Err(Error::Cancelled),
        recv(closed.channel()) -> _ => Err(Error::Cancelled),
        default(pause) => Ok(()),
    }
}

/// One round: a result as text, and whether the server is of the stateless revision.
fn attempt(
    core: &Arc<Core>,
    plan: &Plan<'_>,
    round: &Round,
    mended: &mut Mended,
    (patience, options): (&Patience, &mut Options<'_>),
) -> Result<(Box<RawValue>, bool), Error> {
    let mut peer = connect::peer(core, &options.cancel)?;
    loop {
        let answer = once(core, &peer, plan, round, (patience, options));
        let gone = matches!(answer, Ok(Answer { status: 404, .. }) | Err(Error::Status { status: 404, .. }));
        if gone && peer.session.is_some() && !mended.session {
            mended.session = true;
            core.forget(&peer);
            peer = connect::peer(core, &options.cancel)?;
            continue;
        }
        let restarts = matches!(answer, Err(Error::Transport { sent: false, .. })) && !core.transport.has_headers();
        if restarts && !mended.process {
            mended.process = true;
            core.forget(&peer);
            peer = connect::peer(core, &options.cancel)?;
            continue;
        }
        let error = match answer?.outcome {
            Ok(result) => return Ok((result, peer.spoken.stateless)),
            Err(error) => error,
        };
        if !mend(core, &peer, plan, &error, mended, &options.cancel)? {
            return Err(Error::Server(error));
        }
        peer = connect::peer(core, &options.cancel)?;
    }
}

/// Whether there is reason to try once more after an error of the stateless revision.
fn mend(
    core: &Arc<Core>,
    peer: &Arc<Peer>,
    plan: &Plan<'_>,
    error: &ServerError,
    mended: &mut Mended,
    cancel: &Cancel,
) -> Result<bool, Error> {
    if !peer.spoken.stateless {
        return Ok(false);
    }
    if error.code == Code::UNSUPPORTED_VERSION.number() && !mended.version {
        mended.version = true;
        core.unlearn();
        core.forget(peer);
        return Ok(true);
    }
    match plan.refresh {
        Some(refresh) if error.code == Code::HEADER_MISMATCH.number() && !mended.headers => {
            mended.headers = true;
            refresh(core, cancel).map(|()| true)
        }
        _ => Ok(false),
    }
}

/// One request.
fn once(
    core: &Arc<Core>,
    peer: &Peer,
    plan: &Plan<'_>,
    round: &Round,
    (patience, options): (&Patience, &mut Options<'_>),
) -> Result<Answer, Error> {
    let id = core.next_id();
    let mut params = plan.params.clone();
    let meta = meta(core, peer, &id, options);
    if !meta.is_empty() {
        params.insert("_meta".to_owned(), Value::Object(meta));
    }
    if let Some(inputs) = &round.inputs {
        params.insert("inputResponses".to_owned(), Value::Object(inputs.clone()));
    }
    if let Some(state) = &round.state {
        params.insert("requestState".to_owned(), Value::from(state.as_str()));
    }
    let mut request = Outgoing::request(id.clone(), plan.method, params);
    request.fields = fields(core, peer, plan.method, &plan.params);
    request.fields.extend(options.fields.iter().cloned());
    request.repeatable = plan.method != "tools/call";
    request.resumable = !peer.spoken.stateless;
    request.run = Some(peer.run);
    let cancel = options.cancel.clone();
    let mut hear = |method: &str, params: &Object| hear(core, &id, options, method, params);
    post(core, Some(peer), &request, (patience, &cancel), &mut hear)
}

/// The `_meta` of a request.
pub(crate) fn meta(core: &Core, peer: &Peer, id: &RequestId, options: &Options<'_>) -> Object {
    let mut meta = options.meta.clone();
    meta.extend(own_meta(core, peer));
    if options.patient || options.on_progress.is_some() {
        meta.insert(PROGRESS_TOKEN_KEY.to_owned(), id.to_value());
    }
    let client = core.settings.log.as_ref().map(|(level, _)| *level);
    let level = options.on_log.as_ref().map(|(level, _)| *level).or(client);
    if let Some(level) = level.filter(|_| peer.spoken.stateless) {
        meta.insert(LOG_LEVEL_KEY.to_owned(), serde_json::json!(level));
    }
    meta
}

/// The header fields of a request (§13.4 to §13.6).
pub(crate) fn fields(core: &Core, peer: &Peer, method: &str, params: &Object) -> Vec<(String, String)> {
    let mut fields = core.fields(peer);
    if !peer.spoken.stateless || !core.transport.has_headers() {
        return fields;
    }
    fields.push(("mcp-method".to_owned(), method.to_owned()));
    let row = V2026_07_28.method(method);
    let name = row.and_then(|row| row.mcp_name.member()).and_then(|member| params.get(member)).and_then(Value::as_str);
    fields.extend(name.map(|name| ("mcp-name".to_owned(), param_headers::encode(name).into_owned())));
    if let (true, Some(name)) = (row.is_some_and(|row| row.mirrors_arguments), name) {
        let none = Object::new();
        let arguments = params.get("arguments").and_then(Value::as_object).unwrap_or(&none);
        fields.extend(core.catalog.headers_for(name, arguments));
    }
    fields
}

/// What comes before the response; `true` for progress of this request.
pub(crate) fn hear(core: &Core, id: &RequestId, options: &mut Options<'_>, method: &str, params: &Object) -> bool {
    match method {
        "notifications/progress" => match Progress::read(params) {
            Ok(progress) if params.get(PROGRESS_TOKEN_KEY) == Some(&id.to_value()) => {
                if let Some(hear) = &mut options.on_progress {
                    hear(&progress);
                }
                return true;
            }
            Ok(_) => core.settings.problem(&Problem::Skipped("progress of another request".to_owned())),
            Err(problem) => core.settings.problem(&problem),
        },
        "notifications/message" if options.on_log.is_some() => match (LogMessage::read(params), &mut options.on_log) {
            (Ok(message), Some((level, hear))) if message.level >= *level => hear(&message),
            (Err(problem), _) => core.settings.problem(&problem),
            _ => {}
        },
        _ => core.noted(method, params),
    }
    false
}
