//! Invariant: whatever a cursor says, the page lies within the list; only the text that the list itself gives for a place leads to that
//! place; a cursor of another version, method or catalog leads nowhere; and the cursors lead through the list once, in its order.

use plain_mcp::pagination::{List, page};
use serde_json::{Value, json};

/// The first three bytes are the length of the list, the size of a page and what is done to a cursor of ours, the rest is a cursor.
pub fn check(data: &[u8]) {
    let [total, size, change, cursor @ ..] = data else { return };
    let (total, size) = (usize::from(*total), usize::from(*size));
    let list = List { version: "2026-07-28", method: "tools/list", hash: "aGFzaA", total, size, cursor_limit: 2048 };
    let all = walked(&list);
    if let Ok(cursor) = std::str::from_utf8(cursor) {
        judge(&list, cursor);
        judge(&List { cursor_limit: 60, ..list }, cursor);
    }
    let Some(place) = all.get(usize::from(*change) % all.len().max(1)) else { return };
    for other in [List { version: "2025-11-25", ..list }, List { method: "prompts/list", ..list }] {
        refused(&other, place, "Invalid pagination cursor");
    }
    refused(&List { hash: "b3RoZXI", ..list }, place, "Pagination cursor has expired");
    // One byte of ours is another: refused, or what the list gives for another place.
    let at = cursor.first().map_or(0, |byte| usize::from(*byte)) % place.len();
    let mut changed = place.clone().into_bytes();
    changed[at] = *change;
    if let Ok(changed) = String::from_utf8(changed) {
        judge(&list, &changed);
    }
}

/// Follows the cursors from the first page to the last, and gives them.
fn walked(list: &List<'_>) -> Vec<String> {
    let (mut cursors, mut next) = (Vec::new(), 0);
    loop {
        let cursor = cursors.last().map(|cursor: &String| Value::from(cursor.as_str()));
        let page = page(list, cursor.as_ref()).unwrap();
        assert_eq!(page.range.start, next, "every item once");
        assert!(page.range.end <= list.total && page.range.len() <= list.size.max(1));
        next = page.range.end;
        match page.next {
            Some(cursor) => {
                assert!(next < list.total && cursor.len() <= 256);
                cursors.push(cursor);
            }
            None => break,
        }
    }
    assert_eq!(next, list.total);
    cursors
}

fn judge(list: &List<'_>, cursor: &str) {
    match page(list, Some(&json!(cursor))) {
        Ok(page) => {
            assert!((1..list.total).contains(&page.range.start) && page.range.end <= list.total, "{page:?}");
            let before = List { size: 1, ..*list }.page_at(page.range.start - 1);
            assert_eq!(before.next.as_deref(), Some(cursor), "not as the list writes it");
            assert!(cursor.len() <= list.cursor_limit);
        }
        Err(fault) => {
            assert_eq!(fault.code().number(), -32602);
            assert!(["Invalid pagination cursor", "Pagination cursor has expired"].contains(&fault.message()));
        }
    }
}

fn refused(list: &List<'_>, cursor: &str, text: &str) {
    assert_eq!(page(list, Some(&json!(cursor))).unwrap_err().message(), text);
}
