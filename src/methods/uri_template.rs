//! §5.4 URI templates (RFC 6570), read backwards: from a URI to the values of the variables.
//! Law: a URI is matched in its encoded form and its values are decoded once, so that `%2F` in a value is no separator.
//! Law: matching never goes back: it takes (parts of the template) x (bytes of the URI) steps, whatever the two look like.
//!
//! | expression | takes |
//! |---|---|
//! | `{a}`, `{a,b}` | a piece of a path segment; several are separated by commas |
//! | `{+a}`, `{#a}` | anything, also `/`, `?` and `#`; the latter after a `#` |
//! | `{/a,b}`, `{.a,b}` | a path segment after `/`; a label after `.` |
//! | `{?a,b}` | at the end: after the first `?`, `name=value` pairs in any order, each at most once, each optional |
//!
//! What RFC 6570 leaves to the reader: outside of `{?…}` every variable has at least one character; where several readings are
//! possible an earlier variable takes as much as it can, in whole characters; a value may contain any character of a path segment,
//! also those that an expansion would have encoded, since clients write URIs by hand. Modifiers (`:3`, `*`) and `{&…}` are refused.

use std::fmt;

use crate::uri;

/// A URI longer than this, in bytes, matches no template.
const URI_MAX: usize = 8192;

/// A URI template, checked when it is built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UriTemplate {
    text: String,
    steps: Vec<Step>,
    /// The variables of `{?…}`, which ends a template; `None` if it has no such expression.
    query: Option<Vec<String>>,
    /// All variables, those of the query last.
    names: Vec<String>,
}

/// Why a text is no template that can be matched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TemplateError {
    /// A `{` without its `}`, or the other way round.
    Brace,
    /// A variable's name is not made of letters, digits and `_`, in parts joined by `.`.
    Name(String),
    /// Two variables have this name.
    Repeated(String),
    /// The modifiers `:3` and `*` are not supported.
    Modifier(String),
    /// Only the operators `+`, `#`, `/`, `.` and `?` are supported.
    Operator(char),
    /// A `{?…}` must be the end of the template, and no `?` may stand before it.
    Query,
    /// A `%` without two hexadecimal digits.
    Percent,
}

impl fmt::Display for TemplateError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TemplateError::Brace => out.write_str("a brace without its other half"),
            TemplateError::Name(name) => write!(out, "{name:?} is not a name of a variable"),
            TemplateError::Repeated(name) => write!(out, "variable {name:?} occurs twice"),
            TemplateError::Modifier(name) => write!(out, "the modifier of {name:?} is not supported"),
            TemplateError::Operator(operator) => write!(out, "the operator {operator:?} is not supported"),
            TemplateError::Query => out.write_str("a query expression must end the template and bring its only \"?\""),
            TemplateError::Percent => out.write_str("a \"%\" without two hexadecimal digits"),
        }
    }
}

impl std::error::Error for TemplateError {}

/// The variables of a URI that matched, decoded, in the order of the template.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Vars(Vec<(String, String)>);

impl Vars {
    /// The value of a variable. Only one of a `{?…}` can be absent.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.iter().find_map(|(key, value)| (key == name).then_some(value))
    }

    /// Names and values, in the order of the template.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }
}

/// One byte of a URI in its normal form: two URIs that RFC 3986 calls equivalent have the same units. A byte of another
/// script or a space is an encoded one, and an encoded letter, digit or `- . _ ~` is a plain one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unit {
    Plain(u8),
    Encoded(u8),
}

impl Unit {
    fn byte(self) -> u8 {
        match self {
            Unit::Plain(byte) | Unit::Encoded(byte) => byte,
        }
    }
}

/// What a variable may contain, beside encoded bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    /// The characters of a path segment.
    Segment,
    /// The same without the comma, where commas separate the variables.
    Item,
    /// All characters of a URI.
    Reserved,
}

impl Class {
    fn allows(self, unit: Unit) -> bool {
        let Unit::Plain(byte) = unit else { return true };
        let segment = byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=:@".contains(&byte);
        match self {
            Class::Segment => segment,
            Class::Item => segment && byte != b',',
            Class::Reserved => segment || b"/?#[]".contains(&byte),
        }
    }
}

/// The template, taken apart for matching.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Step {
    /// These units.
    Literal(Vec<Unit>),
    /// The first unit of a variable.
    Start(Class),
    /// Any number of further units of the same variable.
    More(Class),
}

