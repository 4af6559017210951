//! One call at a time, over both transports.

use std::process::{Command, Stdio};

use serde_json::json;

use crate::{FIXTURE, Served, example, mcp, stdio};

#[test]
fn lists_are_shown_for_people() {
    let served = Served::new("lists");
    let ran = served.mcp(&[], &["list"], "");
    let out = ran.out(0);
    for line in [
        "tools:",
        "  test_simple_text()",
        "      Returns one text block",
        "  custom_header_region(region: string)",
        "prompts:",
        "  test_prompt_with_arguments(arg1, arg2)",
        "resources:",
        "  test://static-text (static_text, text/plain)",
        "resourceTemplates:",
        "  test://template/{id}/data (template_data, text/plain)",
    ] {
        assert!(out.lines().any(|is| is == line), "{line:?} is not in\n{out}");
    }
    assert!(out.starts_with("tools:\n"), "what is called comes first");
    assert_eq!(ran.err, "");
}

#[test]
fn lists_are_shown_as_they_came() {
    let ran = stdio(&["--json"], &["list", "prompts"], "");
    let lists = ran.json(0);
    assert_eq!(lists.as_object().unwrap().len(), 1);
    let prompts = lists["prompts"].as_array().unwrap();
    assert!(prompts.iter().any(|prompt| prompt["name"] == "test_simple_prompt"), "{prompts:?}");
    let all = stdio(&["--json"], &["list"], "").json(0);
    let names: Vec<&String> = all.as_object().unwrap().keys().collect();
    assert_eq!(names, ["prompts", "resourceTemplates", "resources", "tools"]);
    assert_eq!(all["prompts"], lists["prompts"]);
}

#[test]
fn a_tool_answers_and_tells_how_far_it_is() {
    let served = Served::new("tool");
    for ran in [
        served.mcp(&[], &["call", "test_tool_with_progress"], ""),
        stdio(&[], &["call", "test_tool_with_progress", "{}"], ""),
    ] {
        assert!(!ran.out(0).is_empty());
        let steps = ["progress: 0 of 100", "progress: 50 of 100", "progress: 100 of 100"];
        assert!(ran.err.lines().zip(steps).all(|(is, step)| is.starts_with(step)), "{}", ran.err);
        assert_eq!(ran.err.lines().count(), 3, "{}", ran.err);
    }
}

#[test]
fn blocks_that_are_no_text_are_named() {
    let ran = stdio(&[], &["call", "test_multiple_content_types"], "");
    let out = ran.out(0);
    assert!(out.contains("[image, image/png, "), "{out}");
    let raw = stdio(&["--json"], &["call", "test_image_content"], "").json(0);
    assert_eq!(raw["content"][0]["mimeType"], "image/png");
}

#[test]
fn a_tool_or_a_server_that_says_no_is_exit_code_1() {
    let ran = stdio(&[], &["call", "test_error_handling"], "");
    assert_eq!(ran.out(1), "");
    assert!(ran.err.contains("intentionally"), "{}", ran.err);
    assert_eq!(stdio(&["--json"], &["call", "test_error_handling"], "").json(1)["isError"], true);
    let ran = stdio(&[], &["call", "no such tool"], "");
    assert_eq!(ran.out(1), "");
    assert!(ran.err.contains("error -32602: Unknown tool: no such tool"), "{}", ran.err);
    let ran = stdio(&[], &["read", "test://none"], "");
    assert!(ran.out(1).is_empty() && ran.err.contains("test://none"), "{ran:?}");
}

#[test]
fn resources_prompts_and_completions_are_shown() {
    let served = Served::new("read");
    let text = served.mcp(&[], &["read", "test://static-text"], "");
    assert!(text.out(0).contains("static text"), "{text:?}");
    let binary = served.mcp(&[], &["read", "test://static-binary"], "");
    assert!(binary.out(0).starts_with("[test://static-binary, application/octet-stream, 8 bytes]"), "{binary:?}");
    assert_eq!(
        served.mcp(&["--json"], &["read", "test://template/7/data"], "").json(0)["contents"][0]["uri"],
        "test://template/7/data"
    );
    let prompt = served.mcp(&[], &["prompt", "test_prompt_with_arguments", "arg1=one", "arg2=two=2"], "");
    let out = prompt.out(0);
    assert!(out.starts_with("user: ") && out.contains("one") && out.contains("two=2"), "{out}");
    let completed = served.mcp(&["--json"], &["complete", "prompt", "test_prompt_with_arguments", "arg1", "par"], "");
    let values = completed.json(0)["completion"]["values"].clone();
    let shown = served.mcp(&[], &["complete", "prompt", "test_prompt_with_arguments", "arg1", "par", "arg2=x"], "");
    assert_eq!(json!(shown.out(0).lines().collect::<Vec<_>>()), values);
}

#[test]
fn log_messages_are_shown_when_asked_for() {
    assert_eq!(stdio(&[], &["call", "test_logging_tool"], "").err, "");
    let ran = stdio(&["--log", "error"], &["call", "test_logging_tool"], "");
    ran.out(0);
    assert!(ran.err.lines().any(|line| line.starts_with("error: ")), "{}", ran.err);
    assert!(!ran.err.lines().any(|line| line.starts_with("info: ")), "{}", ran.err);
}

#[test]
fn what_cannot_be_asked_is_exit_code_2() {
    for arguments in [
        &["http"][..],
        &["http", "http://127.0.0.1:1/mcp", "list"],
        &["http", "nonsense", "list"],
        &["stdio", "list"],
        &["stdio", "list", "--", "/no/such/program"],
        &["--revision", "1999-01-01", "stdio", "list", "--", FIXTURE, "--stdio"],
        &["--header", "no field: x", "stdio", "list", "--", FIXTURE, "--stdio"],
    ] {
        let ran = mcp(arguments, "");
        assert_eq!(ran.out(2), "", "{arguments:?}");
        assert!(ran.err.starts_with("mcp: "), "{arguments:?}: {}", ran.err);
    }
}

#[test]
fn help_is_no_error() {
    let ran = mcp(&["--help"], "");
    assert!(ran.out(0).starts_with("usage: mcp ") && ran.err.is_empty(), "{ran:?}");
}

/// The client in 20 lines does what it says.
#[test]
fn the_short_client_runs() {
    let served = Served::new("short");
    let output = Command::new(example("client")).arg(served.url()).stdin(Stdio::null()).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let out = String::from_utf8(output.stdout).unwrap();
    for text in ["test_simple_text: Returns one text block", "50 of Some(100.0)", "static text"] {
        assert!(out.contains(text), "{out}");
    }
}
