//! §19.1 Step 5: from the `checks.json` of each scenario to a score card.
//! Law: a scenario is clean only if it has checks and none of them is FAILURE, WARNING or SKIPPED.
//! Law: a scenario that should have run and left nothing is not clean.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::requirements::Kind;

/// What the runner left of one scenario: the text of its `checks.json`, if there is one.
pub(crate) type Found = BTreeMap<String, Option<String>>;

/// How the client of each scenario ended, in the words of [`std::process::ExitStatus`]; no entry where it was killed.
pub(crate) type Exits = BTreeMap<String, String>;

/// How a client should end.
const GOOD_EXIT: &str = "exit status: 0";

/// A check that is not as it should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Problem {
    pub(crate) status: String,
    /// The check's id.
    pub(crate) check: String,
    /// The check's name.
    pub(crate) name: String,
    pub(crate) why: String,
}

/// One scenario's outcome.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum State {
    Clean,
    Dirty(Vec<Problem>),
    /// It ran and checked nothing.
    NoChecks,
    /// It left no `checks.json` that can be read.
    NoFile,
    /// It did not run.
    Missing,
}

impl State {
    /// The word in front of the scenario's line.
    fn word(&self) -> &'static str {
        match self {
            State::Clean => "clean",
            State::Dirty(_) => "DIRTY",
            State::NoChecks => "NONE",
            State::NoFile => "NOFILE",
            State::Missing => "MISSING",
        }
    }

    /// The checks that are not as they should be.
    pub(crate) fn problems(&self) -> &[Problem] {
        if let State::Dirty(problems) = self { problems } else { &[] }
    }
}

/// Numbers of checks by status.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) ok: usize,
    pub(crate) fail: usize,
    pub(crate) warn: usize,
    pub(crate) skip: usize,
    pub(crate) info: usize,
}

impl Counts {
    fn add(&mut self, other: Counts) {
        self.ok += other.ok;
        self.fail += other.fail;
        self.warn += other.warn;
        self.skip += other.skip;
        self.info += other.info;
    }
}

/// A line of the card.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Scenario {
    pub(crate) name: String,
    pub(crate) kind: Kind,
    pub(crate) state: State,
    pub(crate) counts: Counts,
}

impl fmt::Display for Scenario {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Counts { ok, fail, warn, skip, info } = self.counts;
        let (word, name) = (self.state.word(), &self.name);
        write!(out, "{word:7} {name:46} ok={ok:<3} fail={fail:<2} warn={warn:<2} skip={skip:<2} info={info:<2}")?;
        match &self.kind {
            Kind::Scored => Ok(()),
            Kind::Unscored(reason) => write!(out, " ({reason})"),
            Kind::Extra => write!(out, " (not in the requirement set)"),
        }
    }
}

/// The outcome of one run of the runner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Card {
    pub(crate) scenarios: Vec<Scenario>,
}

impl Card {
    /// Judges what was found against what should have run; whatever else was found comes last.
    pub(crate) fn judge(wanted: Vec<(String, Kind)>, mut found: Found) -> Card {
        let mut scenarios = Vec::with_capacity(wanted.len());
        for (name, kind) in wanted {
            let (state, counts) = match found.remove(&name) {
                Some(checks) => judge_checks(checks.as_deref()),
                None => (State::Missing, Counts::default()),
            };
            scenarios.push(Scenario { name, kind, state, counts });
        }
        for (name, checks) in found {
            let (state, counts) = judge_checks(checks.as_deref());
            scenarios.push(Scenario { name, kind: Kind::Extra, state, counts });
        }
        Card { scenarios }
    }

    /// Adds what is wrong with how the clients ended, where there are checks that could be clean.
    pub(crate) fn judge_exits(&mut self, exits: &Exits) {
        for Scenario { name, state, counts, .. } in &mut self.scenarios {
            let why = match exits.get(name.as_str()).map(|exit| exit.trim()) {
                Some(GOOD_EXIT) => continue,
                Some(exit) => format!("the client's end: {exit}"),
                None => "the client did not end by itself".to_owned(),
            };
            let check = "client-exit".to_owned();
            let problem = Problem { status: "FAILURE".to_owned(), name: check.clone(), check, why };
            match state {
                State::Clean => *state = State::Dirty(vec![problem]),
                State::Dirty(problems) => problems.push(problem),
                State::NoChecks | State::NoFile | State::Missing => continue,
            }
            counts.fail += 1;
        }
    }

