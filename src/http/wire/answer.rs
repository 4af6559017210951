//! §13 The head of an answer, its date, and chunks. RFC 9112 sections 4, 6 and 7.1; RFC 9110 sections 5.6.7 and 6.6.1.

use std::io::Write as _;

use super::frame::Version;

/// Tells a client that waits for it to send the body (RFC 9110 section 10.1.1).
pub const CONTINUE: &[u8] = b"HTTP/1.1 100 Continue\r\n\r\n";

/// How the end of the body of an answer is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framing {
    /// `content-length`.
    Length(usize),
    /// Chunks.
    Chunked,
    /// There is none (204), or none is said (HEAD, or a body that ends when the connection does).
    Silent,
}

impl Framing {
    /// How the end of an answer that is written as a whole is found; `head_only` answers HEAD.
    pub fn whole(status: u16, length: usize, head_only: bool) -> Framing {
        if status == 204 || (head_only && length == 0) { Framing::Silent } else { Framing::Length(length) }
    }
}

/// Adds the head of an answer to `out`, its empty line included. `connection` is the version of the request, and whether the
/// connection stays open; `date` is the value for `date`, as [`date`] makes it.
///
/// Fields are written as given, but no control byte of a value gets out: a value cannot become a second field.
pub fn put_head(
    out: &mut Vec<u8>,
    status: u16,
    fields: &[(&'static str, String)],
    framing: Framing,
    connection: (Version, bool),
    date: &[u8],
) {
    out.extend_from_slice(b"HTTP/1.1 ");
    put_number(out, usize::from(status), 10);
    out.push(b' ');
    out.extend_from_slice(reason(status).as_bytes());
    for (name, value) in fields {
        put_field(out, name, value.as_bytes());
    }
    match framing {
        Framing::Length(length) => {
            out.extend_from_slice(b"\r\ncontent-length: ");
            put_number(out, length, 10);
        }
        Framing::Chunked => put_field(out, "transfer-encoding", b"chunked"),
        Framing::Silent => {}
    }
    match connection {
        (_, false) => put_field(out, "connection", b"close"),
        (Version::Http10, true) => put_field(out, "connection", b"keep-alive"),
        (Version::Http11, true) => {}
    }
    put_field(out, "date", date);
    out.extend_from_slice(b"\r\n\r\n");
}

fn put_field(out: &mut Vec<u8>, name: &str, value: &[u8]) {
    out.extend_from_slice(b"\r\n");
    out.extend_from_slice(name.as_bytes());
    out.extend_from_slice(b": ");
    out.extend(value.iter().map(|byte| if byte.is_ascii_control() && *byte != b'\t' { b' ' } else { *byte }));
}

/// Adds one chunk. Nothing for an empty one: that would be the last.
pub fn put_chunk(out: &mut Vec<u8>, data: &[u8]) {
    if data.is_empty() {
        return;
    }
    put_number(out, data.len(), 16);
    out.extend_from_slice(b"\r\n");
    out.extend_from_slice(data);
    out.extend_from_slice(b"\r\n");
}

/// Writes a number without allocating for it.
fn put_number(out: &mut Vec<u8>, number: usize, base: u8) {
    // Writing to a Vec cannot fail.
    let _ = if base == 16 { write!(out, "{number:x}") } else { write!(out, "{number}") };
}

/// The reason phrase of the statuses that we send. A client must not need it.
fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        202 => "Accepted",
        204 => "No Content",
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        406 => "Not Acceptable",
        408 => "Request Timeout",
        413 => "Content Too Large",
        415 => "Unsupported Media Type",
        431 => "Request Header Fields Too Large",
        500 => "Internal Server Error",
        501 => "Not Implemented",
        503 => "Service Unavailable",
        505 => "HTTP Version Not Supported",
        _ => "",
    }
}

/// The date of a Unix time in seconds, in the one form that RFC 9110 section 5.6.7 lets one send:
/// `Sun, 06 Nov 1994 08:49:37 GMT`.
pub fn date(now: u64) -> String {
    const DAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]; // 1970-01-01 was a Thursday
    const MONTHS: [&str; 12] = ["Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec", "Jan", "Feb"];
    let (days, second) = (now / 86_400, now % 86_400);
    // A year that starts in March has its odd day at the end; 400 such years are 146097 days; 1970-01-01 is day 719468 of them.
    let era_day = (days + 719_468) % 146_097;
    let era = (days + 719_468) / 146_097;
    let era_year = (era_day - era_day / 1460 + era_day / 36_524 - era_day / 146_096) / 365;
    let year_day = era_day - (365 * era_year + era_year / 4 - era_year / 100);
    let month = (5 * year_day + 2) / 153;
    let day = year_day - (153 * month + 2) / 5 + 1;
    let year = era * 400 + era_year + u64::from(month >= 10);
    let name = |table: &[&'static str], at: u64| {
        usize::try_from(at).ok().and_then(|at| table.get(at).copied()).unwrap_or_default()
    };
    format!(
        "{}, {day:02} {} {year:04} {:02}:{:02}:{:02} GMT",
        name(&DAYS, days % 7),
        name(&MONTHS, month),
        second / 3600,
        second / 60 % 60,
        second % 60
    )
}
