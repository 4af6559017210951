//! §5.1 §5.2 The schema checker: every keyword with values that fit and values that do not, texts literal.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::as_conversions,
    clippy::string_slice,
    missing_docs,
    unreachable_pub
)]

use std::thread;

use plain_mcp::schema::Schema;
use serde_json::{Value, json};

/// Compiles `schema`; every value of `fits` is valid, every one of `faults` is not and gets exactly that report.
fn check(schema: Value, fits: &[Value], faults: &[(Value, &str)]) {
    let compiled = Schema::compile(&schema).unwrap_or_else(|refused| panic!("{schema} is refused: {refused}"));
    for value in fits {
        assert_eq!(compiled.check(value), Ok(()), "{value} against {schema}");
    }
    for (value, report) in faults {
        let violation = compiled.check(value).expect_err(&format!("{value} against {schema}"));
        assert_eq!(violation.to_string(), *report, "{value} against {schema}");
    }
}

/// `schema` is refused with exactly this report (without the hint at the feature).
fn refused(schema: Value, report: &str) {
    let refused = Schema::compile(&schema).expect_err(&format!("{schema} is not refused"));
    assert_eq!(refused.to_string(), report, "{schema}");
}

/// `schema` uses what only the feature `jsonschema` can compile.
fn needs_feature(schema: Value, report: &str) {
    if cfg!(feature = "jsonschema") {
        return;
    }
    refused(schema.clone(), &format!("{report} (needs feature jsonschema)"));
    assert!(Schema::compile(&schema).unwrap_err().needs_feature());
}

#[test]
fn booleans_and_types() {
    check(json!(true), &[json!(1), json!(null)], &[]);
    check(json!(false), &[], &[(json!(1), "arguments: is not allowed")]);
    check(json!({}), &[json!(1), json!({"a": []})], &[]);
    check(json!({"type": "null"}), &[json!(null)], &[(json!(0), "arguments: must be of type null")]);
    check(json!({"type": "boolean"}), &[json!(true)], &[(json!(0), "arguments: must be of type boolean")]);
    check(
        json!({"type": "integer"}),
        &[json!(1), json!(1.0), json!(-0.0), json!(1e300), json!(u64::MAX)],
        &[
            (json!(1.5), "arguments: must be of type integer"),
            (json!("1"), "arguments: must be of type integer"),
            (json!(1e-300), "arguments: must be of type integer"),
            (json!(true), "arguments: must be of type integer"),
        ],
    );
    check(json!({"type": "number"}), &[json!(1), json!(1.5)], &[(json!("1"), "arguments: must be of type number")]);
    check(json!({"type": "string"}), &[json!("")], &[(json!(1), "arguments: must be of type string")]);
    check(json!({"type": "array"}), &[json!([])], &[(json!({}), "arguments: must be of type array")]);
    check(json!({"type": "object"}), &[json!({})], &[(json!([]), "arguments: must be of type object")]);
    check(
        json!({"type": ["string", "null", "integer"]}),
        &[json!("a"), json!(null), json!(3)],
        &[(json!(1.5), "arguments: must be of type string, null or integer")],
    );
}

#[test]
fn enum_and_const() {
    check(
        json!({"enum": ["a", 1, {"b": [1.0]}, null]}),
        &[json!("a"), json!(1.0), json!({"b": [1]}), json!(null)],
        &[(json!("b"), "arguments: must be one of \"a\", 1, {\"b\":[1.0]}, null")],
    );
    check(json!({"enum": []}), &[], &[(json!(1), "arguments: can have no value")]);
    check(json!({"const": 1}), &[json!(1), json!(1.0)], &[(json!(true), "arguments: must be 1")]);
    check(
        json!({"const": {"a": 1, "b": 2}}),
        &[json!({"b": 2.0, "a": 1})],
        &[
            (json!({"a": 1}), "arguments: must be {\"a\":1,\"b\":2}"),
            (json!({"a": 1, "b": 2, "c": 3}), "arguments: must be {\"a\":1,\"b\":2}"),
            (json!({"a": 1, "c": 2}), "arguments: must be {\"a\":1,\"b\":2}"),
        ],
    );
    let long = "x".repeat(1000);
    let report = Schema::compile(&json!({"const": long})).unwrap().check(&json!(1)).unwrap_err().to_string();
    assert_eq!(report, format!("arguments: must be \"{}...", "x".repeat(199)));
}

#[test]
fn bounds_of_numbers() {
    check(
        json!({"minimum": 3}),
        &[json!(3), json!(3.0), json!("2")],
        &[(json!(2.999), "arguments: must be at least 3")],
    );
    check(json!({"maximum": 3}), &[json!(3), json!(-1e308)], &[(json!(3.0001), "arguments: must be at most 3")]);
    check(json!({"exclusiveMinimum": 0.5}), &[json!(0.51)], &[(json!(0.5), "arguments: must be greater than 0.5")]);
    check(json!({"exclusiveMaximum": -1}), &[json!(-1.5)], &[(json!(-1.0), "arguments: must be less than -1")]);
    // How the exponent of a large number is written is serde_json's affair, so only the verdict counts here.
    let schema = Schema::compile(&json!({"minimum": 1e300, "maximum": 1e301})).unwrap();
    for (value, valid) in
        [(json!(5e300), true), (json!(1e300), true), (json!(u64::MAX), false), (json!(1.1e301), false)]
    {
        assert_eq!(schema.check(&value).is_ok(), valid, "{value}");
    }
    check(
        json!({"minimum": -1e-300}),
        &[json!(0), json!(-1e-301)],
        &[(json!(-1), "arguments: must be at least -1e-300")],
    );
}

