//! §19 The launcher of the official conformance runner: `cargo run --bin conformance`.
//!
//! Installs the runner, starts what it tests, runs it, and compares each scenario's outcome with `expected.txt`.
//! Exit code 0: all as expected; 1: not as expected; 2: could not be run.

mod client_leg;
mod expected;
mod fixture;
mod install;
mod leftovers;
mod leg;
mod options;
mod process;
mod program;
mod requirements;
mod score;
mod server_leg;
mod witness;

use std::collections::btree_map::{BTreeMap, Entry};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use expected::Expected;
use install::Tools;
use leg::{Job, Leg};
use options::Options;
use score::Card;

/// Every leg, in the order in which they run.
const LEGS: [Leg; 4] = [server("2026-07-28"), client("2026-07-28"), client("2025-11-25"), client("2025-06-18")];

const fn server(revision: &'static str) -> Leg {
    Leg { name: "server", revision, program: "fixture", prefix: "server-", run: server_leg::run }
}

const fn client(revision: &'static str) -> Leg {
    Leg { name: "client", revision, program: "conformance-client", prefix: "", run: client_leg::run }
}

fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    if let [first, rest @ ..] = arguments.as_slice() {
        if first == witness::OPTION {
            return witness::run(rest).unwrap_or_else(|error| {
                eprintln!("conformance: {error}");
                ExitCode::from(2)
            });
        }
    }
    let arguments = std::env::args().skip(1);
    let outcome = match Options::parse(arguments, &LEGS.map(|leg| (leg.name, leg.revision))) {
        Ok(Some(options)) => launch(&options),
        Ok(None) => {
            println!("{}", options::USAGE);
            return ExitCode::SUCCESS;
        }
        Err(error) => Err(format!("{error}\n{}", options::USAGE)),
    };
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("conformance: {error}");
            ExitCode::from(2)
        }
    }
}

/// Where things lie.
struct Place {
    /// The package.
    root: PathBuf,
    /// This folder in it.
    dir: PathBuf,
    /// What cargo, npm and node print.
    log: PathBuf,
}

/// Runs what was asked for; whether all of it came out as expected.
fn launch(options: &Options) -> Result<bool, String> {
    let root =
        PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into()));
    let dir = root.join("conformance");
    create(&dir.join("results"))?;
    let log = dir.join("results/prepare.log");
    // Each launch has its own; that there is none to remove is fine.
    let _ = fs::remove_file(&log);
    let place = Place { root, dir, log };

    let tools = Tools::install(&place.dir, &place.log, options.verbose)?;
    let mut programs = BTreeMap::new();
    let mut all = true;
    for leg in LEGS.iter().filter(|leg| options.runs_leg(leg.name, leg.revision)) {
        let program = match programs.entry(leg.program) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(unknown) => unknown.insert(program(leg, options, &place)?),
        };
        all &= run_leg(leg, options, &place, &tools, program)?;
    }
    Ok(all)
}

/// What a leg tests: ours, or what was named in its place.
fn program(leg: &Leg, options: &Options, place: &Place) -> Result<PathBuf, String> {
    let other = if leg.name == "client" { &options.client } else { &options.fixture };
    match other {
        Some(program) => fs::canonicalize(program).map_err(|error| format!("{}: {error}", program.display())),
        None => program::build("--bin", leg.program, &place.root, &place.log, options.verbose),
    }
}

/// Runs one leg as often as asked for.
fn run_leg(leg: &Leg, options: &Options, place: &Place, tools: &Tools, program: &Path) -> Result<bool, String> {
    let section = format!("{} {}", leg.name, leg.revision);
    let expectation = place.dir.join("expected.txt");
    let text = fs::read_to_string(&expectation).map_err(|error| format!("{}: {error}", expectation.display()))?;
    let expected = Expected::parse(&text, &section).map_err(|error| format!("{}: {error}", expectation.display()))?;
    let wanted = tools.scenarios(leg.name, leg.revision, &place.log)?;

    let results = place.dir.join("results").join(section.replace(' ', "-"));
    if !options.keep && results.exists() {
        fs::remove_dir_all(&results).map_err(|error| format!("{}: {error}", results.display()))?;
    }
    let mut all = true;
    for run in 1..=options.runs {
        let out = next_free(&results)?;
        println!("\n{section}, run {run} of {}", options.runs);
        let job = Job { tools, program, revision: leg.revision, out: &out, verbose: options.verbose };
        let outcome = (leg.run)(&job)?;
        let mut card = Card::judge(wanted.clone(), score::collect(&out, leg.prefix)?);
        if let Some(exits) = &outcome.exits {
            card.judge_exits(exits);
        }
        all &= report(&card, &expected, &outcome.troubles);
        println!("results: {}", out.display());
    }
    Ok(all)
}

/// Prints a line for each scenario, its problems, the total, and what was not expected.
fn report(card: &Card, expected: &Expected, troubles: &[String]) -> bool {
    for scenario in &card.scenarios {
        println!("{scenario}");
        for problem in scenario.state.problems() {
            let reason = expected.reason(&scenario.name, Some(problem));
            let known = reason.map(|reason| format!(" [expected: {reason}]")).unwrap_or_default();
            println!("        {} {}: {}{known}", problem.status, problem.check, problem.why);
        }
    }
    println!("{}", card.total());
    let surprises = expected.compare(card);
    troubles.iter().for_each(|trouble| println!("RED  {trouble}"));
    surprises.iter().for_each(|surprise| println!("RED  {surprise}"));
    let green = troubles.is_empty() && surprises.is_empty();
    println!("{}", if green { "as expected" } else { "NOT as expected" });
    green
}

/// Makes the first folder `run-<n>` that is not there yet.
fn next_free(results: &Path) -> Result<PathBuf, String> {
    let free = (1_u32..).map(|number| results.join(format!("run-{number}"))).find(|out| !out.exists());
    let out = free.ok_or("no free folder for the results")?;
    create(&out)?;
    Ok(out)
}

fn create(dir: &Path) -> Result<(), String> {
    fs::create_dir_all(dir).map_err(|error| format!("cannot make {}: {error}", dir.display()))
}
