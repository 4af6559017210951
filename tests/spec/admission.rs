//! §13.1 §13.2 §12 Admission.

use std::sync::{Arc, Mutex};

use plain_mcp::arrival::Principal;
use plain_mcp::http::{Challenge, Exchange, Gate, HostRefusal};
use plain_mcp::{Context, Direction, NoArgs, Server, Tool, text};
use serde_json::{Value, json};

use crate::corridor::{Post, Seen, call, exchange, meta, request};

fn server() -> Server {
    Server::builder("corridor", "1")
        .tool(Tool::new("who", "Says who calls"), |_: NoArgs, cx: &Context<'_>| {
            assert_eq!(cx.http_head().unwrap().target, "/mcp");
            assert_eq!(cx.meta().raw["io.modelcontextprotocol/clientInfo"]["name"], "probe");
            Ok(text(cx.principal().map_or_else(|| "nobody".to_owned(), |who| who.0.clone())))
        })
        .build()
        .unwrap()
}

fn good() -> Post {
    Post::of(&request(1, "tools/list", json!({})))
}

fn served(seen: &Seen) -> bool {
    seen.status == 200 && seen.code() == 0
}

#[test]
fn only_post_is_accepted() {
    covers!("13.1-1");
    let exchange = exchange(&server());
    for method in ["GET", "DELETE", "PUT", "OPTIONS", "PATCH", "post", "TRACE"] {
        let seen = good().method(method).to(&exchange);
        seen.refused(405, -32600, "Streamable HTTP accepts POST only", Value::Null);
        assert_eq!(seen.field("allow"), Some("POST"), "{method}");
    }
    let seen = good().method("HEAD").to(&exchange);
    assert_eq!((seen.status, seen.body().as_str(), seen.field("allow")), (405, "", Some("POST")));
}

#[test]
fn there_is_one_path() {
    covers!("13.1-2", "13.1-3");
    let default = exchange(&server());
    for target in
        ["/", "/mcp/", "/mcp2", "/MCP", "/mcp/x", "*", "", "/%6dcp", "http://127.0.0.1:3001/", "http://127.0.0.1:3001"]
    {
        let seen = good().target(target).to(&default);
        seen.refused(404, -32600, "No MCP endpoint at this path", Value::Null);
    }
    for target in ["/mcp", "/mcp?x=1", "/mcp?", "http://127.0.0.1:3001/mcp", "HTTP://localhost/mcp?x#y"] {
        assert!(served(&good().target(target).to(&default)), "{target}");
    }
    let other = Exchange::new(&server(), Gate::new().path("/")).unwrap();
    assert!(served(&good().target("/").to(&other)));
    assert!(served(&good().target("http://127.0.0.1:3001/").to(&other)));
    assert_eq!(good().to(&other).status, 404);
}

#[test]
fn a_path_comes_before_a_method() {
    covers!("13.2-4");
    let seen = good().method("GET").target("/.well-known/oauth-protected-resource").to(&exchange(&server()));
    assert_eq!(seen.status, 404);
}

#[test]
fn sessions_and_resumption_are_ignored() {
    covers!("13.1-4");
    let seen = good().add("Mcp-Session-Id", "7").add("Last-Event-ID", "8").to(&exchange(&server()));
    assert!(served(&seen));
    assert_eq!(seen.field("mcp-session-id"), None);
    assert_eq!(seen.fields, [("content-type", "application/json".to_owned())]);
}

#[test]
fn the_content_type_is_json() {
    covers!("13.2-1");
    let exchange = exchange(&server());
    for value in [
        "application/json",
        "Application/JSON",
        "application/json; charset=utf-8",
        "application/json;charset=UTF-8",
        "application/json ;x",
    ] {
        assert!(served(&good().with("Content-Type", value).to(&exchange)), "{value}");
    }
    let refused = |post: Post| post.to(&exchange).refused(415, -32600, "Expected application/json", Value::Null);
    for value in [
        "text/plain",
        "application/json-rpc",
        "application/jsonx",
        "application/json, text/plain",
        "text/json",
        "",
        "\u{e9}",
    ] {
        refused(good().with("Content-Type", value));
    }
    refused(good().without("Content-Type"));
    refused(good().add("content-type", "application/json"));
}