/// D19: exact over all of i64 and u64, and beyond 2^53.
#[test]
fn large_integers_are_exact() {
    let odd = 9_007_199_254_740_993_u64;
    check(
        json!({"const": odd}),
        &[json!(odd)],
        &[
            (json!(odd - 1), "arguments: must be 9007199254740993"),
            (json!(odd + 1), "arguments: must be 9007199254740993"),
            (json!(9007199254740992.0), "arguments: must be 9007199254740993"),
        ],
    );
    check(
        json!({"maximum": i64::MAX}),
        &[json!(i64::MAX), json!(i64::MIN)],
        &[
            (json!(i64::MAX as u64 + 1), "arguments: must be at most 9223372036854775807"),
            (json!(9223372036854775808.0), "arguments: must be at most 9223372036854775807"),
        ],
    );
    check(
        json!({"exclusiveMaximum": u64::MAX}),
        &[json!(u64::MAX - 1)],
        &[(json!(u64::MAX), "arguments: must be less than 18446744073709551615")],
    );
    check(
        json!({"minimum": i64::MIN}),
        &[json!(i64::MIN)],
        &[(json!(-9.3e18), "arguments: must be at least -9223372036854775808")],
    );
    check(
        json!({"multipleOf": 3}),
        &[json!(u64::MAX), json!(-9), json!(0), json!(9.0)],
        &[
            (json!(u64::MAX - 1), "arguments: must be a multiple of 3"),
            (json!(i64::MIN), "arguments: must be a multiple of 3"),
        ],
    );
    check(json!({"uniqueItems": true}), &[json!([odd, odd - 1])], &[]);
}

#[test]
fn multiples_are_decimal() {
    check(
        json!({"multipleOf": 0.0001}),
        &[json!(0.0075), json!(12), json!(-0.5)],
        &[(json!(0.00751), "arguments: must be a multiple of 0.0001")],
    );
    check(
        json!({"multipleOf": 0.01}),
        &[json!(19.99), json!(0.07), json!(1e308), json!("1")],
        &[(json!(0.001), "arguments: must be a multiple of 0.01")],
    );
    check(json!({"multipleOf": 0.5}), &[json!(1e308)], &[(json!(1.25), "arguments: must be a multiple of 0.5")]);
    check(
        json!({"multipleOf": 0.123456789}),
        &[json!(0.246913578)],
        &[(json!(1e308), "arguments: must be a multiple of 0.123456789")],
    );
    let schema = Schema::compile(&json!({"multipleOf": 1e300})).unwrap();
    for (value, valid) in
        [(json!(0), true), (json!(-3e300), true), (json!(1e305), true), (json!(1), false), (json!(1.5e300), false)]
    {
        assert_eq!(schema.check(&value).is_ok(), valid, "{value}");
    }
    check(json!({"multipleOf": 5e-324}), &[json!(1e308), json!(0)], &[]);
}

#[test]
fn strings() {
    check(
        json!({"minLength": 2, "maxLength": 3.0}),
        &[json!("é🐲"), json!("abc"), json!(1)],
        &[
            (json!("🐲"), "arguments: must have at least 2 characters"),
            (json!("abcd"), "arguments: must have at most 3 characters"),
        ],
    );
    check(json!({"minLength": 1}), &[], &[(json!(""), "arguments: must have at least 1 character")]);
    check(
        json!({"pattern": "^[a-z]+$"}),
        &[json!("abc"), json!(1)],
        &[(json!("abc\n"), "arguments: must match the pattern \"^[a-z]+$\"")],
    );
    check(
        json!({"format": "date", "contentEncoding": "base64", "contentSchema": {"type": "null"}}),
        &[json!("?")],
        &[],
    );
}

#[test]
fn patterns_read_as_ecma_262_does() {
    let cases: &[(&str, &str, bool)] = &[
        ("^a.c$", "a\u{2028}c", false),
        ("^a.c$", "a\rc", false),
        ("^a.c$", "a\u{85}c", true),
        ("^a.c$", "a🐲c", true),
        ("a$", "a\n", false),
        ("^[^]$", "\n", true),
        ("[]", "anything", false),
        ("^(?:[]|b)$", "b", true),
        ("^[]*$", "", true),
        ("^[\\b]$", "\u{8}", true),
        ("^[\\w-.]+$", "a-.", true),
        ("^[\\w-.]+$", "a/", false),
        ("^[+--]$", ",", true),
        ("^[--]$", "-", true),
        ("^[a-]$", "-", true),
        ("^[-a]$", "-", true),
        ("^[[&&a]+$", "[&a", true),
        ("^[^\\s\\d]$", "\u{feff}", false),
        ("^[^\\s\\d]$", "x", true),
        ("^[^\\D]$", "7", true),
        ("^\\u{1F432}$", "🐲", true),
        ("^\\ud83d\\udc32$", "🐲", true),
        ("^[\\u0000-\\uffff]$", "é", true),
        ("^[\\u0000-\\uffff]$", "🐲", false),
        ("^[^\\ue000]$", "\u{d7ff}", true),
        ("^\\x41\\0\\/\\-\\@$", "A\0/-@", true),
        ("^\\cJ$", "\n", true),
        ("^(?<year>\\d{4})-(\\d{2})$", "2026-07", true),
        ("^a{2,}?$", "a", false),
        ("^a{2,3}$", "aaa", true),
        ("^a{0}$", "", true),
        ("\\bfoo\\b", "a foo b", true),
        ("\\bfoo\\b", "éfoo", true),
        ("\\Bfoo", "afoo", true),
        ("^}]$", "}]", true),
        ("^ #x$", " #x", true),
        ("^(a|b|)$", "", true),
        ("^(a*)*$", "aaab", false),
        ("^K$", "\u{212a}", false),
        ("\\d", "\u{7c0}", false),
        ("\\w", "é", false),
    ];
    for (pattern, text, matched) in cases {
        let schema = Schema::compile(&json!({"pattern": pattern})).unwrap_or_else(|refused| panic!("{refused}"));
        assert_eq!(schema.check(&json!(text)).is_ok(), *matched, "{pattern} on {text:?}");
    }
}

