//! A second reader of base64 (RFC 4648): no digit outside the alphabet, no bit set that is not needed, the padding as it must be.

/// The last two digits of an alphabet, and whether it pads.
#[derive(Clone, Copy)]
pub struct Alphabet(u8, u8, bool);

pub const STANDARD: Alphabet = Alphabet(b'+', b'/', true);
pub const URL: Alphabet = Alphabet(b'-', b'_', false);

pub fn read(text: &str, Alphabet(plus, slash, pads): Alphabet) -> Option<Vec<u8>> {
    let bare = if pads { text.trim_end_matches('=') } else { text };
    let padding = (4 - bare.len() % 4) % 4;
    if padding == 3 || (pads && text.len() - bare.len() != padding) {
        return None;
    }
    let digits = bare.bytes().map(|byte| match byte {
        b'A'..=b'Z' => Some(u32::from(byte - b'A')),
        b'a'..=b'z' => Some(u32::from(byte - b'a') + 26),
        b'0'..=b'9' => Some(u32::from(byte - b'0') + 52),
        _ if byte == plus => Some(62),
        _ if byte == slash => Some(63),
        _ => None,
    });
    let mut bytes = Vec::new();
    for four in digits.collect::<Option<Vec<u32>>>()?.chunks(4) {
        let bits = four.iter().fold(0, |bits, digit| bits << 6 | digit) << (6 * (4 - four.len()));
        let bits = bits.to_be_bytes();
        let (kept, dropped) = bits[1..].split_at(four.len() - 1);
        if dropped.iter().any(|byte| *byte != 0) {
            return None;
        }
        bytes.extend_from_slice(kept);
    }
    Some(bytes)
}
