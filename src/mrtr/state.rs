//! §10.4 requestState integrity.
//! Law: a state is opened only for the method, the params and the principal that it was sealed for, and only in its time.
//! Law: every failure is the one row of this table, without data and without a cause.
//! Law: the signature is checked, in constant time, before anything that it covers is read.
//!
//! A token is signed, not encrypted: the client can read it, and can send it again until it expires. A state that may count
//! only once needs a record on the server.

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Number, Value, json};

use crate::crypto::{Keyring, Secret, hmac_sha256, verify};
use crate::envelope::{Object, json_text};
use crate::errors::{Fault, rules};

rules! {
    // const   id        code    text                                source
    BAD_STATE  "10.4-1"  -32602  "Invalid or expired request state"  "state.ex:121-134";
}

/// Params that differ between the rounds of one request, so that a state is not bound to them.
const UNBOUND: [&str; 3] = ["_meta", "requestState", "inputResponses"];

/// Says what an HMAC is of, so that none can pass for another. The reference's own words are a choice, and so are these.
const SCOPE: &[u8] = b"plain-mcp-mrtr-scope-v1:";
const TOKEN_V1: &[u8] = b"plain-mcp-mrtr-token-v1:";
const TOKEN_V2: &[u8] = b"plain-mcp-mrtr-token-v2:";

/// How many seconds the clock of another server of the same cluster may be ahead.
const SKEW: u64 = 30;

/// How deep `data` may be nested: well below the depth that the JSON reader accepts.
const DEPTH: usize = 100;

/// What signs states: nothing else is shared between the rounds of a request.
// req 10.3-7
#[derive(Clone, Debug)]
pub enum Keys {
    /// One secret: tokens `mrtr1.…`.
    One(Secret),
    /// Named secrets: tokens `mrtr2.<key id>.…`.
    Ring(Keyring),
}

impl From<Secret> for Keys {
    fn from(secret: Secret) -> Keys {
        Keys::One(secret)
    }
}

impl From<Keyring> for Keys {
    fn from(ring: Keyring) -> Keys {
        Keys::Ring(ring)
    }
}

/// What a state is bound to.
#[derive(Clone, Copy, Debug)]
pub struct Binding<'a> {
    /// The method of the request.
    pub method: &'a str,
    /// Its params; `_meta`, `requestState` and `inputResponses` are passed over.
    pub params: &'a Object,
    /// Who is calling, as the transport authenticated it; `None` for an anonymous caller.
    pub principal: Option<&'a str>,
}

/// The bounds of states.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// The most bytes of a token.
    pub bytes: usize,
    /// The longest life of a token, in seconds.
    pub ttl: u64,
}

/// Why a state could not be sealed: a mistake of the server's author.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SealError {
    /// The token would have `bytes` bytes, more than `limit`.
    TooLarge {
        /// Of this token.
        bytes: usize,
        /// The bound.
        limit: usize,
    },
    /// The data is nested more than 100 deep.
    TooDeep,
    /// The time to live is not within 1 and this many seconds.
    BadTtl(u64),
}

impl fmt::Display for SealError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SealError::TooLarge { bytes, limit } => write!(out, "request state of {bytes} bytes exceeds {limit} bytes"),
            SealError::TooDeep => write!(out, "request state is nested more than {DEPTH} deep"),
            SealError::BadTtl(limit) => write!(out, "request state must live 1 to {limit} seconds"),
        }
    }
}

impl std::error::Error for SealError {}

/// Seals `data` into a token that lives `ttl` seconds from `now`, in seconds since 1970.
// req 10.4-4
pub fn seal(
    keys: &Keys,
    binding: &Binding<'_>,
    data: &Value,
    now: u64,
    ttl: u64,
    bounds: Bounds,
) -> Result<String, SealError> {
    // req 10.4-6
    if !(1..=bounds.ttl).contains(&ttl) {
        return Err(SealError::BadTtl(bounds.ttl));
    }
    if !shallow(data, DEPTH) {
        return Err(SealError::TooDeep);
    }
    let (key_id, secret) = match keys {
        Keys::One(secret) => (None, secret),
        Keys::Ring(ring) => (Some(ring.current().0), ring.current().1),
    };
    let scope = URL_SAFE_NO_PAD.encode(hmac_sha256(secret.bytes(), &[SCOPE, scope(binding).as_bytes()]));
    let payload = json!([version(key_id), now, now.saturating_add(ttl), scope, data]);
    let payload = URL_SAFE_NO_PAD.encode(json_text(&payload));
    let tag = URL_SAFE_NO_PAD.encode(hmac_sha256(secret.bytes(), &signed(key_id, &payload)));
    // req 10.4-2 10.4-3
    let token = match key_id {
        None => ["mrtr1", &payload, &tag].join("."),
        Some(id) => ["mrtr2", id, &payload, &tag].join("."),
    };
    // req 10.4-7
    let bytes = token.len();
    if bytes > bounds.bytes { Err(SealError::TooLarge { bytes, limit: bounds.bytes }) } else { Ok(token) }
}

/// Opens a token: the data, if it was sealed by one of `keys` for this `binding` and `now` lies in its time.
pub fn open(keys: &Keys, binding: &Binding<'_>, token: &str, now: u64, bounds: Bounds) -> Result<Value, Fault> {
    read(keys, binding, token, now, bounds).ok_or_else(|| BAD_STATE.fault())
}

