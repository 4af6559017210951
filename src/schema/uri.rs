//! §5.1 References of `$id` and `$ref`, resolved as RFC 3986 section 5.2 says. Nothing is ever fetched.

/// The parts of a reference, without its fragment.
#[derive(Clone, Copy)]
struct Parts<'a> {
    scheme: Option<&'a str>,
    authority: Option<&'a str>,
    path: &'a str,
    query: Option<&'a str>,
}

/// Splits off the fragment: what stands before the first `#`, and after it.
pub(super) fn split_fragment(reference: &str) -> (&str, Option<&str>) {
    match reference.split_once('#') {
        Some((before, fragment)) => (before, Some(fragment)),
        None => (reference, None),
    }
}

/// The URI that `reference`, which has no fragment, names where `base` is the base URI.
pub(super) fn resolve(base: &str, reference: &str) -> String {
    let (base, given) = (parts(base), parts(reference));
    let mut target = given;
    let path;
    if given.scheme.is_none() {
        target.scheme = base.scheme;
        if given.authority.is_some() {
            path = remove_dots(given.path);
        } else {
            target.authority = base.authority;
            if given.path.is_empty() {
                path = base.path.to_owned();
                target.query = given.query.or(base.query);
            } else if given.path.starts_with('/') {
                path = remove_dots(given.path);
            } else {
                path = remove_dots(&merge(base, given.path));
            }
        }
    } else {
        path = remove_dots(given.path);
    }
    write(target, &path)
}

fn parts(text: &str) -> Parts<'_> {
    let (rest, query) = match text.split_once('?') {
        Some((rest, query)) => (rest, Some(query)),
        None => (text, None),
    };
    let (scheme, rest) = match rest.split_once(':') {
        Some((scheme, rest)) if is_scheme(scheme) => (Some(scheme), rest),
        _ => (None, rest),
    };
    let Some(after) = rest.strip_prefix("//") else {
        return Parts { scheme, authority: None, path: rest, query };
    };
    let end = after.find('/').unwrap_or(after.len());
    let (authority, path) = after.split_at_checked(end).unwrap_or((after, ""));
    Parts { scheme, authority: Some(authority), path, query }
}

fn is_scheme(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_alphabetic())
        && text.chars().all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '+' | '-' | '.'))
}

/// The path of the base up to its last slash, and the given path.
fn merge(base: Parts<'_>, path: &str) -> String {
    if base.authority.is_some() && base.path.is_empty() {
        return format!("/{path}");
    }
    match base.path.rsplit_once('/') {
        Some((folder, _)) => format!("{folder}/{path}"),
        None => path.to_owned(),
    }
}

/// Takes `.` and `..` out of a path.
fn remove_dots(path: &str) -> String {
    let rooted = path.starts_with('/');
    let mut kept: Vec<&str> = Vec::new();
    let mut segments = path.strip_prefix('/').unwrap_or(path).split('/').peekable();
    while let Some(segment) = segments.next() {
        let last = segments.peek().is_none();
        match segment {
            "." => {}
            ".." => {
                kept.pop();
            }
            other => {
                kept.push(other);
                continue;
            }
        }
        if last {
            kept.push("");
        }
    }
    let joined = kept.join("/");
    if rooted { format!("/{joined}") } else { joined }
}

fn write(target: Parts<'_>, path: &str) -> String {
    let mut out = String::new();
    if let Some(scheme) = target.scheme {
        out.push_str(scheme);
        out.push(':');
    }
    if let Some(authority) = target.authority {
        out.push_str("//");
        out.push_str(authority);
    }
    out.push_str(path);
    if let Some(query) = target.query {
        out.push('?');
        out.push_str(query);
    }
    out
}

/// A fragment with its percent escapes undone; `None` where they are broken or not UTF-8.
pub(super) fn unescape(fragment: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(fragment.len());
    let mut rest = fragment.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let mut digit = || rest.next().and_then(|digit| char::from(digit).to_digit(16));
        let (high, low) = (digit()?, digit()?);
        bytes.push(u8::try_from((high << 4) | low).ok()?);
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resolves_the_examples_of_rfc_3986_section_5_4() {
        let base = "http://a/b/c/d;p?q";
        for (reference, target) in [
            ("g:h", "g:h"),
            ("g", "http://a/b/c/g"),
            ("./g", "http://a/b/c/g"),
            ("g/", "http://a/b/c/g/"),
            ("/g", "http://a/g"),
            ("//g", "http://g"),
            ("?y", "http://a/b/c/d;p?y"),
            ("g?y", "http://a/b/c/g?y"),
            (";x", "http://a/b/c/;x"),
            ("", "http://a/b/c/d;p?q"),
            (".", "http://a/b/c/"),
            ("./", "http://a/b/c/"),
            ("..", "http://a/b/"),
            ("../g", "http://a/b/g"),
            ("../..", "http://a/"),
            ("../../g", "http://a/g"),
            ("../../../g", "http://a/g"),
            ("/./g", "http://a/g"),
            ("/../g", "http://a/g"),
            ("g.", "http://a/b/c/g."),
            ("..g", "http://a/b/c/..g"),
            ("./../g", "http://a/b/g"),
            ("./g/.", "http://a/b/c/g/"),
            ("g/./h", "http://a/b/c/g/h"),
            ("g/../h", "http://a/b/c/h"),
            ("g;x=1/../y", "http://a/b/c/y"),
            ("g?y/../x", "http://a/b/c/g?y/../x"),
            ("g/h:i", "http://a/b/c/g/h:i"), // what stands before this colon is no scheme
            ("1:g", "http://a/b/c/1:g"),
        ] {
            assert_eq!(resolve(base, reference), target, "{reference}");
        }
        assert_eq!(resolve("urn:a:b", ""), "urn:a:b");
        assert_eq!(resolve("urn:a:b", "urn:c:d?+x"), "urn:c:d?+x");
        assert_eq!(resolve("http://a", "g"), "http://a/g");
    }

    #[test]
    fn undoes_percent_escapes() {
        assert_eq!(unescape("a%25b%22%C3%A9"), Some("a%b\"é".to_owned()));
        assert_eq!(unescape("%2"), None);
        assert_eq!(unescape("%zz"), None);
        assert_eq!(unescape("%ff"), None);
    }
}
