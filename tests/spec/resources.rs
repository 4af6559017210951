//! §5.3 resources/list and resources/templates/list, §5.4 resources/read.

use plain_mcp::types::{Annotations, Icon, Role, elicit};
use plain_mcp::{
    CacheHint, CachePolicy, Context, InputRequired, Interrupt, Resource, ResourceOutput, ResourceTemplate, Server,
    contents,
};
use serde_json::{Value, json};

use crate::kit::{CAPS, REVISION, VERSION, builder, call, refuses};

fn read(server: &Server, uri: &str) -> Value {
    call(server, "resources/read", json!({"uri": uri})).result().clone()
}

fn text(of: &Value) -> &str {
    of["contents"][0]["text"].as_str().unwrap()
}

/// A server with one resource that gives this.
fn gives(output: impl Into<ResourceOutput> + Clone + Send + Sync + 'static) -> Server {
    builder().resource(Resource::new("test://r", "r"), move |_, _| Ok(output.clone())).build().unwrap()
}

fn echo(uri: &str, _: &Context<'_>) -> Result<ResourceOutput, Interrupt> {
    Ok(contents::text("text/plain", format!("of {uri}")).into())
}

#[test]
fn resources_listed() {
    covers!("5.3-1", "5.3-2");
    let full = Resource::new("test://full", "full")
        .title("Full")
        .description("All members")
        .mime_type("text/plain")
        .size(12)
        .icon(Icon::new("https://example.com/i.png").theme("dark"))
        .annotations(Annotations::new().audience(Role::Assistant).priority(1.0))
        .meta("com.example/k", [1]);
    let server = builder()
        .resource(Resource::new("test://z", "a"), echo)
        .resource(full, echo)
        .resource(Resource::new("test://B", "z"), echo)
        .resource(Resource::new("file:///x", "m"), echo)
        .build()
        .unwrap();
    let sent = call(&server, "resources/list", json!({}));
    assert_eq!(
        sent.result()["resources"],
        json!([
            {"uri": "file:///x", "name": "m"},
            {"uri": "test://B", "name": "z"},
            {"uri": "test://full", "name": "full", "title": "Full", "description": "All members", "mimeType": "text/plain", "size": 12,
             "icons": [{"src": "https://example.com/i.png", "theme": "dark"}],
             "annotations": {"audience": ["assistant"], "priority": 1.0}, "_meta": {"com.example/k": [1]}},
            {"uri": "test://z", "name": "a"},
        ])
    );
    assert_eq!(call(&server, "resources/list", json!({})).answer, sent.answer);
}

#[test]
fn templates_listed() {
    covers!("5.3-3", "5.3-4");
    let full = ResourceTemplate::new("test://b/{id}", "full")
        .title("Full")
        .description("All members")
        .mime_type("text/plain")
        .icon(Icon::new("https://example.com/i.png"))
        .annotations(Annotations::new().last_modified("2025-01-12T15:00:58Z"))
        .meta("com.example/k", true);
    let server = builder()
        .template(full, |_, _| Ok(contents::text("text/plain", "")))
        .template(ResourceTemplate::new("test://a/{id}", "z"), |_, _| Ok(contents::text("text/plain", "")))
        .build()
        .unwrap();
    let sent = call(&server, "resources/templates/list", json!({}));
    assert_eq!(
        sent.result()["resourceTemplates"],
        json!([
            {"uriTemplate": "test://a/{id}", "name": "z"},
            {"uriTemplate": "test://b/{id}", "name": "full", "title": "Full", "description": "All members", "mimeType": "text/plain",
             "icons": [{"src": "https://example.com/i.png"}], "annotations": {"lastModified": "2025-01-12T15:00:58Z"},
             "_meta": {"com.example/k": true}},
        ])
    );
    assert_eq!(call(&server, "resources/list", json!({})).result()["resources"], json!([]));
}

#[test]
fn refused_at_build() {
    covers!("5.3-5");
    let resource = |uri: &str| Resource::new(uri, "n");
    let template = |text: &str| ResourceTemplate::new(text, "n");
    let empty = |_: &plain_mcp::Vars, _: &Context<'_>| Ok(contents::text("text/plain", ""));
    let problems = builder()
        .resource(resource("no-scheme"), echo)
        .resource(resource("test://a b"), echo)
        .resource(resource(""), echo)
        .resource(resource("test://twin"), echo)
        .resource(resource("test://twin"), echo)
        .resource(Resource::new("test://c", ""), echo)
        .template(template("test://{a"), empty)
        .template(template("test://{a}/{a}"), empty)
        .template(template("test://{a*}"), empty)
        .template(template(""), empty)
        .template(template("test://twin/{x}"), empty)
        .template(template("test://twin/{x}"), empty)
        .build()
        .unwrap_err()
        .problems;
    assert_eq!(
        problems,
        [
            r#"resource "no-scheme": not an absolute URI"#,
            r#"resource "test://a b": not an absolute URI"#,
            r#"resource "": not an absolute URI"#,
            r#"resource "test://c": the name is empty"#,
            r#"template "test://{a": a brace without its other half"#,
            r#"template "test://{a}/{a}": variable "a" occurs twice"#,
            r#"template "test://{a*}": the modifier of "a*" is not supported"#,
            "a template has no text",
            r#"resource "test://twin": there are two"#,
            r#"template "test://twin/{x}": there are two"#,
        ]
    );
}

