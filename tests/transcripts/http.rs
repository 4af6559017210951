//! Plays a transcript over HTTP.

use std::collections::BTreeMap;

use plain_mcp::Server;
use plain_mcp::arrival::RequestHead;
use serde_json::Value;

use crate::pattern::{self, Names};
use crate::post::{Corridor, Head, Loopback, Piece, Way};
use crate::script::{Kind, Line, Script, Step};
use crate::{Place, wire_schema};

pub fn play(script: &Script, server: &Server, place: Place) -> Result<(), String> {
    let way: Box<dyn Way> = match place {
        Place::Memory => Box::new(Corridor::of(server)),
        Place::Loopback => Box::new(Loopback::of(server)),
    };
    let mut player = Player { way, names: Names::default(), exchanges: BTreeMap::new() };
    for step in &script.steps {
        player.step(step).map_err(|(line, fault)| format!("line {line}: {fault}"))?;
    }
    player.end()
}

/// A fault and the line that it belongs to.
type Fault = (usize, String);

struct Player {
    way: Box<dyn Way>,
    names: Names,
    /// The exchanges that are not over.
    exchanges: BTreeMap<String, Open>,
}

/// An exchange that is not over.
struct Open {
    /// Where its request stands.
    line: usize,
    method: String,
    /// What has come of its stream; `None` before the head.
    stream: Option<Vec<u8>>,
}

impl Player {
    fn step(&mut self, step: &Step) -> Result<(), Fault> {
        match step.kind {
            Kind::Send => self.send(step).map_err(|fault| (step.line, fault)),
            Kind::Expect => self.expect(step),
            Kind::Act => self.act(&step.lines[0].text).map_err(|fault| (step.line, fault)),
        }
    }

    fn end(self) -> Result<(), String> {
        if let Some(open) = self.exchanges.values().next() {
            return Err(format!("line {}: its answer was not seen to its end", open.line));
        }
        self.names.end()?;
        self.way.end()
    }

    fn act(&mut self, what: &str) -> Result<(), String> {
        if what == "the server shuts down" {
            self.way.shut_down();
            return Ok(());
        }
        let who = what.strip_suffix(" hangs up").ok_or_else(|| format!("nobody can do this: {what}"))?;
        self.exchanges.remove(who).ok_or_else(|| format!("{who:?} has no exchange that is open"))?;
        self.way.hang_up(who);
        Ok(())
    }

    fn send(&mut self, step: &Step) -> Result<(), String> {
        if let Some(open) = self.exchanges.get(&step.who) {
            return Err(format!("the answer to line {} is still due", open.line));
        }
        let (head, body) = split(&step.lines);
        let (first, fields) = head.split_first().ok_or("no request line")?;
        let mut words = first.text.split(' ');
        let (Some(method), Some(target), Some("HTTP/1.1"), None) =
            (words.next(), words.next(), words.next(), words.next())
        else {
            return Err(format!("no request line: {}", first.text));
        };
        let body = self.body(body)?;
        let mut request = RequestHead { method: method.to_owned(), target: target.to_owned(), fields: Vec::new() };
        for field in fields {
            let (name, value) = field.text.split_once(": ").ok_or_else(|| format!("no header: {}", field.text))?;
            if name.eq_ignore_ascii_case("content-length") {
                return Err("the length is counted, not written".to_owned());
            }
            request.fields.push((name.to_owned(), self.names.fill(value)?.into_bytes()));
        }
        if method == "POST" {
            request.fields.push(("Content-Length".to_owned(), body.len().to_string().into_bytes()));
        }
        let message: Value = serde_json::from_slice(&body).unwrap_or_default();
        let method = message["method"].as_str().unwrap_or_default().to_owned();
        self.way.send(&step.who, request, body)?;
        self.exchanges.insert(step.who.clone(), Open { line: step.line, method, stream: None });
        Ok(())
    }

    fn body(&mut self, lines: &[Line]) -> Result<Vec<u8>, String> {
        let text = self.names.fill(&pattern::text(lines))?;
        if lines.is_empty() || lines.iter().all(|line| line.raw) {
            return Ok(text.into_bytes());
        }
        let value = pattern::value(&text)?;
        if lines.iter().any(|line| line.raw) || pattern::is_open(&value) {
            return Err("a body is JSON without ..., or raw in all its lines".to_owned());
        }
        Ok(value.to_string().into_bytes())
    }

    fn expect(&mut self, step: &Step) -> Result<(), Fault> {
        let Some(mut open) = self.exchanges.remove(&step.who) else {
            return Err((step.line, "no answer is due".to_owned()));
        };
        let mut lines = step.lines.as_slice();
        if open.stream.is_none() {
            let (wanted, body) = split(lines);
            let Piece::Head(head) = self.next(step)? else { return Err((step.line, "no head".to_owned())) };
            compare_head(wanted, &head)?;
            if head.field("content-type") != Some("text/event-stream") {
                return self.whole(step, &open.method, body);
            }
            open.stream = Some(Vec::new());
            lines = body;
        }
        for event in events(lines)? {
            let end = event[0].text == "closed";
            let line = event[0].number;
            let seen = self.event(step, &mut open)?;
            match (end, seen) {
                (true, None) => return Ok(()),
                (true, Some(seen)) => return Err((line, format!("the stream goes on: {seen}"))),
                (false, None) => return Err((line, "the stream has ended".to_owned())),
                (false, Some(seen)) => self.message(event, &open.method, &seen).map_err(|fault| (line, fault))?,
            }
        }
        self.exchanges.insert(step.who.clone(), open);
        Ok(())
    }

