//! §10.4 requestState integrity.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use plain_mcp::crypto::{Keyring, Secret, hmac_sha256};
use plain_mcp::envelope::Object;
use plain_mcp::mrtr::state::{Binding, Bounds, Keys, SealError, canonical, open, seal};
use serde_json::{Value, json};

use crate::random::Random;

const NOW: u64 = 1000;
const BOUNDS: Bounds = Bounds { bytes: 16 * 1024, ttl: 900 };
const V1: &str = "mrtr1.WzEsMTAwMCwxMzAwLCJLQW1QZ0J1UHJwYU5FLVc0SGU2Vjk5N3BqVzhZRVdHUlEzbTk5cno1Rm1RIix7InN0ZXAiOjF9XQ.tj6mISzghdIVaeCC7TwPWNIIQGiM_eHI0LyUtf70EfA";
const V2: &str = "mrtr2.k-1.WzIsMTAwMCwxMzAwLCJLQW1QZ0J1UHJwYU5FLVc0SGU2Vjk5N3BqVzhZRVdHUlEzbTk5cno1Rm1RIix7InN0ZXAiOjF9XQ.yW6Gg4m2L7VuDaVQtglkRnVHTNZ7Eg3g3ALEtZ6_Xig";

fn bytes() -> [u8; 32] {
    std::array::from_fn(|place| u8::try_from(place).unwrap())
}

fn one() -> Keys {
    Secret::from_bytes(bytes()).unwrap().into()
}

fn ring() -> Keyring {
    Keyring::new("k-1", Secret::from_bytes(bytes()).unwrap()).unwrap()
}

fn other() -> Secret {
    Secret::from_bytes([9; 32]).unwrap()
}

fn params() -> Object {
    let params = json!({"name": "ask", "arguments": {"b": [true, null, "ü\n"], "a": 1}, "_meta": {"x": 1},
        "requestState": "old", "inputResponses": {"name": {}}});
    params.as_object().unwrap().clone()
}

fn binding(params: &Object) -> Binding<'_> {
    Binding { method: "tools/call", params, principal: Some("alice") }
}

fn opens(keys: &Keys, params: &Value, token: &str, now: u64) -> bool {
    open(keys, &binding(params.as_object().unwrap()), token, now, BOUNDS).is_ok()
}

/// A token with this payload and a true signature.
fn forged(payload: &str) -> String {
    let payload = URL_SAFE_NO_PAD.encode(payload);
    let tag = hmac_sha256(&bytes(), &[b"plain-mcp-mrtr-token-v1:", payload.as_bytes()]);
    format!("mrtr1.{payload}.{}", URL_SAFE_NO_PAD.encode(tag))
}

#[test]
fn the_format_is_the_references() {
    covers!("10.4-2", "10.4-3", "10.4-4", "10.4-5");
    // The two texts were computed by another implementation of HMAC.
    let params = params();
    let data = json!({"step": 1});
    assert_eq!(seal(&one(), &binding(&params), &data, NOW, 300, BOUNDS).unwrap(), V1);
    assert_eq!(seal(&ring().into(), &binding(&params), &data, NOW, 300, BOUNDS).unwrap(), V2);
    assert_eq!(open(&one(), &binding(&params), V1, NOW, BOUNDS), Ok(data.clone()));
    assert_eq!(open(&ring().into(), &binding(&params), V2, NOW, BOUNDS), Ok(data));
}

#[test]
fn every_failure_is_the_one_error() {
    covers!("10.4-1");
    let params = params();
    for token in ["", ".", "mrtr1", "mrtr1.", "mrtr1..", "mrtr3.a.b", "mrtr1.a.b.c", "mrtr2.k-1.a", "x", "mrtr1.é.é"]
    {
        let fault = open(&one(), &binding(&params), token, NOW, BOUNDS).unwrap_err();
        assert_eq!(
            (fault.code().number(), fault.message(), fault.detail()),
            (-32602, "Invalid or expired request state", None),
            "{token:?}"
        );
    }
    for token in [format!("{V1}-TAMPERED"), format!("{V1}="), format!("{V1}.x"), format!(" {V1}"), V1.to_uppercase()] {
        assert!(!opens(&one(), &json!(params), &token, NOW), "{token}");
    }
}

