//! §15 The stream on which a server of the initialize era sends what belongs to no request.
//! Law: a stream that cannot be had is no fault; one that breaks is taken up again, more and more slowly.
//! Law: no call is made before the stream is there, since what a server asks for during a call may come on it alone.

use std::convert::Infallible;
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crossbeam_channel::{Sender, bounded};

use super::events::Events;
use super::flow::{RETRY, Reader, get, is_stream, pause};
use super::shared::{Fields, Shared};
use crate::client::cancel::Cancel;
use crate::client::error::Error;
use crate::client::transport::Problem;
use crate::client::wait::Wait;
use crate::lock;

/// How often it is tried again without an event in between.
const MOST_TRIES: u32 = 8;

/// How long is waited for the stream at first. Some servers send nothing of a stream, not even its head, before its first event.
const OPENING: Duration = Duration::from_secs(2);

/// The thread that reads the stream.
#[derive(Default)]
pub(super) struct Standing(Mutex<Option<(Cancel, JoinHandle<()>)>>);

impl Standing {
    /// Reads on a thread of its own, in place of an earlier one; returns when the stream is there, or cannot be had.
    pub(super) fn begin(&self, shared: &Arc<Shared>, fields: Fields) {
        self.end();
        let stop = Cancel::new();
        let (inner, own) = (Arc::clone(shared), stop.clone());
        let (asking, asked) = bounded(0);
        let thread =
            thread::Builder::new().name("mcp-client-get".to_owned()).spawn(move || read(&inner, &fields, &own, asking));
        match thread {
            Ok(thread) => {
                *lock(&self.0) = Some((stop, thread));
                let _ = asked.recv_timeout(OPENING); // nothing is ever sent: it ends when the other side is dropped
            }
            Err(error) => shared.problem(Problem::Lenient(format!("no thread for the server's own stream: {error}"))),
        }
    }

    /// Ends the stream and waits for its thread, unless this is that thread.
    pub(super) fn end(&self) {
        let standing = lock(&self.0).take();
        let Some((stop, reader)) = standing else { return };
        stop.cancel();
        if reader.thread().id() != thread::current().id() {
            let _ = reader.join(); // a panic in it has been contained
        }
    }
}

/// `asking` is dropped when the server has answered for the first time.
fn read(shared: &Shared, fields: &Fields, stop: &Cancel, asking: Sender<Infallible>) {
    let mut asking = Some(asking);
    let mut events = Events::new(shared.limits.message);
    let mut tries: u32 = 0;
    loop {
        let last = events.last_id.clone();
        let wait = Wait::endless("event", stop);
        let asked = get(shared, fields, last.as_deref(), &wait.at_most(shared.limits.timeout, "stream"));
        drop(asking.take());
        match asked {
            Ok((connection, head)) if is_stream(&head) => {
                events.restart();
                let mut reader = Reader::new(connection, &head, events);
                let heard = hear(shared, &mut reader, &wait);
                events = reader.events;
                match heard {
                    Ok(0) => tries += 1,
                    Ok(_) => tries = 0,
                    Err(()) => return,
                }
            }
            Ok(_) | Err(Error::Cancelled) => return, // no such stream here
            Err(_) => tries += 1,
        }
        let slower = 2_u32.saturating_pow(tries.saturating_sub(1));
        let retry = events.retry.unwrap_or(RETRY).saturating_mul(slower).min(Duration::from_secs(60));
        if tries > MOST_TRIES || pause(shared, retry, &wait).is_err() {
            return;
        }
    }
}

/// Hands over what comes; so many messages until the stream ended. `Err`: nobody listens any more.
fn hear(shared: &Shared, reader: &mut Reader, wait: &Wait<'_>) -> Result<usize, ()> {
    let mut heard = 0;
    loop {
        match reader.next(shared, wait) {
            Ok(Some(message)) => {
                heard += 1;
                shared.ears().ok_or(())?.hear(message);
            }
            Err(Error::Cancelled) => return Err(()),
            Ok(None) | Err(_) => return Ok(heard),
        }
    }
}
