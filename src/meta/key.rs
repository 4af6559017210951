//! §2.1 Meta key syntax.
//! Law: this matcher says what the reference's expression says; `tests/spec/meta_key.rs` compares the two.
//!
//! ```text
//! ^(?:(?:[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?)(?:\.(?:[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?))*\/)?(?:[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)?$
//! ```

/// Whether `key` may stand in `_meta`: an optional prefix of dot-separated labels and a `/`, then a name, which may be empty.
// req 2.1-1 2.1-2 2.1-4
pub fn meta_key(key: &str) -> bool {
    let key = key.as_bytes();
    match key.iter().position(|byte| *byte == b'/').and_then(|slash| key.split_at_checked(slash)) {
        Some((prefix, rest)) => {
            prefix.split(|byte| *byte == b'.').all(label) && name(rest.get(1..).unwrap_or_default())
        }
        None => name(key),
    }
}

/// Whether `key` is a meta key with a prefix, as the name of an extension must be.
pub fn prefixed_meta_key(key: &str) -> bool {
    key.contains('/') && meta_key(key)
}

/// Whether MCP keeps the prefix of `key` for itself: its second label is `modelcontextprotocol` or `mcp`.
/// Label by label as written: `io.modelcontextprotocol/x` is reserved, `com.example.mcp/x` is not.
// req 2.1-3
pub fn reserved_meta_key(key: &str) -> bool {
    let Some((prefix, _)) = key.split_once('/') else { return false };
    matches!(prefix.split('.').nth(1), Some("modelcontextprotocol" | "mcp"))
}

/// `[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?`
fn label(text: &[u8]) -> bool {
    text.first().is_some_and(u8::is_ascii_alphabetic) && framed(text, |byte| byte == b'-')
}

/// `(?:[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)?`
fn name(text: &[u8]) -> bool {
    text.is_empty() || framed(text, |byte| matches!(byte, b'.' | b'_' | b'-'))
}

/// Letters and digits at both ends; between them also what `inner` allows.
fn framed(text: &[u8], inner: impl Fn(u8) -> bool) -> bool {
    let ends = [text.first(), text.last()].into_iter().all(|end| end.is_some_and(u8::is_ascii_alphanumeric));
    ends && text.iter().all(|&byte| byte.is_ascii_alphanumeric() || inner(byte))
}
