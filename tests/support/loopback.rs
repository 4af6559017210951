//! A client that sees every byte: it sends what it is told and reads one answer at a time.
#![allow(dead_code)]

use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::time::Duration;

/// No wait of a test is longer.
pub const PATIENCE: Duration = Duration::from_secs(20);

pub struct Client {
    pub stream: TcpStream,
    inbox: Vec<u8>,
}

/// One answer, its framing undone.
#[derive(Debug, PartialEq, Eq)]
pub struct Answer {
    pub status: u16,
    pub fields: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Answer {
    pub fn field(&self, name: &str) -> Option<&str> {
        let mut values = self.fields.iter().filter(|(field, _)| field == name).map(|(_, value)| value.as_str());
        let value = values.next();
        assert_eq!(values.next(), None, "{name} is repeated");
        value
    }

    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }
}

impl Client {
    pub fn connect(address: SocketAddr) -> Client {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_nodelay(true).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_write_timeout(Some(PATIENCE)).unwrap();
        Client { stream, inbox: Vec::new() }
    }

    pub fn send(&mut self, bytes: impl AsRef<[u8]>) -> &mut Client {
        self.stream.write_all(bytes.as_ref()).unwrap();
        self
    }

    /// Sends what the host may not want to hear to its end.
    pub fn try_send(&mut self, bytes: impl AsRef<[u8]>) -> bool {
        self.stream.write_all(bytes.as_ref()).is_ok()
    }

    pub fn half_close(&mut self) -> &mut Client {
        self.stream.shutdown(Shutdown::Write).unwrap();
        self
    }

    /// Closes with a reset in place of FIN.
    pub fn reset(self) {
        socket2::SockRef::from(&self.stream).set_linger(Some(Duration::ZERO)).unwrap();
    }

    /// Reads once: `false` at the end.
    pub fn more(&mut self) -> bool {
        let mut room = [0; 65536];
        match self.stream.read(&mut room) {
            Ok(count) => {
                self.inbox.extend_from_slice(&room[..count]);
                count > 0
            }
            Err(error) => panic!("no end and no answer but {error}; so far {:?}", String::from_utf8_lossy(&self.inbox)),
        }
    }

    /// Everything up to the end of the connection.
    pub fn rest(&mut self) -> Vec<u8> {
        while self.more() {}
        std::mem::take(&mut self.inbox)
    }

    /// Whether the host closes the connection without another byte. A reset is not a clean close.
    pub fn is_closed(&mut self) -> bool {
        self.inbox.is_empty() && !self.more()
    }

    /// Whether the connection is over, one way or another, without another byte.
    pub fn is_over(&mut self) -> bool {
        let mut room = [0; 1];
        match self.stream.read(&mut room) {
            Ok(count) => count == 0,
            Err(error) => matches!(error.kind(), ErrorKind::ConnectionReset | ErrorKind::BrokenPipe),
        }
    }

    pub fn take(&mut self, count: usize) -> Vec<u8> {
        while self.inbox.len() < count {
            assert!(self.more(), "ended within {:?}", String::from_utf8_lossy(&self.inbox));
        }
        self.inbox.drain(..count).collect()
    }

    pub fn take_through(&mut self, end: &[u8]) -> Vec<u8> {
        loop {
            if let Some(at) = self.inbox.windows(end.len()).position(|window| window == end) {
                return self.take(at + end.len());
            }
            assert!(self.more(), "ended within {:?}", String::from_utf8_lossy(&self.inbox));
        }
    }

    /// Status and fields, names in lower case.
    pub fn head(&mut self) -> Answer {
        let head = self.take_through(b"\r\n\r\n");
        let text = String::from_utf8(head).unwrap();
        let mut lines = text.trim_end().split("\r\n");
        let status = lines.next().unwrap();
        assert!(status.starts_with("HTTP/1.1 "), "{status}");
        let fields = lines
            .map(|line| line.split_once(": ").unwrap())
            .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()));
        Answer { status: status[9..12].parse().unwrap(), fields: fields.collect(), body: Vec::new() }
    }

    /// One chunk; empty for the last.
    pub fn chunk(&mut self) -> Vec<u8> {
        let line = self.take_through(b"\r\n");
        let size = usize::from_str_radix(std::str::from_utf8(&line).unwrap().trim_end(), 16).unwrap();
        let data = self.take(size);
        assert_eq!(self.take(2), b"\r\n");
        data
    }

    /// An answer that has been read already: fails where one more read would be needed.
    pub fn answer_at_hand(&mut self) -> Answer {
        self.stream.set_nonblocking(true).unwrap();
        let answer = self.answer();
        self.stream.set_nonblocking(false).unwrap();
        answer
    }

    pub fn answer(&mut self) -> Answer {
        let mut answer = self.head();
        match (answer.field("content-length"), answer.field("transfer-encoding")) {
            (Some(length), None) => answer.body = self.take(length.parse().unwrap()),
            (None, Some("chunked")) => {
                let mut chunk = self.chunk();
                while !chunk.is_empty() {
                    answer.body.append(&mut chunk);
                    chunk = self.chunk();
                }
            }
            (None, None) if answer.status < 200 || answer.status == 204 => {}
            (None, None) => answer.body = self.rest(),
            other => panic!("two framings: {other:?}"),
        }
        answer
    }
}
