//! Law 11: the ids of notes, code and tests agree. The notes say what holds, the tables in `src` say it to the peer, the tests
//! say it literally; this file compares the three. `BLESS=1 cargo test --test trace` rewrites what is generated from them:
//! `spec-notes/TRACE.md` and `tests/support/ids.rs`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::as_conversions)]
#![allow(clippy::string_slice, missing_docs, unreachable_pub)]

#[path = "support/citations.rs"]
mod citations;
#[path = "support/notes.rs"]
mod notes;
#[path = "support/source.rs"]
mod source;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use notes::{Notes, Tested};
use source::report;

const LEVELS: &[&str] = &["MUST", "MUST NOT", "SHOULD", "SHOULD NOT", "MAY", "own", ""];

/// Modules of the official list that belong to later parts; `spec-notes/README.md` gives the reason of each.
const LATER_MODULES: &[&str] = &["auth", "tasks"];

#[test]
fn notes_are_well_formed() {
    let mut notes = notes::read();
    let mut faults = std::mem::take(&mut notes.faults);
    assert!(notes.rows.len() > 100, "only {} rows were read", notes.rows.len());
    let mut last: BTreeMap<&str, u32> = BTreeMap::new();
    for row in &notes.rows {
        let Some((section, number)) = row.id.rsplit_once('-') else {
            faults.push(format!("{}: {}: not `section-number`", row.note, row.id));
            continue;
        };
        let lettered = section.starts_with(|c: char| c.is_ascii_alphabetic());
        if section != row.section && !lettered {
            faults.push(format!("{}: {} stands under the heading of {}", row.note, row.id, row.section));
        }
        let due = last.get(section).copied().unwrap_or(0) + 1;
        if number.parse() != Ok(due) {
            faults.push(format!("{}: {} where {section}-{due} is due", row.note, row.id));
        }
        last.insert(section, number.parse().unwrap_or(due));
        if !LEVELS.contains(&row.level.as_str()) {
            faults.push(format!("{}: {}: unknown level {:?}", row.note, row.id, row.level));
        }
        if row.requirement.is_empty() || row.source.is_empty() {
            faults.push(format!("{}: {}: requirement and source may not be empty", row.note, row.id));
        }
        if row.answer.as_ref().is_some_and(|answer| answer.text.matches("{}").count() > 1) {
            faults.push(format!("{}: {}: more than one {{}} in its text", row.note, row.id));
        }
    }
    report("spec-notes/", faults);
}

#[test]
fn ids_are_used_once() {
    let mut seen = BTreeSet::new();
    let notes = notes::read();
    let twice = notes.rows.iter().filter(|row| !seen.insert(row.id.as_str()));
    report("ids used by two rows", twice.map(|row| format!("{}: {}", row.note, row.id)).collect());
}

#[test]
fn readme_lists_the_texts_of_ours() {
    let readme = source::read("spec-notes/README.md");
    let mut faults = Vec::new();
    let (_, list) = readme.split_once("## Texts of ours").expect("spec-notes/README.md has a list of our texts");
    let list = list.split("\n## ").next().unwrap();
    let listed: BTreeSet<&str> = list.lines().filter(|line| line.starts_with("| ")).skip(1).collect();
    let notes = notes::read();
    let ours = notes.rows.iter().filter(|row| row.source.split(", ").any(|part| part == "ours"));
    let due: Vec<String> =
        ours.filter_map(|row| row.answer.as_ref().map(|answer| format!("| {} | {answer} |", row.id))).collect();
    faults.extend(due.iter().filter(|line| !listed.contains(line.as_str())).map(|line| format!("missing: {line}")));
    faults
        .extend(listed.iter().filter(|line| !due.iter().any(|due| due == *line)).map(|line| format!("stale: {line}")));
    report("list of our texts in spec-notes/README.md", faults);
}

#[test]
fn requirements_have_tests() {
    let cited: BTreeSet<String> = citations::tests().into_iter().map(|citation| citation.id).collect();
    let notes = notes::read();
    let bare = notes.rows.iter().filter(|row| row.tested == Tested::Yes && !cited.contains(&row.id));
    report("requirements without a test", bare.map(|row| format!("{}: {}", row.id, row.requirement)).collect());
}

