//! Whole exchanges as text. Each `*.txt` beside this file is played twice: through the corridor in memory and over a loopback
//! socket, or over two kinds of pipes, so that one text judges the protocol and the plumbing. README.md says how to read one.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::as_conversions)]
#![allow(clippy::string_slice, missing_docs, unreachable_pub)]

#[path = "../support/source.rs"]
mod source;
#[path = "../support/wire_schema.rs"]
mod wire_schema;

mod faults;
#[cfg(feature = "http")]
mod http;
#[cfg_attr(not(feature = "http"), allow(dead_code))]
mod pattern;
#[cfg(feature = "http")]
mod post;
#[cfg_attr(not(feature = "http"), allow(dead_code))]
mod script;
mod servers;
mod stdio;

use std::time::Duration;

use script::{Over, Script};

/// No wait of a play is longer.
const PATIENCE: Duration = Duration::from_secs(20);

/// Where a transcript is played.
#[derive(Clone, Copy, Debug)]
pub enum Place {
    /// Without a socket: calls and channels.
    Memory,
    /// Through a socket of this machine.
    Loopback,
}

/// Plays a transcript; the error names the line that did not come true.
pub fn play(text: &str, place: Place) -> Result<(), String> {
    let script = Script::read(text)?;
    let server = servers::named(&script.server)?;
    match script.over {
        Over::Stdio => stdio::play(&script, &server, place),
        #[cfg(feature = "http")]
        Over::Http => http::play(&script, &server, place),
        #[cfg(not(feature = "http"))]
        Over::Http => Ok(()),
    }
}

pub fn transcripts() -> Vec<source::File> {
    let files = source::files("tests/transcripts", &[".txt"]);
    assert!(files.len() >= 20, "only {} transcripts were found", files.len());
    files
}

fn each(place: Place) {
    let played = transcripts().into_iter().map(|file| (play(&file.text, place), file.path));
    let faults = played.filter_map(|(played, path)| played.err().map(|fault| format!("{path}: {fault}")));
    source::report(&format!("transcripts, {place:?}"), faults.collect());
}

#[test]
fn in_memory() {
    each(Place::Memory);
}

#[test]
fn over_the_loopback_interface() {
    each(Place::Loopback);
}
