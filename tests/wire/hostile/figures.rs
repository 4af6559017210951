//! What a process costs, as Linux tells it. On other systems there are no figures, and what needs them is left out.

use std::fs;
use std::thread;
use std::time::{Duration, Instant};

use crate::loopback::PATIENCE;

/// The most memory that an attack may make a server use, in KiB.
pub const MOST_KIB: u64 = 64 * 1024;

/// What a process has, and what it has used at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Figures {
    /// The most resident memory so far, in KiB.
    pub peak: u64,
    /// The resident memory now, in KiB.
    pub memory: u64,
    pub threads: u64,
    pub descriptors: u64,
}

impl Figures {
    /// The figures of a process that runs; `None` where there is no Linux.
    pub fn of(process: u32) -> Option<Figures> {
        if !cfg!(target_os = "linux") {
            return None;
        }
        let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap();
        let value = |name: &str| -> u64 {
            let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
            line.split_whitespace().next().unwrap().parse().unwrap()
        };
        let descriptors = fs::read_dir(format!("/proc/{process}/fd")).unwrap().count();
        Some(Figures {
            peak: value("VmHWM:"),
            memory: value("VmRSS:"),
            threads: value("Threads:"),
            descriptors: descriptors as u64,
        })
    }

    /// Whether threads and descriptors are as many as before, or fewer.
    pub fn are_back_at(&self, before: &Figures) -> bool {
        self.threads <= before.threads && self.descriptors <= before.descriptors
    }
}

/// How often the threads of a process have gone to sleep of themselves, and so have been woken; `None` where there is no Linux.
pub fn sleeps(process: u32) -> Option<u64> {
    if !cfg!(target_os = "linux") {
        return None;
    }
    let tasks = fs::read_dir(format!("/proc/{process}/task")).unwrap();
    let of_each = tasks.map(|task| {
        let status = fs::read_to_string(task.unwrap().path().join("status")).unwrap();
        let count = status.lines().find_map(|line| line.strip_prefix("voluntary_ctxt_switches:")).unwrap();
        count.trim().parse::<u64>().unwrap()
    });
    Some(of_each.sum())
}

/// Looks again and again until it holds: the one wait for something that no channel tells. How long it took, for who wants to print
/// it; a panic with what was seen last if it never holds.
pub fn until<T: std::fmt::Debug>(what: &str, mut look: impl FnMut() -> T, holds: impl Fn(&T) -> bool) -> Duration {
    let begun = Instant::now();
    loop {
        let seen = look();
        if holds(&seen) {
            return begun.elapsed();
        }
        assert!(begun.elapsed() < PATIENCE, "{what}: it never came to that, but {seen:?}");
        thread::sleep(Duration::from_millis(10));
    }
}
