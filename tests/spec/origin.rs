//! §13.7 DNS rebinding protection, and CORS.

use std::net::IpAddr;

use plain_mcp::http::{Exchange, Gate, HostRefusal};
use plain_mcp::{Context, NoArgs, Server, Tool, text};
use serde_json::{Value, json};

use crate::corridor::{Post, call, meta, request};

fn server() -> Server {
    let steps = |_: NoArgs, cx: &Context<'_>| {
        cx.progress(1.0, None, "");
        Ok(text("done"))
    };
    Server::builder("origin", "1").tool(Tool::new("steps", "Steps"), steps).build().unwrap()
}

fn exchange(gate: Gate) -> Exchange {
    Exchange::new(&server(), gate).unwrap()
}

fn discover() -> Post {
    Post::of(&request(1, "server/discover", json!({})))
}

#[test]
fn pages_of_this_machine_pass_and_others_do_not() {
    covers!("13.7-1", "13.7-3");
    let exchange = exchange(Gate::new());
    assert_eq!(discover().to(&exchange).status, 200);
    for origin in [
        "http://localhost",
        "http://localhost:3001",
        "https://LOCALHOST:8443",
        "HTTP://127.0.0.1:1",
        "http://[::1]:3001",
        "http://[0:0:0:0:0:0:0:1]",
    ] {
        assert_eq!(discover().add("Origin", origin).to(&exchange).status, 200, "{origin}");
    }
    for origin in [
        "null",
        "",
        "https://evil.example",
        "http://localhost.evil.example:8080",
        "http://evil.example/localhost",
        "http://localhost@evil.example",
        "http://user@localhost",
        "http://localhost/",
        "http://localhost:3001/mcp",
        "http://localhost?x",
        "http://localhost#x",
        "http://localhost:",
        "http://localhost:99999",
        "http://localhost:x",
        "http://localhost.",
        "http://127.0.0.1.nip.io",
        "http://127.0.0.2",
        "http://[::1",
        "http://[::2]",
        "http://::1",
        "ftp://localhost",
        "file://localhost",
        "localhost",
        "//localhost",
        "http://",
        "http://localhost, http://localhost",
    ] {
        discover().add("Origin", origin).to(&exchange).refused(403, -32600, "Origin is not allowed", Value::Null);
    }
    let twice = discover().add("Origin", "http://localhost").add("origin", "http://localhost").to(&exchange);
    twice.refused(403, -32600, "Origin is not allowed", Value::Null);
    assert_eq!(discover().add("Origin", b"http://localhost\xff").to(&exchange).status, 403);
}

#[test]
fn allowed_origins_stand_in_place_of_the_default() {
    covers!("13.7-5");
    let exchange = exchange(Gate::new().allow_origins(["https://app.example", "http://localhost:5173"]));
    for (origin, status) in [
        ("https://app.example", 200),
        ("https://APP.example:443", 200),
        ("http://localhost:5173", 200),
        ("http://app.example", 403),
        ("https://app.example:444", 403),
        ("https://x.app.example", 403),
        ("http://localhost:3001", 403),
        ("null", 403),
    ] {
        let seen = discover().add("Origin", origin).to(&exchange);
        assert_eq!(seen.status, status, "{origin}");
        assert_eq!(seen.field("access-control-allow-origin"), None, "CORS is off");
    }
    let any = Exchange::new(&server(), Gate::new().any_origin()).unwrap();
    assert_eq!(discover().add("Origin", "null").to(&any).status, 200);
}

#[test]
fn the_host_is_checked_on_loopback() {
    covers!("13.7-2", "13.7-4");
    let exchange = exchange(Gate::new());
    for host in ["localhost", "127.0.0.1", "[::1]", "LOCALHOST:9999", "127.0.0.1:1", "[::1]:3001"] {
        assert_eq!(discover().with("Host", host).to(&exchange).status, 200, "{host}");
    }
    let refused = |post: Post| post.to(&exchange).refused(403, -32600, "Host is not allowed", Value::Null);
    for host in [
        "evil.example",
        "evil.example:8080",
        "localhost.evil.example",
        "",
        "::1",
        "user@localhost",
        "localhost:x",
        "localhost:+80",
        "localhost:65536",
        "[::1]x",
        "[::1].evil.example",
        "localhost/",
        "127.1",
    ] {
        refused(discover().with("Host", host));
    }
    refused(discover().without("Host"));
    refused(discover().add("Host", "localhost"));
    // The host of an absolute target counts in place of the field (RFC 9112 §3.2.2).
    refused(discover().target("http://evil.example/mcp"));
    assert_eq!(discover().target("http://localhost/mcp").with("Host", "evil.example").to(&exchange).status, 200);
}

