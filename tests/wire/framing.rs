//! §13 The strictness of the framing: `http/wire`, without a socket.

use plain_mcp::arrival::RequestHead;
use plain_mcp::http::wire::{
    Bounds, Chunked, Flaw, Frame, Framing, HeadEnd, LAST_CHUNK, Length, Version, date, put_chunk, put_head, read_head,
};

const BOUNDS: Bounds = Bounds { head: 1024, fields: 8, body: 4096 };

/// Reads a head as the host does: the end first, then the whole.
fn read(bytes: &[u8]) -> Result<Option<(usize, Frame, RequestHead)>, Flaw> {
    let Some(end) = HeadEnd::default().find(bytes, &BOUNDS)? else {
        return Ok(None);
    };
    let mut head = RequestHead::default();
    let frame = read_head(&bytes[..end], &BOUNDS, &mut head)?;
    Ok(Some((end, frame, head)))
}

fn frame(head: &str) -> Frame {
    read(head.as_bytes()).unwrap().unwrap().1
}

fn refused(flaw: Flaw, heads: &[&[u8]]) {
    for head in heads {
        assert_eq!(read(head).unwrap_err(), flaw, "{:?}", String::from_utf8_lossy(head));
    }
}

#[test]
fn a_request_of_every_day() {
    let bytes = b"POST /mcp?a=b HTTP/1.1\r\nHost: localhost:3001\r\ncontent-length:\t 5 \r\nX-A: b  c\r\n\r\nhello";
    let (end, frame, head) = read(bytes).unwrap().unwrap();
    assert_eq!(&bytes[end..], b"hello");
    assert_eq!((head.method.as_str(), head.target.as_str()), ("POST", "/mcp?a=b"));
    assert_eq!(head.fields[2], ("X-A".to_owned(), b"b  c".to_vec()));
    assert_eq!(
        frame,
        Frame { version: Version::Http11, length: Length::Known(5), keep_alive: true, expects_continue: false }
    );
}

#[test]
fn room_is_used_again_and_nothing_stays_in_it() {
    let mut head = RequestHead::default();
    read_head(b"POST /long HTTP/1.1\r\nhost: a\r\nx-one: 1\r\nx-two: 2\r\n\r\n", &BOUNDS, &mut head).unwrap();
    read_head(b"GET / HTTP/1.1\r\nhost: b\r\n\r\n", &BOUNDS, &mut head).unwrap();
    assert_eq!((head.method.as_str(), head.target.as_str()), ("GET", "/"));
    assert_eq!(head.fields, [("host".to_owned(), b"b".to_vec())]);
}

#[test]
fn the_end_of_a_head() {
    for (bytes, end) in [
        ("GET / HTTP/1.1\r\nhost: a\r\n\r\n", Some(27)),
        ("GET / HTTP/1.1\r\nhost: a\r\n\r\nrest\r\n\r\n", Some(27)),
        ("\r\n\r\nGET / HTTP/1.1\r\nhost: a\r\n\r\n", Some(31)), // empty lines before a request are skipped
        ("GET / HTTP/1.1\r\nhost: a\r\n\r", None),
        ("", None),
        ("\r\n\r\n", None),
    ] {
        assert_eq!(HeadEnd::default().find(bytes.as_bytes(), &BOUNDS), Ok(end), "{bytes:?}");
    }
}

#[test]
fn a_head_ends_where_its_bytes_end() {
    covers!("13.9-1");
    let two = b"GET / HTTP/1.1\r\nhost: a\r\n\r\nGET / HTTP/1.1\r\nhost: b\r\n\r\n";
    for more in [&b"\n"[..], b"\r\n", b"x", &two[27..]] {
        let bytes = [&two[..27], more].concat();
        assert_eq!(read_head(&bytes, &BOUNDS, &mut RequestHead::default()), Err(Flaw::Malformed), "{more:?}");
    }
    assert!(read_head(&two[..27], &BOUNDS, &mut RequestHead::default()).is_ok());
}

