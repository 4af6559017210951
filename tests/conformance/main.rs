//! §19 The launcher's own parts: what it reads, how it judges, and that its children obey their limits.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::as_conversions,
    clippy::string_slice,
    missing_docs,
    unreachable_pub
)]
// The launcher is a program: its modules are compiled here a second time, and not all of each is called.
#![allow(dead_code)]

#[path = "../../conformance/expected.rs"]
mod expected;
#[path = "../../conformance/fixture.rs"]
mod fixture;
#[path = "../../conformance/install.rs"]
mod install;
#[path = "../../conformance/leftovers.rs"]
mod leftovers;
#[path = "../../conformance/options.rs"]
mod options;
#[path = "../../conformance/process.rs"]
mod process;
#[path = "../../conformance/program.rs"]
mod program;
#[path = "../../conformance/requirements.rs"]
mod requirements;
#[path = "../../conformance/sample.rs"]
mod sample;
#[path = "../../conformance/score.rs"]
mod score;
#[path = "../../conformance/witness.rs"]
mod witness;

mod children;
mod expectations;
mod pieces;
mod requirement_sets;
mod samples;
mod scores;
mod witnesses;

/// A folder of its own for one test, gone with the value.
struct Folder(std::path::PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("plain-mcp-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).unwrap();
    }
}
