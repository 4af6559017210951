//! §2 §15 The revisions that a client speaks, as data.

/// A revision, as a client sees it.
#[derive(Debug, PartialEq, Eq)]
pub struct Spoken {
    /// The name of the revision.
    pub version: &'static str,
    /// Whether each request says all of itself in `_meta` (§2); else `initialize` does, once.
    pub stateless: bool,
    /// Whether a client of the initialize era may name the modes of elicitation; else the capability is `{}`.
    pub elicitation_modes: bool,
    /// Whether `Implementation` has a description, icons and a website.
    pub rich_info: bool,
}

/// The revisions in the order in which a client prefers them. The first of each era is what a client proposes.
pub static SPOKEN: [Spoken; 4] = [
    Spoken { version: "2026-07-28", stateless: true, elicitation_modes: true, rich_info: true },
    Spoken { version: "2025-11-25", stateless: false, elicitation_modes: true, rich_info: true },
    Spoken { version: "2025-06-18", stateless: false, elicitation_modes: false, rich_info: false },
    Spoken { version: "2025-03-26", stateless: false, elicitation_modes: false, rich_info: false },
];

impl Spoken {
    /// The revision of this name.
    pub fn named(version: &str) -> Option<&'static Spoken> {
        SPOKEN.iter().find(|spoken| spoken.version == version)
    }

    /// What a client proposes first: to a server of the stateless revision, or in `initialize`.
    pub fn preferred(stateless: bool) -> Option<&'static Spoken> {
        SPOKEN.iter().find(|spoken| spoken.stateless == stateless)
    }

    /// The best revision, of whatever era, that is in the list.
    pub fn best_of<'a>(versions: impl Iterator<Item = &'a str> + Clone) -> Option<&'static Spoken> {
        SPOKEN.iter().find(|spoken| versions.clone().any(|version| version == spoken.version))
    }
}
