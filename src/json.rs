//! §1 JSON text (RFC 8259), read into a value.
//! Law: what is read here is what serde_json would read, and the value is the same, bit by bit.
//! Law: depth is bounded, and values are counted as they come: a text costs no more than what was read of it.

use serde_json::{Map, Number, Value};

/// So many arrays and objects may lie in each other: as many as serde_json takes.
const DEPTH: usize = 127;

/// serde_json keeps names that begin so for itself: asked for a `Value`, it takes an object with such a member for the JSON text
/// that the member holds. A handler would be given what no schema has seen.
const PRIVATE: &str = "$serde_json::private::";

/// What a text holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Document {
    /// Its value. Of members of one name the last one counts.
    pub value: Value,
    /// Another reader could see another value: an object has two members of one name, or a name that serde_json keeps for itself.
    pub ambiguous: bool,
    /// The outermost object has more than one member `id`.
    pub id_repeated: bool,
}

/// Why a text is not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flaw {
    /// It is not JSON in UTF-8, or lies too deep.
    NotJson,
    /// It holds more values than were allowed.
    TooManyValues,
}

/// Reads a text of one value, which holds at most so many values in all.
pub fn read(text: &[u8], values: usize) -> Result<Document, Flaw> {
    let mut reader = Reader { rest: text, depth: 0, left: values, ambiguous: false, id_repeated: false };
    let value = reader.value()?;
    reader.space();
    if !reader.rest.is_empty() {
        return Err(Flaw::NotJson);
    }
    Ok(Document { value, ambiguous: reader.ambiguous, id_repeated: reader.id_repeated })
}

struct Reader<'a> {
    /// What has not been read yet.
    rest: &'a [u8],
    /// So many arrays and objects are open.
    depth: usize,
    /// So many values may still come.
    left: usize,
    ambiguous: bool,
    id_repeated: bool,
}

impl Reader<'_> {
    fn space(&mut self) {
        while let [b' ' | b'\t' | b'\n' | b'\r', rest @ ..] = self.rest {
            self.rest = rest;
        }
    }

    /// Takes this byte if it comes next.
    fn take(&mut self, byte: u8) -> bool {
        match self.rest {
            [first, rest @ ..] if *first == byte => {
                self.rest = rest;
                true
            }
            _ => false,
        }
    }

    /// Takes this byte, which has to come next.
    fn expect(&mut self, byte: u8) -> Result<(), Flaw> {
        if self.take(byte) { Ok(()) } else { Err(Flaw::NotJson) }
    }

    /// Takes a word that stands for a value.
    fn word(&mut self, word: &str, value: Value) -> Result<Value, Flaw> {
        self.rest = self.rest.strip_prefix(word.as_bytes()).ok_or(Flaw::NotJson)?;
        Ok(value)
    }

    fn value(&mut self) -> Result<Value, Flaw> {
        self.space();
        self.left = self.left.checked_sub(1).ok_or(Flaw::TooManyValues)?;
        match self.rest.first() {
            Some(b'"') => self.string().map(Value::String),
            Some(b'{') => self.nested(Self::object),
            Some(b'[') => self.nested(Self::array),
            Some(b't') => self.word("true", Value::Bool(true)),
            Some(b'f') => self.word("false", Value::Bool(false)),
            Some(b'n') => self.word("null", Value::Null),
            _ => self.number(),
        }
    }

    /// One step deeper.
    fn nested(&mut self, read: fn(&mut Self) -> Result<Value, Flaw>) -> Result<Value, Flaw> {
        if self.depth == DEPTH {
            return Err(Flaw::NotJson);
        }
        self.depth += 1;
        let value = read(self)?;
        self.depth -= 1;
        Ok(value)
    }

    fn array(&mut self) -> Result<Value, Flaw> {
        let mut items = Vec::new();
        self.expect(b'[')?;
        self.space();
        if self.take(b']') {
            return Ok(Value::Array(items));
        }
        loop {
            items.push(self.value()?);
            self.space();
            if self.take(b']') {
                return Ok(Value::Array(items));
            }
            self.expect(b',')?;
        }
    }

    fn object(&mut self) -> Result<Value, Flaw> {
        let mut members = Map::new();
        self.expect(b'{')?;
        self.space();
        if self.take(b'}') {
            return Ok(Value::Object(members));
        }
        loop {
            self.space();
            let name = self.string()?;
            self.space();
            self.expect(b':')?;
            let value = self.value()?;
            self.ambiguous |= name.starts_with(PRIVATE);
            let id = self.depth == 1 && name == "id";
            if members.insert(name, value).is_some() {
                self.ambiguous = true;
                self.id_repeated |= id;
            }
            self.space();
            if self.take(b'}') {
                return Ok(Value::Object(members));
            }
            self.expect(b',')?;
        }
    }

    /// What a number is worth, and whether it is one, is for serde_json to say: none of these bytes may follow a number.
    fn number(&mut self) -> Result<Value, Flaw> {
        let of_number = |byte: &&u8| matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E');
        let length = self.rest.iter().take_while(of_number).count();
        let (number, rest) = self.rest.split_at_checked(length).ok_or(Flaw::NotJson)?;
        self.rest = rest;
        let number = std::str::from_utf8(number).ok().and_then(|number| number.parse::<Number>().ok());
        number.map(Value::Number).ok_or(Flaw::NotJson)
    }

    fn string(&mut self) -> Result<String, Flaw> {
        self.expect(b'"')?;
        let (plain, rest) = self.rest.split_at_checked(plain(self.rest)).ok_or(Flaw::NotJson)?;
        self.rest = rest;
        let mut text = plain.to_vec();
        if !self.take(b'"') {
            self.unescape(&mut text)?;
        }
        String::from_utf8(text).map_err(|_| Flaw::NotJson)
    }

    /// Reads on to the closing quote. What is read goes by way of a block of fixed length: eight bytes are put there in one step,
    /// whatever of them counts, and the vector is asked for room once in many steps.
    fn unescape(&mut self, text: &mut Vec<u8>) -> Result<(), Flaw> {
        let mut block = [0; 256];
        let mut ready = 0;
        let mut rest = self.rest;
        loop {
            if ready > block.len() - 16 {
                text.extend_from_slice(block.get(..ready).unwrap_or_default());
                ready = 0;
            }
            let next = eight(rest);
            put(&mut block, ready, next);
            let special = special(next);
            if special == 0 {
                ready += 8;
                rest = rest.get(8..).ok_or(Flaw::NotJson)?;
                continue;
            }
            let plain = first(special);
            ready += plain;
            match rest.get(plain..).ok_or(Flaw::NotJson)? {
                [b'\\', b'u', after @ ..] => {
                    self.rest = after;
                    let mut bytes = [0; 8];
                    let length = self.unicode()?.encode_utf8(&mut bytes).len();
                    put(&mut block, ready, bytes);
                    ready += length;
                    rest = self.rest;
                }
                [b'\\', letter, after @ ..] => {
                    put(&mut block, ready, [short(*letter).ok_or(Flaw::NotJson)?]);
                    ready += 1;
                    rest = after;
                }
                [b'"', after @ ..] => {
                    self.rest = after;
                    text.extend_from_slice(block.get(..ready).unwrap_or_default());
                    return Ok(());
                }
                _ => return Err(Flaw::NotJson), // a control character, or the end
            }
        }
    }

    /// The character of `\u` and what follows it: a surrogate needs its other half.
    fn unicode(&mut self) -> Result<char, Flaw> {
        let first = self.unit()?;
        if let Some(whole) = char::from_u32(u32::from(first)) {
            return Ok(whole);
        }
        self.expect(b'\\')?;
        self.expect(b'u')?;
        let pair = [first, self.unit()?];
        char::decode_utf16(pair).next().and_then(Result::ok).ok_or(Flaw::NotJson)
    }

    /// Four hexadecimal digits.
    fn unit(&mut self) -> Result<u16, Flaw> {
        let (digits, rest) = self.rest.split_first_chunk::<4>().ok_or(Flaw::NotJson)?;
        self.rest = rest;
        let value = digits.iter().try_fold(0, |unit, digit| Some(unit * 16 + char::from(*digit).to_digit(16)?));
        value.and_then(|value| u16::try_from(value).ok()).ok_or(Flaw::NotJson)
    }
}