#[test]
fn malformed_heads() {
    covers!("13.9-1");
    refused(
        Flaw::Malformed,
        &[
            b"GET / HTTP/1.1\nhost: a\n\n", // bare LF
            b"GET / HTTP/1.1\r\nhost: a\nx: y\r\n\r\n",
            b"GET / HTTP/1.1\r\nhost: a\r\n\n",
            b"\nGET / HTTP/1.1\r\nhost: a\r\n\r\n",
            b"GET / HTTP/1.1\r\nhost: a\rx: y\r\n\r\n", // bare CR
            b"GET / HTTP/1.1\r\r\nhost: a\r\n\r\n",
            b"GET /\r HTTP/1.1\r\nhost: a\r\n\r\n",
            b"GET / HTTP/1.1\r\nhost: a\r\nx: a\r\n b\r\n\r\n", // obs-fold
            b"GET / HTTP/1.1\r\nhost: a\r\nx: a\r\n\tb\r\n\r\n",
            b"GET / HTTP/1.1\r\n x: a\r\nhost: a\r\n\r\n",
            b"GET / HTTP/1.1\r\nhost : a\r\n\r\n", // white space before the colon
            b"GET / HTTP/1.1\r\nhost\t: a\r\n\r\n",
            b"GET / HTTP/1.1\r\nhost: a\r\nno-colon\r\n\r\n",
            b"GET / HTTP/1.1\r\nhost: a\r\n: no name\r\n\r\n",
            b"GET / HTTP/1.1\r\nhost: a\r\nn\xc3\xa4me: a\r\n\r\n",
            b"GET / HTTP/1.1\r\nhost: a\r\nx: a\0b\r\n\r\n", // NUL and other control bytes
            b"GET / HTTP/1.1\r\nhost: a\r\nx: a\x01b\r\n\r\n",
            b"GET / HTTP/1.1\r\nhost: a\r\nx: a\x7fb\r\n\r\n",
            b"GET / HTTP/1.1\r\nhost: a\r\nx\0: ab\r\n\r\n",
            b"G\0T / HTTP/1.1\r\nhost: a\r\n\r\n",
            b"GET /\0 HTTP/1.1\r\nhost: a\r\n\r\n",
            b"GET  / HTTP/1.1\r\nhost: a\r\n\r\n", // request lines
            b"GET / HTTP/1.1 \r\nhost: a\r\n\r\n",
            b"GET /a b HTTP/1.1\r\nhost: a\r\n\r\n",
            b" GET / HTTP/1.1\r\nhost: a\r\n\r\n",
            b"GET\t/ HTTP/1.1\r\nhost: a\r\n\r\n",
            b"GET /\r\n\r\n",
            b"GET / http/1.1\r\nhost: a\r\n\r\n",
            b"GET / HTTP/1.10\r\nhost: a\r\n\r\n",
            b"GET / HTTP/11\r\nhost: a\r\n\r\n",
            b"HTTP/1.1 200 OK\r\n\r\n",
            b"\x16\x03\x01\x02\x00\x01", // a TLS handshake is seen at its first byte
        ],
    );
}

#[test]
fn versions() {
    covers!("13.9-6");
    refused(
        Flaw::Version,
        &[
            b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
            b"GET / HTTP/2.0\r\nhost: a\r\n\r\n",
            b"GET / HTTP/1.2\r\nhost: a\r\n\r\n",
            b"GET / HTTP/0.9\r\nhost: a\r\n\r\n",
            b"\r\nGET / HTTP/3.0\r\nhost: a\r\n\r\n",
        ],
    );
    assert_eq!(frame("GET / HTTP/1.0\r\n\r\n").version, Version::Http10);
}

