//! §5.2 Calls that cannot be made.

use serde_json::json;

use crate::kit::request;
use crate::peer::on_both;

/// The model can mend an argument, not a tool that is not there.
#[test]
fn case_125_a_tool_that_nobody_knows() {
    on_both(|peer| {
        for name in ["no_such_tool", "", "ECHO", "echo "] {
            peer.call("tools/call", json!({"name": name, "arguments": {}})).refused(1, -32602, 400);
        }
        let nameless = if peer.is_http() { -32020 } else { -32602 }; // over HTTP a header names one that the body does not
        for params in [json!({"arguments": {}}), json!({"name": null}), json!({"name": 5})] {
            for method in ["tools/call", "prompts/get", "resources/read"] {
                let message = request(method, params.clone()).to_string();
                peer.raw(method, Some("x"), message.as_bytes()).refused(1, nameless, 400);
            }
        }
        for arguments in [json!({}), json!({"text": 5})] {
            assert_eq!(peer.tool("echo", arguments).has_status(200).result()["isError"], true);
        }
        peer.call("resources/read", json!({"uri": "test://no-such-resource"})).refused(1, -32602, 400);
        peer.call("prompts/get", json!({"name": "no_such_prompt"})).refused(1, -32602, 400);
    });
}
