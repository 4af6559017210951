//! §5.1 §5.2 The schema checker: every keyword with values that fit and values that do not, texts literal.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::as_conversions,
    clippy::string_slice,
    missing_docs,
    unreachable_pub
)]

mod bounds;
mod keywords;
mod numbers;
mod patterns;
mod random;
mod references;
mod refusals;

use plain_mcp::schema::Schema;
use serde_json::Value;

/// Compiles `schema`; every value of `fits` is valid, every one of `faults` is not and gets exactly that report.
fn check(schema: Value, fits: &[Value], faults: &[(Value, &str)]) {
    let compiled = Schema::compile(&schema).unwrap_or_else(|refused| panic!("{schema} is refused: {refused}"));
    for value in fits {
        assert_eq!(compiled.check(value), Ok(()), "{value} against {schema}");
    }
    for (value, report) in faults {
        let violation = compiled.check(value).expect_err(&format!("{value} against {schema}"));
        assert_eq!(violation.to_string(), *report, "{value} against {schema}");
    }
}

/// `schema` is refused with exactly this report (without the hint at the feature).
fn refused(schema: Value, report: &str) {
    let refused = Schema::compile(&schema).expect_err(&format!("{schema} is not refused"));
    assert_eq!(refused.to_string(), report, "{schema}");
    assert_eq!(refused.needs_feature(), report.ends_with(" (needs feature jsonschema)"), "{schema}");
}

/// `schema` uses what only the feature `jsonschema` can compile.
fn needs_feature(schema: Value, report: &str) {
    if cfg!(feature = "jsonschema") {
        return;
    }
    refused(schema, &format!("{report} (needs feature jsonschema)"));
}

/// A value `depth` levels deep.
fn nested(depth: usize, wrap: fn(Value) -> Value, inner: Value) -> Value {
    (0..depth).fold(inner, |value, _| wrap(value))
}
