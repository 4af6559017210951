//! §17 §18 The runner's own requirement set: which scenarios a revision is scored on.
//! Law: pure; the shape of what is read is fixed by the pinned runner: of YAML, only what it writes.

/// How a scenario counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Required by the revision.
    Scored,
    /// Run and reported only, for the reason given.
    Unscored(String),
    /// In the results, but not in the requirement set.
    Extra,
}

/// The scenarios of one leg, scored ones first, each in the file's order.
///
/// # Errors
/// The leg has no scored scenario, or an entry is incomplete: the file is not what the pinned runner ships.
pub(crate) fn scenarios(yaml: &str, leg: &str) -> Result<Vec<(String, Kind)>, String> {
    let (mut scored, mut unscored) = (Vec::new(), Vec::new());
    let mut list = "";
    for line in yaml.lines().map(str::trim_end) {
        let text = line.trim_start();
        if text.is_empty() || text.starts_with('#') {
            continue;
        }
        if line.len() == text.len() {
            list = text.strip_suffix(':').unwrap_or_default();
        } else if list == "not_scored" {
            note(text, &mut unscored);
        } else if list == leg {
            scored.extend(text.strip_prefix("- ").map(|name| (name.trim().to_owned(), Kind::Scored)));
        }
    }
    if scored.is_empty() {
        return Err(format!("the requirement set scores nothing on the {leg} leg"));
    }
    for entry in unscored {
        match entry {
            Entry { scenario, leg: Some(of), reason: Some(reason) } if of == leg => {
                scored.push((scenario, Kind::Unscored(reason)));
            }
            Entry { leg: Some(_), reason: Some(_), .. } => {}
            Entry { scenario, .. } => return Err(format!("the requirement set gives {scenario} no leg or no reason")),
        }
    }
    Ok(scored)
}

/// The scenarios in what the runner's `list` prints, `  - name [revisions]`, all scored; `None` where there is none.
pub(crate) fn listed(lines: &[String]) -> Option<Vec<(String, Kind)>> {
    let names = lines.iter().filter_map(|line| line.trim().strip_prefix("- ")?.split(' ').next());
    let scenarios: Vec<(String, Kind)> = names.map(|name| (name.to_owned(), Kind::Scored)).collect();
    Some(scenarios).filter(|scenarios| !scenarios.is_empty())
}

/// An entry of `not_scored`, as far as read.
struct Entry {
    scenario: String,
    leg: Option<String>,
    reason: Option<String>,
}

/// One line inside `not_scored`; notes and their continuations are passed over.
fn note(text: &str, entries: &mut Vec<Entry>) {
    let Some((key, value)) = text.split_once(": ").map(|(key, value)| (key, value.trim().to_owned())) else { return };
    if key == "- scenario" {
        entries.push(Entry { scenario: value, leg: None, reason: None });
    } else if let Some(entry) = entries.last_mut() {
        match key {
            "leg" => entry.leg = Some(value),
            "reason" => entry.reason = Some(value),
            _ => {}
        }
    }
}
