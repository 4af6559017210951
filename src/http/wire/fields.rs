//! §13 The fields that frame a message: Host, Content-Length, Transfer-Encoding, Connection, Expect.
//! RFC 9112 sections 3.2, 6 and 9.

use super::frame::{Bounds, Flaw, Length, Version};

/// What the framing fields of one head say.
#[derive(Debug, Default)]
pub(super) struct Facts {
    hosts: usize,
    content_length: Option<Digits>,
    codings: Option<Codings>,
    pub(super) close: bool,
    pub(super) keep_alive: bool,
    pub(super) expects_continue: bool,
}

/// A `Content-Length`: a number, or more than any machine could hold.
#[derive(Clone, Copy, Debug)]
enum Digits {
    Fit(usize),
    Beyond,
}

/// What a `Transfer-Encoding` lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Codings {
    Chunked,
    Unknown,
}

impl Facts {
    /// Goes through the fields once.
    pub(super) fn read<'f>(fields: impl Iterator<Item = (&'f str, &'f [u8])>) -> Result<Facts, Flaw> {
        let mut facts = Facts::default();
        for (name, value) in fields {
            // Most fields of a request are none of ours: their length tells, without comparing names.
            match name.len() {
                4 if name.eq_ignore_ascii_case("host") => {
                    facts.hosts += 1;
                    if !is_host(value) {
                        return Err(Flaw::Malformed);
                    }
                }
                6 if name.eq_ignore_ascii_case("expect") => {
                    facts.expects_continue |= value.eq_ignore_ascii_case(b"100-continue");
                }
                10 if name.eq_ignore_ascii_case("connection") => {
                    for option in list(value) {
                        facts.close |= option.eq_ignore_ascii_case(b"close");
                        facts.keep_alive |= option.eq_ignore_ascii_case(b"keep-alive");
                    }
                }
                14 if name.eq_ignore_ascii_case("content-length") => {
                    // RFC 9110 section 8.6 lets a recipient fold equal values into one. A client has no reason to send two.
                    once(facts.content_length.replace(digits(value)?))?;
                }
                17 if name.eq_ignore_ascii_case("transfer-encoding") => {
                    once(facts.codings.replace(codings(value)?))?;
                }
                _ => {}
            }
        }
        Ok(facts)
    }

    /// RFC 9112 section 3.2: exactly one Host, or 400. HTTP/1.0 may leave it out.
    pub(super) fn check_host(&self, version: Version) -> Result<(), Flaw> {
        match (self.hosts, version) {
            (1, _) | (0, Version::Http10) => Ok(()),
            _ => Err(Flaw::Malformed),
        }
    }

    /// RFC 9112 section 6.3. Both fields together, and a coding in HTTP/1.0, are what smuggled requests are made of.
    pub(super) fn length(&self, version: Version, bounds: &Bounds) -> Result<Length, Flaw> {
        match (self.codings, self.content_length) {
            (Some(_), Some(_)) => Err(Flaw::Malformed),
            (Some(_), None) if version == Version::Http10 => Err(Flaw::Malformed),
            (Some(Codings::Chunked), None) => Ok(Length::Chunked),
            (Some(Codings::Unknown), None) => Err(Flaw::TransferCoding),
            (None, None) => Ok(Length::Known(0)),
            (None, Some(Digits::Fit(length))) if length <= bounds.body => Ok(Length::Known(length)),
            (None, Some(_)) => Err(Flaw::BodyTooLarge),
        }
    }

    /// The same for a reply, whose body ends with the connection where nothing is said (`None`).
    #[cfg(feature = "client")]
    pub(super) fn reply_length(&self, version: Version, bounds: &Bounds) -> Result<Option<Length>, Flaw> {
        match (self.codings, self.content_length) {
            (None, None) => Ok(None),
            _ => self.length(version, bounds).map(Some),
        }
    }
}

/// A field that may stand in a head only once: `before` is what it said before.
fn once<T>(before: Option<T>) -> Result<(), Flaw> {
    if before.is_some() { Err(Flaw::Malformed) } else { Ok(()) }
}

/// `1*DIGIT`: no sign, no list, no white space within.
fn digits(value: &[u8]) -> Result<Digits, Flaw> {
    if value.is_empty() || !value.iter().all(u8::is_ascii_digit) {
        return Err(Flaw::Malformed);
    }
    let add = |sum: usize, digit: &u8| sum.checked_mul(10)?.checked_add(usize::from(digit - b'0'));
    Ok(value.iter().try_fold(0, add).map_or(Digits::Beyond, Digits::Fit))
}

/// Chunked alone is what we undo. Chunked anywhere but at the end leaves the length open (400), anything else is not
/// implemented (501): RFC 9112 sections 6.1 and 6.3.
fn codings(value: &[u8]) -> Result<Codings, Flaw> {
    let mut known = None;
    for coding in list(value) {
        if coding.is_empty() || known == Some(Codings::Chunked) {
            return Err(Flaw::Malformed);
        }
        let chunked = known.is_none() && coding.eq_ignore_ascii_case(b"chunked");
        known = Some(if chunked { Codings::Chunked } else { Codings::Unknown });
    }
    known.ok_or(Flaw::Malformed)
}

/// The elements of a comma-separated list, white space around them gone.
fn list(value: &[u8]) -> impl Iterator<Item = &[u8]> {
    value.split(|byte| *byte == b',').map(<[u8]>::trim_ascii)
}

/// Whether bytes may stand in a Host: printable ASCII without the delimiters of a URI that would end an authority, without a
/// user name, and without a list. Empty is allowed (RFC 9112 section 3.2). Which hosts are welcome is §13.7.
pub(super) fn is_host(value: &[u8]) -> bool {
    value.iter().all(|byte| byte.is_ascii_graphic() && !b"/?#@,\"<>\\^`{|}".contains(byte))
}

/// `tchar` of RFC 9110 section 5.6.2.
pub(super) fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}
