//! Whatever arrives over HTTP, there is exactly one answer, and it is well-formed.

use plain_mcp::{Context, Server, Tool, text};
use serde_json::{Value, json};

use crate::corridor::{Post, call, exchange};

/// A sequence that is the same in each run (Knuth's MMIX constants).
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % sides
    }

    /// Changes, takes out or puts in a few bytes.
    fn mutate(&mut self, bytes: &mut Vec<u8>) {
        const ODD: &[u8] = b"\0\t\r\n \"\\=?,;:{}[]0-9.eE\x7f\x80\xc3\xff";
        for _ in 0..=self.roll(3) {
            let at = self.roll(bytes.len() + 1);
            let byte = ODD[self.roll(ODD.len())];
            match self.roll(3) {
                0 if at < bytes.len() => bytes[at] = byte,
                1 if at < bytes.len() => drop(bytes.remove(at)),
                _ => bytes.insert(at, byte),
            }
        }
    }
}

#[test]
fn any_bytes_get_one_answer() {
    let input = json!({"type": "object", "properties": {
        "region": {"type": "string", "x-mcp-header": "Region"},
        "shard": {"type": "integer", "x-mcp-header": "Shard"},
    }});
    let tool = Tool::new("route", "Routes").input(input);
    let server = Server::builder("any", "1")
        .tool(tool, |args: Value, _: &Context<'_>| Ok(text(args.to_string())))
        .build()
        .unwrap();
    let exchange = exchange(&server);
    let good = Post::of(&call("route", json!({"region": "ü", "shard": 42})))
        .add("Mcp-Param-Region", "=?base64?w7w=?=")
        .add("Mcp-Param-Shard", "42.0")
        .add("Origin", "http://localhost:3001");
    assert_eq!(good.to(&exchange).status, 200);
    let mut dice = Dice(7);
    let mut statuses = std::collections::BTreeSet::new();
    for _ in 0..4000 {
        let mut post = good.clone();
        match dice.roll(4) {
            0 => dice.mutate(&mut post.body),
            1 => {
                let mut target = std::mem::take(&mut post.head.target).into_bytes();
                dice.mutate(&mut target);
                post.head.target = String::from_utf8_lossy(&target).into_owned();
            }
            _ => {
                let field = dice.roll(post.head.fields.len());
                dice.mutate(&mut post.head.fields[field].1);
            }
        }
        let seen = post.to(&exchange); // the peer refuses a second answer, and each answer is checked against the schema
        assert!(seen.ended, "{post:?}");
        statuses.insert(seen.status);
    }
    for status in [200, 400, 403, 404, 406, 415] {
        assert!(statuses.contains(&status), "{status} never came: {statuses:?}");
    }
}