#[test]
#[rustfmt::skip] // a table
fn refused() {
    covers!("5.4-1", "5.4-2", "5.4-3", "5.4-4");
    const URI: &str = "resources/read requires a non-empty string uri";
    const ABSOLUTE: &str = "resources/read uri must be an absolute URI";
    let server = builder()
        .resource(Resource::new("test://r", "r"), echo)
        .template(ResourceTemplate::new("test://t/{id}", "t"), |_, _| Ok(contents::text("text/plain", "")))
        .build()
        .unwrap();
    refuses(
        &server,
        "resources/read",
        &[
            // params                       code    message   data
            (json!({}),                     -32602, URI,      None),
            (json!({"uri": null}),          -32602, URI,      None),
            (json!({"uri": ""}),            -32602, URI,      None),
            (json!({"uri": 7}),             -32602, URI,      None),
            (json!({"uri": ["test://r"]}),  -32602, URI,      None),
            (json!({"uri": {}}),            -32602, URI,      None),
            (json!({"uri": false}),         -32602, URI,      None),
            (json!({"uri": "r"}),           -32602, ABSOLUTE, None),
            (json!({"uri": "/etc/passwd"}), -32602, ABSOLUTE, None),
            (json!({"uri": "//host/r"}),    -32602, ABSOLUTE, None),
            (json!({"uri": "://r"}),        -32602, ABSOLUTE, None),
            (json!({"uri": ":"}),           -32602, ABSOLUTE, None),
            (json!({"uri": "1test://r"}),   -32602, ABSOLUTE, None),
            (json!({"uri": "te st://r"}),   -32602, ABSOLUTE, None),
            (json!({"uri": "test://a b"}),  -32602, ABSOLUTE, None),
            (json!({"uri": "test://r\n"}),  -32602, ABSOLUTE, None),
            (json!({"uri": "test://%zz"}),  -32602, ABSOLUTE, None),
            (json!({"uri": " test://r"}),   -32602, ABSOLUTE, None),
        ],
    );
    for uri in [
        "test://nonexistent-resource-for-conformance-testing",
        "test://R",
        "TEST://r",
        "test://r/",
        "test://r?",
        "test://r#f",
        "test://%72",
        "test://t/",
        "test://t/a/b",
        "test://t/../r",
        "urn:x",
        "a:",
        "test://ü",
    ] {
        let sent = call(&server, "resources/read", json!({"uri": uri}));
        sent.is_error(-32602, "Resource not found", Some(json!({"uri": uri})));
    }
}

#[test]
fn an_empty_list_of_contents_never_goes_out() {
    covers!("5.4-4");
    let sent = call(&gives(Vec::new()), "resources/read", json!({"uri": "test://r"}));
    sent.is_error(-32603, "Internal error", None);
}

#[test]
fn a_handler_can_say_that_there_is_nothing() {
    covers!("5.4-3", "api-11");
    let server = builder()
        .template(ResourceTemplate::new("test://t/{id}", "t"), |vars, _| match vars.get("id") {
            Some("1") => Ok(contents::text("text/plain", "one")),
            _ => Err(Interrupt::NotFound),
        })
        .build()
        .unwrap();
    assert_eq!(text(&read(&server, "test://t/1")), "one");
    let sent = call(&server, "resources/read", json!({"uri": "test://t/2"}));
    sent.is_error(-32602, "Resource not found", Some(json!({"uri": "test://t/2"})));
    let listed =
        builder().resource(Resource::new("test://r", "r"), |_, _| Err::<ResourceOutput, _>(Interrupt::NotFound));
    let sent = call(&listed.build().unwrap(), "resources/read", json!({"uri": "test://r"}));
    sent.is_error(-32602, "Resource not found", Some(json!({"uri": "test://r"})));
}

#[test]
fn contents_of_every_kind() {
    covers!("5.4-5");
    let many = vec![
        contents::text("text/plain", "a"),
        contents::text("", "").uri("test://r/part").meta("k", 1),
        contents::blob("application/octet-stream", &[0, 1, 2, 3, 0x7f, 0x80, 0xfe, 0xff]),
    ];
    assert_eq!(
        read(&gives(many), "test://r"),
        json!({
            "resultType": "complete",
            "contents": [
                {"uri": "test://r", "mimeType": "text/plain", "text": "a"},
                {"uri": "test://r/part", "mimeType": "", "text": "", "_meta": {"k": 1}},
                {"uri": "test://r", "mimeType": "application/octet-stream", "blob": "AAECA3+A/v8="},
            ],
            "ttlMs": 0, "cacheScope": "private",
            "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "test", "version": "1.0.0"}},
        })
    );
}

