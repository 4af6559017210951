//! §19 The launcher's command line.
//! Law: pure.

use std::path::PathBuf;

/// What `--help` prints.
pub(crate) const USAGE: &str = "\
usage: cargo run --bin conformance -- [options]
  --leg NAME        run this leg only: server or client
  --revision DATE   run the legs of this revision only
  --runs N          run each leg N times (default 1)
  --keep            keep the results of earlier launches
  --fixture PROGRAM test this server instead of building ours
  --client PROGRAM  test this client instead of building ours
  --verbose         repeat what npm, cargo, the programs under test and the runner print";

/// What was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Options {
    /// The only leg to run.
    pub(crate) leg: Option<String>,
    /// The only revision to run.
    pub(crate) revision: Option<String>,
    /// How often each leg runs; at least 1.
    pub(crate) runs: u32,
    /// Whether earlier results stay.
    pub(crate) keep: bool,
    /// The server to test, where it is not ours.
    pub(crate) fixture: Option<PathBuf>,
    /// The client to test, where it is not ours.
    pub(crate) client: Option<PathBuf>,
    /// Whether children's output is repeated.
    pub(crate) verbose: bool,
}

impl Options {
    /// Reads the arguments after the program's name, where `legs` are the legs that there are, by name and revision; `None` when they ask
    /// for help.
    ///
    /// # Errors
    /// An option is unknown, its value is missing or no good, or no leg is left to run.
    pub(crate) fn parse(
        mut arguments: impl Iterator<Item = String>,
        legs: &[(&str, &str)],
    ) -> Result<Option<Options>, String> {
        let mut options =
            Options { leg: None, revision: None, runs: 1, keep: false, fixture: None, client: None, verbose: false };
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().ok_or_else(|| format!("{argument} needs a value"));
            match argument.as_str() {
                "--leg" => options.leg = Some(value()?),
                "--revision" => options.revision = Some(value()?),
                "--runs" => options.runs = runs(&value()?)?,
                "--fixture" => options.fixture = Some(value()?.into()),
                "--client" => options.client = Some(value()?.into()),
                "--keep" => options.keep = true,
                "--verbose" => options.verbose = true,
                "--help" | "-h" => return Ok(None),
                _ => return Err(format!("unknown option {argument}")),
            }
        }
        if legs.iter().any(|(name, revision)| options.runs_leg(name, revision)) {
            Ok(Some(options))
        } else {
            Err("there is no such leg, or not of that revision".to_owned())
        }
    }

    /// Whether a leg is to run.
    pub(crate) fn runs_leg(&self, name: &str, revision: &str) -> bool {
        let matches = |wanted: &Option<String>, is: &str| wanted.as_deref().is_none_or(|wanted| wanted == is);
        matches(&self.leg, name) && matches(&self.revision, revision)
    }
}

fn runs(value: &str) -> Result<u32, String> {
    value.parse().ok().filter(|runs| *runs > 0).ok_or_else(|| format!("--runs needs a number from 1, not {value}"))
}
