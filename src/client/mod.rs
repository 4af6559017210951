//! §18 The client: calls to a server of any era, over HTTP, stdio, or in this process.
//! Law: what was declared is what there are handlers for; nothing is asked of the user or the model without one.

mod cancel; // §9
mod error; // §12
mod limits;
mod message; // §1
mod transport;
mod wait; // §9

pub use self::cancel::Cancel;
pub use self::error::{Error, ServerError};
pub use self::limits::ClientLimits;
pub use self::transport::Problem;
