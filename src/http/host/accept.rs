//! §13.1 The door: accepts connections, gives each a thread, and closes in three steps.

use std::io::{self, ErrorKind, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use super::connection;
use super::hang_up::{Waking, Watcher};
use super::registry::{Conn, Registry};
use super::service::Service;
use super::shared::Shared;
use super::shutdown::ShutdownSignal;
use crate::http::peer::HostRefusal;
use crate::http::wire::{self, Framing, Version};
use crate::pool::Pool;

/// How long the door waits for one of our connections to close, when the machine has no room for another.
const RESPITE: Duration = Duration::from_millis(20);
/// So many idle connections are closed then.
const SHED: usize = 16;
/// But none before it has had the time to ask for something: the kernel may say that there is no room for the next one as soon as
/// this one has come, and before anybody else is there.
const WELCOME: Duration = Duration::from_millis(100);
/// How long cancelled handlers have to notice it, after the drain.
const LAST_GRACE: Duration = Duration::from_millis(250);

/// Serves until the signal is set, then shuts down. The port is free before the first of the three steps.
pub(super) fn run(listener: Arc<TcpListener>, service: Arc<dyn Service>, stop: ShutdownSignal) -> io::Result<()> {
    let connections = service.limits().connections;
    let (watcher, waking) = Watcher::new();
    let shared = Arc::new(Shared { service, watcher, registry: Registry::new(connections), stop });
    let watching = watch(Arc::clone(&shared), waking)?;
    let pool = Pool::new("mcp-http", connections);
    while !shared.stop.is_set() {
        match listener.accept() {
            Ok((stream, _)) => admit(&shared, &pool, stream),
            Err(_) if shared.stop.is_set() => {}
            Err(error) => weather(&shared.registry, &error),
        }
    }
    drop(listener);
    drain(&shared);
    shared.watcher.finish();
    // The watcher cannot panic; if it did, there is nothing left for it to do.
    let _ = watching.join();
    Ok(())
}

fn watch(shared: Arc<Shared>, waking: Waking) -> io::Result<thread::JoinHandle<()>> {
    let tick = shared.service.limits().hang_up_tick;
    thread::Builder::new()
        .name("mcp-hang-up".to_owned())
        .spawn(move || shared.watcher.watch(&waking, &shared.registry, tick))
}

/// req 13.8-1: gives a connection a thread of its own; refuses it where there are too many.
fn admit(shared: &Arc<Shared>, pool: &Pool, stream: TcpStream) {
    if shared.stop.is_set() {
        return; // very likely the connection that woke us
    }
    let conn = match shared.registry.enter(stream) {
        Ok(conn) => conn,
        Err(stream) => return refuse(shared, stream),
    };
    let job = {
        let (shared, conn) = (Arc::clone(shared), Arc::clone(&conn));
        Box::new(move || {
            let _leaves = Leaves { shared: &shared, conn: &conn };
            connection::converse(&shared, &conn);
        })
    };
    if pool.run(job).is_err() {
        shared.registry.leave(&conn);
        if let Some(conn) = Arc::into_inner(conn) {
            refuse(shared, conn.stream);
        }
    }
}

/// Takes a connection off the list however its thread is done with it.
struct Leaves<'a> {
    shared: &'a Shared,
    conn: &'a Conn,
}

impl Drop for Leaves<'_> {
    fn drop(&mut self) {
        let _ = self.conn.stream.shutdown(Shutdown::Both);
        self.shared.registry.leave(self.conn);
    }
}

/// Says 503 without ever blocking the door: the buffer of a fresh socket has room for it, or the client goes without.
fn refuse(shared: &Shared, mut stream: TcpStream) {
    let answer = shared.service.refusal(HostRefusal::TooManyConnections, None);
    let mut out = Vec::new();
    let date = wire::date(shared.service.now());
    wire::put_head(
        &mut out,
        answer.status,
        &answer.fields,
        Framing::Length(answer.body.len()),
        (Version::Http11, false),
        date.as_bytes(),
    );
    out.extend_from_slice(&answer.body);
    if stream.set_nonblocking(true).is_ok() && stream.write(&out).is_ok() {
        shared.watcher.linger(stream);
    }
}

/// req 13.9-13: an error of `accept` is about one connection, or about the machine; never about us. When descriptors or memory have run out,
/// idle connections make room for the next one. Only their reading half is closed: a request that comes in this very moment still gets its
/// answer.
fn weather(registry: &Registry, error: &io::Error) {
    if matches!(error.kind(), ErrorKind::ConnectionAborted | ErrorKind::ConnectionReset | ErrorKind::Interrupted) {
        return;
    }
    for conn in registry.all().iter().filter(|conn| conn.is_idle() && conn.came.elapsed() > WELCOME).take(SHED) {
        let _ = conn.stream.shutdown(Shutdown::Read);
    }
    registry.wait_for_room(RESPITE);
}

/// req 13.9-14: the three steps: close what is idle and let streams end; wait for what runs; cancel what still does.
fn drain(shared: &Shared) {
    for conn in shared.registry.all().iter().filter(|conn| conn.is_idle()) {
        // Only the reading half: a request that arrived in this very moment still gets its answer.
        let _ = conn.stream.shutdown(Shutdown::Read);
    }
    shared.service.end_streams();
    let now = Instant::now();
    let drained = now.checked_add(shared.service.limits().drain).is_none_or(|until| shared.registry.wait_empty(until));
    if !drained {
        for conn in shared.registry.all() {
            conn.hang_up();
        }
        shared.registry.wait_empty(Instant::now() + LAST_GRACE);
    }
}
