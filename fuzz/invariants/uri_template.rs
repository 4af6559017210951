//! Invariant: the values of a URI that matches, put in again by RFC 6570, give that URI, as far as escapes do not count; a naive matcher
//! that tries one reading after the other finds the same values; and every expansion of a template matches it.

use std::collections::BTreeMap;

use plain_mcp::methods::uri_template::UriTemplate;

/// The naive matcher may need exponential time: it tries no more readings than this.
const TRIES: usize = 200_000;

/// Lines: a template, a URI, and values for the variables.
pub fn check(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let mut lines = text.split('\n');
    let (template, uri) = (lines.next().unwrap_or_default(), lines.next().unwrap_or_default());
    let parts = parts(template);
    let parsed = match UriTemplate::parse(template) {
        Ok(parsed) => parsed,
        Err(error) => {
            assert!(parts.is_none() || error.to_string().contains("hexadecimal"), "{template:?}: {error}");
            return;
        }
    };
    let parts = parts.unwrap_or_else(|| panic!("only one reader takes {template:?}"));
    assert_eq!(parsed.as_str(), template);
    assert_eq!(parsed.names().collect::<Vec<_>>(), names(&parts));

    let values = parsed.matches(uri);
    assert_eq!(values, parsed.matches(uri));
    if let Some(vars) = &values {
        let all: BTreeMap<&str, &str> = vars.iter().collect();
        let again = expanded(&parts, &all);
        if !has_second_mark(&parts, &again) {
            assert_eq!(flat(&parts, &again), flat(&parts, uri), "{template:?} matches {uri:?} with {all:?}");
            // Variables beside each other may share it otherwise: what was plain before may be an escape now.
            assert!(parsed.matches(&again).is_some(), "{template:?} matches {uri:?}, but not {again:?}");
        }
    }
    if let Some(naive) = naive(&parts, uri) {
        let ours = values.map(|vars| vars.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect());
        assert_eq!(ours, naive, "{template:?} and {uri:?}");
    }

    // Values that are not empty, one a line, the last for all that are left.
    let given: Vec<&str> = lines.filter(|line| !line.is_empty()).collect();
    let Some(last) = given.last() else { return };
    let value = |at: usize| *given.get(at).unwrap_or(last);
    let all: BTreeMap<&str, &str> = parsed.names().enumerate().map(|(at, name)| (name, value(at))).collect();
    let uri = expanded(&parts, &all);
    let vars = if uri.len() <= 8192 && !has_second_mark(&parts, &uri) { parsed.matches(&uri) } else { return };
    let vars = vars.unwrap_or_else(|| panic!("{template:?} does not match its expansion {uri:?}"));
    let read: BTreeMap<&str, &str> = vars.iter().collect();
    assert_eq!(decoded(&expanded(&parts, &read)), decoded(&uri));
}

/// A piece of a template: literal text, or an expression with its operator (`' '` for none) and its variables.
#[derive(Debug)]
enum Part<'a> {
    Literal(&'a str),
    Expression(char, Vec<&'a str>),
}

/// `None` for what is no template, or none that can be matched.
fn parts(template: &str) -> Option<Vec<Part<'_>>> {
    let mut all = Vec::new();
    let mut rest = template;
    while let Some(open) = rest.find(['{', '}']) {
        let end = open + rest[open..].find('}')?;
        if end == open {
            return None;
        }
        all.push(Part::Literal(&rest[..open]));
        let inner = &rest[open + 1..end];
        let operator = inner.chars().next().filter(|first| "+#/.?".contains(*first));
        let names: Vec<&str> = inner[usize::from(operator.is_some())..].split(',').collect();
        all.push(Part::Expression(operator.unwrap_or(' '), names));
        rest = &rest[end + 1..];
    }
    all.push(Part::Literal(rest));
    let lawful = |name: &str| {
        let word = |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        name.split('.').all(word)
    };
    let names = names(&all);
    let distinct = names.iter().enumerate().all(|(at, name)| !names[..at].contains(name));
    let query = all.iter().position(|part| matches!(part, Part::Expression('?', _)));
    let at_the_end = query.is_none_or(|at| {
        let mark = |part: &Part<'_>| matches!(part, Part::Literal(text) if text.contains('?'));
        at + 2 == all.len() && matches!(all[at + 1], Part::Literal("")) && !all[..at].iter().any(mark)
    });
    (names.iter().all(|name| lawful(name)) && distinct && at_the_end).then_some(all)
}

