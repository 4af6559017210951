//! §13 HTTP itself: who may call, where, in which types, and how bytes are framed.

use serde_json::{Value, json};

use crate::kit::{meta_and, request};
use crate::loopback::{Answer, Client};
use crate::peer::{Heard, Peer, head, heard, on_both, post, tool_call};

fn list() -> String {
    post(&request("tools/list", json!({})))
}

/// The answer to a list that is asked for with another line in place of one of its head.
fn in_place_of(peer: &Peer, line: &str, other: &str) -> Answer {
    let post = list();
    let begin = post.find(line).unwrap_or_else(|| panic!("no {line} in {post}"));
    let end = begin + post[begin..].find("\r\n").unwrap();
    peer.another().send(format!("{}{other}{}", &post[..begin], &post[end..])).answer()
}

fn with_line(peer: &Peer, line: &str) -> Answer {
    in_place_of(peer, "Host: localhost", &format!("Host: localhost\r\n{line}"))
}

#[test]
fn case_054_an_answer_without_a_body() {
    let peer = Peer::http();
    let mut web = peer.another();
    for note in [
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "method": "notifications/nobody_knows"}),
        json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progressToken": 1, "progress": 1}}),
    ] {
        let answer = web.send(post(&note)).answer();
        assert_eq!((answer.status, answer.field("content-length")), (202, Some("0")));
        assert_eq!((answer.field("content-type"), answer.text()), (None, ""));
    }
    let response = json!({"jsonrpc": "2.0", "id": 1, "result": {}}).to_string();
    let answer = web.send(head("x", None, response.len())).send(response).answer();
    assert_eq!((answer.status, answer.field("content-type"), answer.text()), (202, None, ""));
    assert_eq!(web.send(list()).answer().status, 200, "the connection is still of use");
}

#[test]
fn case_063_a_type_of_no_worth() {
    let peer = Peer::http();
    for accept in [
        "application/json, text/event-stream;q=0",
        "application/json, text/event-stream; q=0.000",
        "application/json;q=0, text/event-stream",
        "*/*, text/event-stream;q=0",
        "*/*;q=0",
    ] {
        let answer = in_place_of(&peer, "Accept", &format!("Accept: {accept}"));
        assert_eq!(answer.status, 406, "{accept}");
        assert_ne!(answer.field("content-type"), Some("text/event-stream"));
    }
    for accept in ["application/json;q=0.1, text/event-stream;q=0.001", "*/*", "TEXT/*, application/JSON"] {
        assert_eq!(in_place_of(&peer, "Accept", &format!("Accept: {accept}")).status, 200, "{accept}");
    }
}

#[test]
fn case_066_names_of_a_host_on_loopback() {
    let peer = Peer::http();
    for (host, status) in [
        ("localhost", 200),
        ("127.0.0.1", 200),
        ("LOCALHOST:9999", 200),
        ("[::1]", 200),
        ("[::1]:8080", 200),
        ("evil.example:8080", 403),
        ("evil.example", 403),
        ("localhost.evil.example", 403),
        ("127.0.0.1.evil.example", 403),
    ] {
        assert_eq!(in_place_of(&peer, "Host", &format!("Host: {host}")).status, status, "{host}");
    }
}

#[test]
fn case_067_origins() {
    let peer = Peer::http();
    let own = format!("http://{}", peer.address());
    for (origin, status) in [
        ("null", 403),
        ("https://evil.example", 403),
        ("http://localhost.evil.example:8080", 403),
        ("http://127.0.0.1@evil.example", 403),
        ("", 403),
        (own.as_str(), 200),
        ("https://app.example", 200),
        ("http://app.example", 403),
        ("https://app.example:8443", 403),
    ] {
        let answer = with_line(&peer, &format!("Origin: {origin}"));
        assert_eq!(answer.status, status, "{origin}");
        if status == 403 && !answer.text().is_empty() {
            assert_eq!(serde_json::from_str::<Value>(answer.text()).unwrap()["id"], Value::Null);
        }
    }
    assert_eq!(with_line(&peer, &format!("Origin: {own}\r\nOrigin: null")).status, 403);
    assert_eq!(peer.another().send(list()).answer().status, 200, "a program sends none");
}

#[test]
fn case_081_a_page_of_another_origin_asks_first() {
    let peer = Peer::http();
    let asked = "content-type,mcp-method,mcp-name,mcp-param-region,mcp-protocol-version";
    let preflight = |origin: &str| {
        let head = format!("OPTIONS /mcp HTTP/1.1\r\nHost: localhost\r\nOrigin: {origin}\r\n");
        let asks = "Access-Control-Request-Method: POST\r\nAccess-Control-Request-Headers: ";
        peer.another().send(format!("{head}{asks}{asked}\r\n\r\n")).answer()
    };
    let answer = preflight("https://app.example");
    assert_eq!((answer.status, answer.field("access-control-allow-origin")), (204, Some("https://app.example")));
    assert!(answer.field("access-control-allow-methods").unwrap().contains("POST"));
    let allowed = answer.field("access-control-allow-headers").unwrap().to_ascii_lowercase();
    asked.split(',').for_each(|name| assert!(allowed.contains(name), "{name} in {allowed}"));
    let answer = with_line(&peer, "Origin: https://app.example");
    assert_eq!((answer.status, answer.field("access-control-allow-origin")), (200, Some("https://app.example")));

    let stranger = preflight("https://evil.example");
    assert_eq!((stranger.status, stranger.field("access-control-allow-origin")), (403, None));
}

