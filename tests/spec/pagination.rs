//! §6 Pagination.

use base64::Engine;
use base64::engine::general_purpose::{URL_SAFE, URL_SAFE_NO_PAD};
use plain_mcp::pagination::{List, Page, page};
use serde_json::{Value, json};

use crate::random::Random;

const VERSION: &str = "2026-07-28";
const INVALID: &str = "Invalid pagination cursor";
const EXPIRED: &str = "Pagination cursor has expired";

fn list(total: usize, size: usize) -> List<'static> {
    List { version: VERSION, method: "tools/list", hash: "H", total, size, cursor_limit: 2048 }
}

fn cursor(value: &Value) -> Value {
    json!(format!("mcp1.{}", URL_SAFE_NO_PAD.encode(value.to_string())))
}

fn refused(list: &List<'_>, cursor: &Value, text: &str) {
    let fault = page(list, Some(cursor)).expect_err(&cursor.to_string());
    assert_eq!((fault.code().number(), fault.message(), fault.detail()), (-32602, text, None), "{cursor}");
}

/// All pages, by their cursors.
fn walk(list: &List<'_>) -> Vec<(usize, usize)> {
    let mut pages = Vec::new();
    let mut next = None;
    loop {
        let Page { range, next: more } = page(list, next.as_ref()).unwrap();
        pages.push((range.start, range.end));
        match more {
            Some(cursor) => next = Some(json!(cursor)),
            None => return pages,
        }
    }
}

#[test]
fn the_last_page_has_no_cursor() {
    covers!("6-4", "6-8");
    assert_eq!(walk(&list(0, 2)), [(0, 0)]);
    assert_eq!(walk(&list(1, 2)), [(0, 1)]);
    assert_eq!(walk(&list(2, 2)), [(0, 2)]);
    assert_eq!(walk(&list(4, 2)), [(0, 2), (2, 4)]);
    assert_eq!(walk(&list(5, 2)), [(0, 2), (2, 4), (4, 5)]);
    assert_eq!(walk(&list(3, usize::MAX)), [(0, 3)]);
    assert_eq!(walk(&list(2, 0)), [(0, 1), (1, 2)]);
}

#[test]
fn the_format_is_the_references() {
    covers!("6-5");
    let next = page(&list(3, 2), None).unwrap().next;
    assert_eq!(next.as_deref(), Some("mcp1.WzEsIjIwMjYtMDctMjgiLCJ0b29scy9saXN0IiwyLCJIIl0"));
}

#[test]
fn not_a_string() {
    covers!("5-1");
    for cursor in [json!(null), json!(2), json!({}), json!(["mcp1."]), json!(true)] {
        refused(&list(5, 2), &cursor, "Cursor must be a string");
    }
}

#[test]
fn invalid() {
    covers!("6-1", "6-9");
    let list = list(5, 2);
    let good = json!([1, VERSION, "tools/list", 2, "H"]);
    assert_eq!(page(&list, Some(&cursor(&good))).unwrap().range, 2..4);

    for text in ["", "garbage", "mcp1.", "mcp1.!", "mcp2.WzFd", "MCP1.WzFd", " "] {
        refused(&list, &json!(text), INVALID);
    }
    for value in [
        json!([1, VERSION, "tools/list", 2]),
        json!([1, VERSION, "tools/list", 2, "H", 0]),
        json!([2, VERSION, "tools/list", 2, "H"]),
        json!(["1", VERSION, "tools/list", 2, "H"]),
        json!([1, "2025-11-25", "tools/list", 2, "H"]),
        json!([1, VERSION, "prompts/list", 2, "H"]),
        json!([1, VERSION, "tools/list", 0, "H"]),
        json!([1, VERSION, "tools/list", -2, "H"]),
        json!([1, VERSION, "tools/list", 2.0, "H"]),
        json!([1, VERSION, "tools/list", "2", "H"]),
        json!([1, VERSION, "tools/list", null, "H"]),
        json!([1, VERSION, "tools/list", 2, 7]),
        json!({"offset": 2}),
        json!(null),
    ] {
        refused(&list, &cursor(&value), INVALID);
    }
}

#[test]
fn a_cursor_has_one_spelling() {
    covers!("6-1", "6-10");
    let list = list(111, 2);
    let good = json!([1, VERSION, "tools/list", 110, "H"]).to_string();
    let encoded = URL_SAFE_NO_PAD.encode(&good);
    assert!(page(&list, Some(&json!(format!("mcp1.{encoded}")))).is_ok());
    // Texts that a lenient reader would take for the same: padded, with an end of line, with a byte more, in base64.
    let padded = URL_SAFE.encode(&good);
    assert_ne!(encoded, padded);
    for text in [padded, format!("{encoded}\n"), format!("{encoded}A"), encoded.replace('W', "+")] {
        refused(&list, &json!(format!("mcp1.{text}")), INVALID);
    }
    // And other JSON of the same place: white space around and inside, escapes.
    let (escaped, unicode) = (good.replace('/', r"\/"), good.replace('H', r"\u0048"));
    for text in [format!("{good} "), format!(" {good}"), good.replace(',', ", "), escaped, unicode] {
        assert_ne!(text, good);
        refused(&list, &json!(format!("mcp1.{}", URL_SAFE_NO_PAD.encode(text))), INVALID);
    }
}

#[test]
fn oversize() {
    covers!("6-1", "6-6");
    let hash = "H".repeat(1499);
    let long = |hash| List { hash, ..list(5, 2) };
    let [fits, over] = [&hash[1..], &hash].map(|hash| long(hash).page_at(0).next.unwrap());
    assert_eq!((fits.len(), over.len()), (2048, 2049));
    assert!(page(&long(&hash[1..]), Some(&json!(fits))).is_ok());
    refused(&long(&hash), &json!(over), INVALID);
}

#[test]
fn expired() {
    covers!("6-2");
    let list = list(5, 2);
    for (offset, hash) in [(json!(2), "other"), (json!(5), "H"), (json!(6), "H"), (json!(u64::MAX), "H")] {
        refused(&list, &cursor(&json!([1, VERSION, "tools/list", offset, hash])), EXPIRED);
    }
    let next = json!(page(&list, None).unwrap().next.unwrap());
    refused(&List { hash: "changed", ..list }, &next, EXPIRED);
    refused(&List { total: 2, ..list }, &next, EXPIRED);
    refused(&List { total: 0, ..list }, &next, EXPIRED);
    refused(&List { method: "prompts/list", ..list }, &next, INVALID);
    refused(&List { version: "2025-11-25", ..list }, &next, INVALID);
}

#[test]
fn any_cursor_gives_a_page_or_a_refusal() {
    let mut random = Random(6);
    for _ in 0..5_000 {
        let total = random.below(7);
        let list = list(total, 1 + random.below(3));
        let place = json!([
            random.below(3),
            VERSION,
            random.pick(&["tools/list", "x"]),
            random.below(9),
            random.pick(&["H", "I"])
        ]);
        let good = cursor(&place);
        let text =
            if random.below(3) == 0 { random.spoil(good.as_str().unwrap()) } else { good.as_str().unwrap().to_owned() };
        match page(&list, Some(&json!(text))) {
            Ok(page) => {
                assert!(page.range.start < page.range.end && page.range.end <= total, "{place}");
                assert_eq!(page.next.is_some(), page.range.end < total);
            }
            Err(fault) => assert!(matches!(fault.message(), INVALID | EXPIRED)),
        }
    }
}
