//! §5.1 §5.2 The official JSON Schema test suite, draft 2020-12, where it lies beside the package.
//!
//! Law: no wrong answer. What is refused when a schema is compiled is counted by file and compared with the list
//! `spec-notes/schema-refused.tsv`; `BLESS=1` writes the list anew. Only `optional/format` is left out: `format` is an
//! annotation here.
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

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use plain_mcp::schema::Schema;
use serde_json::Value;

// Cargo runs a test in the root of its package.
const SUITE: &str = "../shared/spec/json-schema-test-suite/tests/draft2020-12";
const LIST: &str = "spec-notes/schema-refused.tsv";

#[derive(Default)]
struct Tally {
    schemas: usize,
    refused: Vec<(String, String)>,
    tests: usize,
    wrong: Vec<String>,
}

#[test]
fn the_official_suite_gets_no_wrong_answer() {
    let root = Path::new(SUITE);
    if !root.is_dir() {
        println!("skipped: the official suite is not at {SUITE}");
        return;
    }
    let tallies: BTreeMap<String, Tally> = files(root)
        .into_iter()
        .map(|file| {
            let name = file.strip_prefix(root).unwrap().to_str().unwrap().replace('\\', "/");
            let tally = run(&name, &fs::read_to_string(&file).unwrap());
            (name, tally)
        })
        .collect();
    let total = |count: fn(&Tally) -> usize| tallies.values().map(count).sum::<usize>();
    println!(
        "{} files, {} schemas, {} refused, {} tests answered, {} wrong",
        tallies.len(),
        total(|tally| tally.schemas),
        total(|tally| tally.refused.len()),
        total(|tally| tally.tests),
        total(|tally| tally.wrong.len())
    );
    if cfg!(feature = "jsonschema") {
        for (name, tally) in &tallies {
            for (case, reason) in &tally.refused {
                println!("refused: {name}: {case}: {reason}");
            }
        }
    }
    let wrong: Vec<&String> = tallies.values().flat_map(|tally| &tally.wrong).collect();
    assert!(wrong.is_empty(), "{} wrong answers:\n{wrong:#?}", wrong.len());
    assert!(total(|tally| tally.tests) > 1000, "the suite is not whole");
    if !cfg!(feature = "jsonschema") {
        compare_with_list(&tallies);
    }
}

fn compare_with_list(tallies: &BTreeMap<String, Tally>) {
    let mut list = String::from("file\tschemas\trefused\tfirst reason\n");
    for (name, tally) in tallies.iter().filter(|(_, tally)| !tally.refused.is_empty()) {
        writeln!(list, "{name}\t{}\t{}\t{}", tally.schemas, tally.refused.len(), tally.refused[0].1).unwrap();
    }
    if std::env::var_os("BLESS").is_some() {
        fs::write(LIST, &list).unwrap();
    }
    assert_eq!(fs::read_to_string(LIST).unwrap_or_default(), list, "{LIST} is out of date");
}

fn files(root: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for folder in [root.to_owned(), root.join("optional")] {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|extension| extension == "json") {
                files.push(path);
            }
        }
    }
    files
}

fn run(name: &str, text: &str) -> Tally {
    let cases: Value = serde_json::from_str(text).unwrap();
    let mut tally = Tally::default();
    for case in cases.as_array().unwrap() {
        tally.schemas += 1;
        let title = case["description"].as_str().unwrap();
        let schema = match Schema::compile(&case["schema"]) {
            Ok(schema) => schema,
            Err(refused) => {
                tally.refused.push((title.to_owned(), refused.to_string()));
                continue;
            }
        };
        for test in case["tests"].as_array().unwrap() {
            tally.tests += 1;
            let description = test["description"].as_str().unwrap();
            let verdict = schema.check(&test["data"]);
            if verdict.is_ok() != test["valid"].as_bool().unwrap() {
                tally.wrong.push(format!("{name}: {title}: {description}: {verdict:?}"));
            }
        }
    }
    tally
}
