//! `spec-notes/23-reported-faults.md` and the tests name each other; where the collection of reports is at hand, its cases and
//! the rows are the same.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use serde_json::Value;

use crate::source::{self, Token, report};

const NOTE: &str = "spec-notes/23-reported-faults.md";
const HEADER: &str = "| case | reported of | over | fault | shown by |";
const NOT_YET: &str = "not yet: ";

/// A row of the note: its number, the report, the transport, and the tests or the reason why there are none.
struct Row {
    case: u32,
    report: String,
    over: String,
    shown: String,
}

fn rows() -> Vec<Row> {
    let note = source::read(NOTE);
    // two tables, of servers and of clients
    let tables = note.split(HEADER).skip(1);
    let lines = tables.flat_map(|table| table.lines().skip(2).take_while(|line| line.starts_with('|')));
    let mut rows: Vec<Row> = lines
        .map(|line| {
            let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
            let [case, report, over, fault, shown] = cells[..] else { panic!("not five cells: {line}") };
            assert!(!fault.is_empty() && !shown.is_empty(), "{line}");
            let [report, over, shown] = [report, over, shown].map(str::to_owned);
            Row { case: case.parse().unwrap(), report, over, shown }
        })
        .collect();
    assert!(rows.len() > 80, "only {} rows were read", rows.len());
    rows.sort_by_key(|row| row.case);
    assert!(rows.is_sorted_by(|a, b| a.case < b.case), "a case has two rows");
    rows
}

/// Every test of the package, as the note names it: `cases/uris.rs case_117_escapes_in_a_variable`.
fn tests() -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for file in source::files("tests", &[".rs"]) {
        let tokens = source::code(&file.text);
        for at in 0..tokens.len() {
            if source::reads(&tokens, at, &["#", "[", "test", "]", "fn"]) {
                let Some(Token::Word(name)) = tokens.get(at + 5) else { continue };
                found.insert(format!("{} {name}", file.path.trim_start_matches("tests/")));
            }
        }
    }
    found
}

#[test]
fn each_row_names_tests_that_exist() {
    let tests = tests();
    let mut faults = Vec::new();
    for row in rows().iter().filter(|row| !row.shown.starts_with(NOT_YET)) {
        let named: Vec<&str> = row.shown.split(", ").collect();
        let missing = named.iter().filter(|name| !tests.contains(**name));
        faults.extend(missing.map(|name| format!("{}: there is no test {name}", row.case)));
        let own = format!("case_{:03}_", row.case);
        if !named.iter().any(|name| name.contains(&own)) {
            faults.push(format!("{}: no test of its number", row.case));
        }
    }
    report(NOTE, faults);
}

#[test]
fn each_test_is_named_by_its_row() {
    let rows = rows();
    let mut faults = Vec::new();
    for test in tests().iter().filter(|test| test.contains(" case_")) {
        let number = test.split(" case_").nth(1).and_then(|rest| rest.split('_').next()?.parse().ok());
        let row = rows.iter().find(|row| Some(row.case) == number);
        if !row.is_some_and(|row| row.shown.split(", ").any(|named| named == test)) {
            faults.push(test.clone());
        }
    }
    report("tests of cases that the note does not name", faults);
}

#[test]
fn each_case_has_its_row() {
    let Ok(text) = fs::read_to_string(source::root().join("../shared/cases/cases.jsonl")) else { return };
    let cases: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of = |case: &Value| {
        let words = [&case["source"], &case["input"]["transport"]].map(|word| word.as_str().unwrap().to_owned());
        (case["n"].as_u64().unwrap() as u32, words)
    };
    let due: BTreeMap<u32, [String; 2]> = cases.iter().map(of).collect();
    let is: BTreeMap<u32, [String; 2]> = rows().into_iter().map(|row| (row.case, [row.report, row.over])).collect();
    assert_eq!(is, due);
}
