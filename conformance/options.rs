//! §19 The launcher's command line.
//! Law: pure.

use std::path::PathBuf;

/// What `--help` prints.
pub(crate) const USAGE: &str = "\
usage: cargo run --bin conformance -- [options]
  --leg NAME        run this leg only: server
  --runs N          run each leg N times (default 1)
  --keep            keep the results of earlier launches
  --fixture PROGRAM test this program instead of building ours
  --verbose         repeat what npm, cargo, the fixture and the runner print";

/// What was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Options {
    /// The only leg to run.
    pub(crate) leg: Option<String>,
    /// How often each leg runs; at least 1.
    pub(crate) runs: u32,
    /// Whether earlier results stay.
    pub(crate) keep: bool,
    /// The program to test, where it is not ours.
    pub(crate) fixture: Option<PathBuf>,
    /// Whether children's output is repeated.
    pub(crate) verbose: bool,
}

impl Options {
    /// Reads the arguments after the program's name, where `legs` are the legs that there are; `None` when they ask for help.
    ///
    /// # Errors
    /// An option is unknown, or its value is missing or no good.
    pub(crate) fn parse(mut arguments: impl Iterator<Item = String>, legs: &[&str]) -> Result<Option<Options>, String> {
        let mut options = Options { leg: None, runs: 1, keep: false, fixture: None, verbose: false };
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().ok_or_else(|| format!("{argument} needs a value"));
            match argument.as_str() {
                "--leg" => options.leg = Some(known_leg(value()?, legs)?),
                "--runs" => options.runs = runs(&value()?)?,
                "--fixture" => options.fixture = Some(value()?.into()),
                "--keep" => options.keep = true,
                "--verbose" => options.verbose = true,
                "--help" | "-h" => return Ok(None),
                _ => return Err(format!("unknown option {argument}")),
            }
        }
        Ok(Some(options))
    }
}

fn known_leg(name: String, legs: &[&str]) -> Result<String, String> {
    if legs.contains(&name.as_str()) { Ok(name) } else { Err(format!("unknown leg {name}")) }
}

fn runs(value: &str) -> Result<u32, String> {
    value.parse().ok().filter(|runs| *runs > 0).ok_or_else(|| format!("--runs needs a number from 1, not {value}"))
}
