//! §10.3 Which answers are read, and what they say.

use plain_mcp::types::*;
use serde_json::{Value, json};

fn accept(content: Value) -> Value {
    json!({"action": "accept", "content": content})
}

#[test]
fn an_answer_to_a_form() {
    covers!("10.3-9");
    let form = elicit::form("m").string("s").integer("i").number("n").boolean("b").multi_choice("l", ["x", "y"]);
    let content = json!({"s": "t", "i": 30.0, "n": 1.5, "b": true, "l": ["x"], "extra": 1});
    let answer = form.read(&accept(content.clone())).unwrap();
    assert!(answer.accepted());
    assert_eq!(answer.action(), Action::Accept);
    assert_eq!(answer.str("s"), Ok("t"));
    assert_eq!(answer.i64("i"), Ok(30));
    assert_eq!(answer.f64("n"), Ok(1.5));
    assert_eq!(answer.bool("b"), Ok(true));
    assert_eq!(answer.list("l"), Ok(vec!["x"]));
    assert_eq!(Value::from(answer.content().clone()), content);
}

#[test]
fn integers_beyond_the_floats() {
    let form = elicit::form("m").integer("i").max(9_007_199_254_740_993_i64);
    assert_eq!(
        form.read(&accept(json!({"i": 9_007_199_254_740_993_i64}))).unwrap().i64("i"),
        Ok(9_007_199_254_740_993)
    );
    assert!(form.read(&accept(json!({"i": 9_007_199_254_740_994_i64}))).is_none());
    let other = AnswerError::OtherType { field: String::from("i"), wanted: "a 64-bit integer" };
    let read = |value: Value| elicit::form("m").integer("i").read(&accept(json!({"i": value}))).unwrap().i64("i");
    assert_eq!(read(json!(u64::MAX)), Err(other.clone()));
    assert_eq!(read(json!(1e300)), Err(other));
    assert_eq!(read(json!(i64::MIN)), Ok(i64::MIN));
}

#[test]
fn why_there_is_no_value() {
    covers!("10.3-8");
    let form = elicit::form("m").string("s");
    let said = |result: Value, name: &str| form.read(&result).unwrap().i64(name).unwrap_err().to_string();
    assert_eq!(said(json!({"action": "decline"}), "s"), "The user declined to answer.");
    assert_eq!(said(json!({"action": "cancel"}), "s"), "The user cancelled the question.");
    assert_eq!(said(accept(json!({})), "s"), "The answer has no field \"s\".");
    assert_eq!(said(accept(json!({"s": "t"})), "s"), "The field \"s\" of the answer is not a 64-bit integer.");
    let answer = form.read(&accept(json!({"s": "t"}))).unwrap();
    assert_eq!(answer.f64("s").unwrap_err().to_string(), "The field \"s\" of the answer is not a number.");
    assert_eq!(answer.bool("s").unwrap_err().to_string(), "The field \"s\" of the answer is not a boolean.");
    assert_eq!(answer.list("s").unwrap_err().to_string(), "The field \"s\" of the answer is not a list of strings.");
    let number = elicit::form("m").number("n").read(&accept(json!({"n": 1}))).unwrap();
    assert_eq!(number.str("n").unwrap_err().to_string(), "The field \"n\" of the answer is not a string.");
}

#[test]
fn content_counts_only_where_the_user_accepts() {
    covers!("10.3-8", "10.3-9");
    let form = elicit::form("m").string("s").required();
    let answer = form.read(&json!({"action": "decline", "content": {"s": "t"}})).unwrap();
    assert!(!answer.accepted() && answer.content().is_empty());
    assert_eq!(answer.str("s"), Err(AnswerError::Declined));
}

#[test]
fn answers_of_the_wrong_shape_are_not_read() {
    covers!("10.3-6", "10.3-9");
    let form = elicit::form("m").string("s");
    for wrong in [
        json!(12345),
        json!(null),
        json!({}),
        json!({"action": "yes"}),
        json!({"action": "Accept"}),
        json!({"action": "accept", "content": null}),
        json!({"action": "accept", "content": []}),
        accept(json!({"x": {}})),
        accept(json!({"x": null})),
        accept(json!({"x": [1]})),
    ] {
        assert!(form.read(&wrong).is_none(), "{wrong}");
        assert!(elicit::url("m", "https://a.example").read(&wrong).is_none(), "{wrong}");
    }
    assert!(form.read(&json!({"action": "accept"})).unwrap().accepted());
    // Who said no has answered, whatever else came along.
    for content in [json!(null), json!({"x": {}}), json!([])] {
        let answer = form.read(&json!({"action": "decline", "content": content})).unwrap();
        assert_eq!((answer.action(), answer.content().len()), (Action::Decline, 0));
    }
}

