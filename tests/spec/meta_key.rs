//! §2.1 Meta key syntax.

use plain_mcp::meta::key::{meta_key, prefixed_meta_key, reserved_meta_key};
use regex_lite::Regex;

use crate::random::Random;

/// The reference's expression, letter by letter.
const EXPRESSION: &str = r"^(?:(?:[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?)(?:\.(?:[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?))*\/)?(?:[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)?$";

fn expression() -> Regex {
    Regex::new(&EXPRESSION.replace(r"\/", "/")).unwrap()
}

#[test]
fn keys() {
    covers!("2.1-1", "2.1-2");
    for good in ["", "a", "0", "a.b_c-d", "io.modelcontextprotocol/protocolVersion", "a/", "a-b.c/d", "com.example/x.y"]
    {
        assert!(meta_key(good), "{good:?}");
    }
    for bad in
        ["-a", "a-", ".a", "/a", "a//b", "a/b/c", "1a/b", "a-/b", "a..b/c", ".a/b", "a./b", "ä", "a b", "a\n", "a_b/c"]
    {
        assert!(!meta_key(bad), "{bad:?}");
    }
}

#[test]
fn prefixes() {
    covers!("2.1-3");
    assert!(prefixed_meta_key("com.example/x") && prefixed_meta_key("a/"));
    assert!(!prefixed_meta_key("x") && !prefixed_meta_key("") && !prefixed_meta_key("1/x"));

    for reserved in ["io.modelcontextprotocol/", "dev.mcp/", "org.modelcontextprotocol.api/x", "com.mcp.tools/x"] {
        assert!(reserved_meta_key(reserved), "{reserved}");
    }
    for free in ["com.example.mcp/x", "mcp/x", "modelcontextprotocol/x", "io.modelcontextprotocol", "io.mcps/x", "x"] {
        assert!(!reserved_meta_key(free), "{free}");
    }
}

#[test]
fn the_matcher_is_the_expression() {
    covers!("2.1-4");
    let expression = expression();
    let alphabet = ["a", "Z", "0", "9", ".", "-", "_", "/", "ä", " ", "\n", "mcp", "a.", "/b"];
    let mut random = Random(21);
    let mut good = 0;
    for _ in 0..20_000 {
        let key = random.text(&alphabet, 8);
        assert_eq!(meta_key(&key), expression.is_match(&key), "{key:?}");
        good += usize::from(meta_key(&key));
    }
    assert!(good > 1000 && good < 19_000, "{good} of 20000 are keys: too few of one kind to compare");
}

#[test]
fn every_short_key() {
    covers!("2.1-4");
    let expression = expression();
    let alphabet = ['a', '0', '.', '-', '_', '/'];
    let mut keys = vec![String::new()];
    for _ in 0..5 {
        let longer: Vec<String> =
            keys.iter().flat_map(|key| alphabet.iter().map(move |char| format!("{key}{char}"))).collect();
        for key in &longer {
            assert_eq!(meta_key(key), expression.is_match(key), "{key:?}");
        }
        keys = longer;
    }
}
