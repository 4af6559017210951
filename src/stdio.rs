//! §14 stdio.
//! Law: a message is one line; whole lines are written under one lock; the writer belongs to this transport alone.
//! Law: cancellations are handled by the thread that reads, and no call keeps that for longer than a tick (`stdio/turn.rs`), so that a cancel
//! never queues behind the call that it stops; as many requests as may run may also wait, so that reading goes on when all
//! places are taken.
//! Law: the reader reads on when a listen request is registered and acknowledged, so that no change that a later line makes is lost.
//! Law: what is wrong with one line never ends the service; only the end of input does.

pub(crate) mod lines;
mod turn;

use std::convert::Infallible;
use std::io::{self, Read, Write};
use std::sync::{Arc, Mutex};

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded, select};

use crate::arrival::Via;
use crate::cancellation::{CancelToken, InFlight, cancellation};
use crate::dialect::{Arrival, Dialect, name_versions, name_versions_in, select};
use crate::envelope::{self, Message, Notification, Refused, Request, RequestId, Response};
use crate::errors::{Fault, INTERNAL, rules};
use crate::handler::hooks::Direction;
use crate::lock;
use crate::pool::Pool;
use crate::server::Server;
use crate::sink::{Gone, Sink};
use crate::stdio::lines::{Line, Lines};
use crate::stdio::turn::{TICK, Turn, Watch};

rules! {
    // const       id       code    text                                source
    LINE_TOO_LONG  "14-1"   -32600  "Line exceeds the size limit"       "stdio.ex:17-21, 310";
    ID_IN_USE      "14-10"  -32600  "Request id is already in use: {}"  "ours";
}

/// Serves standard input and output until the end of input. Blocks. Returns an error only if standard input cannot be read.
pub fn serve(server: &Server) -> io::Result<()> {
    serve_on(server, io::stdin(), io::stdout())
}

/// Serves a pair of byte streams: a child's pipes, a socket, a test. At the end of input listen streams end with their result,
/// and running requests get [`Limits::drain`](crate::Limits) to finish; then they are cancelled, and what a handler that ignores
/// that still does is thrown away.
pub fn serve_on(
    server: &Server,
    input: impl Read + Send + 'static,
    output: impl Write + Send + 'static,
) -> io::Result<()> {
    let limits = server.limits();
    let (turn, watch) = Turn::new();
    let (ended, end) = bounded(1);
    let (ending, end_streams) = cancellation();
    let (running, idle) = bounded::<Infallible>(0);
    let connection = Arc::new(Connection {
        server: server.clone(),
        in_flight: InFlight::default(),
        lines: Mutex::new(Lines::of(input, limits.line)),
        output: Mutex::new(Box::new(output)),
        turn,
        // one more than may run, for the one that reads
        calls: Pool::new("stdio-call", limits.in_flight.saturating_add(1)),
        // listen streams wait most of their life, and must not take the places of the requests that do not; one more thread than
        // streams may be open tells the client that there are too many
        streams: Pool::new("stdio-listen", limits.streams.saturating_add(1)),
        ending: end_streams,
        ended,
    });
    let result = watch_over(&connection, watch, &end, &running);
    // req 14-9
    ending.cancel();
    drop(running);
    // no job ever sends: the channel is disconnected, hence ready, when the last has dropped its end
    let _all_done_or_timed_out = idle.recv_timeout(limits.drain);
    connection.in_flight.cancel_all();
    result
}

/// Sees to it that somebody reads, until the input ends.
fn watch_over(
    connection: &Arc<Connection>,
    mut watch: Watch,
    end: &Receiver<io::Result<()>>,
    running: &Sender<Infallible>,
) -> io::Result<()> {
    let mut nobody_reads = true;
    loop {
        if nobody_reads {
            let (reader, running) = (Arc::clone(connection), running.clone());
            // where the machine has no thread for it now, it may have one in the next tick
            nobody_reads = connection.calls.run(Box::new(move || reader.read(&running))).is_err();
        }
        match watch.rests(&connection.turn).filter(|_| !nobody_reads) {
            Some(woken) => select! {
                recv(end) -> result => return result.unwrap_or(Ok(())),
                recv(woken) -> _ => {}
            },
            None => match end.recv_timeout(TICK) {
                Err(RecvTimeoutError::Timeout) => {}
                result => return result.unwrap_or(Ok(())),
            },
        }
        nobody_reads |= watch.tick(&connection.turn);
    }
}

/// What the threads of a connection share.
struct Connection {
    server: Server,
    in_flight: InFlight,
    lines: Mutex<Lines>,
    output: Mutex<Box<dyn Write + Send>>,
    turn: Turn,
    calls: Pool,
    streams: Pool,
    /// Fires when the input has ended.
    ending: CancelToken,
    ended: Sender<io::Result<()>>,
}

impl Connection {
    /// Reads until the input ends, or until a call that was read here has lost the turn. `running` is held as long.
    fn read(self: &Arc<Self>, running: &Sender<Infallible>) {
        loop {
            let request = match lock(&self.lines).next() {
                Ok(Line::Message(line)) => self.received(line),
                Ok(Line::TooLong) => {
                    self.refuse(LINE_TOO_LONG.fault());
                    None
                }
                Ok(Line::Blank) => None,
                Ok(Line::End) => break drop(self.ended.send(Ok(()))),
                Err(error) => break drop(self.ended.send(Err(error))),
            };
            if request.is_some_and(|request| !self.start(request, running)) {
                return;
            }
        }
    }

