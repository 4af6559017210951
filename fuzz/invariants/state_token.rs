//! Invariant: a token that opens is, byte by byte, one that we seal, for this method, these params and this caller, and in its time;
//! what is sealed opens as it was; and with one byte changed, or for another request, another caller or another time, it does not.

use std::sync::LazyLock;

use plain_mcp::mrtr::state::{Binding, Bounds, Keys, open, seal};
use plain_mcp::{Keyring, Secret};
use serde_json::{Map, Value, json};

use super::support::base64;

const NOW: u64 = 1_800_000_000;
const BOUNDS: Bounds = Bounds { bytes: 4096, ttl: 900 };

static ONE: LazyLock<Keys> = LazyLock::new(|| Secret::from_bytes([7; 32]).unwrap().into());
static RING: LazyLock<Keys> = LazyLock::new(|| {
    let ring = Keyring::new("a", Secret::from_bytes([7; 32]).unwrap()).unwrap();
    ring.rotate("b-2", Secret::from_bytes([9; 32]).unwrap()).unwrap().into()
});

static OLDER: LazyLock<Keys> =
    LazyLock::new(|| Keyring::new("a", Secret::from_bytes([7; 32]).unwrap()).unwrap().into());

/// Two bytes of change, then lines: params as JSON, data as JSON, a token.
pub fn check(data: &[u8]) {
    let [place, change, rest @ ..] = data else { return };
    let mut lines = rest.splitn(3, |byte| *byte == b'\n');
    let params: Map<String, Value> = serde_json::from_slice(lines.next().unwrap_or_default()).unwrap_or_default();
    let data: Value = serde_json::from_slice(lines.next().unwrap_or_default()).unwrap_or_default();
    let token = lines.next().and_then(|token| std::str::from_utf8(token).ok());
    let binding = Binding { method: "tools/call", params: &params, principal: Some("alice") };
    for keys in [&*ONE, &*RING] {
        if let Some(token) = token {
            judge(keys, &binding, token);
        }
        let ttl = 1 + u64::from(*place);
        let Ok(token) = seal(keys, &binding, &data, NOW, ttl, BOUNDS) else { return };
        assert!(
            token.len() <= BOUNDS.bytes
                && token.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
        );
        assert_eq!(open(keys, &binding, &token, NOW, BOUNDS), Ok(data.clone()));
        judge(keys, &binding, &token);
        only_so(keys, &binding, &token, ttl);
        let mut changed = token.clone().into_bytes();
        let at = (usize::from(*place) << 8 | usize::from(*change)) % changed.len();
        changed[at] = *change;
        if let Ok(changed) = String::from_utf8(changed) {
            assert_eq!(open(keys, &binding, &changed, NOW, BOUNDS).is_ok(), changed == token, "{changed} opens");
        }
    }
}

/// A token that opens is what one of our keys seals at its time, byte by byte.
fn judge(keys: &Keys, binding: &Binding<'_>, token: &str) {
    match open(keys, binding, token, NOW, BOUNDS) {
        Ok(data) => {
            let payload = token.rsplit('.').nth(1).and_then(|payload| base64::read(payload, base64::URL)).unwrap();
            let payload: Value = serde_json::from_slice(&payload).unwrap();
            let (issued, expires) = (payload[1].as_u64().unwrap(), payload[2].as_u64().unwrap());
            assert!(
                issued <= NOW + 30 && NOW < expires && expires - issued <= BOUNDS.ttl,
                "out of its time: {payload}"
            );
            let again =
                [&*ONE, &*OLDER, &*RING].map(|keys| seal(keys, binding, &data, issued, expires - issued, BOUNDS));
            assert!(again.contains(&Ok(token.to_owned())), "not as we seal it: {token}");
        }
        Err(fault) => {
            assert_eq!((fault.code().number(), fault.message()), (-32602, "Invalid or expired request state"));
            assert_eq!(fault.detail(), None);
        }
    }
}

/// What the token is bound to, and what it is not.
fn only_so(keys: &Keys, binding: &Binding<'_>, token: &str, ttl: u64) {
    let opens = |binding: Binding<'_>, now: u64| open(keys, &binding, token, now, BOUNDS).is_ok();
    assert!(opens(*binding, NOW - 30) && opens(*binding, NOW + ttl - 1));
    assert!(!opens(*binding, NOW - 31) && !opens(*binding, NOW + ttl) && !opens(*binding, u64::MAX));
    assert!(!opens(Binding { method: "prompts/get", ..*binding }, NOW));
    for principal in [None, Some(""), Some("bob")] {
        assert!(!opens(Binding { principal, ..*binding }, NOW), "{principal:?}");
    }
    let mut params = binding.params.clone();
    for unbound in ["_meta", "requestState", "inputResponses"] {
        params.insert(unbound.to_owned(), json!([token]));
    }
    assert!(opens(Binding { params: &params, ..*binding }, NOW), "the rounds of a request differ in these");
    params.insert("arguments2".to_owned(), json!(binding.params.get("arguments2").is_none_or(|value| *value != true)));
    assert!(!opens(Binding { params: &params, ..*binding }, NOW), "other params");
}
