//! §19 The small readers: readiness, cargo's messages, versions, options, the lock file.

use std::path::PathBuf;

use serde_json::Value;

use crate::fixture::{is_loopback, ready};
use crate::install::major;
use crate::options::Options;
use crate::program::executable;

#[test]
fn only_the_readiness_line_is_one() {
    let line = r#"{"conformanceReady":true,"url":"http://127.0.0.1:1/mcp"}"#;
    assert_eq!(ready(line).as_deref(), Some("http://127.0.0.1:1/mcp"));
    assert_eq!(ready(r#"{"conformanceReady":true}"#).as_deref(), Some(""));
    for other in ["", "listening", "[]", r#"{"conformanceReady":false,"url":"x"}"#, r#"{"conformanceReady":"true"}"#] {
        assert_eq!(ready(other), None, "{other}");
    }
}

#[test]
fn only_127_0_0_1_is_served_from() {
    assert!(is_loopback("http://127.0.0.1:3001/mcp"));
    assert!(is_loopback("http://127.0.0.1:3001"));
    for other in [
        "",
        "http://localhost:3001/mcp",
        "http://127.0.0.1.example:3001/mcp",
        "http://127.0.0.1:3001@example/mcp",
        "http://127.0.0.1/mcp",
        "http://0.0.0.0:3001/mcp",
        "https://127.0.0.1:3001/mcp",
        "http://example/127.0.0.1:3001",
    ] {
        assert!(!is_loopback(other), "{other}");
    }
}

#[test]
fn a_program_is_found_in_cargos_messages() {
    let message = r#"{"reason":"compiler-artifact","target":{"name":"fixture"},"executable":"/t/fixture"}"#;
    assert_eq!(executable("fixture", message), Some(PathBuf::from("/t/fixture")));
    assert_eq!(executable("other", message), None);
    assert_eq!(executable("fixture", &message.replace("\"fixture\"", "\"other\"")), None);
    assert_eq!(executable("fixture", r#"{"target":{"name":"fixture"},"executable":null}"#), None);
    assert_eq!(executable("fixture", r#"{"reason":"build-finished","success":true}"#), None);
}

#[test]
fn a_nodes_major_version_is_read() {
    assert_eq!(major("v22.23.3"), Some(22));
    assert_eq!(major("v8.0.0\n"), Some(8));
    for other in ["", "22.0.0", "v", "version 22"] {
        assert_eq!(major(other), None, "{other}");
    }
}

#[test]
fn options_are_read_and_wrong_ones_refused() {
    const LEGS: [(&str, &str); 3] = [("server", "r2"), ("client", "r2"), ("client", "r1")];
    let parse = |line: &str| Options::parse(line.split_whitespace().map(str::to_owned), &LEGS);
    let none = Options { leg: None, revision: None, runs: 1, keep: false, fixture: None, client: None, verbose: false };
    assert_eq!(parse(""), Ok(Some(none.clone())));
    let all = Options {
        leg: Some("client".to_owned()),
        revision: Some("r1".to_owned()),
        runs: 3,
        keep: true,
        fixture: Some(PathBuf::from("f")),
        client: Some(PathBuf::from("c")),
        verbose: true,
    };
    let line = "--leg client --revision r1 --runs 3 --keep --fixture f --client c --verbose";
    assert_eq!(parse(line), Ok(Some(all.clone())));
    assert_eq!(parse("--keep --help --nonsense"), Ok(None));
    for wrong in [
        "--leg",
        "--leg tasks",
        "--revision",
        "--revision r0",
        "--leg server --revision r1",
        "--runs 0",
        "--runs -1",
        "--runs x",
        "--fixture",
        "--client",
        "server",
    ] {
        assert!(parse(wrong).is_err(), "{wrong}");
    }
    let run = |options: &Options| LEGS.map(|(name, revision)| options.runs_leg(name, revision));
    assert_eq!(run(&none), [true, true, true]);
    assert_eq!(run(&all), [false, false, true]);
    assert_eq!(run(&parse("--revision r2").unwrap().unwrap()), [true, true, false]);
}

/// The lock file holds for any registry: what a package must be, not where it was fetched from.
#[test]
fn the_lock_file_pins_contents_and_no_places() {
    let package: Value = serde_json::from_str(include_str!("../../conformance/package.json")).unwrap();
    let lock: Value = serde_json::from_str(include_str!("../../conformance/package-lock.json")).unwrap();
    let packages = lock["packages"].as_object().unwrap();
    for (name, entry) in packages.iter().filter(|(name, _)| !name.is_empty()) {
        assert!(entry["integrity"].as_str().is_some_and(|hash| hash.starts_with("sha512-")), "{name}");
        assert!(entry.get("resolved").is_none(), "{name}");
    }
    let runner = "@modelcontextprotocol/conformance";
    assert_eq!(package["dependencies"][runner], "0.2.0-alpha.12");
    assert_eq!(packages[&format!("node_modules/{runner}")]["version"], "0.2.0-alpha.12");
}
