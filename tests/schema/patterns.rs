//! Patterns mean what ECMA-262 says, or are refused.

use plain_mcp::schema::Schema;
use serde_json::json;

use crate::{needs_feature, refused};

#[test]
fn patterns_read_as_ecma_262_does() {
    let cases: &[(&str, &str, bool)] = &[
        ("^a.c$", "a\u{2028}c", false),
        ("^a.c$", "a\rc", false),
        ("^a.c$", "a\u{85}c", true),
        ("^a.c$", "a🐲c", true),
        ("a$", "a\n", false),
        ("^[^]$", "\n", true),
        ("[]", "anything", false),
        ("^(?:[]|b)$", "b", true),
        ("^[]*$", "", true),
        ("^[\\b]$", "\u{8}", true),
        ("^[\\w-.]+$", "a-.", true),
        ("^[\\w-.]+$", "a/", false),
        ("^[+--]$", ",", true),
        ("^[--]$", "-", true),
        ("^[a-]$", "-", true),
        ("^[-a]$", "-", true),
        ("^[[&&a]+$", "[&a", true),
        ("^[^\\s\\d]$", "\u{feff}", false),
        ("^[^\\s\\d]$", "x", true),
        ("^[^\\D]$", "7", true),
        ("^\\u{1F432}$", "🐲", true),
        ("^\\ud83d\\udc32$", "🐲", true),
        ("^[\\u0000-\\uffff]$", "é", true),
        ("^[\\u0000-\\uffff]$", "🐲", false),
        ("^[^\\ue000]$", "\u{d7ff}", true),
        ("^\\x41\\0\\/\\-\\@$", "A\0/-@", true),
        ("^\\cJ$", "\n", true),
        ("^(?<year>\\d{4})-(\\d{2})$", "2026-07", true),
        ("^a{2,}?$", "a", false),
        ("^a{2,3}$", "aaa", true),
        ("^a{0}$", "", true),
        ("\\bfoo\\b", "a foo b", true),
        ("\\bfoo\\b", "éfoo", true),
        ("\\Bfoo", "afoo", true),
        ("^}]$", "}]", true),
        ("^ #x$", " #x", true),
        ("^(a|b|)$", "", true),
        ("^(a*)*$", "aaab", false),
        ("^K$", "\u{212a}", false),
        ("^\\W\\S$", "-x", true),
        ("^\\W$", "a", false),
        ("^\\S$", " ", false),
        ("^\\t\\n\\v\\f\\r$", "\t\n\u{b}\u{c}\r", true),
        ("^a\\.b\\*$", "a.b*", true),
        ("^a\\.b$", "axb", false),
        ("^(?<_a1>a)(?<$b>b)(?<é>c)$", "abc", true),
        ("\\d", "\u{7c0}", false),
        ("\\w", "é", false),
    ];
    for (pattern, text, matched) in cases {
        let schema = Schema::compile(&json!({"pattern": pattern})).unwrap_or_else(|refused| panic!("{refused}"));
        assert_eq!(schema.check(&json!(text)).is_ok(), *matched, "{pattern} on {text:?}");
    }
}

#[test]
fn patterns_that_are_refused() {
    for (pattern, reason) in [
        ("(?=a)", "uses lookaround"),
        ("(?!a)", "uses lookaround"),
        ("(?<=a)", "uses lookaround"),
        ("(?<!a)", "uses lookaround"),
        ("(a)\\1", "uses a backreference"),
        ("(?<a>b)\\k<a>", "uses a backreference"),
        ("(a)\\01", "uses a backreference"),
        ("\\p{L}", "uses a Unicode property"),
        ("[\\P{L}]", "uses a Unicode property"),
        ("(?i:a)", "uses inline flags"),
        ("[\\ud800-\\udbff]", "names half of a surrogate pair"),
        ("(?<a>b)|(?<a>c)", "uses a group name twice"),
    ] {
        let report = format!("/pattern: the pattern {} {reason}", json!(pattern));
        needs_feature(json!({"pattern": pattern}), &report);
    }
    let broken_brace = "has a broken {} quantifier; a plain brace is written \\{";
    for (pattern, reason) in [
        ("(", "leaves a group open"),
        (")", "closes a group that is not open"),
        ("(?a)", "has an unknown kind of group"),
        ("(?<>a)", "has an invalid group name"),
        ("(?<1>a)", "has an invalid group name"),
        ("(?<a-b>a)", "has an invalid group name"),
        ("\\pL", "has an unknown escape"),
        ("[a", "leaves a class open"),
        ("[b-a]", "has a range out of order"),
        ("a**", "repeats nothing"),
        ("|*", "repeats nothing"),
        ("^*", "repeats nothing"),
        ("\\b+", "repeats nothing"),
        ("{", "repeats nothing"),
        ("a{2,1}", "has a {} quantifier out of order"),
        ("a{,2}", broken_brace),
        ("a{", broken_brace),
        ("a\\", "ends with a backslash"),
        ("\\a", "has an unknown escape"),
        ("\\Z", "has an unknown escape"),
        ("[\\B]", "has an unknown escape"),
        ("\\c1", "has a broken \\c escape"),
        ("\\xg1", "has a broken \\x escape"),
        ("\\u{110000}", "has a broken \\u escape"),
        ("\\u12", "has a broken \\u escape"),
        ("a{30000}", "repeats too much"),
        ("((a{500}){500}){500}", "repeats too much"),
    ] {
        refused(json!({"pattern": pattern}), &format!("/pattern: the pattern {} {reason}", json!(pattern)));
    }
    for pattern in ["(".repeat(50_000), format!("{}{}", "(".repeat(50_000), ")".repeat(50_000))] {
        assert!(Schema::compile(&json!({"pattern": pattern})).is_err());
    }
}
