//! §8.1 Logging.
//! Law: a request that names no level gets no log message; one that does gets those of that level and above.

use serde_json::{Value, json};

use crate::envelope::{Notification, Object};
use crate::types::Level;

/// The frame of one log message, or `None` where the request did not ask for it.
pub(crate) fn frame(wanted: Option<Level>, level: Level, logger: &str, data: Value) -> Option<Notification> {
    // req 8.1-2 8.1-3
    if level < wanted? {
        return None;
    }
    // req 8.1-4 8.1-5: these members and no other
    let mut params = Object::new();
    params.insert("level".to_owned(), json!(level.name()));
    if !logger.is_empty() {
        params.insert("logger".to_owned(), json!(logger));
    }
    params.insert("data".to_owned(), data);
    Some(Notification { method: "notifications/message".to_owned(), params })
}
