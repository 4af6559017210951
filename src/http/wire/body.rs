//! §13 The chunked transfer coding, undone. RFC 9112 section 7.1.
//! Law: one state machine, a byte at a time save within the data of a chunk; nothing is looked for ahead.

use super::fields::is_token;
use super::frame::Flaw;

/// What ends a chunked body: the last chunk and no trailers.
pub const LAST_CHUNK: &[u8] = b"0\r\n\r\n";

/// The most digits of a chunk size, leading zeros included.
const MOST_DIGITS: usize = 16;
/// The most bytes of chunk extensions in one body. Nobody uses them; without a bound they are a body of any size.
const MOST_EXTENSION: usize = 1024;
/// The most bytes of trailers. They are read and dropped (RFC 9110 section 6.5.1).
const MOST_TRAILER: usize = 8 * 1024;

/// Undoes the chunked coding, across reads.
#[derive(Debug)]
pub struct Chunked {
    at: At,
    /// The size of the chunk as far as read, then what is left of it.
    size: usize,
    digits: usize,
    extension: usize,
    trailer: usize,
}

/// What the next byte is part of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum At {
    Size,
    /// White space that RFC 9112 section 7.1.1 wants taken before an extension.
    Space,
    Extension,
    SizeLf,
    Data,
    DataCr,
    DataLf,
    TrailerStart,
    TrailerName,
    TrailerValue,
    TrailerLf,
    EndLf,
    Done,
}

impl Default for Chunked {
    fn default() -> Chunked {
        Chunked { at: At::Size, size: 0, digits: 0, extension: 0, trailer: 0 }
    }
}

impl Chunked {
    /// Whether the body has ended.
    pub fn finished(&self) -> bool {
        self.at == At::Done
    }

    /// Takes what there is, adds the data to `body`, and says how many bytes it used: all, unless the body ended within them.
    /// A chunk that would make the body longer than `limit` bytes is refused at its size, before its data is read
    /// ([`Flaw::BodyTooLarge`]); what breaks the grammar, or one of the bounds above, is [`Flaw::Malformed`].
    // req 13.9-12
    pub fn decode(&mut self, input: &[u8], body: &mut Vec<u8>, limit: usize) -> Result<usize, Flaw> {
        let mut used = 0;
        while self.at != At::Done {
            let rest = input.get(used..).unwrap_or_default();
            let Some(first) = rest.first() else {
                break;
            };
            if self.at == At::Data {
                let data = rest.get(..self.size).unwrap_or(rest);
                body.extend_from_slice(data);
                used += data.len();
                self.size -= data.len();
                if self.size == 0 {
                    self.at = At::DataCr;
                }
            } else {
                self.at = self.step(*first, body.len(), limit)?;
                used += 1;
            }
        }
        Ok(used)
    }

    /// One byte that is not data.
    fn step(&mut self, byte: u8, so_far: usize, limit: usize) -> Result<At, Flaw> {
        match (self.at, byte) {
            (At::Size, _) if byte.is_ascii_hexdigit() => self.digit(byte, so_far, limit),
            (At::Size, b'\r') if self.digits > 0 => Ok(At::SizeLf),
            (At::Size, b' ' | b'\t') if self.digits > 0 => self.count_extension(At::Space),
            (At::Size, b';') if self.digits > 0 => self.count_extension(At::Extension),
            (At::Space, b' ' | b'\t') => self.count_extension(At::Space),
            (At::Space, b';') => self.count_extension(At::Extension),
            (At::Extension, b'\r') => Ok(At::SizeLf),
            (At::Extension, _) if is_text(byte) => self.count_extension(At::Extension),
            (At::SizeLf, b'\n') => Ok(if self.size == 0 { At::TrailerStart } else { At::Data }),
            (At::DataCr, b'\r') => Ok(At::DataLf),
            (At::DataLf, b'\n') => {
                self.digits = 0;
                Ok(At::Size)
            }
            (At::TrailerStart, b'\r') => Ok(At::EndLf),
            (At::TrailerStart | At::TrailerName, _) if is_token(byte) => self.count_trailer(At::TrailerName),
            (At::TrailerName, b':') => self.count_trailer(At::TrailerValue),
            (At::TrailerValue, b'\r') => self.count_trailer(At::TrailerLf),
            (At::TrailerValue, _) if is_text(byte) => self.count_trailer(At::TrailerValue),
            (At::TrailerLf, b'\n') => self.count_trailer(At::TrailerStart),
            (At::EndLf, b'\n') => Ok(At::Done),
            _ => Err(Flaw::Malformed),
        }
    }

    fn digit(&mut self, byte: u8, so_far: usize, limit: usize) -> Result<At, Flaw> {
        if self.digits == 0 {
            self.size = 0;
        }
        self.digits += 1;
        if self.digits > MOST_DIGITS {
            return Err(Flaw::Malformed);
        }
        let value = char::from(byte).to_digit(16).and_then(|value| usize::try_from(value).ok()).unwrap_or_default();
        self.size = self.size.saturating_mul(16).saturating_add(value);
        if self.size > limit.saturating_sub(so_far) { Err(Flaw::BodyTooLarge) } else { Ok(At::Size) }
    }

    fn count_extension(&mut self, next: At) -> Result<At, Flaw> {
        self.extension += 1;
        if self.extension > MOST_EXTENSION { Err(Flaw::Malformed) } else { Ok(next) }
    }

    fn count_trailer(&mut self, next: At) -> Result<At, Flaw> {
        self.trailer += 1;
        if self.trailer > MOST_TRAILER { Err(Flaw::Malformed) } else { Ok(next) }
    }
}

/// Bytes of a field value or an extension: no control bytes but the tab.
fn is_text(byte: u8) -> bool {
    byte == b'\t' || (byte >= b' ' && byte != 0x7f)
}
