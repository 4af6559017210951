//! Every bound of the server, in one place.
//! Law: every queue has a bound and a named policy for "full"; all bounds are here.

use std::time::Duration;

/// The bounds of a server. `Limits::default()` gives the values named at each field; all can be set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Length of a string id or progress token, in bytes: 256 (§1). Longer: refused.
    pub id: usize,
    /// JSON values in one message, each member and item counted: 100,000. More: refused (req 1-18). A value takes far more memory than
    /// its text: an object with one small member some 600 bytes.
    pub values: usize,
    /// Length of a cursor, in bytes: 2048 (§6). Longer: invalid.
    pub cursor: usize,
    /// Items on one page of a list: 100 (§6).
    pub page: usize,
    /// Progress notifications for one request: 1000 (§8.2). More: dropped.
    pub progress_updates: usize,
    /// Length of a progress message, in bytes: 4 KiB (§8.2). Longer: cut at a character.
    pub progress_message: usize,
    /// Length of a `requestState` token, in bytes: 16 KiB (§10.4). Longer: refused.
    pub state: usize,
    /// Life of a `requestState` token, in whole seconds: 300 s (§10.4).
    pub state_ttl: Duration,
    /// The longest life that a token may be given: 900 s (§10.4); a longer [`state_ttl`](Limits::state_ttl) is a build error.
    pub state_ttl_max: Duration,
    /// URIs in one subscription: 1000 (§11). More: refused.
    pub uris: usize,
    /// Open listen streams: 256 (§11). More: refused, over HTTP with status 503.
    pub streams: usize,
    /// Silence on a listen stream before a keepalive comment: 15 s (§11). Zero: there is none.
    pub keepalive: Duration,
    /// Values in one completion: 100 (§5.6). More: cut, with `hasMore`.
    pub completion_values: usize,
    /// Length of an HTTP body, in bytes: 4 MiB. Longer: status 413.
    pub body: usize,
    /// Length of a line on stdio, in bytes: 4 MiB. Longer: skipped and refused (§14).
    pub line: usize,
    /// Length of an HTTP request head, in bytes: 32 KiB. Longer: status 431.
    pub head: usize,
    /// Fields in an HTTP request head: 100. More: status 431.
    pub fields: usize,
    /// HTTP connections: 1024. More: status 503, and closed.
    pub connections: usize,
    /// Requests of one stdio connection that run at once: 64. At the bound the reader waits.
    pub in_flight: usize,
    /// What running requests get when the server is told to end: 5 s; then they are cancelled.
    pub drain: Duration,
    /// Time for a whole HTTP request head, from its first byte: 10 s. Later: status 408.
    pub head_deadline: Duration,
    /// Time for a whole HTTP body: 30 s. Later: status 408.
    pub body_deadline: Duration,
    /// Silence between two requests of one HTTP connection: 60 s. Longer: closed.
    pub idle_deadline: Duration,
    /// Time for one write to a peer: 30 s. Longer: the peer counts as gone.
    pub write_deadline: Duration,
    /// How often the sockets of running requests are looked at for a peer that hung up: 20 ms. Of more than 125 it is the turn of 125 each
    /// time.
    pub hang_up_tick: Duration,
}

impl Default for Limits {
    fn default() -> Limits {
        const MIB: usize = 1024 * 1024;
        Limits {
            id: 256,
            values: 100_000,
            cursor: 2048,
            page: 100,              // req 6-7
            progress_updates: 1000, // req 8.2-4
            progress_message: 4096,
            state: 16 * 1024,
            state_ttl: Duration::from_secs(300),
            state_ttl_max: Duration::from_secs(900), // req 10.4-6
            uris: 1000,
            streams: 256,                       // req 11-4
            keepalive: Duration::from_secs(15), // req 11-14
            completion_values: 100,
            body: 4 * MIB,
            line: 4 * MIB,
            head: 32 * 1024,
            fields: 100,
            connections: 1024,
            in_flight: 64, // req 14-8
            drain: Duration::from_secs(5),
            head_deadline: Duration::from_secs(10),
            body_deadline: Duration::from_secs(30),
            idle_deadline: Duration::from_secs(60),
            write_deadline: Duration::from_secs(30),
            hang_up_tick: Duration::from_millis(20),
        }
    }
}

impl Limits {
    /// What makes no sense, one plain phrase each: a bound under which nothing could be served, or our own words be refused.
    pub(crate) fn problems(&self) -> Vec<String> {
        let least = [
            ("id", self.id, 1),
            ("values", self.values, 16),
            ("cursor", self.cursor, 256), // the longest of ours is shorter
            ("page", self.page, 1),
            ("state", self.state, 256),
            ("completion_values", self.completion_values, 1),
            ("body", self.body, 1),
            ("line", self.line, 1),
            ("head", self.head, 1),
            ("fields", self.fields, 1),
            ("connections", self.connections, 1),
            ("in_flight", self.in_flight, 1),
        ];
        let times = [
            ("head_deadline", self.head_deadline),
            ("body_deadline", self.body_deadline),
            ("idle_deadline", self.idle_deadline),
            ("write_deadline", self.write_deadline),
            ("hang_up_tick", self.hang_up_tick),
        ];
        let least = least.into_iter().filter(|(_, value, least)| value < least);
        let mut problems: Vec<String> =
            least.map(|(name, _, least)| format!("{name} must be at least {least}")).collect();
        let times = times.into_iter().filter(|(_, time)| time.is_zero());
        problems.extend(times.map(|(name, _)| format!("{name} must not be zero")));
        if self.completion_values > 100 {
            problems.push("completion_values must be at most 100".to_owned()); // schema CompleteResult
        }
        if self.state_ttl.as_secs() == 0 || self.state_ttl > self.state_ttl_max {
            problems.push("state_ttl must lie between 1 s and state_ttl_max".to_owned());
        }
        problems
    }
}
