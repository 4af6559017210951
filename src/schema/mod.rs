//! §5.1 §5.2 JSON Schema 2020-12: compiled when a tool is registered, checked on each call.
//! Law: no wrong answer: what the checker cannot honour to the letter is refused when the schema is compiled.
//! Law: nothing is fetched, and depth and work are bounded, whatever the schema and the instance; the work not where the package
//! `jsonschema` has to check.

mod budget;
mod charset;
mod check;
mod compile;
mod equal;
#[cfg(feature = "jsonschema")]
mod fallback;
mod keywords;
mod leaf;
mod number;
mod pattern;
mod report;
mod rule;
mod site;
mod survey;
mod uri;

use std::sync::Arc;

use serde_json::Value;

pub use report::{Unsupported, Violation};

/// A compiled schema (§5.1). Cheap to clone; one value may serve many threads at once.
#[derive(Clone)]
pub struct Schema(Arc<Engine>);

/// What checks the instances.
enum Engine {
    Own(rule::Program),
    #[cfg(feature = "jsonschema")]
    Other(fallback::Fallback),
}

impl Schema {
    /// Compiles a schema of the dialect 2020-12, which is also assumed where `$schema` is absent.
    ///
    /// `format` and the content keywords are annotations; an unknown keyword is ignored, as the dialect says.
    ///
    /// # Errors
    ///
    /// [`Unsupported`] where the schema is malformed, names another dialect, holds a `$ref` that leads nowhere, out of
    /// the document or back to itself without end, uses a keyword or a kind of pattern that this checker does not
    /// implement, or is too large: more than 10,000 subschemas, 512 of them inside one another, or a `const` 128 deep.
    /// With the feature `jsonschema`, what only lacks an implementation here is compiled by that package.
    pub fn compile(schema: &Value) -> Result<Schema, Unsupported> {
        let engine = match compile::compile(schema) {
            Ok(program) => Engine::Own(program),
            #[cfg(feature = "jsonschema")]
            Err(refused) if refused.needs_feature() => Engine::Other(fallback::Fallback::compile(schema, &refused)?),
            Err(refused) => return Err(refused),
        };
        Ok(Schema(Arc::new(engine)))
    }

    /// Checks an instance.
    ///
    /// Takes at most 20 million steps (a schema applied, a rule tried, a few characters compared) and goes at most 512
    /// levels deep. An instance that needs more is reported as invalid, with that reason. What only the feature `jsonschema` can
    /// compile is checked at most 128 levels deep, without a bound on the steps.
    ///
    /// # Errors
    ///
    /// The first [`Violation`], always the same one for the same input.
    pub fn check(&self, instance: &Value) -> Result<(), Violation> {
        match &*self.0 {
            Engine::Own(program) => check::check(program, instance),
            #[cfg(feature = "jsonschema")]
            Engine::Other(fallback) => fallback.check(instance),
        }
    }
}

impl std::fmt::Debug for Schema {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Schema").finish_non_exhaustive()
    }
}