    /// The closing line.
    pub(crate) fn total(&self) -> String {
        let clean = |scored: bool| {
            let group = self.scenarios.iter().filter(move |s| (s.kind == Kind::Scored) == scored);
            let all = group.clone().count();
            format!("{} of {all} clean", group.filter(|s| s.state == State::Clean).count())
        };
        let mut sum = Counts::default();
        self.scenarios.iter().for_each(|scenario| sum.add(scenario.counts));
        format!(
            "scored: {}; unscored: {}; checks: {} ok, {} fail, {} warn, {} skip",
            clean(true),
            clean(false),
            sum.ok,
            sum.fail,
            sum.warn,
            sum.skip
        )
    }
}

/// The outcome that the text of a `checks.json` stands for.
fn judge_checks(text: Option<&str>) -> (State, Counts) {
    let mut counts = Counts::default();
    let Some(Ok(Value::Array(checks))) = text.map(serde_json::from_str) else { return (State::NoFile, counts) };
    if checks.is_empty() {
        return (State::NoChecks, counts);
    }
    let mut problems = Vec::new();
    for check in &checks {
        match check.get("status").and_then(Value::as_str) {
            Some("SUCCESS") => counts.ok += 1,
            Some("INFO") => counts.info += 1,
            status => {
                match status {
                    Some("FAILURE") => counts.fail += 1,
                    Some("WARNING") => counts.warn += 1,
                    Some("SKIPPED") => counts.skip += 1,
                    _ => {}
                }
                // A status that we do not know is a problem too: nothing is clean by accident.
                problems.push(problem(check, status.unwrap_or("no status")));
            }
        }
    }
    (if problems.is_empty() { State::Clean } else { State::Dirty(problems) }, counts)
}

/// A check's id, and the best text that it offers on one line.
fn problem(check: &Value, status: &str) -> Problem {
    let texts = ["/errorMessage", "/details/message", "/details/note", "/description"];
    let why = texts.into_iter().find_map(|at| check.pointer(at)?.as_str().filter(|text| !text.is_empty()));
    let words: Vec<&str> = why.unwrap_or_default().split_whitespace().collect();
    let text = |member: &str| check.get(member).and_then(Value::as_str).map(str::to_owned);
    Problem {
        status: status.to_owned(),
        check: text("id").unwrap_or_else(|| "no id".to_owned()),
        name: text("name").unwrap_or_default(),
        why: words.join(" ").chars().take(300).collect(),
    }
}

/// Reads what the runner left below `dir` in folders named `<prefix><scenario>-<stamp>`; of several stamps the newest.
///
/// # Errors
/// A folder cannot be read.
pub(crate) fn collect(dir: &Path, prefix: &str) -> Result<Found, String> {
    let mut newest = BTreeMap::new();
    walk(dir, "", prefix, &mut newest)?;
    Ok(newest.into_iter().map(|(name, (_, checks))| (name, checks)).collect())
}

/// A scenario's newest stamp and its checks.
type Newest = BTreeMap<String, (String, Option<String>)>;

/// `above` is the part of a scenario's name that its parent folders give (`auth/…` nests).
fn walk(dir: &Path, above: &str, prefix: &str, newest: &mut Newest) -> Result<(), String> {
    let failed = |error: std::io::Error| format!("cannot read {}: {error}", dir.display());
    for entry in fs::read_dir(dir).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        if !entry.file_type().map_err(failed)?.is_dir() {
            continue;
        }
        let file_name = entry.file_name();
        let path = format!("{above}{}", file_name.to_string_lossy());
        let Some((name, stamp)) = stamped(&path) else {
            walk(&entry.path(), &format!("{path}/"), prefix, newest)?;
            continue;
        };
        let Some(name) = name.strip_prefix(prefix) else { continue };
        if newest.get(name).is_none_or(|(known, _)| known.as_str() < stamp) {
            let checks = fs::read_to_string(entry.path().join("checks.json")).ok();
            newest.insert(name.to_owned(), (stamp.to_owned(), checks));
        }
    }
    Ok(())
}

/// Splits `<name>-2026-07-28T01-02-03-004Z`.
pub(crate) fn stamped(name: &str) -> Option<(&str, &str)> {
    const STAMP: &str = "0000-00-00T00-00-00-000Z";
    let (name, stamp) = name.split_at_checked(name.len().checked_sub(STAMP.len())?)?;
    let fits = |(is, should): (char, char)| if should == '0' { is.is_ascii_digit() } else { is == should };
    let name = name.strip_suffix('-').filter(|name| !name.is_empty())?;
    stamp.chars().zip(STAMP.chars()).all(fits).then_some((name, stamp))
}
