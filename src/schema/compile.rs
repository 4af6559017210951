//! §5.1 Compiles a schema document to a program of rules, once, when a tool is registered.
//! Law: a schema that is malformed, or that the checker cannot honour to the letter, is refused here.

use serde_json::Value;

use super::keywords::{KEYWORDS, check_dialect};
use super::report::Unsupported;
use super::rule::{Node, NodeId, Program, Rule};
use super::site::{Refusal, Site};
use super::survey::Survey;

/// Compiles the document. A mistake of the author is reported before something that this checker lacks.
pub(super) fn compile(document: &Value) -> Result<Program, Unsupported> {
    // Another dialect has other rules: nothing else in the document may be judged by those of 2020-12.
    if let Some(Err(refusal)) = document.get("$schema").map(check_dialect) {
        return Err(match refusal {
            Refusal::Malformed(reason) => Unsupported::malformed("/$schema".to_owned(), reason),
            Refusal::Lacking(reason) => Unsupported::lacking("/$schema".to_owned(), reason),
        });
    }
    let mut survey = Survey::of(document)?;
    let mut nodes = Vec::with_capacity(survey.locations.len());
    for number in 0..survey.locations.len() {
        nodes.push(node(&mut survey, NodeId(number))?);
    }
    let program = Program::new(nodes);
    if let Some(id) = endless(&program) {
        return Err(Unsupported::malformed(survey.pointer(id), "leads back to itself without end"));
    }
    survey.lacking.map_or(Ok(program), Err)
}

fn node(survey: &mut Survey<'_>, id: NodeId) -> Result<Node, Unsupported> {
    let value = survey.locations.get(id.0).map(|location| location.value);
    let object = match value {
        Some(Value::Object(object)) => object,
        Some(Value::Bool(flag)) => return Ok(Node::Always(*flag)),
        // The survey lets nothing else through.
        _ => return Ok(Node::Always(false)),
    };
    let mut rules = Vec::new();
    for row in &KEYWORDS {
        let Some(value) = object.get(row.name) else { continue };
        let target = survey.targets.get(&id).copied();
        let site = Site { keyword: row.name, value, object, index: &survey.index, target };
        match (row.compile)(&site) {
            Ok(rule) => rules.extend(rule),
            // req 5.2-17
            Err(Refusal::Malformed(reason)) => return survey.malformed(id, row.name, reason),
            Err(Refusal::Lacking(reason)) => survey.lacks(id, row.name, reason),
        }
    }
    Ok(Node::Rules(rules))
}

/// A subschema that is applied again to the value it stands on, if there is one: such a schema never comes to an end.
fn endless(program: &Program) -> Option<NodeId> {
    #[derive(Clone, Copy, PartialEq)]
    enum Mark {
        New,
        Open,
        Done,
    }
    let in_place = |id| match program.node(id) {
        Some(Node::Rules(rules)) => rules.iter().flat_map(Rule::in_place).collect::<Vec<NodeId>>(),
        _ => Vec::new(),
    };
    let mut marks: Vec<Mark> = program.ids().map(|_| Mark::New).collect();
    for start in program.ids() {
        if marks.get(start.0) != Some(&Mark::New) {
            continue;
        }
        // Depth first with a stack of our own: each entry is a node and those it leads to that are still to be seen.
        let mut path = vec![(start, in_place(start))];
        if let Some(mark) = marks.get_mut(start.0) {
            *mark = Mark::Open;
        }
        while let Some((here, ahead)) = path.last_mut() {
            let Some(next) = ahead.pop() else {
                if let Some(mark) = marks.get_mut(here.0) {
                    *mark = Mark::Done;
                }
                path.pop();
                continue;
            };
            match marks.get_mut(next.0) {
                Some(Mark::Open) => return Some(next),
                Some(mark @ Mark::New) => {
                    *mark = Mark::Open;
                    path.push((next, in_place(next)));
                }
                Some(Mark::Done) | None => {}
            }
        }
    }
    None
}
