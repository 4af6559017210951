//! §16 The conformance fixture, row by row, without the runner.

use plain_mcp::{Secret, Server};
use serde_json::{Value, json};

use crate::kit::{CAPS, LEVEL, SERVER, Sent, call, meta_and, tool};

#[path = "../../fixture/bench.rs"]
mod bench;
#[path = "../../fixture/cases.rs"]
mod cases;
#[path = "../../fixture/mrtr.rs"]
mod mrtr;
#[path = "../../fixture/prompts.rs"]
mod prompts;
#[path = "../../fixture/resources.rs"]
mod resources;
#[path = "../../fixture/server.rs"]
mod server;
#[path = "../../fixture/tools.rs"]
mod tools;

use server::{Profile, server};

fn fixture() -> Server {
    server(Profile::Conformance, None).unwrap()
}

#[test]
fn builds() {
    for profile in [Profile::Conformance, Profile::Cases, Profile::Bench] {
        let server = server(profile, None).unwrap();
        println!("{}", call(&server, "tools/list", json!({})).result());
    }
}
