//! §1 §14 Bytes that become messages, or do not.

use serde_json::{Value, json};

use crate::kit::request;
use crate::peer::{Peer, on_both, tool_call};

/// Sends bytes that are no JSON; the next message is answered all the same.
fn is_a_parse_error(peer: &mut Peer, bytes: &[u8]) {
    peer.raw("server/discover", None, bytes).refused(Value::Null, -32700, 400);
    assert_eq!(peer.call("server/discover", json!({})).answer["id"], 1);
}

#[test]
fn case_001_a_character_in_two_pieces() {
    let text = "naïve – 日本";
    let message = tool_call(1, "echo", json!({"text": text})).to_string();
    let cut = message.find('日').unwrap() + 1;
    let mut peer = Peer::stdio();
    for piece in [&message.as_bytes()[..cut], &message.as_bytes()[cut..], b"\n"] {
        peer.fixture.send(piece);
    }
    assert_eq!(peer.next().said(), text);
    let mut peer = Peer::http();
    for cut in [cut, 1, message.len() - 1] {
        let mut web = peer.another();
        let (head, body) = (crate::peer::head("tools/call", Some("echo"), message.len()), message.as_bytes());
        let answer = crate::peer::heard(web.send(head).send(&body[..cut]).send(&body[cut..]).answer());
        assert_eq!(answer.said(), text);
    }
    assert_eq!(peer.tool("echo", json!({"text": text})).said(), text);
}

#[test]
fn case_002_a_byte_order_mark() {
    on_both(|peer| {
        let discover = request("server/discover", json!({})).to_string();
        for _ in 0..2 {
            let marked = format!("\u{feff}{discover}"); // on a later line no less than on the first
            assert_eq!(peer.raw("server/discover", None, marked.as_bytes()).result()["resultType"], "complete");
        }
        is_a_parse_error(peer, format!("\u{feff}\u{feff}{discover}").as_bytes());
        is_a_parse_error(peer, format!("{discover}\u{feff}").as_bytes());
    });
}

#[test]
fn case_003_carriage_returns() {
    let discover = request("server/discover", json!({}));
    on_both(|peer| {
        let mut one = discover.to_string().into_bytes();
        one.extend(b"\r");
        assert_eq!(peer.raw("server/discover", None, &one).answer["id"], 1); // none of the lines that come has one
        let spaced = serde_json::to_string(&discover).unwrap().replace(',', "\t,\r ");
        assert_eq!(peer.raw("server/discover", None, spaced.as_bytes()).answer["id"], 1);
    });
}

#[test]
fn case_004_headers_on_stdio() {
    let mut peer = Peer::stdio();
    peer.fixture.send(b"Content-Length: 37\r\n\r\n");
    peer.next().refused(Value::Null, -32700, 400);
    peer.fixture.send(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"x\"}\n");
    peer.next().refused(1, -32602, 400);
    let answer = peer.call("server/discover", json!({}));
    assert!(!answer.text.contains("Content-Length"));
    assert!(peer.end().is_empty(), "a blank line is no message");
}

#[test]
fn case_005_one_malformed_line() {
    on_both(|peer| {
        let whole = request("server/discover", json!({})).to_string();
        is_a_parse_error(peer, br#"{"jsonrpc":"2.0","id":1,"method":"#);
        for cut in [1, whole.len() / 2, whole.len() - 1] {
            is_a_parse_error(peer, &whole.as_bytes()[..cut]);
        }
        is_a_parse_error(peer, format!("{whole}{whole}").as_bytes());
    });
}

#[test]
fn case_006_bytes_that_are_not_utf_8() {
    on_both(|peer| {
        let discover = request("server/discover", json!({"x": "HERE"})).to_string();
        for bad in [&b"\xff\xfe"[..], b"\xc3", b"\xed\xa0\x80", b"\xc0\xaf", b"\xf4\x90\x80\x80"] {
            let (before, after) = discover.split_once("HERE").unwrap();
            is_a_parse_error(peer, &[before.as_bytes(), bad, after.as_bytes()].concat());
            is_a_parse_error(peer, &[br#"{"jsonrpc":"2.0","id":""#, bad, br#"","method":"server/discover"}"#].concat());
        }
    });
}

#[test]
fn case_007_a_message_of_a_mebibyte() {
    on_both(|peer| {
        let text = "a".repeat(1_048_576);
        assert_eq!(peer.tool("echo", json!({"text": text})).said(), text);
        let escaped = serde_json::to_string(&tool_call(1, "echo", json!({"text": "HERE"}))).unwrap();
        let escaped = escaped.replace("HERE", &"\\u65e5".repeat(262_144));
        assert_eq!(peer.raw("tools/call", Some("echo"), escaped.as_bytes()).said(), "日".repeat(262_144));
    });
}

#[test]
fn case_009_line_ends_of_other_alphabets() {
    on_both(|peer| {
        let text = "a\u{2028}b\u{2029}c\u{85}d";
        let heard = peer.tool("echo", json!({"text": text}));
        assert_eq!(heard.said(), text);
        let escaped = "\n\r\u{b}\u{c}\u{1c}\u{0}"; // written as escapes
        assert_eq!(peer.tool("echo", json!({"text": escaped})).said(), escaped);
    });
}

#[test]
fn case_011_a_batch() {
    on_both(|peer| {
        let (discover, toggle) = (request("server/discover", json!({})), tool_call(2, "toggle_tool", json!({})));
        let note = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}});
        for batch in [json!([discover, toggle]), json!([toggle]), json!([note]), json!([]), json!([1])] {
            peer.raw("tools/call", Some("toggle_tool"), batch.to_string().as_bytes()).refused(Value::Null, -32600, 400);
        }
        assert_eq!(peer.tool("toggle_tool", json!({})).said(), "added"); // so no part of a batch was run
    });
}

#[test]
fn case_013_half_a_character() {
    on_both(|peer| {
        let message = tool_call(1, "echo", json!({"text": "HERE"})).to_string();
        for half in [r"x\ud800y", r"\udc00", r"\ud83d\ud83d", r"\ud83d"] {
            is_a_parse_error(peer, message.replace("HERE", half).as_bytes());
            is_a_parse_error(peer, message.replace("\"text\"", &format!("\"{half}\"")).as_bytes());
            is_a_parse_error(peer, message.replace("tools/call", half).as_bytes());
        }
        assert_eq!(peer.tool("echo", json!({"text": "😀"})).said(), "😀");
        let pair = message.replace("HERE", r"\ud83d\ude00");
        assert_eq!(peer.raw("tools/call", Some("echo"), pair.as_bytes()).said(), "😀");
    });
}

#[test]
fn case_016_numbers_that_are_none() {
    on_both(|peer| {
        let message = tool_call(1, "echo", json!({"text": "HERE"})).to_string();
        for number in ["NaN", "Infinity", "-Infinity", "1e999", "-1e999", "+1", "01", "1.", ".5", "0x1"] {
            is_a_parse_error(peer, message.replace("\"HERE\"", number).as_bytes());
            is_a_parse_error(peer, message.replace("\"id\":1", &format!("\"id\":{number}")).as_bytes());
        }
    });
}
