//! §13.1 One connection: its requests one after the other, each on this thread from its first byte to its last.
//! Law: one request at a time. The next one is not looked at before the answer to this one is written.
//! Law: on a kept-alive connection a request costs one read and one write, and no memory that the last one did not leave.

use std::io::Read;
use std::net::{Shutdown, TcpStream};
use std::sync::Arc;
use std::time::Duration;

use super::inbox::{Deadline, Filled, Inbox};
use super::registry::Conn;
use super::reply::{self, Reply, Shape};
use super::shared::Shared;
use super::writer::Stage;
use crate::arrival::{Principal, RequestHead};
use crate::contained;
use crate::http::peer::{HostRefusal, HttpAnswer, Peer, RawRequest};
use crate::http::wire::{self, Bounds, Chunked, Flaw, Frame, HeadEnd, Length, Version};

/// A refused request's body of at most this size is read and dropped, so that the connection can be used again.
const SKIPPED: usize = 64 * 1024;

/// How long a client that was refused may take to read the answer and close.
const LINGER: Duration = Duration::from_secs(2);

/// A frame for an answer to what is no request.
const NO_FRAME: Frame =
    Frame { version: Version::Http11, length: Length::Known(0), keep_alive: false, expects_continue: false };

/// What becomes of a connection after a request.
enum Next {
    Request,
    Close,
    /// There may be bytes that nobody will read: close in a way that does not destroy the answer.
    Linger,
}

/// Why there is no request.
enum Stop {
    /// There is nobody to tell.
    Silent,
    Refused(HostRefusal),
}

impl From<Flaw> for Stop {
    fn from(flaw: Flaw) -> Stop {
        Stop::Refused(match flaw {
            Flaw::Malformed => HostRefusal::Malformed,
            Flaw::TransferCoding => HostRefusal::TransferCoding,
            Flaw::HeadTooLarge => HostRefusal::HeadTooLarge,
            Flaw::BodyTooLarge => HostRefusal::BodyTooLarge,
            Flaw::Version => HostRefusal::HttpVersion,
        })
    }
}

/// Talks until the connection is closed.
pub(super) fn converse(shared: &Shared, conn: &Arc<Conn>) {
    let limits = shared.service.limits();
    // req 13.9-8
    let ready = conn.stream.set_nodelay(true).and_then(|()| conn.stream.set_write_timeout(Some(limits.write_deadline)));
    if ready.is_ok() {
        let bounds = Bounds { head: limits.head, fields: limits.fields, body: limits.body };
        let mut talk = Talk {
            shared,
            conn,
            bounds,
            inbox: Inbox::new(),
            head: RequestHead::default(),
            body: Vec::new(),
            date: Date::default(),
        };
        talk.run();
    }
    let _ = conn.stream.shutdown(Shutdown::Both);
}

/// The state of a connection, its buffers above all.
struct Talk<'a> {
    shared: &'a Shared,
    conn: &'a Arc<Conn>,
    bounds: Bounds,
    inbox: Inbox,
    head: RequestHead,
    /// The body of a chunked request; that of any other is used where it lies.
    body: Vec<u8>,
    date: Date,
}

/// The value of `date`, made anew once a second.
#[derive(Default)]
struct Date {
    second: u64,
    text: String,
}

impl Date {
    fn at(&mut self, now: u64) -> &str {
        if self.text.is_empty() || self.second != now {
            self.second = now;
            self.text = wire::date(now);
        }
        &self.text
    }
}

