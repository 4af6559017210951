//! §13.9 Peers that send, or announce, more than anyone wants.

use std::io::Write;

use serde_json::json;

use super::victim::{Victim, echoed};
use super::{call, is_refused, json_of};
use crate::loopback::Client;

const HEAD: &str = "POST /mcp HTTP/1.1\r\nhost: localhost\r\n";
const WANTED: &str = "content-type: application/json\r\naccept: application/json, text/event-stream\r\n";

/// Sends a piece again and again, until there were so many bytes or nobody takes them any more.
fn pour(client: &mut Client, piece: &[u8], bytes: usize) {
    let piece = piece.repeat((64 * 1024 / piece.len()).max(1));
    let mut left = bytes;
    while left > 0 && client.stream.write_all(&piece[..piece.len().min(left)]).is_ok() {
        left = left.saturating_sub(piece.len());
    }
}

/// What was poured is refused, also where more was poured than the host throws away; others are served before, meanwhile and after.
fn refused(victim: &Victim, begin: &str, piece: &str, bytes: usize, status: u16, text: &str) {
    let mut client = victim.client();
    client.send(begin);
    victim.unharmed();
    if bytes > 0 {
        pour(&mut client, piece.as_bytes(), bytes);
        victim.unharmed();
    }
    is_refused(&mut client, status, text);
}

/// One victim bears them all.
#[test]
fn announced_and_poured() {
    covers!("13.9-1", "13.9-3", "13.9-4", "13.9-12");
    let victim = Victim::start("sizes", "");
    a_gibibyte_is_announced(&victim);
    a_million_headers(&victim);
    a_chunked_body_cut_short(&victim);
    victim.survives();
}

fn a_gibibyte_is_announced(victim: &Victim) {
    const TOO_LARGE: &str = "Request body is too large";
    let length = "content-length: 1073741824\r\n";
    let chunked = "transfer-encoding: chunked\r\n";
    for begin in [
        format!("{HEAD}{WANTED}{length}\r\n"),
        format!("{HEAD}{length}\r\n"),
        format!("{HEAD}{WANTED}{length}expect: 100-continue\r\n\r\n"), // no 100 comes before the refusal
        format!("{HEAD}{WANTED}{chunked}\r\n40000000\r\n"),
        format!("{HEAD}{WANTED}content-length: 99999999999999999999999999\r\n\r\n"),
        format!("{HEAD}{WANTED}{chunked}\r\nffffffffffffffff\r\n"),
    ] {
        refused(victim, &begin, "x", 0, 413, TOO_LARGE);
        refused(victim, &begin, "x", 5_000_000, 413, TOO_LARGE);
    }
}

/// Where the limit lets a GiB pass, memory still follows what has come.
#[test]
fn a_gibibyte_is_announced_where_it_may_come() {
    let victim = Victim::start("a GiB is announced where it may come", "body=2147483648");
    let begin = format!("{HEAD}{WANTED}content-length: 1073741824\r\n\r\n{{");
    let chunked = format!("{HEAD}{WANTED}transfer-encoding: chunked\r\n\r\n40000000\r\n{{");
    let clients: Vec<Client> = (0..50)
        .map(|number| {
            let mut client = victim.client();
            client.send(if number % 2 == 0 { &begin } else { &chunked });
            client
        })
        .collect();
    victim.unharmed();
    drop(clients);
    victim.survives();
}

#[test]
fn a_header_line_of_300_megabytes() {
    covers!("13.9-3");
    const TOO_LARGE: &str = "Request head is too large";
    let victim = Victim::start("a header line of 300 MB", "");
    refused(&victim, &format!("{HEAD}x: "), "y", 300_000_000, 431, TOO_LARGE);
    refused(&victim, "POST /", "y", 300_000_000, 431, TOO_LARGE);
    refused(&victim, "", "y", 300_000_000, 431, TOO_LARGE);
    victim.survives();
}

fn a_million_headers(victim: &Victim) {
    const TOO_LARGE: &str = "Request head is too large";
    refused(victim, HEAD, "a: b\r\n", 6_000_000, 431, TOO_LARGE);
    refused(victim, "", "\r\n", 2_000_000, 431, TOO_LARGE); // empty lines before a request are skipped, but not for ever
    let few = format!("{HEAD}{}\r\n", "a: b\r\n".repeat(100)); // one field too many, and far from too many bytes
    refused(victim, &few, "", 0, 431, TOO_LARGE);
}

#[test]
fn a_chunked_body_without_end() {
    covers!("13.9-1", "13.9-4");
    let victim = Victim::start("a chunked body without end", "body=100000");
    let begin = format!("{HEAD}{WANTED}transfer-encoding: chunked\r\n\r\n");
    for (more, piece, status, text) in [
        ("1;", "x", 400, "Malformed HTTP request"),
        ("", "1;extension=long\r\n{\r\n", 400, "Malformed HTTP request"),
        ("1", " ", 400, "Malformed HTTP request"),
        ("", "0", 400, "Malformed HTTP request"),
        ("0\r\nx: ", "y", 400, "Malformed HTTP request"),
        ("0\r\n", "x: y\r\n", 400, "Malformed HTTP request"),
        ("", "1\r\n \r\n", 413, "Request body is too large"),
    ] {
        refused(&victim, &format!("{begin}{more}"), piece, 20_000_000, status, text);
    }
    victim.survives();
}

/// A chunked body that ends after any of its bytes: malformed, unless it is whole.
fn a_chunked_body_cut_short(victim: &Victim) {
    let plain = call("echo", json!({"text": "whole"}));
    let (head, body) = plain.split_once("\r\n\r\n").unwrap();
    let (one, two) = body.split_at(7);
    let head = head.rsplit_once("\r\n").unwrap().0;
    let head = format!("{head}\r\ntransfer-encoding: chunked\r\n\r\n");
    let framed = format!("7;a=b\r\n{one}\r\n{:x}\r\n{two}\r\n0\r\nx: y\r\n\r\n", two.len());
    for end in 0..framed.len() {
        let mut client = victim.client();
        client.send(&head).send(&framed[..end]).half_close();
        is_refused(&mut client, 400, "Malformed HTTP request");
    }
    let mut client = victim.client();
    let answer = client.send(&head).send(framed).answer();
    assert_eq!((answer.status, json_of(&answer)), (200, echoed("whole")));
}
