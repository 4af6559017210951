//! §10.2 Capability check.
//! Law: a request is judged by the capabilities that it declares itself.
//! Law: one undeclared need fails the whole request with -32021, which names all that is missing, merged.

use serde_json::{Value, json};

use crate::errors::{Fault, rules};
use crate::types::{ClientCapabilities, InputRequest, Kind};

rules! {
    // const            id        code    text                                  source
    MISSING_CAPABILITY  "10.2-1"  -32021  "Missing required client capability"  "mrtr.ex:126-150";
}

/// Something that a client can be asked for, if it declared it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// `elicitation/create` in form mode.
    ElicitationForm,
    /// `elicitation/create` in url mode.
    ElicitationUrl,
    /// `sampling/createMessage`.
    Sampling,
    /// `sampling/createMessage` with `tools` or `toolChoice`.
    SamplingTools,
    /// `sampling/createMessage` with an `includeContext` other than "none".
    SamplingContext,
    /// `roots/list`.
    Roots,
}

impl Need {
    /// Whether the capabilities cover the need.
    pub fn met_by(self, declared: &ClientCapabilities) -> bool {
        match self {
            Need::ElicitationForm => declared.elicitation_form(),
            Need::ElicitationUrl => declared.elicitation_url(),
            Need::Sampling => declared.sampling(),
            Need::SamplingTools => declared.sampling_tools(),
            Need::SamplingContext => declared.sampling_context(),
            Need::Roots => declared.roots(),
        }
    }

    /// req 10.2-2 10.2-3 10.2-4 10.2-5: the `ClientCapabilities` that would cover it, the table of §10.2.
    /// `{}` is form support where `url` does not stand beside it.
    fn capability(self, beside_url: bool) -> Value {
        match self {
            Need::ElicitationForm if beside_url => json!({"elicitation": {"form": {}}}),
            Need::ElicitationForm => json!({"elicitation": {}}),
            Need::ElicitationUrl => json!({"elicitation": {"url": {}}}),
            Need::Sampling => json!({"sampling": {}}),
            Need::SamplingTools => json!({"sampling": {"tools": {}}}),
            Need::SamplingContext => json!({"sampling": {"context": {}}}),
            Need::Roots => json!({"roots": {}}),
        }
    }
}

/// What a request for input needs of the client (§10.2, the table). One that names no known request needs nothing: it is refused
/// as invalid before this is asked.
pub fn needs(request: &InputRequest) -> Vec<Need> {
    match request.kind() {
        None => Vec::new(),
        Some(Kind::Form) => vec![Need::ElicitationForm],
        Some(Kind::Url) => vec![Need::ElicitationUrl],
        Some(Kind::CreateMessage { tools, context }) => {
            let extra = [(tools, Need::SamplingTools), (context, Need::SamplingContext)];
            let extra = extra.into_iter().filter_map(|(asked, need)| asked.then_some(need));
            std::iter::once(Need::Sampling).chain(extra).collect()
        }
        Some(Kind::ListRoots) => vec![Need::Roots],
    }
}

/// Refuses needs that were not declared.
pub fn check(needs: impl Iterator<Item = Need>, declared: &ClientCapabilities) -> Result<(), Fault> {
    let missing: Vec<Need> = needs.filter(|need| !need.met_by(declared)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let beside_url = declared.elicitation_url() || missing.contains(&Need::ElicitationUrl);
    let mut required = json!({});
    for need in missing {
        merge(&mut required, need.capability(beside_url));
    }
    Err(MISSING_CAPABILITY.fault().data(json!({"requiredCapabilities": required})))
}

/// req 10.2-6: `more` is added to `into`, member by member.
fn merge(into: &mut Value, more: Value) {
    match (into, more) {
        (Value::Object(into), Value::Object(more)) => {
            for (name, value) in more {
                merge(into.entry(name).or_insert_with(|| json!({})), value);
            }
        }
        (into, more) => *into = more,
    }
}
