//! §1 The JSON-RPC envelope.

use std::sync::{Arc, Mutex};

use plain_mcp::{Context, Limits, NoArgs, Server, Tool, text};
use serde_json::{Value, json};

use crate::kit::{builder, bytes, call, merge, meta, request, send, tool};

const NO_JSON: &str = "Parse error";
const NO_REQUEST: &str = "Invalid Request";
const NO_JSON_RPC: &str = "Expected a JSON-RPC 2.0 request";
const NO_METHOD: &str = "Request method must be a string";
const NO_PARAMS: &str = "Request params must be an object";
const NO_ID: &str = "Request id must be a string of at most 256 bytes or an int64 integer";

fn server() -> Server {
    builder()
        .tool(Tool::new("echo", "Gives back"), |args: Value, _: &Context<'_>| Ok(text(args.to_string())))
        .build()
        .unwrap()
}

/// A discover request with this JSON text as its id.
fn with_id(id: &str) -> String {
    json!({"jsonrpc": "2.0", "id": "ID", "method": "server/discover", "params": {"_meta": meta()}})
        .to_string()
        .replace("\"ID\"", id)
}

/// Each text gets the row's error, with the row's id.
fn answers(rows: &[(&str, i64, &str, Value)]) {
    let server = server();
    for (text, code, message, id) in rows {
        println!("{text}");
        let sent = bytes(&server, text.as_bytes());
        sent.is_error(*code, message, None);
        assert_eq!(&sent.answer.unwrap()["id"], id);
    }
}

#[test]
fn jsonrpc_is_2_0() {
    covers!("1-1");
    answers(&[
        (r#"{"id":1,"method":"server/discover"}"#, -32600, NO_JSON_RPC, json!(1)),
        (r#"{"jsonrpc":"1.0","id":"a","method":"server/discover"}"#, -32600, NO_JSON_RPC, json!("a")),
        (r#"{"jsonrpc":"2.0 ","id":1,"method":"server/discover"}"#, -32600, NO_JSON_RPC, json!(1)),
        (r#"{"jsonrpc":2.0,"id":1,"method":"server/discover"}"#, -32600, NO_JSON_RPC, json!(1)),
        (r#"{"jsonrpc":2,"id":1,"method":"server/discover"}"#, -32600, NO_JSON_RPC, json!(1)),
        (r#"{"jsonrpc":null,"id":1,"method":"server/discover"}"#, -32600, NO_JSON_RPC, json!(1)),
        (r#"{"jsonrpc":["2.0"],"id":1,"method":"server/discover"}"#, -32600, NO_JSON_RPC, json!(1)),
        (r#"{"JSONRPC":"2.0","id":1,"method":"server/discover"}"#, -32600, NO_JSON_RPC, json!(1)),
        ("{}", -32600, NO_JSON_RPC, Value::Null),
    ]);
}

#[test]
fn a_method_is_a_string() {
    covers!("1-2");
    answers(&[
        (r#"{"jsonrpc":"2.0","id":1}"#, -32600, NO_METHOD, json!(1)),
        (r#"{"jsonrpc":"2.0","id":"1","method":null}"#, -32600, NO_METHOD, json!("1")),
        (r#"{"jsonrpc":"2.0","id":1,"method":7}"#, -32600, NO_METHOD, json!(1)),
        (r#"{"jsonrpc":"2.0","id":1,"method":["server/discover"]}"#, -32600, NO_METHOD, json!(1)),
        (r#"{"jsonrpc":"2.0","id":1,"method":{}}"#, -32600, NO_METHOD, json!(1)),
        (r#"{"jsonrpc":"2.0","id":1,"method":null,"result":{}}"#, -32600, NO_METHOD, json!(1)),
        // without an id it is no notification either, whose method is a string
        (r#"{"jsonrpc":"2.0"}"#, -32600, NO_METHOD, Value::Null),
        (r#"{"jsonrpc":"2.0","method":1}"#, -32600, NO_METHOD, Value::Null),
    ]);
}

#[test]
fn params_are_an_object() {
    covers!("1-3");
    for params in ["null", "[]", "7", "\"\"", "true", r#"[{"_meta":{}}]"#] {
        let message = format!(r#"{{"jsonrpc":"2.0","id":"p","method":"server/discover","params":{params}}}"#);
        answers(&[(&message, -32602, NO_PARAMS, json!("p"))]);
    }
}

#[test]
fn an_id_is_a_bounded_string_or_an_int64() {
    covers!("1-4", "1-11");
    let long = format!("\"{}\"", "x".repeat(257));
    let wide = format!("\"{}x\"", "é".repeat(128)); // 129 characters in 257 bytes
    let escaped = format!("\"{}\"", r"\u20ac".repeat(86)); // 86 characters in 258 bytes
    let nested = r#"{"id":1}"#;
    for id in [
        "null",
        "true",
        "false",
        "[]",
        "[1]",
        "{}",
        nested,
        "1.5",
        "1.0",
        "1e2",
        "1E0",
        "0.0",
        "-1.0",
        "9223372036854775808",
        "-9223372036854775809",
        "18446744073709551615",
        "123456789012345678901234567890",
        "1e30",
        "5e-324",
        &long,
        &wide,
        &escaped,
    ] {
        answers(&[(&with_id(id), -32600, NO_ID, Value::Null)]);
    }
}

#[test]
fn a_message_is_one_object() {
    covers!("1-5", "1-11");
    answers(&[
        ("[]", -32600, NO_REQUEST, Value::Null),
        (r#"[{"jsonrpc":"2.0","id":1,"method":"server/discover"}]"#, -32600, NO_REQUEST, Value::Null),
        (r#"[{"jsonrpc":"2.0","method":"notifications/cancelled"}]"#, -32600, NO_REQUEST, Value::Null),
        (r#"[{"jsonrpc":"2.0","id":1,"result":{}}]"#, -32600, NO_REQUEST, Value::Null),
        ("null", -32600, NO_REQUEST, Value::Null),
        ("true", -32600, NO_REQUEST, Value::Null),
        ("-0", -32600, NO_REQUEST, Value::Null),
        ("1e9", -32600, NO_REQUEST, Value::Null),
        (r#""{}""#, -32600, NO_REQUEST, Value::Null),
    ]);
}

#[test]
fn the_checks_run_in_order() {
    covers!("1-1", "1-2", "1-3", "1-4");
    answers(&[
        (r#"{"jsonrpc":"1.0","id":{},"method":7,"params":[]}"#, -32600, NO_JSON_RPC, Value::Null),
        (r#"{"jsonrpc":"1.0","id":1,"method":7,"params":[]}"#, -32600, NO_JSON_RPC, json!(1)),
        (r#"{"jsonrpc":"2.0","id":{},"method":7,"params":[]}"#, -32600, NO_METHOD, Value::Null),
        (r#"{"jsonrpc":"2.0","id":{},"method":"x","params":[]}"#, -32602, NO_PARAMS, Value::Null),
        (r#"{"jsonrpc":"2.0","id":{},"method":"x","params":{}}"#, -32600, NO_ID, Value::Null),
        // a readable envelope goes on to §2
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"x","params":{}}"#,
            -32602,
            "Missing required io.modelcontextprotocol/protocolVersion metadata",
            json!(1),
        ),
    ]);
}

#[test]
fn what_is_no_json_is_a_parse_error() {
    covers!("1-16", "12-1", "1-11");
    let deep = "[".repeat(200);
    let deep_object = format!("{}1{}", r#"{"a":"#.repeat(100_000), "}".repeat(100_000));
    let good = with_id("1");
    let twice = format!("{good}{good}");
    let trailing = format!("{good} x");
    let comma = good.replace("\"id\":1", "\"id\":1,");
    let nan = with_id("NaN");
    let infinite = with_id("-Infinity");
    let huge = with_id("1e999");
    let high = with_id(r#""\ud83d""#);
    let low = with_id(r#""\ude00\ud83d""#);
    let control = with_id("\"\u{1}\"");
    let line = with_id("\"a\nb\"");
    let texts: Vec<&[u8]> = vec![
        b"",
        b" ",
        b"\n",
        b"{",
        b"}",
        b"{]",
        b"nul",
        b"'a'",
        b"{id:1}",
        b"\x00",
        b"01",
        b"+1",
        b".5",
        b"1.",
        b"0x1",
        b"// x\n{}",
        b"\xEF\xBB\xBF",
        b"\xEF\xBB\xBF\xEF\xBB\xBF{}",
        b"{}\xEF\xBB\xBF",
        b"\xFF\xFE{\x00}\x00",
        b"\xC0\xAF",
        b"{\"a\":\"\xFF\"}",
        b"{\"\xED\xA0\x80\":1}",
        b"{\"a\":\"\xF4\x90\x80\x80\"}",
        b"{}{}",
        b"{},{}",
        b"{}\n{}",
        deep.as_bytes(),
        deep_object.as_bytes(),
        twice.as_bytes(),
        trailing.as_bytes(),
        comma.as_bytes(),
        nan.as_bytes(),
        infinite.as_bytes(),
        huge.as_bytes(),
        high.as_bytes(),
        low.as_bytes(),
        control.as_bytes(),
        line.as_bytes(),
    ];
    let server = server();
    for text in texts {
        println!("{}", String::from_utf8_lossy(&text[..text.len().min(80)]));
        let sent = bytes(&server, text);
        sent.is_error(-32700, NO_JSON, None);
        assert_eq!(sent.answer.unwrap()["id"], Value::Null);
    }
}

#[test]
fn space_a_byte_order_mark_and_nesting_are_accepted() {
    covers!("13.2-5");
    let server = server();
    let good = with_id("1");
    for text in [format!("\u{feff}{good}"), format!(" \t\r\n{good}\r\n "), good.replace(':', " : ")] {
        assert_eq!(bytes(&server, text.as_bytes()).result()["resultType"], "complete");
    }
    let nested = format!("{}{}", "[".repeat(100), "]".repeat(100));
    let arguments = serde_json::from_str::<Value>(&format!(r#"{{"a":{nested}}}"#)).unwrap();
    assert_eq!(tool(&server, "echo", arguments.clone()).result()["content"][0]["text"], arguments.to_string());
}

#[test]
fn a_notification_is_never_answered() {
    covers!("1-6");
    let server = server();
    for text in [
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{}}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled"}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/unheard-of"}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/initialized","params":{"_meta":{"bad key":1}}}"#,
        r#"{"jsonrpc":"2.0","method":"server/discover"}"#,
        r#"{"jsonrpc":"2.0","method":""}"#,
        r#"{"jsonrpc":"2.0","method":"x","params":null}"#,
        r#"{"jsonrpc":"2.0","method":"x","params":[1]}"#,
        r#"{"jsonrpc":"1.0","method":"x"}"#,
        r#"{"jsonrpc":null,"method":"x","params":7}"#,
        r#"{"method":"x"}"#,
        r#"{"jsonrpc":"2.0","method":"x","method":"y"}"#,
        r#"{"jsonrpc":"2.0","method":"x","params":{"a":1,"a":1}}"#,
    ] {
        let sent = bytes(&server, text.as_bytes());
        assert!(sent.answer.is_none() && sent.notifications.is_empty(), "{text}: {sent:?}");
    }
    // an id, even one that cannot be read, makes it a request
    let sent = bytes(&server, br#"{"jsonrpc":"2.0","method":"notifications/initialized","id":null}"#);
    sent.is_error(-32600, NO_ID, None);
    let sent = call(&server, "notifications/initialized", json!({}));
    sent.is_error(-32601, "Method not found: notifications/initialized", None);
}

#[test]
fn a_response_is_never_answered() {
    covers!("1-7");
    let server = server();
    for text in [
        r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":"x","error":{"code":-32603,"message":"no"}}"#,
        r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}"#,
        r#"{"jsonrpc":"2.0","error":7}"#,
        r#"{"jsonrpc":"2.0","id":{},"result":null,"error":null}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":{},"params":[]}"#,
        r#"{"jsonrpc":"1.0","id":1,"result":{}}"#,
        r#"{"id":1,"result":{}}"#,
        r#"{"id":1,"id":2,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":{"a":1,"a":2}}"#,
    ] {
        let sent = bytes(&server, text.as_bytes());
        assert!(sent.answer.is_none() && sent.notifications.is_empty(), "{text}: {sent:?}");
    }
}

#[test]
fn a_server_sends_no_requests() {
    covers!("1-8", "1-14");
    let chatty = builder()
        .tool(Tool::new("t", "Says all it can"), |_: NoArgs, cx: &Context<'_>| {
            cx.progress(1.0, Some(2.0), "half");
            cx.log(plain_mcp::Level::Error, "t", 1);
            cx.tools_changed();
            cx.ask("name", plain_mcp::elicit::form("Name?").string("name"))?;
            Ok(text("done"))
        })
        .list_changed()
        .build()
        .unwrap();
    let mut told = meta();
    merge(&mut told, json!({"io.modelcontextprotocol/clientCapabilities": {"elicitation": {}}, "progressToken": 1}));
    merge(&mut told, json!({"io.modelcontextprotocol/logLevel": "debug"}));
    let sent = call(&chatty, "tools/call", json!({"name": "t", "_meta": told}));
    assert_eq!(sent.notifications.len(), 2);
    for note in &sent.notifications {
        assert!(note["method"].is_string() && note.get("id").is_none(), "{note}");
    }
    let answer = sent.answer.unwrap();
    assert_eq!((answer.get("method"), &answer["result"]["resultType"]), (None, &json!("input_required")));
}

#[test]
fn a_name_stands_once_in_an_object() {
    covers!("1-9");
    let params = json!({"name": "echo", "_meta": meta()}).to_string();
    let params = &params[..params.len() - 1];
    let deep = format!(
        r#"{{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{params},"arguments":{{"l":[1,{{"a":{{"b":1,"b":1}}}}]}}}}}}"#
    );
    let in_meta = r#"{"jsonrpc":"2.0","id":7,"method":"server/discover","params":{"_meta":{"a":1,"a":1}}}"#;
    answers(&[
        (r#"{"jsonrpc":"2.0","jsonrpc":"2.0","id":7,"method":"server/discover"}"#, -32600, NO_REQUEST, json!(7)),
        (r#"{"jsonrpc":"2.0","id":"s","method":"x","method":"y"}"#, -32600, NO_REQUEST, json!("s")),
        (r#"{"jsonrpc":"2.0","id":7,"method":"x","params":{},"params":{}}"#, -32600, NO_REQUEST, json!(7)),
        (r#"{"jsonrpc":"2.0","id":7,"method":"x","m\u0065thod":"y"}"#, -32600, NO_REQUEST, json!(7)),
        (r#"{"jsonrpc":"2.0","id":7,"x":1,"x":1,"method":"x"}"#, -32600, NO_REQUEST, json!(7)),
        (r#"{"jsonrpc":"2.0","id":7,"method":"x","params":{"":1,"":2}}"#, -32600, NO_REQUEST, json!(7)),
        (r#"{"jsonrpc":"2.0","id":7,"method":"x","params":{"a/b":1,"a\/b":2}}"#, -32600, NO_REQUEST, json!(7)),
        (in_meta, -32600, NO_REQUEST, json!(7)),
        (&deep, -32600, NO_REQUEST, json!(7)),
        // which of two ids was meant cannot be known; one inside is another matter
        (r#"{"jsonrpc":"2.0","id":7,"id":7,"method":"x"}"#, -32600, NO_REQUEST, Value::Null),
        (r#"{"jsonrpc":"2.0","id":7,"\u0069d":8,"method":"x"}"#, -32600, NO_REQUEST, Value::Null),
        (r#"{"jsonrpc":"2.0","id":7,"method":"x","params":{"id":1,"id":2}}"#, -32600, NO_REQUEST, json!(7)),
        (r#"[{"id":1,"id":2}]"#, -32600, NO_REQUEST, Value::Null),
        (r#"{"jsonrpc":"2.0","id":{"a":1,"a":2},"method":"x"}"#, -32600, NO_REQUEST, Value::Null),
    ]);
    // the same name in two objects is none twice, nor are two spellings that Unicode calls equal
    let sent = tool(&server(), "echo", json!({"a": {"a": {"a": 1}}, "b": {"a": 1}, "\u{e9}": 1, "e\u{301}": 2}));
    assert_eq!(sent.result()["isError"], false);
}

#[test]
fn a_name_of_the_json_library_hides_nothing() {
    covers!("1-17");
    for name in ["$serde_json::private::RawValue", "$serde_json::private::Number", "$serde_json::private::Magic"] {
        for arguments in [json!({name: r#"{"path":"x"}"#}), json!({"a": [{"b": 1, name: "1"}]})] {
            let sent = tool(&server(), "echo", arguments);
            sent.is_error(-32600, NO_REQUEST, None);
            assert_eq!(sent.answer.unwrap()["id"], 1);
        }
    }
    let near = json!({"$serde_json": {"private": 1}, "a$serde_json::private::RawValue": "1"});
    assert_eq!(tool(&server(), "echo", near.clone()).result()["content"][0]["text"], near.to_string());
}

#[test]
fn ids_are_echoed_exactly() {
    covers!("1-10", "1-12");
    let server = server();
    let longest = format!("\"{}\"", "x".repeat(256));
    let widest = format!("\"{}\"", "é".repeat(128));
    for id in [
        "0",
        "1",
        "-1",
        "9223372036854775807",
        "-9223372036854775808",
        "9007199254740993",
        "-9007199254740993",
        "\"\"",
        "\"0\"",
        "\"1\"",
        "\"007\"",
        "\"null\"",
        "\" \"",
        "\"\u{2028}\"",
        r#""\u0000\"\\\n""#,
        "\"😀\"",
        "\"listen:0\"",
        &longest,
        &widest,
    ] {
        let wanted: Value = serde_json::from_str(id).unwrap();
        let sent = bytes(&server, with_id(id).as_bytes()).answer.unwrap();
        assert_eq!((&sent["id"], sent["jsonrpc"].as_str()), (&wanted, Some("2.0")), "{id}");
        assert!(sent["result"].is_object() && sent.get("error").is_none());
        // the same id in an error
        let sent = bytes(&server, with_id(id).replace("server/discover", "x").as_bytes()).answer.unwrap();
        assert_eq!((&sent["id"], sent["jsonrpc"].as_str()), (&wanted, Some("2.0")), "{id}");
        assert!(sent["error"]["code"].is_i64() && sent["error"]["message"].is_string() && sent.get("result").is_none());
    }
    for (written, read) in [("-0", json!(0)), (r#""\u0041\/""#, json!("A/")), (r#""\ud83d\ude00""#, json!("😀"))] {
        assert_eq!(bytes(&server, with_id(written).as_bytes()).answer.unwrap()["id"], read);
    }
}

#[test]
fn absent_params_are_empty() {
    covers!("1-13");
    let sent = send(&server(), &json!({"jsonrpc": "2.0", "id": 1, "method": "server/discover"}));
    sent.is_error(-32602, "Missing required io.modelcontextprotocol/protocolVersion metadata", None);
}

#[test]
fn unknown_members_are_ignored() {
    covers!("1-15");
    let mut message = json!({"jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": {"_meta": meta()}});
    merge(&mut message, json!({"x": 1, "auth": {"a": []}, "result": {}, "error": {}, "ID": 2, "": null}));
    assert_eq!(send(&server(), &message).result()["resultType"], "complete");
}

#[test]
fn numbers_of_arguments_arrive_as_they_were() {
    covers!("1-12");
    let server = server();
    for number in
        ["9007199254740993", "18446744073709551615", "-9223372036854775808", "0.1", "1e-7", "1.7976931348623157e+308"]
    {
        let mut message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call"});
        merge(&mut message, json!({"params": {"name": "echo", "arguments": {"n": "N"}, "_meta": meta()}}));
        let sent = bytes(&server, message.to_string().replace("\"N\"", number).as_bytes());
        assert_eq!(sent.result()["content"][0]["text"], format!(r#"{{"n":{number}}}"#));
    }
}

#[test]
fn an_answer_is_one_line() {
    covers!("1-10");
    let seen: Arc<Mutex<Vec<Value>>> = Arc::default();
    let keep = Arc::clone(&seen);
    let server = builder()
        .tool(Tool::new("lines", "Gives back"), move |args: Value, cx: &Context<'_>| {
            keep.lock().unwrap().push(args.clone());
            cx.progress(1.0, None, "a\nb\r\u{2028}");
            Ok(text(args["text"].as_str().unwrap()))
        })
        .build()
        .unwrap();
    let odd = "a\nb\r\n\u{85}\u{2028}\u{2029}\u{0}\t\u{feff}\u{10ffff}";
    let sent = tool(&server, "lines", json!({"text": odd})); // the kit wants one line
    assert_eq!(sent.result()["content"][0]["text"], odd);
    assert_eq!(*seen.lock().unwrap(), [json!({"text": odd})]);
}

#[test]
fn a_message_of_too_many_values_is_refused() {
    covers!("1-18");
    let server = builder().limits(Limits { values: 20, ..Limits::default() }).build().unwrap();
    let with = |items: usize| {
        let mut message = request("server/discover", json!({}));
        message["params"]["items"] = json!(vec![0; items]);
        message
    };
    // the message itself, its three plain members, params, _meta and its two members, and the list: nine values
    assert_eq!(send(&server, &with(11)).result()["resultType"], "complete");
    let sent = send(&server, &with(12));
    sent.is_error(-32600, "Message has too many values", None);
    assert_eq!(sent.answer.unwrap()["id"], Value::Null);
    // of members as of items, however deep, and before the end of the text is seen
    for text in ["[".to_owned() + &"{\"a\":0},".repeat(20), "{\"a\":[[[[".to_owned() + &"0,".repeat(30)] {
        bytes(&server, text.as_bytes()).is_error(-32600, "Message has too many values", None);
    }
}
