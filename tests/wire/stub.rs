//! A service that stands where the corridor stands: what it does is in the target.

use std::sync::Arc;
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender, bounded, unbounded};
use plain_mcp::arrival::{Principal, RequestHead};
use plain_mcp::http::host::{Handle, Listening, Service};
use plain_mcp::http::{Cancelling, HostRefusal, HttpAnswer, Peer, RawRequest};
use plain_mcp::limits::Limits;

use super::loopback::{Client, PATIENCE};

/// What a handler of the stub reports.
#[derive(Debug, PartialEq, Eq)]
pub enum Report {
    Entered,
    Cancelled,
    WentOn,
    /// The result of a write.
    Wrote(bool),
}

pub struct Stub {
    limits: Limits,
    reports: Sender<Report>,
    /// Handlers that wait for a word take it from here.
    words: Receiver<()>,
    /// Disconnected when streams are to end.
    ending: Receiver<()>,
    end: std::sync::Mutex<Option<Sender<()>>>,
}

/// A running host over a stub, and the ends of its channels.
pub struct Running {
    pub handle: Handle,
    pub reports: Receiver<Report>,
    pub words: Sender<()>,
}

pub fn start(limits: Limits) -> Running {
    let (reports, reported) = unbounded();
    let (words, heard) = unbounded();
    let (end, ending) = bounded(0);
    let stub = Stub { limits, reports, words: heard, ending, end: std::sync::Mutex::new(Some(end)) };
    let handle = Listening::bind("127.0.0.1:0").unwrap().start(Arc::new(stub)).unwrap();
    Running { handle, reports: reported, words }
}

impl Running {
    pub fn client(&self) -> Client {
        Client::connect(self.handle.local_addr())
    }

    pub fn report(&self) -> Report {
        self.reports.recv_timeout(PATIENCE).unwrap()
    }

    pub fn stop(self) {
        self.handle.shutdown().unwrap();
    }
}

pub fn limits() -> Limits {
    Limits { hang_up_tick: Duration::from_millis(5), ..Limits::default() }
}

/// A POST with a body.
pub fn post(target: &str, body: &str) -> String {
    format!("POST {target} HTTP/1.1\r\nhost: a\r\ncontent-length: {}\r\n\r\n{body}", body.len())
}

fn plain(status: u16, body: impl Into<Vec<u8>>) -> HttpAnswer {
    HttpAnswer { status, fields: vec![("content-type", "text/plain".to_owned())], body: body.into() }
}

impl Service for Stub {
    fn limits(&self) -> &Limits {
        &self.limits
    }

    fn judge_head(&self, head: &RequestHead) -> Result<Option<Principal>, HttpAnswer> {
        match (head.method.as_str(), head.target.as_str()) {
            ("POST", "/judge-panics") => panic!("asked for"),
            ("POST", "/forbidden") => Err(plain(403, "no")),
            ("POST", _) => Ok(None),
            ("OPTIONS", _) => Err(HttpAnswer { status: 204, fields: vec![], body: vec![] }),
            _ => {
                Err(HttpAnswer { status: 405, fields: vec![("allow", "POST".to_owned())], body: b"POST only".to_vec() })
            }
        }
    }

    fn run(&self, _: Option<Principal>, request: RawRequest<'_>, peer: &dyn Peer, cancelling: &Arc<Cancelling>) {
        match request.head.target.as_str() {
            "/wait" => self.wait(peer, cancelling),
            "/stuck" => {
                let _ = self.reports.send(Report::Entered);
                let _ = self.words.recv_timeout(PATIENCE);
                let _ = peer.answer(plain(200, "late"));
            }
            "/cancel" => {
                cancelling.cancel();
                let _ = peer.answer(plain(204, ""));
            }
            "/stream" => self.stream(request.body, peer, cancelling),
            "/flood" => {
                let _ = peer.begin_stream(200, &[], b"first");
                while peer.event(&[b'x'; 65536]).is_ok() {}
                let _ = self.reports.send(Report::Wrote(false));
                let _ =
                    self.reports.send(if cancelling.token().cancelled() { Report::Cancelled } else { Report::WentOn });
            }
            "/large" => {
                let _ = self.reports.send(Report::Wrote(peer.answer(plain(200, vec![b'x'; 32 << 20])).is_ok()));
            }
            "/half" => {
                let _ = peer.begin_stream(200, &[], b"half");
            }
            "/silent" => {}
            "/split" => {
                let fields = vec![("x-value", "a\r\nx-other: b\0".to_owned())];
                let _ = peer.answer(HttpAnswer { status: 200, fields, body: vec![] });
            }
            "/panic" => panic!("asked for"),
            "/head" => {
                let text = format!("{:?}", request.head);
                let _ = peer.answer(plain(200, text));
            }
            _ => {
                let _ = peer.answer(plain(200, request.body));
            }
        }
    }

    fn refusal(&self, kind: HostRefusal, _: Option<&RequestHead>) -> HttpAnswer {
        let status = match kind {
            HostRefusal::Malformed => 400,
            HostRefusal::TransferCoding => 501,
            HostRefusal::HeadTooLarge => 431,
            HostRefusal::BodyTooLarge => 413,
            HostRefusal::TooSlow => 408,
            HostRefusal::HttpVersion => 505,
            HostRefusal::TooManyConnections => 503,
            HostRefusal::Failed => 500,
        };
        plain(status, format!("{kind:?}"))
    }

    fn now(&self) -> u64 {
        784_111_777
    }

    fn end_streams(&self) {
        self.end.lock().unwrap().take();
    }
}

impl Stub {
    /// Says nothing until a word comes or the request is cancelled.
    fn wait(&self, peer: &dyn Peer, cancelling: &Arc<Cancelling>) {
        let _ = self.reports.send(Report::Entered);
        crossbeam_channel::select! {
            recv(cancelling.token().channel()) -> _ => { let _ = self.reports.send(Report::Cancelled); }
            recv(self.words) -> _ => {
                let _ = self.reports.send(Report::WentOn);
                let _ = peer.answer(plain(200, "went on"));
            }
            default(PATIENCE) => {}
        }
    }

    /// An event for each word; ends when it is to end.
    fn stream(&self, first: &[u8], peer: &dyn Peer, cancelling: &Arc<Cancelling>) {
        let fields = [("content-type", "text/event-stream".to_owned())];
        let _ = self.reports.send(Report::Wrote(peer.begin_stream(200, &fields, first).is_ok()));
        loop {
            crossbeam_channel::select! {
                recv(cancelling.token().channel()) -> _ => { let _ = self.reports.send(Report::Cancelled); return; }
                recv(self.words) -> word => match word {
                    Ok(()) => { let _ = peer.event(b"data: event\r\n\r\n"); }
                    Err(_) => break,
                },
                recv(self.ending) -> _ => break,
                default(PATIENCE) => return,
            }
        }
        let _ = self.reports.send(Report::Wrote(peer.end_stream(b"data: result\r\n\r\n").is_ok()));
    }
}
