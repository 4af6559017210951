//! §14 Which message belongs to which call of one process.
//! Law: the reader never waits for a call: what a call does not take in time is dropped or ends it, as it may be lost or not.

use std::collections::{HashMap, VecDeque};
use std::sync::Mutex;
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender, bounded, select};

use crate::client::error::Error;
use crate::client::message::{Incoming, Reply};
use crate::client::transport::{Flow, Problem};
use crate::client::wait::Wait;
use crate::envelope::RequestId;
use crate::lock;

/// So many ids of calls that were given up are remembered: their late responses are no fault.
const GIVEN_UP: usize = 1024;

/// The calls that wait.
pub(super) struct Routes(Mutex<Table>);

struct Table {
    /// `None` once the process has ended.
    calls: Option<HashMap<RequestId, Route>>,
    given_up: VecDeque<RequestId>,
}

struct Route {
    messages: Sender<Incoming>,
    /// Has room for the one thing that ends the call.
    end: Sender<Result<Reply, Error>>,
    /// A subscription: what it is told must not be lost.
    listens: bool,
}

/// What comes for one call.
pub(super) struct Mailbox {
    messages: Receiver<Incoming>,
    end: Receiver<Result<Reply, Error>>,
    /// Came while messages before it were waiting.
    last: Option<Result<Reply, Error>>,
}

impl Routes {
    pub(super) fn new() -> Routes {
        Routes(Mutex::new(Table { calls: Some(HashMap::new()), given_up: VecDeque::new() }))
    }

    /// A way for a new call; `None` where the process has ended.
    pub(super) fn add(&self, id: RequestId, listens: bool, queue: usize) -> Option<Mailbox> {
        let (messages, inbox) = bounded(queue.max(1));
        let (end, ended) = bounded(1);
        lock(&self.0).calls.as_mut()?.insert(id, Route { messages, end, listens });
        Some(Mailbox { messages: inbox, end: ended, last: None })
    }

    /// The call is given up.
    pub(super) fn remove(&self, id: &RequestId) {
        let mut table = lock(&self.0);
        let removed = table.calls.as_mut().and_then(|calls| calls.remove(id));
        if removed.is_some() {
            if table.given_up.len() >= GIVEN_UP {
                table.given_up.pop_front();
            }
            table.given_up.push_back(id.clone());
        }
    }

    /// Hands a response over. An error without an id is the answer of the one call that waits, where there is one.
    pub(super) fn response(&self, reply: Reply) -> Result<(), Problem> {
        let mut table = lock(&self.0);
        let Table { calls: Some(calls), given_up } = &mut *table else { return Ok(()) };
        let id = match &reply.id {
            Some(id) => id.clone(),
            None if calls.len() == 1 => {
                calls.keys().next().cloned().ok_or_else(|| unasked("an error without an id"))?
            }
            None => return Err(unasked("an error without an id")),
        };
        match calls.remove(&id) {
            Some(route) => drop(route.end.try_send(Ok(reply))), // there is room; who is gone wants none
            None if given_up.contains(&id) => given_up.retain(|other| *other != id),
            None => return Err(unasked(&format!("{id:?}"))),
        }
        Ok(())
    }

    /// Ends a call whose answer is none; gives the error back where no call has this id.
    pub(super) fn broken(&self, id: &RequestId, error: Error) -> Result<(), Error> {
        let route = lock(&self.0).calls.as_mut().and_then(|calls| calls.remove(id));
        let Some(route) = route else { return Err(error) };
        let _ = route.end.try_send(Err(error)); // there is room; who is gone wants none
        Ok(())
    }

    /// Hands a notification over, to the call that it belongs to, or to the only one where it does not say; gives it back where there is
    /// none.
    pub(super) fn notification(&self, owner: Option<&RequestId>, message: Incoming) -> Result<(), Incoming> {
        let mut table = lock(&self.0);
        let Some(calls) = &mut table.calls else { return Err(message) };
        let id = match owner {
            Some(id) => Some(id.clone()),
            None => {
                let mut plain = calls.iter().filter(|(_, route)| !route.listens).map(|(id, _)| id);
                plain.next().filter(|_| plain.next().is_none()).cloned()
            }
        };
        let Some((id, route)) = id.and_then(|id| calls.get(&id).map(|route| (id, route))) else { return Err(message) };
        let full = route.messages.try_send(message).is_err_and(|error| error.is_full());
        if full && route.listens {
            let limit = route.messages.capacity().unwrap_or_default();
            let end = calls.remove(&id).map(|route| route.end);
            let error = Error::TooLarge { what: "the number of changes that wait", limit };
            end.map(|end| end.try_send(Err(error)));
        }
        Ok(())
    }

    /// Ends all calls with an error, and lets no more come if `over`.
    pub(super) fn fail(&self, error: &Error, over: bool) {
        let mut table = lock(&self.0);
        let calls = if over { table.calls.take() } else { table.calls.as_mut().map(std::mem::take) };
        drop(table);
        for route in calls.into_iter().flatten().map(|(_, route)| route) {
            let _ = route.end.try_send(Err(error.clone()));
        }
    }
}

fn unasked(what: &str) -> Problem {
    Problem::Unasked(what.to_owned())
}

impl Flow for Mailbox {
    fn next(&mut self, wait: &Wait<'_>) -> Result<Incoming, Error> {
        let left = wait.left()?.unwrap_or(Duration::MAX);
        if let Ok(message) = self.messages.try_recv() {
            return Ok(message);
        }
        let over = || Error::protocol("nothing comes after the response");
        if self.last.is_none() {
            select! {
                recv(self.messages) -> message => if let Ok(message) = message { return Ok(message) },
                recv(self.end) -> end => self.last = end.ok(),
                recv(wait.cancel.channel()) -> _ => return Err(Error::Cancelled),
                default(left) => return Err(wait.over()),
            }
        }
        if self.last.is_none() {
            self.last = self.end.try_recv().ok();
        }
        // what came before the end goes before it
        if let Ok(message) = self.messages.try_recv() {
            return Ok(message);
        }
        self.last.take().ok_or_else(over)?.map(Incoming::Response)
    }
}