#[test]
fn accepted_answers_fit_the_form() {
    covers!("10.3-6");
    let text = || elicit::form("m").string("f");
    let number = || elicit::form("m").number("f").min(0.5).max(2);
    let many = || elicit::form("m").multi_choice("f", ["a", "b"]).min(1).max(2);
    for (form, value, fits) in [
        (text(), json!("x"), true),
        (text(), json!(1), false),
        (text(), json!(["x"]), false),
        (text().min(2).max(3), json!("é"), false),
        (text().min(2).max(3), json!("éé"), true),
        (text().min(2).max(3), json!("éééé"), false),
        // A format is a hint.
        (text().format("email"), json!("nobody"), true),
        (elicit::form("m").choice("f", ["a", "b"]), json!("a"), true),
        (elicit::form("m").choice("f", ["a", "b"]), json!("c"), false),
        (elicit::form("m").titled_choice("f", [("a", "A")]), json!("a"), true),
        (elicit::form("m").titled_choice("f", [("a", "A")]), json!("A"), false),
        (number(), json!(0.5), true),
        (number(), json!(2), true),
        (number(), json!(0.4), false),
        (number(), json!(2.1), false),
        (number(), json!("1"), false),
        (elicit::form("m").integer("f"), json!(1), true),
        (elicit::form("m").integer("f"), json!(1.0), true),
        (elicit::form("m").integer("f"), json!(1.5), false),
        (elicit::form("m").boolean("f"), json!(false), true),
        (elicit::form("m").boolean("f"), json!("false"), false),
        (many(), json!([]), false),
        (many(), json!(["a", "b"]), true),
        (many(), json!(["a", "b", "a"]), false),
        (many(), json!(["c"]), false),
        (many(), json!("a"), false),
        (elicit::form("m").titled_multi_choice("f", [("a", "A")]), json!(["a"]), true),
        (elicit::form("m").titled_multi_choice("f", [("a", "A")]), json!(["A"]), false),
    ] {
        assert_eq!(form.read(&accept(json!({"f": value}))).is_some(), fits, "{form:?} {value}");
        // The same form, written by hand, judges the same.
        let raw = InputRequest::raw("elicitation/create", form.request().params().unwrap().into_owned());
        assert_eq!(raw.read(&accept(json!({"f": value}))).is_some(), fits, "{raw:?} {value}");
    }
    assert!(text().required().read(&accept(json!({}))).is_none());
    assert!(text().required().read(&json!({"action": "accept"})).is_none());
    assert!(text().required().read(&json!({"action": "cancel"})).is_some());
}

#[test]
fn pages() {
    let page = elicit::url("m", "https://a.example");
    assert_eq!(page.read(&json!({"action": "accept"})), Some(Action::Accept));
    assert_eq!(page.read(&json!({"action": "cancel"})), Some(Action::Cancel));
}

#[test]
fn the_models_answer() {
    covers!("10.3-10");
    let ask = sampling::message("t", 1);
    let one = json!({"role": "assistant", "content": {"type": "text", "text": "a"}, "model": "m", "stopReason": "new"});
    let answer = ask.read(&one).unwrap();
    assert_eq!((answer.text(), answer.model.as_str(), answer.stop_reason.as_deref()), (Some("a"), "m", Some("new")));
    let list = json!({"role": "assistant", "model": "m", "content": [
        {"type": "tool_use", "id": "1", "name": "n", "input": {}, "_meta": {"k": 1}}, {"type": "text", "text": "b"}]});
    let answer = ask.read(&list).unwrap();
    assert_eq!((answer.text(), answer.content.blocks().len()), (Some("b"), 2));
    for wrong in [
        json!(1),
        json!({"role": "assistant", "content": {"type": "text", "text": "a"}}),
        json!({"role": "robot", "content": {"type": "text", "text": "a"}, "model": "m"}),
        json!({"role": "assistant", "content": "a", "model": "m"}),
        json!({"role": "assistant", "content": {"type": "resource_link", "uri": "a:b", "name": "n"}, "model": "m"}),
        json!({"role": "assistant", "content": [{"type": "text"}], "model": "m"}),
        json!({"role": "assistant", "content": {"type": "text", "text": "a"}, "model": "m", "stopReason": 1}),
    ] {
        assert!(ask.read(&wrong).is_none(), "{wrong}");
        assert!(ask.request().read(&wrong).is_none(), "{wrong}");
    }
    let built = CreateMessageResult::new("a", "m").stop_reason("endTurn");
    assert_eq!(ask.read(&serde_json::to_value(&built).unwrap()), Some(built));
}

#[test]
fn the_clients_roots() {
    covers!("10.3-11");
    let ask = roots::list();
    let result = json!({"roots": [{"uri": "file:///a", "name": "A"}, {"uri": "file:///b"}]});
    let wanted = ListRootsResult::new([Root::new("file:///a").name("A"), Root::new("file:///b")]);
    assert_eq!(ask.read(&result), Some(wanted));
    assert_eq!(ask.request().read(&result), Some(result));
    assert_eq!(ask.read(&json!({"roots": []})), Some(ListRootsResult::default()));
    for wrong in [
        json!({}),
        json!({"roots": {}}),
        json!({"roots": ["file:///a"]}),
        json!({"roots": [{"name": "A"}]}),
        json!({"roots": [{"uri": "https://a.example"}]}),
        json!({"roots": [{"uri": "file:///a", "name": 1}]}),
    ] {
        assert!(ask.read(&wrong).is_none(), "{wrong}");
    }
}

#[test]
fn answers_as_a_client_writes_them() {
    let content = json!({"s": 1}).as_object().cloned();
    assert_eq!(serde_json::to_value(ElicitResult::accept(content)).unwrap(), accept(json!({"s": 1})));
    assert_eq!(serde_json::to_value(ElicitResult::accept(None)).unwrap(), json!({"action": "accept"}));
    assert_eq!(serde_json::to_value(ElicitResult::decline()).unwrap(), json!({"action": "decline"}));
    assert_eq!(serde_json::to_value(ElicitResult::cancel()).unwrap(), json!({"action": "cancel"}));
    // Nothing but the four kinds of input request is read at all.
    assert!(InputRequest::raw("tools/call", json!({})).read(&json!({})).is_none());
}
