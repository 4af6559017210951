//! §6 Pagination through the four lists; `pagination.rs` has the pure function.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use plain_mcp::{
    CacheHint, CachePolicy, Edit, Feature, Limits, NoArgs, Prompt, PromptMessage, Resource, ResourceTemplate, Server,
    Tool, contents,
};
use serde_json::{Value, json};

use crate::kit::{builder, call};

const INVALID: &str = "Invalid pagination cursor";
const EXPIRED: &str = "Pagination cursor has expired";
/// Method, member, and the member of an item that it is known by.
const LISTS: [(&str, &str, &str); 4] = [
    ("tools/list", "tools", "name"),
    ("prompts/list", "prompts", "name"),
    ("resources/list", "resources", "uri"),
    ("resources/templates/list", "resourceTemplates", "uriTemplate"),
];

fn add(edit: &mut Edit, at: usize) {
    edit.tool(Tool::new(format!("t{at:04}"), "d"), |_: NoArgs, _| Ok(""));
    edit.prompt(Prompt::new(format!("t{at:04}"), "d"), |_, _| Ok(PromptMessage::user("")));
    edit.resource(Resource::new(format!("test:t{at:04}"), "r"), |_, _| Ok(contents::text("", "")));
    edit.template(ResourceTemplate::new(format!("test:t{at:04}/{{x}}"), "t"), |_, _| Ok(contents::text("", "")));
}

/// A server with as many of everything, in pages of this size.
fn server(count: usize, size: usize) -> Server {
    let all = [Feature::Tools, Feature::Prompts, Feature::Resources];
    let builder = builder().limits(Limits { page: size, ..Limits::default() });
    let server = all.into_iter().fold(builder, |builder, feature| builder.offer(feature)).build().unwrap();
    server.edit(|edit| (0..count).rev().for_each(|at| add(edit, at))).unwrap();
    server
}

/// All pages by their cursors: the length of each, and every item in order.
fn walk(server: &Server, (method, member, key): (&str, &str, &str)) -> (Vec<usize>, Vec<String>) {
    let (mut lengths, mut items, mut params) = (Vec::new(), Vec::new(), json!({}));
    loop {
        let result = call(server, method, params).result().clone();
        let page = result[member].as_array().unwrap();
        lengths.push(page.len());
        items.extend(page.iter().map(|item| item[key].as_str().unwrap().to_owned()));
        match result.get("nextCursor") {
            Some(cursor) => params = json!({"cursor": cursor}),
            None => return (lengths, items),
        }
    }
}

fn next(server: &Server, method: &str) -> Value {
    call(server, method, json!({})).result()["nextCursor"].clone()
}

fn refused(server: &Server, method: &str, cursor: &Value, text: &str) {
    println!("{method} {cursor}");
    call(server, method, json!({"cursor": cursor})).is_error(-32602, text, None);
}

fn decoded(cursor: &Value) -> Value {
    let text = cursor.as_str().unwrap().strip_prefix("mcp1.").unwrap();
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(text).unwrap()).unwrap()
}

fn encoded(place: &Value) -> Value {
    json!(format!("mcp1.{}", URL_SAFE_NO_PAD.encode(place.to_string())))
}

#[test]
fn every_item_once_and_in_order() {
    covers!("6-3", "6-4", "6-8");
    for (count, size, lengths) in [
        (0, 2, vec![0]),
        (1, 2, vec![1]),
        (2, 2, vec![2]),
        (3, 2, vec![2, 1]),
        (4, 2, vec![2, 2]),
        (5, 1, vec![1, 1, 1, 1, 1]),
        (5, 100, vec![5]),
        (7, 3, vec![3, 3, 1]),
    ] {
        let server = server(count, size);
        for list in LISTS {
            let (seen, items) = walk(&server, list);
            assert_eq!(seen, lengths, "{count} in pages of {size}: {}", list.0);
            let sorted: Vec<String> =
                items.iter().cloned().collect::<std::collections::BTreeSet<_>>().into_iter().collect();
            assert_eq!((items.len(), &items), (count, &sorted));
        }
    }
}

#[test]
fn a_hundred_to_a_page() {
    covers!("6-7");
    assert_eq!(Limits::default().page, 100);
    for (count, lengths) in [(100, vec![100]), (101, vec![100, 1]), (200, vec![100, 100])] {
        let server = server(count, 100);
        for list in LISTS {
            assert_eq!(walk(&server, list).0, lengths, "{}", list.0);
        }
    }
}

#[test]
fn the_cursor() {
    covers!("6-5");
    let server = server(5, 2);
    for (method, ..) in LISTS {
        let place = decoded(&next(&server, method));
        assert_eq!(place.as_array().unwrap()[..4], [json!(1), json!("2026-07-28"), json!(method), json!(2)]);
        assert!(!place[4].as_str().unwrap().is_empty());
    }
}