/// The third hand of the double entry: a test that covers a rule holds its code, its status if it has one, and its text as well.
#[test]
fn tests_hold_the_codes_and_texts_literally() {
    let mut faults = Vec::new();
    let rules = citations::rules(&mut faults);
    let citations = citations::tests();
    for rule in &rules {
        let places: BTreeSet<&str> =
            citations.iter().filter(|it| it.id == rule.id).map(|it| it.file.as_str()).collect();
        let holds = |file: &&str| {
            let test = source::read(file);
            let numbers = [Some(rule.answer.code), rule.answer.status.map(i64::from)];
            let numbers = numbers.iter().flatten().all(|number| test.contains(&number.to_string()));
            numbers && rule.answer.text.split("{}").all(|part| test.contains(part))
        };
        if !places.iter().any(holds) {
            faults.push(format!("{}: {} in none of {places:?}", rule.id, rule.answer));
        }
    }
    report("codes and texts that no covering test holds", faults);
}

#[test]
fn exclusions_are_not_stale() {
    let notes = notes::read();
    let mut faults = Vec::new();
    for citation in citations::tests() {
        let row = notes.row(&citation.id);
        if row.is_some_and(|row| row.tested != Tested::Yes) {
            faults.push(format!("{}: tested by {} {}", citation.id, citation.file, citation.place));
        }
    }
    report("excluded requirements that have a test", faults);
}

#[test]
fn tests_cite_known_ids() {
    let notes = notes::read();
    let unknown = citations::tests().into_iter().filter(|citation| notes.row(&citation.id).is_none());
    report("ids of tests that are in no note", unknown.map(|it| format!("{}: {}", it.file, it.id)).collect());
}

#[test]
fn tables_have_the_answers_of_the_notes() {
    let notes = notes::read();
    let mut faults = Vec::new();
    let rules = citations::rules(&mut faults);
    for row in notes.rows.iter().filter(|row| row.answer.is_some() && row.tested == Tested::Yes) {
        if !rules.iter().any(|rule| rule.id == row.id) {
            faults.push(format!("{}: no rules! row says {}", row.id, row.answer.as_ref().unwrap()));
        }
    }
    let mut seen = BTreeSet::new();
    for rule in &rules {
        let note = notes.row(&rule.id).map(|row| row.answer.as_ref());
        match note {
            None => faults.push(format!("{}: {} {:?} is in no note", rule.file, rule.name, rule.id)),
            Some(None) => faults.push(format!("{}: {} {:?} has no answer in its note", rule.file, rule.name, rule.id)),
            Some(Some(answer)) if *answer != rule.answer => {
                faults.push(format!("{}: {}\n    note:  {answer}\n    table: {}", rule.file, rule.id, rule.answer));
            }
            Some(Some(_)) => {}
        }
        if !seen.insert(&rule.id) {
            faults.push(format!("{}: {} {:?} is used by two rows", rule.file, rule.name, rule.id));
        }
    }
    report("answers of notes and of rules! tables", faults);
}

#[test]
fn tables_cite_the_sources_of_the_notes() {
    let notes = notes::read();
    let mut faults = Vec::new();
    for rule in citations::rules(&mut Vec::new()) {
        let Some(row) = notes.row(&rule.id) else { continue };
        if !rule.source.split(", ").all(|part| row.source.split(", ").any(|named| named == part)) {
            faults.push(format!("{}: {}: {:?} is not in {:?}", rule.file, rule.id, rule.source, row.reference()));
        }
    }
    report("sources of rules! rows", faults);
}

#[test]
fn comments_cite_known_ids() {
    let notes = notes::read();
    let unknown = citations::comments().into_iter().filter(|citation| notes.row(&citation.id).is_none());
    report(
        "ids of `// req` comments that are in no note",
        unknown.map(|it| format!("{}: {}", it.file, it.id)).collect(),
    );
}

