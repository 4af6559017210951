//! The player's own faults are loud, and every line of a transcript that expects something counts.

use crate::{Place, play, source, transcripts};

/// The last digit or letter of a line, another one.
fn spoil(line: &str) -> Option<String> {
    let last = |kind: fn(char) -> bool| line.char_indices().rev().find(|(_, c)| kind(*c));
    let (at, c) = last(|c| c.is_ascii_digit()).or(last(|c| c.is_ascii_alphabetic()))?;
    let other = match c {
        '9' => '8',
        'z' | 'Z' => 'y',
        _ => char::from(u8::try_from(c).ok()? + 1),
    };
    Some(format!("{}{other}{}", &line[..at], &line[at + 1..]))
}

/// Each expected line of each transcript, altered in one sign, makes the play fail.
#[test]
fn a_wrong_expectation_fails() {
    let mut survivors = Vec::new();
    let mut spoiled = 0;
    for file in transcripts() {
        let lines: Vec<&str> = file.text.lines().collect();
        for (at, line) in lines.iter().enumerate() {
            let expects = line.trim_start_matches(|c: char| c.is_ascii_lowercase()).starts_with('<');
            let Some(altered) = spoil(line).filter(|_| expects) else { continue };
            let mut lines = lines.clone();
            lines[at] = &altered;
            spoiled += 1;
            if played(&lines.join("\n")).is_ok() {
                survivors.push(format!("{}:{}: {altered}", file.path, at + 1));
            }
        }
    }
    assert!(spoiled > 500, "only {spoiled} lines were altered");
    source::report("wrong expectations that came true", survivors);
}

/// Each expected line of each transcript is needed: without it the play fails. Not so headers, of which a transcript names those
/// that it is about, and what a client waits for before it hangs up or cancels: without that it cancels sooner.
#[test]
fn a_missing_expectation_fails() {
    let mut survivors = Vec::new();
    for file in transcripts() {
        let lines: Vec<&str> = file.text.lines().collect();
        for (at, line) in lines.iter().enumerate() {
            let Some((_, text)) = line.split_once("< ").filter(|(who, _)| who.chars().all(char::is_lowercase)) else {
                continue;
            };
            let header =
                text.split_once(": ").is_some_and(|(name, _)| name.chars().all(|c| c.is_lowercase() || c == '-'));
            // what a client waits for before it hangs up or cancels: without it, it may be earlier; on stdio a block has no order
            let mut rest = lines[at + 1..].iter().filter(|line| !line.is_empty() && !line.starts_with("# "));
            let next =
                if file.text.contains(" over stdio") { rest.find(|line| !line.starts_with('<')) } else { rest.next() };
            let cut_off =
                next.is_some_and(|next| next.ends_with(" hangs up") || next.contains("notifications/cancelled"));
            if (header && !text.starts_with("data: ")) || cut_off {
                continue;
            }
            let mut lines = lines.clone();
            lines.remove(at);
            if played(&lines.join("\n")).is_ok() {
                survivors.push(format!("{}:{}: {line}", file.path, at + 1));
            }
        }
    }
    source::report("expectations that nobody misses", survivors);
}

/// Without http only what stdio says is played.
fn played(text: &str) -> Result<(), String> {
    if cfg!(not(feature = "http")) && text.contains("over http") {
        return Err("not played".to_owned());
    }
    play(text, Place::Memory)
}

#[track_caller]
fn fails(text: &str, fault: &str) {
    let said = play(text, Place::Memory).unwrap_err();
    assert!(said.contains(fault), "{said}");
}

const PING: &str = "server: small over stdio\n> {\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"ping\"}\n";
const REFUSED: &str = r#"< {"jsonrpc": "2.0", "id": 1, "error": {"code": -32602, "message": ...}}"#;
const END: &str = "\n! the input ends\n< closed\n";

#[test]
fn what_is_right_is_played() {
    play(&[PING, REFUSED, END].concat(), Place::Memory).unwrap();
}

