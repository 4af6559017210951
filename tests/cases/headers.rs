//! §13.5 §13.6 Headers that repeat what the body says.

use serde_json::{Value, json};

use crate::kit::{VERSION, meta, meta_and, request};
use crate::peer::{Heard, Peer, head_with, heard, tool_call};

const VERSION_LINE: &str = "MCP-Protocol-Version: 2026-07-28\r\n";

/// Posts a message with these header lines.
fn with(peer: &Peer, lines: &str, message: &Value) -> Heard {
    bytes(peer, lines.as_bytes(), message)
}

fn bytes(peer: &Peer, lines: &[u8], message: &Value) -> Heard {
    let body = message.to_string();
    let head = head_with("HERE", body.len());
    let (before, after) = head.split_once("HERE").unwrap();
    heard(peer.another().send([before.as_bytes(), lines, after.as_bytes(), body.as_bytes()].concat()).answer())
}

/// A call that would be seen if it ran: it adds a tool.
fn toggle() -> Value {
    tool_call(1, "toggle_tool", json!({}))
}

/// None of these requests is run, and each is refused with its id.
fn all_mismatch(lines: &[&[u8]]) {
    let mut peer = Peer::http();
    for lines in lines {
        let heard = bytes(&peer, lines, &toggle());
        println!("{}", String::from_utf8_lossy(lines));
        heard.refused(1, -32020, 400);
    }
    assert_eq!(peer.tool("toggle_tool", json!({})).said(), "added");
}

#[test]
fn case_070_a_header_that_comes_twice() {
    all_mismatch(&[
        b"MCP-Protocol-Version: 2026-07-28\r\nMcp-Name: toggle_tool\r\nMcp-Method: tools/list\r\nMcp-Method: tools/call\r\n",
        b"MCP-Protocol-Version: 2026-07-28\r\nMcp-Name: toggle_tool\r\nMcp-Method: tools/call\r\nMcp-Method: tools/list\r\n",
        b"MCP-Protocol-Version: 2026-07-28\r\nMcp-Name: toggle_tool\r\nMcp-Method: tools/call\r\nmcp-method: tools/call\r\n",
        b"MCP-Protocol-Version: 2026-07-28\r\nMcp-Name: toggle_tool\r\nMcp-Name: admin\r\nMcp-Method: tools/call\r\n",
        b"MCP-Protocol-Version: 2026-07-28\r\nMcp-Name: toggle_tool\r\nMcp-Name: toggle_tool\r\nMcp-Method: tools/call\r\n",
        b"MCP-Protocol-Version: 2026-07-28\r\nMCP-Protocol-Version: 2025-11-25\r\nMcp-Name: toggle_tool\r\nMcp-Method: tools/call\r\n",
    ]);
}

#[test]
fn case_070_an_argument_header_that_comes_twice() {
    let peer = Peer::http();
    let call = tool_call(1, "route", json!({"region": "eu"}));
    let lines = "Mcp-Method: tools/call\r\nMcp-Name: route\r\nMcp-Param-Region: eu\r\n";
    assert_eq!(with(&peer, &format!("{VERSION_LINE}{lines}"), &call).said(), "ok");
    with(&peer, &format!("{VERSION_LINE}{lines}Mcp-Param-Region: us\r\n"), &call).refused(1, -32020, 400);
    with(&peer, &format!("{VERSION_LINE}{lines}mcp-param-region: eu\r\n"), &call).refused(1, -32020, 400);
}

/// The headers of HTTP itself that are one value, too; a list may come in two lines.
#[test]
fn case_070_headers_of_http_that_come_twice() {
    let mut peer = Peer::http();
    let call = toggle();
    let own = format!("{VERSION_LINE}Mcp-Method: tools/call\r\nMcp-Name: toggle_tool\r\n");
    for (line, status) in [
        ("Host: localhost", 400),
        ("Content-Type: application/json", 415),
        ("Content-Length: 3", 400),
        ("Origin: null\r\nOrigin: https://app.example", 403),
    ] {
        let answer = with(&peer, &format!("{own}{line}\r\n"), &call);
        assert_eq!(answer.has_status(status).answer["id"], Value::Null, "{line}");
    }
    assert_eq!(peer.tool("toggle_tool", json!({})).said(), "added", "none of them was run");
    assert_eq!(with(&peer, &format!("{own}Accept: text/html\r\n"), &call).said(), "removed");
}

#[test]
fn case_072_bytes_in_a_header_that_are_no_ascii() {
    all_mismatch(&[
        b"MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: ech\xc3\xb6\r\n",
        b"MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: \xff\xfe\r\n",
        b"MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/c\xc3\xa4ll\r\nMcp-Name: toggle_tool\r\n",
        b"MCP-Protocol-Version: 2026-07-2\xb8\r\nMcp-Method: tools/call\r\nMcp-Name: toggle_tool\r\n",
    ]);
    let peer = Peer::http();
    let lines = b"MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: route\r\nMcp-Param-Region: \xe6\x97\xa5\r\n";
    bytes(&peer, lines, &tool_call(1, "route", json!({"region": "日"}))).refused(1, -32020, 400);
}