/// Every row of the official list that binds a server and belongs to a module of this part is a requirement of a note, or
/// excluded there for a reason; not both. Runs where the list is at hand.
#[test]
fn official_requirements_are_accounted_for() {
    let path = source::root().join("../shared/spec/requirements.tsv");
    if !path.exists() {
        return;
    }
    let list = fs::read_to_string(path).unwrap();
    let official: Vec<Vec<&str>> = list.lines().skip(1).map(|line| line.split('\t').collect()).collect();
    let notes = notes::read();
    let named: BTreeSet<&str> = notes.rows.iter().flat_map(notes::Row::official).collect();
    let mut excluded = BTreeSet::new();
    let mut faults = Vec::new();
    for row in &notes.excluded {
        if !excluded.insert(row.official.as_str()) {
            faults.push(format!("{}: {} is excluded twice", row.note, row.official));
        }
        if named.contains(row.official.as_str()) {
            faults.push(format!("{}: {} is excluded, and is a source as well", row.note, row.official));
        }
    }
    for row in &official {
        let [id, _, _, module, _, statement, ..] = row[..] else { panic!("a short row: {row:?}") };
        if !LATER_MODULES.contains(&module) && !named.contains(id) && !excluded.contains(id) {
            faults.push(format!("{id} ({module}) is in no note: {statement}"));
        }
    }
    for id in named.union(&excluded) {
        if !official.iter().any(|row| row[0] == *id) {
            faults.push(format!("tsv:{id} is not in the official list"));
        }
    }
    report("official requirements", faults);
}

#[test]
fn ids_are_up_to_date() {
    up_to_date("tests/support/ids.rs", &ids(&notes::read()));
}

/// The rows of a table of a note, by its header, without the header and the line below it.
fn table(note: &str, header: &str) -> Vec<Vec<String>> {
    let text = source::read(note);
    let rows = text.lines().skip_while(|line| *line != header).skip(2).take_while(|line| line.starts_with('|'));
    rows.map(|line| line.trim_matches('|').split(" | ").map(|cell| cell.trim().to_owned()).collect()).collect()
}

/// Checks the sums of a table of mutants, and that the table of those that were missed names as many, each at a function that exists.
fn mutants_add_up(totals: &str, survivors: &str) {
    let note = "spec-notes/24-mutation.md";
    let (mut made, mut missed) = (0, 0);
    for row in table(note, totals) {
        let numbers: Vec<u32> = row[1..5].iter().map(|cell| cell.parse().unwrap()).collect();
        let [mutants, caught, timeout, lived] = numbers[..] else { panic!("not four numbers: {row:?}") };
        assert_eq!(mutants, caught + timeout + lived, "{row:?}");
        assert_eq!(row[5], format!("{:.1}", f64::from(mutants - lived) * 100.0 / f64::from(mutants)), "{row:?}");
        (made, missed) = (made + mutants, missed + lived);
    }
    assert!(made > 1000 && missed * 20 <= made, "{missed} of {made} were missed");
    let (mut named, mut faults) = (0, Vec::new());
    for row in table(note, survivors) {
        let [place, _, number, reason] = &row[..] else { panic!("not four cells: {row:?}") };
        let (file, function) = place.split_once(": ").unwrap();
        let name = function.rsplit("::").next().unwrap();
        if !source::read(&format!("src/{file}")).contains(&format!("fn {name}")) {
            faults.push(format!("{file} has no function {name}"));
        }
        assert!(!reason.is_empty(), "{row:?}");
        named += number.parse::<u32>().unwrap();
    }
    assert_eq!(named, missed, "mutants that were missed, and those that are listed");
    report(note, faults);
}

#[test]
fn mutants_add_up_and_survivors_exist() {
    mutants_add_up("| files | mutants | caught | timeout | missed | % |", "| where | mutants | number | reason |");
    mutants_add_up(
        "| other files | mutants | caught | timeout | missed | % |",
        "| elsewhere | mutants | number | reason |",
    );
}

#[test]
fn trace_is_up_to_date() {
    up_to_date("spec-notes/TRACE.md", &trace(&notes::read()));
}

fn up_to_date(path: &str, due: &str) {
    let path = source::root().join(path);
    if std::env::var_os("BLESS").is_some() {
        fs::write(&path, due).unwrap();
    }
    let is = fs::read_to_string(&path).unwrap_or_default();
    let (old, new): (BTreeSet<&str>, BTreeSet<&str>) = (is.lines().collect(), due.lines().collect());
    let mut faults: Vec<String> = new.difference(&old).map(|line| format!("+ {line}")).collect();
    faults.extend(old.difference(&new).map(|line| format!("- {line}")));
    if faults.is_empty() && is != due {
        faults.push("the same lines, in another order".to_owned());
    }
    report(&format!("{} (BLESS=1 cargo test --test trace rewrites it)", short(&path)), faults);
}