#[test]
fn no_bit_can_be_changed() {
    covers!("10.4-1");
    let params = json!(params());
    for place in 0..V1.len() {
        for bit in 0..7 {
            let mut token = V1.as_bytes().to_vec();
            token[place] ^= 1 << bit;
            let token = String::from_utf8(token).unwrap();
            assert!(!opens(&one(), &params, &token, NOW), "{place} {bit}");
        }
    }
}

#[test]
fn bound_to_method_params_and_principal() {
    covers!("10.4-5");
    let keys = one();
    let params = params();
    for (method, principal) in [("prompts/get", Some("alice")), ("tools/call", Some("bob")), ("tools/call", None)] {
        assert!(open(&keys, &Binding { method, params: &params, principal }, V1, NOW, BOUNDS).is_err());
    }
    let anonymous = Binding { method: "tools/call", params: &params, principal: None };
    let token = seal(&keys, &anonymous, &json!(1), NOW, 300, BOUNDS).unwrap();
    assert!(open(&keys, &Binding { principal: Some("null"), ..anonymous }, &token, NOW, BOUNDS).is_err());
    assert!(open(&keys, &anonymous, &token, NOW, BOUNDS).is_ok());

    let same = [
        json!({"name": "ask", "arguments": {"a": 1, "b": [true, null, "ü\n"]}}),
        json!({"_meta": 7, "requestState": 7, "inputResponses": 7, "arguments": {"b": [true, null, "ü\n"], "a": 1.0}, "name": "ask"}),
    ];
    for params in same {
        assert!(opens(&keys, &params, V1, NOW), "{params}");
    }
    let differ = [
        json!({"name": "ask", "arguments": {"a": 2, "b": [true, null, "ü\n"]}}),
        json!({"name": "ask", "arguments": {"a": "1", "b": [true, null, "ü\n"]}}),
        json!({"name": "ask", "arguments": {"a": 1, "b": [null, true, "ü\n"]}}),
        json!({"name": "ask", "arguments": {"a": 1, "b": [true, null, "ü\n"], "_meta": 7}}),
        json!({"name": "other", "arguments": {"a": 1, "b": [true, null, "ü\n"]}}),
        json!({"name": "ask", "arguments": {"a": 1, "b": [true, null, "ü\n"]}, "more": null}),
        json!({"name": "ask"}),
        json!({}),
    ];
    for params in differ {
        assert!(!opens(&keys, &params, V1, NOW), "{params}");
    }
}

#[test]
fn only_in_its_time() {
    covers!("10.4-6");
    let params = json!(params());
    for (now, good) in
        [(969, false), (970, true), (1000, true), (1299, true), (1300, false), (u64::MAX, false), (0, false)]
    {
        assert_eq!(opens(&one(), &params, V1, now), good, "{now}");
    }
    let short = Bounds { ttl: 299, ..BOUNDS };
    let params = params.as_object().unwrap();
    assert!(open(&one(), &binding(params), V1, NOW, short).is_err(), "a lower bound counts for tokens sealed before");
    for ttl in [0, 901, u64::MAX] {
        assert_eq!(seal(&one(), &binding(params), &json!(1), NOW, ttl, BOUNDS), Err(SealError::BadTtl(900)));
    }
    assert!(seal(&one(), &binding(params), &json!(1), u64::MAX, 900, BOUNDS).is_ok());
}

#[test]
fn a_signed_payload_is_still_checked() {
    let params = json!(params());
    let payload: Vec<Value> =
        serde_json::from_slice(&URL_SAFE_NO_PAD.decode(V1.split('.').nth(1).unwrap()).unwrap()).unwrap();
    let [form, issued, expires, scope, data] = payload.try_into().unwrap();
    let token = |value: Value| forged(&value.to_string());
    assert_eq!(token(json!([form, issued, expires, scope, data])), V1);
    for value in [
        json!([2, issued, expires, scope, data]),
        json!([form, -1, 1, scope, data]),
        json!([form, 1300, 1000, scope, data]),
        json!([form, "1000", expires, scope, data]),
        json!([form, issued, 1000.5, scope, data]),
        json!([form, issued, expires, "AAAA", data]),
        json!([form, issued, expires, null, data]),
        json!([form, issued, expires, scope]),
        json!([form, issued, expires, scope, data, 0]),
        json!({}),
    ] {
        assert!(!opens(&one(), &params, &token(value.clone()), NOW), "{value}");
    }
    assert!(!opens(&one(), &params, &forged("not json"), NOW));
}

