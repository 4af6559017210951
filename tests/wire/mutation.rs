//! Any bytes, cut anywhere: a well-formed answer or a close, never a panic; and the cuts make no difference.

use plain_mcp::arrival::RequestHead;
use plain_mcp::http::wire::{Bounds, Chunked, Flaw, HeadEnd, Length, read_head};

use super::stub::{limits, post, start};
use plain_mcp::limits::Limits;

const BOUNDS: Bounds = Bounds { head: 600, fields: 12, body: 300 };

/// xorshift64*: the same mutations in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % bound
    }
}

/// What mutations start from, and what they put in.
const SEEDS: &[&str] = &[
    "POST /echo HTTP/1.1\r\nhost: a\r\ncontent-length: 5\r\n\r\nhelloPOST /echo HTTP/1.1\r\nhost: a\r\n\r\n",
    "POST /echo HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n5;a=b\r\nhello\r\n0\r\nx: y\r\n\r\n",
    "\r\nPOST http://b/echo HTTP/1.1\r\nhost: a\r\nexpect: 100-continue\r\nconnection: close\r\ncontent-length: 3\r\n\r\nabc",
    "OPTIONS * HTTP/1.0\r\nconnection: keep-alive\r\n\r\nHEAD / HTTP/1.1\r\nhost: a\r\n\r\n",
];
const PIECES: &[&str] = &[
    "\r\n",
    "\n",
    "\r",
    "\r\n\r\n",
    ":",
    " ",
    "\t",
    "\0",
    "0",
    "5",
    "ffffffff",
    "-",
    "+",
    ";",
    ",",
    "content-length: 5\r\n",
    "transfer-encoding: chunked\r\n",
    "host: a\r\n",
    "HTTP/1.0",
    "HTTP/2.0",
    "chunked",
    "gzip",
    "\u{fffd}",
    "\x7f",
    "http://",
    "*",
    "#",
];

fn mutated(random: &mut Random) -> Vec<u8> {
    let mut bytes = SEEDS[random.below(SEEDS.len())].as_bytes().to_vec();
    for _ in 0..random.below(4) {
        let at = random.below(bytes.len());
        match random.below(6) {
            0 => bytes[at] = random.below(256) as u8,
            1 => bytes.insert(at, random.below(256) as u8),
            2 if bytes.len() > 1 => drop(bytes.remove(at)),
            3 => drop(bytes.splice(at..at, PIECES[random.below(PIECES.len())].bytes())),
            4 => bytes.truncate(at + 1),
            _ => {
                let repeated = bytes[at..].to_vec();
                bytes.extend(repeated);
            }
        }
    }
    bytes
}

/// One message after the other, as a connection reads them; `cuts` says how many bytes each read brings.
fn messages(bytes: &[u8], mut cuts: impl FnMut() -> usize) -> (Vec<(RequestHead, Vec<u8>)>, Option<Flaw>) {
    let (mut read, mut inbox, mut rest) = (Vec::new(), Vec::new(), bytes);
    let mut more = |inbox: &mut Vec<u8>| {
        let (now, later) = rest.split_at(cuts().min(rest.len()));
        inbox.extend_from_slice(now);
        rest = later;
        !now.is_empty()
    };
    let flaw = loop {
        match message(&mut inbox, &mut more) {
            Ok(Some(message)) => read.push(message),
            Ok(None) => break None,
            Err(flaw) => break Some(flaw),
        }
    };
    (read, flaw)
}

fn message(
    inbox: &mut Vec<u8>,
    more: &mut dyn FnMut(&mut Vec<u8>) -> bool,
) -> Result<Option<(RequestHead, Vec<u8>)>, Flaw> {
    let mut end = HeadEnd::default();
    let length = loop {
        if let Some(length) = end.find(inbox, &BOUNDS)? {
            break length;
        }
        if !more(inbox) {
            return Ok(None);
        }
    };
    let mut head = RequestHead::default();
    let frame = read_head(&inbox[..length], &BOUNDS, &mut head)?;
    inbox.drain(..length);
    let mut body = Vec::new();
    match frame.length {
        Length::Known(length) => {
            while inbox.len() < length {
                if !more(inbox) {
                    return Ok(None);
                }
            }
            body.extend(inbox.drain(..length));
        }
        Length::Chunked => {
            let mut chunked = Chunked::default();
            loop {
                let used = chunked.decode(inbox, &mut body, BOUNDS.body)?;
                inbox.drain(..used);
                if chunked.finished() {
                    break;
                }
                if !more(inbox) {
                    return Ok(None);
                }
            }
        }
    }
    Ok(Some((head, body)))
}

fn shown(read: &[(RequestHead, Vec<u8>)]) -> String {
    format!("{read:?}")
}

#[test]
fn cuts_make_no_difference() {
    let mut random = Random(0x5eed);
    let (mut whole, mut flawed) = (0, 0);
    for _ in 0..20_000 {
        let bytes = mutated(&mut random);
        let at_once = messages(&bytes, || usize::MAX);
        let one_by_one = messages(&bytes, || 1);
        let anyhow = messages(&bytes, || 1 + random.below(40));
        for other in [one_by_one, anyhow] {
            assert_eq!(at_once.1, other.1, "{:?}", String::from_utf8_lossy(&bytes));
            assert_eq!(shown(&at_once.0), shown(&other.0), "{:?}", String::from_utf8_lossy(&bytes));
        }
        whole += at_once.0.len();
        flawed += usize::from(at_once.1.is_some());
    }
    // The mutations must be neither so wild nor so tame that only one side is tested.
    assert!(whole > 5_000 && flawed > 5_000, "{whole} messages, {flawed} flaws");
}

#[test]
fn a_socket_answers_or_closes() {
    let host = start(Limits { head: BOUNDS.head, fields: BOUNDS.fields, body: BOUNDS.body, ..limits() });
    let mut random = Random(0xfeed);
    for _ in 0..300 {
        let bytes = mutated(&mut random);
        let mut seen = Vec::new();
        for cut in [bytes.len(), 1 + random.below(bytes.len())] {
            let mut client = host.client();
            for piece in bytes.chunks(cut) {
                if !client.try_send(piece) {
                    break;
                }
            }
            let _ = client.stream.shutdown(std::net::Shutdown::Write);
            seen.push(statuses(&client.rest(), &bytes));
        }
        assert_eq!(seen[0], seen[1], "{:?}", String::from_utf8_lossy(&bytes));
    }
    assert_eq!(host.client().send(post("/echo", "unharmed")).answer().text(), "unharmed");
    host.stop();
}

/// The statuses of all that was answered, save 100, which depends on whether the client waited.
fn statuses(answers: &[u8], asked: &[u8]) -> Vec<u16> {
    let text = String::from_utf8_lossy(answers);
    let found: Vec<u16> = text
        .match_indices("HTTP/1.1 ")
        .filter_map(|(at, mark)| text[at + mark.len()..].get(..3).and_then(|status| status.parse().ok()))
        .filter(|status| *status != 100)
        .collect();
    assert!(text.is_empty() || text.starts_with("HTTP/1.1 "), "{text:?} to {:?}", String::from_utf8_lossy(asked));
    found
}
