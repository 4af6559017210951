//! §13.6 Which arguments of which tool go into header fields, as the last list of tools said.

use std::collections::HashMap;
use std::sync::Mutex;

use serde_json::Value;

use super::received::Received;
use super::transport::Problem;
use crate::envelope::Object;
use crate::lock;
use crate::param_headers::{BadAnnotation, Mirror, annotations, encode_argument};
use crate::types::Tool;

/// The annotations of the tools that were listed last. As large as that list.
#[derive(Default)]
pub(crate) struct Catalog(Mutex<Option<Known>>);

/// By the name of the tool: its annotations, or the one that breaks a rule.
type Known = HashMap<String, Result<Vec<Mirror>, BadAnnotation>>;

impl Catalog {
    /// Remembers the annotations of these tools, and of no others; leaves out those whose annotations break a rule.
    pub(crate) fn take(&self, tools: Vec<Received<Tool>>) -> (Vec<Received<Tool>>, Vec<Problem>) {
        let (mut good, mut problems, mut known) = (Vec::with_capacity(tools.len()), Vec::new(), HashMap::new());
        for tool in tools {
            let name = tool.name.clone();
            match annotations(tool.raw().get("inputSchema").unwrap_or(&Value::Null)) {
                Ok(mirrors) => {
                    good.push(tool);
                    if !mirrors.is_empty() {
                        known.insert(name, Ok(mirrors));
                    }
                }
                Err(bad) => {
                    problems.push(Problem::ToolLeftOut { tool: name.clone(), reason: bad.to_string() });
                    known.insert(name, Err(bad));
                }
            }
        }
        *lock(&self.0) = Some(known);
        (good, problems)
    }

    /// Whether no list has been taken yet.
    pub(crate) fn is_new(&self) -> bool {
        lock(&self.0).is_none()
    }

    /// Why a tool was left out of the list.
    pub(crate) fn left_out(&self, tool: &str) -> Option<String> {
        lock(&self.0).as_ref()?.get(tool)?.as_ref().err().map(BadAnnotation::to_string)
    }

    /// The header fields of a call: one for each annotated argument that is there and is not null.
    pub(crate) fn headers_for(&self, tool: &str, arguments: &Object) -> Vec<(String, String)> {
        let known = lock(&self.0);
        let mirrors = known.as_ref().and_then(|known| known.get(tool)?.as_ref().ok()).into_iter().flatten();
        let field = |mirror: &Mirror| {
            let value = encode_argument(mirror.argument(arguments)?)?.into_owned();
            Some((mirror.header(), value))
        };
        mirrors.filter_map(field).collect()
    }
}
