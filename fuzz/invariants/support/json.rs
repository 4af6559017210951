//! A second reader of JSON (RFC 8259), which keeps the members of an object as they stand, also those of one name.

use serde_json::{Map, Number, Value};

/// A JSON value as written.
#[derive(Debug)]
pub enum Json {
    Scalar(Value),
    Array(Vec<Json>),
    Object(Vec<(String, Json)>),
}

/// How deep serde_json lets values nest.
const DEPTH: usize = 127;

impl Json {
    /// Reads a whole text; `None` where it is no JSON, nests too deep, or has a number that no double can hold.
    pub fn read(text: &[u8]) -> Option<Json> {
        let text = std::str::from_utf8(text).ok()?;
        let mut reader = Reader { rest: text };
        let value = reader.value(0)?;
        reader.space();
        reader.rest.is_empty().then_some(value)
    }

    /// All values, those inside others among them.
    pub fn count(&self) -> usize {
        match self {
            Json::Scalar(_) => 1,
            Json::Array(items) => 1 + items.iter().map(Json::count).sum::<usize>(),
            Json::Object(members) => 1 + members.iter().map(|(_, value)| value.count()).sum::<usize>(),
        }
    }

    /// Whether some object has two members of one name, or one whose name `odd` finds odd.
    pub fn is_ambiguous(&self, odd: &dyn Fn(&str) -> bool) -> bool {
        match self {
            Json::Scalar(_) => false,
            Json::Array(items) => items.iter().any(|item| item.is_ambiguous(odd)),
            Json::Object(members) => members.iter().enumerate().any(|(at, (name, value))| {
                odd(name) || members[..at].iter().any(|(other, _)| other == name) || value.is_ambiguous(odd)
            }),
        }
    }

    /// The value, in which the last of several members counts.
    pub fn value(&self) -> Value {
        match self {
            Json::Scalar(value) => value.clone(),
            Json::Array(items) => items.iter().map(Json::value).collect(),
            Json::Object(members) => {
                Value::Object(members.iter().map(|(name, value)| (name.clone(), value.value())).collect::<Map<_, _>>())
            }
        }
    }
}

struct Reader<'a> {
    rest: &'a str,
}

impl Reader<'_> {
    fn space(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\t', '\r', '\n']);
    }

    fn take(&mut self, sign: &str) -> bool {
        let rest = self.rest.strip_prefix(sign);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn value(&mut self, depth: usize) -> Option<Json> {
        self.space();
        let constants = [("null", Value::Null), ("true", Value::from(true)), ("false", Value::from(false))];
        for (word, value) in constants {
            if self.take(word) {
                return Some(Json::Scalar(value));
            }
        }
        match self.rest.bytes().next()? {
            b'"' => self.text().map(|text| Json::Scalar(Value::from(text))),
            b'[' | b'{' if depth >= DEPTH => None,
            b'[' => self.list("[", "]", &mut |reader| reader.value(depth + 1)).map(Json::Array),
            b'{' => self.list("{", "}", &mut |reader| reader.member(depth + 1)).map(Json::Object),
            _ => self.number().map(|number| Json::Scalar(Value::Number(number))),
        }
    }

    fn list<T>(&mut self, open: &str, close: &str, item: &mut dyn FnMut(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let mut items = Vec::new();
        self.take(open);
        self.space();
        if self.take(close) {
            return Some(items);
        }
        loop {
            items.push(item(self)?);
            self.space();
            if self.take(close) {
                return Some(items);
            }
            if !self.take(",") {
                return None;
            }
        }
    }

    fn member(&mut self, depth: usize) -> Option<(String, Json)> {
        self.space();
        let name = self.text()?;
        self.space();
        if self.take(":") { Some((name, self.value(depth)?)) } else { None }
    }

    fn text(&mut self) -> Option<String> {
        if !self.take("\"") {
            return None;
        }
        let mut units: Vec<u16> = Vec::new(); // as UTF-16, in which escapes are
        loop {
            let mut characters = self.rest.chars();
            let first = characters.next()?;
            self.rest = characters.as_str();
            match first {
                '"' => return String::from_utf16(&units).ok(),
                '\\' => units.push(self.escape()?),
                '\0'..='\x1f' => return None,
                other => units.extend_from_slice(other.encode_utf16(&mut [0; 2])),
            }
        }
    }

    fn escape(&mut self) -> Option<u16> {
        let mut characters = self.rest.chars();
        let sign = characters.next()?;
        self.rest = characters.as_str();
        let plain = match sign {
            '"' | '\\' | '/' => sign,
            'b' => '\x08',
            'f' => '\x0c',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'u' => {
                let digits =
                    self.rest.get(..4).filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()))?;
                self.rest = &self.rest[4..];
                return u16::from_str_radix(digits, 16).ok();
            }
            _ => return None,
        };
        Some(plain as u16)
    }

    fn digits(&mut self) -> Option<()> {
        let rest = self.rest.trim_start_matches(|digit: char| digit.is_ascii_digit());
        let some = rest.len() < self.rest.len();
        self.rest = rest;
        some.then_some(())
    }

    fn number(&mut self) -> Option<Number> {
        let text = self.rest;
        self.take("-");
        if !self.take("0") {
            self.digits()?;
        }
        let mut whole = true;
        if self.take(".") {
            self.digits()?;
            whole = false;
        }
        if self.take("e") || self.take("E") {
            let _sign = self.take("+") || self.take("-");
            self.digits()?;
            whole = false;
        }
        let text = &text[..text.len() - self.rest.len()];
        let integer = || text.parse::<u64>().map(Number::from).or_else(|_| text.parse::<i64>().map(Number::from)).ok();
        let integer = if whole && text != "-0" { integer() } else { None };
        integer.or_else(|| Number::from_f64(text.parse().ok()?))
    }
}