fn short(path: &Path) -> String {
    path.strip_prefix(source::root()).unwrap().display().to_string()
}

/// The table of all requirements: code, text, source, the files that answer for it, the tests that show it.
fn trace(notes: &Notes) -> String {
    let rules = citations::rules(&mut Vec::new());
    let (comments, tests) = (citations::comments(), citations::tests());
    let mut out = String::from(
        "# Trace\n\nGenerated from the notes, the sources and the tests by `BLESS=1 cargo test --test trace`.\n\n\
         | id | code | text | source | in | tests |\n|---|---|---|---|---|---|\n",
    );
    for row in &notes.rows {
        let code = row.answer.as_ref().map_or(String::new(), |answer| match answer.status {
            Some(status) => format!("{} / {status}", answer.code),
            None => answer.code.to_string(),
        });
        let text = row.answer.as_ref().map_or(&row.requirement, |answer| &answer.text);
        let of_rules = rules.iter().filter(|rule| rule.id == row.id).map(|rule| rule.file.clone());
        let of_comments =
            comments.iter().filter(|citation| citation.id == row.id).map(|citation| citation.file.clone());
        let files: BTreeSet<String> = of_rules.chain(of_comments).collect();
        let shown: BTreeSet<String> = tests.iter().filter(|citation| citation.id == row.id).map(test_name).collect();
        let shown = match &row.tested {
            Tested::Yes => shown.into_iter().collect::<Vec<_>>().join(", "),
            Tested::Excluded(reason) => format!("excluded: {reason}"),
        };
        let files = files.into_iter().collect::<Vec<_>>().join(", ");
        let cells = [&row.id, &code, text, &row.reference(), &files, &shown];
        writeln!(out, "| {} |", cells.map(|cell| cell.as_str()).join(" | ")).unwrap();
    }
    out
}

fn test_name(citation: &citations::Citation) -> String {
    let file = citation.file.trim_start_matches("tests/");
    if citation.place.is_empty() { file.to_owned() } else { format!("{file} {}", citation.place) }
}

/// `tests/support/ids.rs`: the list of ids, a line a section, and the macro that checks a citation when it is compiled.
fn ids(notes: &Notes) -> String {
    let mut sections: Vec<(&str, Vec<&str>)> = Vec::new();
    for row in &notes.rows {
        let section = row.id.rsplit_once('-').map_or("", |(section, _)| section);
        match sections.last_mut() {
            Some((last, ids)) if *last == section => ids.push(&row.id),
            _ => sections.push((section, vec![&row.id])),
        }
    }
    let mut list = String::new();
    for (_, ids) in sections {
        let quoted: Vec<String> = ids.iter().map(|id| format!("{id:?},")).collect();
        writeln!(list, "    {}", quoted.join(" ")).unwrap();
    }
    IDS.replace("    LIST\n", &list)
}

const IDS: &str = r#"//! Generated from `spec-notes/` by `BLESS=1 cargo test --test trace`: the ids of all requirements, and `covers!`.
//!
//! A test crate has this file as its root module `ids`, before all others:
//! `#[macro_use] #[path = "../support/ids.rs"] mod ids;`
#![allow(dead_code, unused_macros)]

/// Says which requirements a test shows: `covers!("2-5", "2-6");`, as its first statement. An unknown id does not compile.
macro_rules! covers {
    ($($id:literal),+ $(,)?) => {
        $(const _: () = assert!($crate::ids::known($id), concat!("no note has the requirement ", $id));)+
    };
}

/// Whether a note has a requirement of this id.
pub const fn known(id: &str) -> bool {
    let mut at = 0;
    while at < IDS.len() {
        if same(IDS[at].as_bytes(), id.as_bytes()) {
            return true;
        }
        at += 1;
    }
    false
}

/// Compares the lengths first: constants are evaluated step by step, and most ids differ there.
const fn same(a: &[u8], b: &[u8]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    let mut at = a.len();
    while at > 0 {
        at -= 1;
        if a[at] != b[at] {
            return false;
        }
    }
    true
}

#[rustfmt::skip]
pub const IDS: &[&str] = &[
    LIST
];
"#;
