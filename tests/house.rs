//! The laws of the house, searched for in the source: `spec-notes/README.md` says what they are for.
//!
//! * Law 1: one section, one module; the first line names it.
//! * Law 2: a text and its code are written once, in a `rules!` table.
//! * Laws 3 and 4: what touches sockets, threads, clocks and sleep has its room; sections have none of them.
//! * Law 5: revision strings stand in `dialect/`.
//! * Law 6: imports run downward, and no two files import each other.
//! * Law 7: nothing that a peer sends can make us panic.
//! * Law 8: no global state, no environment.
//! * Law 10: every queue has a bound.
//!
//! Laws 9 (no lock is held over a call) and 12 (length of files) are habits that no search can judge; law 11 is `tests/trace.rs`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::as_conversions)]
#![allow(clippy::string_slice, missing_docs, unreachable_pub)]

#[path = "support/citations.rs"]
mod citations;
#[path = "support/imports.rs"]
mod imports;
#[path = "support/notes.rs"]
mod notes;
#[path = "support/source.rs"]
mod source;

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use source::{Token, closing, code, reads, report, tokens};

/// Files that may use a word which has its room elsewhere: the words, and the beginnings of the paths.
const ROOMS: &[(&[&str], &[&str])] = &[
    (&["TcpListener", "TcpStream", "UdpSocket", "UnixListener", "UnixStream", "SockRef", "socket2"], SOCKETS),
    (&["httparse"], &["http/wire", "http/host", "client/http"]),
    (&["tiny_http"], &["http/tiny"]),
    (&["ring"], &["crypto.rs", "client/http/tls.rs"]),
    (&["SystemTime"], &["clock.rs"]),
    (&["Instant"], &["clock.rs", "http/host", "http/tiny", "pool.rs", "stdio.rs", "client/", "tasks/"]),
    (&["thread"], &["pool.rs", "http/host", "http/tiny", "stdio.rs", "client/stdio", "client/http", "tasks/"]),
    (&["sleep", "sleep_ms", "park"], &[]),
    (&["fs", "process"], &["client/stdio"]),
    (&["rustls", "webpki_roots"], &["client/http/tls.rs"]),
];
const SOCKETS: &[&str] = &["http/wire", "http/host", "client/http"];

/// Files that stand on another floor than their folder: they are used from below it and use nothing of it.
const LOWER: &[(&str, &str)] =
    &[("methods/uri_template.rs", "uri"), ("subscriptions/filter.rs", "mrtr"), ("subscriptions/hub.rs", "mrtr")];

/// What the default features bring in (HOUSE rule: a feature that adds a package is off by default, save `http`).
const DEFAULT_PACKAGES: &[&str] =
    &["base64", "crossbeam-channel", "httparse", "regex-lite", "ring", "serde", "serde_json", "socket2"];

const DENIED: &[&str] = &["as_conversions", "expect_used", "indexing_slicing", "panic", "string_slice", "unwrap_used"];

fn each_source(mut judge: impl FnMut(&str, &[Token], &mut Vec<String>)) -> Vec<String> {
    let files = source::files("src", &[".rs"]);
    assert!(files.len() > 10, "only {} files were read", files.len());
    let mut faults = Vec::new();
    for file in &files {
        judge(file.path.trim_start_matches("src/"), &code(&file.text), &mut faults);
    }
    faults
}

#[test]
fn law_1_first_lines_name_their_section() {
    let mut faults = Vec::new();
    let mut first_lines = BTreeMap::new();
    for file in source::files("src", &[".rs"]) {
        let first = file.text.lines().next().unwrap_or("").to_owned();
        if !first.starts_with("//! ") {
            faults.push(format!("{}: the first line does not say what the file is", file.path));
        }
        let lines = file.text.lines().count();
        if lines > 400 {
            println!("{}: {lines} lines (habit: about 400)", file.path);
        }
        first_lines.insert(file.path, sections(&first));
    }
    for line in source::read("src/lib.rs").lines().filter(|line| line.starts_with("pub mod ") && line.contains("// §"))
    {
        let name = line["pub mod ".len()..].split(';').next().unwrap();
        let own = [format!("src/{name}.rs"), format!("src/{name}/mod.rs")]
            .into_iter()
            .find_map(|path| first_lines.get(&path));
        let missing = sections(line).into_iter().filter(|section| !own.is_some_and(|own| own.contains(section)));
        faults.extend(missing.map(|section| format!("lib.rs: {name} is §{section}, its first line is not")));
    }
    for rule in citations::rules(&mut Vec::new()) {
        let section = rule.id.split(['.', '-']).next().unwrap();
        if !first_lines[&rule.file].iter().any(|named| named == section) {
            faults.push(format!("{}: {} is of §{section}, which its first line does not name", rule.file, rule.id));
        }
    }
    report("law 1", faults);
}

