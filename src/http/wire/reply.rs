//! §13 The head of a reply, as a client reads it. RFC 9112 sections 4 and 6.
//! Law: as strict as with requests: a reply whose end two readers could find at different places is refused.

use std::mem::MaybeUninit;

use super::fields::Facts;
use super::frame::{Bounds, Flaw, Length, MOST_FIELDS, Version};

/// What a reply says before its body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplyHead {
    /// The status code: 100 to 999.
    pub status: u16,
    /// The fields in their order; names as sent.
    pub fields: Vec<(String, Vec<u8>)>,
    /// The length of the body; `None`: until the connection ends.
    pub length: Option<Length>,
    /// Whether the connection stays open for another request.
    pub keep_alive: bool,
}

impl ReplyHead {
    /// The value of the first field of this name, where it is text; without its outer white space.
    pub fn field(&self, name: &str) -> Option<&str> {
        let (_, value) = self.fields.iter().find(|(own, _)| own.eq_ignore_ascii_case(name))?;
        std::str::from_utf8(value).ok().map(|text| text.trim_matches([' ', '\t']))
    }
}

/// Reads a whole head, as [`HeadEnd::find`](super::HeadEnd::find) delimits it. Statuses below 200, 204 and 304 have no body, whatever
/// their fields say.
pub fn read_reply(bytes: &[u8], bounds: &Bounds) -> Result<ReplyHead, Flaw> {
    let mut room = [const { MaybeUninit::uninit() }; MOST_FIELDS];
    let room = room.get_mut(..bounds.fields.min(MOST_FIELDS)).unwrap_or_default();
    let mut parsed = httparse::Response::new(&mut []);
    match httparse::ParserConfig::default().parse_response_with_uninit_headers(&mut parsed, bytes, room) {
        Ok(httparse::Status::Complete(used)) if used == bytes.len() => {}
        Ok(_) => return Err(Flaw::Malformed),
        Err(httparse::Error::TooManyHeaders) => return Err(Flaw::HeadTooLarge),
        Err(httparse::Error::Version) => return Err(Flaw::Version),
        Err(_) => return Err(Flaw::Malformed),
    }
    let version = if parsed.version == Some(0) { Version::Http10 } else { Version::Http11 };
    let status = parsed.code.filter(|code| *code >= 100).ok_or(Flaw::Malformed)?;
    let facts = Facts::read(parsed.headers.iter().map(|field| (field.name, field.value)))?;
    let length = match status {
        100..=199 | 204 | 304 => Some(Length::Known(0)),
        _ => facts.reply_length(version, bounds)?,
    };
    Ok(ReplyHead {
        status,
        fields: parsed.headers.iter().map(|field| (field.name.to_owned(), field.value.to_vec())).collect(),
        keep_alive: length.is_some() && !facts.close && (version == Version::Http11 || facts.keep_alive),
        length,
    })
}
