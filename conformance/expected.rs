//! §19 The checked-in expectation: `scenario[:check[ STATUS]] = reason`, a section for each leg and revision.
//! Law: a problem that is not listed is red, and so is a listed line that has no problem to excuse.
//! Law: a line without a reason, or listed twice, is no expectation.

use std::fmt;

use crate::score::{Card, Problem, Scenario, State};

/// One line: the problems of a whole scenario (`auth/*`: of all in that folder), or of one check, and why they are known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    line: usize,
    scenario: String,
    check: Option<Check>,
    reason: String,
}

/// Which problems of a scenario a line is for.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Check {
    /// The check's id, or its name: one id may stand for several checks, which then differ in their names.
    name: String,
    /// The only status that is expected.
    status: Option<String>,
}

impl Entry {
    /// Whether this line speaks of that problem of that scenario; `None` is a scenario that left no checks.
    fn covers(&self, scenario: &str, problem: Option<&Problem>) -> bool {
        self.names(scenario)
            && match (&self.check, problem) {
                (None, _) => true,
                (Some(check), Some(problem)) => check.covers(problem),
                (Some(_), None) => false,
            }
    }

    fn names(&self, scenario: &str) -> bool {
        match self.scenario.strip_suffix('*') {
            Some(folder) => scenario.starts_with(folder),
            None => self.scenario == scenario,
        }
    }
}

impl Check {
    fn covers(&self, problem: &Problem) -> bool {
        (self.name == problem.check || self.name == problem.name)
            && self.status.as_ref().is_none_or(|status| *status == problem.status)
    }
}

impl fmt::Display for Check {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.status {
            Some(status) => write!(out, ":{} {status}", self.name),
            None => write!(out, ":{}", self.name),
        }
    }
}

/// One section of the file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Expected {
    entries: Vec<Entry>,
}

/// Where outcome and expectation differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Surprise {
    /// A problem that no line excuses; without a check, the scenario left no checks at all.
    Unlisted { scenario: String, check: Option<String> },
    /// A line that excuses nothing.
    Stale(Entry),
}

impl fmt::Display for Surprise {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Surprise::Unlisted { scenario, check: Some(check) } => {
                write!(out, "not expected: {scenario}:{check} is not clean")
            }
            Surprise::Unlisted { scenario, check: None } => write!(out, "not expected: {scenario} left no checks"),
            Surprise::Stale(entry) => {
                let check = entry.check.as_ref().map(Check::to_string).unwrap_or_default();
                write!(out, "stale: line {} lists {}{check}, but it has no problem", entry.line, entry.scenario)
            }
        }
    }
}

impl Expected {
    /// Reads the section `[section]`; a file without it expects no problems.
    ///
    /// # Errors
    /// A line, of whatever section, is neither a comment, a heading nor `scenario[:check] = reason`, or is there twice.
    pub(crate) fn parse(text: &str, section: &str) -> Result<Expected, String> {
        let mut entries: Vec<Entry> = Vec::new();
        let mut heading = None;
        for (line, text) in (1..).zip(text.lines().map(str::trim)) {
            if text.is_empty() || text.starts_with('#') {
                continue;
            }
            if let Some(name) = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')) {
                heading = Some(name.trim());
                continue;
            }
            let heading = heading.ok_or_else(|| format!("line {line}: above the first [leg revision] heading"))?;
            let entry =
                entry(line, text).ok_or_else(|| format!("line {line}: not `scenario[:check[ STATUS]] = reason`"))?;
            if heading != section {
                continue;
            }
            if entries.iter().any(|known| known.scenario == entry.scenario && known.check == entry.check) {
                return Err(format!("line {line}: listed twice"));
            }
            entries.push(entry);
        }
        Ok(Expected { entries })
    }

    /// Why a problem of a scenario, or that it left no checks, is known.
    pub(crate) fn reason(&self, scenario: &str, problem: Option<&Problem>) -> Option<&str> {
        self.entries.iter().find(|entry| entry.covers(scenario, problem)).map(|entry| entry.reason.as_str())
    }

    /// Every difference, each once: first the problems in the card's order, then the stale lines in the file's.
    pub(crate) fn compare(&self, card: &Card) -> Vec<Surprise> {
        let mut surprises = Vec::new();
        for scenario in &card.scenarios {
            for problem in open_questions(&scenario.state) {
                let check = problem.map(|problem| problem.check.clone());
                let surprise = Surprise::Unlisted { scenario: scenario.name.clone(), check };
                if self.reason(&scenario.name, problem).is_none() && !surprises.contains(&surprise) {
                    surprises.push(surprise);
                }
            }
        }
        let stale = self.entries.iter().filter(|entry| !card.scenarios.iter().any(|scenario| excuses(entry, scenario)));
        surprises.extend(stale.cloned().map(Surprise::Stale));
        surprises
    }
}

/// What a scenario's state needs excuses for: the checks that went wrong, or the scenario itself where it left none.
fn open_questions(state: &State) -> Vec<Option<&Problem>> {
    match state {
        State::Clean => Vec::new(),
        State::Dirty(problems) => problems.iter().map(Some).collect(),
        State::NoChecks | State::NoFile | State::Missing => vec![None],
    }
}

/// Whether the line has something to excuse in this scenario.
fn excuses(entry: &Entry, scenario: &Scenario) -> bool {
    match entry.check {
        None => entry.names(&scenario.name) && scenario.state != State::Clean,
        Some(_) => scenario.state.problems().iter().any(|problem| entry.covers(&scenario.name, Some(problem))),
    }
}

/// `scenario[:check[ STATUS]] = reason`.
fn entry(line: usize, text: &str) -> Option<Entry> {
    let (name, reason) = text.split_once(" = ")?;
    let (scenario, check) = match name.trim().split_once(':') {
        Some((scenario, check)) => (scenario, Some(check_of(check))),
        None => (name.trim(), None),
    };
    let filled =
        !scenario.is_empty() && check.as_ref().is_none_or(|check| !check.name.is_empty()) && !reason.trim().is_empty();
    filled.then(|| Entry { line, scenario: scenario.to_owned(), check, reason: reason.trim().to_owned() })
}

fn check_of(text: &str) -> Check {
    match text.rsplit_once(' ') {
        Some((name, status)) => Check { name: name.trim().to_owned(), status: Some(status.to_owned()) },
        None => Check { name: text.to_owned(), status: None },
    }
}
