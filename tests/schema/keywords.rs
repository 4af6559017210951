//! Keywords that ask something of a value.

use plain_mcp::schema::Schema;
use serde_json::{Value, json};

use crate::check;

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
    // whichever of two values comes first
    for (one, two) in [("x", "y"), ("y", "x")] {
        let items = json!([0, 1, 2, 3, 4, 5, one, two, two, one, two]);
        let report = "arguments: must have different items, but items 7 and 8 are equal";
        check(json!({"uniqueItems": true}), &[], &[(items, report)]);
    }
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
    let four: Vec<Value> = (0..4).map(|number| json!({"const": number})).collect();
    check(
        json!({"anyOf": four}),
        &[json!(3)],
        &[(
            json!(9),
            "arguments: must match at least one of 4 alternatives: must be 0; must be 1; must be 2; must be 3",
        )],
    );
    check(json!({"const": true}), &[json!(true)], &[(json!(false), "arguments: must be true")]);
    check(json!({"enum": [false, null]}), &[json!(false)], &[(json!(true), "arguments: must be one of false, null")]);
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
