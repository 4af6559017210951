//! §5.1 The survey of a schema document: its subschemas, their base URIs and anchors, and where each `$ref` leads.
//! Law: a `$ref` leads to a place in this document or the schema is refused; nothing is ever fetched.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::budget::{MAX_DEPTH, MAX_SCHEMAS};
use super::keywords::{Holds, KEYWORDS};
use super::report::{Unsupported, push_token, quoted};
use super::rule::NodeId;
use super::site::Index;
use super::uri::{resolve, split_fragment, unescape};

/// The base URI of a document that has no `$id`.
const BASE: &str = "schema:///";

/// A subschema and where it lies.
pub(super) struct Location<'a> {
    pub(super) value: &'a Value,
    parent: Option<NodeId>,
    steps: Steps<'a>,
    resource: usize,
    depth: usize,
    /// Reached only because a `$ref` points into a keyword that the dialect does not know.
    hidden: bool,
}

/// The way from the parent subschema to this one.
enum Steps<'a> {
    Root,
    Keyword(&'static str),
    Item(&'static str, usize),
    Member(&'static str, &'a str),
    /// A piece of a JSON pointer.
    Pointer(String),
}

/// A schema with a base URI of its own.
struct Resource<'a> {
    base: String,
    root: &'a Value,
    anchors: BTreeMap<&'a str, NodeId>,
}

/// Everything that has to be known before keywords can be compiled.
pub(super) struct Survey<'a> {
    pub(super) locations: Vec<Location<'a>>,
    pub(super) index: Index,
    /// Where the `$ref` of a subschema leads.
    pub(super) targets: BTreeMap<NodeId, NodeId>,
    /// The first thing that this checker cannot do, though it may be right.
    pub(super) lacking: Option<Unsupported>,
    resources: Vec<Resource<'a>>,
}

