//! §19.2 What still runs when all should have ended: processes are known by a variable that they inherited.
//! Law: nothing is ended that does not have the variable, with our own value.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

/// The variable. Its value is the folder of the run.
pub(crate) const VARIABLE: &str = "PLAIN_MCP_CONFORMANCE_RUN";

/// Ends the processes that have the variable with this value, and names them. Where the system has no `/proc`, none is found.
pub(crate) fn end(value: &Path) -> Vec<String> {
    let wanted = [VARIABLE.as_bytes(), b"=", value.as_os_str().as_encoded_bytes()].concat();
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let processes = names.filter(|name| name.bytes().all(|byte| byte.is_ascii_digit()));
    processes.filter(|process| has(process, &wanted)).map(|process| end_one(&process)).collect()
}

fn has(process: &str, wanted: &[u8]) -> bool {
    let environment = fs::read(format!("/proc/{process}/environ")).unwrap_or_default();
    environment.split(|byte| *byte == 0).any(|variable| variable == wanted)
}

fn end_one(process: &str) -> String {
    let line = fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
    let line = String::from_utf8_lossy(&line).replace('\0', " ");
    let killed = Command::new("kill").args(["-9", process]).stdin(Stdio::null()).status();
    let killed = if killed.is_ok_and(|status| status.success()) { "killed" } else { "not killed" };
    format!("left over: process {process}, {}: {killed}", line.trim())
}
