//! §5.2 `pattern` and `patternProperties`: ECMA-262 patterns, read as with the flag `u`, written anew for regex-lite.
//! Law: a pattern either matches exactly as ECMA-262 says, or is refused when the schema is compiled.
//! Law: matching takes linear time in the text; there is no backtracking.

use std::collections::BTreeSet;

use regex_lite::{Regex, RegexBuilder};

use super::charset::CharSet;

/// How large a pattern may be once its counted repetitions are written out, in characters and classes.
const MAX_WEIGHT: u64 = 20_000;

/// How large the compiled form of one pattern may be, in bytes.
const MAX_BYTES: usize = 4 << 20;

/// A compiled pattern.
#[derive(Debug)]
pub(super) struct Pattern {
    /// As the schema says it.
    pub(super) source: String,
    regex: Regex,
    weight: u64,
}

/// Why a pattern is refused.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Trouble {
    /// Not a pattern of ECMA-262, or too large.
    Malformed(&'static str),
    /// A pattern that regex-lite cannot match.
    Lacking(&'static str),
}

use Trouble::{Lacking, Malformed};

impl Pattern {
    pub(super) fn read(source: &str) -> Result<Pattern, Trouble> {
        let mut reader = Reader::new(source);
        reader.alternatives()?;
        let regex = RegexBuilder::new(&reader.written).size_limit(MAX_BYTES).build();
        let regex = regex.map_err(|_| Malformed("is too large or nests too deeply"))?;
        Ok(Pattern { source: source.to_owned(), regex, weight: reader.weight() })
    }

    /// Whether the pattern matches anywhere in the text.
    pub(super) fn matches(&self, text: &str) -> bool {
        self.regex.is_match(text)
    }

    /// The steps of work that one match on `text` may take.
    pub(super) fn cost(&self, text: &str) -> u64 {
        let length = u64::try_from(text.len()).unwrap_or(u64::MAX);
        length.saturating_mul(self.weight).saturating_div(8).saturating_add(1)
    }
}

/// One thing in a class or outside: a single character, or a set.
enum Item {
    One(char),
    Set(CharSet),
}

/// Reads a pattern of ECMA-262 and writes the same for regex-lite. Groups are a stack, not recursion.
struct Reader {
    rest: std::vec::IntoIter<char>,
    written: String,
    /// The weight of each open group; the first entry is the whole pattern.
    weights: Vec<u64>,
    names: BTreeSet<String>,
}

impl Reader {
    fn new(source: &str) -> Reader {
        let letters: Vec<char> = source.chars().collect();
        let written = String::with_capacity(source.len());
        Reader { rest: letters.into_iter(), written, weights: vec![0], names: BTreeSet::new() }
    }

    fn peek(&self, ahead: usize) -> Option<char> {
        self.rest.as_slice().get(ahead).copied()
    }

    fn next_if(&mut self, letter: char) -> bool {
        let found = self.peek(0) == Some(letter);
        if found {
            self.rest.next();
        }
        found
    }

    fn weight(&self) -> u64 {
        self.weights.iter().fold(0, |sum, weight| sum.saturating_add(*weight))
    }

    fn add_weight(&mut self, weight: u64) {
        if let Some(open) = self.weights.last_mut() {
            *open = open.saturating_add(weight);
        }
    }

    /// The whole pattern: atoms, assertions, `|` and groups.
    fn alternatives(&mut self) -> Result<(), Trouble> {
        while let Some(letter) = self.rest.next() {
            match letter {
                '^' => self.written.push_str("\\A"),
                '$' => self.written.push_str("\\z"),
                '|' => self.written.push('|'),
                '(' => self.open_group()?,
                ')' => {
                    let weight = self.weights.pop().unwrap_or_default();
                    if self.weights.is_empty() {
                        return Err(Malformed("closes a group that is not open"));
                    }
                    self.written.push(')');
                    self.repeat(weight)?;
                }
                '*' | '+' | '?' | '{' => return Err(Malformed("repeats nothing")),
                '.' => self.set(CharSet::line_ends().inverse())?,
                '[' => {
                    let set = self.class()?;
                    self.set(set)?;
                }
                '\\' if self.peek(0).is_some_and(|next| next == 'b' || next == 'B') => {
                    self.written.push('\\');
                    self.written.extend(self.rest.next());
                }
                '\\' => match self.escape()? {
                    Item::One(letter) => self.literal(letter)?,
                    Item::Set(set) => self.set(set)?,
                },
                other => self.literal(other)?,
            }
        }
        if self.weights.len() == 1 { Ok(()) } else { Err(Malformed("leaves a group open")) }
    }

    /// After `(`. Nothing is captured: only whether there is a match counts.
    fn open_group(&mut self) -> Result<(), Trouble> {
        if self.next_if('?') {
            match (self.rest.next(), self.peek(0)) {
                (Some(':'), _) => {}
                (Some('='), _) | (Some('!'), _) | (Some('<'), Some('=' | '!')) => {
                    return Err(Lacking("uses lookaround"));
                }
                (Some('<'), _) => self.group_name()?,
                (Some('i' | 'm' | 's' | '-'), _) => return Err(Lacking("uses inline flags")),
                _ => return Err(Malformed("has an unknown kind of group")),
            }
        }
        self.written.push_str("(?:");
        self.weights.push(1);
        Ok(())
    }

    fn group_name(&mut self) -> Result<(), Trouble> {
        let name: String = self.rest.by_ref().take_while(|letter| *letter != '>').collect();
        let start = |letter: char| letter.is_alphabetic() || letter == '_' || letter == '$';
        let is_name = name.chars().next().is_some_and(start)
            && name.chars().all(|letter| start(letter) || letter.is_alphanumeric());
        if !is_name {
            return Err(Malformed("has an invalid group name"));
        }
        if self.names.insert(name) { Ok(()) } else { Err(Lacking("uses a group name twice")) }
    }

    fn literal(&mut self, letter: char) -> Result<(), Trouble> {
        write_char(&mut self.written, letter);
        self.repeat(1)
    }

    fn set(&mut self, set: CharSet) -> Result<(), Trouble> {
        let weight = set.write(&mut self.written);
        self.repeat(weight)
    }

    /// After an atom: its quantifier, if any. Whether it is lazy does not matter for whether there is a match.
    fn repeat(&mut self, weight: u64) -> Result<(), Trouble> {
        let times = match self.peek(0) {
            Some(letter @ ('*' | '+' | '?')) => {
                self.rest.next();
                self.written.push(letter);
                1
            }
            Some('{') => {
                self.rest.next();
                self.counted()?
            }
            _ => return self.finish(weight),
        };
        self.next_if('?');
        self.finish(weight.max(1).saturating_mul(times))
    }

    fn finish(&mut self, weight: u64) -> Result<(), Trouble> {
        self.add_weight(weight);
        if self.weight() > MAX_WEIGHT { Err(Malformed("repeats too much")) } else { Ok(()) }
    }

    /// After `{`: `n}`, `n,}` or `n,m}`.
    fn counted(&mut self) -> Result<u64, Trouble> {
        const BROKEN: Trouble = Malformed("has a broken {} quantifier; a plain brace is written \\{");
        let least = self.decimal().ok_or(BROKEN)?;
        let most = if self.next_if(',') { self.decimal() } else { Some(least) };
        if !self.next_if('}') {
            return Err(BROKEN);
        }
        match most {
            Some(most) if most < least => return Err(Malformed("has a {} quantifier out of order")),
            Some(most) => self.written.push_str(&format!("{{{least},{most}}}")),
            None => self.written.push_str(&format!("{{{least},}}")),
        }
        Ok(most.unwrap_or_else(|| least.saturating_add(1)))
    }

    fn decimal(&mut self) -> Option<u64> {
        let mut number = None;
        while let Some(digit) = self.peek(0).and_then(|letter| letter.to_digit(10)) {
            self.rest.next();
            number = Some(number.unwrap_or(0_u64).saturating_mul(10).saturating_add(u64::from(digit)));
        }
        number
    }

    /// After `[`, up to and with `]`.
    fn class(&mut self) -> Result<CharSet, Trouble> {
        let inverse = self.next_if('^');
        let mut set = CharSet::default();
        while !self.next_if(']') {
            let first = self.class_item()?;
            if self.peek(0) != Some('-') || self.peek(1) == Some(']') {
                set.add_item(first);
                continue;
            }
            self.rest.next();
            match (first, self.class_item()?) {
                (Item::One(low), Item::One(high)) if low <= high => set.add(low, high),
                (Item::One(_), Item::One(_)) => return Err(Malformed("has a range out of order")),
                // As in `[\w-.]`: no range, so the dash is itself (Annex B; every engine that takes it agrees).
                (first, second) => {
                    set.add('-', '-');
                    set.add_item(first);
                    set.add_item(second);
                }
            }
        }
        Ok(if inverse { set.inverse() } else { set })
    }

    fn class_item(&mut self) -> Result<Item, Trouble> {
        match self.rest.next() {
            None => Err(Malformed("leaves a class open")),
            Some('\\') if self.next_if('b') => Ok(Item::One('\u{8}')),
            Some('\\') => self.escape(),
            Some(letter) => Ok(Item::One(letter)),
        }
    }

    /// After `\`, where `\b` and `\B` are dealt with.
    fn escape(&mut self) -> Result<Item, Trouble> {
        let letter = self.rest.next().ok_or(Malformed("ends with a backslash"))?;
        Ok(match letter {
            'd' => Item::Set(CharSet::digits()),
            'D' => Item::Set(CharSet::digits().inverse()),
            'w' => Item::Set(CharSet::word()),
            'W' => Item::Set(CharSet::word().inverse()),
            's' => Item::Set(CharSet::space()),
            'S' => Item::Set(CharSet::space().inverse()),
            't' => Item::One('\t'),
            'n' => Item::One('\n'),
            'v' => Item::One('\u{b}'),
            'f' => Item::One('\u{c}'),
            'r' => Item::One('\r'),
            '0' if !self.peek(0).is_some_and(|next| next.is_ascii_digit()) => Item::One('\0'),
            '0'..='9' | 'k' => return Err(Lacking("uses a backreference")),
            'p' | 'P' if self.peek(0) == Some('{') => return Err(Lacking("uses a Unicode property")),
            'c' => Item::One(self.control()?),
            'x' => Item::One(self.hex(2).and_then(char::from_u32).ok_or(Malformed("has a broken \\x escape"))?),
            'u' => Item::One(self.unicode()?),
            // With the flag `u` only some punctuation may be escaped; without it all may, with the same meaning.
            other if other.is_ascii_punctuation() => Item::One(other),
            _ => return Err(Malformed("has an unknown escape")),
        })
    }

    /// After `\c`: a letter names the control character.
    fn control(&mut self) -> Result<char, Trouble> {
        let letter = self.rest.next().filter(char::is_ascii_alphabetic).ok_or(Malformed("has a broken \\c escape"))?;
        char::from_u32(u32::from(letter) % 32).ok_or(Malformed("has a broken \\c escape"))
    }

    /// After `\u`: four digits, a surrogate pair of two such escapes, or digits in braces.
    fn unicode(&mut self) -> Result<char, Trouble> {
        const BROKEN: Trouble = Malformed("has a broken \\u escape");
        const LONE: Trouble = Lacking("names half of a surrogate pair");
        if self.next_if('{') {
            let digits: String = self.rest.by_ref().take_while(|letter| *letter != '}').collect();
            let all_hex = digits.chars().all(|digit| digit.is_ascii_hexdigit());
            let value = if all_hex { u32::from_str_radix(&digits, 16).ok() } else { None };
            let value = value.filter(|value| *value <= 0x10_FFFF).ok_or(BROKEN)?;
            return char::from_u32(value).ok_or(LONE);
        }
        let first = self.hex(4).ok_or(BROKEN)?;
        if let Some(letter) = char::from_u32(first) {
            return Ok(letter);
        }
        if first >= 0xDC00 || !(self.next_if('\\') && self.next_if('u')) {
            return Err(LONE);
        }
        let second = self.hex(4).filter(|low| (0xDC00..0xE000).contains(low)).ok_or(LONE)?;
        let high = first.saturating_sub(0xD800) << 10;
        char::from_u32(0x1_0000_u32.saturating_add(high | second.saturating_sub(0xDC00))).ok_or(LONE)
    }

    fn hex(&mut self, length: usize) -> Option<u32> {
        let mut value = 0_u32;
        for _ in 0..length {
            value = (value << 4) | self.rest.next()?.to_digit(16)?;
        }
        Some(value)
    }
}

impl CharSet {
    fn add_item(&mut self, item: Item) {
        match item {
            Item::One(letter) => self.add(letter, letter),
            Item::Set(set) => self.add_all(&set),
        }
    }
}

/// Writes one character so that regex-lite takes it for itself.
fn write_char(out: &mut String, letter: char) {
    if letter.is_ascii() && !letter.is_ascii_alphanumeric() {
        out.push_str(&format!("\\x{{{:X}}}", u32::from(letter)));
    } else {
        out.push(letter);
    }
}
