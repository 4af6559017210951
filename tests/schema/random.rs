//! Random schemas: the laws, and a second opinion.

use plain_mcp::schema::Schema;
use serde_json::{Value, json};

/// A small generator of numbers, so that a failure can be repeated.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % sides
    }

    fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        let index = usize::try_from(self.roll(from.len() as u64)).unwrap();
        from[index].clone()
    }

    fn value(&mut self, depth: u64) -> Value {
        let scalars = [
            json!(null),
            json!(true),
            json!(0),
            json!(1),
            json!(1.0),
            json!(-2.5),
            json!(3),
            json!("a"),
            json!("éb"),
            json!(""),
        ];
        match self.roll(if depth == 0 { 4 } else { 8 }) {
            0..4 => self.pick(&scalars),
            4..6 => (0..self.roll(4)).map(|_| self.value(depth - 1)).collect(),
            _ => {
                let names = ["a", "b", "éb"];
                Value::Object(
                    (0..self.roll(4)).map(|_| (self.pick(&names).to_owned(), self.value(depth - 1))).collect(),
                )
            }
        }
    }

    fn schema(&mut self, depth: u64) -> Value {
        if depth == 0 || self.roll(8) == 0 {
            return self.pick(&[
                json!(true),
                json!(false),
                json!({}),
                json!({"type": "string"}),
                json!({"$ref": "#/$defs/a"}),
            ]);
        }
        let names = [json!(["a"]), json!(["a", "b"]), json!([])];
        let mut object = serde_json::Map::new();
        for _ in 0..=self.roll(3) {
            let inner = |dice: &mut Dice| dice.schema(depth - 1);
            let (keyword, value) = match self.roll(30) {
                0 => (
                    "type",
                    self.pick(&[json!("integer"), json!("object"), json!("array"), json!(["string", "number"])]),
                ),
                1 => ("enum", json!([self.value(1), self.value(2)])),
                2 => ("const", self.value(2)),
                3 => ("minimum", self.pick(&[json!(0), json!(-2.5), json!(1.0)])),
                4 => ("exclusiveMaximum", self.pick(&[json!(1), json!(2.5)])),
                5 => ("multipleOf", self.pick(&[json!(2), json!(0.5), json!(1.0)])),
                6 => ("minLength", json!(self.roll(3))),
                7 => ("maxLength", json!(self.roll(3))),
                8 => ("pattern", self.pick(&[json!("^a"), json!("b$"), json!("^.?$"), json!("[^\\w]")])),
                9 => ("minItems", json!(self.roll(3))),
                10 => ("maxItems", json!(self.roll(4))),
                11 => ("uniqueItems", json!(true)),
                12 => ("prefixItems", json!([inner(self), inner(self)])),
                13 | 14 => ("items", inner(self)),
                15 => ("contains", inner(self)),
                16 => ("minContains", json!(self.roll(3))),
                17 => ("maxContains", json!(self.roll(3))),
                18 => ("required", self.pick(&names)),
                19 => ("minProperties", json!(self.roll(3))),
                20 => ("dependentRequired", json!({"a": self.pick(&names)})),
                21 => ("propertyNames", inner(self)),
                22 => ("properties", json!({"a": inner(self), "b": inner(self)})),
                23 => ("patternProperties", json!({"b": inner(self), "^a$": inner(self)})),
                24 => ("additionalProperties", inner(self)),
                25 => ("dependentSchemas", json!({"b": inner(self)})),
                26 => (self.pick(&["allOf", "anyOf", "oneOf"]), json!([inner(self), inner(self)])),
                27 => ("not", inner(self)),
                28 => ("if", inner(self)),
                _ => (self.pick(&["then", "else"]), inner(self)),
            };
            object.insert(keyword.to_owned(), value);
        }
        Value::Object(object)
    }

    fn document(&mut self) -> Value {
        json!({"$defs": {"a": {"type": ["integer", "object"], "properties": {"a": {"$ref": "#"}}}}, "allOf": [self.schema(4)]})
    }
}

/// Laws that need no second opinion: a schema never disagrees with its own negation, and reports repeat.
#[test]
fn random_schemas_keep_the_laws() {
    let mut dice = Dice(0x2026_0728);
    let (mut valid, mut invalid) = (0, 0);
    for _ in 0..2_000 {
        let document = dice.document();
        let schema = Schema::compile(&document).unwrap_or_else(|refused| panic!("{refused}: {document}"));
        let negated = json!({"$defs": {"x": {"$id": "x", "$defs": document["$defs"], "allOf": document["allOf"]}}, "not": {"$ref": "x"}});
        let negated = Schema::compile(&negated).unwrap_or_else(|refused| panic!("{refused}: {document}"));
        for _ in 0..8 {
            let value = dice.value(3);
            let verdict = schema.check(&value);
            assert_eq!(verdict, schema.check(&value), "{value} against {document}");
            assert_ne!(verdict.is_ok(), negated.check(&value).is_ok(), "{value} against {document}");
            if verdict.is_ok() { valid += 1 } else { invalid += 1 }
        }
    }
    assert!(valid > 1_000 && invalid > 1_000, "{valid} valid, {invalid} invalid: the dice are loaded");
}

/// A second opinion: the package and our checker agree wherever ours takes the schema.
#[cfg(feature = "jsonschema")]
#[test]
fn random_schemas_get_the_same_answer_from_the_package() {
    let mut dice = Dice(0x0728_2026);
    for _ in 0..3_000 {
        let document = dice.document();
        let ours = Schema::compile(&document).unwrap();
        let theirs =
            jsonschema::options().offline().build(&document).unwrap_or_else(|error| panic!("{error}: {document}"));
        for _ in 0..8 {
            let value = dice.value(3);
            let verdict = ours.check(&value);
            assert_eq!(verdict.is_ok(), theirs.is_valid(&value), "{value} against {document}: {verdict:?}");
        }
    }
}
