//! §5.1 The keyword table of JSON Schema 2020-12: where subschemas lie, and what each keyword asks.
//! Law: every keyword of the vocabularies of 2020-12 has its row here; one that the checker cannot honour is a row that refuses.
//! Law: rules are tried in the order of this table, so the first fault found is always the same one.

use serde_json::Value;

use super::budget::{MAX_VALUE_DEPTH, is_deeper};
use super::pattern::Pattern;
use super::report::{quoted, shown};
use super::rule::{NodeId, Rule, Side, Type};
use super::site::{Compiled, Refusal, Site, count, malformed, names, pattern};

/// Where the value of a keyword holds subschemas.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Holds {
    Nothing,
    /// The value is a subschema.
    Schema,
    /// The value is an array of subschemas.
    Schemas,
    /// The value is an object of subschemas.
    Named,
    /// As `Named`, save that a member may also be an array of property names (`dependencies`).
    NamedOrNames,
}

/// One row of the table.
pub(super) struct Keyword {
    pub(super) name: &'static str,
    pub(super) holds: Holds,
    pub(super) compile: fn(&Site<'_>) -> Compiled,
}

const fn row(name: &'static str, holds: Holds, compile: fn(&Site<'_>) -> Compiled) -> Keyword {
    Keyword { name, holds, compile }
}

/// The table. A keyword without a row is an annotation, such as `x-mcp-header`.
#[rustfmt::skip]
pub(super) static KEYWORDS: [Keyword; 60] = [
    // Core. `$id`, `$anchor` and the target of `$ref` are read by the survey.
    row("$schema",               Holds::Nothing,      dialect),
    row("$id",                   Holds::Nothing,      annotation),
    row("$anchor",               Holds::Nothing,      annotation),
    row("$vocabulary",           Holds::Nothing,      object),
    row("$comment",              Holds::Nothing,      string),
    row("$defs",                 Holds::Named,        container),
    row("definitions",           Holds::Named,        container),
    row("$dynamicRef",           Holds::Nothing,      refused),
    row("$dynamicAnchor",        Holds::Nothing,      refused),
    // Validation: any type.
    row("type",                  Holds::Nothing,      types),
    row("enum",                  Holds::Nothing,      one_of_values),
    row("const",                 Holds::Nothing,      constant),
    // Validation: numbers.
    row("minimum",               Holds::Nothing,      |site| limit(site, Side::AtLeast)),
    row("exclusiveMinimum",      Holds::Nothing,      |site| limit(site, Side::MoreThan)),
    row("maximum",               Holds::Nothing,      |site| limit(site, Side::AtMost)),
    row("exclusiveMaximum",      Holds::Nothing,      |site| limit(site, Side::LessThan)),
    row("multipleOf",            Holds::Nothing,      multiple_of),
    // Validation: strings.
    row("minLength",             Holds::Nothing,      |site| Ok(Some(Rule::MinLength(site.count()?)))),
    row("maxLength",             Holds::Nothing,      |site| Ok(Some(Rule::MaxLength(site.count()?)))),
    row("pattern",               Holds::Nothing,      |site| Ok(Some(Rule::Pattern(pattern(site.text()?)?)))),
    // Arrays.
    row("minItems",              Holds::Nothing,      |site| Ok(Some(Rule::MinItems(site.count()?)))),
    row("maxItems",              Holds::Nothing,      |site| Ok(Some(Rule::MaxItems(site.count()?)))),
    row("prefixItems",           Holds::Schemas,      |site| Ok(Some(Rule::PrefixItems(site.nodes()?)))),
    row("items",                 Holds::Schema,       items),
    row("contains",              Holds::Schema,       contains),
    row("minContains",           Holds::Nothing,      |site| site.count().map(|_| None)),
    row("maxContains",           Holds::Nothing,      |site| site.count().map(|_| None)),
    row("uniqueItems",           Holds::Nothing,      |site| Ok(site.flag()?.then_some(Rule::UniqueItems))),
    row("unevaluatedItems",      Holds::Schema,       refused),
    // Objects.
    row("required",              Holds::Nothing,      |site| Ok(Some(Rule::Required(names(site.value)?)))),
    row("minProperties",         Holds::Nothing,      |site| Ok(Some(Rule::MinProperties(site.count()?)))),
    row("maxProperties",         Holds::Nothing,      |site| Ok(Some(Rule::MaxProperties(site.count()?)))),
    row("dependentRequired",     Holds::Nothing,      dependent_required),
    row("propertyNames",         Holds::Schema,       |site| Ok(Some(Rule::PropertyNames(site.node(site.value)?)))),
    row("properties",            Holds::Named,        |site| Ok(Some(Rule::Properties(site.named_nodes()?)))),
    row("patternProperties",     Holds::Named,        pattern_properties),
    row("additionalProperties",  Holds::Schema,       additional),
    row("unevaluatedProperties", Holds::Schema,       refused),
    row("dependentSchemas",      Holds::Named,        |site| Ok(Some(Rule::DependentSchemas(site.named_nodes()?)))),
    row("dependencies",          Holds::NamedOrNames, dependencies),
    // Schemas applied in place.
    row("$ref",                  Holds::Nothing,      |site| Ok(site.target.map(Rule::Ref))),
    row("allOf",                 Holds::Schemas,      |site| Ok(Some(Rule::AllOf(site.nodes()?)))),
    row("anyOf",                 Holds::Schemas,      |site| Ok(Some(Rule::AnyOf(site.nodes()?)))),
    row("oneOf",                 Holds::Schemas,      |site| Ok(Some(Rule::OneOf(site.nodes()?)))),
    row("not",                   Holds::Schema,       |site| Ok(Some(Rule::Not(site.node(site.value)?)))),
    row("if",                    Holds::Schema,       condition),
    row("then",                  Holds::Schema,       annotation),
    row("else",                  Holds::Schema,       annotation),
    // Annotations: only their own form is checked.
    row("title",                 Holds::Nothing,      string),
    row("description",           Holds::Nothing,      string),
    row("default",               Holds::Nothing,      annotation),
    row("deprecated",            Holds::Nothing,      boolean),
    row("readOnly",              Holds::Nothing,      boolean),
    row("writeOnly",             Holds::Nothing,      boolean),
    row("examples",              Holds::Nothing,      array),
    row("format",                Holds::Nothing,      string),
    row("contentEncoding",       Holds::Nothing,      string),
    row("contentMediaType",      Holds::Nothing,      string),
    row("contentSchema",         Holds::Schema,       annotation),
    // Of 2019-09; without a meaning in 2020-12, whose meta-schema still names it.
    row("$recursiveAnchor",      Holds::Nothing,      annotation),
];

