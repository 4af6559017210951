//! §14 Input as lines.

use std::io::{self, BufRead, BufReader, Read};

/// Lines of bounded length.
pub(crate) struct Lines {
    input: BufReader<Box<dyn Read + Send>>,
    line: Vec<u8>,
    limit: usize,
}

pub(crate) enum Line<'a> {
    /// A line, without its end.
    Message(&'a [u8]),
    /// Nothing but white space: no message.
    Blank,
    /// Over the limit; it has been skipped to its end.
    TooLong,
    /// The end of input.
    End,
}

impl Lines {
    /// Lines of at most `limit` bytes each.
    pub(crate) fn of(input: impl Read + Send + 'static, limit: usize) -> Lines {
        Lines { input: BufReader::with_capacity(64 * 1024, Box::new(input)), line: Vec::new(), limit }
    }

    /// The next line. A last line without an end counts as one.
    pub(crate) fn next(&mut self) -> io::Result<Line<'_>> {
        self.line.clear();
        self.line.shrink_to(64 * 1024);
        let limit = u64::try_from(self.limit).unwrap_or(u64::MAX).saturating_add(2);
        let read = self.input.by_ref().take(limit).read_until(b'\n', &mut self.line)?;
        if read == 0 {
            return Ok(Line::End);
        }
        let whole = self.line.ends_with(b"\n");
        let line = self.line.strip_suffix(b"\n").unwrap_or(&self.line);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.len() > self.limit {
            if !whole {
                self.input.skip_until(b'\n')?;
            }
            return Ok(Line::TooLong);
        }
        if line.iter().all(u8::is_ascii_whitespace) { Ok(Line::Blank) } else { Ok(Line::Message(line)) }
    }
}
