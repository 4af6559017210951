//! §5.2 Checks an instance against a compiled schema.
//! Law: the first fault in the order of the keyword table is reported; the same input always gets the same report.
//! Law: depth and work are bounded by a [`Budget`]; a bound that is met is reported as a fault, under `not` too.

use serde_json::{Map, Value};

use super::budget::{Budget, Spent};
use super::leaf;
use super::pattern::Pattern;
use super::report::{Violation, clip, count, push_token, quoted};
use super::rule::{Node, NodeId, Program, Rule};

/// How many alternatives of `anyOf` and `oneOf` a report explains, and in how many characters.
const EXPLAINED: usize = 4;
const EXPLANATION: usize = 400;

/// Checks the instance against the root of the program.
pub(super) fn check(program: &Program, instance: &Value) -> Result<(), Violation> {
    let mut checker = Checker { program, budget: Budget::new(), quiet: false };
    match checker.apply(NodeId::ROOT, instance, &Place::Root) {
        Ok(()) => Ok(()),
        Err(Fail::Fault(violation)) => Err(violation),
        // Only a quiet check has no report, and this one is not.
        Err(Fail::Quiet) => Err(Violation { place: String::new(), fault: "does not match its schema".to_owned() }),
        Err(Fail::Spent(spent)) => Err(Violation { place: String::new(), fault: spent.text() }),
    }
}

/// Why a check ended.
enum Fail {
    /// The instance is invalid.
    Fault(Violation),
    /// The instance is invalid, and nobody wants to know why.
    Quiet,
    /// A bound was met: nobody knows whether the instance is valid.
    Spent(Spent),
}

impl From<Spent> for Fail {
    fn from(spent: Spent) -> Fail {
        Fail::Spent(spent)
    }
}

/// Where in the instance the check is: a list on the stack, made into a pointer only when there is a fault.
enum Place<'a> {
    Root,
    Member(&'a Place<'a>, &'a str),
    Item(&'a Place<'a>, usize),
}

impl Place<'_> {
    fn pointer(&self) -> String {
        let mut chain = Vec::new();
        let mut here = self;
        while let Place::Member(above, _) | Place::Item(above, _) = here {
            chain.push(here);
            here = above;
        }
        let mut pointer = String::new();
        for place in chain.into_iter().rev() {
            match place {
                Place::Root => {}
                Place::Member(_, name) => push_token(&mut pointer, name),
                Place::Item(_, index) => push_token(&mut pointer, &index.to_string()),
            }
        }
        pointer
    }
}

struct Checker<'p> {
    program: &'p Program,
    budget: Budget,
    /// Set while only the verdict counts, so that no report is written.
    quiet: bool,
}

impl<'p> Checker<'p> {
    fn apply(&mut self, id: NodeId, value: &Value, place: &Place<'_>) -> Result<(), Fail> {
        self.budget.enter()?;
        match self.program.node(id) {
            Some(Node::Rules(rules)) => {
                for rule in rules {
                    self.rule(rule, value, place)?;
                }
            }
            Some(Node::Always(true)) => {}
            Some(Node::Always(false)) | None => return self.fail(place, || "is not allowed".to_owned()),
        }
        self.budget.leave();
        Ok(())
    }

    fn fail(&self, place: &Place<'_>, fault: impl FnOnce() -> String) -> Result<(), Fail> {
        if self.quiet {
            return Err(Fail::Quiet);
        }
        Err(Fail::Fault(Violation { place: place.pointer(), fault: fault() }))
    }

    /// Whether the value is valid against a node, without a report.
    fn matches(&mut self, id: NodeId, value: &Value, place: &Place<'_>) -> Result<bool, Spent> {
        let quiet = std::mem::replace(&mut self.quiet, true);
        let depth = self.budget.depth();
        let verdict = self.apply(id, value, place);
        self.quiet = quiet;
        self.budget.restore(depth);
        match verdict {
            Ok(()) => Ok(true),
            Err(Fail::Spent(spent)) => Err(spent),
            Err(Fail::Fault(_) | Fail::Quiet) => Ok(false),
        }
    }

    fn rule(&mut self, rule: &'p Rule, value: &Value, place: &Place<'_>) -> Result<(), Fail> {
        self.budget.spend(1)?;
        match (rule, value) {
            (Rule::Ref(id), _) => self.apply(*id, value, place),
            (Rule::AllOf(ids), _) => ids.iter().try_for_each(|id| self.apply(*id, value, place)),
            (Rule::Every(rules), _) => rules.iter().try_for_each(|rule| self.rule(rule, value, place)),
            (Rule::AnyOf(ids), _) => self.any_of(ids, value, place),
            (Rule::OneOf(ids), _) => self.one_of(ids, value, place),
            (Rule::Not(id), _) => match self.matches(*id, value, place)? {
                true => self.fail(place, || "must not match the schema of \"not\"".to_owned()),
                false => Ok(()),
            },
            (Rule::If { test, then, other }, _) => {
                let branch = if self.matches(*test, value, place)? { then } else { other };
                branch.map_or(Ok(()), |id| self.apply(id, value, place))
            }
            (_, Value::Array(items)) => self.array_rule(rule, value, items, place),
            (_, Value::Object(map)) => self.object_rule(rule, value, map, place),
            _ => self.leaf(rule, value, place),
        }
    }

    fn leaf(&mut self, rule: &Rule, value: &Value, place: &Place<'_>) -> Result<(), Fail> {
        if leaf::holds(rule, value, &mut self.budget)? { Ok(()) } else { self.fail(place, || leaf::fault(rule, value)) }
    }

    fn any_of(&mut self, ids: &[NodeId], value: &Value, place: &Place<'_>) -> Result<(), Fail> {
        for id in ids {
            if self.matches(*id, value, place)? {
                return Ok(());
            }
        }
        self.no_alternative("at least one", ids, value, place)
    }

