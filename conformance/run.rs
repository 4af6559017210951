//! §19 The launcher of the official conformance runner: `cargo run --bin conformance`.
//!
//! Installs the runner, starts what it tests, runs it, and compares each scenario's outcome with `expected.txt`.
//! Exit code 0: all as expected; 1: not as expected; 2: could not be run.

mod expected;
mod fixture;
mod install;
mod leg;
mod options;
mod process;
mod requirements;
mod score;
mod server_leg;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use expected::Expected;
use install::Tools;
use leg::{Job, Leg};
use options::Options;
use score::Card;

/// Every leg, in the order in which they run.
const LEGS: [Leg; 1] = [Leg { name: "server", revision: "2026-07-28", prefix: "server-", run: server_leg::run }];

fn main() -> ExitCode {
    let arguments = std::env::args().skip(1);
    let outcome = match Options::parse(arguments, &LEGS.map(|leg| leg.name)) {
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
    let program = match &options.fixture {
        Some(program) => fs::canonicalize(program).map_err(|error| format!("{}: {error}", program.display()))?,
        None => fixture::build(&place.root, &place.log, options.verbose)?,
    };
    let mut all = true;
    for leg in LEGS.iter().filter(|leg| options.leg.as_deref().is_none_or(|name| name == leg.name)) {
        all &= run_leg(leg, options, &place, &tools, &program)?;
    }
    Ok(all)
}

/// Runs one leg as often as asked for.
fn run_leg(leg: &Leg, options: &Options, place: &Place, tools: &Tools, program: &Path) -> Result<bool, String> {
    let section = format!("{} {}", leg.name, leg.revision);
    let expectation = place.dir.join("expected.txt");
    let text = fs::read_to_string(&expectation).map_err(|error| format!("{}: {error}", expectation.display()))?;
    let expected = Expected::parse(&text, &section).map_err(|error| format!("{}: {error}", expectation.display()))?;
    let requirements = tools.requirements(leg.revision)?;

    let results = place.dir.join("results").join(section.replace(' ', "-"));
    if !options.keep && results.exists() {
        fs::remove_dir_all(&results).map_err(|error| format!("{}: {error}", results.display()))?;
    }
    let mut all = true;
    for run in 1..=options.runs {
        let out = next_free(&results)?;
        println!("\n{section}, run {run} of {}", options.runs);
        let job = Job { tools, program, revision: leg.revision, out: &out, verbose: options.verbose };
        let troubles = (leg.run)(&job)?;
        let card = Card::judge(requirements::scenarios(&requirements, leg.name)?, score::collect(&out, leg.prefix)?);
        all &= report(&card, &expected, &troubles);
        println!("results: {}", out.display());
    }
    Ok(all)
}

/// Prints a line for each scenario, its problems, the total, and what was not expected.
fn report(card: &Card, expected: &Expected, troubles: &[String]) -> bool {
    for scenario in &card.scenarios {
        println!("{scenario}");
        for problem in scenario.state.problems() {
            let reason = expected.reason(&scenario.name, Some(&problem.check));
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