#[test]
fn patterns_that_are_refused() {
    for (pattern, reason) in [
        ("(?=a)", "uses lookaround"),
        ("(?!a)", "uses lookaround"),
        ("(?<=a)", "uses lookaround"),
        ("(?<!a)", "uses lookaround"),
        ("(a)\\1", "uses a backreference"),
        ("(?<a>b)\\k<a>", "uses a backreference"),
        ("\\p{L}", "uses a Unicode property"),
        ("[\\P{L}]", "uses a Unicode property"),
        ("(?i:a)", "uses inline flags"),
        ("[\\ud800-\\udbff]", "names half of a surrogate pair"),
        ("(?<a>b)|(?<a>c)", "uses a group name twice"),
    ] {
        let report = format!("/pattern: the pattern {} {reason}", json!(pattern));
        needs_feature(json!({"pattern": pattern}), &report);
    }
    let broken_brace = "has a broken {} quantifier; a plain brace is written \\{";
    for (pattern, reason) in [
        ("(", "leaves a group open"),
        (")", "closes a group that is not open"),
        ("(?a)", "has an unknown kind of group"),
        ("(?<>a)", "has an invalid group name"),
        ("[a", "leaves a class open"),
        ("[b-a]", "has a range out of order"),
        ("a**", "repeats nothing"),
        ("|*", "repeats nothing"),
        ("^*", "repeats nothing"),
        ("\\b+", "repeats nothing"),
        ("{", "repeats nothing"),
        ("a{2,1}", "has a {} quantifier out of order"),
        ("a{,2}", broken_brace),
        ("a{", broken_brace),
        ("a\\", "ends with a backslash"),
        ("\\a", "has an unknown escape"),
        ("\\Z", "has an unknown escape"),
        ("[\\B]", "has an unknown escape"),
        ("\\c1", "has a broken \\c escape"),
        ("\\xg1", "has a broken \\x escape"),
        ("\\u{110000}", "has a broken \\u escape"),
        ("\\u12", "has a broken \\u escape"),
        ("a{30000}", "repeats too much"),
        ("((a{500}){500}){500}", "repeats too much"),
    ] {
        refused(json!({"pattern": pattern}), &format!("/pattern: the pattern {} {reason}", json!(pattern)));
    }
    for pattern in ["(".repeat(50_000), format!("{}{}", "(".repeat(50_000), ")".repeat(50_000))] {
        assert!(Schema::compile(&json!({"pattern": pattern})).is_err());
    }
}

#[test]
fn arrays() {
    check(
        json!({"minItems": 1, "maxItems": 2}),
        &[json!([1]), json!("abc")],
        &[
            (json!([]), "arguments: must have at least 1 item"),
            (json!([1, 2, 3]), "arguments: must have at most 2 items"),
        ],
    );
    check(
        json!({"items": {"type": "integer"}}),
        &[json!([]), json!([1, 2])],
        &[(json!([1, "x"]), "/1: must be of type integer")],
    );
    check(
        json!({"prefixItems": [{"type": "string"}, true], "items": false}),
        &[json!(["a"]), json!(["a", 2])],
        &[(json!([1]), "/0: must be of type string"), (json!(["a", 2, 3]), "/2: is not allowed")],
    );
    check(json!({"prefixItems": [{"type": "string"}]}), &[json!(["a", 1]), json!([])], &[]);
    check(
        json!({"contains": {"const": 1}}),
        &[json!([0, 1]), json!({})],
        &[(json!([0]), "arguments: must have at least 1 item that matches \"contains\"")],
    );
    check(
        json!({"contains": {"const": 1}, "minContains": 2, "maxContains": 3}),
        &[json!([1, 1]), json!([1, 0, 1, 1])],
        &[
            (json!([1]), "arguments: must have at least 2 items that match \"contains\""),
            (json!([1, 1, 1, 1]), "arguments: must have at most 3 items that match \"contains\""),
        ],
    );
    check(json!({"contains": false, "minContains": 0}), &[json!([]), json!([1])], &[]);
    check(json!({"minContains": 5, "maxContains": 0}), &[json!([1])], &[]);
}

#[test]
fn unique_items() {
    check(json!({"uniqueItems": false}), &[json!([1, 1])], &[]);
    check(
        json!({"uniqueItems": true}),
        &[json!([1, true, "1", [1], {"a": 1}, null]), json!([[1], [true]])],
        &[
            (json!([1, 2, 1.0]), "arguments: must have different items, but items 0 and 2 are equal"),
            (
                json!([{"a": 1, "b": [2]}, {"b": [2.0], "a": 1}]),
                "arguments: must have different items, but items 0 and 1 are equal",
            ),
        ],
    );
    // Long arrays take another way to the same answer.
    let mut items: Vec<Value> = (0..20_000).map(|number| json!({"n": number, "s": "x"})).collect();
    check(json!({"uniqueItems": true}), &[json!(items)], &[]);
    items.push(json!({"s": "x", "n": 7.0}));
    items.push(json!({"s": "x", "n": 3}));
    let report = "arguments: must have different items, but items 7 and 20000 are equal";
    check(json!({"uniqueItems": true}), &[], &[(json!(items), report)]);
    let mixed = json!([null, true, false, 0, 1, "0", [], {}, [0], [false], {"a": 0}, {"a": false}, 0.5]);
    check(json!({"uniqueItems": true}), &[mixed], &[]);
}

