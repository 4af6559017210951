//! Invariant: a schema compiles or is refused, the same each time; a value gets the same verdict and the same report each time, never that
//! of the schema's negation, and, where the package `jsonschema` knows schema and value, the verdict that it gives too.

use plain_mcp::schema::Schema;
use serde_json::{Value, json};

/// JSON values: a schema, then what is checked against it.
pub fn check(data: &[u8]) {
    let values: Result<Vec<Value>, _> = serde_json::Deserializer::from_slice(data).into_iter().collect();
    let Ok([document, instances @ ..]) = values.as_deref() else { return };
    let schema = match Schema::compile(document) {
        Ok(schema) => schema,
        Err(refused) => return assert_eq!(Schema::compile(document).unwrap_err().to_string(), refused.to_string()),
    };
    let negated = negation(document).map(|negation| Schema::compile(&negation).unwrap());
    for instance in instances.iter().take(4) {
        let verdict = schema.check(instance);
        assert_eq!(verdict, schema.check(instance), "{instance} against {document}");
        let spent = verdict.as_ref().is_err_and(|violation| violation.fault.contains(" more than "));
        if let Some(negated) = negated.as_ref().filter(|_| !spent) {
            assert_ne!(verdict.is_ok(), negated.check(instance).is_ok(), "{instance} against {document}");
        }
        if let Err(violation) = &verdict {
            assert!(instance.pointer(&violation.place).is_some(), "no such place: {violation:?}");
        }
    }
    #[cfg(feature = "jsonschema")]
    second_opinion(&schema, document, instances);
}

/// A schema that is valid exactly where this one is not; `None` where it has an address of its own.
fn negation(document: &Value) -> Option<Value> {
    let object =
        document.as_object().filter(|object| !object.contains_key("$id") && !object.contains_key("$schema"))?;
    let mut inner = object.clone();
    inner.insert("$id".to_owned(), json!("negated"));
    Some(json!({"$defs": {"x": inner}, "not": {"$ref": "negated"}}))
}

/// What the package says, where it takes the schema as well.
#[cfg(feature = "jsonschema")]
fn second_opinion(schema: &Schema, document: &Value, instances: &[Value]) {
    let Ok(theirs) = jsonschema::options().should_validate_formats(false).offline().build(document) else { return };
    for instance in instances.iter().take(4).filter(|instance| !is_known_to_differ(document, instance)) {
        let verdict = schema.check(instance);
        assert_eq!(verdict.is_ok(), theirs.is_valid(instance), "{instance} against {document}: {verdict:?}");
    }
}

/// Where the package departs from what its sources say, and we do not.
#[cfg(feature = "jsonschema")]
fn is_known_to_differ(document: &Value, instance: &Value) -> bool {
    let text = document.to_string();
    // To it 0.1 and 1e151 are the doubles next to them, to us the decimal numbers that were sent.
    let multiples = text.contains("multipleOf") && !(is_exact(document) && is_exact(instance));
    // ECMA 262 has classes of nothing and of anything; to it the next `]` is a member of the class. A word is ASCII there, not to it.
    let classes = text.contains("[]") || text.contains("[^]");
    let words = text.contains("attern") && !instance.to_string().is_ascii();
    multiples || (text.contains("attern") && classes) || words
}

/// Whether all numbers are small multiples of 1/8, which a double holds exactly.
#[cfg(feature = "jsonschema")]
fn is_exact(value: &Value) -> bool {
    match value {
        Value::Number(number) => {
            number.as_f64().is_some_and(|float| (float * 8.0).fract() == 0.0 && float.abs() < 1e12)
        }
        Value::Array(items) => items.iter().all(is_exact),
        Value::Object(members) => members.values().all(is_exact),
        _ => true,
    }
}
