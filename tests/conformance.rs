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

#[path = "../conformance/expected.rs"]
mod expected;
#[path = "../conformance/fixture.rs"]
mod fixture;
#[path = "../conformance/install.rs"]
mod install;
#[path = "../conformance/options.rs"]
mod options;
#[path = "../conformance/process.rs"]
mod process;
#[path = "../conformance/requirements.rs"]
mod requirements;
#[path = "../conformance/score.rs"]
mod score;

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

mod requirement_sets {
    use crate::requirements::{Kind, scenarios};

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
}

mod scores {
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
            let problem = Problem { status: status.to_owned(), check: "b".to_owned(), why: "x y".to_owned() };
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
}

mod expectations {
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
        let all =
            ["not expected: b:x is not clean", "not expected: b:y:z is not clean", "not expected: c left no checks"];
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
        let text = include_str!("../conformance/expected.txt");
        let expected = Expected::parse(text, "server 2026-07-28").unwrap();
        let named = Expected::parse(text, "no such leg").unwrap();
        assert_ne!(expected, named, "the section of the server leg is there");
    }
}

mod pieces {
    use std::path::PathBuf;

    use serde_json::Value;

    use crate::fixture::{executable, is_loopback, ready};
    use crate::install::major;
    use crate::options::Options;

    #[test]
    fn only_the_readiness_line_is_one() {
        let line = r#"{"conformanceReady":true,"url":"http://127.0.0.1:1/mcp"}"#;
        assert_eq!(ready(line).as_deref(), Some("http://127.0.0.1:1/mcp"));
        assert_eq!(ready(r#"{"conformanceReady":true}"#).as_deref(), Some(""));
        for other in
            ["", "listening", "[]", r#"{"conformanceReady":false,"url":"x"}"#, r#"{"conformanceReady":"true"}"#]
        {
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
    fn the_fixture_is_found_in_cargos_messages() {
        let message = r#"{"reason":"compiler-artifact","target":{"name":"fixture"},"executable":"/t/fixture"}"#;
        assert_eq!(executable(message), Some(PathBuf::from("/t/fixture")));
        assert_eq!(executable(&message.replace("\"fixture\"", "\"other\"")), None);
        assert_eq!(executable(r#"{"target":{"name":"fixture"},"executable":null}"#), None);
        assert_eq!(executable(r#"{"reason":"build-finished","success":true}"#), None);
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
        let parse = |line: &str| Options::parse(line.split_whitespace().map(str::to_owned), &["server", "client"]);
        let none = Options { leg: None, runs: 1, keep: false, fixture: None, verbose: false };
        assert_eq!(parse(""), Ok(Some(none)));
        let all = Options {
            leg: Some("client".to_owned()),
            runs: 3,
            keep: true,
            fixture: Some(PathBuf::from("f")),
            verbose: true,
        };
        assert_eq!(parse("--leg client --runs 3 --keep --fixture f --verbose"), Ok(Some(all)));
        assert_eq!(parse("--keep --help --nonsense"), Ok(None));
        for wrong in ["--leg", "--leg tasks", "--runs 0", "--runs -1", "--runs x", "--fixture", "server"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }

    /// The lock file holds for any registry: what a package must be, not where it was fetched from.
    #[test]
    fn the_lock_file_pins_contents_and_no_places() {
        let package: Value = serde_json::from_str(include_str!("../conformance/package.json")).unwrap();
        let lock: Value = serde_json::from_str(include_str!("../conformance/package-lock.json")).unwrap();
        let packages = lock["packages"].as_object().unwrap();
        for (name, entry) in packages.iter().filter(|(name, _)| !name.is_empty()) {
            assert!(entry["integrity"].as_str().is_some_and(|hash| hash.starts_with("sha512-")), "{name}");
            assert!(entry.get("resolved").is_none(), "{name}");
        }
        let runner = "@modelcontextprotocol/conformance";
        assert_eq!(package["dependencies"][runner], "0.2.0-alpha.12");
        assert_eq!(packages[&format!("node_modules/{runner}")]["version"], "0.2.0-alpha.12");
    }
}

/// The limits on children, with this test program as the child.
mod children {
    use std::io::{Read, Write};
    use std::net::{TcpListener, TcpStream};
    use std::process::Command;
    use std::time::{Duration, Instant};

    use crate::Folder;
    use crate::fixture::Fixture;
    use crate::process::{Line, Process};

    /// Longer than any of this takes; reached only where something is wrong.
    const LONG: Duration = Duration::from_secs(30);

    /// What the child does is told by this variable.
    const PART: &str = "PLAIN_MCP_TEST_PART";

    /// Not a test: the child's side of the ones below.
    #[test]
    #[ignore = "started by the other tests of this module"]
    fn child() {
        let say = |line: &str| std::io::stdout().write_all(format!("\n{line}\n").as_bytes()).unwrap();
        let to_end_of_input = || std::io::stdin().read_to_end(&mut Vec::new()).unwrap();
        let Ok(part) = std::env::var(PART) else { return };
        let ready = r#"{"conformanceReady":true,"url":"http://127.0.0.1:4/mcp"}"#;
        match part.as_str() {
            "good" => {
                say(ready);
                // More than a pipe and the queue hold: nobody may have to read it.
                (0..20_000).for_each(|_| say("and it goes on"));
                to_end_of_input();
            }
            "elsewhere" => {
                say(&ready.replace("127.0.0.1", "0.0.0.0"));
                to_end_of_input();
            }
            "bad end" => {
                say(ready);
                to_end_of_input();
                std::process::exit(3);
            }
            "early end" => say("not yet"),
            address => {
                // Stays until it is killed; the open connection tells the parent that it lives.
                let mut stream = TcpStream::connect(address).unwrap();
                say("connected");
                stream.read_to_end(&mut Vec::new()).unwrap();
            }
        }
    }

    fn command(part: &str) -> Command {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--ignored", "--exact", "--nocapture", "children::child"]).env(PART, part);
        command
    }

    fn fixture(part: &str) -> Result<Fixture, String> {
        let folder = Folder::new(&part.replace(' ', "-"));
        Fixture::start_command(command(part), &folder.0.join("log"), false)
    }

    #[test]
    fn a_fixture_is_ready_and_ends_with_its_input() {
        let fixture = fixture("good").unwrap();
        assert_eq!(fixture.url, "http://127.0.0.1:4/mcp");
        assert_eq!(fixture.close(), Ok(()));
    }

    #[test]
    fn a_fixture_that_serves_elsewhere_is_refused() {
        assert!(fixture("elsewhere").unwrap_err().contains("not on 127.0.0.1"));
    }

    #[test]
    fn a_fixture_that_ends_before_it_is_ready_is_refused() {
        assert!(fixture("early end").unwrap_err().contains("ended before it was ready"));
    }

    #[test]
    fn a_fixture_that_ends_badly_is_told_of() {
        assert!(fixture("bad end").unwrap().close().unwrap_err().contains("exit status: 3"));
    }

    #[test]
    fn a_program_that_is_not_there_is_told_of() {
        let folder = Folder::new("none");
        let command = Command::new(folder.0.join("none"));
        assert!(Process::start("nothing", command, &folder.0.join("log"), false).unwrap_err().contains("cannot start"));
    }

    #[test]
    fn output_goes_to_the_log_and_to_the_listener() {
        let folder = Folder::new("log");
        let log = folder.0.join("log");
        let mut process = Process::start("child", command("early end"), &log, false).unwrap();
        let deadline = Instant::now() + LONG;
        let mut lines = Vec::new();
        while let Line::Text(line) = process.line(deadline) {
            lines.push(line);
        }
        assert!(lines.contains(&"not yet".to_owned()), "{lines:?}");
        assert_eq!(process.line(deadline), Line::End);
        assert!(process.wait(LONG).unwrap().unwrap().success());
        assert!(std::fs::read_to_string(log).unwrap().contains("\nnot yet\n"));
    }

    #[test]
    fn a_child_past_its_limit_is_told_of_and_killed_when_dropped() {
        let folder = Folder::new("late");
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let mut process = Process::start("child", command(&address), &folder.0.join("log"), false).unwrap();
        let deadline = Instant::now() + LONG;
        while process.line(deadline) != Line::Text("connected".to_owned()) {
            assert!(Instant::now() < deadline, "the child does not connect");
        }
        let (mut stream, _) = listener.accept().unwrap();
        assert_eq!(process.line(Instant::now()), Line::Late, "it says no more, and does not end");
        assert_eq!(process.wait(Duration::ZERO), Ok(None));
        drop(process);
        stream.set_read_timeout(Some(LONG)).unwrap();
        let gone = match stream.read(&mut [0]) {
            Ok(read) => read == 0,
            Err(error) => error.kind() == std::io::ErrorKind::ConnectionReset,
        };
        assert!(gone, "its end of the connection is closed");
    }

    #[test]
    fn a_run_past_its_limit_is_an_error() {
        let folder = Folder::new("run");
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let error = Process::run("child", command(&address), &folder.0.join("log"), false, Duration::ZERO).unwrap_err();
        assert!(error.contains("killed"), "{error}");
    }
}
