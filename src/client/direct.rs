//! §18 Calls to a server in this process, without any bytes between.
//! Law: a call runs on a thread of its own, so that its caller can stop waiting.

use std::sync::{Mutex, Weak};
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender, bounded, select};
use serde_json::value::RawValue;

use super::error::{Error, ServerError};
use super::limits::ClientLimits;
use super::message::{Incoming, Outgoing, Reply};
use super::transport::{Ears, Flow, Opened, Transport};
use super::wait::Wait;
use crate::arrival::Via;
use crate::cancellation::{CancelSource, cancellation};
use crate::dialect::{Arrival, select as select_dialect};
use crate::envelope::{self, Message, Notification, Response};
use crate::lock;
use crate::pool::Pool;
use crate::server::Server;
use crate::sink::{Gone, Sink};

/// A server in this process.
pub(crate) struct DirectTransport {
    server: Server,
    pool: Pool,
    queue: usize,
    /// Dropped on close, which ends every call.
    open: Mutex<Option<Sender<()>>>,
    closed: Receiver<()>,
}

/// One call: what its thread sends.
struct DirectFlow {
    messages: Receiver<Incoming>,
    closed: Receiver<()>,
    /// Dropped with the flow, which cancels the call.
    _source: CancelSource,
}

/// Hands the notifications of one call over. Waits where its caller does not take them, as a socket would.
struct ToFlow(Sender<Incoming>);

impl Sink for ToFlow {
    fn send(&self, note: &Notification) -> Result<(), Gone> {
        let note = note.clone();
        self.0.send(Incoming::Notification { method: note.method, params: note.params }).map_err(|_| Gone)
    }
}

/// As many calls at a time as anyone will make: each is a thread.
const CALLS: usize = 1024;

impl DirectTransport {
    pub(crate) fn new(server: &Server, limits: &ClientLimits) -> DirectTransport {
        let (open, closed) = bounded(0);
        let pool = Pool::new("mcp-direct", CALLS);
        DirectTransport { server: server.clone(), pool, queue: limits.queue, open: Mutex::new(Some(open)), closed }
    }

    /// What the text of a message is to the server.
    fn decode(&self, message: &Outgoing) -> Result<Message, Error> {
        let limits = &self.server.limits();
        envelope::read(message.text.as_bytes(), limits)
            .map_err(|refused| Error::Invalid(format!("a message that no server takes: {}", refused.fault.message())))
    }
}

impl Transport for DirectTransport {
    fn attach(&self, _ears: Weak<dyn Ears>) {}

    fn open(&self, request: &Outgoing, wait: &Wait<'_>) -> Result<Opened, Error> {
        wait.left()?;
        if lock(&self.open).is_none() {
            return Err(Error::Cancelled);
        }
        let Message::Request(request) = self.decode(request)? else {
            return Err(Error::Invalid("a request without an id".to_owned()));
        };
        let (sender, messages) = bounded(self.queue);
        let (source, cancel) = cancellation();
        let server = self.server.clone();
        let job = move || {
            let id = request.id.clone();
            let response = match select_dialect(None, &request.params, server.dialects()) {
                Err(fault) => Response { id: Some(id.clone()), answer: Err(fault) },
                Ok(dialect) => {
                    let arrival = Arrival { dialect, principal: None, via: Via::Direct, ending: None };
                    server.serve(request, &arrival, &ToFlow(sender.clone()), &cancel)
                }
            };
            let _ = sender.send(Incoming::Response(reply(response)));
        };
        self.pool
            .run(Box::new(job))
            .map_err(|_| Error::Transport { cause: "no thread for the call".to_owned(), sent: false })?;
        let flow = Box::new(DirectFlow { messages, closed: self.closed.clone(), _source: source });
        Ok(Opened { flow, status: 200, session: None, run: 0 })
    }

    /// What is told to a server in this process changes nothing: a cancel is the drop of its flow.
    fn tell(&self, message: &Outgoing, wait: &Wait<'_>) -> Result<(), Error> {
        wait.left()?;
        self.decode(message).map(drop)
    }

    fn drop_cancels(&self) -> bool {
        true
    }

    fn close(&self) {
        drop(lock(&self.open).take());
    }
}

/// The response as if it had come by a wire.
fn reply(response: Response) -> Reply {
    let outcome = match response.answer {
        Ok(body) => Ok(RawValue::from_string(body.as_str().to_owned()).unwrap_or_else(|_| RawValue::NULL.to_owned())),
        Err(fault) => Err(ServerError {
            code: fault.code().number(),
            message: fault.message().to_owned(),
            data: fault.detail().cloned(),
        }),
    };
    Reply { id: response.id, outcome }
}

impl Flow for DirectFlow {
    fn next(&mut self, wait: &Wait<'_>) -> Result<Incoming, Error> {
        let left = wait.left()?.unwrap_or(Duration::MAX);
        let gone = || Error::Transport { cause: "the call has ended without an answer".to_owned(), sent: true };
        select! {
            recv(self.messages) -> message => message.map_err(|_| gone()),
            recv(wait.cancel.channel()) -> _ => Err(Error::Cancelled),
            recv(self.closed) -> _ => Err(Error::Cancelled),
            default(left) => Err(wait.over()),
        }
    }
}
