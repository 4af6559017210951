//! §13.6 The annotation, and how a value travels in a header.

use plain_mcp::param_headers::{Malformed, Reason, agrees, annotations, decode, encode, encode_argument, plain};
use serde_json::{Value, json};

fn reason(schema: Value) -> Reason {
    annotations(&schema).unwrap_err().reason
}

fn with(property: Value) -> Value {
    json!({"type": "object", "properties": {"p": property}})
}

#[test]
fn annotations_are_found_at_their_exact_path() {
    covers!("13.6-10", "13.6-11");
    let found = annotations(&json!({"type": "object", "properties": {
        "region": {"type": "string", "x-mcp-header": "Region"},
        "query": {"type": "string"},
        "place": {"type": "object", "properties": {"shard": {"type": "integer", "x-mcp-header": "Shard"}}},
        "dry": {"type": "boolean", "x-mcp-header": "Method"},
    }}))
    .unwrap();
    let seen: Vec<(String, Vec<String>)> = found.iter().map(|param| (param.header(), param.path().to_vec())).collect();
    assert_eq!(seen.len(), 3);
    for expected in [
        ("mcp-param-region", vec!["region"]),
        ("mcp-param-shard", vec!["place", "shard"]),
        ("mcp-param-method", vec!["dry"]),
    ] {
        let expected = (expected.0.to_owned(), expected.1.into_iter().map(str::to_owned).collect());
        assert!(seen.contains(&expected), "{expected:?} in {seen:?}");
    }
    assert_eq!(annotations(&json!({"type": "object"})).unwrap(), []);
    assert_eq!(annotations(&json!(true)).unwrap(), []);
}

#[test]
fn the_argument_is_read_at_the_path() {
    covers!("13.6-11");
    let schema = json!({"properties": {"a": {"properties": {"b": {"type": "string", "x-mcp-header": "B"}}}}});
    let found = annotations(&schema).unwrap();
    let read = |arguments: Value| found[0].argument(arguments.as_object().unwrap()).cloned();
    assert_eq!(read(json!({"a": {"b": "x"}})), Some(json!("x")));
    assert_eq!(read(json!({"a": {"b": null}})), None);
    assert_eq!(read(json!({"a": {}})), None);
    assert_eq!(read(json!({"a": "b"})), None);
    assert_eq!(read(json!({"b": "x"})), None);
}

#[test]
fn names_are_tokens() {
    covers!("13.6-10");
    assert_eq!(reason(with(json!({"type": "string", "x-mcp-header": ""}))), Reason::Empty);
    for name in ["My Region", "a:b", "Région", "A\r\nB", "A\t", "a/b", "a(b)", "a\u{7f}"] {
        assert_eq!(reason(with(json!({"type": "string", "x-mcp-header": name}))), Reason::NotToken, "{name:?}");
    }
    for name in [json!(7), json!(null), json!(["A"]), json!({"name": "A"})] {
        assert_eq!(reason(with(json!({"type": "string", "x-mcp-header": name}))), Reason::NotText, "{name}");
    }
    let all = "!#$%&'*+-.^_`|~09AZaz";
    assert_eq!(annotations(&with(json!({"type": "string", "x-mcp-header": all}))).unwrap().len(), 1);
}

#[test]
fn only_primitive_properties_are_mirrored() {
    covers!("13.6-10");
    for of in
        [json!("number"), json!("object"), json!("array"), json!("null"), json!(["string", "null"]), json!(["string"])]
    {
        assert_eq!(reason(with(json!({"type": of, "x-mcp-header": "P"}))), Reason::NotPrimitive, "{of}");
    }
    assert_eq!(reason(with(json!({"x-mcp-header": "P"}))), Reason::NotPrimitive);
    for of in ["string", "integer", "boolean"] {
        assert_eq!(annotations(&with(json!({"type": of, "x-mcp-header": "P"}))).unwrap().len(), 1, "{of}");
    }
}

#[test]
fn names_are_unique_without_regard_to_case() {
    covers!("13.6-10");
    for (one, two) in [("Region", "Region"), ("Region", "REGION")] {
        let schema = json!({"properties": {
            "a": {"type": "string", "x-mcp-header": one},
            "b": {"type": "object", "properties": {"c": {"type": "string", "x-mcp-header": two}}},
        }});
        assert_eq!(reason(schema), Reason::Repeated);
    }
}

