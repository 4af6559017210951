//! §5.2 A compiled schema: numbered nodes, each with the rules of its keywords.

use serde_json::Value;

use super::number::Num;
use super::pattern::Pattern;

/// The number of a subschema in its [`Program`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct NodeId(pub(super) usize);

impl NodeId {
    pub(super) const ROOT: NodeId = NodeId(0);
}

/// All nodes of one schema document, the root first.
#[derive(Debug)]
pub(super) struct Program(Vec<Node>);

impl Program {
    pub(super) fn new(nodes: Vec<Node>) -> Program {
        Program(nodes)
    }

    pub(super) fn node(&self, id: NodeId) -> Option<&Node> {
        self.0.get(id.0)
    }

    pub(super) fn ids(&self) -> impl Iterator<Item = NodeId> {
        (0..self.0.len()).map(NodeId)
    }
}

/// One subschema.
#[derive(Debug)]
pub(super) enum Node {
    /// `true` or `false`.
    Always(bool),
    /// Every rule must hold, in this order.
    Rules(Vec<Rule>),
}

/// What one keyword asks, together with the neighbours that it depends on.
#[derive(Debug)]
pub(super) enum Rule {
    Type(Vec<Type>),
    Enum(Vec<Value>),
    Const(Value),
    /// `minimum`, `maximum` and the exclusive two.
    Limit {
        side: Side,
        limit: Num,
        shown: String,
    },
    MultipleOf {
        divisor: Num,
        shown: String,
    },
    MinLength(u64),
    MaxLength(u64),
    Pattern(Pattern),
    MinItems(u64),
    MaxItems(u64),
    UniqueItems,
    PrefixItems(Vec<NodeId>),
    /// `items`: every item after the first `skip`.
    Items {
        skip: usize,
        each: NodeId,
    },
    Contains {
        item: NodeId,
        least: u64,
        most: Option<u64>,
    },
    Required(Vec<String>),
    MinProperties(u64),
    MaxProperties(u64),
    DependentRequired(Vec<(String, Vec<String>)>),
    PropertyNames(NodeId),
    Properties(Vec<(String, NodeId)>),
    PatternProperties(Vec<(Pattern, NodeId)>),
    /// `additionalProperties`: every property that is neither named nor matched.
    Additional {
        named: Vec<String>,
        matched: Vec<Pattern>,
        each: NodeId,
    },
    DependentSchemas(Vec<(String, NodeId)>),
    /// Several rules from one keyword.
    Every(Vec<Rule>),
    Ref(NodeId),
    AllOf(Vec<NodeId>),
    AnyOf(Vec<NodeId>),
    OneOf(Vec<NodeId>),
    Not(NodeId),
    If {
        test: NodeId,
        then: Option<NodeId>,
        other: Option<NodeId>,
    },
}

impl Rule {
    /// The subschemas that this rule applies to the very value it stands on.
    pub(super) fn in_place(&self) -> Vec<NodeId> {
        match self {
            Rule::Ref(id) | Rule::Not(id) => vec![*id],
            Rule::AllOf(ids) | Rule::AnyOf(ids) | Rule::OneOf(ids) => ids.clone(),
            Rule::If { test, then, other } => [Some(*test), *then, *other].into_iter().flatten().collect(),
            Rule::Every(rules) => rules.iter().flat_map(Rule::in_place).collect(),
            Rule::DependentSchemas(rows) => rows.iter().map(|(_, id)| *id).collect(),
            _ => Vec::new(),
        }
    }
}

/// The values of `type`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Type {
    Null,
    Boolean,
    Integer,
    Number,
    String,
    Array,
    Object,
}

impl Type {
    pub(super) const ALL: [Type; 7] =
        [Type::Null, Type::Boolean, Type::Integer, Type::Number, Type::String, Type::Array, Type::Object];

    pub(super) fn name(self) -> &'static str {
        match self {
            Type::Null => "null",
            Type::Boolean => "boolean",
            Type::Integer => "integer",
            Type::Number => "number",
            Type::String => "string",
            Type::Array => "array",
            Type::Object => "object",
        }
    }

    /// Whether a value is of this type; `1.0` is an integer.
    pub(super) fn fits(self, value: &Value) -> bool {
        match (self, value) {
            (Type::Null, Value::Null)
            | (Type::Boolean, Value::Bool(_))
            | (Type::Number, Value::Number(_))
            | (Type::String, Value::String(_))
            | (Type::Array, Value::Array(_))
            | (Type::Object, Value::Object(_)) => true,
            (Type::Integer, Value::Number(number)) => Num::of(number).is_integer(),
            _ => false,
        }
    }
}

/// Which side of a limit a number must be on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    AtLeast,
    MoreThan,
    AtMost,
    LessThan,
}
