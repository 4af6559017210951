//! §5.4 URIs and templates.

use serde_json::json;

use crate::peer::{Heard, Peer, on_both};

fn read(peer: &mut Peer, uri: &str) -> Heard {
    peer.call("resources/read", json!({"uri": uri}))
}

fn text(heard: &Heard) -> &str {
    heard.result()["contents"][0]["text"].as_str().unwrap()
}

#[test]
fn case_117_escapes_in_a_variable() {
    on_both(|peer| {
        for (written, seen) in [
            ("a%2Fb", "a/b"),
            ("a%2fb", "a/b"),
            ("%E6%97%A5%20x", "日 x"),
            ("100%2525", "100%25"),
            ("%3F%23", "?#"),
            ("%2e%2e", ".."),
            ("a+b", "a+b"),
        ] {
            let heard = read(peer, &format!("test://template/{written}/data"));
            assert_eq!(text(&heard), format!("Template resource data for id {seen}"));
        }
        for written in ["a/b", "", "%", "%2", "%zz", "%ff", "a?b", "a#b"] {
            read(peer, &format!("test://template/{written}/data")).refused(1, -32602, 400);
        }
    });
}

#[test]
fn case_118_templates_of_other_scripts() {
    on_both(|peer| {
        for uri in ["test://caf%C3%A9/7", "test://caf%c3%a9/7", "test://café/7"] {
            assert_eq!(text(&read(peer, uri)), "7", "{uri}");
        }
        read(peer, "test://cafe/7").refused(1, -32602, 400);
        assert_eq!(text(&read(peer, "test://caf%C3%A9/%E4%BA%8C")), "二");
    });
}