    fn one_of(&mut self, ids: &[NodeId], value: &Value, place: &Place<'_>) -> Result<(), Fail> {
        let mut matched = None;
        for (index, id) in ids.iter().enumerate() {
            if !self.matches(*id, value, place)? {
                continue;
            }
            if let Some(first) = matched.replace(index) {
                return self.fail(place, || {
                    format!("must match exactly one alternative of oneOf, but matches {first} and {index} of them")
                });
            }
        }
        if matched.is_some() { Ok(()) } else { self.no_alternative("exactly one", ids, value, place) }
    }

    /// The value matches none of the alternatives: says why for the first few.
    fn no_alternative(&mut self, quantity: &str, ids: &[NodeId], value: &Value, place: &Place<'_>) -> Result<(), Fail> {
        if self.quiet {
            return Err(Fail::Quiet);
        }
        let pointer = place.pointer();
        let mut reasons = Vec::new();
        for id in ids.iter().take(EXPLAINED) {
            let depth = self.budget.depth();
            let verdict = self.apply(*id, value, place);
            self.budget.restore(depth);
            match verdict {
                Err(Fail::Fault(inner)) if inner.place == pointer => reasons.push(inner.fault),
                Err(Fail::Fault(inner)) => reasons.push(format!("{}: {}", inner.place, inner.fault)),
                Err(Fail::Spent(spent)) => return Err(Fail::Spent(spent)),
                Ok(()) | Err(Fail::Quiet) => {}
            }
        }
        if ids.len() > EXPLAINED {
            reasons.push("...".to_owned());
        }
        self.fail(place, || {
            let alternatives = count(u64::try_from(ids.len()).unwrap_or(u64::MAX), "alternative", "alternatives");
            format!("must match {quantity} of {alternatives}: {}", clip(&reasons.join("; "), EXPLANATION))
        })
    }

    fn array_rule(&mut self, rule: &'p Rule, value: &Value, items: &[Value], place: &Place<'_>) -> Result<(), Fail> {
        match rule {
            Rule::PrefixItems(ids) => {
                for (index, (id, item)) in ids.iter().zip(items).enumerate() {
                    self.apply(*id, item, &Place::Item(place, index))?;
                }
                Ok(())
            }
            Rule::Items { skip, each } => {
                for (index, item) in items.iter().enumerate().skip(*skip) {
                    self.apply(*each, item, &Place::Item(place, index))?;
                }
                Ok(())
            }
            Rule::Contains { item, least, most } => self.contains(*item, *least, *most, items, place),
            _ => self.leaf(rule, value, place),
        }
    }

    fn contains(
        &mut self,
        id: NodeId,
        least: u64,
        most: Option<u64>,
        items: &[Value],
        place: &Place<'_>,
    ) -> Result<(), Fail> {
        const ONE: &str = "item that matches";
        const MANY: &str = "items that match";
        let mut found = 0_u64;
        for (index, item) in items.iter().enumerate() {
            if found >= least && most.is_none() {
                return Ok(());
            }
            if self.matches(id, item, &Place::Item(place, index))? {
                found = found.saturating_add(1);
            }
            if let Some(most) = most.filter(|most| found > *most) {
                return self.fail(place, || format!("must have at most {} \"contains\"", count(most, ONE, MANY)));
            }
        }
        if found >= least {
            return Ok(());
        }
        self.fail(place, || format!("must have at least {} \"contains\"", count(least, ONE, MANY)))
    }

    fn object_rule(
        &mut self,
        rule: &'p Rule,
        value: &Value,
        map: &Map<String, Value>,
        place: &Place<'_>,
    ) -> Result<(), Fail> {
        match rule {
            Rule::Properties(rows) => {
                for (name, id) in rows {
                    self.budget.spend(1)?;
                    if let Some(member) = map.get(name) {
                        self.apply(*id, member, &Place::Member(place, name))?;
                    }
                }
                Ok(())
            }
            Rule::PatternProperties(rows) => {
                for (pattern, id) in rows {
                    for (name, member) in map {
                        if self.name_matches(pattern, name)? {
                            self.apply(*id, member, &Place::Member(place, name))?;
                        }
                    }
                }
                Ok(())
            }
            Rule::Additional { named, matched, each } => {
                for (name, member) in map {
                    self.budget.spend(1)?;
                    let mut known = named.binary_search(name).is_ok();
                    for pattern in matched {
                        known = known || self.name_matches(pattern, name)?;
                    }
                    if !known {
                        self.apply(*each, member, &Place::Member(place, name))?;
                    }
                }
                Ok(())
            }
            Rule::PropertyNames(id) => map.keys().try_for_each(|name| self.property_name(*id, name, place)),
            Rule::DependentSchemas(rows) => {
                for (name, id) in rows {
                    self.budget.spend(1)?;
                    if map.contains_key(name) {
                        self.apply(*id, value, place)?;
                    }
                }
                Ok(())
            }
            _ => self.leaf(rule, value, place),
        }
    }

    fn name_matches(&mut self, pattern: &Pattern, name: &str) -> Result<bool, Spent> {
        self.budget.spend(pattern.cost(name))?;
        Ok(pattern.matches(name))
    }

    /// The name of a property as a value; its fault is one of the object.
    fn property_name(&mut self, id: NodeId, name: &str, place: &Place<'_>) -> Result<(), Fail> {
        let value = Value::from(name);
        self.apply(id, &value, &Place::Root).or_else(|fail| match fail {
            Fail::Fault(inner) => self.fail(place, || format!("the property name {} {}", quoted(name), inner.fault)),
            other => Err(other),
        })
    }
}
