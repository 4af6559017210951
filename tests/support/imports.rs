//! Which file of `src/` imports from which: a graph over paths such as `mrtr/state.rs`.
#![allow(dead_code)]

use std::collections::{BTreeMap, BTreeSet};

use crate::source::{self, Token};

/// File to the files that it imports from. The crate root is left out: what it re-exports counts as an import of its origin.
pub type Graph = BTreeMap<String, BTreeSet<String>>;

/// A module path: `["mrtr", "state"]`.
type Module = Vec<String>;

pub fn graph() -> Graph {
    let files = source::files("src", &[".rs"]);
    let modules: BTreeMap<Module, String> = files.iter().map(|file| (module(&file.path), name(&file.path))).collect();
    let reexports = reexports(&modules);
    let mut graph = Graph::new();
    for file in files.iter().filter(|file| name(&file.path) != "lib.rs") {
        let own = module(&file.path);
        let mut targets = BTreeSet::new();
        for path in paths(&source::code(&file.text)) {
            let Some(path) = absolute(&path, &own, &modules) else { continue };
            let path = path.first().and_then(|first| reexports.get(first)).unwrap_or(&path);
            if let Some(target) = resolve(path, &modules) {
                targets.insert(target.clone());
            }
        }
        targets.remove(&name(&file.path));
        graph.insert(name(&file.path), targets);
    }
    graph
}

fn name(path: &str) -> String {
    path.trim_start_matches("src/").to_owned()
}

fn module(path: &str) -> Module {
    let name = name(path);
    let stem = name.trim_end_matches(".rs").trim_end_matches("/mod");
    if stem == "lib" { Vec::new() } else { stem.split('/').map(str::to_owned).collect() }
}

/// What `lib.rs` re-exports: the name, and the module path that it comes from.
fn reexports(modules: &BTreeMap<Module, String>) -> BTreeMap<String, Module> {
    let tokens = source::code(&source::read("src/lib.rs"));
    let mut found = BTreeMap::new();
    for at in (0..tokens.len()).filter(|at| source::reads(&tokens, *at, &["pub", "use"])) {
        let mut paths = Vec::new();
        tree(&tokens, at + 2, &[], &mut paths);
        for path in paths {
            let Some(origin) = absolute(&path, &Vec::new(), modules) else { continue };
            if let Some(last) = path.last().filter(|last| !modules.contains_key(&vec![(*last).clone()])) {
                found.insert(last.clone(), origin);
            }
        }
    }
    found
}

/// All paths of a file that may lead to another: those of `use`, and those in the code.
fn paths(tokens: &[Token]) -> Vec<Module> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        if tokens[at].is("use") {
            at = tree(tokens, at + 1, &[], &mut found);
        } else if matches!(tokens[at], Token::Word(_)) && source::reads(tokens, at + 1, &[":", ":"]) {
            let start = at;
            while matches!(tokens[at], Token::Word(_))
                && source::reads(tokens, at + 1, &[":", ":"])
                && at + 3 < tokens.len()
            {
                at += 3;
            }
            let end = if matches!(tokens[at], Token::Word(_)) { at + 1 } else { at };
            found.push(words(&tokens[start..end]));
            at = end.max(start + 1);
        } else {
            at += 1;
        }
    }
    found
}

fn words(tokens: &[Token]) -> Module {
    let words = tokens.iter().filter_map(|token| match token {
        Token::Word(word) => Some(word.clone()),
        _ => None,
    });
    words.collect()
}

/// Reads a tree of `use` from `at` and returns where it ends.
fn tree(tokens: &[Token], mut at: usize, prefix: &[String], found: &mut Vec<Module>) -> usize {
    let mut path = prefix.to_vec();
    while at < tokens.len() {
        match &tokens[at] {
            Token::Word(word) if word == "as" => at += 1,
            Token::Word(word) => path.push(word.clone()),
            Token::Sign('{') => {
                let end = source::closing(tokens, at);
                at += 1;
                while at < end {
                    at = tree(tokens, at, &path, found) + 1;
                }
                return end;
            }
            Token::Sign(':' | '*') => {}
            _ => break,
        }
        at += 1;
    }
    if path.len() > prefix.len() {
        found.push(path);
    }
    at
}

/// The path from the crate root; `None` if it leads into another crate.
fn absolute(path: &[String], own: &Module, modules: &BTreeMap<Module, String>) -> Option<Module> {
    let first = path.first()?;
    let supers = path.iter().take_while(|word| *word == "super").count();
    let (start, rest) = match first.as_str() {
        "crate" => (Vec::new(), &path[1..]),
        "self" => (own.clone(), &path[1..]),
        "super" => (own[..own.len().checked_sub(supers)?].to_vec(), &path[supers..]),
        _ => (own.clone(), path),
    };
    let whole: Module = start.into_iter().chain(rest.iter().cloned()).collect();
    let child = first != "crate" && first != "self" && supers == 0;
    if child && !modules.contains_key(&whole[..own.len() + 1]) { None } else { Some(whole) }
}

/// The file of the longest part of the path that is a module below the root.
fn resolve<'a>(path: &[String], modules: &'a BTreeMap<Module, String>) -> Option<&'a String> {
    (1..=path.len()).rev().find_map(|length| modules.get(&path[..length]))
}

/// The circles of the graph: each a set of files that all import from each other, directly or by others.
pub fn circles(graph: &Graph) -> Vec<BTreeSet<String>> {
    let reach: BTreeMap<&String, BTreeSet<&String>> = graph.keys().map(|file| (file, reachable(graph, file))).collect();
    let mut found: Vec<BTreeSet<String>> = Vec::new();
    for (file, reached) in &reach {
        if reached.contains(file) && !found.iter().any(|circle| circle.contains(*file)) {
            let members = reached.iter().filter(|other| reach.get(*other).is_some_and(|back| back.contains(file)));
            found.push(members.map(|member| (*member).clone()).collect());
        }
    }
    found
}

fn reachable<'a>(graph: &'a Graph, from: &str) -> BTreeSet<&'a String> {
    let mut seen = BTreeSet::new();
    let mut open: Vec<&String> = graph[from].iter().collect();
    while let Some(file) = open.pop() {
        if seen.insert(file) {
            open.extend(graph.get(file).into_iter().flatten());
        }
    }
    seen
}
