//! §19 How a card is compared with what is expected.

use crate::expected::Expected;
use crate::requirements::Kind;
use crate::score::{Card, Found};

/// `a` is clean, `b` fails twice with one check and warns with another, `c` did not run.
fn card() -> Card {
    let found = [
        ("a", r#"[{"id":"x","status":"SUCCESS"}]"#),
        ("b", r#"[{"id":"x","status":"FAILURE"},{"id":"x","status":"FAILURE"},{"id":"y:z","status":"WARNING"}]"#),
    ];
    let wanted = ["a", "b", "c"].map(|name| (name.to_owned(), Kind::Scored));
    Card::judge(wanted.into(), Found::from(found.map(|(name, text)| (name.to_owned(), Some(text.to_owned())))))
}

fn surprises(lines: &str) -> Vec<String> {
    let expected = Expected::parse(&format!("# comment\n\n[server r]\n{lines}\n[client r]\na = r\n"), "server r");
    expected.unwrap().compare(&card()).iter().map(ToString::to_string).collect()
}

#[test]
fn every_problem_that_is_not_listed_is_named_once() {
    let all = ["not expected: b:x is not clean", "not expected: b:y:z is not clean", "not expected: c left no checks"];
    assert_eq!(surprises(""), all);
    assert_eq!(Expected::default().compare(&card()).len(), all.len());
}

#[test]
fn listed_problems_are_as_expected() {
    assert_eq!(surprises("b = known\nc = not run"), [""; 0]);
    assert_eq!(surprises("b:x = known\nb:y:z = known too\nc = not run"), [""; 0]);
    assert_eq!(surprises("b:x = known\nc = not run"), ["not expected: b:y:z is not clean"]);
}

#[test]
fn a_check_does_not_excuse_a_scenario_that_left_none() {
    assert_eq!(
        surprises("b = known\nc:x = known"),
        ["not expected: c left no checks", "stale: line 5 lists c:x, but it has no problem"]
    );
}

#[test]
fn a_listed_line_without_a_problem_is_stale() {
    for (line, name) in [
        ("a = clean by now", "a"),
        ("a:x = so too", "a:x"),
        ("b:w = no such check", "b:w"),
        ("d = no such scenario", "d"),
    ] {
        let stale = format!("stale: line 6 lists {name}, but it has no problem");
        assert_eq!(surprises(&format!("b = known\nc = not run\n{line}")), [stale]);
    }
}

#[test]
fn the_reason_is_found_for_the_report() {
    let expected = Expected::parse("[s]\nb:x = because = of that\nc = whole", "s").unwrap();
    assert_eq!(expected.reason("b", Some("x")), Some("because = of that"));
    assert_eq!(expected.reason("b", Some("y")), None);
    assert_eq!(expected.reason("c", Some("y")), Some("whole"));
    assert_eq!(expected.reason("c", None), Some("whole"));
}

#[test]
fn a_line_that_is_no_expectation_is_refused() {
    for lines in ["a", "a =", "a = ", " = r", ":x = r", "a: = r", "a=r", "a = r\na = s", "a:x = r\na:x = r"] {
        assert!(Expected::parse(&format!("[s]\n{lines}"), "s").is_err(), "{lines:?}");
    }
    assert!(Expected::parse("a = r\n[s]", "s").is_err(), "above the first heading");
    assert!(Expected::parse("[t]\nnonsense", "s").is_err(), "other sections are read too");
}

#[test]
fn the_checked_in_file_can_be_read() {
    let text = include_str!("../../conformance/expected.txt");
    let expected = Expected::parse(text, "server 2026-07-28").unwrap();
    let named = Expected::parse(text, "no such leg").unwrap();
    assert_ne!(expected, named, "the section of the server leg is there");
}
