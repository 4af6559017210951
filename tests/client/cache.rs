//! §7 Results that are kept.

use std::sync::Mutex;

use plain_mcp::client::{Cache, Client, ClientLimits};
use serde_json::{Value, json};

use crate::script::{Script, modern, result, said, stream};

/// A server whose lists have these hints, one after the other.
fn hints(hints: Vec<Value>) -> Script {
    let hints = Mutex::new(hints.into_iter());
    modern(json!(null), move |asked| {
        if asked.method() == "tools/call" {
            return stream(&[
                json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}),
                json!({"jsonrpc": "2.0", "id": asked.id(), "result": said("changed")}),
            ]);
        }
        let mut page = json!({"resultType": "complete", "tools": [], "contents": []});
        let hints = hints.lock().unwrap().next().unwrap();
        page.as_object_mut().unwrap().extend(hints.as_object().unwrap().clone());
        result(asked, page)
    })
}

fn lists(script: &Script) -> usize {
    script.methods().iter().filter(|method| *method == "tools/list").count()
}

const HOUR: i64 = 3_600_000;

#[test]
fn without_a_cache_everything_is_asked() {
    covers!("18.1-36");
    let script = hints(vec![json!({"ttlMs": HOUR}), json!({"ttlMs": HOUR})]);
    let client = Client::http(&script.url).connect().unwrap();
    client.tools().call().unwrap();
    client.tools().call().unwrap();
    assert_eq!(lists(&script), 2);
}

#[test]
fn hints_are_believed_as_far_as_they_go() {
    covers!("18.1-37", "18.1-38", "18.1-39");
    let private = json!({"ttlMs": HOUR, "cacheScope": "private"});
    let script = hints(vec![
        json!({"ttlMs": -5}),
        json!({}),
        json!({"ttlMs": 0}),
        private.clone(),
        private.clone(),
        private.clone(),
        private,
    ]);
    let cache = Cache::new();
    let builder = || Client::http(&script.url).shared_cache(&cache);
    let client = builder().header("authorization", "Bearer a").connect().unwrap();
    for asked in 1..=4 {
        client.tools().call().unwrap();
        assert_eq!(lists(&script), asked, "negative, absent, zero and the first that counts");
    }
    client.tools().call().unwrap();
    assert_eq!(lists(&script), 4, "fresh");
    client.tools().fresh().call().unwrap();
    assert_eq!(lists(&script), 5, "asked for anew");
    client.tool("t", ()).call().unwrap(); // lists the tools for their headers out of the cache, then hears of a change
    assert_eq!(lists(&script), 5);
    client.tools().call().unwrap();
    assert_eq!(lists(&script), 6, "a notification empties it");
    let other = builder().header("authorization", "Bearer b").connect().unwrap();
    other.tools().call().unwrap();
    assert_eq!(lists(&script), 7, "private is for the same authorization only");
    client.tools().call().unwrap();
    other.tools().call().unwrap();
    assert_eq!(lists(&script), 7);
}

#[test]
fn public_results_are_shared_and_parameters_tell_results_apart() {
    covers!("18.1-38", "18.1-40");
    let public = json!({"ttlMs": HOUR, "cacheScope": "public"});
    let script = hints(vec![public.clone(), public.clone(), public]);
    let cache = Cache::new();
    for user in ["a", "b"] {
        let client = Client::http(&script.url).shared_cache(&cache).cache_context(user).connect().unwrap();
        client.tools().call().unwrap();
        client.resource("a:1").call().unwrap();
        client.resource("a:2").call().unwrap();
    }
    let asked = script.methods();
    assert_eq!(asked.iter().filter(|method| *method == "tools/list").count(), 1);
    assert_eq!(asked.iter().filter(|method| *method == "resources/read").count(), 2);
    cache.clear();
}

#[test]
fn results_of_retries_are_never_kept() {
    covers!("18.1-41");
    let script = modern(json!(null), |asked| match asked.params().get("requestState") {
        None => result(asked, json!({"resultType": "input_required", "requestState": "s"})),
        Some(_) => {
            result(asked, json!({"resultType": "complete", "contents": [], "ttlMs": HOUR, "cacheScope": "public"}))
        }
    });
    let client = Client::http(&script.url).cache().connect().unwrap();
    client.resource("a:1").call().unwrap();
    client.resource("a:1").call().unwrap();
    assert_eq!(script.methods().iter().filter(|method| *method == "resources/read").count(), 4);
}

#[test]
fn a_cursor_that_is_none_any_more_begins_the_list_anew() {
    covers!("18.1-45");
    // the first page may be kept, the second not; after a change its cursor is none
    let lists = Mutex::new(0);
    let script = modern(json!(null), move |asked| match asked.params().get("cursor").and_then(Value::as_str) {
        None => {
            let mut lists = lists.lock().unwrap();
            *lists += 1;
            result(
                asked,
                json!({"prompts": [], "nextCursor": lists.to_string(), "ttlMs": HOUR, "cacheScope": "public"}),
            )
        }
        Some("2") => result(asked, json!({"prompts": [{"name": "new"}]})),
        Some(_) => {
            crate::script::error(asked, 400, json!({"code": -32602, "message": "Pagination cursor has expired"}))
        }
    });
    let client = Client::http(&script.url).cache().connect().unwrap();
    assert_eq!(client.prompts().call().unwrap()[0].name, "new");
    assert_eq!(script.methods().len(), 5);
    // without a cache it is the server's word
    let script = modern(json!(null), move |asked| match asked.params().get("cursor") {
        None => result(asked, json!({"prompts": [], "nextCursor": "x"})),
        Some(_) => crate::script::error(asked, 400, json!({"code": -32602, "message": "Invalid pagination cursor"})),
    });
    assert!(Client::http(&script.url).connect().unwrap().prompts().call().is_err());
}

#[test]
fn the_cache_has_a_bound() {
    covers!("18.1-42");
    let long = json!({"ttlMs": HOUR, "cacheScope": "public"});
    let script = hints(vec![long.clone(), long.clone(), long.clone(), long]);
    let limits = ClientLimits { cached: 2, ..ClientLimits::default() };
    let client = Client::http(&script.url).limits(limits).cache().connect().unwrap();
    for uri in ["a:1", "a:2", "a:3", "a:3", "a:2", "a:1"] {
        client.resource(uri).call().unwrap();
    }
    let read = script.methods().iter().filter(|method| *method == "resources/read").count();
    assert_eq!(read, 4, "the one that ends first went for the third");
}