/// The sections that a line names, without their parts: `§13.4 §15` gives 13 and 15.
fn sections(line: &str) -> Vec<String> {
    line.split('§').skip(1).map(|part| part.chars().take_while(char::is_ascii_digit).collect()).collect()
}

#[test]
fn law_2_texts_are_written_once() {
    let texts: BTreeMap<String, String> = citations::rules(&mut Vec::new())
        .into_iter()
        .filter(|rule| rule.answer.text.len() > 8)
        .map(|rule| (rule.answer.text, rule.file))
        .collect();
    let mut faults = each_source(|path, tokens, faults| {
        for at in 0..tokens.len() {
            let literal = builds(tokens, at, "Fault", &["rule", "code", "message", "data"])
                || builds(tokens, at, "Rule", &["id", "code", "status", "text"]);
            if literal && path != "errors.rs" {
                faults.push(format!("{path}: builds a Fault or a Rule by hand"));
            }
            if reads(tokens, at, &["about", "("])
                && tokens[at..closing(tokens, at + 1)].iter().any(|it| it.is("format"))
            {
                faults.push(format!("{path}: format! within about(…)"));
            }
        }
    });
    for file in source::files("src", &[".rs"]).iter().filter(|file| file.path != "src/errors.rs") {
        for token in code(&file.text) {
            let Token::Text(text) = token else { continue };
            let own = texts.get(&text);
            if own.is_some_and(|own| *own != file.path) {
                faults.push(format!("{}: writes {text:?} again, which is of {}", file.path, own.unwrap()));
            }
        }
    }
    report("law 2", faults);
}

/// Whether a value of `name` is built at `at`: `Fault { rule: …`, and not `-> Fault {`, the opening of a body.
fn builds(tokens: &[Token], at: usize, name: &str, fields: &[&str]) -> bool {
    let first = tokens.get(at + 2);
    let field = first.is_some_and(|token| fields.iter().any(|field| token.is(field)) || token.is("."));
    let value = tokens.get(at + 3).is_some_and(|token| [":", ",", "}", "."].iter().any(|sign| token.is(sign)));
    reads(tokens, at, &[name, "{"]) && field && value && !reads(tokens, at + 3, &[":", ":"])
}

#[test]
fn laws_3_and_4_everything_outside_has_its_room() {
    let faults = each_source(|path, tokens, faults| {
        for (words, rooms) in ROOMS {
            if rooms.iter().any(|room| path.starts_with(room)) {
                continue;
            }
            for word in *words {
                if (0..tokens.len()).any(|at| names(tokens, at, word)) {
                    faults.push(format!("{path}: uses {word}, whose room is {rooms:?}"));
                }
            }
        }
    });
    report("laws 3 and 4", faults);
}

/// Whether `word` is used at `at` as a type, or as a part of a path: not as a name of ours.
fn names(tokens: &[Token], at: usize, word: &str) -> bool {
    let typed = word.starts_with(|c: char| c.is_ascii_uppercase());
    let in_path = reads(tokens, at + 1, &[":", ":"]) || at >= 2 && reads(tokens, at - 2, &[":", ":"]);
    tokens[at].is(word) && (typed || in_path)
}

#[test]
fn law_5_revisions_stand_in_the_dialects() {
    let faults = each_source(|path, tokens, faults| {
        for token in tokens {
            let Token::Text(text) = token else { continue };
            if is_revision(text) && !path.starts_with("dialect/") {
                faults.push(format!("{path}: {text:?}"));
            }
        }
    });
    report("law 5", faults);
}

/// Whether a text has a date such as 2026-07-28 in it.
fn is_revision(text: &str) -> bool {
    let shape = |window: &[u8]| {
        window
            .iter()
            .enumerate()
            .all(|(at, byte)| if at == 4 || at == 7 { *byte == b'-' } else { byte.is_ascii_digit() })
    };
    text.as_bytes().windows(10).any(|window| window.starts_with(b"20") && shape(window))
}

