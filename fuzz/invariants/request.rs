//! Invariant: however the bytes of a connection are cut into reads, the same messages come out, with the same flaw at the same place;
//! a second, simpler reader of RFC 9112 sees exactly the same messages; and what was read, written anew, reads the same.

use plain_mcp::arrival::RequestHead;
use plain_mcp::http::wire::{Bounds, Chunked, Flaw, Frame, HeadEnd, Length, Version, read_head};

const BOUNDS: Bounds = Bounds { head: 600, fields: 12, body: 300 };
/// A head that is written anew has a space after each colon, and perhaps a `content-length`.
const ROOMY: Bounds = Bounds { head: 1200, fields: 13, body: 300 };

/// A message as read: its head, its frame and its body.
#[derive(Debug)]
struct Read {
    head: RequestHead,
    frame: Frame,
    body: Vec<u8>,
}

/// The bytes are those of one connection, which may bring several messages.
pub fn check(data: &[u8]) {
    let (whole, flaw) = messages(data, &BOUNDS, |_| usize::MAX);
    for cut in [1, 1 + data.len() % 37] {
        let (other, other_flaw) = messages(data, &BOUNDS, |_| cut);
        assert_eq!((shown(&whole), flaw), (shown(&other), other_flaw), "cut into pieces of {cut}");
    }
    let (uneven, uneven_flaw) = messages(data, &BOUNDS, |place| 1 + usize::from(data[place] % 16));
    assert_eq!((shown(&whole), flaw), (shown(&uneven), uneven_flaw), "cut unevenly");

    let mut rest = data;
    for ours in &whole {
        let other = second_reading(&mut rest).unwrap_or_else(|| panic!("only one reader accepts {ours:?}"));
        assert_eq!(
            other,
            (ours.head.method.clone(), ours.head.target.clone(), ours.head.fields.clone(), ours.body.clone())
        );
    }
    let further = second_reading(&mut rest);
    assert!(further.is_none(), "{flaw:?}, but the second reader sees {further:?}");
    whole.iter().for_each(survives);
}

fn shown(read: &[Read]) -> String {
    format!("{read:?}")
}

/// One message after the other, as a connection reads them; `cuts` says how many bytes the read at a place brings.
fn messages(bytes: &[u8], bounds: &Bounds, cuts: impl Fn(usize) -> usize) -> (Vec<Read>, Option<Flaw>) {
    let (mut read, mut inbox, mut place) = (Vec::new(), Vec::new(), 0);
    let mut more = |inbox: &mut Vec<u8>| {
        let rest = &bytes[place..];
        let now = if rest.is_empty() { rest } else { &rest[..cuts(place).min(rest.len())] };
        inbox.extend_from_slice(now);
        place += now.len();
        !now.is_empty()
    };
    loop {
        match message(&mut inbox, bounds, &mut more) {
            Ok(Some(message)) => read.push(message),
            Ok(None) => return (read, None),
            Err(flaw) => return (read, Some(flaw)),
        }
    }
}

fn message(
    inbox: &mut Vec<u8>,
    bounds: &Bounds,
    more: &mut dyn FnMut(&mut Vec<u8>) -> bool,
) -> Result<Option<Read>, Flaw> {
    let mut end = HeadEnd::default();
    let length = loop {
        if let Some(length) = end.find(inbox, bounds)? {
            break length;
        }
        if !more(inbox) {
            return Ok(None);
        }
    };
    let mut head = RequestHead::default();
    let frame = read_head(&inbox[..length], bounds, &mut head)?;
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
                let used = chunked.decode(inbox, &mut body, bounds.body)?;
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
    Ok(Some(Read { head, frame, body }))
}

