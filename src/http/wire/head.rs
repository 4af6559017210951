//! §13 The head of a request: where it ends, and what it says. RFC 9112 sections 2 to 3.
//! Law: a line ends in CRLF. RFC 9112 section 2.2 lets a recipient take a bare LF; two recipients in a row that differ on it are
//! a smuggled request, so we do not.

use std::mem::MaybeUninit;

use super::fields::{self, Facts};
use super::frame::{Bounds, Flaw, Frame, MOST_FIELDS, Version};
use crate::arrival::RequestHead;

/// Looks for the end of a head, across reads, and looks at no byte twice.
#[derive(Clone, Copy, Debug, Default)]
pub struct HeadEnd {
    /// Where the line that is being looked at starts.
    line: usize,
    /// How far it has been looked at.
    seen: usize,
    /// Whether a line with something in it has been seen: empty lines before the request line are skipped (section 2.2).
    begun: bool,
}

impl HeadEnd {
    /// The length of the head at the start of `bytes`, its empty line included, or `None` as long as there is no end to it.
    /// `bytes` are all bytes so far, not only the new ones. Fails where no head can begin so, or where a line does not end in CRLF
    /// ([`Flaw::Malformed`]), and where [`Bounds::head`] is used up ([`Flaw::HeadTooLarge`]).
    pub fn find(&mut self, bytes: &[u8], bounds: &Bounds) -> Result<Option<usize>, Flaw> {
        let within = bytes.get(..bounds.head).unwrap_or(bytes);
        loop {
            if !self.begun && within.get(self.line).is_some_and(|first| !may_begin(*first)) {
                return Err(Flaw::Malformed); // a TLS handshake, for one: not worth waiting for the end of its first line
            }
            let rest = within.get(self.seen..).unwrap_or_default();
            let Some(at) = rest.iter().position(|byte| *byte == b'\n') else {
                break;
            };
            let line = within.get(self.line..self.seen + at).and_then(<[u8]>::split_last);
            match line {
                Some((b'\r', [])) if self.begun => return Ok(Some(self.seen + at + 1)),
                Some((b'\r', text)) => self.begun |= !text.is_empty(),
                _ => return Err(Flaw::Malformed),
            }
            self.seen += at + 1;
            self.line = self.seen;
        }
        self.seen = within.len();
        if bytes.len() >= bounds.head { Err(Flaw::HeadTooLarge) } else { Ok(None) }
    }
}

/// A method starts with a token character, an empty line with CR.
fn may_begin(byte: u8) -> bool {
    byte == b'\r' || byte == b'\n' || fields::is_token(byte)
}

/// Reads a whole head, as [`HeadEnd::find`] delimits it, into `head`, whose room is used again. The target stays as sent, in one
/// of the four forms. Any [`Flaw`] may come of it; one of the body is said here too, where `Content-Length` tells.
pub fn read_head(bytes: &[u8], bounds: &Bounds, head: &mut RequestHead) -> Result<Frame, Flaw> {
    let mut room = [const { MaybeUninit::uninit() }; MOST_FIELDS];
    let room = room.get_mut(..bounds.fields.min(MOST_FIELDS)).unwrap_or_default();
    let mut parsed = httparse::Request::new(&mut []);
    match httparse::ParserConfig::default().parse_request_with_uninit_headers(&mut parsed, bytes, room) {
        // A head of which the parser does not use every byte has an end that we and it see at different places.
        Ok(httparse::Status::Complete(used)) if used == bytes.len() => {}
        Ok(_) => return Err(Flaw::Malformed),
        Err(httparse::Error::TooManyHeaders) => return Err(Flaw::HeadTooLarge),
        Err(httparse::Error::Version) if names_a_version(bytes) => return Err(Flaw::Version),
        Err(_) => return Err(Flaw::Malformed),
    }
    let version = match parsed.version {
        Some(0) => Version::Http10,
        _ => Version::Http11,
    };
    fill(head, &parsed);
    let facts = Facts::read(head.fields.iter().map(|(name, value)| (name.as_str(), value.as_slice())))?;
    facts.check_host(version)?;
    check_target(&head.method, &head.target)?;
    Ok(Frame {
        version,
        length: facts.length(version, bounds)?,
        // req 13.9-11
        keep_alive: !facts.close && (version == Version::Http11 || facts.keep_alive),
        expects_continue: facts.expects_continue && version == Version::Http11,
    })
}

/// Whether the request line is one of HTTP, but of a version that we do not speak.
fn names_a_version(head: &[u8]) -> bool {
    let text = head.trim_ascii_start();
    let line = text.split(|byte| *byte == b'\r').next().unwrap_or_default();
    let mut words = line.split(|byte| *byte == b' ').skip(2);
    let version = words.next().unwrap_or_default();
    words.next().is_none()
        && matches!(version, [b'H', b'T', b'T', b'P', b'/', major, b'.', minor] if major.is_ascii_digit() && minor.is_ascii_digit())
}

/// Copies what was parsed, string by string into the room of the last request.
fn fill(head: &mut RequestHead, parsed: &httparse::Request<'_, '_>) {
    head.method.clear();
    head.method.push_str(parsed.method.unwrap_or_default());
    head.target.clear();
    head.target.push_str(parsed.path.unwrap_or_default());
    head.fields.truncate(parsed.headers.len());
    for (at, field) in parsed.headers.iter().enumerate() {
        match head.fields.get_mut(at) {
            Some((name, value)) => {
                name.clear();
                name.push_str(field.name);
                value.clear();
                value.extend_from_slice(field.value);
            }
            None => head.fields.push((field.name.to_owned(), field.value.to_vec())),
        }
    }
}

/// RFC 9112 section 3.2: the four forms of a target. What an absolute one means is §13.1's affair.
fn check_target(method: &str, target: &str) -> Result<(), Flaw> {
    if !target.is_ascii() || target.contains('#') {
        return Err(Flaw::Malformed);
    }
    if target.starts_with('/') || (target == "*" && method == "OPTIONS") || method == "CONNECT" {
        return Ok(());
    }
    let (scheme, rest) = target.split_once("://").ok_or(Flaw::Malformed)?;
    let authority = rest.split(['/', '?']).next().unwrap_or_default();
    let web = scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https");
    if web && !authority.is_empty() && fields::is_host(authority.as_bytes()) { Ok(()) } else { Err(Flaw::Malformed) }
}
