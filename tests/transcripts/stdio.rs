//! Plays a transcript over stdio: a pair of pipes in memory, or the two directions of a loopback socket.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

use plain_mcp::Server;
use serde_json::Value;

use crate::pattern::{self, Names};
use crate::script::{Kind, Line, Script, Step};
use crate::{PATIENCE, Place, wire_schema};

pub fn play(script: &Script, server: &Server, place: Place) -> Result<(), String> {
    let mut player = Player::of(server, place);
    for step in &script.steps {
        player.step(step).map_err(|fault| format!("line {}: {fault}", step.line))?;
    }
    player.end()
}

struct Player {
    input: Option<Box<dyn Write>>,
    output: BufReader<Box<dyn Read>>,
    served: JoinHandle<io::Result<()>>,
    names: Names,
    /// The requests sent: id and method.
    sent: Vec<(Value, String)>,
    closed: bool,
}

impl Player {
    fn of(server: &Server, place: Place) -> Player {
        let (here, there) = match place {
            Place::Memory => pipes(),
            Place::Loopback => sockets(),
        };
        let server = server.clone();
        let served = std::thread::spawn(move || plain_mcp::stdio::serve_on(&server, there.0, there.1));
        let output = BufReader::new(here.0 as Box<dyn Read>);
        Player { input: Some(here.1), output, served, names: Names::default(), sent: Vec::new(), closed: false }
    }

    fn step(&mut self, step: &Step) -> Result<(), String> {
        if !step.who.is_empty() {
            return Err("stdio has one stream and no names for it".to_owned());
        }
        match step.kind {
            Kind::Send => self.send(&step.lines),
            Kind::Expect => self.expect(&step.lines),
            Kind::Act if step.lines[0].text == "the input ends" => {
                self.input.take().map(drop).ok_or_else(|| "the input has ended".to_owned())
            }
            Kind::Act => Err(format!("nobody can do this: {}", step.lines[0].text)),
        }
    }

    fn end(self) -> Result<(), String> {
        if !self.closed {
            return Err("the output was not seen to its end".to_owned());
        }
        self.names.end()?;
        self.served.join().unwrap().map_err(|error| error.to_string())
    }

    fn send(&mut self, lines: &[Line]) -> Result<(), String> {
        let text = self.names.fill(&pattern::text(lines))?;
        let mut bytes = String::new();
        if lines.iter().all(|line| line.raw) {
            bytes = text + "\n";
        } else {
            for message in pattern::values(&text)? {
                if lines.iter().any(|line| line.raw) || pattern::is_open(&message) {
                    return Err("a message is JSON without ..., or raw in all its lines".to_owned());
                }
                self.sent.push((message["id"].clone(), message["method"].as_str().unwrap_or_default().to_owned()));
                bytes.push_str(&format!("{message}\n"));
            }
        }
        let input = self.input.as_mut().ok_or("the input has ended")?;
        input.write_all(bytes.as_bytes()).map_err(|error| error.to_string())
    }

    fn expect(&mut self, lines: &[Line]) -> Result<(), String> {
        let end = lines.iter().position(|line| line.text == "closed");
        let (messages, behind) = lines.split_at(end.unwrap_or(lines.len()));
        let mut due = pattern::values(&pattern::text(messages))?;
        while !due.is_empty() {
            let seen = self.line()?.ok_or_else(|| format!("the output has ended where {} was due", due[0]))?;
            self.take(&mut due, &seen)?;
            let sent = self.sent.iter().find(|(id, _)| *id == seen["id"]);
            wire_schema::message(sent.map_or("", |(_, method)| method), &seen);
        }
        match behind {
            [] => Ok(()),
            [_] if self.input.is_some() => Err("the output ends after the input, which goes on".to_owned()),
            [_] => match self.line()? {
                None => {
                    self.closed = true;
                    Ok(())
                }
                Some(more) => Err(format!("the output goes on: {more}")),
            },
            _ => Err("nothing comes after the end".to_owned()),
        }
    }

    /// Takes what was seen from what is due. Requests run beside each other, so the messages of one block come in any order.
    fn take(&mut self, due: &mut Vec<Value>, seen: &Value) -> Result<(), String> {
        let mut fault = String::new();
        for at in 0..due.len() {
            let mut names = self.names.clone();
            match names.compare(&due[at], seen) {
                Ok(()) => {
                    self.names = names;
                    due.remove(at);
                    return Ok(());
                }
                Err(differs) => fault = differs,
            }
        }
        Err(if due.len() == 1 { fault } else { format!("in this block is nothing like {seen}") })
    }

    /// The next line; `None` at the end.
    fn line(&mut self) -> Result<Option<Value>, String> {
        let mut line = String::new();
        self.output.read_line(&mut line).map_err(|error| format!("nothing comes: {error}"))?;
        match line.strip_suffix('\n') {
            None if line.is_empty() => Ok(None),
            Some(message) if !message.contains('\r') => {
                serde_json::from_str(message).map(Some).map_err(|error| format!("{error}: {line:?}"))
            }
            _ => Err(format!("no line: {line:?}")),
        }
    }
}

/// Where one side reads and where it writes.
type End = (Box<dyn Read + Send>, Box<dyn Write + Send>);

fn pipes() -> (End, End) {
    let ((to_server, server_reads), (to_client, client_reads)) = (channel(), channel());
    let side = |chunks, chunk_of| -> End { (Box::new(Chunks { chunks, rest: Vec::new() }), Box::new(Chunk(chunk_of))) };
    (side(client_reads, to_server), side(server_reads, to_client))
}

/// Reads what is sent into a channel. Its end is the end of input; what is awaited for too long is an error.
struct Chunks {
    chunks: Receiver<Vec<u8>>,
    rest: Vec<u8>,
}

impl Read for Chunks {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        use std::sync::mpsc::RecvTimeoutError::{Disconnected, Timeout};
        while self.rest.is_empty() {
            match self.chunks.recv_timeout(PATIENCE) {
                Ok(chunk) => self.rest = chunk,
                Err(Disconnected) => return Ok(0),
                Err(Timeout) => return Err(io::ErrorKind::TimedOut.into()),
            }
        }
        let count = self.rest.len().min(into.len());
        into[..count].copy_from_slice(&self.rest[..count]);
        self.rest.drain(..count);
        Ok(count)
    }
}

/// Sends what is written into a channel.
struct Chunk(Sender<Vec<u8>>);

impl Write for Chunk {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.send(bytes.to_vec()).map_err(|_| io::ErrorKind::BrokenPipe)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn sockets() -> (End, End) {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let here = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    let there = listener.accept().unwrap().0;
    let side = |stream: TcpStream| -> End {
        stream.set_nodelay(true).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        (Box::new(stream.try_clone().unwrap()), Box::new(EndsWhenDropped(stream)))
    };
    (side(here), side(there))
}

/// Ends one direction of a socket, as a pipe does when its writer goes.
struct EndsWhenDropped(TcpStream);

impl Write for EndsWhenDropped {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl Drop for EndsWhenDropped {
    fn drop(&mut self) {
        let _ = self.0.shutdown(Shutdown::Write); // the peer may have gone first
    }
}