#[test]
fn elsewhere_the_host_is_checked_when_configured() {
    covers!("13.7-4");
    let address: IpAddr = "0.0.0.0".parse().unwrap();
    let loopback: IpAddr = "::1".parse().unwrap();
    let evil = discover().with("Host", "mcp.example:8080");
    assert_eq!(evil.to(&exchange(Gate::new().bound_to(address))).status, 200);
    assert_eq!(evil.to(&exchange(Gate::new().bound_to(loopback))).status, 403);
    assert_eq!(evil.to(&exchange(Gate::new().any_host())).status, 200);
    let listed = exchange(Gate::new().bound_to(address).allow_hosts(["mcp.example", "other.example:444"]));
    for (host, status) in [
        ("mcp.example", 200),
        ("MCP.example:1", 200),
        ("other.example:444", 200),
        ("other.example", 403),
        ("other.example:445", 403),
        ("localhost", 403),
    ] {
        assert_eq!(discover().with("Host", host).to(&listed).status, status, "{host}");
    }
}

#[test]
fn a_gate_says_all_that_is_wrong_with_it() {
    let gate = Gate::new().path("mcp").allow_origins(["https://app.example/", "*"]).allow_hosts(["a b"]);
    let error = Exchange::new(&server(), gate).unwrap_err().to_string();
    assert_eq!(
        error,
        r#"not a path: "mcp"; not an origin: "https://app.example/"; not an origin: "*"; not a host: "a b""#
    );
}

fn preflight() -> Post {
    let asked =
        "content-type,mcp-method,Mcp-Name, mcp-param-region,mcp-protocol-version,authorization,accept,x-other,bad name";
    Post::raw("")
        .without("Content-Type")
        .without("Accept")
        .without("MCP-Protocol-Version")
        .method("OPTIONS")
        .add("Origin", "https://app.example")
        .add("Access-Control-Request-Method", "POST")
        .add("Access-Control-Request-Headers", asked)
}

fn cors() -> Exchange {
    exchange(Gate::new().allow_origins(["https://app.example"]).cors(true))
}

#[test]
fn a_preflight_is_answered_where_cors_is_on() {
    covers!("13.7-5");
    let seen = preflight().to(&cors());
    seen.empty(204);
    assert_eq!(
        seen.fields,
        [
            ("access-control-allow-origin", "https://app.example".to_owned()),
            ("access-control-allow-methods", "POST".to_owned()),
            (
                "access-control-allow-headers",
                "content-type, mcp-method, mcp-name, mcp-param-region, mcp-protocol-version, authorization, accept"
                    .to_owned()
            ),
            ("access-control-max-age", "7200".to_owned()),
            ("vary", "origin".to_owned()),
        ]
    );
    preflight().target("/other").to(&cors()).refused(404, -32600, "No MCP endpoint at this path", Value::Null);
    preflight().with("Host", "evil.example").to(&cors()).refused(403, -32600, "Host is not allowed", Value::Null);
    let other = preflight().with("Origin", "https://evil.example").to(&cors());
    other.refused(403, -32600, "Origin is not allowed", Value::Null);
    assert_eq!((other.field("access-control-allow-origin"), other.field("vary")), (None, Some("origin")));
    // what has not all three marks of a preflight is a request as any other
    assert_eq!(preflight().without("Access-Control-Request-Method").to(&cors()).status, 405);
    assert_eq!(preflight().without("Origin").to(&cors()).status, 405);
    let posted = discover().add("Origin", "https://app.example").add("Access-Control-Request-Method", "POST");
    assert_eq!(posted.to(&cors()).status, 200);
    let off = preflight().to(&exchange(Gate::new().allow_origins(["https://app.example"])));
    off.refused(405, -32600, "Streamable HTTP accepts POST only", Value::Null);
}

#[test]
fn with_cors_every_answer_can_be_read() {
    covers!("13.7-5");
    let page = |post: Post| post.add("Origin", "https://app.example");
    let mut reports = call("steps", json!({}));
    reports["params"]["_meta"] = meta();
    reports["params"]["_meta"]["progressToken"] = json!(1);
    let note = json!({"jsonrpc": "2.0", "method": "notifications/cancelled"});
    for (post, status) in [
        (page(discover()), 200),
        (page(Post::of(&reports)), 200),
        (page(Post::of(&note)), 202),
        (page(discover()).method("GET"), 405),
        (page(discover()).without("Accept"), 406),
        (page(Post::raw("{")), 400),
        (page(discover()).without("Mcp-Method"), 400),
        (page(Post::of(&request(1, "ping", json!({})))), 404),
    ] {
        let seen = post.to(&cors());
        assert_eq!(seen.status, status);
        assert_eq!(seen.field("access-control-allow-origin"), Some("https://app.example"), "{status}");
        assert_eq!(seen.field("access-control-expose-headers"), Some("www-authenticate"), "{status}");
        assert_eq!(seen.field("vary"), Some("origin"), "{status}");
    }
    let refusal = cors().refusal(HostRefusal::BodyTooLarge, Some(&page(discover()).head));
    assert!(refusal.fields.contains(&("access-control-allow-origin", "https://app.example".to_owned())));
    let seen = discover().to(&cors());
    assert_eq!((seen.field("access-control-allow-origin"), seen.field("vary")), (None, Some("origin")));
}