#[test]
fn objects() {
    check(
        json!({"required": ["a", "b"]}),
        &[json!({"a": 1, "b": null}), json!([])],
        &[
            (json!({"a": 1}), "arguments: missing required property \"b\""),
            (json!({}), "arguments: missing required property \"a\""),
        ],
    );
    check(
        json!({"minProperties": 1, "maxProperties": 1}),
        &[json!({"a": 1})],
        &[
            (json!({}), "arguments: must have at least 1 property"),
            (json!({"a": 1, "b": 2}), "arguments: must have at most 1 property"),
        ],
    );
    check(
        json!({"properties": {"a": {"type": "integer"}, "x/y~z": {"properties": {"q": false}}}}),
        &[json!({"a": 1}), json!({"other": 1}), json!(3)],
        &[
            (json!({"a": "1"}), "/a: must be of type integer"),
            (json!({"x/y~z": {"q": 1}}), "/x~1y~0z/q: is not allowed"),
        ],
    );
    check(
        json!({"properties": {"a": true}, "patternProperties": {"^x-": {"type": "string"}}, "additionalProperties": false}),
        &[json!({"a": 1, "x-b": "s"})],
        &[(json!({"x-b": 1}), "/x-b: must be of type string"), (json!({"b": 1}), "/b: is not allowed")],
    );
    check(
        json!({"additionalProperties": {"type": "null"}}),
        &[json!({"a": null})],
        &[(json!({"a": 1}), "/a: must be of type null")],
    );
    check(
        json!({"propertyNames": {"maxLength": 2}}),
        &[json!({"ab": 1})],
        &[(json!({"abc": 1}), "arguments: the property name \"abc\" must have at most 2 characters")],
    );
    check(
        json!({"properties": {"a": {"propertyNames": {"pattern": "^b"}}}}),
        &[json!({"a": {"b": 1}})],
        &[(json!({"a": {"c": 1}}), "/a: the property name \"c\" must match the pattern \"^b\"")],
    );
    check(
        json!({"dependentRequired": {"a": ["b", "c"]}}),
        &[json!({"b": 1}), json!({"a": 1, "b": 1, "c": 1})],
        &[(json!({"a": 1, "b": 1}), "arguments: missing property \"c\", which \"a\" requires")],
    );
    check(
        json!({"dependentSchemas": {"a": {"required": ["b"]}}}),
        &[json!({}), json!({"a": 1, "b": 1})],
        &[(json!({"a": 1}), "arguments: missing required property \"b\"")],
    );
    check(
        json!({"dependencies": {"a": ["b"], "c": {"minProperties": 2}}}),
        &[json!({"b": 1}), json!({"c": 1, "d": 1})],
        &[
            (json!({"a": 1}), "arguments: missing property \"b\", which \"a\" requires"),
            (json!({"c": 1}), "arguments: must have at least 2 properties"),
        ],
    );
}

#[test]
fn schemas_in_place() {
    check(
        json!({"allOf": [{"type": "integer"}, {"minimum": 2}]}),
        &[json!(2)],
        &[(json!(1), "arguments: must be at least 2")],
    );
    check(
        json!({"properties": {"a": {"anyOf": [{"type": "string"}, {"items": {"type": "null"}, "type": "array"}]}}}),
        &[json!({"a": "x"}), json!({"a": [null]})],
        &[
            (
                json!({"a": 1}),
                "/a: must match at least one of 2 alternatives: must be of type string; must be of type array",
            ),
            (
                json!({"a": [1]}),
                "/a: must match at least one of 2 alternatives: must be of type string; /a/0: must be of type null",
            ),
        ],
    );
    check(
        json!({"oneOf": [{"type": "integer"}, {"minimum": 2}, {"const": 1}]}),
        &[json!(0), json!(2.5)],
        &[
            (json!(1), "arguments: must match exactly one alternative of oneOf, but matches 0 and 2 of them"),
            (
                json!(1.5),
                "arguments: must match exactly one of 3 alternatives: must be of type integer; must be at least 2; must be 1",
            ),
        ],
    );
    check(
        json!({"not": {"type": "integer"}}),
        &[json!("a")],
        &[(json!(1), "arguments: must not match the schema of \"not\"")],
    );
    check(
        json!({"if": {"type": "integer"}, "then": {"minimum": 5}, "else": {"type": "string"}}),
        &[json!(5), json!("a")],
        &[(json!(4), "arguments: must be at least 5"), (json!(null), "arguments: must be of type string")],
    );
    check(json!({"then": false, "else": false}), &[json!(1)], &[]);
    check(json!({"if": false}), &[json!(1)], &[]);
    let many: Vec<Value> = (0..9).map(|number| json!({"const": number})).collect();
    check(
        json!({"anyOf": many}),
        &[json!(8)],
        &[(
            json!(9),
            "arguments: must match at least one of 9 alternatives: must be 0; must be 1; must be 2; must be 3; ...",
        )],
    );
}

