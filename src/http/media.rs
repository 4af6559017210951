//! §13.2 Steps 4 and 5: Content-Type and Accept.
//! Law: types compare without regard to case; parameters do not count, save the weight `q`.

use crate::arrival::RequestHead;

const JSON: &str = "application/json";
const EVENTS: &str = "text/event-stream";

/// Step 4: one Content-Type, and it is JSON.
pub(crate) fn is_json(head: &RequestHead) -> bool {
    let essence = head.one("content-type").and_then(|value| value.split(';').next());
    essence.is_some_and(|essence| trim(essence).eq_ignore_ascii_case(JSON))
}

/// Step 5: the media ranges of all Accept lines together cover both types in which an answer may come (D5).
// req 13.2-10, C-10
pub(crate) fn accepts_both(head: &RequestHead) -> bool {
    let lines = head.all("accept").filter_map(|line| std::str::from_utf8(line).ok());
    let ranges: Vec<Range<'_>> = lines.flat_map(|line| outside_quotes(line, ',')).filter_map(Range::read).collect();
    covers(&ranges, JSON) && covers(&ranges, EVENTS)
}

/// One media range.
struct Range<'a> {
    /// `type/subtype`, either of which may be `*`.
    pattern: &'a str,
    /// Whether its weight is above zero.
    wanted: bool,
}

impl<'a> Range<'a> {
    /// `None` for an empty member of the list, and for a range whose weight is no number from 0 to 1.
    fn read(text: &'a str) -> Option<Range<'a>> {
        let mut parts = outside_quotes(text, ';').map(trim);
        let pattern = parts.next().filter(|pattern| !pattern.is_empty())?;
        let weight = parts.find_map(|part| {
            let (name, value) = part.split_once('=')?;
            trim(name).eq_ignore_ascii_case("q").then(|| trim(value))
        });
        let weight: f32 = weight.map_or(Ok(1.0), str::parse).ok()?;
        (0.0..=1.0).contains(&weight).then_some(Range { pattern, wanted: weight > 0.0 })
    }

    /// How closely the range names a type: 3 by its name, 2 by its first half, 1 by `*/*`, 0 not at all.
    fn closeness(&self, media_type: &str) -> u8 {
        if self.pattern.eq_ignore_ascii_case(media_type) {
            return 3;
        }
        let half = media_type.split_once('/').map_or("", |(half, _)| half);
        match self.pattern.strip_suffix("/*") {
            Some("*") => 1,
            Some(kind) if kind.eq_ignore_ascii_case(half) => 2,
            _ => 0,
        }
    }
}

/// RFC 9110 §12.5.1: the range that names the type most closely decides.
fn covers(ranges: &[Range<'_>], media_type: &str) -> bool {
    let (mut closest, mut wanted) = (1, false);
    for range in ranges {
        let closeness = range.closeness(media_type);
        if closeness > closest {
            (closest, wanted) = (closeness, range.wanted);
        } else if closeness == closest {
            wanted |= range.wanted;
        }
    }
    wanted
}

/// Splits at a character, save inside quoted strings.
fn outside_quotes(text: &str, separator: char) -> impl Iterator<Item = &str> {
    let (mut quoted, mut escaped) = (false, false);
    text.split(move |character| {
        let at = !quoted && character == separator;
        match character {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            _ => {}
        }
        at
    })
}

fn trim(text: &str) -> &str {
    text.trim_matches([' ', '\t'])
}
