//! §13.4 §15 Clients of the initialize era at a server that speaks 2026-07-28 alone.

use serde_json::json;

use crate::peer::{Peer, head_with, heard, on_both};

/// It is refused with its id and told what is spoken here, with the headers of its time and with ours.
#[test]
fn case_147_a_client_of_the_initialize_era() {
    for version in ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", "2026-07-28"] {
        let params =
            json!({"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "old", "version": "1"}});
        let message = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params});
        on_both(|peer| {
            let answer = peer.ask(&message);
            assert_eq!(answer.answer["id"], 0);
            assert_eq!(answer.answer["error"]["data"]["supported"], json!(["2026-07-28"]));
        });
        let peer = Peer::http();
        for lines in [String::new(), format!("MCP-Protocol-Version: {version}\r\n")] {
            let body = message.to_string();
            let answer = heard(peer.another().send(head_with(&lines, body.len())).send(body).answer());
            answer.refused(0, -32020, 400);
            assert!(answer.text.contains("2026-07-28"), "{answer:?}");
        }
    }
}