impl<'a> Survey<'a> {
    pub(super) fn of(document: &'a Value) -> Result<Survey<'a>, Unsupported> {
        let root = Resource { base: BASE.to_owned(), root: document, anchors: BTreeMap::new() };
        let mut survey = Survey {
            locations: Vec::new(),
            index: Index::new(),
            targets: BTreeMap::new(),
            lacking: None,
            resources: vec![root],
        };
        survey.add(Location {
            value: document,
            parent: None,
            steps: Steps::Root,
            resource: 0,
            depth: 0,
            hidden: false,
        })?;
        survey.walk_from(0)?;
        // Following a `$ref` can reveal further subschemas, with references of their own.
        let mut next = 0;
        while next < survey.locations.len() {
            survey.follow(NodeId(next))?;
            next = next.saturating_add(1);
        }
        Ok(survey)
    }

    /// The JSON pointer of a subschema.
    pub(super) fn pointer(&self, id: NodeId) -> String {
        let mut chain = Vec::new();
        let mut here = self.locations.get(id.0);
        while let Some(location) = here {
            chain.push(&location.steps);
            here = location.parent.and_then(|parent| self.locations.get(parent.0));
        }
        let mut pointer = String::new();
        for steps in chain.into_iter().rev() {
            match steps {
                Steps::Root => {}
                Steps::Keyword(keyword) => push_token(&mut pointer, keyword),
                Steps::Item(keyword, index) => {
                    push_token(&mut pointer, keyword);
                    push_token(&mut pointer, &index.to_string());
                }
                Steps::Member(keyword, name) => {
                    push_token(&mut pointer, keyword);
                    push_token(&mut pointer, name);
                }
                Steps::Pointer(piece) => pointer.push_str(piece),
            }
        }
        pointer
    }

    /// The JSON pointer of a keyword in a subschema.
    pub(super) fn keyword_pointer(&self, id: NodeId, keyword: &str) -> String {
        let mut pointer = self.pointer(id);
        push_token(&mut pointer, keyword);
        pointer
    }

    /// Remembers the first thing that is lacking; the search for mistakes goes on.
    pub(super) fn lacks(&mut self, id: NodeId, keyword: &str, reason: String) {
        if self.lacking.is_none() {
            self.lacking = Some(Unsupported::lacking(self.keyword_pointer(id, keyword), reason));
        }
    }

    pub(super) fn malformed<T>(&self, id: NodeId, keyword: &str, reason: impl Into<String>) -> Result<T, Unsupported> {
        Err(Unsupported::malformed(self.keyword_pointer(id, keyword), reason))
    }

    fn add(&mut self, location: Location<'a>) -> Result<NodeId, Unsupported> {
        let id = NodeId(self.locations.len());
        let (value, depth) = (location.value, location.depth);
        self.index.insert(std::ptr::from_ref(value), id);
        self.locations.push(location);
        if id.0 >= MAX_SCHEMAS {
            return Err(Unsupported::malformed(String::new(), format!("has more than {MAX_SCHEMAS} subschemas")));
        }
        if depth >= MAX_DEPTH {
            return Err(Unsupported::malformed(String::new(), format!("nests more than {MAX_DEPTH} subschemas")));
        }
        if !value.is_object() && !value.is_boolean() {
            return Err(Unsupported::malformed(self.pointer(id), "must be a schema: an object or a boolean"));
        }
        Ok(id)
    }

    /// Reads the identifiers of every location from `next` on and adds its subschemas behind the last.
    fn walk_from(&mut self, mut next: usize) -> Result<(), Unsupported> {
        while let Some(location) = self.locations.get(next) {
            let id = NodeId(next);
            if let Some(object) = location.value.as_object() {
                self.identify(id, object)?;
                for row in &KEYWORDS {
                    if let Some(value) = object.get(row.name) {
                        self.add_children(id, row.name, row.holds, value)?;
                    }
                }
            }
            next = next.saturating_add(1);
        }
        Ok(())
    }

    fn add_children(
        &mut self,
        id: NodeId,
        keyword: &'static str,
        holds: Holds,
        value: &'a Value,
    ) -> Result<(), Unsupported> {
        match (holds, value) {
            (Holds::Nothing, _) => {}
            (Holds::Schema, _) => self.add_child(id, Steps::Keyword(keyword), value)?,
            (Holds::Schemas, Value::Array(items)) => {
                for (index, item) in items.iter().enumerate() {
                    self.add_child(id, Steps::Item(keyword, index), item)?;
                }
            }
            (Holds::Named | Holds::NamedOrNames, Value::Object(map)) => {
                for (name, member) in map {
                    if holds == Holds::Named || !member.is_array() {
                        self.add_child(id, Steps::Member(keyword, name), member)?;
                    }
                }
            }
            // The compile function of the keyword refuses it.
            (Holds::Schemas | Holds::Named | Holds::NamedOrNames, _) => {}
        }
        Ok(())
    }

    fn add_child(&mut self, parent: NodeId, steps: Steps<'a>, value: &'a Value) -> Result<(), Unsupported> {
        // A `$ref` may have led here before, through a keyword that is not known.
        if self.index.contains_key(&std::ptr::from_ref(value)) {
            return Ok(());
        }
        let Some(above) = self.locations.get(parent.0) else { return Ok(()) };
        let (resource, depth, hidden) = (above.resource, above.depth.saturating_add(1), above.hidden);
        self.add(Location { value, parent: Some(parent), steps, resource, depth, hidden }).map(|_| ())
    }

    /// `$id` opens a resource; `$anchor` names this place in its resource.
    fn identify(&mut self, id: NodeId, object: &'a Map<String, Value>) -> Result<(), Unsupported> {
        let hidden = self.locations.get(id.0).is_some_and(|location| location.hidden);
        if let Some(value) = object.get("$id") {
            if hidden {
                return self.malformed(id, "$id", "must not stand where the dialect knows no subschema");
            }
            self.open_resource(id, value)?;
        }
        for keyword in ["$anchor", "$dynamicAnchor"] {
            let Some(value) = object.get(keyword) else { continue };
            let Some(name) = value.as_str().filter(|name| is_anchor(name)) else {
                return self.malformed(id, keyword, "must be a name of letters, digits, '-', '_' and '.'");
            };
            let resource = self.locations.get(id.0).map_or(0, |location| location.resource);
            let resource = self.resources.get_mut(resource).filter(|_| !hidden);
            let earlier = resource.and_then(|resource| resource.anchors.insert(name, id));
            if earlier.is_some_and(|earlier| earlier != id) {
                return self.malformed(id, keyword, format!("the name {} is used twice", quoted(name)));
            }
        }
        Ok(())
    }

    fn open_resource(&mut self, id: NodeId, value: &'a Value) -> Result<(), Unsupported> {
        let Some((reference, None | Some(""))) = value.as_str().map(split_fragment) else {
            return self.malformed(id, "$id", "must be a URI reference without a fragment");
        };
        let Some(location) = self.locations.get(id.0) else { return Ok(()) };
        let base = self.resources.get(location.resource).map_or(BASE, |resource| resource.base.as_str());
        let base = resolve(base, reference);
        let root = location.value;
        if id == NodeId::ROOT {
            if let Some(resource) = self.resources.first_mut() {
                resource.base = base;
            }
            return Ok(());
        }
        if self.resources.iter().any(|resource| resource.base == base) {
            return self.malformed(id, "$id", format!("the URI {} is used twice", quoted(&base)));
        }
        let number = self.resources.len();
        self.resources.push(Resource { base, root, anchors: BTreeMap::new() });
        if let Some(location) = self.locations.get_mut(id.0) {
            location.resource = number;
        }
        Ok(())
    }

    /// req 5.2-16: finds where the `$ref` of a subschema leads; one that leaves the document is refused.
    fn follow(&mut self, id: NodeId) -> Result<(), Unsupported> {
        let Some(location) = self.locations.get(id.0) else { return Ok(()) };
        let Some(value) = location.value.get("$ref") else { return Ok(()) };
        let Some(text) = value.as_str() else {
            return self.malformed(id, "$ref", "must be a string");
        };
        let (reference, fragment) = split_fragment(text);
        let base = self.resources.get(location.resource).map_or(BASE, |resource| resource.base.as_str());
        let uri = resolve(base, reference);
        let Some(resource) = self.resources.iter().find(|resource| resource.base == uri) else {
            let reason = format!("{} is not in this document, and nothing is fetched", quoted(text));
            self.lacks(id, "$ref", reason);
            return Ok(());
        };
        let Some(fragment) = unescape(fragment.unwrap_or_default()) else {
            return self.malformed(id, "$ref", "has a broken percent escape");
        };
        let target = if fragment.is_empty() || fragment.starts_with('/') {
            let root = resource.root;
            self.at_pointer(root, &fragment)?
        } else {
            resource.anchors.get(fragment.as_str()).copied()
        };
        let Some(target) = target else {
            return self.malformed(id, "$ref", format!("{} leads nowhere", quoted(text)));
        };
        self.targets.insert(id, target);
        Ok(())
    }

    /// The subschema at a JSON pointer below `root`. Where the dialect knows none there, the value becomes one.
    fn at_pointer(&mut self, root: &'a Value, pointer: &str) -> Result<Option<NodeId>, Unsupported> {
        let mut value = root;
        let Some(mut above) = self.index.get(&std::ptr::from_ref(root)).copied() else { return Ok(None) };
        let mut beyond = String::new();
        for token in pointer.split('/').skip(1) {
            let Some(inner) = step(value, token) else { return Ok(None) };
            value = inner;
            match self.index.get(&std::ptr::from_ref(value)) {
                Some(id) => {
                    above = *id;
                    beyond.clear();
                }
                None => {
                    beyond.push('/');
                    beyond.push_str(token);
                }
            }
        }
        if beyond.is_empty() {
            return Ok(Some(above));
        }
        let Some(location) = self.locations.get(above.0) else { return Ok(None) };
        let (resource, depth) = (location.resource, location.depth.saturating_add(1));
        let steps = Steps::Pointer(beyond);
        let id = self.add(Location { value, parent: Some(above), steps, resource, depth, hidden: true })?;
        self.walk_from(id.0)?;
        Ok(Some(id))
    }
}

/// One step of a JSON pointer.
fn step<'a>(value: &'a Value, token: &str) -> Option<&'a Value> {
    match value {
        Value::Object(map) => {
            let plain = token.replace("~1", "/").replace("~0", "~");
            let escapes_are_right = !token.replace("~1", "").replace("~0", "").contains('~');
            if escapes_are_right { map.get(&plain) } else { None }
        }
        Value::Array(items) => {
            let is_index = token == "0" || (!token.starts_with('0') && token.bytes().all(|byte| byte.is_ascii_digit()));
            if is_index { items.get(token.parse::<usize>().ok()?) } else { None }
        }
        _ => None,
    }
}

fn is_anchor(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && name.chars().all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '.'))
}