#[test]
fn a_line_is_of_a_known_kind() {
    for line in ["hello", "#no space", ">no space", "<no space", "= x", "a! x", "A> x", " > x", "server:x"] {
        fails(&[PING, REFUSED, "\n", line, END].concat(), "line 4: ");
    }
    fails(&[PING, REFUSED, "\nserver: small over stdio", END].concat(), "line 4: the server is named once");
    fails(&[PING, REFUSED, "\n! the moon rises", END].concat(), "line 4: nobody can do this: the moon rises");
    fails("server: small over mail\n< closed", "line 1: not `NAME over http|stdio`");
    fails("server: none over stdio\n< closed", "there is no server \"none\"");
    fails("# prose\n> {}\n< closed", "no line `server: NAME over http|stdio`");
    fails(PING, "nothing is expected");
}

#[test]
fn everything_expected_must_come() {
    let due = [PING, REFUSED, "\n\n! the input ends\n", REFUSED, "\n< closed\n"].concat();
    fails(&due, "the output has ended where");
    fails(&[PING, REFUSED].concat(), "the output was not seen to its end");
    fails(&[PING, REFUSED, "\n< closed"].concat(), "the output ends after the input, which goes on");
    fails(&[PING, "! the input ends\n< closed"].concat(), "the output goes on: ");
}

#[test]
fn three_dots_are_one_value() {
    let with = |wanted: &str| [PING, "< ", wanted, END].concat();
    fails(&with(r#"{"jsonrpc": "2.0", "id": 1, "error": ..., "result": ...}"#), "the message has no \"result\"");
    fails(&with(r#"{"jsonrpc": "2.0", "id": 1}"#), "the message has \"error\", which was not due");
    fails(&with(r#"{"jsonrpc": "2.0", "id": 1, ...}"#), "no JSON");
    fails(&with(r#"{"jsonrpc": "2.0", "id": "...", "error": ...}"#), "/id is 1 where");
    fails(&with(r#"{"jsonrpc": "2.0", "id": 2, "id": 1, "error": ...}"#), "an object names a member twice");
    fails(&[PING.replace('1', "..."), END.to_owned()].concat(), "a message is JSON without ...");
}

#[test]
fn names_are_remembered_and_used() {
    let text = REFUSED.replace("...", "\"{{text}}\"");
    fails(&[PING, &text, END].concat(), "{{text}} is remembered and never used");
    let other = text.replace("text", "other");
    fails(&[PING, &text, "\n\n", &PING[25..], "\n", &other, END].concat(), "other is the same text as text");
    play(&[PING, &text, "\n\n", &PING[25..], "\n", &text, END].concat(), Place::Memory).unwrap();
    fails(&[PING.replace("ping", "{{method}}"), END.to_owned()].concat(), "nothing is known as {{method}}");
}

#[cfg(feature = "http")]
mod http {
    use super::fails;

    const GET: &str = "server: small over http\n> GET /mcp HTTP/1.1\n> Host: localhost\n";
    const REFUSED: &str = "< HTTP/1.1 405 Method Not Allowed\n< allow: POST\n<\n";

    #[test]
    fn an_answer_is_seen_once_and_whole() {
        let answer = [REFUSED, "< ...\n"].concat();
        crate::play(&[GET, &answer].concat(), crate::Place::Memory).unwrap();
        fails(&[GET, REFUSED].concat(), "line 4: a body that was not due");
        fails(&[GET, &answer, "\n", &answer].concat(), "line 9: no answer is due");
        fails(&[GET, &answer, "\n", &GET[24..]].concat(), "line 9: its answer was not seen to its end");
        fails(&[GET, "\n", &GET[24..], &answer].concat(), "line 5: the answer to line 2 is still due");
        fails(&[GET, &answer, "< closed\n"].concat(), "line 7: no JSON");
        fails(&[GET, &answer, "\n! a hangs up\n"].concat(), "line 9: \"a\" has no exchange that is open");
        fails(
            &[GET, &answer.replace("allow: POST", "content-type: application/json\n< date: now")].concat(),
            "line 6: date is []",
        );
    }

    #[test]
    fn a_request_is_written_as_it_is_sent() {
        let with = |line: &str| [GET, line, REFUSED, "< ...\n"].concat();
        fails(&with("> no header\n"), "line 2: no header: no header");
        fails(&with("> Content-Length: 2\n"), "line 2: the length is counted, not written");
        fails(&with(">\n> {\"a\": ...}\n"), "line 2: a body is JSON without ...");
        fails(&with(">\n>> {\n> }\n"), "line 2: a body is JSON without ..., or raw in all its lines");
        fails(&with("").replace("GET /mcp HTTP/1.1", "GET /mcp"), "line 2: no request line: GET /mcp");
    }
}
