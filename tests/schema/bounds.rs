//! Depth, work and threads.

use std::thread;

use plain_mcp::schema::Schema;
use serde_json::{Value, json};

use crate::{check, nested, refused};

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
    for around in [|value| json!([value]), |value| json!({"in": value})] {
        check(json!({"const": nested(127, around, json!(1))}), &[], &[]);
        refused(json!({"const": nested(128, around, json!(1))}), "/const: nests more than 128 levels");
    }
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
    // A large, plain instance is well within the bounds, and so are long texts.
    let texts: Vec<String> = (0..10).map(|last| "a".repeat(100_000) + &last.to_string()).collect();
    for schema in [json!({"uniqueItems": true}), json!({"items": {"minLength": 1, "maxLength": 200_000}})] {
        check(schema, &[json!(texts)], &[]);
    }
    check(json!({"const": "a".repeat(1_000_000)}), &[json!("a".repeat(1_000_000))], &[]);
    let schema = Schema::compile(&json!({"items": {"type": "integer", "minimum": 0}})).unwrap();
    assert_eq!(schema.check(&json!((0..1_000_000).collect::<Vec<u32>>())), Ok(()));
}

/// What is read of a long text is paid for by each rule that reads it.
#[test]
fn work_on_long_texts_is_bounded() {
    let report = "arguments: takes more than 20000000 steps to check against its schema";
    let long = |last: char| json!(format!("{}{last}", "a".repeat((1 << 20) - 1)));
    let check_often = |rule: &Value, times: usize, more: Value, value: &Value| {
        let mut rules = vec![json!({"$ref": "#/$defs/rule"}); times];
        rules.push(more);
        Schema::compile(&json!({"$defs": {"rule": rule}, "allOf": rules})).unwrap().check(value)
    };
    let text = long('a');
    for rule in [json!({"minLength": 1}), json!({"maxLength": 1 << 20}), json!({"const": text})] {
        assert_eq!(check_often(&rule, 1_200, json!(true), &text), Ok(()));
        assert_eq!(check_often(&rule, 1_300, json!(true), &text).unwrap_err().to_string(), report);
    }
    // Many items are compared by their hashes: these texts take the last steps, or would.
    let texts = json!(('a'..='i').map(long).collect::<Vec<_>>());
    let rule = json!({"items": {"minLength": 1}});
    assert_eq!(check_often(&rule, 135, json!(true), &texts), Ok(()));
    assert_eq!(check_often(&rule, 135, json!({"uniqueItems": true}), &texts).unwrap_err().to_string(), report);
}

/// A choice that does not fit costs no depth, however often it is tried.
#[test]
fn depth_is_given_back() {
    let choice = json!({"anyOf": [{"properties": {"a": {"properties": {"b": {"type": "string"}}}}}, true]});
    let many = json!(vec![json!({"a": {"b": 1}}); 600]);
    check(json!({"items": choice}), &[many], &[]);
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
