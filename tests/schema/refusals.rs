//! Schemas that are refused when they are compiled.

#[cfg(feature = "jsonschema")]
use plain_mcp::schema::Schema;
#[cfg(feature = "jsonschema")]
use serde_json::Value;
use serde_json::json;

#[cfg(feature = "jsonschema")]
use crate::nested;
use crate::{needs_feature, refused};

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
