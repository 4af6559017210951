//! §17 §18 What is read from the runner's requirement set.

use crate::requirements::{Kind, listed, scenarios};

const YAML: &str = "\
# server:
#   - not-this

server:
  - first
  - sep-2/second

client:
  - tools_call

not_scored:
  - scenario: of-the-client
    leg: client
    reason: extension
  - scenario: third
    leg: server
    reason: pending
    note: >-
      a note that goes on: and says more
";

#[test]
fn a_legs_scored_scenarios_come_first_each_in_the_files_order() {
    let expected =
        [("first", Kind::Scored), ("sep-2/second", Kind::Scored), ("third", Kind::Unscored("pending".to_owned()))];
    assert_eq!(scenarios(YAML, "server").unwrap(), expected.map(|(name, kind)| (name.to_owned(), kind)));
}

#[test]
fn a_set_that_scores_nothing_is_refused() {
    assert!(scenarios(YAML, "authorization").unwrap_err().contains("scores nothing on the authorization leg"));
    assert!(scenarios("", "server").is_err());
}

#[test]
fn an_unscored_scenario_without_leg_or_reason_is_refused() {
    for lost in ["    leg: server\n", "    reason: pending\n"] {
        let error = scenarios(&YAML.replace(lost, ""), "server").unwrap_err();
        assert!(error.contains("third"), "{error}");
    }
}

#[test]
fn what_the_runner_lists_is_scored() {
    let lines = ["Client scenarios (test against a client):", "  - initialize [2025-06-18]", "  - auth/iss [a,b]", ""];
    let lines = lines.map(str::to_owned);
    let scored = ["initialize", "auth/iss"].map(|name| (name.to_owned(), Kind::Scored));
    assert_eq!(listed(&lines), Some(scored.into()));
    assert_eq!(listed(&lines[..1]), None);
}
