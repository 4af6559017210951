//! §14 stdio.
//! Law: a message is one line; whole lines are written under one lock; the writer belongs to this transport alone.
//! Law: cancellations are handled by the reader itself, so that a cancel never queues behind the call that it stops; as many
//! requests as may run may also wait, so that the reader reads on when all places are taken.
//! Law: the reader reads on when a listen request is registered and acknowledged, so that no change that a later line makes is lost.
//! Law: what is wrong with one line never ends the service; only the end of input does.

use std::convert::Infallible;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::sync::{Arc, Mutex};

use crossbeam_channel::{Sender, bounded};

use crate::arrival::Via;
use crate::cancellation::{CancelToken, InFlight, cancellation};
use crate::dialect::{Arrival, Dialect, name_versions, name_versions_in, select};
use crate::envelope::{self, Message, Notification, Refused, Request, Response};
use crate::errors::{Fault, INTERNAL, rules};
use crate::handler::hooks::Direction;
use crate::lock;
use crate::pool::Pool;
use crate::server::Server;
use crate::sink::{Gone, Sink};

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
pub fn serve_on(server: &Server, input: impl Read, output: impl Write + Send + 'static) -> io::Result<()> {
    let connection = Arc::new(Connection::new(server, output));
    let limits = server.limits();
    // listen streams wait most of their life, and must not take the places of the requests that do not; one more thread than
    // streams may be open tells the client that there are too many
    let calls = Pool::new("stdio-call", limits.in_flight);
    let streams = Pool::new("stdio-listen", limits.streams.saturating_add(1));
    let (ending, ended) = cancellation();
    let (running, idle) = bounded::<Infallible>(0);

    let mut lines = Lines { input: BufReader::with_capacity(64 * 1024, input), line: Vec::new(), limit: limits.line };
    let result = loop {
        match lines.next() {
            Ok(Line::End) => break Ok(()),
            Ok(Line::TooLong) => connection.refuse(LINE_TOO_LONG.fault()),
            Ok(Line::Blank) => {}
            Ok(Line::Message(line)) => {
                connection.received(line, &Places { calls: &calls, streams: &streams }, &ended, &running)
            }
            Err(error) => break Err(error),
        }
    };
    // req 14-9
    ending.cancel();
    drop(running);
    // no job ever sends: the channel is disconnected, hence ready, when the last has dropped its end
    let _all_done_or_timed_out = idle.recv_timeout(limits.drain);
    connection.in_flight.cancel_all();
    result
}

/// Where jobs go.
struct Places<'a> {
    calls: &'a Pool,
    streams: &'a Pool,
}

/// What the reader and the jobs share.
struct Connection {
    server: Server,
    in_flight: InFlight,
    output: Mutex<Box<dyn Write + Send>>,
}

impl Connection {
    fn new(server: &Server, output: impl Write + Send + 'static) -> Connection {
        Connection { server: server.clone(), in_flight: InFlight::default(), output: Mutex::new(Box::new(output)) }
    }

    /// Deals with one line: a request is given to a thread, everything else is done at once.
    fn received(
        self: &Arc<Self>,
        line: &[u8],
        places: &Places<'_>,
        ending: &CancelToken,
        running: &Sender<Infallible>,
    ) {
        self.server.tap(Direction::In, line);
        match envelope::read(line, self.server.limits()) {
            Ok(Message::Request(request)) => self.start(request, places, ending.clone(), running.clone()),
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
    }

    /// req 14-7: a cancel is handled here, by the reader.
    fn notified(&self, note: &Notification) {
        if note.method == "notifications/cancelled" {
            self.in_flight.cancelled(&note.params, self.server.limits().id);
        }
    }

    fn start(
        self: &Arc<Self>,
        request: Request,
        places: &Places<'_>,
        ending: CancelToken,
        running: Sender<Infallible>,
    ) {
        let id = request.id.clone();
        let method = request.method.clone();
        let refuse = |fault| {
            let fault = name_versions(&method, fault, &self.server.shared.versions);
            self.answer(&Response { id: Some(id.clone()), answer: Err(fault) });
        };
        // req 14-6
        let dialect = match select(None, &request.params, self.server.dialects()) {
            Ok(dialect) => dialect,
            Err(fault) => return refuse(fault),
        };
        let Some(cancel) = self.in_flight.enter(&id) else {
            return refuse(ID_IN_USE.about(&envelope::json_text(&id)));
        };
        let streams = dialect.method(&request.method).is_some_and(|method| method.streams);
        let connection = Arc::clone(self);
        let token = cancel.clone();
        let (begun, has_begun) = streams.then(|| bounded::<Infallible>(0)).unzip();
        let job = Box::new(move || {
            connection.run(request, dialect, &cancel, &ending, begun);
            drop(running);
        });
        // req 14-5 14-8: beside each other, and the reader waits when all places are taken and as many wait for one
        // req 11-4 11-18: one stream may wait, for the thread that has just told another that there are too many
        let (pool, room) = if streams { (places.streams, 1) } else { (places.calls, self.server.limits().in_flight) };
        let started = pool.queue(job, room);
        if started.is_err() && self.in_flight.leave(&id, &token) {
            refuse(INTERNAL.fault());
        }
        if let Some(has_begun) = has_begun {
            let _disconnected = has_begun.recv(); // nobody ever sends: the first notification or the end of the job drops it
        }
    }

    /// Runs a request to its end, on a thread of its own.
    fn run(
        &self,
        request: Request,
        dialect: &'static Dialect,
        cancel: &CancelToken,
        ending: &CancelToken,
        begun: Option<Sender<Infallible>>,
    ) {
        if cancel.cancelled() {
            return; // while it waited for its place
        }
        let id = request.id.clone();
        let arrival = Arrival { dialect, principal: None, via: Via::Stdio, ending: Some(ending) };
        let sink = LineSink { connection: self, cancel, begun: Mutex::new(begun) };
        let response = self.server.serve(request, &arrival, &sink, cancel);
        // req 9-4: no late response. Leaving and writing are one step, so that a cancel comes before both or after both.
        let text = response.to_json();
        let mut output = lock(&self.output);
        if self.in_flight.leave(&id, cancel) {
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

/// Lines of bounded length.
struct Lines<R> {
    input: BufReader<R>,
    line: Vec<u8>,
    limit: usize,
}

enum Line<'a> {
    /// A line, without its end.
    Message(&'a [u8]),
    /// Nothing but white space: no message.
    Blank,
    /// Over the limit; it has been skipped to its end.
    TooLong,
    /// The end of input.
    End,
}

impl<R: Read> Lines<R> {
    /// The next line. A last line without an end counts as one.
    fn next(&mut self) -> io::Result<Line<'_>> {
        self.line.clear();
        self.line.shrink_to(64 * 1024);
        let limit = u64::try_from(self.limit).unwrap_or(u64::MAX).saturating_add(2);
        let read = self.input.by_ref().take(limit).read_until(b'\n', &mut self.line)?;
        if read == 0 {
            return Ok(Line::End);
        }
        let whole = self.line.ends_with(b"\n");
        let line = self.line.strip_suffix(b"\n").unwrap_or(&self.line);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.len() > self.limit {
            if !whole {
                self.input.skip_until(b'\n')?;
            }
            return Ok(Line::TooLong);
        }
        if line.iter().all(u8::is_ascii_whitespace) { Ok(Line::Blank) } else { Ok(Line::Message(line)) }
    }
}