#[test]
fn only_properties_lead_to_an_annotation() {
    covers!("13.6-10");
    let leaf = json!({"type": "string", "x-mcp-header": "P"});
    let object = json!({"type": "object", "properties": {"q": leaf.clone()}});
    for schema in [
        leaf.clone(),
        json!({"items": leaf}),
        json!({"prefixItems": [leaf]}),
        json!({"additionalProperties": leaf}),
        json!({"patternProperties": {"^p": leaf}}),
        json!({"oneOf": [object]}),
        json!({"anyOf": [object]}),
        json!({"allOf": [object]}),
        json!({"not": object}),
        json!({"if": object}),
        json!({"then": object}),
        json!({"else": object}),
        json!({"$defs": {"p": leaf}}),
        json!({"definitions": {"p": object}}),
        json!({"dependentSchemas": {"p": object}}),
        json!({"properties": {"list": {"type": "array", "items": object}}}),
        json!({"properties": {"list": {"allOf": [leaf]}}}),
    ] {
        assert_eq!(reason(schema.clone()), Reason::OutOfReach, "{schema}");
    }
}

#[test]
fn data_and_property_names_are_no_annotations() {
    covers!("13.6-10");
    let data = json!({"x-mcp-header": ""});
    for schema in [
        json!({"properties": {"x-mcp-header": {"type": "number"}}}),
        json!({"const": data}),
        json!({"enum": [data]}),
        json!({"default": data}),
        json!({"examples": [data]}),
        json!({"properties": {"p": {"const": data}}}),
    ] {
        assert_eq!(annotations(&schema), Ok(vec![]), "{schema}");
    }
}

#[test]
fn a_bad_annotation_says_where_it_stands() {
    let schema = json!({"properties": {"a/b": {"items": [{"x-mcp-header": "P"}]}}});
    let bad = annotations(&schema).unwrap_err();
    assert_eq!(bad.at, "/properties/a~1b/items/0");
    assert_eq!(
        bad.to_string(),
        "x-mcp-header at /properties/a~1b/items/0/x-mcp-header must be on a property that `properties` alone lead to"
    );
}

