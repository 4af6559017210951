//! §4, §10.2 Capabilities.

use plain_mcp::types::*;
use serde_json::{Value, json};

use crate::line;

fn client(value: Value) -> ClientCapabilities {
    serde_json::from_value(value).unwrap()
}

/// Form, URL, sampling, its tools, its context, roots.
fn can(value: Value) -> [bool; 6] {
    let can = client(value);
    [
        can.elicitation_form(),
        can.elicitation_url(),
        can.sampling(),
        can.sampling_tools(),
        can.sampling_context(),
        can.roots(),
    ]
}

#[test]
fn what_a_client_can_be_asked() {
    for (declared, wanted) in [
        (json!({}), [false; 6]),
        (json!({"elicitation": {}}), [true, false, false, false, false, false]),
        (json!({"elicitation": {"form": {}}}), [true, false, false, false, false, false]),
        (json!({"elicitation": {"url": {}}}), [false, true, false, false, false, false]),
        (json!({"elicitation": {"form": {}, "url": {}}}), [true, true, false, false, false, false]),
        (json!({"elicitation": {"other": {}}}), [false; 6]),
        (json!({"elicitation": {"form": true}}), [false; 6]),
        (json!({"elicitation": true}), [false; 6]),
        (json!({"sampling": {}}), [false, false, true, false, false, false]),
        (json!({"sampling": {"tools": {}}}), [false, false, true, true, false, false]),
        (json!({"sampling": {"context": {}}}), [false, false, true, false, true, false]),
        (json!({"sampling": null}), [false; 6]),
        (json!({"roots": {"listChanged": true}}), [false, false, false, false, false, true]),
    ] {
        assert_eq!(can(declared.clone()), wanted, "{declared}");
    }
    assert_eq!(ClientCapabilities::none(), client(json!({})));
}

#[test]
fn extensions_and_experiments_of_a_client() {
    let declared = json!({"extensions": {"a/b": {"c": 1}, "d/e": 1}, "experimental": {"x": {}}, "new": [1]});
    let can = client(declared.clone());
    assert_eq!(can.extension("a/b").unwrap()["c"], 1);
    assert!(can.extension("d/e").is_none() && can.extension("x").is_none());
    assert!(can.experimental("x").unwrap().is_empty());
    assert!(can.experimental("a/b").is_none());
    assert_eq!(serde_json::to_value(&can).unwrap(), declared);
    assert_eq!(can.as_map()["new"], json!([1]));
    assert!(serde_json::from_value::<ClientCapabilities>(json!([])).is_err());
}

#[test]
fn what_a_server_offers() {
    let mut offers = ServerCapabilities::new();
    assert_eq!(line(&offers), "{}");
    offers.tools = Some(ListCapability { list_changed: Some(true) });
    offers.prompts = Some(ListCapability::default());
    offers.resources = Some(ResourcesCapability { list_changed: None, subscribe: Some(true) });
    offers.logging = Some(serde_json::Map::new());
    let wanted = r#"{"logging":{},"prompts":{},"resources":{"subscribe":true},"tools":{"listChanged":true}}"#;
    assert_eq!(line(&offers), wanted);
}
