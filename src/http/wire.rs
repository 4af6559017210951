//! §13 HTTP/1.1 as bytes: request heads, bodies, answers. RFC 9112, and RFC 9110 where it says what a field means.
//! Law: pure. Bytes in, values out; no socket, no clock, no thread, no word of MCP.
//! Law: strict. Where two readers of one request could see two messages, the request is refused, never repaired.
//! Law: how the bytes are cut into reads makes no difference to what comes out.

mod answer;
mod body;
mod fields;
mod frame;
mod head;
#[cfg(feature = "client")]
mod reply;

pub use answer::{CONTINUE, Framing, date, put_chunk, put_head};
pub use body::{Chunked, LAST_CHUNK};
pub use frame::{Bounds, Flaw, Frame, Length, MOST_FIELDS, Version};
pub use head::{HeadEnd, read_head};
#[cfg(feature = "client")]
pub use reply::{ReplyHead, read_reply};
