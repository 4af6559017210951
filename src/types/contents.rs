//! §5.4 What a resource handler answers, in one word each.

use super::content::ResourceContents;

/// A text with its media type. The server fills in the address that was read, unless the author sets another with
/// [`ResourceContents::uri`].
pub fn text(mime_type: impl Into<String>, text: impl Into<String>) -> ResourceContents {
    ResourceContents::text(mime_type, text)
}

/// Bytes with their media type, sent in base64. The server fills in the address that was read, unless the author sets
/// another with [`ResourceContents::uri`].
pub fn blob(mime_type: impl Into<String>, bytes: &[u8]) -> ResourceContents {
    ResourceContents::blob(mime_type, bytes)
}