#[test]
fn law_6_imports_run_downward() {
    let lib = source::read("src/lib.rs");
    let modules = lib.lines().filter_map(|line| line.strip_prefix("pub ").unwrap_or(line).strip_prefix("mod "));
    let order: Vec<&str> = modules.map(|rest| rest.split(';').next().unwrap()).collect();
    assert!(order.len() > 5, "lib.rs names its modules, a line each: {order:?}");
    let floor = |file: &str| {
        let lower = LOWER.iter().find(|(low, _)| *low == file).map(|(_, beside)| *beside);
        let own = lower.unwrap_or(file.split(['/', '.']).next().unwrap());
        order.iter().position(|module| *module == own)
    };
    let mut faults = Vec::new();
    for (file, targets) in imports::graph() {
        let Some(own) = floor(&file) else {
            faults.push(format!("{file} is in no module of lib.rs"));
            continue;
        };
        let upward = targets.iter().filter(|target| floor(target).is_some_and(|other| other > own));
        faults.extend(upward.map(|target| format!("{file} imports from {target}, which lib.rs lists below it")));
    }
    report("law 6: imports run from later to earlier modules of lib.rs", faults);
}

#[test]
fn law_6_no_two_files_import_each_other() {
    let graph = imports::graph();
    let mut faults = Vec::new();
    for circle in imports::circles(&graph) {
        let edges = circle.iter().flat_map(|file| {
            let within = graph[file].intersection(&circle);
            within.map(move |target| format!("{file} -> {target}"))
        });
        faults.push(edges.collect::<Vec<_>>().join(", "));
    }
    report("law 6: circles", faults);
}

#[test]
fn law_7_nothing_received_can_make_us_panic() {
    let manifest = source::read("Cargo.toml");
    let mut faults = Vec::new();
    if value(&manifest, "lints.rust", "unsafe_code") != Some("\"forbid\"") {
        faults.push("Cargo.toml: unsafe_code is not forbidden".to_owned());
    }
    for lint in DENIED {
        if !matches!(value(&manifest, "lints.clippy", lint), Some("\"deny\"" | "\"forbid\"")) {
            faults.push(format!("Cargo.toml: clippy::{lint} is not denied"));
        }
    }
    faults.extend(each_source(|path, tokens, faults| {
        for at in 0..tokens.len() {
            let relaxes = ["allow", "expect", "warn"].iter().any(|level| reads(tokens, at, &[level, "("]));
            let attribute = at >= 2 && (reads(tokens, at - 2, &["#", "["]) || reads(tokens, at - 2, &["!", "["]));
            if relaxes && attribute {
                let lints = &tokens[at..closing(tokens, at + 1)];
                let denied = DENIED.iter().filter(|lint| lints.iter().any(|token| token.is(lint)));
                faults.extend(denied.map(|lint| format!("{path}: allows clippy::{lint}")));
            }
        }
    }));
    report("law 7", faults);
}

/// The value of a key in a table of a manifest.
fn value<'a>(manifest: &'a str, table: &str, key: &str) -> Option<&'a str> {
    let mut lines = manifest.lines().skip_while(|line| line.trim() != format!("[{table}]")).skip(1);
    let lines = lines.by_ref().take_while(|line| !line.starts_with('['));
    lines.filter_map(|line| line.split_once('=')).find(|(name, _)| name.trim() == key).map(|(_, value)| value.trim())
}

#[test]
fn law_8_no_global_state_and_no_environment() {
    let banned = ["OnceLock", "OnceCell", "LazyLock", "LazyCell", "once_cell", "lazy_static", "thread_local"];
    let inner = ["Mutex", "RwLock", "Cell", "RefCell", "UnsafeCell", "Condvar"];
    let faults = each_source(|path, tokens, faults| {
        for at in 0..tokens.len() {
            faults.extend(banned.iter().filter(|word| tokens[at].is(word)).map(|word| format!("{path}: {word}")));
            if tokens[at].is("env") && names(tokens, at, "env") && !reads(tokens, at + 1, &["!"]) {
                faults.push(format!("{path}: reads the environment"));
            }
            if tokens[at].is("static") {
                let item = &tokens[at..];
                let end = item.iter().position(|token| token.is("=") || token.is(";")).unwrap_or(0);
                let mutable = |token: &Token| match token {
                    Token::Word(word) => word == "mut" || word.starts_with("Atomic") || inner.contains(&word.as_str()),
                    _ => false,
                };
                if item[..end].iter().any(mutable) {
                    faults.push(format!("{path}: a static that can change: {:?}", &item[1]));
                }
            }
        }
    });
    report("law 8", faults);
}

#[test]
fn law_10_queues_have_bounds() {
    let faults = each_source(|path, tokens, faults| {
        for at in 0..tokens.len() {
            if tokens[at].is("unbounded") || reads(tokens, at, &["mpsc", ":", ":", "channel"]) {
                faults.push(format!("{path}: a queue without a bound"));
            }
        }
    });
    report("law 10", faults);
}