#[test]
fn accept_covers_both_types() {
    covers!("13.2-2", "13.2-10");
    let exchange = exchange(&server());
    for value in [
        "application/json, text/event-stream",
        "text/event-stream, application/json",
        "Application/JSON,TEXT/event-stream",
        "application/json;q=0.5, text/event-stream;q=0.001",
        "application/json; charset=utf-8, text/event-stream; x=\"a,b;q=0\"",
        "*/*",
        "text/html, */*;q=0.1",
        "application/*, text/*",
        "application/json, */*",
        "text/event-stream;q=0, text/event-stream, application/json",
        "text/event-stream, text/event-stream;q=0, application/json",
        "application/json, text/event-stream; x=\"a;q=0;b\"",
        ", application/json,, text/event-stream ,",
        "application/*;q=0, application/json, text/event-stream",
    ] {
        assert!(served(&good().with("Accept", value).to(&exchange)), "{value}");
    }
    let text = "Accept must list application/json and text/event-stream";
    for value in [
        "",
        "application/json",
        "text/event-stream",
        "application/*",
        "text/*",
        "application/json, text/event-stream;q=0",
        "application/json, text/event-stream; Q=0.000",
        "application/json;q=0, */*",
        "application/json, text/event-stream;q=x",
        "application/json, text/event-stream;q=2",
        "application/json, text/event-streams",
        "application/json; x=\", text/event-stream\"",
        // a quoted string ends at a quote that is not escaped; outside of one a backslash escapes nothing
        "application/json; x=\", text/event-stream, \"",
        "application/json; x=\"\\\", text/event-stream, \\\"\"",
        "application/json; x=\\\", text/event-stream, \"",
        "*, text/event-stream",
        "*/json, text/event-stream",
    ] {
        good().with("Accept", value).to(&exchange).refused(406, -32600, text, Value::Null);
    }
    good().without("Accept").to(&exchange).refused(406, -32600, text, Value::Null);
    assert!(served(&good().with("Accept", "application/json").add("accept", "text/event-stream").to(&exchange)));
    assert!(served(&good().add("accept", b"\xff").to(&exchange)));
}

#[test]
fn the_body_is_one_json_message() {
    covers!("13.2-3", "12-1", "1-5");
    let exchange = exchange(&server());
    for body in [
        &b""[..],
        b"{",
        b"{}x",
        b"\xff",
        b"'x'",
        b"{\"jsonrpc\":\"2.0\",}",
        b"\xEF\xBB\xBF\xEF\xBB\xBF{}",
        b"{\"a\":\"\xff\"}",
    ] {
        Post::raw(body).to(&exchange).refused(400, -32700, "Parse error", Value::Null);
    }
    for body in ["[]", "7", "null", "\"x\"", r#"[{"jsonrpc":"2.0","id":1,"method":"tools/list"}]"#] {
        Post::raw(body).to(&exchange).refused(400, -32600, "Invalid Request", Value::Null);
    }
}

#[test]
fn a_byte_order_mark_is_skipped() {
    covers!("13.2-5");
    let mut post = good();
    post.body.splice(0..0, *b"\xEF\xBB\xBF");
    assert!(served(&post.to(&exchange(&server()))));
}

#[test]
fn a_response_is_accepted_and_ignored() {
    covers!("13.2-6");
    let exchange = exchange(&server());
    for body in [
        json!({"jsonrpc": "2.0", "id": 1, "result": {}}),
        json!({"jsonrpc": "2.0", "id": 1, "error": {"code": 1, "message": ""}}),
    ] {
        Post::of(&body).to(&exchange).empty(202);
        Post::of(&body).without("MCP-Protocol-Version").to(&exchange).empty(202); // step 7 comes before step 9
    }
}

#[test]
fn a_notification_is_accepted() {
    covers!("13.2-7", "13.5-6", "9-7");
    let exchange = exchange(&server());
    for note in [
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}),
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": {}}}),
        json!({"jsonrpc": "2.0", "method": "notifications/unheard-of"}),
        json!({"jsonrpc": "2.0", "method": "tools/list", "params": {"_meta": meta()}}),
    ] {
        Post::of(&note).to(&exchange).empty(202);
        Post::of(&note).without("Mcp-Method").to(&exchange).empty(202);
    }
}

#[test]
fn a_malformed_notification_has_no_reply() {
    covers!("13.2-8", "13.5-6");
    let exchange = exchange(&server());
    let note = json!({"jsonrpc": "2.0", "method": "notifications/cancelled"});
    for bad in [
        Post::of(&json!({"jsonrpc": "1.0", "method": "notifications/cancelled"})),
        Post::of(&json!({"method": "notifications/cancelled"})),
        Post::of(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": []})),
        Post::of(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"_meta": 7}})),
        Post::raw(r#"{"jsonrpc":"2.0","method":"a","method":"a"}"#),
        Post::of(&note).without("MCP-Protocol-Version"),
        Post::of(&note).add("MCP-Protocol-Version", "2026-07-28"),
        Post::of(&note).with("Mcp-Method", "notifications/Cancelled"),
        Post::of(&note).add("Mcp-Method", "notifications/cancelled"),
    ] {
        bad.to(&exchange).empty(400);
    }
}