fn read(keys: &Keys, binding: &Binding<'_>, token: &str, now: u64, bounds: Bounds) -> Option<Value> {
    // req 10.4-7
    if token.len() > bounds.bytes {
        return None;
    }
    let parts: Vec<&str> = token.splitn(5, '.').collect();
    let (key_id, payload, tag) = match *parts.as_slice() {
        ["mrtr1", payload, tag] => (None, payload, tag),
        ["mrtr2", id, payload, tag] => (Some(id), payload, tag),
        _ => return None,
    };
    let tag = URL_SAFE_NO_PAD.decode(tag).ok()?;
    let secret =
        candidates(keys, key_id).into_iter().find(|secret| verify(secret.bytes(), &signed(key_id, payload), &tag))?;
    let payload: Vec<Value> = serde_json::from_slice(&URL_SAFE_NO_PAD.decode(payload).ok()?).ok()?;
    let [form, issued, expires, scoped, data] = <[Value; 5]>::try_from(payload).ok()?;
    let (issued, expires) = (issued.as_u64()?, expires.as_u64()?);
    let timely = issued <= now.saturating_add(SKEW) && now < expires && expires.checked_sub(issued)? <= bounds.ttl;
    let scoped = URL_SAFE_NO_PAD.decode(scoped.as_str()?).ok()?;
    let ours = verify(secret.bytes(), &[SCOPE, scope(binding).as_bytes()], &scoped);
    (form == version(key_id) && timely && ours).then_some(data)
}

/// req 10.4-3: the secrets that may have signed a token. A token without a key id may be of the time before the keyring, and one with
/// an id of a server that has the keyring already: so a cluster can move to a keyring one server at a time.
fn candidates<'a>(keys: &'a Keys, key_id: Option<&str>) -> Vec<&'a Secret> {
    match (keys, key_id) {
        (Keys::One(secret), _) => vec![secret],
        (Keys::Ring(ring), None) => ring.secrets().collect(),
        (Keys::Ring(ring), Some(id)) => ring.find(id).into_iter().collect(),
    }
}

/// The version of the payload.
fn version(key_id: Option<&str>) -> u64 {
    if key_id.is_some() { 2 } else { 1 }
}

/// req 10.4-2 10.4-3: what the signature covers.
fn signed<'a>(key_id: Option<&'a str>, payload: &'a str) -> Vec<&'a [u8]> {
    match key_id {
        None => vec![TOKEN_V1, payload.as_bytes()],
        Some(id) => vec![TOKEN_V2, id.as_bytes(), b".", payload.as_bytes()],
    }
}

/// req 10.4-5: what a state is bound to, as text: `[method, params, principal]`.
fn scope(binding: &Binding<'_>) -> String {
    let bound = binding.params.iter().filter(|(name, _)| !UNBOUND.contains(&name.as_str()));
    let mut out = String::from("[");
    out.push_str(&json_text(binding.method));
    out.push(',');
    write_object(bound.collect(), &mut out);
    out.push(',');
    out.push_str(&json_text(&binding.principal));
    out.push(']');
    out
}

/// Canonical JSON: no white space, members sorted by the bytes of their names, numbers by their value, so that `1` and `1.0`
/// are one (D19). It sorts itself, since another package may have told serde_json to keep the order of members.
pub fn canonical(value: &Value) -> String {
    let mut out = String::new();
    write(value, &mut out);
    out
}

fn write(value: &Value, out: &mut String) {
    match value {
        Value::Object(object) => write_object(object.iter().collect(), out),
        Value::Array(items) => {
            out.push('[');
            for (place, item) in items.iter().enumerate() {
                if place > 0 {
                    out.push(',');
                }
                write(item, out);
            }
            out.push(']');
        }
        Value::Number(number) => out.push_str(&number_text(number)),
        Value::Null | Value::Bool(_) | Value::String(_) => out.push_str(&json_text(value)),
    }
}

fn write_object(mut members: Vec<(&String, &Value)>, out: &mut String) {
    members.sort_unstable_by_key(|(name, _)| *name);
    out.push('{');
    for (place, (name, value)) in members.into_iter().enumerate() {
        if place > 0 {
            out.push(',');
        }
        out.push_str(&json_text(name));
        out.push(':');
        write(value, out);
    }
    out.push('}');
}

/// Integers as they are. A float that is a safe integer reads as that integer; any other has an exponent, so that it can
/// never read as an integer near it, and is short however small it is.
fn number_text(number: &Number) -> String {
    const SAFE: f64 = 9_007_199_254_740_991.0;
    match number.as_f64() {
        _ if number.is_i64() || number.is_u64() => number.to_string(),
        Some(0.0) => "0".to_owned(), // also -0.0
        Some(float) if float.fract() == 0.0 && float.abs() <= SAFE => float.to_string(),
        Some(float) => format!("{float:e}"),
        None => number.to_string(),
    }
}

/// Whether a value is nested at most `depth` deep.
fn shallow(value: &Value, depth: usize) -> bool {
    let inner = |value| depth.checked_sub(1).is_some_and(|depth| shallow(value, depth));
    match value {
        Value::Array(items) => items.iter().all(inner),
        Value::Object(members) => members.values().all(inner),
        _ => true,
    }
}