#[test]
fn refused_cursors() {
    covers!("5-1", "6-1", "6-2", "6-9");
    let server = server(5, 2);
    for (method, ..) in LISTS {
        for cursor in [json!(null), json!(0), json!({}), json!([]), json!(true)] {
            refused(&server, method, &cursor, "Cursor must be a string");
        }
        for cursor in [
            "",
            "garbage",
            "mcp1.",
            "mcp1.e30",
            "mcp1.W10",
            "mcp1.AAAA",
            &"x".repeat(2049),
            &format!("mcp1.{}", "A".repeat(3000)),
        ] {
            refused(&server, method, &json!(cursor), INVALID);
        }
        let good = next(&server, method);
        let mut place = decoded(&good);
        assert_eq!(encoded(&place), good);
        for (at, value, text) in [
            (0, json!(2), INVALID),
            (1, json!("2025-11-25"), INVALID),
            (2, json!("tools/call"), INVALID),
            (3, json!(0), INVALID),
            (3, json!(-2), INVALID),
            (3, json!("2"), INVALID),
            (3, json!(1), INVALID), // in the midst of a page: no cursor of ours
            (3, json!(3), INVALID),
            (3, json!(5), EXPIRED),
            (3, json!(6), EXPIRED),
            (3, json!(u64::MAX), EXPIRED),
            (4, json!("0000000000000000"), EXPIRED),
            (4, json!(1), INVALID),
        ] {
            let before = std::mem::replace(&mut place[at], value);
            refused(&server, method, &encoded(&place), text);
            place[at] = before;
        }
        // Nor is a cursor good for another list, although all are equally long.
        for (other, ..) in LISTS.into_iter().filter(|(other, ..)| *other != method) {
            refused(&server, other, &good, INVALID);
        }
    }
}

#[test]
fn an_edit_expires_the_cursors_of_its_list() {
    covers!("6-2");
    let server = server(5, 2);
    let cursors: Vec<Value> = LISTS.iter().map(|(method, ..)| next(&server, method)).collect();
    server.edit(|edit| edit.tool(Tool::new("t9999", "d"), |_: NoArgs, _| Ok(""))).unwrap();
    refused(&server, "tools/list", &cursors[0], EXPIRED);
    for ((method, member, _), cursor) in LISTS.into_iter().zip(&cursors).skip(1) {
        let sent = call(&server, method, json!({"cursor": cursor}));
        assert_eq!(sent.result()[member].as_array().unwrap().len(), 2, "{method} has not changed");
    }
    // Back to what it was, the old cursor is good again: it is a function of the list.
    server.edit(|edit| edit.remove_tool("t9999")).unwrap();
    assert_eq!(next(&server, "tools/list"), cursors[0]);
    assert!(call(&server, "tools/list", json!({"cursor": cursors[0]})).result()["tools"].is_array());
    // A change of one member is a change, so is a list too short for the offset.
    server.edit(|edit| edit.tool(Tool::new("t0000", "another description"), |_: NoArgs, _| Ok(""))).unwrap();
    refused(&server, "tools/list", &cursors[0], EXPIRED);
    server.edit(|edit| (0..5).for_each(|at| edit.remove_tool(&format!("t{at:04}")))).unwrap();
    refused(&server, "tools/list", &cursors[0], EXPIRED);
    assert_eq!(walk(&server, LISTS[0]).0, [0]);
}

#[test]
fn cursors_of_another_process() {
    covers!("6-5", "api-9");
    let (one, two) = (server(5, 2), server(5, 2));
    for (method, member, _) in LISTS {
        let cursor = next(&one, method);
        assert_eq!(cursor, next(&two, method));
        assert_eq!(call(&two, method, json!({"cursor": cursor})).result()[member].as_array().unwrap().len(), 2);
    }
}

#[test]
fn every_page_has_the_policy_of_its_list() {
    covers!("7-4");
    let policy = CachePolicy {
        tools: CacheHint::public(1),
        prompts: CacheHint::private(2),
        resources: CacheHint::public(3),
        templates: CacheHint::private(4),
        ..CachePolicy::default()
    };
    let server = [Feature::Tools, Feature::Prompts, Feature::Resources]
        .into_iter()
        .fold(builder().cache(policy).limits(Limits { page: 2, ..Limits::default() }), |to, feature| to.offer(feature))
        .build()
        .unwrap();
    server.edit(|edit| (0..5).for_each(|at| add(edit, at))).unwrap();
    for ((method, ..), expected) in
        LISTS.into_iter().zip([(1, "public"), (2, "private"), (3, "public"), (4, "private")])
    {
        let mut params = json!({});
        for more in [true, true, false] {
            let result = call(&server, method, params).result().clone();
            assert_eq!(
                (result["ttlMs"].as_i64().unwrap(), result["cacheScope"].as_str().unwrap()),
                expected,
                "{method}"
            );
            assert_eq!(result.get("nextCursor").is_some(), more);
            params = json!({"cursor": result.get("nextCursor")});
        }
    }
}
