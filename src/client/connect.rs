//! §15 §18 Which revision the server speaks: asked once, and remembered.
//! Law: the stateless revision is tried first; only what no server of it would say leads to `initialize`, whatever the code.

use std::sync::Arc;

use serde_json::{Value, json};

use super::cancel::Cancel;
use super::core::{Core, Peer};
use super::error::{Error, ServerError};
use super::message::{self, Outgoing};
use super::options::Patience;
use super::post::{Answer, post, tell};
use super::transport::Problem;
use super::wait::Wait;
use crate::dialect::Spoken;
use crate::envelope::Object;
use crate::errors::Code;
use crate::meta::{CLIENT_CAPABILITIES, CLIENT_INFO_KEY, PROTOCOL_VERSION, SERVER_INFO};
use crate::types::{Implementation, ServerCapabilities};
use serde::Deserialize;

/// What the probe has shown.
enum Probe {
    /// A server of the stateless revision.
    Stateless(Box<Peer>),
    /// A server that names another revision which we speak.
    Other(&'static Spoken),
    /// No server of that revision: what it said instead.
    None(Error),
}

/// The server, as it is known; negotiates where it is not.
pub(crate) fn peer(core: &Arc<Core>, cancel: &Cancel) -> Result<Arc<Peer>, Error> {
    if let Some(peer) = core.peer() {
        return Ok(peer);
    }
    let _turn = core.turn(&Wait::endless("turn to connect", cancel))?;
    if let Some(peer) = core.peer() {
        return Ok(peer); // another call has negotiated meanwhile
    }
    let peer = Arc::new(negotiate(core, cancel)?);
    if !peer.spoken.stateless {
        tell(core, Some(&peer), "notifications/initialized", Object::new())?;
    }
    core.know(Arc::clone(&peer));
    if !peer.spoken.stateless {
        begin(core, &peer);
    }
    Ok(peer)
}

fn negotiate(core: &Arc<Core>, cancel: &Cancel) -> Result<Peer, Error> {
    let stateless = Spoken::preferred(true);
    if let Some(spoke) = core.spoke().filter(|spoken| !spoken.stateless) {
        return initialize(core, spoke, cancel); // another session of the same server
    }
    match (core.settings.pinned, stateless) {
        (Some(pinned), _) if !pinned.stateless => initialize(core, pinned, cancel),
        (Some(pinned), _) => match probe(core, pinned, cancel)? {
            Probe::Stateless(peer) => Ok(*peer),
            Probe::Other(spoken) => {
                Err(Error::protocol(format!("the server speaks {}, not {}", spoken.version, pinned.version)))
            }
            Probe::None(error) => Err(error),
        },
        (None, Some(first)) => match probe(core, first, cancel)? {
            Probe::Stateless(peer) => Ok(*peer),
            Probe::Other(spoken) => initialize(core, spoken, cancel),
            Probe::None(_) => fall_back(core, first, cancel),
        },
        (None, None) => Err(Error::Invalid("no revision to speak".to_owned())),
    }
}

/// `initialize`, and once more the probe where the refusal names the stateless revision: a server that was slow to start may have
/// missed the first.
fn fall_back(core: &Arc<Core>, stateless: &'static Spoken, cancel: &Cancel) -> Result<Peer, Error> {
    let first = Spoken::preferred(false).ok_or_else(|| Error::Invalid("no revision to speak".to_owned()))?;
    let refused = match initialize(core, first, cancel) {
        Err(error) if supports(error.server(), stateless) => error,
        outcome => return outcome,
    };
    match probe(core, stateless, cancel)? {
        Probe::Stateless(peer) => Ok(*peer),
        Probe::Other(_) | Probe::None(_) => Err(refused),
    }
}

/// The versions that an error names in `data.supported`.
fn supported(error: &ServerError) -> Option<Vec<&str>> {
    let listed = error.data.as_ref()?.get("supported")?.as_array()?;
    Some(listed.iter().filter_map(Value::as_str).collect())
}

fn supports(error: Option<&ServerError>, spoken: &Spoken) -> bool {
    error.and_then(supported).is_some_and(|versions| versions.contains(&spoken.version))
}

/// An error that only a server of the stateless revision sends (§12).
fn is_modern(error: &ServerError) -> bool {
    [Code::HEADER_MISMATCH, Code::MISSING_CLIENT_CAPABILITY, Code::UNSUPPORTED_VERSION]
        .iter()
        .any(|code| code.number() == error.code)
}

/// `server/discover`, twice at most: an error -32022 that names the version all the same is no refusal of it.
fn probe(core: &Arc<Core>, spoken: &'static Spoken, cancel: &Cancel) -> Result<Probe, Error> {
    let mut outcome = probe_once(core, spoken, cancel)?;
    if let Probe::None(error) = &outcome {
        if supports(error.server(), spoken) {
            outcome = probe_once(core, spoken, cancel)?;
        }
    }
    match outcome {
        Probe::None(Error::Server(error)) if is_modern(&error) => {
            let best = supported(&error).and_then(|versions| Spoken::best_of(versions.into_iter()));
            match best {
                Some(other) if error.code == Code::UNSUPPORTED_VERSION.number() && other != spoken => {
                    Ok(Probe::Other(other))
                }
                _ => Err(Error::Server(error)),
            }
        }
        outcome => Ok(outcome),
    }
}

fn probe_once(core: &Arc<Core>, spoken: &'static Spoken, cancel: &Cancel) -> Result<Probe, Error> {
    let peer = Peer {
        spoken,
        version: spoken.version,
        session: None,
        server: None,
        capabilities: ServerCapabilities::default(),
        instructions: None,
        run: 0,
    };
    let mut params = Object::new();
    params.insert("_meta".to_owned(), Value::Object(own_meta(core, &peer)));
    let mut request = Outgoing::request(core.next_id(), "server/discover", params);
    request.repeatable = true;
    request.fields = core.fields(&peer);
    if core.transport.has_headers() {
        request.fields.push(("mcp-method".to_owned(), "server/discover".to_owned()));
    }
    let patience = Patience::short(core.settings.limits.probe_timeout);
    let mut hear = |method: &str, params: &Object| {
        core.noted(method, params);
        false
    };
    match post(core, Some(&peer), &request, (&patience, cancel), &mut hear) {
        Ok(Answer { outcome: Ok(result), run, .. }) => {
            let result = message::value(result.get(), core.settings.limits.values)?;
            Ok(discovered(spoken, &result, run))
        }
        Ok(Answer { outcome: Err(error), .. }) => Ok(Probe::None(Error::Server(error))),
        // who must log in first says so in any revision, and a server in trouble says nothing of its revision
        Err(error @ Error::Status { status: 401 | 403 | 500.., .. }) => Err(error),
        Err(error @ (Error::Status { .. } | Error::Timeout { .. } | Error::Protocol(_))) => Ok(Probe::None(error)),
        // a process may end at a request that it does not know
        Err(error @ Error::Transport { sent: true, .. }) if !core.transport.has_headers() => Ok(Probe::None(error)),
        Err(error) => Err(error),
    }
}

/// What a result of `server/discover` says. One without versions is none.
fn discovered(spoken: &'static Spoken, result: &Value, run: u64) -> Probe {
    let Some(versions) = result.get("supportedVersions").and_then(Value::as_array) else {
        return Probe::None(Error::protocol("a result of server/discover without supportedVersions"));
    };
    let versions: Vec<&str> = versions.iter().filter_map(Value::as_str).collect();
    if !versions.contains(&spoken.version) {
        return match Spoken::best_of(versions.into_iter()) {
            Some(other) => Probe::Other(other),
            None => Probe::None(Error::protocol("a server that speaks no revision of ours")),
        };
    }
    let info = result.get("_meta").and_then(|meta| meta.get(SERVER_INFO)).or_else(|| result.get("serverInfo"));
    Probe::Stateless(Box::new(Peer { run, ..described(spoken, spoken.version, info, result) }))
}

/// What a result says of its server. What cannot be read counts as not said.
fn described(spoken: &'static Spoken, version: &'static str, info: Option<&Value>, result: &Value) -> Peer {
    let capabilities = result.get("capabilities").and_then(|offered| ServerCapabilities::deserialize(offered).ok());
    Peer {
        spoken,
        version,
        session: None,
        server: info.and_then(|info| Implementation::deserialize(info).ok()),
        capabilities: capabilities.unwrap_or_default(),
        instructions: result.get("instructions").and_then(Value::as_str).map(str::to_owned),
        run: 0,
    }
}

/// What each request says of this client (§2); nothing where `initialize` has said it.
pub(crate) fn own_meta(core: &Core, peer: &Peer) -> Object {
    let mut meta = Object::new();
    if peer.spoken.stateless || peer.version != peer.spoken.version {
        meta.insert(PROTOCOL_VERSION.to_owned(), json!(peer.version));
        meta.insert(CLIENT_INFO_KEY.to_owned(), core.settings.info(peer.spoken));
        meta.insert(CLIENT_CAPABILITIES.to_owned(), Value::Object(core.settings.handlers.capabilities(peer.spoken)));
    }
    meta
}

/// The handshake of the initialize era, up to its result.
fn initialize(core: &Arc<Core>, proposed: &'static Spoken, cancel: &Cancel) -> Result<Peer, Error> {
    let mut params = Object::new();
    params.insert("protocolVersion".to_owned(), json!(proposed.version));
    params.insert("capabilities".to_owned(), Value::Object(core.settings.handlers.capabilities(proposed)));
    params.insert("clientInfo".to_owned(), core.settings.info(proposed));
    let mut request = Outgoing::request(core.next_id(), "initialize", params);
    request.fields = core.settings.fields.clone();
    if core.transport.has_headers() {
        request.fields.push(("mcp-method".to_owned(), "initialize".to_owned()));
    }
    let patience = Patience::short(core.settings.limits.timeout);
    let mut hear = |method: &str, params: &Object| {
        core.noted(method, params);
        false
    };
    let answer = post(core, None, &request, (&patience, cancel), &mut hear)?;
    let run = answer.run;
    let result = message::value(answer.outcome?.get(), core.settings.limits.values)?;
    let named = result.get("protocolVersion").and_then(Value::as_str).unwrap_or_default();
    let answered = Spoken::named(named).ok_or_else(|| {
        Error::protocol(format!("initialize was answered with the version {named:?}, which this client does not speak"))
    })?;
    if core.settings.pinned.is_some_and(|pinned| pinned != answered) {
        return Err(Error::protocol(format!("the server speaks {}, not {}", answered.version, proposed.version)));
    }
    // a server that answers with the stateless revision is borne: its own name for the version, all the rest as proposed
    let spoken = if answered.stateless { proposed } else { answered };
    if answered.stateless {
        core.settings.problem(&Problem::Lenient(format!("initialize was answered with {}", answered.version)));
    }
    let peer = described(spoken, answered.version, result.get("serverInfo"), &result);
    Ok(Peer { session: answer.session, run, ..peer })
}

/// What follows the handshake: the stream of the server's own messages, the log level.
fn begin(core: &Arc<Core>, peer: &Arc<Peer>) {
    core.transport.listen(core.fields(peer));
    let Some((level, _)) = core.settings.log.as_ref().filter(|_| peer.capabilities.logging.is_some()) else { return };
    let mut params = Object::new();
    params.insert("level".to_owned(), json!(level));
    let mut request = Outgoing::request(core.next_id(), "logging/setLevel", params);
    request.fields = core.fields(peer);
    request.run = Some(peer.run);
    let patience = Patience::short(core.settings.limits.timeout);
    let answer = post(core, Some(peer), &request, (&patience, &Cancel::new()), &mut |method, params| {
        core.noted(method, params);
        false
    });
    if let Err(error) = answer.and_then(|answer| Ok(answer.outcome?)) {
        core.settings.problem(&Problem::Lenient(format!("logging/setLevel was refused: {error}")));
    }
}