#[test]
fn hosts() {
    refused(
        Flaw::Malformed,
        &[
            b"GET / HTTP/1.1\r\n\r\n",
            b"GET / HTTP/1.1\r\nx: y\r\n\r\n",
            b"GET / HTTP/1.1\r\nhost: a\r\nhost: a\r\n\r\n",
            b"GET / HTTP/1.0\r\nhost: a\r\nHOST: b\r\n\r\n",
            b"GET / HTTP/1.1\r\nhost: a b\r\n\r\n",
            b"GET / HTTP/1.1\r\nhost: a, b\r\n\r\n",
            b"GET / HTTP/1.1\r\nhost: user@a\r\n\r\n",
            b"GET / HTTP/1.1\r\nhost: a/b\r\n\r\n",
            b"GET / HTTP/1.1\r\nhost: \xc3\xa4\r\n\r\n",
        ],
    );
    for host in ["a", "", "localhost:3001", "[::1]:80", "127.0.0.1"] {
        frame(&format!("GET / HTTP/1.1\r\nhost: {host}\r\n\r\n"));
    }
}

#[test]
fn targets() {
    for target in ["/mcp", "//mcp", "/?", "http://b:80/mcp?x=/", "HTTPS://b", "http://b?x", "http://[::1]:80/"] {
        let (_, _, head) = read(format!("POST {target} HTTP/1.1\r\nhost: a\r\n\r\n").as_bytes()).unwrap().unwrap();
        assert_eq!((head.target.as_str(), head.one("host")), (target, Some("a")));
    }
    let (_, _, head) = read(b"OPTIONS * HTTP/1.1\r\nhost: a\r\n\r\n").unwrap().unwrap();
    assert_eq!(head.target, "*");
    refused(
        Flaw::Malformed,
        &[
            b"GET * HTTP/1.1\r\nhost: a\r\n\r\n",
            b"GET mcp HTTP/1.1\r\nhost: a\r\n\r\n",
            b"GET ftp://b/ HTTP/1.1\r\nhost: a\r\n\r\n",
            b"GET http:///mcp HTTP/1.1\r\nhost: a\r\n\r\n",
            b"GET http://user@b/ HTTP/1.1\r\nhost: a\r\n\r\n",
            b"GET http://b/ HTTP/1.1\r\n\r\n", // RFC 9112 section 3.2: Host is to be sent even so
            b"GET /a#b HTTP/1.1\r\nhost: a\r\n\r\n",
            b"GET /\xc3\xa4 HTTP/1.1\r\nhost: a\r\n\r\n",
        ],
    );
}

#[test]
fn bytes_beyond_ascii_stay_in_a_value() {
    let (_, _, head) = read(b"POST / HTTP/1.1\r\nhost: a\r\nmcp-name: \xff\xc3\xa4\t\x80\r\n\r\n").unwrap().unwrap();
    assert_eq!(head.fields[1].1, b"\xff\xc3\xa4\t\x80");
}

#[test]
fn content_length() {
    covers!("13.9-1", "13.9-4");
    let head = |value: &str| format!("POST / HTTP/1.1\r\nhost: a\r\ncontent-length: {value}\r\n\r\n");
    for (value, length) in [("0", 0), ("4096", 4096), ("0005", 5)] {
        assert_eq!(frame(&head(value)).length, Length::Known(length));
    }
    for value in ["", "-1", "+1", "1 2", "1,1", "5, 5", "0x5", "5.0", "1_0", "\u{663}", "5;"] {
        assert_eq!(read(head(value).as_bytes()).unwrap_err(), Flaw::Malformed, "{value:?}");
    }
    for value in ["4097", "18446744073709551615", "18446744073709551616", "99999999999999999999999999"] {
        assert_eq!(read(head(value).as_bytes()).unwrap_err(), Flaw::BodyTooLarge, "{value:?}");
    }
    refused(
        Flaw::Malformed,
        &[
            b"POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 5\r\ncontent-length: 5\r\n\r\n",
            b"POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 5\r\nContent-Length: 6\r\n\r\n",
            b"POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 99999\r\ncontent-length: 1\r\n\r\n",
        ],
    );
}

