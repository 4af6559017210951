//! §11 The filter of subscriptions/listen.

use plain_mcp::envelope::{Object, RequestId};
use plain_mcp::subscriptions::{Filter, Offered, Topic, acknowledged, event, stream_meta};
use serde_json::{Value, json};

const ALL: Offered = Offered { tools: true, prompts: true, resources: true, updates: true };

fn read(notifications: Value) -> Result<Filter, (i64, String)> {
    let params = Object::from_iter([("notifications".to_owned(), notifications)]);
    Filter::read(&params, 3).map_err(|fault| {
        assert_eq!(fault.detail(), None);
        (fault.code().number(), fault.message().to_owned())
    })
}

fn refused(notifications: Value, text: &str) {
    assert_eq!(read(notifications.clone()), Err((-32602, text.to_owned())), "{notifications}");
}

#[test]
fn no_object() {
    covers!("11-1");
    let text = "subscriptions/listen requires a notifications object";
    for value in [json!(null), json!([]), json!("x"), json!(true)] {
        refused(value, text);
    }
    assert_eq!(Filter::read(&Object::new(), 3).unwrap_err().message(), text);
}

#[test]
fn flags() {
    covers!("11-2");
    for name in ["toolsListChanged", "promptsListChanged", "resourcesListChanged"] {
        for value in [json!(null), json!(1), json!("true"), json!({})] {
            refused(json!({name: value}), &format!("subscriptions/listen {name} must be a boolean"));
        }
        assert_eq!(read(json!({name: true})).unwrap().to_value(), json!({name: true}));
        assert_eq!(read(json!({name: false})).unwrap().to_value(), json!({}));
    }
}

#[test]
fn uris() {
    covers!("11-3");
    let text = "subscriptions/listen resourceSubscriptions must list at most 3 absolute URIs";
    for value in [
        json!(null),
        json!("t:a"),
        json!({}),
        json!([1]),
        json!(["a"]),
        json!(["t:a", ""]),
        json!(["t:1", "t:2", "t:3", "t:4"]),
    ] {
        refused(json!({"resourceSubscriptions": value}), text);
    }
    let filter = read(json!({"resourceSubscriptions": ["t:b", "t:a", "t:b"]})).unwrap();
    assert_eq!(filter.to_value(), json!({"resourceSubscriptions": ["t:b", "t:a"]}));
    assert_eq!(read(json!({"resourceSubscriptions": []})).unwrap().to_value(), json!({}));
}

#[test]
fn granted_is_what_is_offered() {
    covers!("11-7", "11-8");
    let asked = json!({"toolsListChanged": true, "promptsListChanged": true, "resourcesListChanged": false,
        "resourceSubscriptions": ["t:a"], "taskIds": 7});
    let filter = read(asked).unwrap();
    let none = Offered::default();
    for (offered, expected) in [
        (ALL, json!({"toolsListChanged": true, "promptsListChanged": true, "resourceSubscriptions": ["t:a"]})),
        (Offered { tools: true, ..none }, json!({"toolsListChanged": true})),
        (Offered { prompts: true, ..none }, json!({"promptsListChanged": true})),
        (Offered { resources: true, ..none }, json!({})),
        (Offered { updates: true, ..none }, json!({"resourceSubscriptions": ["t:a"]})),
        (none, json!({})),
    ] {
        let granted = filter.clone().granted(offered);
        assert_eq!(granted.to_value(), expected);
        assert_eq!(granted.wants(&Topic::Tools), offered.tools);
        assert_eq!(granted.wants(&Topic::Prompts), offered.prompts);
        assert!(!granted.wants(&Topic::Resources), "it was not asked for");
        assert_eq!(granted.wants(&Topic::updated("t:a")), offered.updates);
        assert!(!granted.wants(&Topic::updated("t:a/b")) && !granted.wants(&Topic::updated("t:")));
    }
}

#[test]
fn frames_carry_the_id_with_its_type() {
    covers!("11-9", "11-10");
    let filter = read(json!({"toolsListChanged": true})).unwrap();
    for (id, written) in [(RequestId::Int(9), "9"), (RequestId::Str("9".into()), r#""9""#)] {
        let meta = format!(r#""_meta":{{"io.modelcontextprotocol/subscriptionId":{written}}}"#);
        let expect = |json: String, expected: &str| {
            let expected: Value = serde_json::from_str(&expected.replace("META", &meta)).unwrap();
            assert_eq!(serde_json::from_str::<Value>(&json).unwrap(), expected);
        };
        expect(
            acknowledged(&filter, &id).to_json(),
            r#"{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":{"toolsListChanged":true},META}}"#,
        );
        for (topic, method) in [(Topic::Tools, "tools"), (Topic::Prompts, "prompts"), (Topic::Resources, "resources")] {
            let method = format!("notifications/{method}/list_changed");
            expect(
                event(&topic, &id).to_json(),
                &format!(r#"{{"jsonrpc":"2.0","method":"{method}","params":{{META}}}}"#),
            );
        }
        expect(
            event(&Topic::updated("t:a"), &id).to_json(),
            r#"{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"t:a",META}}"#,
        );
        assert_eq!(json!(stream_meta(&id)), json!({"io.modelcontextprotocol/subscriptionId": id.to_value()}));
    }
}