    fn next(&mut self, step: &Step) -> Result<Piece, Fault> {
        self.way.next(&step.who).map_err(|fault| (step.line, fault))
    }

    /// An answer that is no stream.
    fn whole(&mut self, step: &Step, method: &str, wanted: &[Line]) -> Result<(), Fault> {
        let mut body = Vec::new();
        while let Piece::Body(more) = self.next(step)? {
            body.extend(more);
        }
        let line = wanted.first().map_or(step.line, |line| line.number);
        let body = String::from_utf8(body).map_err(|error| (line, error.to_string()))?;
        match (wanted.is_empty(), body.is_empty()) {
            (true, true) => Ok(()),
            (true, false) => Err((line, format!("a body that was not due: {body}"))),
            _ => self.message(wanted, method, &body).map_err(|fault| (line, fault)),
        }
    }

    fn message(&mut self, wanted: &[Line], method: &str, seen: &str) -> Result<(), String> {
        let wanted = pattern::text(wanted);
        let wanted = pattern::value(wanted.strip_prefix("data: ").unwrap_or(&wanted))?;
        let seen: Value = serde_json::from_str(seen).map_err(|error| format!("{error}: {seen:?}"))?;
        self.names.compare(&wanted, &seen)?;
        wire_schema::message(method, &seen);
        Ok(())
    }

    /// The data of the next event; `None` at the end. A comment is no event.
    fn event(&mut self, step: &Step, open: &mut Open) -> Result<Option<String>, Fault> {
        let inbox = open.stream.get_or_insert_default();
        loop {
            if let Some(at) = inbox.windows(4).position(|window| window == b"\r\n\r\n") {
                let event: Vec<u8> = inbox.drain(..at + 4).collect();
                let event = String::from_utf8(event[..at].to_vec()).map_err(|error| (step.line, error.to_string()))?;
                if event.starts_with(':') {
                    continue;
                }
                let data = event.strip_prefix("data: ").filter(|data| !data.contains(['\r', '\n']));
                return data.map(|data| Some(data.to_owned())).ok_or((step.line, format!("no event: {event:?}")));
            }
            match self.way.next(&step.who).map_err(|fault| (step.line, fault))? {
                Piece::Body(more) => inbox.extend(more),
                Piece::End if inbox.is_empty() => return Ok(None),
                other => return Err((step.line, format!("{other:?} within {inbox:?}"))),
            }
        }
    }
}

/// What stands before the first empty line, and what behind it.
fn split(lines: &[Line]) -> (&[Line], &[Line]) {
    match lines.iter().position(|line| line.text.is_empty()) {
        Some(at) => (&lines[..at], &lines[at + 1..]),
        None => (lines, &[]),
    }
}

fn compare_head(wanted: &[Line], head: &Head) -> Result<(), Fault> {
    let Some((first, fields)) = wanted.split_first() else {
        return Err((0, "an answer begins with its status".to_owned()));
    };
    let status = first.text.strip_prefix("HTTP/1.1 ").and_then(|rest| rest.get(..3)?.parse::<u16>().ok());
    let status = status.ok_or_else(|| (first.number, format!("no status line: {}", first.text)))?;
    let line = head.line.as_deref().unwrap_or(&first.text); // in memory there is only the number
    if status != head.status || line != first.text {
        return Err((first.number, format!("the status is {} {line:?}", head.status)));
    }
    for field in fields {
        let (name, wanted) =
            field.text.split_once(": ").ok_or_else(|| (field.number, format!("no header: {}", field.text)))?;
        let seen: Vec<&str> =
            head.fields.iter().filter(|(seen, _)| seen == name).map(|(_, value)| value.as_str()).collect();
        if seen != [wanted] {
            return Err((field.number, format!("{name} is {seen:?}")));
        }
    }
    Ok(())
}

/// The lines of each event, and of the end.
fn events(lines: &[Line]) -> Result<Vec<&[Line]>, Fault> {
    let mut events = Vec::new();
    let mut rest = lines;
    while let Some(first) = rest.first() {
        if first.text.is_empty() {
            rest = &rest[1..];
            continue;
        }
        let begins = |line: &Line| line.text.starts_with("data: ") || line.text == "closed";
        let next = rest[1..].iter().position(|line| line.text.is_empty() || begins(line));
        let (event, behind) = rest.split_at(next.map_or(rest.len(), |at| at + 1));
        if !begins(first) || (first.text == "closed" && !behind.is_empty()) {
            return Err((first.number, format!("neither an event nor the end of a stream: {}", first.text)));
        }
        rest = behind;
        events.push(event);
    }
    Ok(events)
}