#[test]
fn transfer_encoding() {
    covers!("13.9-1", "13.9-2");
    let head = |value: &str| format!("POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: {value}\r\n\r\n");
    for value in ["chunked", "Chunked", "CHUNKED", "\tchunked "] {
        assert_eq!(frame(&head(value)).length, Length::Chunked);
    }
    for value in ["gzip", "gzip, chunked", "identity", "xchunked", "chunked;q=1", "chunked x", "\"chunked\""] {
        assert_eq!(read(head(value).as_bytes()).unwrap_err(), Flaw::TransferCoding, "{value:?}");
    }
    for value in ["", ",", "chunked,", ",chunked", "chunked, chunked", "chunked, gzip", "chunked\u{b}"] {
        assert_eq!(read(head(value).as_bytes()).unwrap_err(), Flaw::Malformed, "{value:?}");
    }
    refused(
        Flaw::Malformed,
        &[
            b"POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\ncontent-length: 5\r\n\r\n",
            b"POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n",
            b"POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 5\r\ntransfer-encoding: gzip\r\n\r\n",
            b"POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\ntransfer-encoding: chunked\r\n\r\n",
            b"POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: gzip\r\ntransfer-encoding: chunked\r\n\r\n",
            b"POST / HTTP/1.0\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n",
        ],
    );
}

#[test]
fn connection_and_expect() {
    let head = |version: &str, fields: &str| frame(&format!("POST / HTTP/{version}\r\nhost: a\r\n{fields}\r\n"));
    assert!(head("1.1", "").keep_alive);
    assert!(!head("1.1", "connection: close\r\n").keep_alive);
    assert!(!head("1.1", "connection: x, CLOSE\r\n").keep_alive);
    assert!(!head("1.1", "connection: x\r\nconnection: close\r\n").keep_alive);
    assert!(!head("1.1", "connection: keep-alive, close\r\n").keep_alive);
    assert!(!head("1.0", "").keep_alive);
    assert!(head("1.0", "connection: Keep-Alive\r\n").keep_alive);
    assert!(head("1.1", "expect: 100-Continue\r\n").expects_continue);
    assert!(!head("1.0", "expect: 100-continue\r\n").expects_continue);
    assert!(!head("1.1", "expect: something\r\n").expects_continue);
}

#[test]
fn a_field_of_another_name_frames_nothing() {
    let head = "POST / HTTP/1.1\r\nhost: a\r\nhos_: a b\r\nexpec_: 100-continue\r\nconnectio_: close\r\n\
                content-lengt_: 7\r\ntransfer-encodin_: chunked\r\n\r\n";
    let (version, length) = (Version::Http11, Length::Known(0));
    assert_eq!(frame(head), Frame { version, length, keep_alive: true, expects_continue: false });
}

#[test]
fn bounds_of_a_head() {
    covers!("13.9-3");
    let fields = |count: usize| format!("GET / HTTP/1.1\r\nhost: a\r\n{}\r\n", "x: y\r\n".repeat(count - 1));
    frame(&fields(8));
    assert_eq!(read(fields(9).as_bytes()).unwrap_err(), Flaw::HeadTooLarge);
    let long = |length: usize| {
        let head = "GET / HTTP/1.1\r\nhost: a\r\nx: ".to_owned();
        let filling = "y".repeat(length - head.len() - 4);
        head + &filling + "\r\n\r\n"
    };
    assert_eq!(long(1024).len(), 1024);
    frame(&long(1024));
    assert_eq!(read(long(1025).as_bytes()).unwrap_err(), Flaw::HeadTooLarge);
    assert_eq!(read("\r\n".repeat(512).as_bytes()).unwrap_err(), Flaw::HeadTooLarge);
}

type Decoded = Result<Option<(Vec<u8>, Vec<u8>)>, Flaw>;

