//! RFC 3986: what counts as an absolute URI here (§5.4, §11).

/// Whether RFC 3986 lets a byte stand in a URI as it is.
pub(crate) fn allows(byte: u8) -> bool {
    byte.is_ascii_graphic() && !b"\"<>\\^`{|}".contains(&byte)
}

/// Whether a text is an absolute URI: a scheme, a colon, and characters that RFC 3986 allows, with a `%` only before two
/// hexadecimal digits. Characters of other scripts are accepted as they are (RFC 3987), white space is not; a fragment may
/// follow.
pub fn is_absolute(text: &str) -> bool {
    let Some((scheme, _)) = text.split_once(':') else { return false };
    let letter = scheme.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic());
    let scheme = scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte));
    let plain = |char: char| match u8::try_from(char) {
        Ok(byte) if byte.is_ascii() => allows(byte),
        _ => !char.is_whitespace() && !char.is_control(),
    };
    let escapes = text.split('%').skip(1).all(|rest| {
        let mut digits = rest.bytes();
        [digits.next(), digits.next()].iter().all(|digit| digit.is_some_and(|digit| digit.is_ascii_hexdigit()))
    });
    letter && scheme && text.chars().all(plain) && escapes
}
