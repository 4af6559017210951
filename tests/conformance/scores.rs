//! §19.1 How checks become a score card.

use crate::Folder;
use crate::requirements::Kind;
use crate::score::{Card, Counts, Found, Problem, State, collect, stamped};

fn judge(checks: Option<&str>) -> Card {
    let found = Found::from([("s".to_owned(), checks.map(str::to_owned))]);
    Card::judge(vec![("s".to_owned(), Kind::Scored)], found)
}

#[test]
fn only_successes_and_informations_are_clean() {
    let card = judge(Some(r#"[{"id":"a","status":"SUCCESS"},{"id":"b","status":"INFO"}]"#));
    assert_eq!(card.scenarios[0].state, State::Clean);
    assert_eq!(card.scenarios[0].counts, Counts { ok: 1, info: 1, ..Counts::default() });
}

#[test]
fn a_failure_a_warning_a_skip_and_an_unknown_status_are_not_clean() {
    for status in ["FAILURE", "WARNING", "SKIPPED", "success"] {
        let text =
            format!(r#"[{{"id":"a","status":"SUCCESS"}},{{"id":"b","status":"{status}","description":"x  y"}}]"#);
        let [check, name, why] = ["b", "", "x y"].map(str::to_owned);
        let problem = Problem { status: status.to_owned(), check, name, why };
        assert_eq!(judge(Some(&text)).scenarios[0].state, State::Dirty(vec![problem]));
    }
    assert!(matches!(judge(Some(r#"[{"id":"a"}]"#)).scenarios[0].state, State::Dirty(_)));
}

#[test]
fn no_checks_no_file_and_no_run_are_not_clean() {
    assert_eq!(judge(Some("[]")).scenarios[0].state, State::NoChecks);
    for unreadable in [None, Some(""), Some("{}"), Some("[")] {
        assert_eq!(judge(unreadable).scenarios[0].state, State::NoFile, "{unreadable:?}");
    }
    let card = Card::judge(vec![("s".to_owned(), Kind::Scored)], Found::new());
    assert_eq!(card.scenarios[0].state, State::Missing);
    assert!(card.total().starts_with("scored: 0 of 1 clean"));
}

#[test]
fn the_best_text_of_a_check_is_shown() {
    let text = r#"[{"id":"a","status":"FAILURE","errorMessage":"","details":{"note":"n"},"description":"d"}]"#;
    assert_eq!(judge(Some(text)).scenarios[0].state.problems()[0].why, "n");
}

#[test]
fn the_total_counts_scored_and_other_scenarios_apart() {
    let clean = Some(r#"[{"id":"a","status":"SUCCESS"}]"#.to_owned());
    let skip = Some(r#"[{"id":"a","status":"SKIPPED"}]"#.to_owned());
    let found = Found::from([
        ("one".to_owned(), clean.clone()),
        ("two".to_owned(), skip),
        ("three".to_owned(), clean.clone()),
        ("new".to_owned(), clean),
    ]);
    let wanted = vec![
        ("one".to_owned(), Kind::Scored),
        ("two".to_owned(), Kind::Scored),
        ("three".to_owned(), Kind::Unscored("pending".to_owned())),
    ];
    let card = Card::judge(wanted, found);
    assert_eq!(card.total(), "scored: 1 of 2 clean; unscored: 2 of 2 clean; checks: 3 ok, 0 fail, 0 warn, 1 skip");
    let lines: Vec<String> = card.scenarios.iter().map(ToString::to_string).collect();
    assert!(lines[1].starts_with("DIRTY   two "), "{lines:?}");
    assert!(lines[1].ends_with("ok=0   fail=0  warn=0  skip=1  info=0 "), "{lines:?}");
    assert!(lines[2].ends_with("(pending)"), "{lines:?}");
    assert!(lines[3].ends_with("(not in the requirement set)"), "{lines:?}");
}

#[test]
fn a_result_folders_name_ends_in_a_stamp() {
    assert_eq!(stamped("server-x-2026-07-28T01-02-03-004Z"), Some(("server-x", "2026-07-28T01-02-03-004Z")));
    for other in
        ["", "server-x", "-2026-07-28T01-02-03-004Z", "x-2026-07-28T01:02:03.004Z", "x2026-07-28T01-02-03-004Z"]
    {
        assert_eq!(stamped(other), None, "{other}");
    }
}

#[test]
fn results_are_collected_by_scenario_the_newest_of_several_and_nested_ones_too() {
    let folder = Folder::new("collect");
    for (path, text) in [
        ("server-a-2026-07-28T01-02-03-004Z", Some("old")),
        ("server-a-2026-07-28T01-02-03-005Z", Some("new")),
        ("server-auth/b-2026-07-28T01-02-03-004Z", Some("nested")),
        ("server-c-2026-07-28T01-02-03-004Z", None),
        ("other-d-2026-07-28T01-02-03-004Z", Some("of another leg")),
    ] {
        std::fs::create_dir_all(folder.0.join(path)).unwrap();
        if let Some(text) = text {
            std::fs::write(folder.0.join(path).join("checks.json"), text).unwrap();
        }
    }
    std::fs::write(folder.0.join("runner.log"), "").unwrap();
    let expected = [("a", Some("new")), ("auth/b", Some("nested")), ("c", None)];
    let expected = expected.map(|(name, text)| (name.to_owned(), text.map(str::to_owned)));
    assert_eq!(collect(&folder.0, "server-").unwrap(), Found::from(expected));
    assert!(collect(&folder.0.join("nowhere"), "server-").is_err());
}

#[test]
fn a_client_that_ends_badly_makes_its_scenario_dirty() {
    let (clean, dirty) = (r#"[{"id":"x","status":"SUCCESS"}]"#, r#"[{"id":"x","status":"WARNING"}]"#);
    let found = [("a", clean), ("b", clean), ("c", clean), ("d", dirty), ("e", "[]")];
    let found = found.map(|(name, text)| (name.to_owned(), Some(text.to_owned())));
    let wanted = ["a", "b", "c", "d", "e", "f"].map(|name| (name.to_owned(), Kind::Scored));
    let mut card = Card::judge(wanted.into(), Found::from(found));
    let exits = [("a", "exit status: 0\n"), ("b", "exit status: 3"), ("d", "signal: 9 (SIGKILL)")];
    card.judge_exits(&exits.map(|(name, exit)| (name.to_owned(), exit.to_owned())).into());
    let problems = |at: usize| -> Vec<(&str, &str)> {
        card.scenarios[at].state.problems().iter().map(|p| (p.check.as_str(), p.why.as_str())).collect()
    };
    assert_eq!(card.scenarios[0].state, State::Clean);
    assert_eq!(problems(1), [("client-exit", "the client's end: exit status: 3")]);
    assert_eq!(problems(2), [("client-exit", "the client did not end by itself")]);
    assert_eq!(problems(3), [("x", ""), ("client-exit", "the client's end: signal: 9 (SIGKILL)")]);
    assert_eq!((&card.scenarios[4].state, &card.scenarios[5].state), (&State::NoChecks, &State::Missing));
    assert_eq!((card.scenarios[1].counts.fail, card.scenarios[4].counts.fail), (1, 0));
}
