//! §5.2 Sets of characters for patterns, as ECMA-262 defines them.

/// A set of characters as ranges, in no order.
#[derive(Debug, Default)]
pub(super) struct CharSet(Vec<(char, char)>);

impl CharSet {
    /// `\d`.
    pub(super) fn digits() -> CharSet {
        CharSet(vec![('0', '9')])
    }

    /// `\w`, without case folding.
    pub(super) fn word() -> CharSet {
        CharSet(vec![('0', '9'), ('A', 'Z'), ('_', '_'), ('a', 'z')])
    }

    /// `\s`: WhiteSpace and LineTerminator, that is the listed controls, U+FEFF and the category Zs.
    pub(super) fn space() -> CharSet {
        CharSet(vec![
            ('\t', '\r'),
            (' ', ' '),
            ('\u{a0}', '\u{a0}'),
            ('\u{1680}', '\u{1680}'),
            ('\u{2000}', '\u{200a}'),
            ('\u{2028}', '\u{2029}'),
            ('\u{202f}', '\u{202f}'),
            ('\u{205f}', '\u{205f}'),
            ('\u{3000}', '\u{3000}'),
            ('\u{feff}', '\u{feff}'),
        ])
    }

    /// LineTerminator: what `.` does not match.
    pub(super) fn line_ends() -> CharSet {
        CharSet(vec![('\n', '\n'), ('\r', '\r'), ('\u{2028}', '\u{2029}')])
    }

    pub(super) fn add(&mut self, low: char, high: char) {
        self.0.push((low, high));
    }

    pub(super) fn add_all(&mut self, other: &CharSet) {
        self.0.extend_from_slice(&other.0);
    }

    /// Every character that is not in the set. Surrogates are no characters and are in neither.
    pub(super) fn inverse(mut self) -> CharSet {
        self.0.sort_unstable();
        let mut gaps = Vec::new();
        let mut next = Some('\0');
        for (low, high) in self.0 {
            let Some(start) = next else { break };
            if let Some(before) = before(low).filter(|before| *before >= start) {
                gaps.push((start, before));
            }
            next = after(high).map(|after| after.max(start));
        }
        gaps.extend(next.map(|start| (start, char::MAX)));
        CharSet(gaps)
    }

    /// Writes the set as a class of regex-lite and returns its weight.
    pub(super) fn write(&self, out: &mut String) -> u64 {
        if self.0.is_empty() {
            // A place that is a word boundary and is not: matches nothing.
            out.push_str("(?:\\b\\B)");
            return 1;
        }
        out.push('[');
        for (low, high) in &self.0 {
            out.push_str(&format!("\\x{{{:X}}}-\\x{{{:X}}}", u32::from(*low), u32::from(*high)));
        }
        out.push(']');
        u64::try_from(self.0.len()).unwrap_or(u64::MAX).saturating_div(4).saturating_add(1)
    }
}

fn before(letter: char) -> Option<char> {
    match letter {
        '\u{e000}' => Some('\u{d7ff}'),
        other => char::from_u32(u32::from(other).checked_sub(1)?),
    }
}

fn after(letter: char) -> Option<char> {
    match letter {
        '\u{d7ff}' => Some('\u{e000}'),
        other => char::from_u32(u32::from(other).checked_add(1)?),
    }
}
