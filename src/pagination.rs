//! §6 Pagination, and the cursor of §5.1.
//! Law: a cursor is never trusted: version, method, catalog and bounds are checked before an item is touched (D6).
//! Law: the last page has no `nextCursor`.

use std::ops::Range;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};

use crate::envelope::json_text;
use crate::errors::{Fault, rules};

rules! {
    // const     id     code    text                             source
    CURSOR_TYPE  "5-1"  -32602  "Cursor must be a string"        "v26:1134-1145";
    INVALID      "6-1"  -32602  "Invalid pagination cursor"      "pagination.ex:97-133";
    EXPIRED      "6-2"  -32602  "Pagination cursor has expired"  "pagination.ex:97-133, 154-155";
}

/// What stands before the encoded part of a cursor.
const PREFIX: &str = "mcp1.";

/// The version of the encoded part.
const FORMAT: u64 = 1;

/// The list that is paged, as it is at this request.
#[derive(Clone, Copy, Debug)]
pub struct List<'a> {
    /// The protocol version of the request: a cursor of another version is refused.
    pub version: &'a str,
    /// The method, for example `tools/list`: a cursor of another list is refused.
    pub method: &'a str,
    /// A hash of what is listed, so that a cursor expires when the list changes and nothing is skipped or repeated.
    pub hash: &'a str,
    /// The number of items in the whole list.
    pub total: usize,
    /// The most items on one page; 0 counts as 1.
    pub size: usize,
    /// The most bytes of a cursor.
    pub cursor_limit: usize,
}

/// One page of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// The items of this page, by their place in the whole list. Always within it.
    pub range: Range<usize>,
    /// The `nextCursor`; `None` on the last page, where the member is left out.
    pub next: Option<String>,
}

/// The page that `cursor` (the member of params, if there) asks for. An empty string is no cursor of ours, hence invalid.
pub fn page(list: &List<'_>, cursor: Option<&Value>) -> Result<Page, Fault> {
    start(list, cursor).map(|start| list.page_at(start))
}

/// Where that page begins, for lists whose pages are made already.
pub fn start(list: &List<'_>, cursor: Option<&Value>) -> Result<usize, Fault> {
    match cursor {
        None => Ok(0),
        Some(Value::String(cursor)) => offset(list, cursor),
        Some(_) => Err(CURSOR_TYPE.fault()),
    }
}

impl List<'_> {
    /// The page that begins at an item; at the end of the list it is empty.
    pub fn page_at(&self, start: usize) -> Page {
        let end = start.saturating_add(self.size.max(1)).min(self.total);
        // req 6-4
        let next = (end < self.total).then(|| seal(self, end));
        Page { range: start..end, next }
    }
}

/// A cursor to the item at `offset`.
// req 6-5
fn seal(list: &List<'_>, offset: usize) -> String {
    written(&[json!(FORMAT), json!(list.version), json!(list.method), json!(offset), json!(list.hash)])
}

fn written(place: &[Value]) -> String {
    let mut cursor = PREFIX.to_owned();
    URL_SAFE_NO_PAD.encode_string(json_text(place), &mut cursor);
    cursor
}

/// Where the page of a cursor starts: after the first item and before the end of the list.
fn offset(list: &List<'_>, cursor: &str) -> Result<usize, Fault> {
    let place = decode(list, cursor).ok_or_else(|| INVALID.fault())?;
    let [format, version, method, offset, hash] = place.as_slice() else { return Err(INVALID.fault()) };
    let ours = format.as_u64() == Some(FORMAT) && version == list.version && method == list.method;
    let (true, Some(offset), Some(hash)) = (ours, offset.as_u64(), hash.as_str()) else { return Err(INVALID.fault()) };
    if hash != list.hash {
        return Err(EXPIRED.fault());
    }
    match usize::try_from(offset) {
        Ok(0) => Err(INVALID.fault()), // the first page is asked for without a cursor
        Ok(offset) if offset < list.total => Ok(offset),
        _ => Err(EXPIRED.fault()),
    }
}

/// The array in a cursor: strict base64url without padding, then JSON as we write it.
fn decode(list: &List<'_>, cursor: &str) -> Option<Vec<Value>> {
    // req 6-6 6-9: an empty one has no prefix
    if cursor.len() > list.cursor_limit {
        return None;
    }
    let json = URL_SAFE_NO_PAD.decode(cursor.strip_prefix(PREFIX)?).ok()?;
    // req 6-10
    serde_json::from_slice(&json).ok().filter(|place: &Vec<Value>| written(place) == cursor)
}
