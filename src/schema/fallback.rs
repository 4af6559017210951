//! §5.1 Feature `jsonschema`: what the own checker lacks is checked by the package of that name.
//! Law: the package is asked only for schemas that would else be refused, and it never fetches anything.

use jsonschema::Validator;
use serde_json::Value;

use super::budget::{MAX_VALUE_DEPTH, is_deeper};
use super::report::{Unsupported, Violation, clip};

/// The longest report that is passed on, in characters.
const REPORT: usize = 400;

pub(super) struct Fallback(Validator);

impl Fallback {
    /// Compiles a schema that the own checker refused.
    pub(super) fn compile(schema: &Value, refused: &Unsupported) -> Result<Fallback, Unsupported> {
        if is_deeper(schema, MAX_VALUE_DEPTH) {
            return Err(Unsupported::malformed(String::new(), too_deep()));
        }
        let options = jsonschema::options().should_validate_formats(false).offline();
        let built = options.build(schema);
        built.map(Fallback).map_err(|error| {
            let reason = format!("{}; jsonschema: {}", refused.reason, clip(&error.to_string(), REPORT));
            Unsupported::malformed(refused.place.clone(), reason)
        })
    }

    pub(super) fn check(&self, instance: &Value) -> Result<(), Violation> {
        // The package recurses and its work is not bounded; the depth at least can be, as serde_json bounds that of a text.
        if is_deeper(instance, MAX_VALUE_DEPTH) {
            return Err(Violation { place: String::new(), fault: too_deep() });
        }
        self.0.validate(instance).map_err(|error| Violation {
            place: error.instance_path().as_str().to_owned(),
            fault: clip(&error.masked().to_string(), REPORT),
        })
    }
}

fn too_deep() -> String {
    format!("nests more than {MAX_VALUE_DEPTH} levels")
}