impl Talk<'_> {
    /// req 13.9-9: one request after the other.
    fn run(&mut self) {
        loop {
            self.conn.idle();
            // The order matters: who shuts down sets the signal first and then looks for idle connections.
            if self.shared.stop.is_set() {
                return;
            }
            match self.request() {
                Next::Request => {}
                Next::Close => return,
                Next::Linger => return self.linger(),
            }
        }
    }

    /// One request, from its first byte to the last of its answer.
    fn request(&mut self) -> Next {
        let length = match self.await_head() {
            Ok(length) => length,
            Err(stop) => return self.refuse(stop, None),
        };
        self.conn.receiving();
        let bytes = self.inbox.bytes().get(..length).unwrap_or_default();
        let read = wire::read_head(bytes, &self.bounds, &mut self.head);
        self.inbox.consume(length);
        let frame = match read {
            Ok(frame) => frame,
            Err(flaw) => return self.refuse(flaw.into(), None),
        };
        let service = &self.shared.service;
        let judged = contained(|| service.judge_head(&self.head))
            .unwrap_or_else(|_| Err(service.refusal(HostRefusal::Failed, Some(&self.head))));
        let caller = match judged {
            Ok(caller) => caller,
            Err(answer) => return self.turn_away(&frame, answer),
        };
        // req 13.9-10
        if frame.expects_continue && frame.length != Length::Known(0) && self.inbox.bytes().is_empty() {
            let deadline = self.shared.service.limits().write_deadline;
            if reply::send(&self.conn.stream, wire::CONTINUE, &[], deadline).is_err() {
                return Next::Close;
            }
        }
        match self.await_body(&frame, self.bounds.body) {
            Ok(()) => self.serve(&frame, caller),
            Err(stop) => self.refuse(stop, Some(&frame)),
        }
    }

    fn await_head(&mut self) -> Result<usize, Stop> {
        let mut end = HeadEnd::default();
        let mut deadline = Deadline::within(self.shared.service.limits().head_deadline);
        loop {
            if let Some(length) = end.find(self.inbox.bytes(), &self.bounds)? {
                return Ok(length);
            }
            if !self.inbox.bytes().is_empty() {
                self.more(&mut deadline, 0)?;
                continue;
            }
            // req 13.9-16: between requests nobody is owed an answer
            match self.inbox.fill(&self.conn.stream, self.shared.service.limits().idle_deadline, 0) {
                Filled::More => {}
                Filled::End | Filled::Late | Filled::Broken => return Err(Stop::Silent),
            }
        }
    }

    /// Reads until the body is there: in the inbox, or, if chunked, in `self.body`.
    fn await_body(&mut self, frame: &Frame, limit: usize) -> Result<(), Stop> {
        let mut deadline = Deadline::within(self.shared.service.limits().body_deadline);
        match frame.length {
            Length::Known(length) => {
                while self.inbox.bytes().len() < length {
                    self.more(&mut deadline, length)?;
                }
            }
            Length::Chunked => {
                self.body.clear();
                let mut chunked = Chunked::default();
                loop {
                    let used = chunked.decode(self.inbox.bytes(), &mut self.body, limit)?;
                    self.inbox.consume(used);
                    if chunked.finished() {
                        break;
                    }
                    self.more(&mut deadline, 0)?;
                }
            }
        }
        Ok(())
    }

    /// Reads once in the middle of a message.
    fn more(&mut self, deadline: &mut Deadline, want: usize) -> Result<(), Stop> {
        let left = deadline.left().ok_or(Stop::Refused(HostRefusal::TooSlow))?;
        match self.inbox.fill(&self.conn.stream, left, want) {
            Filled::More => Ok(()),
            Filled::End => Err(Stop::Refused(HostRefusal::Malformed)),
            Filled::Late => Err(Stop::Refused(HostRefusal::TooSlow)),
            Filled::Broken => Err(Stop::Silent),
        }
    }

    /// Runs a request that is whole.
    fn serve(&mut self, frame: &Frame, caller: Option<Principal>) -> Next {
        let cancelling = self.conn.cancelling();
        self.conn.running(self.shared.watcher.rounds());
        self.shared.watcher.look();
        let shape = shape(self.shared, &mut self.date, &self.head, frame);
        let reply = Reply::new(self.conn, shape);
        let (body, used) = match frame.length {
            Length::Known(length) => (self.inbox.bytes().get(..length).unwrap_or_default(), length),
            Length::Chunked => (self.body.as_slice(), 0),
        };
        let request = RawRequest { head: &self.head, body };
        let service = &self.shared.service;
        // req 12-15
        let ran = contained(|| service.run(caller, request, &reply, &cancelling));
        if ran.is_err() && reply.is_fresh() {
            let _ = reply.answer(service.refusal(HostRefusal::Failed, Some(&self.head)));
        }
        let stage = reply.end();
        self.inbox.consume(used);
        self.body.truncate(0);
        self.body.shrink_to(SKIPPED);
        // Whatever is not whole can only be closed: the client must see that something is missing.
        if stage == Stage::Whole(true) { Next::Request } else { Next::Close }
    }

    /// Answers a request whose head was refused, and gets its body out of the way if it is small.
    fn turn_away(&mut self, frame: &Frame, answer: HttpAnswer) -> Next {
        let skip = match frame.length {
            Length::Known(length) => {
                length <= self.inbox.bytes().len() || (length <= SKIPPED && !frame.expects_continue)
            }
            Length::Chunked => !frame.expects_continue,
        };
        let frame = Frame { keep_alive: frame.keep_alive && skip, ..*frame };
        if !self.answer(&frame, answer) {
            return Next::Linger;
        }
        if self.await_body(&frame, SKIPPED).is_err() {
            return Next::Linger;
        }
        if let Length::Known(length) = frame.length {
            self.inbox.consume(length);
        }
        Next::Request
    }

    /// Says why there is no request, as far as there is somebody to tell; `frame`, if there was a head.
    fn refuse(&mut self, stop: Stop, frame: Option<&Frame>) -> Next {
        let Stop::Refused(kind) = stop else {
            return Next::Close;
        };
        if frame.is_none() {
            self.head.method.clear(); // of the last request
        }
        let answer = self.shared.service.refusal(kind, frame.map(|_| &self.head));
        self.answer(&Frame { keep_alive: false, ..*frame.unwrap_or(&NO_FRAME) }, answer);
        Next::Linger
    }

    /// Writes an answer of the host's own: `true` if the connection may be used again.
    fn answer(&mut self, frame: &Frame, answer: HttpAnswer) -> bool {
        let reply = Reply::new(self.conn, shape(self.shared, &mut self.date, &self.head, frame));
        let _ = reply.answer(answer);
        reply.end() == Stage::Whole(true)
    }

    /// Closes our half, then throws away what still comes: if a socket is closed with bytes unread, the client gets a reset and
    /// may never see the answer.
    fn linger(&mut self) {
        self.conn.idle();
        let mut stream: &TcpStream = &self.conn.stream;
        let _ = stream.shutdown(Shutdown::Write);
        // Who shuts down does not wait for it: either it finds us idle and closes our reading half, or we see the signal.
        let mut deadline = Deadline::within(if self.shared.stop.is_set() { LINGER / 20 } else { LINGER });
        let mut waste = [0; 512]; // small: this frame lies under that of every handler
        while let Some(left) = deadline.left() {
            if stream.set_read_timeout(Some(left)).is_err() || matches!(stream.read(&mut waste), Ok(0) | Err(_)) {
                return;
            }
        }
    }
}

fn shape<'a>(shared: &'a Shared, date: &'a mut Date, head: &RequestHead, frame: &Frame) -> Shape<'a> {
    Shape {
        version: frame.version,
        keep_alive: frame.keep_alive,
        stop: &shared.stop,
        head_only: head.method == "HEAD",
        date: date.at(shared.service.now()),
        write_deadline: shared.service.limits().write_deadline,
    }
}