#[test]
fn keys_rotate() {
    covers!("10.4-3");
    let params = params();
    let old: Keys = ring().into();
    let both = ring().rotate("k-2", other()).unwrap();
    let new: Keys = both.clone().retire("k-1").unwrap().into();
    let both: Keys = both.into();
    let token = seal(&both, &binding(&params), &json!(1), NOW, 300, BOUNDS).unwrap();
    assert!(token.starts_with("mrtr2.k-2."));

    let params = json!(params);
    assert!(opens(&both, &params, &token, NOW) && opens(&new, &params, &token, NOW));
    assert!(!opens(&old, &params, &token, NOW));
    assert!(opens(&both, &params, V2, NOW), "sealed before the rotation");
    assert!(!opens(&new, &params, V2, NOW), "retired");
    assert!(!opens(&both, &params, &V2.replace("k-1", "k-2"), NOW));
    assert!(!opens(&both, &params, &V2.replace("k-1", "k-9"), NOW));

    // A cluster moves from one secret to a keyring server by server.
    assert!(opens(&both, &params, V1, NOW) && opens(&one(), &params, V2, NOW));
    assert!(!opens(&new, &params, V1, NOW) && !opens(&other().into(), &params, V1, NOW));
}

#[test]
fn too_much_is_an_error_of_the_author() {
    covers!("10.4-7");
    let params = params();
    let bound = binding(&params);
    let data = json!("x".repeat(20_000));
    let Err(SealError::TooLarge { bytes, limit }) = seal(&one(), &bound, &data, NOW, 300, BOUNDS) else { panic!() };
    assert!(bytes > limit && limit == 16 * 1024);
    let exact = Bounds { bytes: V1.len(), ..BOUNDS };
    let less = Bounds { bytes: V1.len() - 1, ..BOUNDS };
    assert!(seal(&one(), &bound, &json!({"step": 1}), NOW, 300, exact).is_ok());
    assert!(seal(&one(), &bound, &json!({"step": 1}), NOW, 300, less).is_err());
    assert!(open(&one(), &bound, V1, NOW, exact).is_ok() && open(&one(), &bound, V1, NOW, less).is_err());

    for around in [|inner| json!([inner]), |inner| json!({"in": inner})] {
        let nested = |depth| (0..depth).fold(json!(1), |inner, _| around(inner));
        let deep = seal(&one(), &bound, &nested(100), NOW, 300, BOUNDS).unwrap();
        assert_eq!(open(&one(), &bound, &deep, NOW, BOUNDS), Ok(nested(100)));
        assert_eq!(seal(&one(), &bound, &nested(101), NOW, 300, BOUNDS), Err(SealError::TooDeep));
    }
}

#[test]
fn canonical_json() {
    let cases = [
        (
            r#" {"b" : 1, "a": [ 1.0, -0.0, 1e2 ], "B": {"z":null,"ä":true,"a":""} } "#,
            r#"{"B":{"a":"","z":null,"ä":true},"a":[1,0,100],"b":1}"#,
        ),
        ("[9007199254740991, 4503599627370496.0, 42.0]", "[9007199254740991,4503599627370496,42]"),
        ("[9007199254740993, 9007199254740992.0]", "[9007199254740993,9.007199254740992e15]"),
        ("[18446744073709551615, -9223372036854775808]", "[18446744073709551615,-9223372036854775808]"),
        ("[0.1, 1e-300, -1.5E+3, 1e300]", "[1e-1,1e-300,-1500,1e300]"),
        (r#""\u00e9\n\/""#, r#""é\n/""#),
        ("[]", "[]"),
        ("{}", "{}"),
    ];
    for (text, expected) in cases {
        assert_eq!(canonical(&serde_json::from_str(text).unwrap()), expected);
    }
}

#[test]
fn any_text_is_opened_or_refused() {
    let params = params();
    let keys: Keys = ring().into();
    let mut random = Random(104);
    for _ in 0..5_000 {
        let whole = *random.pick(&[V1, V2]);
        let token = random.spoil(whole);
        let token = if random.below(2) == 0 { random.spoil(&token) } else { token };
        assert_eq!(open(&keys, &binding(&params), &token, NOW, BOUNDS).is_ok(), token == V1 || token == V2, "{token}");
    }
    let pieces = ["mrtr1", "mrtr2", ".", "k-1", "AA", "=", "é", "\0", "-"];
    for _ in 0..5_000 {
        assert!(open(&keys, &binding(&params), &random.text(&pieces, 8), NOW, BOUNDS).is_err());
    }
}
