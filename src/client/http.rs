//! §13 The way to a server over Streamable HTTP.
//! Law: one set of framing rules with the server's side; what it would refuse is refused here.
//! Law: redirects are not followed: who is answered is who was asked.

mod body;
mod events;
mod flow;
mod idle;
mod shared;
mod socket;
mod standing;
#[cfg(feature = "tls")]
mod tls;
mod url;

use std::sync::{Arc, Weak};

use self::body::Body;
use self::events::Events;
use self::flow::{Answered, Reader, Streamed, beginning, is_stream};
use self::shared::{Fields, Shared};
use self::socket::Connection;
use self::standing::Standing;
use self::url::Url;
use super::error::Error;
use super::limits::ClientLimits;
use super::message::{Incoming, Outgoing};
use super::transport::{Ears, Flow, Opened, Problem, Transport};
use super::wait::Wait;
use crate::http::wire::ReplyHead;

/// How much of a refusal is read, in bytes, and how much of it is told.
const REFUSAL: (usize, usize) = (1024 * 1024, 1024);
/// What a POST says of itself.
const OWN: [(&str, &str); 2] =
    [("content-type", "application/json"), ("accept", "application/json, text/event-stream")];

/// A server at a URL.
pub(crate) struct HttpTransport {
    shared: Arc<Shared>,
    standing: Standing,
}

impl HttpTransport {
    /// Does not connect yet. `trusted` are certificates in DER, beside the usual ones.
    pub(crate) fn new(url: &str, limits: &ClientLimits, trusted: Vec<Vec<u8>>) -> Result<HttpTransport, Error> {
        let url = Url::parse(url)?;
        #[cfg(not(feature = "tls"))]
        if url.tls || !trusted.is_empty() {
            return Err(Error::Invalid("https needs the feature `tls`".to_owned()));
        }
        #[cfg(feature = "tls")]
        let shared = Shared::new(url, limits.clone(), tls::Trust::new(trusted)?);
        #[cfg(not(feature = "tls"))]
        let shared = Shared::new(url, limits.clone());
        Ok(HttpTransport { shared, standing: Standing::default() })
    }

    fn post(&self, message: &Outgoing, wait: &Wait<'_>) -> Result<(Connection, ReplyHead), Error> {
        let bytes = self.shared.request("POST", &OWN, &message.fields, &message.text)?;
        self.shared.exchange(&bytes, message.repeatable, wait)
    }

    /// The response in a body of JSON.
    fn answered(&self, request: &Outgoing, body: &[u8]) -> Result<Incoming, Error> {
        match Incoming::read(body, self.shared.limits.values)? {
            Incoming::Response(reply) if reply.id.is_none() || reply.id == request.id => Ok(Incoming::Response(reply)),
            Incoming::Response(_) => Err(Error::protocol("a response with the id of another request")),
            Incoming::Broken { error, .. } => Err(error),
            _ => Err(Error::protocol("a body that is no response")),
        }
    }

    /// What a status over 299, or under 200, comes with: an error of JSON-RPC, or nothing that counts.
    fn refusal(
        &self,
        request: &Outgoing,
        mut connection: Connection,
        head: &ReplyHead,
        wait: &Wait<'_>,
    ) -> Result<Incoming, Error> {
        let mut body = Body::new(head.length);
        let _watch = connection.socket.watched(wait.cancel);
        let text = match body.read_all(&mut connection, (REFUSAL.0, &self.shared.limits), wait) {
            Ok(text) => {
                drop(_watch);
                self.shared.keep(connection, body, head.keep_alive);
                text
            }
            Err(error @ (Error::Cancelled | Error::Timeout { .. })) => return Err(error),
            Err(_) => Vec::new(), // the status counts all the same
        };
        match self.answered(request, &text) {
            Ok(answer) => Ok(answer),
            Err(_) => Err(Error::Status {
                status: head.status,
                challenge: head.field("www-authenticate").map(str::to_owned),
                location: head.field("location").map(str::to_owned),
                body: String::from_utf8_lossy(text.get(..REFUSAL.1).unwrap_or(&text)).into_owned(),
            }),
        }
    }
}

