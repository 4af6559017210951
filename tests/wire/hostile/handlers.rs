//! §12 §13 Handlers that do what no handler should do.

use serde_json::{Value, json};

use super::victim::{Victim, is_served};
use super::{call, json_of};
use crate::loopback::Client;

fn internal() -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "error": {"code": -32603, "message": "Internal error"}})
}

/// The connection on which it happened goes on, and so does the thread.
#[test]
fn a_handler_that_panics() {
    covers!("12-5", "12-15");
    let victim = Victim::start("a handler that panics", "");
    let mut client = victim.client();
    for tool in ["boom", "grenade"].repeat(50) {
        let answer = client.send(call(tool, json!({}))).answer();
        assert_eq!((answer.status, json_of(&answer)), (500, internal()), "{tool}");
        is_served(&mut client);
    }
    victim.unharmed();
    drop(client);
    victim.survives();
}

/// A lock of the author's own that is poisoned harms those who take it without care, and nobody else.
#[test]
fn a_handler_that_poisons_a_lock() {
    covers!("12-15");
    let victim = Victim::start("a handler that poisons a lock", "");
    let mut client = victim.client();
    for (tool, status) in [("careless", 200), ("poison", 500), ("careless", 500), ("careful", 200), ("careless", 500)] {
        let answer = client.send(call(tool, json!({}))).answer();
        assert_eq!(answer.status, status, "{tool}");
        if status == 500 {
            assert_eq!(json_of(&answer), internal());
        }
        is_served(&mut client);
    }
    victim.unharmed();
    drop(client);
    victim.survives();
}

/// It keeps its thread and its connection, nothing more, and not for longer than it runs.
#[test]
fn a_handler_that_never_returns() {
    let victim = Victim::start("a handler that never returns", "");
    let mut clients: Vec<Client> = (0..20).map(|_| victim.client()).collect();
    for client in &mut clients {
        client.send(call("stuck", json!({})));
    }
    victim.says("stuck", 20);
    victim.unharmed();
    drop(clients);
    victim.settles_but_for(20);
    victim.unharmed();
    let answer = victim.client().send(call("release", json!({}))).answer();
    assert_eq!(answer.status, 200);
    victim.survives();
}

/// Nor does it keep the server from ending.
#[test]
fn a_handler_that_never_returns_does_not_hold_the_end() {
    covers!("13.9-14");
    let mut victim = Victim::start("a handler that never returns, at the end", "");
    let mut client = victim.client();
    client.send(call("stuck", json!({})));
    victim.says("stuck", 1);
    victim.ends();
    assert!(client.is_over());
}
