//! Invariant: every line that deserves an answer gets exactly one, with its id, and no other line gets any, however the bytes are cut
//! into reads; only a request that was cancelled may stay without; each line that is written is one JSON-RPC message.

use std::collections::BTreeMap;
use std::io::{self, Read, Write};
use std::sync::{Arc, Mutex};

use plain_mcp::stdio;
use serde_json::{Value, json};

use super::envelope::expected;
use super::support::json::Json;
use super::support::server::{ID, LINE, SMALL, VALUES};

pub fn check(data: &[u8]) {
    let output = Output::default();
    stdio::serve_on(&SMALL, Cut { data: io::Cursor::new(data.to_vec()), size: 1 + data.len() % 61 }, output.clone())
        .unwrap();
    let written = String::from_utf8(output.0.lock().unwrap().clone()).unwrap();
    assert!(written.is_empty() || written.ends_with('\n'));

    let mut open: BTreeMap<String, i64> = BTreeMap::new();
    let mut cancelled = Vec::new();
    for line in data.split(|byte| *byte == b'\n') {
        match due(line.strip_suffix(b"\r").unwrap_or(line)) {
            Due::Answer(id) => *open.entry(id.to_string()).or_default() += 1,
            Due::Cancel(id) => cancelled.push(id.to_string()),
            Due::Silence => {}
        }
    }
    for line in written.lines() {
        let message: Value = serde_json::from_str(line).unwrap();
        assert_eq!(message["jsonrpc"], "2.0", "{line}");
        if message.get("method").is_some() {
            assert!(message.get("id").is_none(), "{line}");
            continue;
        }
        assert_ne!(message.get("result").is_some(), message.get("error").is_some(), "{line}");
        assert_ne!(message["error"]["code"], -32603, "{line}");
        *open.entry(message["id"].to_string()).or_default() -= 1;
    }
    for (id, left) in open {
        let may_miss = left > 0 && cancelled.contains(&id);
        assert!(left == 0 || may_miss, "{left} answers too few for the id {id}: {written}");
    }
}

/// What a line deserves.
enum Due {
    Silence,
    Answer(Value),
    Cancel(Value),
}

fn due(line: &[u8]) -> Due {
    if line.len() > LINE {
        return Due::Answer(Value::Null);
    }
    if line.iter().all(u8::is_ascii_whitespace) {
        return Due::Silence;
    }
    let json = Json::read(line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line));
    let Some(json) = json.filter(|json| json.count() <= VALUES) else { return Due::Answer(Value::Null) };
    let told = expected(&json, ID);
    match told[0].as_str() {
        Some("request") => Due::Answer(told[1].clone()),
        Some("refused") if told[5] == false => Due::Answer(told[1].clone()),
        Some("notification") if told[1] == "notifications/cancelled" => Due::Cancel(match &told[2]["requestId"] {
            Value::Number(zero) if zero.as_f64() == Some(0.0) => json!(0),
            id => id.clone(),
        }),
        _ => Due::Silence,
    }
}

/// Gives so many bytes at a time.
struct Cut {
    data: io::Cursor<Vec<u8>>,
    size: usize,
}

impl Read for Cut {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        let length = self.size.min(room.len());
        self.data.read(&mut room[..length])
    }
}

/// Where the connection writes to.
#[derive(Clone, Default)]
struct Output(Arc<Mutex<Vec<u8>>>);

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