    /// Deals with one line at once; a request is given back.
    fn received(&self, line: &[u8]) -> Option<Request> {
        self.server.tap(Direction::In, line);
        match envelope::read(line, self.server.limits()) {
            Ok(Message::Request(request)) => return Some(request),
            Ok(Message::Notification(note)) => self.notified(&note),
            Ok(Message::Response) => {}
            // req 1-6
            Err(Refused { notification: true, .. }) => {}
            Err(refused) => {
                // req 14-2
                let Refused { id, fault, .. } = name_versions_in(refused, &self.server.shared.versions);
                self.answer(&Response { id, answer: Err(fault) });
            }
        }
        None
    }

    /// req 14-7: a cancel is handled here, by whoever reads.
    fn notified(&self, note: &Notification) {
        if note.method == "notifications/cancelled" {
            self.in_flight.cancelled(&note.params, self.server.limits().id);
        }
    }

    /// Runs a request, or has it run: `false` if another thread reads by now.
    fn start(self: &Arc<Self>, request: Request, running: &Sender<Infallible>) -> bool {
        let refuse = |fault| {
            let fault = name_versions(&request.method, fault, &self.server.shared.versions);
            self.answer(&Response { id: Some(request.id.clone()), answer: Err(fault) });
            true
        };
        // req 14-6
        let dialect = match select(None, &request.params, self.server.dialects()) {
            Ok(dialect) => dialect,
            Err(fault) => return refuse(fault),
        };
        let Some(cancel) = self.in_flight.enter(&request.id) else {
            return refuse(ID_IN_USE.about(&envelope::json_text(&request.id)));
        };
        let call = Call { request, dialect, cancel };
        if dialect.method(&call.request.method).is_some_and(|method| method.streams) {
            self.listen(call, running);
        } else if self.turn.is_free() {
            return self.turn.run(|| self.run(call, None));
        } else {
            self.hand_over(call, running);
        }
        true
    }

    /// req 14-5 14-8: beside others; the reader waits when all places are taken and as many requests wait for one.
    fn hand_over(self: &Arc<Self>, call: Call, running: &Sender<Infallible>) {
        let (connection, running, place) = (Arc::clone(self), running.clone(), call.place());
        self.turn.hand_over();
        let job = Box::new(move || {
            connection.run(call, None);
            connection.turn.done_elsewhere();
            drop(running);
        });
        if self.calls.queue(job, self.server.limits().in_flight).is_err() {
            self.turn.done_elsewhere();
            self.no_thread(&place);
        }
    }

    /// A stream has a thread of its own, and the reader reads on when it has begun.
    fn listen(self: &Arc<Self>, call: Call, running: &Sender<Infallible>) {
        let (connection, running, place) = (Arc::clone(self), running.clone(), call.place());
        let (begun, has_begun) = bounded::<Infallible>(0);
        let job = Box::new(move || {
            connection.run(call, Some(begun));
            drop(running);
        });
        // req 11-4 11-18: one stream may wait, for the thread that has just told another that there are too many
        if self.streams.queue(job, 1).is_err() {
            self.no_thread(&place);
        }
        let _disconnected = has_begun.recv(); // nobody ever sends: the first notification or the end of the job drops it
    }

    fn no_thread(&self, (id, cancel): &(RequestId, CancelToken)) {
        if self.in_flight.leave(id, cancel) {
            self.answer(&Response { id: Some(id.clone()), answer: Err(INTERNAL.fault()) });
        }
    }

    /// Runs a request to its end on this thread.
    fn run(&self, call: Call, begun: Option<Sender<Infallible>>) {
        let Call { request, dialect, cancel } = call;
        if cancel.cancelled() {
            return; // while it waited for its place
        }
        let id = request.id.clone();
        let arrival = Arrival { dialect, principal: None, via: Via::Stdio, ending: Some(&self.ending) };
        let sink = LineSink { connection: self, cancel: &cancel, begun: Mutex::new(begun) };
        let response = self.server.serve(request, &arrival, &sink, &cancel);
        // req 9-4: no late response. Leaving and writing are one step, so that a cancel comes before both or after both.
        let text = response.to_json();
        let mut output = lock(&self.output);
        if self.in_flight.leave(&id, &cancel) {
            self.write(&mut output, text);
        }
    }

    fn refuse(&self, fault: Fault) {
        self.answer(&Response { id: None, answer: Err(fault) });
    }

    fn answer(&self, response: &Response) {
        self.write(&mut lock(&self.output), response.to_json());
    }

    /// req 14-3 14-4: writes a message as a line; nothing else writes. A peer that has closed its end but still sends is served on:
    /// its requests may have effects.
    fn write(&self, output: &mut Box<dyn Write + Send>, mut text: String) -> bool {
        self.server.tap(Direction::Out, text.as_bytes());
        text.push('\n');
        output.write_all(text.as_bytes()).and_then(|()| output.flush()).is_ok()
    }
}

/// A request that has been registered.
struct Call {
    request: Request,
    dialect: &'static Dialect,
    cancel: CancelToken,
}

impl Call {
    /// Where it is registered.
    fn place(&self) -> (RequestId, CancelToken) {
        (self.request.id.clone(), self.cancel.clone())
    }
}

/// req 8.3-5: writes the notifications of one request, as lines before its answer.
struct LineSink<'a> {
    connection: &'a Connection,
    cancel: &'a CancelToken,
    /// Of a stream: dropped once a notification has gone out.
    begun: Mutex<Option<Sender<Infallible>>>,
}

impl Sink for LineSink<'_> {
    fn send(&self, note: &Notification) -> Result<(), Gone> {
        let text = note.to_json();
        let mut output = lock(&self.connection.output);
        if self.cancel.cancelled() {
            return Err(Gone);
        }
        let written = self.connection.write(&mut output, text);
        drop(output);
        lock(&self.begun).take();
        if written { Ok(()) } else { Err(Gone) }
    }
}
