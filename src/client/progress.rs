//! §8 What a server says while a call runs.

use serde::Deserialize;
use serde_json::Value;

use super::transport::Problem;
use crate::envelope::Object;
use crate::types::Level;

/// How far a call has come (§8.2).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Progress {
    /// How far it has come.
    pub progress: f64,
    /// How far it will come, where that is known.
    pub total: Option<f64>,
    /// What is being done.
    pub message: Option<String>,
    /// The params as they came.
    pub raw: Object,
}

/// A log message (§8.1).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct LogMessage {
    /// How grave it is.
    pub level: Level,
    /// Who says it.
    pub logger: Option<String>,
    /// What is said: any JSON.
    pub data: Value,
    /// The params as they came.
    pub raw: Object,
}

impl Progress {
    pub(crate) fn read(params: &Object) -> Result<Progress, Problem> {
        let number = |name: &str| params.get(name).and_then(Value::as_f64);
        let progress = number("progress").ok_or_else(|| Problem::Skipped("progress without a number".to_owned()))?;
        let message = params.get("message").and_then(Value::as_str).map(str::to_owned);
        Ok(Progress { progress, total: number("total"), message, raw: params.clone() })
    }
}

impl LogMessage {
    pub(crate) fn read(params: &Object) -> Result<LogMessage, Problem> {
        let level = params.get("level").and_then(|level| Level::deserialize(level).ok());
        let level = level.ok_or_else(|| Problem::Skipped("a log message without a level".to_owned()))?;
        let logger = params.get("logger").and_then(Value::as_str).map(str::to_owned);
        let data = params.get("data").cloned().unwrap_or(Value::Null);
        Ok(LogMessage { level, logger, data, raw: params.clone() })
    }
}
