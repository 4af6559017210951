//! Finds where requirement ids are cited: rows of `rules!` tables, `// req` comments, `covers!` and `# covers` lines.
#![allow(dead_code)]

use crate::notes::Answer;
use crate::source::{self, Token};

/// A row of a `rules!` table.
#[derive(Debug)]
pub struct Rule {
    pub file: String,
    pub name: String,
    pub id: String,
    pub answer: Answer,
    pub source: String,
}

/// An id, and where it is cited.
#[derive(Debug)]
pub struct Citation {
    pub id: String,
    pub file: String,
    /// The function that cites it; empty for a transcript.
    pub place: String,
}

/// The source that may cite requirements: the library, and the fixture, which is section 16.
pub fn sources() -> Vec<source::File> {
    let mut files = source::files("src", &[".rs"]);
    files.extend(source::files("fixture", &[".rs"]));
    files
}

/// Every row of every `rules!` table; what cannot be read goes to `faults`.
pub fn rules(faults: &mut Vec<String>) -> Vec<Rule> {
    let mut rules = Vec::new();
    for file in source::files("src", &[".rs"]) {
        let tokens = source::code(&file.text);
        for at in 0..tokens.len() {
            let defines = at > 0 && tokens[at - 1].is("!");
            if source::reads(&tokens, at, &["rules", "!", "{"]) && !defines {
                let end = source::closing(&tokens, at + 2);
                read_rules(&file.path, &tokens[at + 3..end], &mut rules, faults);
            }
        }
    }
    rules
}

fn read_rules(file: &str, tokens: &[Token], rules: &mut Vec<Rule>, faults: &mut Vec<String>) {
    for row in tokens.split(|token| token.is(";")).filter(|row| !row.is_empty()) {
        match read_rule(file, row) {
            Some(rule) => rules.push(rule),
            None => faults.push(format!("{file}: a row of rules! that cannot be read: {row:?}")),
        }
    }
}

fn read_rule(file: &str, row: &[Token]) -> Option<Rule> {
    let [Token::Word(name), Token::Text(id), Token::Sign('-'), Token::Word(code), rest @ ..] = row else { return None };
    let (status, rest) = match rest {
        [Token::Sign('/'), Token::Word(status), rest @ ..] => (Some(status.parse().ok()?), rest),
        _ => (None, rest),
    };
    let [Token::Text(text), Token::Text(source)] = rest else { return None };
    let answer = Answer { code: -code.parse::<i64>().ok()?, status, text: text.clone() };
    Some(Rule { file: file.to_owned(), name: name.clone(), id: id.clone(), answer, source: source.clone() })
}

/// Every comment `// req 1-8, 1-9: why` (or `///`, `//!`) of the sources.
pub fn comments() -> Vec<Citation> {
    let mut found = Vec::new();
    for file in sources() {
        for token in source::tokens(&file.text) {
            let Token::Comment(comment) = token else { continue };
            for line in comment.lines() {
                let Some(ids) = line.trim_start_matches(['/', '!', '*', ' ']).strip_prefix("req ") else { continue };
                let ids = ids.split(": ").next().unwrap_or("").trim_end_matches([':', '.']);
                found.extend(split(ids).map(|id| Citation { id, file: file.path.clone(), place: String::new() }));
            }
        }
    }
    found
}

/// Every `covers!(…)` of the tests and every `# covers …` of the transcripts.
pub fn tests() -> Vec<Citation> {
    let mut found = Vec::new();
    for file in source::files("tests", &[".rs"]) {
        let tokens = source::code(&file.text);
        for at in 0..tokens.len() {
            if source::reads(&tokens, at, &["covers", "!", "("]) {
                let end = source::closing(&tokens, at + 2);
                let place = function(&tokens[..at]);
                let ids = tokens[at..end].iter().filter_map(|token| match token {
                    Token::Text(id) => Some(id.clone()),
                    _ => None,
                });
                found.extend(ids.map(|id| Citation { id, file: file.path.clone(), place: place.clone() }));
            }
        }
    }
    for file in source::files("tests/transcripts", &[".txt"]) {
        for ids in file.text.lines().filter_map(|line| line.strip_prefix("# covers ")) {
            found.extend(split(ids).map(|id| Citation { id, file: file.path.clone(), place: String::new() }));
        }
    }
    found
}

fn split(ids: &str) -> impl Iterator<Item = String> {
    ids.split([' ', ',']).filter(|id| !id.is_empty() && *id != "and").map(str::to_owned)
}

/// The name of the function that the tokens end in.
fn function(before: &[Token]) -> String {
    let at = before.iter().rposition(|token| token.is("fn"));
    match at.and_then(|at| before.get(at + 1)) {
        Some(Token::Word(name)) => name.clone(),
        _ => String::new(),
    }
}
