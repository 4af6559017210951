//! §13.9 A server that may open 40 files, and more clients than that.
#![cfg(unix)]

use serde_json::json;

use super::victim::{Victim, is_served};
use super::{call, is_refused};
use crate::loopback::Client;

/// Those that say nothing, or only begin to, make room for those that ask.
#[test]
fn idle_clients_make_room() {
    covers!("13.9-13");
    let victim = Victim::start_with_descriptors("40 descriptors, idle clients", "", 40);
    let mut busy: Vec<Client> = (0..5).map(|_| victim.client()).collect();
    for client in &mut busy {
        client.send(call("silent", json!({})));
    }
    victim.says("silent", 5);
    for _ in 0..3 {
        let idle: Vec<Client> = (0..60).map(|_| victim.client()).collect();
        victim.unharmed();
        let begun: Vec<Client> = (0..60)
            .map(|_| {
                let mut client = victim.client();
                client.try_send("POST /mcp HT");
                client
            })
            .collect();
        victim.unharmed();
        drop((idle, begun));
    }
    drop(busy);
    victim.says("cancelled", 5);
    victim.survives();
}

/// Those whose request has begun keep their place, but not for longer than the deadline; others share what is left.
#[test]
fn slow_clients_are_waited_out() {
    covers!("13.9-13", "13.9-5");
    let victim = Victim::start_with_descriptors("40 descriptors, slow clients", "body_deadline=1000", 40);
    let request = call("echo", json!({"text": "slow"})).replacen("\r\n", "\r\nexpect: 100-continue\r\n", 1);
    let head = request.split_inclusive("\r\n\r\n").next().unwrap();
    let mut slow: Vec<Client> = (0..30)
        .map(|_| {
            let mut client = victim.client();
            assert_eq!(client.send(head).answer().status, 100, "its head has been read");
            client
        })
        .collect();
    let others: Vec<Client> = (0..30)
        .map(|_| {
            let mut client = victim.client();
            is_served(&mut client);
            client
        })
        .collect();
    for client in &mut slow {
        is_refused(client, 408, "Request did not arrive in time");
    }
    drop((slow, others));
    victim.survives();
}