/// req 5.2-14: the dialect that this checker implements (an empty fragment may follow).
pub(super) const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

/// Dialects that the feature `jsonschema` knows.
const OTHER_DIALECTS: [&str; 4] = [
    "https://json-schema.org/draft/2019-09/schema",
    "http://json-schema.org/draft-07/schema",
    "http://json-schema.org/draft-06/schema",
    "http://json-schema.org/draft-04/schema",
];

fn dialect(site: &Site<'_>) -> Compiled {
    check_dialect(site.value).map(|()| None)
}

/// req 5.2-15: refuses a `$schema` that names another dialect.
pub(super) fn check_dialect(value: &Value) -> Result<(), Refusal> {
    let Some(named) = value.as_str() else { return malformed("must be a string") };
    let plain = named.strip_suffix('#').unwrap_or(named);
    if plain == DIALECT {
        return Ok(());
    }
    let reason = format!("the dialect {} is not supported, only {DIALECT} is", quoted(named));
    Err(if OTHER_DIALECTS.contains(&plain) { Refusal::Lacking(reason) } else { Refusal::Malformed(reason) })
}

/// req 5.2-17: an assertion of the dialect that this checker does not have.
fn refused(site: &Site<'_>) -> Compiled {
    Err(Refusal::Lacking(format!("{} is not supported", site.keyword)))
}

fn annotation(_: &Site<'_>) -> Compiled {
    Ok(None)
}

fn string(site: &Site<'_>) -> Compiled {
    site.text().map(|_| None)
}

fn boolean(site: &Site<'_>) -> Compiled {
    site.flag().map(|_| None)
}

fn array(site: &Site<'_>) -> Compiled {
    site.array().map(|_| None)
}

fn object(site: &Site<'_>) -> Compiled {
    site.map().map(|_| None)
}

