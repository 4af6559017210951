//! §19 How a card is compared with what is expected.

use crate::expected::Expected;
use crate::requirements::Kind;
use crate::score::{Card, Found, Problem};

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

fn problem(check: &str, name: &str, status: &str) -> Problem {
    let [check, name, status] = [check, name, status].map(str::to_owned);
    Problem { status, check, name, why: String::new() }
}

#[test]
fn the_reason_is_found_for_the_report() {
    let expected = Expected::parse("[s]\nb:x = because = of that\nc = whole", "s").unwrap();
    let [x, y] = ["x", "y"].map(|check| problem(check, "", "FAILURE"));
    assert_eq!(expected.reason("b", Some(&x)), Some("because = of that"));
    assert_eq!(expected.reason("b", Some(&y)), None);
    assert_eq!(expected.reason("b", None), None);
    assert_eq!(expected.reason("c", Some(&y)), Some("whole"));
    assert_eq!(expected.reason("c", None), Some("whole"));
}

#[test]
fn a_line_can_be_for_one_name_and_one_status() {
    let expected = Expected::parse("[s]\nb:Name SKIPPED = never sent\nb:x WARNING = known", "s").unwrap();
    let reason = |name: &str, status: &str| expected.reason("b", Some(&problem("x", name, status)));
    assert_eq!(reason("Name", "SKIPPED"), Some("never sent"));
    assert_eq!(reason("Name", "FAILURE"), None);
    assert_eq!(reason("Other", "SKIPPED"), None);
    assert_eq!(reason("Other", "WARNING"), Some("known"));
    assert_eq!(surprises("b:x FAILURE = known\nb:y:z WARNING = known\nc = not run"), [""; 0]);
    let stale = "stale: line 4 lists b:x SKIPPED, but it has no problem";
    assert_eq!(surprises("b:x SKIPPED = known\nb:y:z = known\nc = not run"), ["not expected: b:x is not clean", stale]);
}

#[test]
fn a_line_can_be_for_a_folder() {
    let expected = Expected::parse("[s]\nauth/* = later", "s").unwrap();
    assert_eq!(expected.reason("auth/iss", None), Some("later"));
    assert_eq!(expected.reason("auth/iss", Some(&problem("x", "", "FAILURE"))), Some("later"));
    assert_eq!(expected.reason("author", None), None);
    assert_eq!(expected.reason("x/auth/iss", None), None);
    assert_eq!(surprises("* = all"), [""; 0]);
    assert_eq!(surprises("* = all\nz/* = none"), ["stale: line 5 lists z/*, but it has no problem"]);
}

#[test]
fn a_line_that_is_no_expectation_is_refused() {
    for lines in ["a", "a =", "a = ", " = r", ":x = r", "a: = r", "a: X = r", "a=r", "a = r\na = s", "a:x = r\na:x = r"]
    {
        assert!(Expected::parse(&format!("[s]\n{lines}"), "s").is_err(), "{lines:?}");
    }
    assert!(Expected::parse("a = r\n[s]", "s").is_err(), "above the first heading");
    assert!(Expected::parse("[t]\nnonsense", "s").is_err(), "other sections are read too");
}

#[test]
fn the_checked_in_file_can_be_read() {
    let text = include_str!("../../conformance/expected.txt");
    for section in ["server 2026-07-28", "client 2026-07-28", "client 2025-11-25", "client 2025-06-18"] {
        let expected = Expected::parse(text, section).unwrap();
        assert_ne!(expected, Expected::default(), "the section {section} is there");
    }
}