/// Where pages of other origins are not served, the question is refused, and not by accident.
#[test]
fn case_081_without_other_origins() {
    use crate::process::Fixture;
    let fixture = Fixture::start(&["--port", "0"], &[], std::process::Stdio::piped());
    let mut web = Client::connect(fixture.address());
    let own = format!("Origin: http://{}\r\n", web.stream.peer_addr().unwrap());
    for origin in ["Origin: https://app.example\r\n", &own, ""] {
        let answer = web.send(format!("OPTIONS /mcp HTTP/1.1\r\nHost: localhost\r\n{origin}\r\n")).answer();
        assert_eq!((answer.status, answer.field("access-control-allow-origin")), (405, None), "{origin}");
    }
}

#[test]
fn case_082_no_path_is_redirected() {
    let peer = Peer::http();
    for (path, status) in [
        ("/mcp/", 404),
        ("/mcp?x=1", 200),
        ("/mcp?", 200),
        ("/", 404),
        ("/MCP", 404),
        ("//mcp", 404),
        ("/mcp/../mcp", 404),
        ("/mcp%2f", 404),
    ] {
        let answer = in_place_of(&peer, "POST /mcp", &format!("POST {path} HTTP/1.1"));
        assert_eq!((answer.status, answer.field("location")), (status, None), "{path}");
    }
}

#[test]
fn case_084_a_client_that_waits_before_it_sends() {
    let peer = Peer::http();
    let body = request("tools/list", json!({})).to_string();
    let head = head("tools/list", None, body.len());
    let expecting = |what: &str| head.replace("Content-Length", &format!("{what}\r\nContent-Length"));
    let mut web = peer.another();
    for expect in ["Expect: 100-continue", "expect: 100-Continue"] {
        web.send(expecting(expect));
        assert_eq!(web.head().status, 100);
        assert_eq!(web.send(&body).answer().status, 200);
    }
    let answer = web.send(expecting("Expect: 100-continue")).send(&body).answer();
    let status = if answer.status == 100 { web.answer().status } else { answer.status };
    assert_eq!(status, 200, "a client need not wait");

    let elsewhere = expecting("Expect: 100-continue").replace("/mcp", "/other");
    assert_eq!(peer.another().send(elsewhere).head().status, 404, "what the head alone refuses is refused at once");
}

#[test]
fn case_085_a_body_in_chunks() {
    let peer = Peer::http();
    let body = request("tools/list", json!({})).to_string();
    let chunked: String = body
        .as_bytes()
        .chunks(79)
        .map(|piece| format!("{:x}\r\n{}\r\n", piece.len(), String::from_utf8_lossy(piece)))
        .collect();
    let head = head("tools/list", None, 5);
    let with = |lines: &str| head.replace("Content-Length: 5\r\n", lines);
    let mut web = peer.another();
    for _ in 0..2 {
        let answer = web.send(with("Transfer-Encoding: chunked\r\n")).send(format!("{chunked}0\r\n\r\n")).answer();
        assert_eq!(answer.status, 200);
    }
    for lines in [
        "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n",
        "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
        "Content-Length: 5\r\nContent-Length: 6\r\n",
    ] {
        let mut web = peer.another();
        assert_eq!(web.send(with(lines)).answer().status, 400, "{lines}");
        assert!(web.is_closed());
    }
}

#[test]
fn case_088_requests_in_one_write() {
    let peer = Peer::http();
    let mut web = peer.another();
    let mut both = Vec::new();
    for id in 0..10 {
        both.extend(post(&tool_call(id, "echo", json!({"text": "x".repeat(id * 1000)}))).into_bytes());
    }
    web.send(both);
    for id in 0..10 {
        let heard = heard(web.answer());
        assert_eq!((&heard.answer["id"], heard.said().len()), (&json!(id), id * 1000));
    }
}

#[test]
fn case_127_a_panic_a_hundred_times() {
    on_both(|peer| {
        for _ in 0..100 {
            peer.tool("boom", json!({})).refused(1, -32603, 500);
            assert_eq!(peer.tool("echo", json!({"text": "alive"})).said(), "alive");
        }
    });
}

/// The fixture lists the same to everybody, and says all the same that it is meant for the one who asked.
#[test]
fn case_162_what_is_listed_for_one_caller() {
    let peer = Peer::http();
    for method in [
        "tools/list",
        "server/discover",
        "resources/list",
        "resources/templates/list",
        "prompts/list",
        "resources/read",
    ] {
        let message = request(method, json!({"uri": "test://static-text"}));
        let answer: Heard = heard(
            peer.another().send(post(&message).replacen("Host", "Authorization: Bearer reader\r\nHost", 1)).answer(),
        );
        assert_eq!(answer.result()["cacheScope"], "private", "{method}");
        assert!(answer.result()["ttlMs"].is_u64(), "{method}");
    }
    let progress = json!({"name": "steps", "arguments": {}, "_meta": meta_and(json!({"progressToken": 1}))});
    let result = heard(peer.another().send(post(&request("tools/call", progress))).answer());
    assert_eq!(result.http.as_ref().unwrap().field("cache-control"), Some("no-cache"));
    assert_eq!(result.result().get("cacheScope"), None, "the result of a call is not kept at all");
}