#[test]
fn references() {
    let tree = json!({
        "type": "object",
        "properties": {"value": {"type": "integer"}, "children": {"type": "array", "items": {"$ref": "#"}}},
        "required": ["value"]
    });
    check(
        tree,
        &[json!({"value": 1, "children": [{"value": 2, "children": []}]})],
        &[(json!({"value": 1, "children": [{"value": 2}, {}]}), "/children/1: missing required property \"value\"")],
    );
    for reference in ["#/$defs/a~1b~0c%25", "#/%24defs/a~1b~0c%25", "#name", "schema:///#name"] {
        let schema = json!({
            "$defs": {"a/b~c%": {"$anchor": "name", "type": "integer"}},
            "properties": {"x": {"$ref": reference}}
        });
        check(schema, &[json!({"x": 1})], &[(json!({"x": "1"}), "/x: must be of type integer")]);
    }
    check(
        json!({"definitions": {"a": {"minimum": 1}}, "allOf": [{"$ref": "#/definitions/a", "maximum": 2}]}),
        &[json!(1)],
        &[(json!(0), "arguments: must be at least 1"), (json!(3), "arguments: must be at most 2")],
    );
    // As some generators write: names as $id, and pointers into keywords that the dialect does not know.
    check(
        json!({"$defs": {"T": {"$id": "T", "type": "string"}}, "items": {"$ref": "T"}}),
        &[json!(["a"])],
        &[(json!([1]), "/0: must be of type string")],
    );
    check(
        json!({"components": {"schemas": {"A": {"items": {"$ref": "#/components/schemas/B"}}, "B": {"type": "null"}}},
               "$ref": "#/components/schemas/A"}),
        &[json!([null])],
        &[(json!([1]), "/0: must be of type null")],
    );
    // The base URI of a subschema is that of its nearest $id.
    check(
        json!({"$id": "https://example.com/a/root", "$ref": "inner#/$defs/x",
               "$defs": {"i": {"$id": "inner", "$defs": {"x": {"$ref": "#y"}, "z": {"$anchor": "y", "type": "null"}}},
                         "j": {"$anchor": "y", "type": "string"}}}),
        &[json!(null)],
        &[(json!("a"), "arguments: must be of type null")],
    );
    // What looks like an identifier in a value is none.
    check(
        json!({"const": {"$id": "x", "$anchor": "1", "$ref": 7}}),
        &[json!({"$id": "x", "$anchor": "1", "$ref": 7})],
        &[],
    );
    check(
        json!({"properties": {"$ref": {"type": "string"}, "$id": true}}),
        &[json!({"$ref": "a"})],
        &[(json!({"$ref": 1}), "/$ref: must be of type string")],
    );
}

#[test]
fn dialects() {
    for dialect in ["https://json-schema.org/draft/2020-12/schema", "https://json-schema.org/draft/2020-12/schema#"] {
        check(json!({"$schema": dialect, "type": "null"}), &[json!(null)], &[]);
    }
    let only = "is not supported, only https://json-schema.org/draft/2020-12/schema is";
    let draft7 = "http://json-schema.org/draft-07/schema#";
    // The items of draft 7 would be malformed here: the dialect is named first.
    needs_feature(json!({"$schema": draft7, "items": [true]}), &format!("/$schema: the dialect \"{draft7}\" {only}"));
    refused(
        json!({"$schema": "https://example.com/x"}),
        &format!("/$schema: the dialect \"https://example.com/x\" {only}"),
    );
    refused(json!({"$schema": 7}), "/$schema: must be a string");
    check(json!({"x-mcp-header": 7, "nullable": [], "title": "t", "default": {"type": 7}}), &[json!(1)], &[]);
}

#[test]
fn what_is_lacking() {
    needs_feature(json!({"$dynamicRef": "#a"}), "/$dynamicRef: $dynamicRef is not supported");
    needs_feature(json!({"$dynamicAnchor": "a"}), "/$dynamicAnchor: $dynamicAnchor is not supported");
    needs_feature(
        json!({"allOf": [{"unevaluatedProperties": false}]}),
        "/allOf/0/unevaluatedProperties: unevaluatedProperties is not supported",
    );
    needs_feature(json!({"unevaluatedItems": true}), "/unevaluatedItems: unevaluatedItems is not supported");
    let outside = "https://json-schema.org/draft/2020-12/schema";
    needs_feature(
        json!({"items": {"$ref": outside}}),
        &format!("/items/$ref: \"{outside}\" is not in this document, and nothing is fetched"),
    );
    // A mistake is reported before something that is lacking, with the feature or without.
    refused(
        json!({"unevaluatedItems": true, "properties": {"a": {"type": 12}}}),
        "/properties/a/type: must be one of the seven types, or an array of different ones",
    );
}

/// The MCP rule on references: a schema that points elsewhere is refused, with the feature too, and nothing is fetched.
#[test]
fn references_out_of_the_document_are_refused() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let place = format!("http://{}/schema.json", listener.local_addr().unwrap());
    let refused = Schema::compile(&json!({"properties": {"a": {"$ref": place}}})).unwrap_err();
    assert_eq!(refused.place, "/properties/a/$ref");
    assert!(refused.reason.contains("is not in this document, and nothing is fetched"), "{refused}");
    assert_eq!(listener.accept().unwrap_err().kind(), std::io::ErrorKind::WouldBlock);
}

