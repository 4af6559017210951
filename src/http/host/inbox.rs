//! §13.9 What has been read from a connection and not yet used.
//! Law: memory follows what has really arrived, not what a head announces.

use std::io::{ErrorKind, Read};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// Enough for the requests of most clients in one read.
const SMALL: usize = 2 * 1024;
/// A buffer that grew beyond this is given back when nothing comes after a request.
const LARGE: usize = 256 * 1024;
/// So long nothing has to come: more than it takes a client that sends one large request after the other.
const SILENCE: Duration = Duration::from_millis(10);

/// How a read ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Filled {
    /// There are more bytes.
    More,
    /// The client will send no more.
    End,
    /// The time is up.
    Late,
    /// The connection is broken.
    Broken,
}

/// A time by which something must be done; it starts to run when it is first asked for.
#[derive(Debug)]
pub(super) struct Deadline {
    within: Duration,
    until: Option<Instant>,
}

impl Deadline {
    pub(super) fn within(within: Duration) -> Deadline {
        Deadline { within, until: None }
    }

    /// What is left; `None` when nothing is.
    pub(super) fn left(&mut self) -> Option<Duration> {
        let now = Instant::now();
        // A duration beyond the reach of the clock is no limit.
        let until = *self
            .until
            .get_or_insert_with(|| now.checked_add(self.within).unwrap_or(now + Duration::from_secs(1 << 30)));
        Some(until.saturating_duration_since(now)).filter(|left| !left.is_zero())
    }
}

/// The buffer between a socket and the parser.
#[derive(Debug)]
pub(super) struct Inbox {
    room: Vec<u8>,
    start: usize,
    end: usize,
    /// The timeout that the socket has now, so that it is set only when it changes.
    armed: Option<Duration>,
}

impl Inbox {
    pub(super) fn new() -> Inbox {
        Inbox { room: vec![0; SMALL], start: 0, end: 0, armed: None }
    }

    /// What is there.
    pub(super) fn bytes(&self) -> &[u8] {
        self.room.get(self.start..self.end).unwrap_or_default()
    }

    /// Takes the first `count` bytes away.
    pub(super) fn consume(&mut self, count: usize) {
        self.start = self.end.min(self.start.saturating_add(count));
        if self.start == self.end {
            self.start = 0;
            self.end = 0;
        }
    }

    /// Reads once, within the time given. `want` is how many bytes would be welcome in all.
    pub(super) fn fill(&mut self, stream: &TcpStream, within: Duration, want: usize) -> Filled {
        if self.end == 0 && self.room.len() > LARGE {
            // a buffer that is kept need not be made, and filled with zeros, for the next request
            match self.read(stream, SILENCE.min(within), want) {
                Filled::Late => self.room = vec![0; SMALL],
                filled => return filled,
            }
        }
        self.read(stream, within, want)
    }

    fn read(&mut self, mut stream: &TcpStream, within: Duration, want: usize) -> Filled {
        self.make_room(want);
        if self.armed != Some(within) {
            if stream.set_read_timeout(Some(within)).is_err() {
                return Filled::Broken;
            }
            self.armed = Some(within);
        }
        let room = self.room.get_mut(self.end..).unwrap_or_default();
        loop {
            return match stream.read(room) {
                Ok(0) => Filled::End,
                Ok(count) => {
                    self.end += count;
                    Filled::More
                }
                Err(error) => match error.kind() {
                    ErrorKind::Interrupted => continue,
                    ErrorKind::WouldBlock | ErrorKind::TimedOut => Filled::Late,
                    _ => Filled::Broken,
                },
            };
        }
    }

    /// Makes sure that there is room behind the bytes, for `want` in all if so many have come that it is to be believed.
    fn make_room(&mut self, want: usize) {
        if self.start > 0 {
            self.room.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
        }
        if self.end == self.room.len() || (want > self.room.len() && self.end * 2 > self.room.len()) {
            let enough = want.max(self.end + SMALL);
            let credible = self.end.saturating_mul(4).max(8 * SMALL);
            self.room.resize(enough.min(credible).max(self.end + SMALL), 0);
        }
    }
}