#[test]
fn an_envelope_that_is_wrong_echoes_the_readable_id() {
    covers!("13.2-9", "1-1", "1-2", "1-3", "1-4");
    let exchange = exchange(&server());
    let long = "x".repeat(257);
    for (body, code, text, id) in [
        (json!({"id": 7, "method": "tools/list"}), -32600, "Expected a JSON-RPC 2.0 request", json!(7)),
        (json!({"jsonrpc": "2.0", "id": "7", "method": 1}), -32600, "Request method must be a string", json!("7")),
        (
            json!({"jsonrpc": "2.0", "id": 0, "method": "tools/list", "params": []}),
            -32602,
            "Request params must be an object",
            json!(0),
        ),
        (
            json!({"jsonrpc": "2.0", "id": long, "method": "tools/list"}),
            -32600,
            "Request id must be a string of at most 256 bytes or an int64 integer",
            json!(null),
        ),
    ] {
        Post::raw(body.to_string()).to(&exchange).refused(400, code, text, id);
    }
}

#[test]
fn the_first_step_that_fails_answers() {
    covers!("13.2-4", "13.2-11");
    let gate = Gate::new().authenticate(|head| match head.one("authorization") {
        Some("Bearer good") => Ok(None),
        _ => Err(Challenge::Unauthorized("Bearer".to_owned())),
    });
    let exchange = Exchange::new(&server(), gate).unwrap();
    // Everything is wrong; each step mends the fault that answered.
    let mut post = Post::raw("{").method("GET").target("/no").without("Content-Type").without("Accept");
    post = post.with("Host", "evil.example").add("Origin", "http://evil.example").without("MCP-Protocol-Version");
    assert_eq!(post.to(&exchange).status, 404);
    post = post.target("/mcp");
    assert_eq!(post.to(&exchange).status, 405);
    post = post.method("POST");
    post.to(&exchange).refused(403, -32600, "Origin is not allowed", Value::Null);
    post = post.without("Origin");
    post.to(&exchange).refused(403, -32600, "Host is not allowed", Value::Null);
    post = post.with("Host", "localhost");
    assert_eq!(post.to(&exchange).status, 401);
    post = post.add("Authorization", "Bearer good");
    assert_eq!(post.to(&exchange).status, 415);
    post = post.add("Content-Type", "application/json");
    assert_eq!(post.to(&exchange).status, 406);
    post = post.add("Accept", "*/*");
    assert_eq!((post.to(&exchange).status, post.to(&exchange).code()), (400, -32700));
    post.body = json!({"id": 1, "method": "tools/call", "params": {"name": "who", "_meta": {}}}).to_string().into();
    assert_eq!((post.to(&exchange).status, post.to(&exchange).code()), (400, -32600));
    post.body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "who", "_meta": {}}})
        .to_string()
        .into();
    for (header, value) in [("mcp-protocol-version", "2026-07-28"), ("mcp-method", "tools/call"), ("mcp-name", "who")] {
        post.to(&exchange).refused(400, -32020, &format!("Missing or repeated required header: {header}"), 1);
        post = post.add(header, value);
    }
    post.to(&exchange).refused(400, -32602, "Missing required io.modelcontextprotocol/protocolVersion metadata", 1);
    post.body = call("who", json!({})).to_string().into();
    assert!(served(&post.to(&exchange)));
}

#[test]
fn a_caller_is_known_or_challenged() {
    covers!("13.2-11", "13.2-12", "api-10");
    let gate = Gate::new().authenticate(|head| match head.one("authorization") {
        Some("Bearer ann") => Ok(Some(Principal("ann".to_owned()))),
        Some("Bearer bob") => Err(Challenge::Forbidden("Bearer error=\"insufficient_scope\"".to_owned())),
        Some(_) => Err(Challenge::Forbidden(String::new())),
        None => Err(Challenge::Unauthorized("Bearer realm=\"x\r\nset-cookie: a=b\"".to_owned())),
    });
    let exchange = Exchange::new(&server(), gate).unwrap();
    let who = Post::of(&call("who", json!({})));
    let seen = who.clone().add("Authorization", "Bearer ann").to(&exchange);
    assert_eq!(seen.json()["result"]["content"][0]["text"], "ann");
    let seen = who.clone().add("Authorization", "Bearer bob").to(&exchange);
    seen.refused(403, -32600, "Caller is not allowed", Value::Null);
    assert_eq!(seen.field("www-authenticate"), Some("Bearer error=\"insufficient_scope\""));
    let seen = who.clone().add("Authorization", "Bearer eve").to(&exchange);
    seen.refused(403, -32600, "Caller is not allowed", Value::Null);
    assert_eq!(seen.field("www-authenticate"), None);
    let seen = who.to(&exchange);
    seen.refused(401, -32600, "Authentication is required", Value::Null);
    assert_eq!(seen.field("www-authenticate"), Some("Bearer realm=\"xset-cookie: a=b\""));
}