#[test]
fn malformed_schemas() {
    let types = "must be one of the seven types, or an array of different ones";
    let strings = "must be an array of different strings";
    let count = "must be an integer of at least 0";
    let schema = "must be a schema: an object or a boolean";
    let anchor = "must be a name of letters, digits, '-', '_' and '.'";
    for (document, place, reason) in [
        (json!(1), "schema", schema),
        (json!(null), "schema", schema),
        (json!({"type": 12}), "/type", types),
        (json!({"type": "int"}), "/type", types),
        (json!({"type": []}), "/type", types),
        (json!({"type": ["null", "null"]}), "/type", types),
        (json!({"enum": 1}), "/enum", "must be an array"),
        (json!({"minimum": "1"}), "/minimum", "must be a number"),
        (json!({"exclusiveMaximum": true}), "/exclusiveMaximum", "must be a number"),
        (json!({"multipleOf": 0}), "/multipleOf", "must be greater than 0"),
        (json!({"multipleOf": -0.5}), "/multipleOf", "must be greater than 0"),
        (json!({"minLength": -1}), "/minLength", count),
        (json!({"maxLength": 1.5}), "/maxLength", count),
        (json!({"minItems": null}), "/minItems", count),
        (json!({"maxItems": "1"}), "/maxItems", count),
        (json!({"minProperties": []}), "/minProperties", count),
        (json!({"maxProperties": -1}), "/maxProperties", count),
        (json!({"minContains": -1}), "/minContains", count),
        (json!({"maxContains": -1}), "/maxContains", count),
        (json!({"pattern": 1}), "/pattern", "must be a string"),
        (json!({"uniqueItems": 1}), "/uniqueItems", "must be a boolean"),
        (json!({"items": [true]}), "/items", schema),
        (json!({"prefixItems": []}), "/prefixItems", "must not be empty"),
        (json!({"prefixItems": {}}), "/prefixItems", "must be an array"),
        (json!({"prefixItems": [1]}), "/prefixItems/0", schema),
        (json!({"contains": 1}), "/contains", schema),
        (json!({"required": true}), "/required", strings),
        (json!({"required": ["a", "a"]}), "/required", strings),
        (json!({"dependentRequired": {"a": [1]}}), "/dependentRequired", strings),
        (json!({"dependentSchemas": {"a": []}}), "/dependentSchemas/a", schema),
        (json!({"dependencies": {"a": [1]}}), "/dependencies", strings),
        (json!({"properties": []}), "/properties", "must be an object"),
        (json!({"properties": {"a/b": 1}}), "/properties/a~1b", schema),
        (json!({"patternProperties": {"(": true}}), "/patternProperties", "the pattern \"(\" leaves a group open"),
        (json!({"propertyNames": "a"}), "/propertyNames", schema),
        (json!({"additionalProperties": null}), "/additionalProperties", schema),
        (json!({"allOf": []}), "/allOf", "must not be empty"),
        (json!({"anyOf": {}}), "/anyOf", "must be an array"),
        (json!({"oneOf": [true, 1]}), "/oneOf/1", schema),
        (json!({"not": []}), "/not", schema),
        (json!({"if": 1}), "/if", schema),
        (json!({"then": 1}), "/then", schema),
        (json!({"$defs": {"a": 1}}), "/$defs/a", schema),
        (json!({"$defs": []}), "/$defs", "must be an object"),
        (json!({"$ref": 1}), "/$ref", "must be a string"),
        (json!({"$ref": "#/$defs/a"}), "/$ref", "\"#/$defs/a\" leads nowhere"),
        (json!({"$ref": "#a"}), "/$ref", "\"#a\" leads nowhere"),
        (json!({"$ref": "#/allOf/01", "allOf": [true, true]}), "/$ref", "\"#/allOf/01\" leads nowhere"),
        (json!({"$ref": "#/a~2", "a~2": true}), "/$ref", "\"#/a~2\" leads nowhere"),
        (json!({"$ref": "#%zz"}), "/$ref", "has a broken percent escape"),
        (json!({"$ref": "#/title", "title": "t"}), "/title", schema),
        (json!({"$id": 1}), "/$id", "must be a URI reference without a fragment"),
        (json!({"$id": "a#b"}), "/$id", "must be a URI reference without a fragment"),
        (json!({"allOf": [{"$id": "a"}, {"$id": "a"}]}), "/allOf/1/$id", "the URI \"schema:///a\" is used twice"),
        (json!({"$anchor": "1"}), "/$anchor", anchor),
        (json!({"$anchor": null}), "/$anchor", anchor),
        (json!({"$anchor": "a", "items": {"$anchor": "a"}}), "/items/$anchor", "the name \"a\" is used twice"),
        (json!({"x": {"$id": "y"}, "$ref": "#/x"}), "/x/$id", "must not stand where the dialect knows no subschema"),
        (json!({"title": 1}), "/title", "must be a string"),
        (json!({"description": []}), "/description", "must be a string"),
        (json!({"deprecated": "yes"}), "/deprecated", "must be a boolean"),
        (json!({"examples": {}}), "/examples", "must be an array"),
        (json!({"format": 1}), "/format", "must be a string"),
        (json!({"contentSchema": 1}), "/contentSchema", schema),
        (json!({"$vocabulary": 1}), "/$vocabulary", "must be an object"),
    ] {
        refused(document, &format!("{place}: {reason}"));
    }
}

