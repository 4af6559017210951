//! What a process holds, as the system counts it.

use std::fs;
use std::time::{Duration, Instant};

use crate::loopback::PATIENCE;

pub fn descriptors(id: u32) -> usize {
    fs::read_dir(format!("/proc/{id}/fd")).unwrap().count()
}

pub fn threads(id: u32) -> usize {
    fs::read_dir(format!("/proc/{id}/task")).unwrap().count()
}

/// Looks again and again until it is so.
pub fn wait(is_so: impl Fn() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < PATIENCE, "it does not come to be so");
        std::thread::sleep(Duration::from_millis(10));
    }
}
