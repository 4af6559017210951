//! §18 Every bound of the client, in one place.

use std::time::Duration;

/// The bounds of a client. `ClientLimits::default()` gives the values named at each field; all can be set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientLimits {
    /// Length of one message from the server, in bytes: 64 MiB. Longer: [`Error::TooLarge`](super::Error::TooLarge); on stdio the line is
    /// skipped and the calls that wait for a response fail.
    pub message: usize,
    /// JSON values in one message from the server: 5,000,000. More: [`Error::TooLarge`](super::Error::TooLarge).
    pub values: usize,
    /// Length of an HTTP reply head, in bytes: 64 KiB, and of one line of an event stream that is no data.
    pub head: usize,
    /// Pages of one list: 1000. More: [`Error::TooLarge`](super::Error::TooLarge).
    pub pages: usize,
    /// Rounds of one call, the first counted: 16 (§10). More: [`Error::TooLarge`](super::Error::TooLarge).
    pub rounds: usize,
    /// Messages that wait for a call or a subscription which does not take them: 1024. At the bound the reader of the transport waits.
    pub queue: usize,
    /// Idle HTTP connections that are kept: 8. More: the oldest is closed.
    pub idle_connections: usize,
    /// How long an idle HTTP connection is kept: 30 s.
    pub idle: Duration,
    /// Requests of the server that are answered at once (initialize era): 16. More: refused.
    pub server_requests: usize,
    /// Results in the cache: 256. More: the ones that end first go.
    pub cached: usize,
    /// Time to connect, TLS included: 10 s.
    pub connect_timeout: Duration,
    /// Time for one write: 30 s.
    pub write_timeout: Duration,
    /// Time for the answer to the first probe of a server, after which it counts as one of the initialize era: 10 s.
    pub probe_timeout: Duration,
    /// Silence of the server until a call fails: 60 s, and each call can set its own. Progress begins it anew.
    pub timeout: Duration,
    /// What a child process gets to end after its stdin was closed, and again after SIGTERM: 2 s.
    pub shutdown: Duration,
}

impl Default for ClientLimits {
    fn default() -> ClientLimits {
        const MIB: usize = 1024 * 1024;
        ClientLimits {
            message: 64 * MIB,
            values: 5_000_000,
            head: 64 * 1024,
            pages: 1000,
            rounds: 16,
            queue: 1024,
            idle_connections: 8,
            idle: Duration::from_secs(30),
            server_requests: 16,
            cached: 256,
            connect_timeout: Duration::from_secs(10),
            write_timeout: Duration::from_secs(30),
            probe_timeout: Duration::from_secs(10),
            timeout: Duration::from_secs(60),
            shutdown: Duration::from_secs(2),
        }
    }
}