#[test]
fn references_without_end_are_refused() {
    let reason = "leads back to itself without end";
    refused(json!({"$ref": "#"}), &format!("schema: {reason}"));
    refused(json!({"allOf": [{"anyOf": [{"type": "null"}, {"$ref": "#"}]}]}), &format!("schema: {reason}"));
    refused(json!({"not": {"$ref": "#"}}), &format!("schema: {reason}"));
    refused(json!({"if": true, "then": {"$ref": "#"}}), &format!("schema: {reason}"));
    refused(json!({"dependentSchemas": {"a": {"$ref": "#"}}}), &format!("schema: {reason}"));
    let pair = json!({"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"oneOf": [{"$ref": "#/$defs/a"}]}}});
    refused(pair, &format!("/$defs/a: {reason}"));
    // Progress in the instance ends it.
    check(
        json!({"items": {"$ref": "#"}, "type": "array"}),
        &[json!([[[]]])],
        &[(json!([[1]]), "/0/0: must be of type array")],
    );
}

/// A value `depth` levels deep.
fn nested(depth: usize, wrap: fn(Value) -> Value, inner: Value) -> Value {
    (0..depth).fold(inner, |value, _| wrap(value))
}

#[test]
fn depth_is_bounded() {
    // Deeper than any JSON text that serde_json reads, yet not so deep that dropping the value is the difficulty.
    let deep = || nested(1_000, |value| Value::Array(vec![value]), json!(1));
    let report = "arguments: nests more than 512 levels of schemas or values";
    let pair = Value::Array(vec![deep(), deep()]);
    for schema in [
        json!({"items": {"$ref": "#"}}),
        json!({"uniqueItems": true}),
        json!({"not": {"uniqueItems": true}}),
        json!({"anyOf": [{"uniqueItems": true}, true]}),
        json!({"not": {"items": {"$ref": "#"}}}),
    ] {
        let schema = Schema::compile(&schema).unwrap();
        assert_eq!(schema.check(&pair).unwrap_err().to_string(), report);
    }
    assert_eq!(
        Schema::compile(&json!({"const": [1]})).unwrap().check(&pair).unwrap_err().to_string(),
        "arguments: must be [1]"
    );
    refused(json!({"const": deep()}), "/const: nests more than 128 levels");
    refused(json!({"enum": [1, deep()]}), "/enum: has a value that nests more than 128 levels");
    refused(nested(1_000, |value| json!({"not": value}), json!({})), "schema: nests more than 512 subschemas");
    // What is not read may be as deep as it likes.
    check(json!({"default": deep(), "x-other": deep()}), &[pair], &[]);
}

/// The deepest check that is allowed needs less than a megabyte of stack, in a debug build too.
#[test]
fn the_deepest_check_fits_a_small_stack() {
    let run = || {
        let schema = json!({"allOf": [{"anyOf": [{"properties": {"a": {"$ref": "#"}}}]}]});
        let schema = Schema::compile(&schema).unwrap();
        let value = nested(200, |value| json!({"a": value}), json!({}));
        assert_eq!(
            schema.check(&value).unwrap_err().to_string(),
            "arguments: nests more than 512 levels of schemas or values"
        );
        let value = nested(100, |value| json!({"a": value}), json!({}));
        assert_eq!(schema.check(&value), Ok(()));
    };
    thread::Builder::new().stack_size(1 << 20).spawn(run).unwrap().join().unwrap();
}

#[test]
fn work_is_bounded() {
    let report = "arguments: takes more than 20000000 steps to check against its schema";
    // Thirty levels that each double the work.
    let mut definitions = serde_json::Map::new();
    for level in 0..30 {
        let next = format!("#/$defs/{}", level + 1);
        definitions.insert(level.to_string(), json!({"allOf": [{"$ref": next}, {"$ref": next}]}));
    }
    definitions.insert("30".to_owned(), json!({"type": "null"}));
    let schema = Schema::compile(&json!({"$ref": "#/$defs/0", "$defs": definitions})).unwrap();
    assert_eq!(schema.check(&json!(null)).unwrap_err().to_string(), report);
    // A large pattern on a large text.
    let schema = Schema::compile(&json!({"pattern": "^(a|b|c){5000}$"})).unwrap();
    assert_eq!(schema.check(&json!("a".repeat(100_000))).unwrap_err().to_string(), report);
    // Patterns that make a backtracking engine explode are plain work here.
    let schema = Schema::compile(&json!({"pattern": "^(a+)+$"})).unwrap();
    let text = json!(format!("{}b", "a".repeat(50_000)));
    assert_eq!(schema.check(&text).unwrap_err().to_string(), "arguments: must match the pattern \"^(a+)+$\"");
    // Too many subschemas.
    let many: Vec<Value> = (0..10_000).map(|_| json!(true)).collect();
    refused(json!({"anyOf": many}), "schema: has more than 10000 subschemas");
    // A large, plain instance is well within the bounds.
    let schema = Schema::compile(&json!({"items": {"type": "integer", "minimum": 0}})).unwrap();
    assert_eq!(schema.check(&json!((0..1_000_000).collect::<Vec<u32>>())), Ok(()));
}

#[test]
fn a_schema_is_shared_between_threads_and_reports_can_name_their_root() {
    let schema = Schema::compile(&json!({"type": "object"})).unwrap();
    thread::scope(|scope| {
        for _ in 0..4 {
            let schema = schema.clone();
            scope.spawn(move || assert_eq!(schema.check(&json!({})), Ok(())));
        }
    });
    let violation = schema.check(&json!(1)).unwrap_err();
    assert_eq!(violation.place, "");
    assert_eq!(violation.named("structuredContent").to_string(), "structuredContent: must be of type object");
}

/// With the feature, what is lacking is checked by the package; what works without it is not touched.
#[cfg(feature = "jsonschema")]
#[test]
fn the_feature_fills_the_gaps() {
    let closed = json!({"allOf": [{"properties": {"a": true}}], "unevaluatedProperties": false});
    let schema = Schema::compile(&closed).unwrap();
    assert_eq!(schema.check(&json!({"a": 1})), Ok(()));
    assert_eq!(schema.check(&json!({"b": 1})).unwrap_err().place, "");
    let schema = Schema::compile(&json!({"properties": {"a": {"pattern": "^\\p{L}+$"}}})).unwrap();
    assert_eq!(schema.check(&json!({"a": "é"})), Ok(()));
    assert_eq!(schema.check(&json!({"a": "1"})).unwrap_err().place, "/a");
    let draft7 = json!({"$schema": "http://json-schema.org/draft-07/schema#", "items": [{"type": "null"}]});
    let schema = Schema::compile(&draft7).unwrap();
    assert_eq!(schema.check(&json!([1])).unwrap_err().place, "/0");
    // Formats stay annotations.
    let schema = Schema::compile(&json!({"format": "ipv4", "unevaluatedItems": false})).unwrap();
    assert_eq!(schema.check(&json!("x")), Ok(()));
    // Depth is bounded there too, at what serde_json lets a text have.
    let tree = Schema::compile(&json!({"items": {"$ref": "#"}, "unevaluatedProperties": false})).unwrap();
    let deep = |levels| nested(levels, |value| Value::Array(vec![value]), json!(1));
    assert_eq!(tree.check(&deep(127)), Ok(()));
    assert_eq!(tree.check(&deep(128)).unwrap_err().to_string(), "arguments: nests more than 128 levels");
}

/// A small generator of numbers, so that a failure can be repeated.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % sides
    }

    fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        let index = usize::try_from(self.roll(from.len() as u64)).unwrap();
        from[index].clone()
    }

    fn value(&mut self, depth: u64) -> Value {
        let scalars = [
            json!(null),
            json!(true),
            json!(0),
            json!(1),
            json!(1.0),
            json!(-2.5),
            json!(3),
            json!("a"),
            json!("éb"),
            json!(""),
        ];
        match self.roll(if depth == 0 { 4 } else { 8 }) {
            0..4 => self.pick(&scalars),
            4..6 => (0..self.roll(4)).map(|_| self.value(depth - 1)).collect(),
            _ => {
                let names = ["a", "b", "éb"];
                Value::Object(
                    (0..self.roll(4)).map(|_| (self.pick(&names).to_owned(), self.value(depth - 1))).collect(),
                )
            }
        }
    }

    fn schema(&mut self, depth: u64) -> Value {
        if depth == 0 || self.roll(8) == 0 {
            return self.pick(&[
                json!(true),
                json!(false),
                json!({}),
                json!({"type": "string"}),
                json!({"$ref": "#/$defs/a"}),
            ]);
        }
        let names = [json!(["a"]), json!(["a", "b"]), json!([])];
        let mut object = serde_json::Map::new();
        for _ in 0..=self.roll(3) {
            let inner = |dice: &mut Dice| dice.schema(depth - 1);
            let (keyword, value) = match self.roll(30) {
                0 => (
                    "type",
                    self.pick(&[json!("integer"), json!("object"), json!("array"), json!(["string", "number"])]),
                ),
                1 => ("enum", json!([self.value(1), self.value(2)])),
                2 => ("const", self.value(2)),
                3 => ("minimum", self.pick(&[json!(0), json!(-2.5), json!(1.0)])),
                4 => ("exclusiveMaximum", self.pick(&[json!(1), json!(2.5)])),
                5 => ("multipleOf", self.pick(&[json!(2), json!(0.5), json!(1.0)])),
                6 => ("minLength", json!(self.roll(3))),
                7 => ("maxLength", json!(self.roll(3))),
                8 => ("pattern", self.pick(&[json!("^a"), json!("b$"), json!("^.?$"), json!("[^\\w]")])),
                9 => ("minItems", json!(self.roll(3))),
                10 => ("maxItems", json!(self.roll(4))),
                11 => ("uniqueItems", json!(true)),
                12 => ("prefixItems", json!([inner(self), inner(self)])),
                13 | 14 => ("items", inner(self)),
                15 => ("contains", inner(self)),
                16 => ("minContains", json!(self.roll(3))),
                17 => ("maxContains", json!(self.roll(3))),
                18 => ("required", self.pick(&names)),
                19 => ("minProperties", json!(self.roll(3))),
                20 => ("dependentRequired", json!({"a": self.pick(&names)})),
                21 => ("propertyNames", inner(self)),
                22 => ("properties", json!({"a": inner(self), "b": inner(self)})),
                23 => ("patternProperties", json!({"b": inner(self), "^a$": inner(self)})),
                24 => ("additionalProperties", inner(self)),
                25 => ("dependentSchemas", json!({"b": inner(self)})),
                26 => (self.pick(&["allOf", "anyOf", "oneOf"]), json!([inner(self), inner(self)])),
                27 => ("not", inner(self)),
                28 => ("if", inner(self)),
                _ => (self.pick(&["then", "else"]), inner(self)),
            };
            object.insert(keyword.to_owned(), value);
        }
        Value::Object(object)
    }

    fn document(&mut self) -> Value {
        json!({"$defs": {"a": {"type": ["integer", "object"], "properties": {"a": {"$ref": "#"}}}}, "allOf": [self.schema(4)]})
    }
}