/// Decodes as the host does, in pieces of the size given: the body, and what is left behind it.
fn decode(input: &[u8], piece: usize, limit: usize) -> Decoded {
    let (mut chunked, mut body, mut inbox) = (Chunked::default(), Vec::new(), Vec::new());
    let mut pieces = input.chunks(piece);
    while !chunked.finished() {
        let Some(piece) = pieces.next() else {
            return Ok(None);
        };
        inbox.extend_from_slice(piece);
        let used = chunked.decode(&inbox, &mut body, limit)?;
        inbox.drain(..used);
    }
    inbox.extend(pieces.flatten());
    Ok(Some((body, inbox)))
}

#[test]
fn chunks() {
    covers!("13.9-12");
    for (input, body, rest) in [
        ("0\r\n\r\n", "", ""),
        ("5\r\nhello\r\n0\r\n\r\n", "hello", ""),
        ("5\r\nhello\r\n6\r\n world\r\n0\r\n\r\nPOST", "hello world", "POST"),
        ("A\r\n0123456789\r\n0a\r\n0123456789\r\n000\r\n\r\n", "01234567890123456789", ""),
        ("5;a=b\r\nhello\r\n0;c\r\n\r\n", "hello", ""),
        ("5 \t;a=\"b c\"\r\nhello\r\n0\r\n\r\n", "hello", ""),
        ("0\r\nx: y\r\nz:\r\n\r\nrest", "", "rest"),
        ("2\r\n\r\n\r\n0\r\n\r\n", "\r\n", ""),
    ] {
        for piece in 1..=input.len() {
            let read = decode(input.as_bytes(), piece, 4096).unwrap().unwrap();
            assert_eq!(read, (body.as_bytes().to_vec(), rest.as_bytes().to_vec()), "{input:?} in pieces of {piece}");
        }
    }
}

/// What is just within a bound passes; `bad_chunks` has what is just over it.
#[test]
fn chunks_at_their_bounds() {
    covers!("13.9-12");
    let extension = format!("5;{}\r\nhello\r\n0\r\n\r\n", "x".repeat(1023));
    let trailer = format!("5\r\nhello\r\n0\r\nx:{}\r\n\r\n", "y".repeat(8192 - 4));
    for input in ["0000000000000005\r\nhello\r\n0\r\n\r\n", "5\r\nhello\r\n0\r\n\r\n", &extension, &trailer] {
        let read = decode(input.as_bytes(), 7, 5).unwrap().unwrap();
        assert_eq!(read, (b"hello".to_vec(), Vec::new()), "{}", &input[..16]);
    }
}

#[test]
fn bad_chunks() {
    covers!("13.9-1", "13.9-12");
    let extension = format!("5;{}\r\nhello\r\n0\r\n\r\n", "x".repeat(1024));
    let extensions = "1;x\r\na\r\n".repeat(600) + "0\r\n\r\n";
    let trailer = format!("0\r\nx: {}\r\n\r\n", "y".repeat(8192));
    let trailers = format!("0\r\n{}\r\n", "x: y\r\n".repeat(2000));
    for input in [
        "\r\n",
        "x\r\n",
        " 5\r\nhello\r\n",
        "-5\r\n",
        "+5\r\n",
        "0x5\r\n",
        "5\nhello",
        "5\r\r\n",
        "5 \r\nhello\r\n",
        "5 5\r\n",
        ";x\r\n\r\n", // no size, which is not a size of 0
        " ;x\r\n\r\n",
        "5\r\nhello\r\n\t;x\r\n\r\n",
        "5\r\nhello0\r\n",
        "5\r\nhello\n0\r\n",
        "5\r\nhello\rx",
        "5;a\rb\r\n",
        "5;a\nb",
        "5;a\0\r\n",
        "5;a\u{7f}\r\n",
        "00000000000000005\r\nhello\r\n0\r\n\r\n",
        "0\r\n x: y\r\n\r\n",
        "0\r\n: y\r\n\r\n",
        "0\r\nx y\r\n\r\n",
        "0\r\nx : y\r\n\r\n",
        "0\r\nx: y\n\r\n",
        "0\r\nx: y\rz\r\n\r\n",
        "0\r\nx: y\0\r\n\r\n",
        "0\r\n\rx",
        &extension,
        &extensions,
        &trailer,
        &trailers,
    ] {
        for piece in [1, 2, 3, 7, input.len()] {
            assert_eq!(
                decode(input.as_bytes(), piece, 4096),
                Err(Flaw::Malformed),
                "{} in pieces of {piece}",
                &input[..input.len().min(40)]
            );
        }
    }
    // Refused at the size, not after the data.
    for input in ["1001\r\n", "1000\r\n", "ffffffffffffffff\r\n", "f\r\n123456789012345\r\nff2\r\n"] {
        let limit = if input.starts_with("1000") { 4095 } else { 4096 };
        assert_eq!(decode(input.as_bytes(), 3, limit), Err(Flaw::BodyTooLarge), "{input:?}");
    }
}

