//! §4 server/discover.

use plain_mcp::{
    Completion, Context, Feature, NoArgs, Prompt, PromptArguments, PromptMessage, Resource, ServerBuilder, Tool,
    contents, text,
};
use serde_json::{Value, json};

use crate::kit::{REVISION, SERVER, VERSION, builder, call, meta, meta_and};

fn with_tool(builder: ServerBuilder) -> ServerBuilder {
    builder.tool(Tool::new("t", "A tool"), |_: NoArgs, _: &Context<'_>| Ok(text("done")))
}

fn with_resource(builder: ServerBuilder) -> ServerBuilder {
    builder.resource(Resource::new("test://a", "a"), |_: &str, _: &Context<'_>| Ok(contents::text("text/plain", "a")))
}

fn with_prompt(builder: ServerBuilder) -> ServerBuilder {
    builder.prompt(Prompt::new("p", "A prompt").arg("a"), |_: &PromptArguments, _: &Context<'_>| {
        Ok(PromptMessage::user("hello"))
    })
}

fn with_completion(builder: ServerBuilder) -> ServerBuilder {
    with_prompt(builder).complete_prompt("p", "a", |_: &str, _: &Context<'_>| Ok(Completion::from(vec!["x"])))
}

fn capabilities(builder: ServerBuilder) -> Value {
    call(&builder.build().unwrap(), "server/discover", json!({})).result()["capabilities"].clone()
}

#[test]
fn the_result_is_whole() {
    covers!("4-1", "4-2", "4-5");
    let server = with_tool(builder()).build().unwrap();
    let wanted = json!({
        "resultType": "complete",
        "supportedVersions": ["2026-07-28"],
        "capabilities": {"tools": {}, "logging": {}},
        "ttlMs": 0,
        "cacheScope": "private",
        "_meta": {SERVER: {"name": "test", "version": "1.0.0"}},
    });
    assert_eq!(call(&server, "server/discover", json!({})).result(), &wanted);
    let server = builder().instructions("Ask kindly.\n").build().unwrap();
    assert_eq!(call(&server, "server/discover", json!({})).result()["instructions"], "Ask kindly.\n");
}

#[test]
fn refused_versions_name_the_supported_ones() {
    covers!("4-2", "2-8");
    let server = builder().build().unwrap();
    let supported = call(&server, "server/discover", json!({})).result()["supportedVersions"].clone();
    assert_eq!(supported, json!([REVISION]));
    let sent = call(&server, "server/discover", json!({"_meta": meta_and(json!({VERSION: "v999.0.0"}))}));
    assert_eq!(sent.error()["data"], json!({"requested": "v999.0.0", "supported": supported}));
}

#[test]
fn capabilities_are_what_there_is() {
    covers!("4-3");
    let changes = json!({"listChanged": true});
    for (builder, wanted) in [
        (with_tool(builder()), json!({"tools": {}, "logging": {}})),
        (with_tool(builder()).list_changed(), json!({"tools": changes, "logging": {}})),
        (with_resource(builder()), json!({"resources": {}, "logging": {}})),
        (with_resource(builder()).subscribe(), json!({"resources": {"subscribe": true}, "logging": {}})),
        (
            with_resource(builder()).subscribe().list_changed(),
            json!({"resources": {"listChanged": true, "subscribe": true}, "logging": {}}),
        ),
        (with_prompt(builder()).list_changed(), json!({"prompts": changes, "logging": {}})),
        (with_completion(builder()), json!({"prompts": {}, "completions": {}, "logging": {}})),
        (builder().offer(Feature::Tools).no_logging(), json!({"tools": {}})),
        (builder().no_logging().list_changed(), json!({})),
        (builder().no_logging().experimental("x", json!({"a": 1})), json!({"experimental": {"x": {"a": 1}}})),
        (builder().no_logging().extension("a.example/b", json!({})), json!({"extensions": {"a.example/b": {}}})),
    ] {
        assert_eq!(capabilities(builder), wanted);
    }
}

/// Method, params, and the builder of a server that offers it.
type Gated = (&'static str, Value, fn(ServerBuilder) -> ServerBuilder);

#[test]
fn what_is_not_advertised_does_not_exist() {
    covers!("4-4", "4-3");
    let gated: &[Gated] = &[
        ("tools/list", json!({}), with_tool),
        ("tools/call", json!({"name": "t"}), with_tool),
        ("resources/list", json!({}), with_resource),
        ("resources/templates/list", json!({}), with_resource),
        ("resources/read", json!({"uri": "test://a"}), with_resource),
        ("prompts/list", json!({}), with_prompt),
        ("prompts/get", json!({"name": "p", "arguments": {"a": ""}}), with_prompt),
        (
            "completion/complete",
            json!({"ref": {"type": "ref/prompt", "name": "p"}, "argument": {"name": "a", "value": ""}}),
            with_completion,
        ),
    ];
    let none = builder().build().unwrap();
    for (method, params, offering) in gated {
        assert_eq!(
            call(&offering(builder()).build().unwrap(), method, params.clone()).result()["resultType"],
            "complete"
        );
        let absent = format!("Method not found: {method}");
        call(&none, method, params.clone()).is_error(-32601, &absent, None);
        // and not because its params are looked at first
        call(&none, method, json!({})).is_error(-32601, &absent, None);
    }
    let prompts = with_prompt(builder()).build().unwrap();
    call(&prompts, "completion/complete", json!({})).is_error(-32601, "Method not found: completion/complete", None);
    let empty = builder().offer(Feature::Prompts).build().unwrap();
    assert_eq!(call(&empty, "prompts/list", json!({})).result()["prompts"], json!([]));
}

#[test]
fn a_server_without_listen_promises_no_changes() {
    covers!("4-6");
    for (builder, problem) in [
        (
            with_tool(builder()).no_listen().list_changed(),
            "listChanged and subscribe need subscriptions/listen, which is switched off",
        ),
        (
            with_resource(builder()).no_listen().subscribe(),
            "listChanged and subscribe need subscriptions/listen, which is switched off",
        ),
    ] {
        assert_eq!(builder.build().unwrap_err().problems, [problem]);
    }
    let server = with_resource(with_tool(builder())).no_listen().build().unwrap();
    let discovered = call(&server, "server/discover", json!({}));
    assert_eq!(discovered.result()["capabilities"], json!({"tools": {}, "resources": {}, "logging": {}}));
    let listen = json!({"notifications": {"toolsListChanged": true}});
    call(&server, "subscriptions/listen", listen).is_error(-32601, "Method not found: subscriptions/listen", None);
}

#[test]
fn a_server_of_nothing_is_a_server() {
    covers!("4-7");
    let server = builder().no_logging().build().unwrap();
    assert_eq!(call(&server, "server/discover", json!({})).result()["capabilities"], json!({}));
    server.end_streams(); // else a listen stream would stay open
    let sent = call(&server, "subscriptions/listen", json!({"notifications": {"toolsListChanged": true}}));
    let mut acknowledged = sent.notifications.iter().map(|note| (&note["method"], &note["params"]["notifications"]));
    assert_eq!(acknowledged.next(), Some((&json!("notifications/subscriptions/acknowledged"), &json!({}))));
    assert_eq!(sent.result()["resultType"], "complete");
}

#[test]
fn other_params_are_ignored() {
    covers!("4-8");
    let server = builder().build().unwrap();
    let plain = call(&server, "server/discover", json!({}));
    for params in
        [json!({"cursor": 7}), json!({"x": null, "capabilities": [], "inputResponses": 1, "requestState": {}})]
    {
        let mut params = params;
        params["_meta"] = meta();
        assert_eq!(call(&server, "server/discover", params).answer, plain.answer);
    }
}

#[test]
fn extensions_are_off() {
    covers!("4-9");
    let everything = with_completion(with_resource(with_tool(builder()))).list_changed().subscribe();
    assert_eq!(capabilities(everything).get("extensions"), None);
    for (name, settings) in [
        ("tasks", json!({})),
        ("a.example/b", json!(true)),
        ("a.example/b", json!(null)),
        ("/b", json!({})),
        ("a b/c", json!({})),
    ] {
        let problem = format!("capability {name:?}: an extension has a prefixed name, and settings are an object");
        assert_eq!(builder().extension(name, settings).build().unwrap_err().problems, [problem]);
    }
}
