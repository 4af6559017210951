//! The corpora of the fuzz targets, judged again: `fuzz/README.md` says what each target states and how it was run.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::as_conversions)]
#![allow(clippy::string_slice, missing_docs, unreachable_pub)]

#[path = "../fuzz/invariants/lib.rs"]
mod invariants;
#[path = "support/source.rs"]
mod source;

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use invariants::TARGETS;

/// The files of a folder below `fuzz/`, by name.
fn listed(folder: &str) -> Vec<PathBuf> {
    let entries =
        fs::read_dir(source::root().join("fuzz").join(folder)).unwrap_or_else(|error| panic!("{folder}: {error}"));
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

fn names(folder: &str) -> BTreeSet<String> {
    listed(folder).iter().map(|path| path.file_stem().unwrap().to_string_lossy().into_owned()).collect()
}

#[test]
fn every_file_keeps_its_invariant() {
    for (target, check) in TARGETS {
        for path in listed(&format!("corpus/{target}")) {
            println!("{target}: {}", path.display()); // shown where it fails
            check(&fs::read(path).unwrap());
        }
    }
}

#[test]
fn every_target_has_a_corpus_of_small_files() {
    let corpora = names("corpus");
    let known: BTreeSet<String> = TARGETS.iter().map(|(target, _)| (*target).to_owned()).collect();
    if cfg!(feature = "http") {
        assert_eq!(corpora, known);
    }
    assert!(known.is_subset(&corpora));
    for target in &corpora {
        let files = listed(&format!("corpus/{target}"));
        let large = files.iter().filter(|path| path.metadata().unwrap().len() > 2048).count();
        assert!(files.len() >= 10 && large <= 3, "{target}: {} files, {large} of them large", files.len());
    }
}

#[test]
fn every_target_is_built_and_states_its_invariant_in_two_lines() {
    let corpora = names("corpus");
    assert_eq!(names("fuzz_targets"), corpora);
    let manifest = source::read("fuzz/Cargo.toml");
    let readme = source::read("fuzz/README.md");
    for target in &corpora {
        assert!(manifest.contains(&format!("[[bin]]\nname = \"{target}\"\n")), "{target} is not in fuzz/Cargo.toml");
        assert!(readme.contains(&format!("| {target} |")), "{target} is not in fuzz/README.md");
        let text = source::read(&format!("fuzz/invariants/{target}.rs"));
        let top: Vec<&str> = text.lines().take(3).collect();
        assert!(
            top[0].starts_with("//! Invariant: ") && top[1].starts_with("//! ") && top[2].is_empty(),
            "{target}: {top:?}"
        );
    }
}