fn names<'a>(parts: &[Part<'a>]) -> Vec<&'a str> {
    let expressions = parts.iter().filter_map(|part| match part {
        Part::Expression(_, names) => Some(names),
        Part::Literal(_) => None,
    });
    expressions.flatten().copied().collect()
}

/// RFC 6570 section 3.2; a variable without a value is left out.
fn expanded(parts: &[Part<'_>], values: &BTreeMap<&str, &str>) -> String {
    let mut out = String::new();
    for part in parts {
        let (operator, names) = match part {
            Part::Literal(text) => {
                out.push_str(&encoded(text, true, true));
                continue;
            }
            Part::Expression(operator, names) => (*operator, names),
        };
        let (first, between) = match operator {
            '#' => ("#", ","),
            '/' => ("/", "/"),
            '.' => (".", "."),
            '?' => ("?", "&"),
            _ => ("", ","),
        };
        let present = names.iter().filter_map(|name| Some((name, values.get(name)?)));
        for (at, (name, value)) in present.enumerate() {
            out.push_str(if at == 0 { first } else { between });
            if operator == '?' {
                out.push_str(&[name, "="].concat());
            }
            out.push_str(&encoded(value, operator == '+' || operator == '#', false));
        }
    }
    out
}

/// Percent-encoded, save what is unreserved, and reserved where that is wanted, and triplets that are there.
fn encoded(text: &str, reserved: bool, triplets: bool) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        let plain = byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
        if plain || (reserved && b":/?#[]@!$&'()*+,;=".contains(&byte)) || (triplets && byte == b'%') {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

/// What is left of a URI when its escapes are undone; the pairs of a query expression in the order of their bytes.
fn flat(parts: &[Part<'_>], uri: &str) -> Vec<Vec<u8>> {
    let (path, query) = if has_query(parts) { uri.split_once('?').unwrap_or((uri, "")) } else { (uri, "") };
    let mut all: Vec<Vec<u8>> = query.split('&').map(decoded).collect();
    all.sort();
    all.insert(0, decoded(path));
    all
}

fn has_query(parts: &[Part<'_>]) -> bool {
    parts.iter().any(|part| matches!(part, Part::Expression('?', _)))
}

/// Before a query expression no variable can have a `?` as it stands: the first one begins the query.
fn has_second_mark(parts: &[Part<'_>], uri: &str) -> bool {
    has_query(parts) && uri.matches('?').count() > 1
}

fn decoded(text: &str) -> Vec<u8> {
    bytes(&units(text))
}

fn bytes(units: &[(u8, bool)]) -> Vec<u8> {
    units.iter().map(|(byte, _)| *byte).collect()
}

/// The bytes of a URI, and whether each stands as it is: an escape of an unreserved one counts as that.
fn units(text: &str) -> Vec<(u8, bool)> {
    let (mut all, mut rest) = (Vec::new(), text.as_bytes());
    while let Some((&first, tail)) = rest.split_first() {
        let digits = tail.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        let escaped = digits
            .filter(|digits| first == b'%' && begins_with_hex(digits))
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        let byte = escaped.unwrap_or(first);
        let unreserved = byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
        all.push((byte, unreserved || (escaped.is_none() && b":/?#[]@!$&'()*+,;=".contains(&byte))));
        rest = if escaped.is_some() { &tail[2..] } else { tail };
    }
    all
}

type Values = Option<Vec<(String, String)>>;

/// What has to come next in a URI.
enum Next {
    Unit((u8, bool)),
    /// A variable, which may have these characters as they stand.
    Variable(&'static [u8]),
}

/// It takes too long to try.
struct TooLong;

/// The values by trying; `None` where that takes too long.
fn naive(parts: &[Part<'_>], uri: &str) -> Option<Values> {
    if uri.len() > 8192 || !uri.split('%').skip(1).all(begins_with_hex) {
        return Some(None);
    }
    let query = parts.iter().find_map(|part| match part {
        Part::Expression('?', names) => Some(names.as_slice()),
        _ => None,
    });
    let query: &[&str] = query.unwrap_or_default();
    let (path, asked) = if query.is_empty() { (uri, "") } else { uri.split_once('?').unwrap_or((uri, "")) };
    let path = match matched(&steps(parts), &units(path), &mut TRIES.clone()) {
        Ok(path) => path,
        Err(TooLong) => return None,
    };
    let values = path.and_then(|path| path.into_iter().map(|value| String::from_utf8(value).ok()).collect());
    let Some(values): Option<Vec<String>> = values else { return Some(None) };
    let names = names(parts).into_iter().map(str::to_owned);
    let mut read: Vec<(String, String)> = names.zip(values).collect();
    Some(asked_for(query, asked).map(|pairs| {
        read.extend(pairs);
        read
    }))
}

fn begins_with_hex(rest: &str) -> bool {
    rest.len() >= 2 && rest.bytes().take(2).all(|digit| digit.is_ascii_hexdigit())
}

/// What a URI has to bring before its query.
fn steps(parts: &[Part<'_>]) -> Vec<Next> {
    const SEGMENT: &[u8] = b"!$&'()*+,;=:@";
    const ITEM: &[u8] = b"!$&'()*+;=:@";
    const RESERVED: &[u8] = b"!$&'()*+,;=:@/?#[]";
    let mut steps = Vec::new();
    for part in parts {
        let (operator, names) = match part {
            Part::Literal(text) => {
                steps.extend(units(text).into_iter().map(Next::Unit));
                continue;
            }
            Part::Expression('?', _) => continue,
            Part::Expression(operator, names) => (*operator, names),
        };
        let (first, between, class) = match operator {
            '+' => (None, b',', RESERVED),
            '#' => (Some(b'#'), b',', RESERVED),
            '/' => (Some(b'/'), b'/', SEGMENT),
            '.' => (Some(b'.'), b'.', SEGMENT),
            _ => (None, b',', if names.len() > 1 { ITEM } else { SEGMENT }),
        };
        for at in 0..names.len() {
            let before = if at == 0 { first } else { Some(between) };
            steps.extend(before.map(|byte| Next::Unit((byte, true))));
            steps.push(Next::Variable(class));
        }
    }
    steps
}

/// Each variable takes as many whole characters as it can, and less where the rest does not fit then.
fn matched(steps: &[Next], uri: &[(u8, bool)], tries: &mut usize) -> Result<Option<Vec<Vec<u8>>>, TooLong> {
    *tries = tries.checked_sub(1).ok_or(TooLong)?;
    match steps {
        [] => Ok(uri.is_empty().then(Vec::new)),
        [Next::Unit(unit), later @ ..] => match uri {
            [first, rest @ ..] if first == unit => matched(later, rest, tries),
            _ => Ok(None),
        },
        [Next::Variable(class), later @ ..] => {
            let may = |(byte, plain): &(u8, bool)| {
                !plain || byte.is_ascii_alphanumeric() || b"-._~".contains(byte) || class.contains(byte)
            };
            let most = uri.iter().take_while(|unit| may(unit)).count();
            let whole = |length: &usize| String::from_utf8(bytes(&uri[..*length])).is_ok();
            for length in (1..=most).rev().filter(whole) {
                if let Some(mut values) = matched(later, &uri[length..], tries)? {
                    values.insert(0, bytes(&uri[..length]));
                    return Ok(Some(values));
                }
            }
            Ok(None)
        }
    }
}

/// The values of a query in the order of the template: it may bring these names only, and each once.
fn asked_for(names: &[&str], query: &str) -> Values {
    let mut pairs = BTreeMap::new();
    for pair in query.split('&').filter(|_| !query.is_empty()) {
        let lawful = units(pair).iter().all(|(byte, plain)| !plain || *byte != b'#');
        let (name, value) = pair.split_once('=').filter(|_| lawful)?;
        let (name, value) = (String::from_utf8(decoded(name)).ok()?, String::from_utf8(decoded(value)).ok()?);
        let known = names.contains(&name.as_str());
        if !known || pairs.insert(name, value).is_some() {
            return None;
        }
    }
    Some(names.iter().filter_map(|name| pairs.remove_entry(*name)).collect())
}
