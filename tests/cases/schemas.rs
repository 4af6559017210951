//! §5.1 §5.2 Schemas: what is listed is what arguments and results are judged by.

use serde_json::{Value, json};

use crate::kit::request;
use crate::peer::{on_both, tool_call};

#[test]
fn case_102_an_argument_that_may_be_left_out() {
    on_both(|peer| {
        let list = peer.call("tools/list", json!({}));
        assert!(!list.text.contains("\"nullable\""));
        let opt = list.result()["tools"].as_array().unwrap().iter().find(|tool| tool["name"] == "opt").unwrap();
        assert_eq!(opt["inputSchema"]["properties"]["q"], json!({"type": ["string", "null"]})); // so null is taken
        assert_eq!(peer.tool("opt", json!({"q": null})).said(), "(none)");
        assert_eq!(peer.tool("opt", json!({})).said(), "(none)");
        assert_eq!(peer.tool("opt", json!({"q": "x"})).said(), "x");
        assert_eq!(peer.tool("opt", json!({"q": 5})).result()["isError"], true);
        assert_eq!(peer.tool("echo", json!({"text": null})).result()["isError"], true); // and here it is not
    });
}

/// The cycle without data is refused when the tool is registered: to a client there is no such tool.
#[test]
fn case_106_schemas_that_lead_back_to_themselves() {
    on_both(|peer| {
        assert_eq!(peer.tool("tree", json!({"kids": [{"kids": [{"kids": []}]}]})).said(), "ok");
        assert_eq!(peer.tool("tree", json!({"kids": [{"kids": "x"}]})).result()["isError"], true);
        peer.tool("loop", json!({"v": 1})).refused(1, -32602, 400);
        assert!(!peer.call("tools/list", json!({})).text.contains("\"loop\""));

        let nested = |depth: usize| format!("{}[]{}", "[{\"kids\":".repeat(depth), "}]".repeat(depth));
        let call = tool_call(1, "tree", json!({"kids": "HERE"})).to_string();
        let deep = call.replace("\"HERE\"", &nested(50));
        assert_eq!(peer.raw("tools/call", Some("tree"), deep.as_bytes()).said(), "ok");
        let too_deep = call.replace("\"HERE\"", &nested(100_000));
        peer.raw("tools/call", Some("tree"), too_deep.as_bytes()).refused(Value::Null, -32700, 400);
    });
}

#[test]
fn case_107_arguments_that_are_no_object() {
    on_both(|peer| {
        assert_eq!(peer.call("tools/call", json!({"name": "noargs"})).said(), "ok");
        assert_eq!(peer.call("tools/call", json!({"name": "noargs", "arguments": {}})).said(), "ok");
        for arguments in [json!(null), json!([]), json!("x"), json!(1), json!(false)] {
            peer.call("tools/call", json!({"name": "noargs", "arguments": arguments})).refused(1, -32602, 400);
            let prompt = json!({"name": "test_simple_prompt", "arguments": arguments});
            peer.call("prompts/get", prompt).refused(1, -32602, 400);
        }
    });
}

#[test]
fn case_108_integers_with_a_fraction_of_zeros() {
    on_both(|peer| {
        let call = tool_call(1, "count", json!({"n": "HERE"})).to_string();
        for (written, said) in [
            ("3.0", "3"),
            ("2e2", "200"),
            ("-0.0", "0"),
            ("1.50e1", "15"),
            ("9223372036854775807", "9223372036854775807"),
        ] {
            let call = call.replace("\"HERE\"", written);
            assert_eq!(peer.raw("tools/call", Some("count"), call.as_bytes()).said(), said, "{written}");
        }
        for written in ["3.5", "\"3\"", "true", "1e-1"] {
            let call = call.replace("\"HERE\"", written);
            let heard = peer.raw("tools/call", Some("count"), call.as_bytes());
            assert_eq!(heard.result()["isError"], true, "{written}");
        }
    });
}

#[test]
fn case_110_results_that_are_no_object() {
    on_both(|peer| {
        for (tool, value) in [("arr", json!([1, 2])), ("num", json!(4.5)), ("nul", Value::Null)] {
            let heard = peer.tool(tool, json!({}));
            assert_eq!(heard.result().get("structuredContent"), Some(&value), "there, also where it is null");
            assert_eq!(serde_json::from_str::<Value>(heard.said()).unwrap(), value);
        }
    });
}

/// Two schemas of other dialects are offered at the start. Nobody knows the one, so it is refused; draft-07 is refused as well,
/// or else honoured, where the feature `jsonschema` can read it: as a tuple, which 2020-12 writes in another way.
#[test]
fn case_114_schemas_of_another_dialect() {
    on_both(|peer| {
        let mut call =
            |tool, arguments| peer.ask(&request("tools/call", json!({"name": tool, "arguments": arguments})));
        call("odd", json!({})).refused(1, -32602, 400);
        if cfg!(feature = "jsonschema") {
            assert_eq!(call("d7", json!({"t": [1, "x"]})).said(), "ok");
            assert_eq!(call("d7", json!({"t": ["x", 1]})).result()["isError"], true);
        } else {
            call("d7", json!({"t": [1, "x"]})).refused(1, -32602, 400);
            assert!(!peer.call("tools/list", json!({})).text.contains("draft-07"));
        }
    });
}
