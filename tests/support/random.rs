//! Pseudo-random numbers from a seed (splitmix64), so that a failing run can be repeated.
#![allow(dead_code)]

pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    /// One of the items.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }

    /// Up to `most` of these pieces, one after the other.
    pub fn text(&mut self, pieces: &[&str], most: usize) -> String {
        (0..self.below(most + 1)).map(|_| *self.pick(pieces)).collect()
    }

    /// One byte of `text` taken out, put in, or changed; or the text cut short.
    pub fn spoil(&mut self, text: &str) -> String {
        let mut bytes = text.as_bytes().to_vec();
        let place = self.below(bytes.len().max(1));
        let byte = 0x20 + self.below(0x5F) as u8;
        match self.below(4) {
            0 if !bytes.is_empty() => drop(bytes.remove(place)),
            1 if !bytes.is_empty() => bytes[place] = byte,
            2 => bytes.truncate(place),
            _ => bytes.insert(place.min(bytes.len()), byte),
        }
        String::from_utf8_lossy(&bytes).into_owned()
    }
}