/// Laws that need no second opinion: a schema never disagrees with its own negation, and reports repeat.
#[test]
fn random_schemas_keep_the_laws() {
    let mut dice = Dice(0x2026_0728);
    let (mut valid, mut invalid) = (0, 0);
    for _ in 0..2_000 {
        let document = dice.document();
        let schema = Schema::compile(&document).unwrap_or_else(|refused| panic!("{refused}: {document}"));
        let negated = json!({"$defs": {"x": {"$id": "x", "$defs": document["$defs"], "allOf": document["allOf"]}}, "not": {"$ref": "x"}});
        let negated = Schema::compile(&negated).unwrap_or_else(|refused| panic!("{refused}: {document}"));
        for _ in 0..8 {
            let value = dice.value(3);
            let verdict = schema.check(&value);
            assert_eq!(verdict, schema.check(&value), "{value} against {document}");
            assert_ne!(verdict.is_ok(), negated.check(&value).is_ok(), "{value} against {document}");
            if verdict.is_ok() { valid += 1 } else { invalid += 1 }
        }
    }
    assert!(valid > 1_000 && invalid > 1_000, "{valid} valid, {invalid} invalid: the dice are loaded");
}

/// A second opinion: the package and our checker agree wherever ours takes the schema.
#[cfg(feature = "jsonschema")]
#[test]
fn random_schemas_get_the_same_answer_from_the_package() {
    let mut dice = Dice(0x0728_2026);
    for _ in 0..3_000 {
        let document = dice.document();
        let ours = Schema::compile(&document).unwrap();
        let theirs =
            jsonschema::options().offline().build(&document).unwrap_or_else(|error| panic!("{error}: {document}"));
        for _ in 0..8 {
            let value = dice.value(3);
            let verdict = ours.check(&value);
            assert_eq!(verdict.is_ok(), theirs.is_valid(&value), "{value} against {document}: {verdict:?}");
        }
    }
}