#[test]
fn initialize_learns_the_versions() {
    covers!("15-1");
    let exchange = exchange(&server());
    let supported = json!(["2026-07-28"]);
    let body = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": {"name": "old", "version": "1"}}});
    let bare = Post::of(&body).without("MCP-Protocol-Version").without("Mcp-Method").to(&exchange);
    assert_eq!((bare.status, bare.code(), &bare.json()["id"]), (400, -32020, &json!(0)));
    assert_eq!(bare.json()["error"]["data"], json!({"supported": supported}));
    let mut modern = body;
    modern["params"]["_meta"] = meta();
    let seen = Post::of(&modern).to(&exchange);
    assert_eq!((seen.status, seen.code(), seen.message().as_str()), (404, -32601, "Method not found: initialize"));
    assert_eq!(seen.json()["error"]["data"], json!({"supported": supported}));
}

#[test]
fn an_unknown_method_is_404_whatever_it_names() {
    covers!("5.7-1", "13.5-3");
    let exchange = exchange(&server());
    for method in
        ["ping", "logging/setLevel", "resources/subscribe", "foo/bar", "tasks/get", "prompts/get", "resources/read"]
    {
        let seen = Post::of(&request("a", method, json!({"name": "x"}))).without("Mcp-Name").to(&exchange);
        seen.refused(404, -32601, &format!("Method not found: {method}"), "a");
    }
}

#[test]
fn the_host_answers_its_own_refusals_in_the_same_form() {
    covers!("13.9-1", "13.9-2", "13.9-3", "13.9-4", "13.9-5", "13.9-6", "13.9-7");
    let exchange = exchange(&server());
    for (kind, status, code, text) in [
        (HostRefusal::Malformed, 400, -32600, "Malformed HTTP request"),
        (HostRefusal::TransferCoding, 501, -32600, "Transfer coding is not supported"),
        (HostRefusal::HeadTooLarge, 431, -32600, "Request head is too large"),
        (HostRefusal::BodyTooLarge, 413, -32600, "Request body is too large"),
        (HostRefusal::TooSlow, 408, -32600, "Request did not arrive in time"),
        (HostRefusal::HttpVersion, 505, -32600, "HTTP version is not supported"),
        (HostRefusal::TooManyConnections, 503, -32600, "Too many connections"),
        (HostRefusal::Failed, 500, -32603, "Internal error"),
    ] {
        let expected = json!({"jsonrpc": "2.0", "id": null, "error": {"code": code, "message": text}});
        for head in [None, Some(&good().head)] {
            let answer = exchange.refusal(kind, head);
            assert_eq!(
                (answer.status, serde_json::from_slice::<Value>(&answer.body).unwrap()),
                (status, expected.clone())
            );
        }
        assert!(exchange.refusal(kind, Some(&good().method("HEAD").head)).body.is_empty());
    }
}

#[test]
fn raw_messages_are_seen_both_ways() {
    covers!("api-4");
    let seen: Arc<Mutex<Vec<(Direction, String)>>> = Arc::default();
    let log = Arc::clone(&seen);
    let server = Server::builder("corridor", "1")
        .raw_messages(move |way, bytes| log.lock().unwrap().push((way, String::from_utf8(bytes.to_vec()).unwrap())))
        .build()
        .unwrap();
    let exchange = exchange(&server);
    let discover = request(1, "server/discover", json!({}));
    let answer = Post::of(&discover).to(&exchange);
    let refusal = Post::raw("{").to(&exchange);
    let expected = [
        (Direction::In, discover.to_string()),
        (Direction::Out, answer.body()),
        (Direction::In, "{".to_owned()),
        (Direction::Out, refusal.body()),
    ];
    assert_eq!(*seen.lock().unwrap(), expected);
}
