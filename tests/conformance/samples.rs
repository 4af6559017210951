//! §18 Samples: each is what its schema lets through, by our own checker.

use plain_mcp::schema::Schema;
use serde_json::{Value, json};

use crate::sample::sample;

/// The sample, which the schema must let through.
fn fits(schema: &Value) -> Value {
    let value = sample(schema);
    let checked = Schema::compile(schema).unwrap().check(&value);
    assert!(checked.is_ok(), "{value} for {schema}: {checked:?}");
    value
}

#[test]
fn values_that_the_schema_names_go_first() {
    for (schema, value) in [
        (json!({"const": 7}), json!(7)),
        (json!({"type": "string", "default": "d", "enum": ["e", "d"]}), json!("d")),
        (json!({"enum": ["e", "f"]}), json!("e")),
        (json!({"type": "integer", "examples": [30, 31]}), json!(30)),
        (json!({"type": "string", "oneOf": [{"const": "a", "title": "A"}, {"const": "b", "title": "B"}]}), json!("a")),
    ] {
        assert_eq!(fits(&schema), value, "{schema}");
    }
}

#[test]
fn types_have_plain_samples() {
    for (schema, value) in [
        (json!({"type": "string"}), json!("sample")),
        (json!({"type": "integer"}), json!(1)),
        (json!({"type": "number"}), json!(1)),
        (json!({"type": "boolean"}), json!(true)),
        (json!({"type": "null"}), json!(null)),
        (json!({"type": "array", "items": {"type": "integer"}}), json!([])),
        (json!({"type": "object", "properties": {"a": {"type": "string"}}}), json!({})),
        (json!({"type": ["null", "integer"]}), json!(1)),
        (json!({"properties": {"a": {"type": "integer"}}, "required": ["a"]}), json!({"a": 1})),
        (json!({}), json!("sample")),
        (json!(true), json!("sample")),
    ] {
        assert_eq!(fits(&schema), value, "{schema}");
    }
}

#[test]
fn bounds_are_kept() {
    for (schema, value) in [
        (json!({"type": "integer", "minimum": 18, "maximum": 30}), json!(18)),
        (json!({"type": "integer", "maximum": -3}), json!(-3)),
        (json!({"type": "integer", "exclusiveMinimum": 1}), json!(2)),
        (json!({"type": "integer", "exclusiveMaximum": 1}), json!(0)),
        (json!({"type": "integer", "minimum": 8, "multipleOf": 5}), json!(10)),
        (json!({"type": "integer", "minimum": 1.5}), json!(2)),
        (json!({"type": "number", "minimum": 1.5}), json!(1.5)),
        (json!({"type": "number", "exclusiveMinimum": 1, "exclusiveMaximum": 2}), json!(1.5)),
        (json!({"type": "number", "maximum": 1, "multipleOf": 0.25}), json!(1)),
        (json!({"type": "string", "minLength": 8}), json!("samplesa")),
        (json!({"type": "string", "maxLength": 3}), json!("sam")),
        (json!({"type": "array", "minItems": 2, "items": {"type": "integer"}}), json!([1, 1])),
        (json!({"type": "array", "minItems": 2, "prefixItems": [{"const": "x"}]}), json!(["x", "sample"])),
    ] {
        assert_eq!(fits(&schema), value, "{schema}");
    }
}

#[test]
fn formats_have_their_own_samples() {
    for (format, text) in [
        ("email", "sample@example.com"),
        ("uri", "https://example.com/"),
        ("date", "2026-07-28"),
        ("date-time", "2026-07-28T12:00:00Z"),
        ("time", "12:00:00Z"),
        ("uuid", "00000000-0000-4000-8000-000000000000"),
        ("other", "sample"),
    ] {
        assert_eq!(fits(&json!({"type": "string", "format": format})), json!(text));
    }
}

#[test]
fn required_members_are_filled_in_and_others_are_not() {
    let schema = json!({
        "type": "object",
        "properties": {"a": {"type": "number"}, "b": {"type": "object", "properties": {"c": {"type": "boolean"}}, "required": ["c"]},
            "d": {"type": "string"}},
        "required": ["a", "b", "free"],
    });
    assert_eq!(fits(&schema), json!({"a": 1, "b": {"c": true}, "free": "sample"}));
}

#[test]
fn references_and_branches_are_followed() {
    let schema = json!({
        "type": "object",
        "$defs": {"address": {"type": "object", "properties": {"street": {"type": "string"}}, "required": ["street"]}},
        "properties": {"home": {"$ref": "#/$defs/address"}, "way": {"anyOf": [{"type": "integer"}, {"type": "string"}]}},
        "required": ["home"],
        "allOf": [{"required": ["way"]}],
    });
    assert_eq!(fits(&schema), json!({"home": {"street": "sample"}, "way": 1}));
    let parts = json!({"allOf": [
        {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]},
        {"type": "object", "properties": {"b": {"type": "boolean"}}, "required": ["b"]},
    ]});
    assert_eq!(fits(&parts), json!({"a": 1, "b": true}));
}

#[test]
fn what_has_no_end_or_is_not_here_gives_null() {
    let endless = json!({"type": "object", "properties": {"next": {"$ref": "#"}}, "required": ["next"]});
    let mut value = &sample(&endless);
    let mut depth = 0;
    while value.is_object() {
        (value, depth) = (&value["next"], depth + 1);
    }
    assert!(value.is_null() && depth > 1, "{depth} levels, then {value}");
    assert_eq!(sample(&json!({"$ref": "https://example.com/other.json"})), json!(null));
    assert_eq!(sample(&json!({"$ref": "#/$defs/none"})), json!(null));
    assert_eq!(sample(&json!({"type": "string", "minLength": 1_000_000_000})).as_str().map(str::len), Some(1000));
    assert_eq!(sample(&json!({"type": "array", "minItems": u64::MAX})).as_array().map(Vec::len), Some(1000));
}
