//! A command line client: lists what a server offers, and calls it. `cargo run --example mcp -- --help` says how.

mod ask;
mod commands;
mod options;
mod show;

use std::env;
use std::ffi::OsString;
use std::process::ExitCode;

use commands::Fault;
use options::{HELP, Options};

fn main() -> ExitCode {
    let arguments: Result<Vec<String>, OsString> = env::args_os().skip(1).map(OsString::into_string).collect();
    let options = arguments.map_err(|argument| format!("{argument:?} is no text")).and_then(Options::parse);
    let outcome = match options {
        Ok(Some(options)) => commands::run(options, &mut std::io::stdout()),
        Ok(None) => {
            print!("{HELP}");
            Ok(())
        }
        Err(problem) => Err(Fault::Broken(format!("{problem}; see mcp --help"))),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(Fault::Refused(text)) => {
            show::tell(&text);
            ExitCode::from(1)
        }
        Err(Fault::Broken(text)) => {
            show::tell(&format!("mcp: {text}"));
            ExitCode::from(2)
        }
    }
}
