//! RFC 3986: what counts as an absolute URI here (§5.4, §11).

/// Whether `text` is a URI with a scheme: a letter, then letters, digits, `+`, `-` or `.`, a colon, and something behind it
/// without white space or control characters.
pub fn is_absolute(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once(':') else { return false };
    scheme.starts_with(|first: char| first.is_ascii_alphabetic())
        && scheme.chars().all(|each| each.is_ascii_alphanumeric() || matches!(each, '+' | '-' | '.'))
        && !rest.is_empty()
        && !rest.chars().any(|each| each.is_whitespace() || each.is_control())
}
