//! §13 One HTTP exchange: a request out, the head of its reply in.

use std::sync::{Arc, Mutex, Weak};

use super::body::{Body, read_head};
use super::idle::Idle;
use super::socket::{Connection, Stream, connect};
#[cfg(feature = "tls")]
use super::tls::{Tls, Trust};
use super::url::Url;
use crate::client::cancel::Cancel;
use crate::client::error::Error;
use crate::client::limits::ClientLimits;
use crate::client::transport::{Ears, Problem};
use crate::client::wait::Wait;
use crate::http::wire::ReplyHead;
use crate::lock;

/// What all requests of one client share.
pub(super) struct Shared {
    pub(super) url: Url,
    pub(super) limits: ClientLimits,
    pub(super) idle: Idle,
    pub(super) closed: Cancel,
    ears: Mutex<Option<Weak<dyn Ears>>>,
    #[cfg(feature = "tls")]
    pub(super) trust: Trust,
}

/// Header fields: names in lower case, values.
pub(super) type Fields = Vec<(String, String)>;

impl Shared {
    pub(super) fn new(url: Url, limits: ClientLimits, #[cfg(feature = "tls")] trust: Trust) -> Arc<Shared> {
        Arc::new(Shared {
            url,
            limits,
            idle: Idle::default(),
            closed: Cancel::new(),
            ears: Mutex::new(None),
            #[cfg(feature = "tls")]
            trust,
        })
    }

    pub(super) fn attach(&self, ears: Weak<dyn Ears>) {
        *lock(&self.ears) = Some(ears);
    }

    pub(super) fn ears(&self) -> Option<Arc<dyn Ears>> {
        let ears = lock(&self.ears).clone();
        ears.and_then(|ears| ears.upgrade())
    }

    pub(super) fn problem(&self, problem: Problem) {
        if let Some(ears) = self.ears() {
            ears.problem(problem);
        }
    }

    /// The bytes of a request.
    pub(super) fn request(
        &self,
        method: &str,
        own: &[(&str, &str)],
        fields: &Fields,
        body: &str,
    ) -> Result<Vec<u8>, Error> {
        let mut out = Vec::with_capacity(512 + body.len());
        let length = body.len().to_string();
        let length: &[(&str, &str)] = if method == "POST" { &[("content-length", &length)] } else { &[] };
        let host = [("host", self.url.authority.as_str())];
        let own = host.iter().chain(own).chain(length).map(|(name, value)| (*name, *value));
        let others = fields.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        out.extend_from_slice([method, " ", &self.url.target, " HTTP/1.1\r\n"].concat().as_bytes());
        for (name, value) in own.chain(others) {
            if value.bytes().any(|byte| byte.is_ascii_control() && byte != b'\t') {
                return Err(Error::Invalid(format!("the header {name} has a control character in its value")));
            }
            out.extend_from_slice([name, ": ", value, "\r\n"].concat().as_bytes());
        }
        out.extend_from_slice(b"\r\n");
        out.extend_from_slice(body.as_bytes());
        Ok(out)
    }

    /// Sends a request and reads the head of its reply. A kept connection that turns out to be dead before the first byte of the reply
    /// is replaced by a fresh one, where nothing was sent or where sending twice does no harm.
    pub(super) fn exchange(
        &self,
        bytes: &[u8],
        repeatable: bool,
        wait: &Wait<'_>,
    ) -> Result<(Connection, ReplyHead), Error> {
        if self.closed.cancelled() {
            return Err(Error::Cancelled);
        }
        if let Some(mut kept) = self.idle.take(&self.limits) {
            match self.once(&mut kept, bytes, wait) {
                Ok(Some(head)) => return Ok((kept, head)),
                Err(Error::Transport { sent: false, .. }) => {}
                Ok(None) | Err(Error::Transport { .. }) if repeatable && kept.rest().is_empty() => {}
                Ok(None) => return Err(no_reply()),
                Err(error) => return Err(error),
            }
        }
        let mut fresh = self.connect(wait)?;
        match self.once(&mut fresh, bytes, wait)? {
            Some(head) => Ok((fresh, head)),
            None => Err(no_reply()),
        }
    }

    fn connect(&self, wait: &Wait<'_>) -> Result<Connection, Error> {
        let socket = connect(&self.url, self.limits.connect_timeout, wait)?;
        #[cfg(feature = "tls")]
        if self.url.tls {
            let tls = Tls::new(&self.trust, &self.url.host, socket.clone())?;
            return Ok(Connection::new(socket, Stream::Tls(Box::new(tls)), &self.closed));
        }
        Ok(Connection::new(socket.clone(), Stream::Plain(socket), &self.closed))
    }

    /// `None`: the connection ended without a byte of a reply.
    fn once(&self, connection: &mut Connection, bytes: &[u8], wait: &Wait<'_>) -> Result<Option<ReplyHead>, Error> {
        let _watch = connection.socket.watched(wait.cancel);
        let written = connection.write_all(bytes, &wait.at_most(self.limits.write_timeout, "room for a request"));
        match written {
            // a server may refuse a request before it has read all of it: what it says counts
            Err(Error::Transport { sent: true, cause }) => read_head(connection, &self.limits, wait)
                .ok()
                .flatten()
                .map(Some)
                .ok_or(Error::Transport { cause, sent: true }),
            Err(error) => Err(error),
            Ok(()) => read_head(connection, &self.limits, wait),
        }
    }

    /// Keeps a connection whose reply has been read, or nearly so.
    pub(super) fn keep(&self, connection: Connection, body: Body, head_allows: bool) {
        if head_allows && !self.closed.cancelled() {
            self.idle.keep(connection, body, &self.limits);
        }
    }
}

fn no_reply() -> Error {
    Error::Transport { cause: "the connection ended without a reply".to_owned(), sent: true }
}
