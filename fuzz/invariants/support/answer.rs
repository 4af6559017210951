//! An answer over HTTP: written as a host writes it, and read again by simple readers of HTTP and of events.

use std::sync::Mutex;

use plain_mcp::arrival::RequestHead;
use plain_mcp::http::wire::{Framing, LAST_CHUNK, Version, put_chunk, put_head};
use plain_mcp::http::{Cancelling, Exchange, HttpAnswer, Peer, RawRequest};
use plain_mcp::sink::Gone;

use super::super::chunks::second_reading;

/// An answer as read.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub fields: Vec<(String, String)>,
    pub streamed: bool,
    pub body: String,
}

/// Sends a request through the corridor, and reads what a host would have written.
pub fn answer(exchange: &Exchange, head: &RequestHead, body: &[u8]) -> Answer {
    let peer = Written::default();
    match exchange.judge_head(head) {
        Ok(passed) => exchange.run(passed, RawRequest { head, body }, &peer, &Cancelling::new()),
        Err(answer) => peer.answer(answer).unwrap(),
    }
    read(&peer.0.into_inner().unwrap())
}

impl Answer {
    pub fn field(&self, name: &str) -> Option<&str> {
        let mut values = self.fields.iter().filter(|(field, _)| field == name).map(|(_, value)| value.as_str());
        let value = values.next();
        assert_eq!(values.next(), None, "{name} twice");
        value
    }
}

/// What a peer was sent.
#[derive(Default)]
struct Written(Mutex<Vec<u8>>);

impl Written {
    fn begin(&self, status: u16, fields: &[(&'static str, String)], framing: Framing) {
        let mut out = self.0.lock().unwrap();
        assert!(out.is_empty(), "a second answer");
        put_head(&mut out, status, fields, framing, (Version::Http11, true), b"Sun, 06 Nov 1994 08:49:37 GMT");
    }

    fn add(&self, chunk: &[u8], end: &[u8]) {
        let mut out = self.0.lock().unwrap();
        assert!(!out.is_empty() && !out.ends_with(LAST_CHUNK), "no stream is open");
        put_chunk(&mut out, chunk);
        out.extend_from_slice(end);
    }
}

impl Peer for Written {
    fn answer(&self, answer: HttpAnswer) -> Result<(), Gone> {
        self.begin(answer.status, &answer.fields, Framing::whole(answer.status, answer.body.len(), false));
        self.0.lock().unwrap().extend_from_slice(&answer.body);
        Ok(())
    }

    fn begin_stream(&self, status: u16, fields: &[(&'static str, String)], first: &[u8]) -> Result<(), Gone> {
        self.begin(status, fields, Framing::Chunked);
        self.event(first)
    }

    fn event(&self, bytes: &[u8]) -> Result<(), Gone> {
        self.add(bytes, b"");
        Ok(())
    }

    fn end_stream(&self, last: &[u8]) -> Result<(), Gone> {
        self.add(last, LAST_CHUNK);
        Ok(())
    }
}

/// RFC 9112, from the status line to the last byte.
fn read(bytes: &[u8]) -> Answer {
    let end = bytes.windows(4).position(|window| window == b"\r\n\r\n").expect("a head");
    let head = std::str::from_utf8(&bytes[..end]).unwrap();
    assert!(!head.replace("\r\n", "").contains(|character: char| character.is_ascii_control() && character != '\t'));
    let (line, fields) = head.split_once("\r\n").unwrap();
    let status = line.strip_prefix("HTTP/1.1 ").and_then(|rest| rest.get(..3)?.parse().ok()).unwrap();
    let fields: Vec<(String, String)> = fields
        .split("\r\n")
        .map(|field| field.split_once(": ").unwrap())
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    let rest = &bytes[end + 4..];
    let mut answer = Answer { status, fields, streamed: false, body: String::new() };
    answer.streamed = answer.field("transfer-encoding").is_some();
    let body = if answer.streamed {
        let (body, used) = second_reading(rest, usize::MAX).expect("a chunked body");
        assert_eq!(used, rest.len());
        body
    } else {
        let length = answer.field("content-length").map_or(0, |length| length.parse().unwrap());
        assert_eq!(rest.len(), length);
        rest.to_vec()
    };
    answer.body = String::from_utf8(body).unwrap();
    answer
}

/// The data of the events of a stream, as the HTML standard has them read (section 9.2.6): any of three ends of line, fields and
/// comments, an event at each empty line. Nothing but data may stand in it.
pub fn events(body: &str) -> Vec<String> {
    let (mut events, mut data): (Vec<String>, Option<String>) = (Vec::new(), None);
    let body = body.replace("\r\n", "\n").replace('\r', "\n");
    assert!(body.ends_with("\n\n") || body.is_empty(), "the last event is not whole");
    for line in body.split('\n') {
        let (name, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match name {
            "" if line.is_empty() => events.extend(data.take()),
            "" => {} // a comment
            "data" if data.is_none() => data = Some(value.to_owned()),
            other => panic!("{other:?} in an event"),
        }
    }
    assert_eq!(data, None);
    events
}