impl UriTemplate {
    /// Reads a template.
    pub fn parse(text: &str) -> Result<UriTemplate, TemplateError> {
        let mut template = UriTemplate { text: text.to_owned(), steps: Vec::new(), query: None, names: Vec::new() };
        let mut rest = text;
        while let Some((literal, tail)) = rest.split_once('{') {
            template.literal(literal)?;
            let (expression, tail) = tail.split_once('}').ok_or(TemplateError::Brace)?;
            template.expression(expression)?;
            rest = tail;
        }
        template.literal(rest)?;
        Ok(template)
    }

    /// The template as written.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The names of the variables, in the order of the template.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }

    /// The variables of a URI that the template describes; `None` if it does not, or if a value is not UTF-8 when decoded.
    // req 5.4-6
    pub fn matches(&self, uri: &str) -> Option<Vars> {
        if uri.len() > URI_MAX {
            return None;
        }
        let in_query = self.query.as_deref().unwrap_or_default();
        let (path, query) = match uri.split_once('?') {
            Some((path, query)) if self.query.is_some() => (path, query),
            _ => (uri, ""),
        };
        let mut values: Vec<Option<String>> = path_values(&self.steps, &units(path).ok()?)?;
        values.extend(query_values(in_query, query)?);
        let vars = self.names.iter().zip(values).filter_map(|(name, value)| Some((name.clone(), value?)));
        Some(Vars(vars.collect()))
    }

    fn literal(&mut self, text: &str) -> Result<(), TemplateError> {
        if text.contains('}') {
            return Err(TemplateError::Brace);
        }
        if !text.is_empty() && self.query.is_some() {
            return Err(TemplateError::Query);
        }
        let more = units(text).map_err(|InvalidPercent| TemplateError::Percent)?;
        self.push_literal(&more);
        Ok(())
    }

    fn push_literal(&mut self, more: &[Unit]) {
        if !more.is_empty() {
            self.steps.push(Step::Literal(more.to_vec()));
        }
    }

    fn expression(&mut self, text: &str) -> Result<(), TemplateError> {
        if self.query.is_some() {
            return Err(TemplateError::Query);
        }
        let operator = text.chars().next().filter(|first| !first.is_ascii_alphanumeric() && *first != '_');
        let list = operator.and_then(|operator| text.strip_prefix(operator)).unwrap_or(text);
        let many = list.contains(',');
        let (first, between, class) = match operator {
            // a name that begins with another script or with `%` is no operator, but no name either
            None => (None, b',', if many { Class::Item } else { Class::Segment }),
            Some('+') => (None, b',', Class::Reserved),
            Some('#') => (Some(b'#'), b',', Class::Reserved),
            Some('/') => (Some(b'/'), b'/', Class::Segment),
            Some('.') => (Some(b'.'), b'.', Class::Segment),
            Some('?') => return self.query(list),
            Some(other) if other.is_ascii_punctuation() && other != '%' => return Err(TemplateError::Operator(other)),
            Some(_) => return Err(TemplateError::Name(text.to_owned())),
        };
        for (place, name) in list.split(',').enumerate() {
            self.name(name)?;
            let before = if place == 0 { first } else { Some(between) };
            self.push_literal(before.map(Unit::Plain).as_slice());
            self.steps.extend([Step::Start(class), Step::More(class)]);
        }
        Ok(())
    }

    fn query(&mut self, list: &str) -> Result<(), TemplateError> {
        let mark = |step: &Step| matches!(step, Step::Literal(units) if units.contains(&Unit::Plain(b'?')));
        if self.steps.iter().any(mark) {
            return Err(TemplateError::Query);
        }
        for name in list.split(',') {
            self.name(name)?;
        }
        self.query = Some(list.split(',').map(str::to_owned).collect());
        Ok(())
    }

    fn name(&mut self, name: &str) -> Result<(), TemplateError> {
        if name.contains([':', '*']) {
            return Err(TemplateError::Modifier(name.to_owned()));
        }
        let part =
            |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        if !name.split('.').all(part) {
            return Err(TemplateError::Name(name.to_owned()));
        }
        if self.names().any(|known| known == name) {
            return Err(TemplateError::Repeated(name.to_owned()));
        }
        self.names.push(name.to_owned());
        Ok(())
    }
}

