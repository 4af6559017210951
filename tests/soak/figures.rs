//! What a process holds: threads, descriptors, memory. Linux only; elsewhere there is nothing to compare.

use std::fs;
use std::thread;
use std::time::{Duration, Instant};

/// Between two looks.
const PAUSE: Duration = Duration::from_millis(50);
/// The longest that a server may take to let go of what it holds: a tool that is not told of its cancel takes longer.
const LONGEST: Duration = Duration::from_secs(30);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Figures {
    pub threads: u64,
    pub descriptors: u64,
    /// Memory in use, in KiB.
    pub resident: u64,
}

impl Figures {
    /// Those of a process that lives; `None` where there is no `/proc`.
    pub fn of(process: u32) -> Option<Figures> {
        if !cfg!(target_os = "linux") {
            return None;
        }
        let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap();
        let number = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
            line.trim_start_matches(':').split_whitespace().next().unwrap().parse().unwrap()
        };
        let descriptors = fs::read_dir(format!("/proc/{process}/fd")).unwrap().count() as u64;
        Some(Figures { threads: number("Threads"), descriptors, resident: number("VmRSS") })
    }

    /// Those of a process that does nothing: for two seconds the numbers of its threads and descriptors have not changed.
    pub fn still(process: u32) -> Option<Figures> {
        let mut last = Figures::of(process)?;
        let mut same = 0;
        while same < 40 {
            thread::sleep(PAUSE);
            let now = Figures::of(process)?;
            same = if now.holds(&last) { same + 1 } else { 0 };
            last = now;
        }
        Some(last)
    }

    fn holds(&self, other: &Figures) -> bool {
        (self.threads, self.descriptors) == (other.threads, other.descriptors)
    }

    /// Waits until a process has as many threads and descriptors as it had in the beginning; its figures then.
    pub fn rest(process: u32, beginning: Option<Figures>) -> Option<Figures> {
        let beginning = beginning?;
        let since = Instant::now();
        loop {
            let now = Figures::of(process)?;
            if now.holds(&beginning) {
                return Some(now);
            }
            assert!(since.elapsed() < LONGEST, "{now:?} is not what it began with: {beginning:?}");
            thread::sleep(PAUSE);
        }
    }
}