/// The session that a reply names: visible ASCII, else it cannot be sent back.
fn session(head: &ReplyHead) -> Result<Option<String>, Error> {
    match head.field("mcp-session-id") {
        Some(id) if id.is_empty() || !id.bytes().all(|byte| byte.is_ascii_graphic()) => {
            Err(Error::protocol("a session id that is not visible ASCII"))
        }
        id => Ok(id.map(str::to_owned)),
    }
}

impl Transport for HttpTransport {
    fn attach(&self, ears: Weak<dyn Ears>) {
        self.shared.attach(ears);
    }

    fn open(&self, request: &Outgoing, wait: &Wait<'_>) -> Result<Opened, Error> {
        let Some(id) = request.id.clone() else { return Err(Error::Invalid("a request without an id".to_owned())) };
        let (mut connection, head) = self.post(request, wait)?;
        let session = session(&head)?;
        let status = head.status;
        let flow: Box<dyn Flow> = if is_stream(&head) {
            let reader = Reader::new(connection, &head, Events::new(self.shared.limits.message));
            let resume = request.resumable.then(|| request.fields.clone());
            Box::new(Streamed::new(&self.shared, reader, id, resume))
        } else if (200..300).contains(&status) {
            let mut body = Body::new(head.length);
            let limits = (self.shared.limits.message, &self.shared.limits);
            let watch = connection.socket.watched(wait.cancel);
            let text = body.read_all(&mut connection, limits, wait)?;
            drop(watch);
            if text.is_empty() {
                return Err(Error::protocol(format!("status {status} without a response")));
            }
            let answer = self.answered(request, &text).map_err(|error| match error {
                Error::Protocol(what) => Error::Protocol(beginning(&what, &text)),
                error => error,
            })?;
            self.shared.keep(connection, body, head.keep_alive);
            Box::new(Answered(Some(answer)))
        } else {
            Box::new(Answered(Some(self.refusal(request, connection, &head, wait)?)))
        };
        Ok(Opened { flow, status, session })
    }

    fn tell(&self, message: &Outgoing, wait: &Wait<'_>) -> Result<(), Error> {
        let mut message = message.clone();
        message.repeatable = true; // a notification twice does no harm, nor does a second answer
        let (mut connection, head) = self.post(&message, wait)?;
        if !(200..300).contains(&head.status) {
            return match self.refusal(&message, connection, &head, wait) {
                Ok(Incoming::Response(reply)) => reply.outcome.map(drop).map_err(Error::Server),
                Ok(_) => Err(Error::protocol("a refusal that is no error")),
                Err(error) => Err(error),
            };
        }
        let mut body = Body::new(head.length);
        if is_stream(&head) || body.read_all(&mut connection, (REFUSAL.0, &self.shared.limits), wait).is_err() {
            self.shared.problem(Problem::Lenient("a message that nothing answers was answered".to_owned()));
            return Ok(()); // the message has got there; the connection is not kept
        }
        self.shared.keep(connection, body, head.keep_alive);
        Ok(())
    }

    fn drop_cancels(&self) -> bool {
        true
    }

    fn has_headers(&self) -> bool {
        true
    }

    fn listen(&self, fields: Vec<(String, String)>) {
        self.standing.begin(&self.shared, fields);
    }

    fn end_session(&self, fields: &[(String, String)], wait: &Wait<'_>) {
        self.standing.end();
        let fields: Fields = fields.to_vec();
        // the server may not have it, or not any more; either way the session is over for us
        if let Ok(bytes) = self.shared.request("DELETE", &[], &fields, "") {
            let _ = self.shared.exchange(&bytes, true, wait);
        }
    }

    fn close(&self) {
        self.shared.closed.cancel();
        self.standing.end();
        self.shared.idle.clear();
    }
}
