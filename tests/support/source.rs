//! Reads the package's own text: files, and Rust source as tokens, for the tests that judge the source itself.
#![allow(dead_code)]

use std::fs;
use std::path::{Path, PathBuf};

/// The root of the package.
pub fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// One text file of the package.
pub struct File {
    /// Its path from the root, with forward slashes.
    pub path: String,
    pub text: String,
}

/// The text of one file of the package.
pub fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The text files below `folder` whose names end with one of `endings` (all, if there are none), sorted by path.
pub fn files(folder: &str, endings: &[&str]) -> Vec<File> {
    let mut found = Vec::new();
    walk(&root().join(folder), &mut |path| {
        let name = path.strip_prefix(root()).unwrap().to_string_lossy().replace('\\', "/");
        if endings.is_empty() || endings.iter().any(|ending| name.ends_with(ending)) {
            if let Ok(text) = fs::read_to_string(path) {
                found.push(File { path: name, text });
            }
        }
    });
    found.sort_by(|a, b| a.path.cmp(&b.path));
    found
}

/// Folders that hold nothing of ours.
const FOREIGN: &[&str] = &["target", ".git", "node_modules", "results"];

fn walk(folder: &Path, visit: &mut dyn FnMut(&Path)) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for path in entries.map(|entry| entry.unwrap().path()) {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() {
            if !FOREIGN.contains(&name.as_str()) && !name.starts_with("target") {
                walk(&path, visit);
            }
        } else {
            visit(&path);
        }
    }
}

/// A piece of Rust source.
#[derive(Clone, Debug, PartialEq)]
pub enum Token {
    /// An identifier, keyword or number.
    Word(String),
    /// The content of a string literal, escapes resolved as far as texts need them.
    Text(String),
    /// A single character of punctuation.
    Sign(char),
    /// A comment, with its slashes.
    Comment(String),
}

impl Token {
    pub fn is(&self, what: &str) -> bool {
        match self {
            Token::Word(word) => word == what,
            Token::Sign(sign) => what.len() == 1 && what.starts_with(*sign),
            _ => false,
        }
    }
}

/// Whether the tokens at `at` are these words and signs.
pub fn reads(tokens: &[Token], at: usize, what: &[&str]) -> bool {
    what.iter().enumerate().all(|(n, part)| tokens.get(at + n).is_some_and(|token| token.is(part)))
}

/// The tokens of `source`, comments among them. Lifetimes and character literals are left out.
pub fn tokens(source: &str) -> Vec<Token> {
    let chars: Vec<char> = source.chars().collect();
    let mut found = Vec::new();
    let mut at = 0;
    while at < chars.len() {
        let rest = &chars[at..];
        at += match rest {
            ['/', '/', ..] => line_comment(rest, &mut found),
            ['/', '*', ..] => block_comment(rest, &mut found),
            ['"', ..] => string(rest, 1, &mut found),
            ['b' | 'c', '"', ..] => string(rest, 2, &mut found),
            ['r', '"' | '#', ..] | ['b', 'r', '"' | '#', ..] if raw_start(rest).is_some() => {
                raw_string(rest, &mut found)
            }
            ['\'', ..] => quote(rest),
            [c, ..] if c.is_alphanumeric() || *c == '_' => word(rest, &mut found),
            [c, ..] if c.is_whitespace() => 1,
            [c, ..] => {
                found.push(Token::Sign(*c));
                1
            }
            [] => 1,
        };
    }
    found
}

fn line_comment(rest: &[char], found: &mut Vec<Token>) -> usize {
    let end = rest.iter().position(|c| *c == '\n').unwrap_or(rest.len());
    found.push(Token::Comment(rest[..end].iter().collect()));
    end
}

fn block_comment(rest: &[char], found: &mut Vec<Token>) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < rest.len() {
        match rest[at..] {
            ['/', '*', ..] => (depth, at) = (depth + 1, at + 2),
            ['*', '/', ..] => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            break;
        }
    }
    found.push(Token::Comment(rest[..at].iter().collect()));
    at
}

fn string(rest: &[char], start: usize, found: &mut Vec<Token>) -> usize {
    let (mut text, mut at) = (String::new(), start);
    while at < rest.len() && rest[at] != '"' {
        if rest[at] == '\\' {
            at += 1;
            match rest[at] {
                'n' => text.push('\n'),
                '\n' => {
                    while rest.get(at + 1).is_some_and(|c| c.is_whitespace()) {
                        at += 1;
                    }
                }
                other => text.push(other),
            }
        } else {
            text.push(rest[at]);
        }
        at += 1;
    }
    found.push(Token::Text(text));
    at + 1
}

/// The number of hashes of a raw string that starts here, and the length of its opening.
fn raw_start(rest: &[char]) -> Option<(usize, usize)> {
    let prefix = if rest[0] == 'b' { 2 } else { 1 };
    let hashes = rest[prefix..].iter().take_while(|c| **c == '#').count();
    (rest.get(prefix + hashes) == Some(&'"')).then_some((hashes, prefix + hashes + 1))
}

fn raw_string(rest: &[char], found: &mut Vec<Token>) -> usize {
    let (hashes, start) = raw_start(rest).unwrap();
    let mut end = start;
    while end < rest.len() {
        if rest[end] == '"' && rest[end + 1..].iter().take_while(|c| **c == '#').count() >= hashes {
            break;
        }
        end += 1;
    }
    found.push(Token::Text(rest[start..end].iter().collect()));
    end + 1 + hashes
}

/// The length of a character literal or of a lifetime.
fn quote(rest: &[char]) -> usize {
    match rest {
        ['\'', '\\', ..] => 4 + rest[3..].iter().position(|c| *c == '\'').unwrap_or(0),
        ['\'', _, '\'', ..] => 3,
        _ => 1 + rest[1..].iter().take_while(|c| c.is_alphanumeric() || **c == '_').count(),
    }
}

fn word(rest: &[char], found: &mut Vec<Token>) -> usize {
    let end = rest.iter().position(|c| !c.is_alphanumeric() && *c != '_').unwrap_or(rest.len());
    found.push(Token::Word(rest[..end].iter().collect()));
    end
}

/// The tokens without comments and without `#[cfg(test)]` modules.
pub fn code(source: &str) -> Vec<Token> {
    let all: Vec<Token> = tokens(source).into_iter().filter(|token| !matches!(token, Token::Comment(_))).collect();
    let mut kept = Vec::new();
    let mut at = 0;
    while at < all.len() {
        if reads(&all, at, &["#", "[", "cfg", "(", "test", ")", "]", "mod"])
            && all.get(at + 9) == Some(&Token::Sign('{'))
        {
            at = closing(&all, at + 9) + 1;
        } else {
            kept.push(all[at].clone());
            at += 1;
        }
    }
    kept
}

/// The place of the bracket that closes the one at `open`.
pub fn closing(tokens: &[Token], open: usize) -> usize {
    let mut depth = 0;
    for (at, token) in tokens.iter().enumerate().skip(open) {
        match token {
            Token::Sign('{' | '(' | '[') => depth += 1,
            Token::Sign('}' | ')' | ']') => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at;
        }
    }
    tokens.len()
}

/// Fails with all of the faults at once, one a line.
pub fn report(what: &str, faults: Vec<String>) {
    assert!(faults.is_empty(), "\n{what}: {} fault(s)\n  {}\n", faults.len(), faults.join("\n  "));
}