#[test]
fn default_packages_are_those_of_the_list() {
    let manifest = source::read("Cargo.toml");
    let lines = manifest.lines().skip_while(|line| *line != "[dependencies]").skip(1);
    let lines = lines.take_while(|line| !line.starts_with('[')).filter(|line| !line.starts_with('#'));
    let packages: Vec<(&str, &str)> = lines.filter_map(|line| line.split_once('=')).collect();
    let mut features = vec!["default"];
    let mut present: BTreeSet<&str> =
        packages.iter().filter(|(_, rest)| !rest.contains("optional = true")).map(|(name, _)| name.trim()).collect();
    while let Some(feature) = features.pop() {
        let parts = value(&manifest, "features", feature).unwrap_or("");
        for part in parts.split('"').skip(1).step_by(2) {
            match part.strip_prefix("dep:") {
                Some(package) => drop(present.insert(package)),
                None => features.push(part),
            }
        }
    }
    assert_eq!(present, DEFAULT_PACKAGES.iter().copied().collect());
}

/// Text that goes to others names no registry and no folder of the machine that it was written on.
#[test]
fn files_name_no_registry_and_no_machine() {
    // in two parts, so that this file names none either
    let registries = [
        concat!("registry.", "npmjs.org"),
        concat!("registry.", "yarnpkg.com"),
        concat!("index.", "crates.io"),
        concat!("static.", "crates.io"),
        concat!("pypi", ".org"),
    ];
    let folders = ["/root/", "/home/", "/Users/"];
    let mut faults = Vec::new();
    for path in tracked().iter().filter(|path| *path != "tests/house.rs") {
        let Ok(text) = std::fs::read_to_string(source::root().join(path)) else { continue };
        for (number, line) in text.lines().enumerate() {
            let registry = registries.iter().any(|name| line.contains(name));
            let cargo = "registry+https://github.com/rust-lang/crates.io-index";
            let other = line.contains("registry+") && !line.contains(cargo);
            let folder = folders.iter().any(|folder| begins_path(line, folder));
            if registry || other || folder {
                faults.push(format!("{path}:{}: {}", number + 1, line.trim()));
            }
        }
    }
    report("names of registries and of this machine", faults);
}

/// Whether `folder` is in the line as the beginning of a path.
fn begins_path(line: &str, folder: &str) -> bool {
    line.match_indices(folder).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        !before.is_some_and(|c| c.is_alphanumeric() || "/._-})]*?".contains(c))
    })
}

/// The files under version control; where there is none, all files.
fn tracked() -> Vec<String> {
    let git = Command::new("git").args(["ls-files", "-z"]).current_dir(source::root()).output();
    let listed = git.ok().filter(|output| output.status.success()).map(|output| output.stdout).unwrap_or_default();
    let listed = String::from_utf8(listed).unwrap();
    let listed: Vec<String> = listed.split('\0').filter(|path| !path.is_empty()).map(str::to_owned).collect();
    if listed.is_empty() { source::files("", &[]).into_iter().map(|file| file.path).collect() } else { listed }
}

/// The tools of this file see what they are to see.
#[test]
fn the_searches_find_what_they_look_for() {
    let source = r##"// say "x" 'y'
        fn a<'b>(c: char) -> &'b str { if c == '"' || c == '\'' { r#"raw "text""# } else { "a\"b" } } /* /* */ thread::sleep */
        #[cfg(test)] mod tests { use std::thread; }"##;
    let texts: Vec<Token> = code(source).into_iter().filter(|token| matches!(token, Token::Text(_))).collect();
    assert_eq!(texts, [Token::Text("raw \"text\"".to_owned()), Token::Text("a\"b".to_owned())]);
    assert!(!code(source).iter().any(|token| token.is("thread")), "comments and unit tests do not count");

    assert!(names(&tokens("use std::thread;"), 4, "thread") && !names(&tokens("let thread = 1;"), 1, "thread"));
    assert!(builds(&tokens("Fault { rule: id }"), 0, "Fault", &["rule"]));
    assert!(!builds(&tokens("fn f() -> Fault { rule::of() }"), 6, "Fault", &["rule"]), "the opening of a body");
    assert!(is_revision("served by 2026-07-28") && !is_revision("draft 2020-12/schema"));
    assert!(begins_path("read /home/x", "/home/") && !begins_path("https://example.com/home/x", "/home/"));

    let edges = [("a.rs", "b.rs"), ("b.rs", "c.rs"), ("c.rs", "b.rs"), ("d.rs", "a.rs")];
    let mut graph = imports::Graph::new();
    for (from, to) in edges {
        graph.entry(from.to_owned()).or_default().insert(to.to_owned());
    }
    assert_eq!(imports::circles(&graph), [BTreeSet::from(["b.rs".to_owned(), "c.rs".to_owned()])]);
}
