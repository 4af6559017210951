//! §13.3 What comes for one POST: a JSON body, or a stream of events.
//! Law: a response ends the flow; what follows it is not waited for.

use std::sync::Arc;
use std::time::Duration;

use crossbeam_channel::select;

use super::body::Body;
use super::events::Events;
use super::shared::{Fields, Shared};
use super::socket::Connection;
use crate::client::error::Error;
use crate::client::message::Incoming;
use crate::client::transport::{Flow, Problem};
use crate::client::wait::Wait;
use crate::envelope::RequestId;
use crate::http::wire::ReplyHead;

/// How often a stream is taken up again without an event in between.
const MOST_TRIES: usize = 5;
/// How long to wait before that, where the server says nothing.
pub(super) const RETRY: Duration = Duration::from_secs(1);

/// A response that came as JSON.
pub(super) struct Answered(pub(super) Option<Incoming>);

impl Flow for Answered {
    fn next(&mut self, _wait: &Wait<'_>) -> Result<Incoming, Error> {
        self.0.take().ok_or_else(over)
    }
}

fn over() -> Error {
    Error::protocol("nothing comes after the response")
}

/// Messages out of a stream of events.
pub(super) struct Reader {
    connection: Connection,
    body: Body,
    pub(super) events: Events,
    keep_alive: bool,
}

impl Reader {
    pub(super) fn new(connection: Connection, head: &ReplyHead, events: Events) -> Reader {
        Reader { connection, body: Body::new(head.length), events, keep_alive: head.keep_alive }
    }

    /// The next message; `None` when the stream has ended. What is no message is reported and skipped.
    pub(super) fn next(&mut self, shared: &Shared, wait: &Wait<'_>) -> Result<Option<Incoming>, Error> {
        let _watch = self.connection.socket.watched(wait.cancel);
        loop {
            while let Some(event) = self.events.pop() {
                if event.kind.is_some_and(|kind| kind != "message") {
                    continue;
                }
                match Incoming::read(&event.data, shared.limits.values) {
                    Ok(message) => return Ok(Some(message)),
                    Err(Error::Protocol(what)) => shared.problem(Problem::Skipped(beginning(&what, &event.data))),
                    Err(error) => return Err(error),
                }
            }
            let mut data = Vec::new();
            self.body.take(&mut self.connection, &mut data, (usize::MAX, &shared.limits))?;
            if !data.is_empty() {
                let limit = shared.limits.message;
                self.events.feed(&data).map_err(|_| Error::TooLarge { what: "an event of a stream", limit })?;
                continue;
            }
            if !self.body.wait(&mut self.connection, wait)? {
                return Ok(None);
            }
        }
    }

    /// Gives the connection back.
    pub(super) fn keep(self, shared: &Shared) {
        shared.keep(self.connection, self.body, self.keep_alive);
    }
}

/// What is wrong, with the beginning of what came.
pub(super) fn beginning(what: &str, data: &[u8]) -> String {
    let text = String::from_utf8_lossy(data.get(..200).unwrap_or(data));
    format!("{what}: {text}")
}

/// A stream of events that answers a POST.
pub(super) struct Streamed {
    shared: Arc<Shared>,
    reader: Option<Reader>,
    id: RequestId,
    /// The fields for taking the stream up again; `None` where it cannot be.
    resume: Option<Fields>,
    tries: usize,
}

impl Streamed {
    pub(super) fn new(shared: &Arc<Shared>, reader: Reader, id: RequestId, resume: Option<Fields>) -> Streamed {
        Streamed { shared: Arc::clone(shared), reader: Some(reader), id, resume, tries: 0 }
    }

    /// Takes a broken stream up again, where its events had ids (initialize era).
    fn take_up(&mut self, why: Error, wait: &Wait<'_>) -> Result<(), Error> {
        let Some(reader) = self.reader.take() else { return Err(why) };
        let mut events = reader.events;
        let (Some(fields), Some(last)) = (&self.resume, events.last_id.clone()) else { return Err(why) };
        loop {
            if self.tries >= MOST_TRIES {
                return Err(why);
            }
            self.tries += 1;
            pause(&self.shared, events.retry.unwrap_or(RETRY), wait)?;
            match get(&self.shared, fields, Some(&last), wait) {
                Ok((connection, head)) if is_stream(&head) => {
                    events.restart();
                    self.reader = Some(Reader::new(connection, &head, events));
                    return Ok(());
                }
                Ok(_) => return Err(why),
                Err(Error::Transport { .. }) => {}
                Err(error) => return Err(error),
            }
        }
    }
}

impl Flow for Streamed {
    fn next(&mut self, wait: &Wait<'_>) -> Result<Incoming, Error> {
        loop {
            let Some(reader) = &mut self.reader else { return Err(over()) };
            let why = match reader.next(&self.shared, wait) {
                Ok(Some(Incoming::Response(reply))) => {
                    if reply.id.as_ref().is_some_and(|id| *id != self.id) {
                        self.shared.problem(Problem::Unasked("a response with the id of another request".to_owned()));
                        continue;
                    }
                    if let Some(reader) = self.reader.take() {
                        reader.keep(&self.shared);
                    }
                    return Ok(Incoming::Response(reply));
                }
                Ok(Some(Incoming::Broken { id, error })) if id == self.id => return Err(error),
                Ok(Some(Incoming::Broken { error, .. })) => {
                    self.shared.problem(Problem::Skipped(error.to_string()));
                    continue;
                }
                Ok(Some(message)) => {
                    self.tries = 0;
                    return Ok(message);
                }
                Ok(None) => Error::Transport { cause: "the stream ended without a response".to_owned(), sent: true },
                Err(error @ Error::Transport { .. }) => error,
                Err(error) => return Err(error),
            };
            self.take_up(why, wait)?;
        }
    }
}

pub(super) fn is_stream(head: &ReplyHead) -> bool {
    head.status == 200 && media_type(head) == "text/event-stream"
}

/// The media type of a reply, in lower case and without parameters; empty where there is none.
pub(super) fn media_type(head: &ReplyHead) -> String {
    let value = head.field("content-type").unwrap_or_default();
    value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

/// Asks for a stream (initialize era).
pub(super) fn get(
    shared: &Shared,
    fields: &Fields,
    last_id: Option<&str>,
    wait: &Wait<'_>,
) -> Result<(Connection, ReplyHead), Error> {
    let mut own = vec![("accept", "text/event-stream")];
    own.extend(last_id.map(|id| ("last-event-id", id)));
    shared.exchange(&shared.request("GET", &own, fields, "")?, true, wait)
}

/// Waits, unless the wait or the client ends first.
pub(super) fn pause(shared: &Shared, time: Duration, wait: &Wait<'_>) -> Result<(), Error> {
    let left = wait.left()?.unwrap_or(Duration::MAX);
    select! {
        recv(wait.cancel.channel()) -> _ => Err(Error::Cancelled),
        recv(shared.closed.channel()) -> _ => Err(Error::Cancelled),
        default(time.min(left)) => wait.left().map(drop),
    }
}