/// Calls `route` with a shard and a header for it.
fn shard(peer: &Peer, header: &str, number: &str) -> Heard {
    let lines = format!("{VERSION_LINE}Mcp-Method: tools/call\r\nMcp-Name: route\r\nMcp-Param-Shard: {header}\r\n");
    let call = tool_call(1, "route", json!({"shard": "HERE"})).to_string().replace("\"HERE\"", number);
    heard(peer.another().send(head_with(&lines, call.len())).send(call).answer())
}

#[test]
fn case_075_integers_beyond_a_double() {
    let peer = Peer::http();
    for (header, number) in [
        ("9007199254740992", "9007199254740993"),
        ("5", "9007199254740993"),
        ("9007199254740993", "9007199254740993"), // equal, but no reader with doubles could tell
        ("-9007199254740992", "-9007199254740993"),
        ("18446744073709551617", "1"),
    ] {
        shard(&peer, header, number).refused(1, -32020, 400);
    }
    assert_eq!(shard(&peer, "9007199254740991", "9007199254740991").said(), "ok");
}

#[test]
fn case_076_integers_are_compared_as_numbers() {
    let peer = Peer::http();
    for (header, number) in
        [("42.0", "42"), ("42", "4.2e1"), ("42", "42"), ("42.0", "42.00"), ("-7", "-7.0"), ("0", "-0")]
    {
        assert_eq!(shard(&peer, header, number).has_status(200).said(), "ok", "{header} {number}");
    }
    for (header, number) in [
        ("42.0000000001", "42"),
        ("forty-two", "42"),
        ("", "42"),
        ("43", "42"),
        ("042", "42"),
        ("0x2a", "42"),
        ("42", "42.0000000001"),
    ] {
        let heard = shard(&peer, header, number);
        println!("{header} {number} {heard:?}");
        if number.contains('.') {
            assert!(heard.answer.get("result").is_none_or(|result| result["isError"] == true), "{heard:?}");
        } else {
            heard.refused(1, -32020, 400);
        }
    }
}

#[test]
fn case_079_a_header_that_is_missing() {
    all_mismatch(&[
        b"MCP-Protocol-Version: 2026-07-28\r\nMcp-Name: toggle_tool\r\n",
        b"MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\n",
        b"Mcp-Method: tools/call\r\nMcp-Name: toggle_tool\r\n",
        b"",
    ]);
    let peer = Peer::http();
    let lines = format!("{VERSION_LINE}Mcp-Method: tools/call\r\nMcp-Name: route\r\n");
    with(&peer, &lines, &tool_call(1, "route", json!({"region": "eu"}))).refused(1, -32020, 400);
    with(&peer, &lines, &tool_call(1, "route", json!({"shard": 1}))).refused(1, -32020, 400);
    assert_eq!(with(&peer, &lines, &tool_call(1, "route", json!({}))).said(), "ok");
    for (method, params) in [
        ("resources/read", json!({"uri": "test://static-text"})),
        ("prompts/get", json!({"name": "test_simple_prompt"})),
    ] {
        let lines = format!("{VERSION_LINE}Mcp-Method: {method}\r\n");
        with(&peer, &lines, &request(method, params)).refused(1, -32020, 400);
    }
}

#[test]
fn case_080_a_header_that_says_something_else() {
    all_mismatch(&[
        b"MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: other\r\n",
        b"MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: TOGGLE_TOOL\r\n",
        b"MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/Call\r\nMcp-Name: toggle_tool\r\n",
        b"MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/list\r\nMcp-Name: toggle_tool\r\n",
        b"MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: \r\nMcp-Name: toggle_tool\r\n",
    ]);
    let peer = Peer::http();
    with(&peer, &format!("{VERSION_LINE}Mcp-Method: tools/List\r\n"), &request("tools/list", json!({})))
        .refused(1, -32020, 400);
}

#[test]
fn case_150_header_and_meta_name_different_versions() {
    let peer = Peer::http();
    let list = |version: &str| request("tools/list", json!({"_meta": meta_and(json!({VERSION: version}))}));
    let head = |version: &str| format!("MCP-Protocol-Version: {version}\r\nMcp-Method: tools/list\r\n");
    with(&peer, &head("2026-07-28"), &list("2025-11-25")).refused(1, -32020, 400);
    with(&peer, &head("1900-01-01"), &list("2026-07-28")).refused(1, -32020, 400); // D13
    with(&peer, &head("2026-07-28"), &list(" 2026-07-28")).refused(1, -32020, 400);
    with(&peer, &head("2026-07-28"), &list("2026-07-28 ")).refused(1, -32020, 400);
    with(&peer, &head("1900-01-01"), &list("1900-01-01")).refused(1, -32022, 400);
    with(&peer, &head(" 2026-07-28 \t"), &request("tools/list", json!({"_meta": meta()}))).has_status(200).result();
}