fn container(site: &Site<'_>) -> Compiled {
    site.named_nodes().map(|_| None)
}

fn types(site: &Site<'_>) -> Compiled {
    const REASON: &str = "must be one of the seven types, or an array of different ones";
    let list = match site.value {
        Value::Array(list) if !list.is_empty() => list.as_slice(),
        other => std::slice::from_ref(other),
    };
    let mut types = Vec::with_capacity(list.len());
    for name in list {
        match Type::ALL.into_iter().find(|known| Some(known.name()) == name.as_str()) {
            Some(known) if !types.contains(&known) => types.push(known),
            _ => return malformed(REASON),
        }
    }
    Ok(Some(Rule::Type(types)))
}

fn one_of_values(site: &Site<'_>) -> Compiled {
    let values = site.array()?;
    if values.iter().any(|value| is_deeper(value, MAX_VALUE_DEPTH)) {
        return malformed(format!("has a value that nests more than {MAX_VALUE_DEPTH} levels"));
    }
    Ok(Some(Rule::Enum(values.clone())))
}

fn constant(site: &Site<'_>) -> Compiled {
    if is_deeper(site.value, MAX_VALUE_DEPTH) {
        return malformed(format!("nests more than {MAX_VALUE_DEPTH} levels"));
    }
    Ok(Some(Rule::Const(site.value.clone())))
}

fn limit(site: &Site<'_>, side: Side) -> Compiled {
    Ok(Some(Rule::Limit { side, limit: site.number()?, shown: shown(site.value) }))
}

fn multiple_of(site: &Site<'_>) -> Compiled {
    let divisor = site.number()?;
    if !divisor.is_positive() {
        return malformed("must be greater than 0");
    }
    Ok(Some(Rule::MultipleOf { divisor, shown: shown(site.value) }))
}

fn items(site: &Site<'_>) -> Compiled {
    let skip = site.beside("prefixItems").and_then(Value::as_array).map_or(0, Vec::len);
    Ok(Some(Rule::Items { skip, each: site.node(site.value)? }))
}

fn contains(site: &Site<'_>) -> Compiled {
    let least = site.beside("minContains").map(count).transpose()?.unwrap_or(1);
    let most = site.beside("maxContains").map(count).transpose()?;
    Ok(Some(Rule::Contains { item: site.node(site.value)?, least, most }))
}

fn dependent_required(site: &Site<'_>) -> Compiled {
    let rows = site.map()?.iter().map(|(name, needs)| Ok((name.clone(), names(needs)?)));
    Ok(Some(Rule::DependentRequired(rows.collect::<Result<_, Refusal>>()?)))
}

fn pattern_properties(site: &Site<'_>) -> Compiled {
    let rows: Result<Vec<(Pattern, NodeId)>, Refusal> =
        site.map()?.iter().map(|(source, schema)| Ok((pattern(source)?, site.node(schema)?))).collect();
    Ok(Some(Rule::PatternProperties(rows?)))
}

fn additional(site: &Site<'_>) -> Compiled {
    let names_of = |keyword| site.beside(keyword).and_then(Value::as_object).into_iter().flat_map(|map| map.keys());
    let mut named: Vec<String> = names_of("properties").cloned().collect();
    named.sort_unstable();
    let matched = names_of("patternProperties").map(|source| pattern(source)).collect::<Result<_, _>>()?;
    Ok(Some(Rule::Additional { named, matched, each: site.node(site.value)? }))
}

/// The keyword that `dependentRequired` and `dependentSchemas` replaced; 2020-12 deprecates it but lets it stand.
fn dependencies(site: &Site<'_>) -> Compiled {
    let mut rules = Vec::new();
    for (name, needs) in site.map()? {
        let row = if needs.is_array() {
            Rule::DependentRequired(vec![(name.clone(), names(needs)?)])
        } else {
            Rule::DependentSchemas(vec![(name.clone(), site.node(needs)?)])
        };
        rules.push(row);
    }
    Ok(Some(Rule::Every(rules)))
}

fn condition(site: &Site<'_>) -> Compiled {
    let branch = |keyword| site.beside(keyword).map(|schema| site.node(schema)).transpose();
    Ok(Some(Rule::If { test: site.node(site.value)?, then: branch("then")?, other: branch("else")? }))
}
