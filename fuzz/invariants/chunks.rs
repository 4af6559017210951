//! Invariant: however a chunked body is cut into reads, it gives the same bytes, ends at the same byte or has the same flaw;
//! a second reader, written line by line, finds the same body and the same end; and a body that is chunked again reads the same.

use plain_mcp::http::wire::{Chunked, Flaw, LAST_CHUNK, put_chunk};

/// How the reading of a body went: its bytes and how many were used; `None` as long as it has not ended.
type Read = Result<Option<(Vec<u8>, usize)>, Flaw>;

/// The first byte is the bound of the body in steps of 16 bytes, the rest the body as sent.
pub fn check(data: &[u8]) {
    let Some((first, sent)) = data.split_first() else { return };
    let limit = usize::from(*first) * 16;
    let at_once = read(sent, limit, sent.len().max(1));
    assert_eq!(at_once, read(sent, limit, 1), "one by one");
    assert_eq!(at_once, read(sent, limit, 7), "in sevens");
    match (&at_once, second_reading(sent, limit)) {
        (Ok(Some(ours)), Some(other)) => assert_eq!(*ours, other),
        (Ok(None) | Err(_), None) => {}
        (ours, other) => panic!("{ours:?}, but {other:?}"),
    }
    if let Ok(Some((body, _))) = at_once {
        assert!(body.len() <= limit);
        let mut again = Vec::new();
        body.chunks(3).for_each(|piece| put_chunk(&mut again, piece));
        put_chunk(&mut again, b"");
        again.extend_from_slice(LAST_CHUNK);
        let length = again.len();
        again.extend_from_slice(b"0\r\n");
        assert_eq!(read(&again, limit, 5), Ok(Some((body, length))));
    }
}

/// Reads with so many bytes at a time.
fn read(sent: &[u8], limit: usize, cut: usize) -> Read {
    let (mut chunked, mut body, mut used) = (Chunked::default(), Vec::new(), 0);
    for piece in sent.chunks(cut) {
        let now = chunked.decode(piece, &mut body, limit)?;
        used += now;
        if chunked.finished() {
            assert_eq!(chunked.decode(b"0\r\n\r\n", &mut body, limit), Ok(0), "nothing after the end");
            return Ok(Some((body, used)));
        }
        assert_eq!(now, piece.len(), "all is used before the end");
    }
    Ok(None)
}

/// RFC 9112 section 7.1 line by line; `None` where the body is flawed, has not ended or is over a bound.
pub fn second_reading(sent: &[u8], limit: usize) -> Option<(Vec<u8>, usize)> {
    let (mut rest, mut body, mut extensions) = (sent, Vec::new(), 0);
    loop {
        let line = line(&mut rest)?;
        let end = line.iter().position(|byte| b"; \t".contains(byte)).unwrap_or(line.len());
        let (digits, extension) = line.split_at(end);
        extensions += extension.len();
        let size = usize::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
        let opened = extension.is_empty() || extension.trim_ascii_start().starts_with(b";");
        let lawful = digits.len() <= 16 && digits[0] != b'+' && opened && extension.iter().all(|byte| is_text(*byte));
        if !lawful || extensions > 1024 || size > limit - body.len() {
            return None;
        }
        if size == 0 {
            break;
        }
        body.extend_from_slice(rest.get(..size)?);
        rest = rest[size..].strip_prefix(b"\r\n")?;
    }
    let mut trailers = 0;
    loop {
        let line = line(&mut rest)?;
        if line.is_empty() {
            return Some((body, sent.len() - rest.len()));
        }
        let colon = line.iter().position(|byte| *byte == b':')?;
        let name = &line[..colon];
        let token = !name.is_empty() && name.iter().all(|byte| is_token(*byte));
        trailers += line.len() + 2;
        if !token || !line[colon..].iter().all(|byte| is_text(*byte)) || trailers > 8192 {
            return None;
        }
    }
}

/// What stands before the next CRLF.
fn line<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let end = rest.windows(2).position(|pair| pair == b"\r\n")?;
    let line = &rest[..end];
    *rest = &rest[end + 2..];
    Some(line)
}

fn is_text(byte: u8) -> bool {
    byte == b'\t' || (byte >= b' ' && byte != 0x7f)
}

pub fn is_token(byte: u8) -> bool {
    byte.is_ascii_graphic() && !b"\"(),/:;<=>?@[\\]{}".contains(&byte)
}