/// Written anew with a `content-length`, a message reads as before.
fn survives(read: &Read) {
    let version = if read.frame.version == Version::Http10 { "0" } else { "1" };
    let mut out = format!("{} {} HTTP/1.{version}\r\n", read.head.method, read.head.target).into_bytes();
    let framing = |name: &str| ["content-length", "transfer-encoding"].contains(&&*name.to_ascii_lowercase());
    let length = ("Content-Length".to_owned(), read.body.len().to_string().into_bytes());
    let mut fields: Vec<_> = read.head.fields.iter().filter(|(name, _)| !framing(name)).cloned().collect();
    fields.push(length);
    for (name, value) in &fields {
        out.extend_from_slice(&[name.as_bytes(), b": ", value, b"\r\n"].concat());
    }
    out.extend_from_slice(b"\r\n");
    out.extend_from_slice(&read.body);
    let (again, flaw) = messages(&out, &ROOMY, |_| usize::MAX);
    let [again] = again.as_slice() else { panic!("{flaw:?}: {:?}", String::from_utf8_lossy(&out)) };
    assert_eq!((&again.head.fields, &again.body, flaw), (&fields, &read.body, None));
    assert_eq!((again.frame.version, again.frame.keep_alive), (read.frame.version, read.frame.keep_alive));
}

type Message = (String, String, Vec<(String, Vec<u8>)>, Vec<u8>);

/// Takes one whole and lawful message from the start of `rest`; `None` where there is none.
fn second_reading(rest: &mut &[u8]) -> Option<Message> {
    let mut text = *rest;
    while let Some(later) = text.strip_prefix(b"\r\n") {
        text = later;
    }
    let end = text.windows(4).position(|window| window == b"\r\n\r\n")?;
    if rest.len() - text.len() + end + 4 > BOUNDS.head {
        return None;
    }
    let head = text[..end].iter().map(|byte| char::from(*byte)).collect::<String>(); // Latin-1: a byte, a character
    let mut lines = head.split("\r\n");
    let words: Vec<&str> = lines.next()?.split(' ').collect();
    let [method, target, version @ ("HTTP/1.0" | "HTTP/1.1")] = *words.as_slice() else { return None };
    let fields: Option<Vec<(&str, &str)>> = lines.map(field).collect();
    let fields = fields.filter(|fields| fields.len() <= BOUNDS.fields)?;
    if !is_token(method) || !is_target(method, target) {
        return None;
    }
    let all = |wanted: &str| -> Vec<&str> {
        fields.iter().filter(|(name, _)| name.eq_ignore_ascii_case(wanted)).map(|(_, value)| *value).collect()
    };
    match (all("host").as_slice(), version) {
        ([host], _) if is_host(host) => {}
        ([], "HTTP/1.0") => {}
        _ => return None,
    }
    *rest = &text[end + 4..];
    let body = match (all("content-length").as_slice(), all("transfer-encoding").as_slice()) {
        ([], []) => Vec::new(),
        ([length], []) if !length.is_empty() && length.bytes().all(|byte| byte.is_ascii_digit()) => {
            let length = length.parse().ok().filter(|length| *length <= BOUNDS.body)?;
            let body = rest.get(..length)?.to_vec();
            *rest = &rest[length..];
            body
        }
        ([], [coding]) if coding.eq_ignore_ascii_case("chunked") && version == "HTTP/1.1" => {
            let (body, used) = super::chunks::second_reading(rest, BOUNDS.body)?;
            *rest = &rest[used..];
            body
        }
        _ => return None,
    };
    let bytes = |text: &str| text.chars().map(|character| character as u8).collect();
    let fields = fields.into_iter().map(|(name, value)| (name.to_owned(), bytes(value))).collect();
    Some((method.to_owned(), target.to_owned(), fields, body))
}

fn field(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.split_once(':')?;
    let lawful = value.chars().all(|character| character == '\t' || !character.is_ascii_control());
    (is_token(name) && lawful).then(|| (name, value.trim_matches([' ', '\t'])))
}

fn is_token(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(super::chunks::is_token)
}

/// RFC 9112 section 3.2: origin-form, absolute-form of the web, asterisk-form; the authority of CONNECT is not looked at.
fn is_target(method: &str, target: &str) -> bool {
    if target.is_empty() || !target.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'#') {
        return false;
    }
    let lower = target.to_ascii_lowercase();
    let absolute = lower.strip_prefix("http://").or(lower.strip_prefix("https://"));
    let absolute = absolute.map(|rest| rest.split(['/', '?']).next().unwrap());
    let absolute = absolute.is_some_and(|authority| !authority.is_empty() && is_host(authority));
    target.starts_with('/') || absolute || method == "CONNECT" || (method == "OPTIONS" && target == "*")
}

fn is_host(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_graphic())
        && !text.contains(['/', '?', '#', '@', ',', '"', '<', '>', '\\', '^', '`', '{', '|', '}'])
}
