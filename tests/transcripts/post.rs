//! The two ways of a POST to the server: into the corridor itself, or through a socket.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};

use plain_mcp::Server;
use plain_mcp::arrival::RequestHead;
use plain_mcp::http::{Cancelling, Exchange, Gate, Handle, Host, HttpAnswer, Peer, RawRequest};
use plain_mcp::sink::Gone;

use crate::PATIENCE;

/// What comes back: one head, pieces of a body, the end.
#[derive(Debug)]
pub enum Piece {
    Head(Head),
    Body(Vec<u8>),
    End,
}

/// A status and fields, names in lower case.
#[derive(Debug, Default)]
pub struct Head {
    pub status: u16,
    /// The whole status line, where there is one.
    pub line: Option<String>,
    pub fields: Vec<(String, String)>,
}

/// A way to the server. Exchanges have names; each has at most one answer on its way.
pub trait Way {
    fn send(&mut self, who: &str, head: RequestHead, body: Vec<u8>) -> Result<(), String>;
    fn next(&mut self, who: &str) -> Result<Piece, String>;
    fn hang_up(&mut self, who: &str);
    fn shut_down(&mut self);
    /// Ends the server; nothing more may have come.
    fn end(self: Box<Self>) -> Result<(), String>;
}

/// The corridor, without a socket. An exchange runs on a thread, since a listen stream stays.
pub struct Corridor {
    exchange: Arc<Exchange>,
    running: BTreeMap<String, (Receiver<Piece>, Arc<Cancelling>)>,
}

impl Corridor {
    pub fn of(server: &Server) -> Corridor {
        let gate = Gate::new().bound_to([127, 0, 0, 1].into());
        Corridor { exchange: Arc::new(Exchange::new(server, gate).unwrap()), running: BTreeMap::new() }
    }
}

impl Way for Corridor {
    fn send(&mut self, who: &str, head: RequestHead, body: Vec<u8>) -> Result<(), String> {
        let (pieces, seen) = channel();
        let cancel = Cancelling::new();
        if let Some((before, _)) = self.running.insert(who.to_owned(), (seen, Arc::clone(&cancel))) {
            over(&before)?;
        }
        let exchange = Arc::clone(&self.exchange);
        std::thread::spawn(move || {
            let peer = Recorder(pieces);
            match exchange.judge_head(&head) {
                Err(answer) => peer.answer(answer).unwrap(),
                Ok(passed) => exchange.run(passed, RawRequest { head: &head, body: &body }, &peer, &cancel),
            }
        });
        Ok(())
    }

    fn next(&mut self, who: &str) -> Result<Piece, String> {
        self.running[who].0.recv_timeout(PATIENCE).map_err(|error| format!("nothing comes: {error}"))
    }

    fn hang_up(&mut self, who: &str) {
        let (_, cancel) = self.running.remove(who).unwrap();
        cancel.cancel();
    }

    fn shut_down(&mut self) {
        self.exchange.end_streams();
    }

    fn end(self: Box<Self>) -> Result<(), String> {
        self.running.values().try_for_each(|(seen, _)| over(seen))
    }
}

impl Drop for Corridor {
    fn drop(&mut self) {
        self.exchange.end_streams();
        self.running.values().for_each(|(_, cancel)| cancel.cancel()); // a play that failed leaves no thread behind
    }
}

/// The exchange has returned, and nothing came after its end.
fn over(seen: &Receiver<Piece>) -> Result<(), String> {
    match seen.recv_timeout(PATIENCE) {
        Err(RecvTimeoutError::Disconnected) => Ok(()),
        Err(RecvTimeoutError::Timeout) => Err("an exchange does not return".to_owned()),
        Ok(piece) => Err(format!("more came after the end: {piece:?}")),
    }
}

struct Recorder(Sender<Piece>);

impl Recorder {
    fn tell(&self, pieces: impl IntoIterator<Item = Piece>) -> Result<(), Gone> {
        pieces.into_iter().for_each(|piece| drop(self.0.send(piece))); // after a hang-up nobody listens
        Ok(())
    }
}

