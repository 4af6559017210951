//! Placeholder until the lead's Server lands.
use std::time::Duration;

/// Limits.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub struct Limits {
    pub body: usize,
    pub head: usize,
    pub fields: usize,
    pub connections: usize,
    pub drain: Duration,
    pub head_deadline: Duration,
    pub body_deadline: Duration,
    pub idle_deadline: Duration,
    pub write_deadline: Duration,
    pub hang_up_tick: Duration,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            body: 4 << 20,
            head: 32 << 10,
            fields: 100,
            connections: 1024,
            drain: Duration::from_secs(5),
            head_deadline: Duration::from_secs(10),
            body_deadline: Duration::from_secs(30),
            idle_deadline: Duration::from_secs(60),
            write_deadline: Duration::from_secs(30),
            hang_up_tick: Duration::from_millis(20),
        }
    }
}