#[test]
fn answers() {
    let head = |status, framing, connection| {
        let mut out = Vec::new();
        put_head(&mut out, status, &[("allow", "POST".to_owned())], framing, connection, b"D");
        String::from_utf8(out).unwrap()
    };
    let (new, old) = (Version::Http11, Version::Http10);
    for (status, framing, connection, text) in [
        (200, Framing::Length(12), (new, true), "200 OK\r\nallow: POST\r\ncontent-length: 12\r\n"),
        (
            202,
            Framing::Length(0),
            (new, false),
            "202 Accepted\r\nallow: POST\r\ncontent-length: 0\r\nconnection: close\r\n",
        ),
        (405, Framing::Silent, (old, true), "405 Method Not Allowed\r\nallow: POST\r\nconnection: keep-alive\r\n"),
        (599, Framing::Chunked, (new, true), "599 \r\nallow: POST\r\ntransfer-encoding: chunked\r\n"),
    ] {
        assert_eq!(head(status, framing, connection), format!("HTTP/1.1 {text}date: D\r\n\r\n"));
    }
}

#[test]
fn each_status_has_its_reason() {
    for (status, reason) in [
        (200, "OK"),
        (202, "Accepted"),
        (204, "No Content"),
        (400, "Bad Request"),
        (401, "Unauthorized"),
        (403, "Forbidden"),
        (404, "Not Found"),
        (405, "Method Not Allowed"),
        (406, "Not Acceptable"),
        (408, "Request Timeout"),
        (413, "Content Too Large"),
        (415, "Unsupported Media Type"),
        (431, "Request Header Fields Too Large"),
        (500, "Internal Server Error"),
        (501, "Not Implemented"),
        (503, "Service Unavailable"),
        (505, "HTTP Version Not Supported"),
    ] {
        let mut out = Vec::new();
        put_head(&mut out, status, &[], Framing::Silent, (Version::Http11, true), b"D");
        assert_eq!(String::from_utf8(out).unwrap(), format!("HTTP/1.1 {status} {reason}\r\ndate: D\r\n\r\n"));
    }
}

#[test]
fn our_chunks_are_read_back() {
    let mut out = Vec::new();
    put_chunk(&mut out, b"data: one\r\n\r\n");
    put_chunk(&mut out, b"");
    put_chunk(&mut out, &[b'x'; 300]);
    out.extend_from_slice(LAST_CHUNK);
    let body = [b"data: one\r\n\r\n".as_slice(), &[b'x'; 300]].concat();
    assert_eq!(decode(&out, 5, 4096).unwrap().unwrap(), (body, Vec::new()));
}

#[test]
fn dates() {
    for (second, text) in [
        (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
        (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
        (951_782_399, "Mon, 28 Feb 2000 23:59:59 GMT"),
        (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
        (951_868_800, "Wed, 01 Mar 2000 00:00:00 GMT"),
        (1_798_761_599, "Thu, 31 Dec 2026 23:59:59 GMT"),
        (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT"),
    ] {
        assert_eq!(date(second), text);
    }
}