/// Text, and the header value it travels as: encoding and decoding read the same table.
const TEXTS: &[(&str, &str)] = &[
    ("", ""),
    ("us-west1", "us-west1"),
    ("us west 1", "us west 1"),
    ("SGVsbG8=", "SGVsbG8="),
    ("=?base64?SGVsbG8=", "=?base64?SGVsbG8="),
    ("SGVsbG8=?=", "SGVsbG8=?="),
    ("=?BASE64?SGVsbG8=?=", "=?BASE64?SGVsbG8=?="),
    ("=?base64?=", "=?base64?="),
    ("=?base64??=", "=?base64?PT9iYXNlNjQ/Pz0=?="),
    ("=?base64?literal?=", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="),
    (" padded", "=?base64?IHBhZGRlZA==?="),
    ("padded ", "=?base64?cGFkZGVkIA==?="),
    ("Hello, 世界", "=?base64?SGVsbG8sIOS4lueVjA==?="),
    ("a\tb", "=?base64?YQli?="),
    ("a\nb", "=?base64?YQpi?="),
    ("\u{7f}", "=?base64?fw==?="),
];

#[test]
fn texts_travel_both_ways() {
    covers!("13.6-5", "13.6-7");
    for (text, header) in TEXTS {
        assert_eq!(encode(text), *header);
        assert_eq!(decode(header.as_bytes()).as_deref(), Ok(*text));
    }
}

#[test]
fn arguments_have_a_header_form_or_none() {
    for (argument, header) in [
        (json!("x"), Some("x")),
        (json!("ü"), Some("=?base64?w7w=?=")),
        (json!(true), Some("true")),
        (json!(false), Some("false")),
        (json!(42), Some("42")),
        (json!(-7), Some("-7")),
        (json!(42.0), Some("42")),
        (json!(9_007_199_254_740_991_i64), Some("9007199254740991")),
        (json!(9_007_199_254_740_992_i64), None),
        (json!(-9_007_199_254_740_992_i64), None),
        (json!(u64::MAX), None),
        (json!(1e300), None),
        (json!(4.5), None),
        (json!(null), None),
        (json!([1]), None),
        (json!({}), None),
    ] {
        assert_eq!(encode_argument(&argument).as_deref(), header, "{argument}");
    }
}

#[test]
fn wrappers_are_read_strictly() {
    covers!("13.6-1", "13.6-7");
    for header in [
        "=?base64?SGVsbG8?=",   // padding missing
        "=?base64?SGVsbG8==?=", // too much of it
        "=?base64?SGVs!!!bG8=?=",
        "=?base64?SGVs bG8=?=",
        "=?base64?_-8=?=",     // another alphabet
        "=?base64?SGVsbG9=?=", // bits left over
        "=?base64?/w==?=",     // not UTF-8
    ] {
        assert_eq!(decode(header.as_bytes()), Err(Malformed), "{header}");
    }
    assert_eq!(decode(b"=?base64??=").as_deref(), Ok(""));
    assert_eq!(decode(b" \t=?base64?SGVsbG8=?=\t").as_deref(), Ok("Hello"));
}

#[test]
fn plain_values_are_visible_ascii_space_and_tab() {
    covers!("13.6-1");
    for bad in [b"ech\xc3\xb6".as_slice(), b"\xff", b"a\x01b", b"a\x7fb", b"a\rb", b"a\0"] {
        assert_eq!(plain(bad), Err(Malformed), "{bad:?}");
        assert_eq!(decode(bad), Err(Malformed), "{bad:?}");
    }
    assert_eq!(plain(b"  a\tb  "), Ok("a\tb"));
    assert_eq!(plain(b""), Ok(""));
}

#[test]
fn integers_compare_as_numbers_and_exactly() {
    covers!("13.6-4", "13.6-6");
    for (header, argument, expected) in [
        ("42", json!(42), Ok(true)),
        ("42.0", json!(42), Ok(true)),
        ("42.000", json!(42), Ok(true)),
        ("42", json!(42.0), Ok(true)),
        ("-0", json!(0), Ok(true)),
        ("-7", json!(-7), Ok(true)),
        ("43", json!(42), Ok(false)),
        ("42.0000000001", json!(42), Err(Malformed)),
        ("42.5", json!(42), Err(Malformed)),
        ("42.", json!(42), Err(Malformed)),
        (".0", json!(0), Err(Malformed)),
        ("+42", json!(42), Err(Malformed)),
        ("042", json!(42), Err(Malformed)),
        ("4.2e1", json!(42), Err(Malformed)),
        ("0x2a", json!(42), Err(Malformed)),
        ("forty-two", json!(42), Err(Malformed)),
        ("", json!(0), Err(Malformed)),
        ("9007199254740991", json!(9_007_199_254_740_991_i64), Ok(true)),
        ("9007199254740990", json!(9_007_199_254_740_991_i64), Ok(false)),
        ("9007199254740991.4", json!(9_007_199_254_740_991_i64), Err(Malformed)),
        ("9007199254740992", json!(9_007_199_254_740_992_i64), Err(Malformed)),
        ("9007199254740992", json!(9_007_199_254_740_993_i64), Err(Malformed)),
        ("5", json!(9_007_199_254_740_993_i64), Err(Malformed)),
        ("18446744073709551615", json!(u64::MAX), Err(Malformed)),
        ("5", json!(1e300), Err(Malformed)),
        ("5", json!(-1e16), Err(Malformed)),
        ("99999999999999999999", json!(1), Err(Malformed)),
    ] {
        assert_eq!(agrees(header, &argument), expected, "{header} and {argument}");
    }
}

#[test]
fn other_values_compare_by_their_text() {
    covers!("13.6-5");
    for (header, argument, expected) in [
        ("eu", json!("eu"), true),
        ("EU", json!("eu"), false),
        ("42", json!("42"), true),
        ("42.0", json!("42"), false),
        ("", json!(""), true),
        ("true", json!(true), true),
        ("false", json!(false), true),
        ("TRUE", json!(true), false),
        ("1", json!(true), false),
        ("4.5", json!(4.5), false),
        ("[1]", json!([1]), false),
    ] {
        assert_eq!(agrees(header, &argument), Ok(expected), "{header} and {argument}");
    }
}
