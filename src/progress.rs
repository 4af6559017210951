//! §8.2 Progress.
//! Law: values for one request increase strictly; what does not, and what is over the caps, is dropped without an error.

use serde_json::{Value, json};

use crate::envelope::{Notification, Object, RequestId, whole};
use crate::limits::Limits;

/// The progress of one request so far.
#[derive(Debug, Default)]
pub(crate) struct Gate {
    last: Option<f64>,
    sent: usize,
}

impl Gate {
    /// The frame of one step, or `None` where it must not be sent.
    pub(crate) fn step(
        &mut self,
        token: &RequestId,
        progress: f64,
        total: Option<f64>,
        message: &str,
        limits: &Limits,
    ) -> Option<Notification> {
        // req 8.2-3 8.2-4: a NaN or an infinity is no JSON number
        let increases = self.last.is_none_or(|last| progress > last);
        if !progress.is_finite() || !increases || self.sent >= limits.progress_updates {
            return None;
        }
        self.last = Some(progress);
        self.sent += 1;

        // req 8.2-2
        let mut params = Object::new();
        params.insert("progressToken".to_owned(), token.to_value());
        params.insert("progress".to_owned(), number(progress));
        if let Some(total) = total.filter(|total| total.is_finite()) {
            params.insert("total".to_owned(), number(total));
        }
        if !message.is_empty() {
            params.insert("message".to_owned(), json!(cut(message, limits.progress_message)));
        }
        Some(Notification { method: "notifications/progress".to_owned(), params })
    }
}

/// A whole number is written as one: `50`, not `50.0`.
fn number(value: f64) -> Value {
    whole(value).map_or_else(|| json!(value), Value::from)
}

/// req 8.2-5: the longest prefix of at most `limit` bytes that ends at a character.
fn cut(text: &str, limit: usize) -> &str {
    let end = (0..=limit.min(text.len())).rev().find(|&end| text.is_char_boundary(end)).unwrap_or(0);
    text.get(..end).unwrap_or_default()
}
