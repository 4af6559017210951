//! §13 Event streams, as they are read (HTML standard, server-sent events).
//! Law: how the bytes are cut into reads makes no difference; a line ends in CR, LF or CRLF.

use std::collections::VecDeque;
use std::time::Duration;

/// One event with data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Event {
    /// What it is called; `message` where nothing is said.
    pub(super) kind: Option<String>,
    pub(super) data: Vec<u8>,
}

/// A line or an event over the bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TooLong;

/// Reads an event stream, across reads.
#[derive(Debug)]
pub(super) struct Events {
    /// The most bytes of a line, and of the data of an event.
    limit: usize,
    line: Vec<u8>,
    /// The last byte was CR: an LF that follows belongs to it.
    after_cr: bool,
    /// No line has ended yet: a byte-order mark may stand at its start.
    first: bool,
    kind: Option<String>,
    /// `None` as long as the event has no data line.
    data: Option<Vec<u8>>,
    id: Option<String>,
    /// The id of the last event that has ended.
    pub(super) last_id: Option<String>,
    /// How long to wait before the stream is taken up again.
    pub(super) retry: Option<Duration>,
    ready: VecDeque<Event>,
}

impl Events {
    pub(super) fn new(limit: usize) -> Events {
        Events {
            limit,
            line: Vec::new(),
            after_cr: false,
            first: true,
            kind: None,
            data: None,
            id: None,
            last_id: None,
            retry: None,
            ready: VecDeque::new(),
        }
    }

    /// The next event that has ended and has data.
    pub(super) fn pop(&mut self) -> Option<Event> {
        self.ready.pop_front()
    }

    /// Begins anew on another stream; what has been read of an unfinished event is dropped.
    pub(super) fn restart(&mut self) {
        self.line.clear();
        (self.after_cr, self.first) = (false, true);
        (self.kind, self.data, self.id) = (None, None, self.last_id.clone());
    }

    /// Takes the next bytes of the stream.
    pub(super) fn feed(&mut self, mut bytes: &[u8]) -> Result<(), TooLong> {
        while let Some(first) = bytes.first() {
            if self.after_cr && *first == b'\n' {
                bytes = bytes.get(1..).unwrap_or_default();
                self.after_cr = false;
                continue;
            }
            self.after_cr = false;
            let end = bytes.iter().position(|byte| matches!(byte, b'\r' | b'\n'));
            let text = bytes.get(..end.unwrap_or(bytes.len())).unwrap_or_default();
            if text.len() > self.limit.saturating_sub(self.line.len()) {
                return Err(TooLong);
            }
            self.line.extend_from_slice(text);
            let Some(end) = end else { return Ok(()) };
            self.after_cr = bytes.get(end) == Some(&b'\r');
            bytes = bytes.get(end + 1..).unwrap_or_default();
            self.end_line()?;
        }
        Ok(())
    }

    fn end_line(&mut self) -> Result<(), TooLong> {
        let mut line = std::mem::take(&mut self.line);
        if std::mem::take(&mut self.first) && line.starts_with(b"\xEF\xBB\xBF") {
            line.drain(..3);
        }
        if line.is_empty() {
            self.end_event();
            return Ok(());
        }
        let colon = line.iter().position(|byte| *byte == b':').unwrap_or(line.len());
        let mut value = line.split_off(colon);
        let skip = if value.starts_with(b": ") { 2 } else { usize::from(!value.is_empty()) };
        value.drain(..skip);
        match line.as_slice() {
            b"data" => self.add_data(value)?,
            b"event" => self.kind = String::from_utf8(value).ok().filter(|kind| !kind.is_empty()),
            b"id" if !value.contains(&0) => self.id = String::from_utf8(value).ok(),
            b"retry" => {
                let digits =
                    std::str::from_utf8(&value).ok().filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()));
                self.retry = digits.and_then(|digits| digits.parse().ok()).map(Duration::from_millis).or(self.retry);
            }
            _ => {} // a comment, or a field that nobody knows
        }
        Ok(())
    }

    fn add_data(&mut self, value: Vec<u8>) -> Result<(), TooLong> {
        match &mut self.data {
            None => self.data = Some(value),
            Some(data) if value.len() < self.limit.saturating_sub(data.len()) => {
                data.push(b'\n');
                data.extend_from_slice(&value);
            }
            Some(_) => return Err(TooLong),
        }
        Ok(())
    }

    fn end_event(&mut self) {
        self.last_id = self.id.clone();
        let kind = self.kind.take();
        let data = self.data.take().unwrap_or_default();
        if !data.is_empty() {
            self.ready.push_back(Event { kind, data });
        }
    }
}
