//! What the server asks: answered on the command line, by typing, or not at all.

use std::io::Cursor;

use plain_mcp::types::elicit::form;
use plain_mcp::types::{Action, ElicitResult, Form};
use serde_json::{Value, json};

use crate::options::Answers;
use crate::{Served, ask, stdio};

const ELICIT: &str = "test_input_required_result_elicitation";

#[test]
fn an_answer_is_given_on_the_command_line() {
    let served = Served::new("answer");
    for ran in [
        served.mcp(&["--answer", "name=Ada"], &["call", ELICIT], ""),
        stdio(&["--answer", "name=Ada"], &["call", ELICIT], ""),
    ] {
        assert!(ran.out(0).contains("Ada"), "{ran:?}");
    }
}

#[test]
fn an_answer_is_typed() {
    let ran = stdio(&[], &["call", ELICIT], "Ada\ny\n");
    assert!(ran.out(0).contains("Ada"), "{ran:?}");
    assert!(ran.err.contains("The server asks: ") && ran.err.contains("Send this? [y/n]"), "{}", ran.err);
}

#[test]
fn an_answer_that_does_not_fit_or_is_missing_ends_the_call() {
    let ran = stdio(&["--answer", "other=x"], &["call", ELICIT], "");
    assert_eq!(ran.out(2), "");
    assert!(ran.err.contains("--answer name=… is missing"), "{}", ran.err);
}

#[test]
fn nobody_answers() {
    let declined = stdio(&["--decline", "--json"], &["call", ELICIT], "").json_any();
    let said_no = stdio(&["--json"], &["call", ELICIT], "Ada\nn\n").json_any();
    let gone = stdio(&["--json"], &["call", ELICIT], "").json_any();
    assert_eq!(declined, said_no);
    assert!(!declined.to_string().contains("Ada") && !gone.to_string().contains("Ada"));
}

impl crate::Ran {
    fn json_any(&self) -> Value {
        self.json(self.status.code().unwrap())
    }
}

fn all_kinds() -> Form {
    form("All kinds")
        .string("s")
        .required()
        .integer("i")
        .min(1)
        .default(7)
        .number("n")
        .boolean("b")
        .required()
        .choice("c", ["red", "green"])
        .multi_choice("m", ["x", "y"])
}

fn given(answers: &[(&str, &str)]) -> Result<ElicitResult, String> {
    let given = answers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    ask::form(&all_kinds(), &Answers { given, decline: false }).map_err(|error| error.to_string())
}

#[test]
fn texts_become_what_their_fields_want() {
    let all = [("s", "text"), ("i", "3"), ("n", "2.5"), ("b", "yes"), ("c", "green"), ("m", "y, x")];
    let content = json!({"s": "text", "i": 3, "n": 2.5, "b": true, "c": "green", "m": ["y", "x"]});
    assert_eq!(json!(given(&all).unwrap().content), content);
    let least = given(&[("s", ""), ("b", "false")]).unwrap();
    assert_eq!(json!(least.content), json!({"s": "", "b": false, "i": 7}));
    for (field, wrong) in [("i", "0"), ("i", "1.5"), ("n", "x"), ("b", "maybe"), ("c", "blue"), ("m", "x, z")] {
        let error = given(&[("s", "text"), ("b", "no"), (field, wrong)]).unwrap_err();
        assert_eq!(error, format!("{field}: {wrong:?} does not fit"));
    }
    assert!(given(&[("s", "text")]).unwrap_err().contains("--answer b=… is missing"));
}

/// What comes of typing these lines, and what was asked.
fn typed(lines: &str) -> (ElicitResult, String) {
    let mut asked = Vec::new();
    let result = ask::asked(&all_kinds(), &mut Cursor::new(lines), &mut asked).unwrap();
    (result, String::from_utf8(asked).unwrap())
}

#[test]
fn typing_goes_field_by_field() {
    let (result, asked) = typed("text\n\n\nmaybe\nyes\ngreen\nx\ny\n");
    assert_eq!(result.action, Action::Accept);
    assert_eq!(json!(result.content), json!({"s": "text", "i": 7, "b": true, "c": "green", "m": ["x"]}));
    for part in ["i (whole number; else 7)", "c (text; one of red, green; may be empty)", "\"maybe\" does not fit"] {
        assert!(asked.contains(part), "{asked}");
    }
}

#[test]
fn typing_can_end_without_an_answer() {
    assert_eq!(typed("text\n\n\nyes\n\n\nn\n").0, ElicitResult::decline());
    assert_eq!(typed("text\n\n\nyes\n\n\n").0, ElicitResult::cancel());
    assert_eq!(typed("text\n").0, ElicitResult::cancel());
}

#[test]
fn a_question_cannot_steer_the_terminal() {
    let mut asked = Vec::new();
    let form = form("\u{1b}[2Jclear").string("\u{1b}]0;title\u{7}");
    ask::asked(&form, &mut Cursor::new(""), &mut asked).unwrap();
    assert!(!asked.contains(&0x1b) && !asked.contains(&7), "{}", String::from_utf8_lossy(&asked));
}
