//! Reads `spec-notes/`: the requirement rows, and the rows of the official list that are excluded.
#![allow(dead_code)]

use crate::source;

/// The header of every requirement table.
pub const HEADER: &str = "| id | level | requirement | answer | source | tested |";

/// One row of a requirement table.
#[derive(Debug)]
pub struct Row {
    /// The file that it stands in.
    pub note: String,
    /// The section under whose heading it stands: `13.4`.
    pub section: String,
    pub id: String,
    pub level: String,
    pub requirement: String,
    pub answer: Option<Answer>,
    pub source: String,
    pub tested: Tested,
}

/// What the peer gets: `-32600 / 415 Expected application/json`.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    pub code: i64,
    pub status: Option<u16>,
    pub text: String,
}

impl std::fmt::Display for Answer {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.status {
            Some(status) => write!(out, "{} / {status} {}", self.code, self.text),
            None => write!(out, "{} {}", self.code, self.text),
        }
    }
}

#[derive(Debug, PartialEq)]
pub enum Tested {
    Yes,
    Excluded(String),
}

impl Row {
    /// The ids of the official list that the source column names.
    pub fn official(&self) -> impl Iterator<Item = &str> {
        self.source.split(", ").filter_map(|part| part.strip_prefix("tsv:"))
    }

    /// The source column without the ids of the official list.
    pub fn reference(&self) -> String {
        self.source.split(", ").filter(|part| !part.starts_with("tsv:")).collect::<Vec<_>>().join(", ")
    }
}

/// A row of an `## Excluded` table.
#[derive(Debug)]
pub struct Excluded {
    pub note: String,
    pub official: String,
    pub reason: String,
}

/// All that the notes say, and what is wrong with their form.
#[derive(Default)]
pub struct Notes {
    pub rows: Vec<Row>,
    pub excluded: Vec<Excluded>,
    pub faults: Vec<String>,
}

impl Notes {
    pub fn row(&self, id: &str) -> Option<&Row> {
        self.rows.iter().find(|row| row.id == id)
    }
}

/// Reads every note whose name starts with its number.
pub fn read() -> Notes {
    let mut notes = Notes::default();
    for file in source::files("spec-notes", &[".md"]) {
        let name = file.path.trim_start_matches("spec-notes/").to_owned();
        if name.starts_with(|c: char| c.is_ascii_digit()) && !name.contains('/') {
            read_note(&name, &file.text, &mut notes);
        }
    }
    notes
}

fn read_note(name: &str, text: &str, notes: &mut Notes) {
    let mut section = String::new();
    let mut table = "";
    for (number, line) in text.lines().enumerate() {
        let place = format!("spec-notes/{name}:{}", number + 1);
        if let Some(heading) = line.strip_prefix('#') {
            let title = heading.trim_start_matches('#').trim();
            section = title.split(' ').next().unwrap_or("").to_owned();
            table = "";
        } else if !line.starts_with('|') {
            table = "";
        } else if table.is_empty() {
            table = line;
        } else if !line.starts_with("|---") {
            let row = match table {
                HEADER => read_row(name, &section, line).map(|row| notes.rows.push(row)),
                "| tsv id | reason |" => read_excluded(name, line).map(|row| notes.excluded.push(row)),
                _ => Ok(()),
            };
            notes.faults.extend(row.err().map(|fault| format!("{place}: {fault}")));
        }
    }
}

fn cells(line: &str) -> Vec<String> {
    let inner = line.trim().trim_start_matches('|');
    inner.strip_suffix('|').unwrap_or(inner).split('|').map(|cell| cell.trim().to_owned()).collect()
}

fn read_row(note: &str, section: &str, line: &str) -> Result<Row, String> {
    let cells: [String; 6] = cells(line).try_into().map_err(|cells: Vec<_>| format!("{} cells, not 6", cells.len()))?;
    let [id, level, requirement, answer, source, tested] = cells;
    let tested = match tested.split_once(": ") {
        None if tested == "yes" => Tested::Yes,
        Some(("excluded", reason)) if !reason.is_empty() => Tested::Excluded(reason.to_owned()),
        _ => return Err(format!("{id}: tested is neither `yes` nor `excluded: reason`: {tested:?}")),
    };
    let answer = if answer.is_empty() { None } else { Some(read_answer(&answer)?) };
    Ok(Row { note: note.to_owned(), section: section.to_owned(), id, level, requirement, answer, source, tested })
}

fn read_answer(cell: &str) -> Result<Answer, String> {
    let fault = || format!("answer is not `code text` nor `code / status text`: {cell:?}");
    let (code, rest) = cell.split_once(' ').ok_or_else(fault)?;
    let code = code.parse().map_err(|_| fault())?;
    let Some(rest) = rest.strip_prefix("/ ") else {
        return Ok(Answer { code, status: None, text: rest.to_owned() });
    };
    let (status, text) = rest.split_once(' ').ok_or_else(fault)?;
    Ok(Answer { code, status: Some(status.parse().map_err(|_| fault())?), text: text.to_owned() })
}

fn read_excluded(note: &str, line: &str) -> Result<Excluded, String> {
    let cells: [String; 2] = cells(line).try_into().map_err(|cells: Vec<_>| format!("{} cells, not 2", cells.len()))?;
    let [official, reason] = cells;
    if reason.is_empty() {
        return Err(format!("{official}: no reason"));
    }
    Ok(Excluded { note: note.to_owned(), official, reason })
}
