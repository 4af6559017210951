//! §5 §6 Lists, their pages, their order; completions.

use serde_json::{Value, json};

use crate::peer::on_both;

const LISTS: &[&str] = &["tools/list", "resources/list", "resources/templates/list", "prompts/list"];

#[test]
fn case_122_the_last_page_and_cursors_that_are_none() {
    on_both(|peer| {
        for method in LISTS {
            assert_eq!(peer.call(method, json!({})).result().get("nextCursor"), None);
            for cursor in [json!("garbage"), json!(5), json!(""), json!(null), json!({}), json!("x".repeat(5000))] {
                let heard = peer.call(method, json!({"cursor": cursor}));
                println!("{method} {cursor}");
                heard.refused(1, -32602, 400);
            }
        }
    });
}

#[test]
fn case_123_more_proposals_than_may_be_sent() {
    on_both(|peer| {
        let ask = |value: &str| json!({"ref": {"type": "ref/prompt", "name": "p"}, "argument": {"name": "a", "value": value}});
        for value in ["x", ""] {
            let completion = peer.call("completion/complete", ask(value)).result()["completion"].clone();
            let values: Vec<Value> = (0..100).map(|number| json!(format!("{value}{number}"))).collect();
            assert_eq!(completion, json!({"values": values, "hasMore": true, "total": 250}));
        }
    });
}

/// Properties stand where their author put them, tools are sorted, and the same question has the same answer.
#[test]
fn case_113_the_order_of_what_is_listed() {
    on_both(|peer| {
        let first = peer.call("tools/list", json!({})).text;
        assert_eq!(peer.call("tools/list", json!({})).text, first);
        let places: Vec<usize> =
            ["\"zulu\":", "\"alpha\":", "\"mike\":"].map(|name| first.find(name).unwrap()).to_vec();
        assert!(places.is_sorted(), "{places:?}");
        let properties =
            r#""properties":{"zulu":{"type":"string"},"alpha":{"type":"string"},"mike":{"type":"string"}}"#;
        let zeta = format!(r#"{{"type":"object",{properties},"required":["zulu"]}}"#);
        assert!(first.contains(&zeta), "as text, it is listed as it was written");
        let kinds =
            [("tools", "name"), ("resources", "uri"), ("resourceTemplates", "uriTemplate"), ("prompts", "name")];
        for (method, (list, key)) in LISTS.iter().zip(kinds) {
            let heard = peer.call(method, json!({}));
            assert_eq!(peer.call(method, json!({})).text, heard.text);
            let items = heard.result()[list].as_array().unwrap();
            let keys: Vec<&str> = items.iter().map(|item| item[key].as_str().unwrap()).collect();
            assert!(keys.is_sorted(), "{keys:?}");
        }
    });
}

/// A tool that has gone and come back leaves no trace in the order.
#[test]
fn case_113_the_order_after_a_change() {
    on_both(|peer| {
        let before = peer.call("tools/list", json!({})).text;
        for said in ["added", "removed", "added", "removed"] {
            assert_eq!(peer.tool("toggle_tool", json!({})).said(), said);
        }
        assert_eq!(peer.call("tools/list", json!({})).text, before);
    });
}
