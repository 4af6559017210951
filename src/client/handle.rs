//! §18 Who holds a client.

use std::sync::Arc;

use super::core::Core;

/// Ends the client when the last that holds it is gone.
pub(crate) struct Handle(pub(crate) Arc<Core>);

impl Drop for Handle {
    fn drop(&mut self) {
        self.0.close();
    }
}