#[test]
fn templates_are_matched_on_the_encoded_uri() {
    covers!("5.4-6");
    let vars = |vars: &plain_mcp::Vars, _: &Context<'_>| {
        let all: Vec<String> = vars.iter().map(|(name, value)| format!("{name}={value}")).collect();
        Ok(contents::text("text/plain", all.join(" ")))
    };
    let server = builder()
        .template(ResourceTemplate::new("test://template/{id}/data", "data"), vars)
        .template(ResourceTemplate::new("file:///{+path}", "file"), vars)
        .build()
        .unwrap();
    for (uri, expected) in [
        ("test://template/123/data", "id=123"),
        ("test://template/a%20b/data", "id=a b"),
        ("test://template/a%2Fb/data", "id=a/b"),
        ("test://template/%2525/data", "id=%25"),
        ("test://template/%C3%BC/data", "id=ü"),
        ("file:///a/b%20c.txt", "path=a/b c.txt"),
    ] {
        let result = read(&server, uri);
        assert_eq!((text(&result), &result["contents"][0]["uri"]), (expected, &json!(uri)));
    }
    for uri in ["test://template/1/2/data", "test://template/1/DATA", "test://template/1/data/", "test://template//dat"]
    {
        let sent = call(&server, "resources/read", json!({"uri": uri}));
        sent.is_error(-32602, "Resource not found", Some(json!({"uri": uri})));
    }
}

#[test]
fn a_listed_resource_goes_before_a_template() {
    covers!("5.4-7");
    let server = builder()
        .template(ResourceTemplate::new("test://a/{id}", "t"), |_, _| Ok(contents::text("text/plain", "template")))
        .template(ResourceTemplate::new("test://{+all}", "t"), |_, _| {
            Ok(contents::text("text/plain", "later template"))
        })
        .resource(Resource::new("test://a/1", "r"), |_, _| Ok(contents::text("text/plain", "listed")))
        .build()
        .unwrap();
    for (uri, expected) in [("test://a/1", "listed"), ("test://a/2", "template"), ("test://b", "later template")] {
        assert_eq!(text(&read(&server, uri)), expected);
    }
}

#[test]
fn the_handler_gets_the_uri_as_it_was_asked_for() {
    let server = builder().resource(Resource::new("test://a%20b", "r"), echo).build().unwrap();
    assert_eq!(text(&read(&server, "test://a%20b")), "of test://a%20b");
}

#[test]
fn stale_after_a_round() {
    covers!("5.4-8");
    let policy = CachePolicy { read: CacheHint::public(60_000), ..CachePolicy::default() };
    let server = builder()
        .cache(policy)
        .resource(Resource::new("test://plain", "p"), echo)
        .resource(Resource::new("test://asks", "a"), |_, cx| {
            let answer = cx.ask("name", elicit::form("Who?").string("name").required())?;
            cx.keep(&1);
            cx.ask("again", elicit::form("Sure?"))?;
            Ok(ResourceOutput::from(contents::text("text/plain", answer.str("name")?)).cache(CacheHint::private(9)))
        })
        .resource(Resource::new("test://state", "s"), |uri, cx| match cx.state::<u8>()? {
            None => Err(InputRequired::new().with_state(&1).into()),
            Some(_) => echo(uri, cx),
        })
        .build()
        .unwrap();
    let round = |uri: &str, more: Value| {
        let mut params = json!({"uri": uri, "_meta": {VERSION: REVISION, CAPS: {"elicitation": {}}}});
        crate::kit::merge(&mut params, more);
        call(&server, "resources/read", params).result().clone()
    };
    let fresh = |result: &Value| (result["ttlMs"].clone(), result["cacheScope"].clone());
    assert_eq!(fresh(&round("test://plain", json!({}))), (json!(60_000), json!("public")));
    assert_eq!(fresh(&round("test://plain", json!({"inputResponses": {}}))), (json!(60_000), json!("public")));
    assert_eq!(fresh(&round("test://plain", json!({"inputResponses": {"x": {}}}))), (json!(0), json!("public")));

    let name = json!({"action": "accept", "content": {"name": "Alice"}});
    let first = round("test://asks", json!({}));
    assert_eq!(
        (&first["resultType"], first.get("ttlMs"), first.get("cacheScope")),
        (&json!("input_required"), None, None)
    );
    let second = round("test://asks", json!({"inputResponses": {"name": name}}));
    assert_eq!((&second["resultType"], second.get("ttlMs")), (&json!("input_required"), None));
    let state = &second["requestState"];
    let last = round(
        "test://asks",
        json!({"inputResponses": {"again": {"action": "accept", "content": {}}}, "requestState": state}),
    );
    assert_eq!((text(&last), fresh(&last)), ("Alice", (json!(0), json!("private"))));
    let state = round("test://state", json!({}))["requestState"].clone();
    assert_eq!(fresh(&round("test://state", json!({"requestState": state}))), (json!(0), json!("public")));
    let both = json!({"inputResponses": {"name": name, "again": {"action": "accept", "content": {}}}});
    assert_eq!(fresh(&round("test://asks", both)), (json!(0), json!("private")));
}
