//! How the command line is read.

use std::time::Duration;

use plain_mcp::Level;
use plain_mcp::types::wire::CompletionReference;
use serde_json::{Value, json};

use crate::options::{Action, Answers, List, Options, Server};

fn parse(words: &[&str]) -> Result<Option<Options>, String> {
    Options::parse(words.iter().map(|word| (*word).to_owned()).collect())
}

fn action(words: &[&str]) -> Result<Action, String> {
    parse(&[&["http", "u"], words].concat()).map(|options| options.unwrap().action)
}

fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

#[test]
fn options_stand_anywhere() {
    let expected = Options {
        server: Server::Http("u".to_owned()),
        action: Action::Listen { uris: vec!["a:b".to_owned()], time: Some(Duration::from_millis(1500)) },
        json: true,
        answers: Answers { given: pairs(&[("a", "1=2"), ("b", "")]), decline: false },
        timeout: Some(Duration::from_secs(3)),
        headers: pairs(&[("authorization", "Bearer x:y")]),
        log: Some(Level::Warning),
        revision: Some("r".to_owned()),
    };
    let line = [
        "--json",
        "http",
        "--answer",
        "a=1=2",
        "u",
        "--answer",
        "b=",
        "listen",
        "--timeout",
        "3",
        "a:b",
        "--header",
        "authorization: Bearer x:y",
        "--log",
        "warning",
        "--revision",
        "r",
        "--seconds",
        "1.5",
    ];
    assert_eq!(parse(&line), Ok(Some(expected)));
    assert_eq!(parse(&["list", "-h"]), Ok(None));
}

#[test]
fn a_program_stands_after_two_dashes() {
    let options = parse(&["stdio", "list", "--json", "--", "p", "--json", "--", "--x"]).unwrap().unwrap();
    assert_eq!(options.server, Server::Stdio(["p", "--json", "--", "--x"].map(str::to_owned).into()));
    assert!(options.json);
}

#[test]
fn actions_are_read() {
    assert_eq!(action(&["list"]), Ok(Action::List(None)));
    assert_eq!(action(&["list", "templates"]), Ok(Action::List(Some(List::Templates))));
    assert_eq!(action(&["call", "t"]), Ok(Action::Call { name: "t".to_owned(), arguments: Value::Null }));
    let call = Action::Call { name: "t".to_owned(), arguments: json!({"a": 1}) };
    assert_eq!(action(&["call", "t", r#"{"a": 1}"#]), Ok(call));
    assert_eq!(action(&["read", "a:b"]), Ok(Action::Read { uri: "a:b".to_owned() }));
    let prompt = Action::Prompt { name: "p".to_owned(), arguments: pairs(&[("a", "1")]) };
    assert_eq!(action(&["prompt", "p", "a=1"]), Ok(prompt));
    let of = CompletionReference::Resource { uri: "t:{id}".to_owned() };
    let [argument, value] = ["id", ""].map(str::to_owned);
    let complete = Action::Complete { of, argument, value, known: pairs(&[("x", "1")]) };
    assert_eq!(action(&["complete", "template", "t:{id}", "id", "", "x=1"]), Ok(complete));
    assert_eq!(action(&["listen"]), Ok(Action::Listen { uris: Vec::new(), time: None }));
}

#[test]
fn what_is_no_command_line_is_refused_with_its_reason() {
    for (words, why) in [
        (&[][..], "http or stdio is missing"),
        (&["ftp", "u", "list"], "\"ftp\" is neither http nor stdio"),
        (&["http"], "the URL is missing"),
        (&["http", "u"], "the action is missing"),
        (&["http", "u", "fly"], "\"fly\" is no action"),
        (&["http", "u", "list", "hats"], "\"hats\" is no list"),
        (&["http", "u", "read", "a:b", "c:d"], "\"c:d\" is too much"),
        (&["http", "u", "call", "t", "[]"], "arguments that are no object"),
        (&["http", "u", "prompt", "p", "a"], "\"a\" has no '=' in it"),
        (&["http", "u", "complete", "tool", "t", "a", "b"], "\"tool\" is neither prompt nor template"),
        (&["http", "u", "list", "--", "p"], "-- is for stdio"),
        (&["stdio", "list", "--"], "the program is missing: stdio ACTION -- PROGRAM"),
        (&["http", "u", "list", "--fast"], "unknown option --fast"),
        (&["http", "u", "list", "--timeout"], "--timeout needs a value"),
        (&["http", "u", "list", "--timeout", "-1"], "\"-1\" is no number of seconds"),
        (&["http", "u", "list", "--seconds", "1"], "--seconds is for listen"),
        (&["http", "u", "list", "--header", "x"], "\"x\" has no ':' in it"),
        (&["http", "u", "list", "--answer", "a=1", "--decline"], "--answer and --decline together"),
    ] {
        assert_eq!(parse(words), Err(why.to_owned()), "{words:?}");
    }
    assert!(parse(&["http", "u", "list", "--log", "loud"]).unwrap_err().starts_with("\"loud\" is no level: debug, "));
}
