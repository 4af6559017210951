//! `$ref`, `$id`, `$anchor` and `$schema`.

use plain_mcp::schema::Schema;
use serde_json::json;

use crate::{check, needs_feature, refused};

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

/// A pointer can lead through a list that no keyword names: by an index as RFC 6901 writes one.
#[test]
fn references_through_lists() {
    check(
        json!({"$ref": "#/x-list/10", "x-list": [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, {"type": "null"}]}),
        &[json!(null)],
        &[(json!(1), "arguments: must be of type null")],
    );
    check(json!({"$ref": "#/x-list/0", "x-list": [{"type": "null"}]}), &[json!(null)], &[]);
    for index in ["00", "1", "-", "x", "+0", ""] {
        let schema = json!({"$ref": format!("#/x-list/{index}"), "x-list": [{"type": "null"}]});
        assert_eq!(Schema::compile(&schema).unwrap_err().place, "/$ref", "{index:?}");
    }
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
fn references_without_end_are_refused() {
    let reason = "leads back to itself without end";
    refused(json!({"$ref": "#"}), &format!("schema: {reason}"));
    refused(json!({"allOf": [{"anyOf": [{"type": "null"}, {"$ref": "#"}]}]}), &format!("schema: {reason}"));
    refused(json!({"not": {"$ref": "#"}}), &format!("schema: {reason}"));
    refused(json!({"if": true, "then": {"$ref": "#"}}), &format!("schema: {reason}"));
    refused(json!({"dependentSchemas": {"a": {"$ref": "#"}}}), &format!("schema: {reason}"));
    refused(json!({"dependencies": {"a": ["b"], "c": {"$ref": "#"}}}), &format!("schema: {reason}"));
    let pair = json!({"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"oneOf": [{"$ref": "#/$defs/a"}]}}});
    refused(pair, &format!("/$defs/a: {reason}"));
    // Progress in the instance ends it.
    check(
        json!({"items": {"$ref": "#"}, "type": "array"}),
        &[json!([[[]]])],
        &[(json!([[1]]), "/0/0: must be of type array")],
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