/// Puts bytes where there is room for them.
fn put<const N: usize>(block: &mut [u8], at: usize, bytes: [u8; N]) {
    if let Some(place) = block.get_mut(at..).and_then(<[u8]>::first_chunk_mut) {
        *place = bytes;
    }
}

/// What the letter of a short escape stands for.
fn short(letter: u8) -> Option<u8> {
    Some(match letter {
        b'"' | b'\\' | b'/' => letter,
        b'b' => 0x08,
        b'f' => 0x0c,
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        _ => return None,
    })
}

/// The first eight bytes; where there are no more there are zeros, which no string holds.
#[inline]
fn eight(bytes: &[u8]) -> [u8; 8] {
    match bytes.first_chunk() {
        Some(first) => *first,
        None => {
            let mut padded = [0; 8];
            padded.iter_mut().zip(bytes).for_each(|(place, byte)| *place = *byte);
            padded
        }
    }
}

/// How many bytes of a string stand for themselves, from its first one on.
fn plain(bytes: &[u8]) -> usize {
    let mut rest = bytes;
    while let Some((next, after)) = rest.split_first_chunk() {
        let special = special(*next);
        if special != 0 {
            return bytes.len() - rest.len() + first(special);
        }
        rest = after;
    }
    bytes.len() - rest.len() + first(special(eight(rest)))
}

/// Marks what does not stand for itself in a string, control characters, `"` and `\`: the highest bit of each such byte is set,
/// all eight at once. A subtraction may borrow from the byte behind such a one, and mark that too; the first mark is right.
#[inline]
fn special(bytes: [u8; 8]) -> u64 {
    const ONES: u64 = u64::from_le_bytes([1; 8]);
    const HIGHEST: u64 = u64::from_le_bytes([0x80; 8]);
    let bytes = u64::from_le_bytes(bytes);
    // with its second bit turned over the quote, 0x22, comes right after the control characters
    let control_or_quote = (bytes ^ (ONES * 0x02)).wrapping_sub(ONES * 0x21);
    let backslash = (bytes ^ (ONES * 0x5c)).wrapping_sub(ONES);
    (control_or_quote | backslash) & !bytes & HIGHEST
}

/// The place of the first mark.
#[inline]
fn first(special: u64) -> usize {
    usize::try_from(special.trailing_zeros() / 8).unwrap_or_default()
}