fn head(status: u16, fields: &[(&'static str, String)]) -> Piece {
    let fields = fields.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
    Piece::Head(Head { status, line: None, fields })
}

impl Peer for Recorder {
    fn answer(&self, answer: HttpAnswer) -> Result<(), Gone> {
        self.tell([head(answer.status, &answer.fields), Piece::Body(answer.body), Piece::End])
    }

    fn begin_stream(&self, status: u16, fields: &[(&'static str, String)], first: &[u8]) -> Result<(), Gone> {
        self.tell([head(status, fields), Piece::Body(first.to_vec())])
    }

    fn event(&self, bytes: &[u8]) -> Result<(), Gone> {
        self.tell([Piece::Body(bytes.to_vec())])
    }

    fn end_stream(&self, last: &[u8]) -> Result<(), Gone> {
        self.tell([Piece::Body(last.to_vec()), Piece::End])
    }
}

/// A host on a loopback socket. A name keeps its connection for as long as the host does.
pub struct Loopback {
    handle: Handle,
    address: SocketAddr,
    connections: BTreeMap<String, Connection>,
}

impl Loopback {
    pub fn of(server: &Server) -> Loopback {
        let handle = Host::local(server, 0).unwrap().start().unwrap();
        Loopback { address: handle.local_addr(), handle, connections: BTreeMap::new() }
    }
}

impl Way for Loopback {
    fn send(&mut self, who: &str, head: RequestHead, body: Vec<u8>) -> Result<(), String> {
        let mut bytes = format!("{} {} HTTP/1.1\r\n", head.method, head.target).into_bytes();
        for (name, value) in head.fields {
            bytes.extend([name.as_bytes(), b": ", &value, b"\r\n"].concat());
        }
        bytes.extend(b"\r\n");
        bytes.extend(body);
        self.connections.retain(|_, connection| !connection.closing);
        let connection = self.connections.entry(who.to_owned()).or_insert_with(|| Connection::to(self.address));
        connection.stream.write_all(&bytes).map_err(|error| error.to_string())
    }

    fn next(&mut self, who: &str) -> Result<Piece, String> {
        self.connections.get_mut(who).unwrap().next()
    }

    fn hang_up(&mut self, who: &str) {
        self.connections.remove(who);
    }

    fn shut_down(&mut self) {
        self.handle.shutdown_signal().shut_down();
    }

    fn end(self: Box<Self>) -> Result<(), String> {
        self.handle.shutdown_signal().shut_down();
        for (_, mut connection) in self.connections {
            if connection.fill()? || !connection.inbox.is_empty() {
                return Err(format!("more came after the end: {:?}", String::from_utf8_lossy(&connection.inbox)));
            }
        }
        self.handle.shutdown().map_err(|error| error.to_string())
    }
}

/// A connection and what has been read from it.
struct Connection {
    stream: TcpStream,
    inbox: Vec<u8>,
    body: Framing,
    /// The host says that it closes.
    closing: bool,
}

/// What is still to come of an answer.
enum Framing {
    /// A head.
    None,
    Length(usize),
    Chunks,
}

impl Connection {
    fn to(address: SocketAddr) -> Connection {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_nodelay(true).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_write_timeout(Some(PATIENCE)).unwrap();
        Connection { stream, inbox: Vec::new(), body: Framing::None, closing: false }
    }

    /// Reads once; `false` at the end.
    fn fill(&mut self) -> Result<bool, String> {
        let mut room = [0; 65536];
        let count = self.stream.read(&mut room).map_err(|error| format!("nothing comes: {error}"))?;
        self.inbox.extend_from_slice(&room[..count]);
        Ok(count > 0)
    }

    fn take(&mut self, count: usize) -> Result<Vec<u8>, String> {
        while self.inbox.len() < count {
            self.fill_more()?;
        }
        Ok(self.inbox.drain(..count).collect())
    }

    fn take_through(&mut self, end: &[u8]) -> Result<String, String> {
        loop {
            if let Some(at) = self.inbox.windows(end.len()).position(|window| window == end) {
                let taken = String::from_utf8(self.take(at + end.len())?).map_err(|error| error.to_string())?;
                return Ok(taken[..at].to_owned());
            }
            self.fill_more()?;
        }
    }

    fn fill_more(&mut self) -> Result<(), String> {
        if self.fill()? { Ok(()) } else { Err("the connection ends within an answer".to_owned()) }
    }

    fn next(&mut self) -> Result<Piece, String> {
        match self.body {
            Framing::None => self.head().map(Piece::Head),
            Framing::Length(0) => {
                self.body = Framing::None;
                Ok(Piece::End)
            }
            Framing::Length(length) => {
                self.body = Framing::Length(0);
                self.take(length).map(Piece::Body)
            }
            Framing::Chunks => self.chunk(),
        }
    }

    fn chunk(&mut self) -> Result<Piece, String> {
        let size = self.take_through(b"\r\n")?;
        let size = usize::from_str_radix(&size, 16).map_err(|error| format!("chunk size {size:?}: {error}"))?;
        let data = self.take(size)?;
        if self.take(2)? != b"\r\n" {
            return Err("a chunk is longer than it says".to_owned());
        }
        if size > 0 {
            return Ok(Piece::Body(data));
        }
        self.body = Framing::None;
        Ok(Piece::End)
    }

    fn head(&mut self) -> Result<Head, String> {
        let text = self.take_through(b"\r\n\r\n")?;
        let mut lines = text.split("\r\n");
        let line = lines.next().unwrap_or_default().to_owned();
        let status = line.split(' ').nth(1).and_then(|status| status.parse().ok());
        let status = status.ok_or_else(|| format!("no status line: {line}"))?;
        let fields = lines.map(|line| line.split_once(": ").ok_or_else(|| format!("no field: {line}")));
        let fields = fields.collect::<Result<Vec<_>, _>>()?.into_iter();
        let head = Head {
            status,
            line: Some(line),
            fields: fields.map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned())).collect(),
        };
        self.closing = head.field("connection") == Some("close");
        self.body = match (head.field("content-length"), head.field("transfer-encoding"), status) {
            (Some(length), None, _) => Framing::Length(length.parse().map_err(|_| "no length".to_owned())?),
            (None, Some("chunked"), _) => Framing::Chunks,
            (None, None, 204) => Framing::Length(0),
            framing => return Err(format!("an answer has an end: {framing:?}")),
        };
        Ok(head)
    }
}

impl Head {
    pub fn field(&self, name: &str) -> Option<&str> {
        self.fields.iter().find(|(field, _)| field == name).map(|(_, value)| value.as_str())
    }
}