/// The values of the variables of `steps`, if these describe all of `uri`. An earlier variable takes as much as it can.
fn path_values(steps: &[Step], uri: &[Unit]) -> Option<Vec<Option<String>>> {
    if matches!(steps.first(), Some(Step::Literal(units)) if !uri.starts_with(units)) {
        return None; // the usual miss, cheap
    }
    let bytes: Vec<u8> = uri.iter().map(|unit| unit.byte()).collect();
    let table = fits(steps, uri, &bytes);
    if table.first()?.first() != Some(&true) {
        return None;
    }
    let mut values: Vec<String> = Vec::new();
    let mut place = 0;
    for (step, fit) in steps.iter().zip(&table) {
        match step {
            Step::Literal(units) => place += units.len(),
            Step::Start(_) => {
                let character = character(bytes.get(place..)?)?;
                values.push(character.to_owned());
                place += character.len();
            }
            Step::More(class) => {
                while uri.get(place).is_some_and(|unit| class.allows(*unit)) {
                    let Some(character) = character(bytes.get(place..)?) else { break };
                    if fit.get(place + character.len()) != Some(&true) {
                        break;
                    }
                    values.last_mut()?.push_str(character);
                    place += character.len();
                }
            }
        }
    }
    Some(values.into_iter().map(Some).collect())
}

/// For every step, and at last for no step: at which places of `uri` do the steps from there on describe all the rest?
/// Filled from the end, so that each answer needs only those after it.
fn fits(steps: &[Step], uri: &[Unit], bytes: &[u8]) -> Vec<Vec<bool>> {
    let mut later = vec![false; uri.len()];
    later.push(true); // no step is left, so nothing may be left
    let mut table = Vec::with_capacity(steps.len() + 1);
    for step in steps.iter().rev() {
        let mut here = vec![false; uri.len() + 1];
        for place in (0..here.len()).rev() {
            let rest = uri.get(place..).unwrap_or_default();
            let then = |answers: &[bool], len: usize| answers.get(place + len) == Some(&true);
            // what is left when a variable has taken one character
            let one = |class: &Class, answers: &[bool]| {
                rest.first().is_some_and(|unit| class.allows(*unit))
                    && bytes.get(place..).and_then(character).is_some_and(|taken| then(answers, taken.len()))
            };
            let answer = match step {
                Step::Literal(units) => then(&later, units.len()) && rest.starts_with(units),
                Step::Start(class) => one(class, &later),
                Step::More(class) => then(&later, 0) || one(class, &here),
            };
            if let Some(cell) = here.get_mut(place) {
                *cell = answer;
            }
        }
        table.push(std::mem::replace(&mut later, here));
    }
    table.push(later);
    table.reverse();
    table
}

/// The character that these bytes begin with: a variable takes whole ones.
fn character(bytes: &[u8]) -> Option<&str> {
    (1..=4).find_map(|len| std::str::from_utf8(bytes.get(..len)?).ok())
}

/// The values of a query, in the order of `names`: it may name these only, and each once.
fn query_values(names: &[String], query: &str) -> Option<Vec<Option<String>>> {
    let mut values = vec![None; names.len()];
    for pair in query.split('&').filter(|_| !query.is_empty()) {
        let (name, value) = pair.split_once('=')?;
        let name = decode(name)?;
        let (_, place) = names.iter().zip(&mut values).find(|(known, _)| **known == name)?;
        if place.replace(decode(value)?).is_some() {
            return None;
        }
    }
    Some(values)
}

/// A piece of a query, decoded; `+` is a plus sign, as everywhere in RFC 6570.
fn decode(text: &str) -> Option<String> {
    let units = units(text).ok()?;
    let allowed = |unit: &Unit| Class::Reserved.allows(*unit) && *unit != Unit::Plain(b'#');
    if !units.iter().all(allowed) {
        return None;
    }
    String::from_utf8(units.into_iter().map(Unit::byte).collect()).ok()
}

/// A `%` without two hexadecimal digits.
struct InvalidPercent;

/// A text in its normal form.
fn units(text: &str) -> Result<Vec<Unit>, InvalidPercent> {
    let mut units = Vec::with_capacity(text.len());
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        units.push(match byte {
            b'%' => {
                let (high, low) = (hex(bytes.next()), hex(bytes.next()));
                let byte = high.zip(low).map(|(high, low)| high * 16 + low).ok_or(InvalidPercent)?;
                if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
                    Unit::Plain(byte)
                } else {
                    Unit::Encoded(byte)
                }
            }
            _ if uri::allows(byte) => Unit::Plain(byte),
            _ => Unit::Encoded(byte),
        });
    }
    Ok(units)
}

fn hex(digit: Option<u8>) -> Option<u8> {
    match digit? {
        digit @ b'0'..=b'9' => Some(digit - b'0'),
        digit @ b'a'..=b'f' => Some(digit - b'a' + 10),
        digit @ b'A'..=b'F' => Some(digit - b'A' + 10),
        _ => None,
    }
}
