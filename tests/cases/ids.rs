//! §1 The id of a request comes back as it was, to the one who sent it.

use serde_json::{Value, json};

use crate::kit::request;
use crate::peer::{Peer, heard, on_both, post, tool_call};

#[test]
fn case_028_ids_that_look_like_numbers() {
    on_both(|peer| {
        for id in ["1", "007", "", "1.0", "null", "\u{0}é\u{2028}\""] {
            let mut message = request("server/discover", json!({}));
            message["id"] = json!(id);
            assert_eq!(peer.ask(&message).answer["id"], id);
            message["method"] = json!("no/such");
            assert_eq!(peer.ask(&message).answer["id"], id, "an error has it as well");
        }
    });
}

#[test]
fn case_030_ids_keep_their_digits() {
    on_both(|peer| {
        for id in ["0", "-1", "9007199254740993", "9223372036854775807", "-9223372036854775808"] {
            let message = request("server/discover", json!({})).to_string();
            let message = message.replace("\"id\":1", &format!("\"id\":{id}"));
            let text = peer.raw("server/discover", None, message.as_bytes()).text;
            assert!(text.contains(&format!("\"id\":{id},")) || text.ends_with(&format!("\"id\":{id}}}")), "{text}");
        }
    });
}

#[test]
fn case_033_ids_that_are_none() {
    on_both(|peer| {
        let long = json!("x".repeat(257)).to_string();
        for id in [r#"{"a":[1,2,3]}"#, "[1]", "true", "1.5", "1.0", "1e2", "null", "9223372036854775808", &long] {
            let text = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"server/discover"}}"#);
            let answer = peer.raw("server/discover", None, text.as_bytes());
            answer.refused(Value::Null, -32600, 400);
            assert!(id == "null" || !answer.text.contains(id), "nothing of it is reflected: {answer:?}");
        }
        assert_eq!(peer.call("server/discover", json!({})).answer["id"], 1);
    });
}

#[test]
fn case_035_two_clients_with_one_id() {
    let mut peer = Peer::http();
    let mut slow = peer.another();
    slow.send(post(&tool_call(1, "slow", json!({"ms": 400}))));
    assert_eq!(peer.tool("echo", json!({"text": "two"})).said(), "two");
    let first = heard(slow.answer());
    assert_eq!((first.said(), &first.answer["id"]), ("slept", &json!(1)));
}

/// Where a connection is one sender, an id that is still open is refused and its request is left alone.
#[test]
fn case_035_one_client_with_one_id_twice() {
    let mut peer = Peer::stdio();
    peer.fixture.send(format!("{}\n", tool_call(1, "slow", json!({"ms": 400}))).as_bytes());
    let second = peer.tool("echo", json!({"text": "two"}));
    second.refused(1, -32600, 400);
    assert_eq!(second.answer["error"]["message"], "Request id is already in use: 1");
    assert_eq!(peer.next().said(), "slept");
    assert_eq!(peer.tool("echo", json!({"text": "again"})).said(), "again");
}

#[test]
fn case_037_another_json_rpc() {
    on_both(|peer| {
        for version in ["", r#""jsonrpc":"1.0","#, r#""jsonrpc":2.0,"#, r#""jsonrpc":2,"#, r#""jsonrpc":null,"#] {
            let text = request("server/discover", json!({})).to_string();
            let text = text.replace(r#""jsonrpc":"2.0","#, version);
            peer.raw("server/discover", None, text.as_bytes()).refused(1, -32600, 400);
        }
    });
}

/// What answers a message without an id, or an answer, of another JSON-RPC: nothing, on either transport.
#[test]
fn case_037_another_json_rpc_that_asks_for_no_answer() {
    on_both(|peer| {
        for text in
            [r#"{"jsonrpc":"1.0","method":"notifications/cancelled"}"#, r#"{"method":"notifications/cancelled"}"#]
        {
            if peer.is_http() {
                let answer = peer.raw("notifications/cancelled", None, text.as_bytes());
                assert_eq!(answer.has_status(400).answer, Value::Null);
            } else {
                peer.fixture.send(format!("{text}\n").as_bytes());
            }
        }
        assert_eq!(peer.call("server/discover", json!({})).answer["id"], 1);
    });
}

#[test]
fn case_038_a_message_of_no_known_shape() {
    on_both(|peer| {
        for (id, text) in [
            (json!("1"), r#"{"jsonrpc":"2.0","id":"1","request":{"method":"tools/list"}}"#),
            (json!(7), r#"{"jsonrpc":"2.0","id":7}"#),
            (json!(7), r#"{"jsonrpc":"2.0","id":7,"params":{}}"#),
            (json!(7), r#"{"jsonrpc":"2.0","id":7,"method":null}"#),
        ] {
            let answer = peer.raw("tools/list", None, text.as_bytes());
            answer.refused(id, -32600, 400);
            assert!(answer.answer["error"]["message"].as_str().unwrap().contains("method"), "{answer:?}");
        }
    });
}
