//! §1 The reader of JSON text: what serde_json reads, and nothing else.

use plain_mcp::json::{Flaw, read};
use serde_json::{Value, json};

use crate::random::Random;

/// Reads a text, and sees to it that serde_json reads the same. Values are compared by their text too, so that -0.0 is not 0.0 and
/// every bit of a float counts.
fn same(text: &[u8]) -> Option<Value> {
    let own = read(text, 1_000_000).map(|document| document.value);
    let other = serde_json::from_slice::<Value>(text).ok();
    let shown = String::from_utf8_lossy(&text[..text.len().min(300)]);
    assert!(own.is_ok() || own == Err(Flaw::NotJson), "{shown}");
    let own = own.ok();
    assert_eq!(own, other, "{shown}");
    assert_eq!(own.as_ref().map(Value::to_string), other.as_ref().map(Value::to_string), "{shown}");
    own
}

/// The text alone, and in the places where a value or a name may stand.
fn everywhere(text: &str) -> Option<Value> {
    same(format!("[{text}]").as_bytes());
    same(format!("[{text},{text} ]").as_bytes());
    same(format!("{{\"a\":{text}}}").as_bytes());
    same(format!("{{\"a\": {text} ,{text}:1}}").as_bytes());
    same(text.as_bytes())
}

#[test]
fn numbers_are_those_of_serde_json() {
    covers!("1-12");
    let (nines, zeros) = ("9".repeat(400), "0".repeat(400));
    let long = [
        format!("0.{zeros}1"),
        format!("1{zeros}.5e-400"),
        format!("{nines}e-399"),
        format!("{nines}.{nines}e-200"),
        format!("0.{zeros}{nines}e401"),
        format!("0.{}1e1000001", "0".repeat(1_000_000)),
        format!("1{}e-70000", "0".repeat(70_000)),
    ];
    let good = [
        "0",
        "-0",
        "-0.0",
        "0.0",
        "0e0",
        "-0e-0",
        "1",
        "-1",
        "10",
        "0.1",
        "0.30000000000000004",
        "1.0",
        "1E+2",
        "1e2",
        "1e-2",
        "1.5E-7",
        "9007199254740993",
        "9007199254740993.0",
        "9223372036854775807",
        "9223372036854775808",
        "-9223372036854775808",
        "-9223372036854775809",
        "18446744073709551615",
        "18446744073709551616",
        "-18446744073709551616",
        "123456789012345678901234567890",
        "1.7976931348623157e308",
        "1.7976931348623158e308",
        "2.2250738585072011e-308",
        "5e-324",
        "2e-324",
        "3e-324",
        "1e-400",
        "0e400",
        "0e99999999999999999999",
        "1e-99999999999999999999",
        "1e0000000000000001",
        "2.22507385850720113605740979670913197593481954635164564e-308",
        "7.2057594037927933e16",
        "0.500000000000000166533453693773481063544750213623046875",
    ];
    // the parser of the standard library reads 0 here
    assert_eq!(same(long[5].as_bytes()), Some(json!(1.0)));
    for text in good.into_iter().chain(long.iter().map(String::as_str)) {
        assert!(everywhere(text).is_some(), "{text}");
    }
    let bad = [
        "1e400",
        "-1e400",
        "1.8e308",
        "1e99999999999999999999",
        "01",
        "-01",
        "00",
        "1.",
        ".5",
        "-.5",
        "-",
        "+1",
        "--1",
        "1e",
        "1e+",
        "1E-",
        "1.e1",
        "1.5.5",
        "1e5e5",
        "1e5.5",
        "0x10",
        "1_000",
        "1-2",
        "1+",
        "NaN",
        "nan",
        "Infinity",
        "-Infinity",
        "1a",
        "١",
        "1 2",
    ];
    for text in bad {
        assert_eq!(everywhere(text), None, "{text}");
    }
    let mut random = Random(1);
    for _ in 0..20_000 {
        let digits = random.text(
            &["0", "1", "9", "25", "007", ".", "-", "e", "E", "+", "e-3", "e30", "0000000000", "1844674407370955161"],
            6,
        );
        same(digits.as_bytes());
        let float = f64::from_bits(random.next());
        same(format!("[{float},{float:e}]").as_bytes());
    }
}

#[test]
fn strings_are_those_of_serde_json() {
    for text in [
        r#""""#,
        r#""a""#,
        r#""\"\\\/\b\f\n\r\t""#,
        r#""\u0000""#,
        r#""\u001f\u007F""#,
        r#""\u00e9\u00E9\u20ac""#,
        r#""\ud83d\ude00""#,
        r#""\uD800\uDC00\uDBFF\uDFFF""#,
        r#""\ufffe\uffff""#,
        "\"\u{7f}\"",
        "\"\u{80}é€😀\u{10ffff}\"",
        "\"\u{feff}\u{2028}\"",
        r#""/""#,
    ] {
        assert!(everywhere(text).is_some(), "{text}");
    }
    for text in [
        "\"",
        "\"a",
        r#""\"#,
        r#""\""#,
        r#""\x""#,
        r#""\U0041""#,
        r#""\'""#,
        r#""\a""#,
        r#""\u""#,
        r#""\u004""#,
        r#""\u004g""#,
        r#""\u+041""#,
        r#""\u 041""#,
        r#""\ud800""#,
        r#""\udc00""#,
        r#""\ud800x""#,
        r#""\ud800\n""#,
        r#""\ud800\u0041""#,
        r#""\ud800\ud800""#,
        r#""\udc00\ud800""#,
        r#""\ud800\u""#,
        "'a'",
        "a",
        "\"\n\"",
        "\"\t\"",
        "\"\0\"",
        "\"\u{1f}\"",
    ] {
        assert_eq!(everywhere(text), None, "{text}");
    }
    // each byte, and each letter after a backslash, at each place of a word of eight bytes
    for byte in 0..=255 {
        for place in 0..20 {
            for escape in ["", "\\", r"\n", r"\\"] {
                let mut text = format!("\"{}{escape}", "x".repeat(place)).into_bytes();
                text.push(byte);
                text.extend_from_slice(b"yyyyyyyyyy\"");
                same(&text);
            }
        }
    }
    // around the length at which what is ready is moved on, and the vector grows
    for length in (0..40).chain(225..270).chain(480..530) {
        for end in ["", r"\n", r"\u20ac", r"\ud83d\ude00", "é", r"\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n"] {
            let text = format!(r#""\t{}{end}{}{end}""#, "x".repeat(length), "é".repeat(length));
            assert!(same(text.as_bytes()).is_some(), "{text}");
        }
    }
}

#[test]
fn what_is_no_utf_8_is_no_json() {
    covers!("1-16");
    let bad: &[&[u8]] = &[
        b"\x80",
        b"\xbf",
        b"\xc0\x80",
        b"\xc1\xbf",
        b"\xc3",
        b"\xc3x",
        b"\xe0\x80\x80",
        b"\xe0\x9f\xbf",
        b"\xe2\x82",
        b"\xed\xa0\x80",
        b"\xed\xbf\xbf",
        b"\xf0\x80\x80\x80",
        b"\xf0\x9f\x98",
        b"\xf4\x90\x80\x80",
        b"\xf5\x80\x80\x80",
        b"\xfe",
        b"\xff",
    ];
    for bytes in bad {
        for (before, after) in [
            ("\"", "\""),
            ("\"\\n", "\""),
            ("\"é", "\\u0041\""),
            ("[", "]"),
            ("", "1"),
            ("1", ""),
            ("{\"", "\":1}"),
            ("\"a\\", "\""),
        ] {
            let text = [before.as_bytes(), bytes, after.as_bytes()].concat();
            assert_eq!(same(&text), None, "{text:?}");
        }
    }
}

#[test]
fn the_grammar_is_that_of_serde_json() {
    covers!("12-1");
    for text in [
        "null",
        "true",
        "false",
        "[]",
        "{}",
        "[[],{}]",
        "{\"\":{}}",
        " \t\r\n[ \t\r\n1 , 2 ] \n",
        "{ \"a\" : [ ] , \"b\" : { } }",
        "{\"a\":1,\"a\":2}",
        "{\"b\":1,\"a\":2,\"b\":[3]}",
    ] {
        assert!(everywhere(text).is_some(), "{text}");
    }
    for text in [
        "",
        " ",
        "nul",
        "nulll",
        "Null",
        "tru",
        "True",
        "truefalse",
        "fals",
        "[",
        "]",
        "{",
        "}",
        "[}",
        "{]",
        "[1",
        "[1,",
        "[1,]",
        "[,1]",
        "[,]",
        "[1 2]",
        "[1,,2]",
        "[1]]",
        "{\"a\"",
        "{\"a\":",
        "{\"a\":1",
        "{\"a\":1,",
        "{\"a\":1,}",
        "{,}",
        "{\"a\" 1}",
        "{\"a\":}",
        "{a:1}",
        "{1:1}",
        "{null:1}",
        "{\"a\":1 \"b\":2}",
        "{\"a\":1}}",
        "[] []",
        "[]x",
        "//\n1",
        "/**/1",
        "[1]#",
        "\u{a0}1",
        "\u{c}1",
        "\u{b}1",
        "\u{feff}1",
        "1\0",
        "\0",
        "[1\0]",
    ] {
        assert_eq!(everywhere(text), None, "{text}");
    }
}

#[test]
fn depth_is_that_of_serde_json() {
    covers!("12-1");
    for (depth, good) in [(1, true), (126, true), (127, true), (128, false), (129, false), (100_000, false)] {
        for (open, close) in [("[", "]"), ("{\"a\":", "}"), ("[[],", "]"), ("[{},", "]")] {
            let text = format!("{}1{}", open.repeat(depth), close.repeat(depth));
            // an empty list or object beside the innermost value is one step deeper
            let deepest = depth + usize::from(open.contains(','));
            assert_eq!(same(text.as_bytes()).is_some(), good && deepest <= 127, "{open} {depth}");
        }
        same("[".repeat(depth).as_bytes());
        // what has been closed does not count
        assert!(same(format!("[{}1]", "[[[]]],".repeat(depth)).as_bytes()).is_some());
    }
}

#[test]
fn spoiled_texts_are_read_as_serde_json_reads_them() {
    let whole = json!({"jsonrpc": "2.0", "id": -7, "method": "tools/call", "params": {
        "name": "é\u{1}\"\\\u{2028}😀", "arguments": {"list": [1, -2.5, 1e300, 0.1, [], {}, [[null, true, false]]], "": "", "text": "a\nb\tc/d"},
    }});
    let escaped = r#" { "a\u0062\ud83d\ude00" : [ "\u20ac\/\b\f" , 1E+2 , -0 , 18446744073709551616 ] , "long": "xxxxxxxxxxxxxxxxxxxxxxx\"yyyyyyyyyyyyyy\\zzzzz" }"#;
    let texts = [whole.to_string(), format!("{whole:#}"), escaped.to_owned()];
    for text in &texts {
        assert!(same(text.as_bytes()).is_some());
        (0..text.len()).for_each(|end| assert_eq!(same(&text.as_bytes()[..end]), None));
    }
    let (mut random, mut read) = (Random(2), 0);
    for _ in 0..60_000 {
        let mut text = random.pick(&texts).clone().into_bytes();
        for _ in 0..=random.below(3) {
            if text.is_empty() {
                break;
            }
            let at = random.below(text.len());
            match random.below(5) {
                0 => text[at] ^= 1 << random.below(8),
                1 => drop(text.remove(at)),
                2 => text.insert(at, *random.pick(b"{}[]\",:\\u0918dDeE+-. \n\x00\x1f\x80\xc3\xff")),
                3 => text.truncate(at + 1),
                _ => text[at] = random.next() as u8,
            }
        }
        read += usize::from(same(&text).is_some());
    }
    assert!((5_000..55_000).contains(&read), "{read} of them were JSON");
}

#[test]
fn what_another_reader_could_read_otherwise_is_noted() {
    covers!("1-9", "1-17");
    for (text, ambiguous, id_repeated) in [
        (r#"{"a":1,"b":{"a":1},"id":[{"id":1}]}"#, false, false),
        (r#"{"a":1,"\u0061":2}"#, true, false),
        (r#"[{"b":{"a":1,"a":1}}]"#, true, false),
        (r#"{"id":1,"i\u0064":2}"#, true, true),
        (r#"{"id":1,"a":{"id":1,"id":2}}"#, true, false),
        (r#"[{"id":1,"id":2}]"#, true, false),
        (r#"{"$serde_json::private::RawValue":"1"}"#, true, false),
        (r#"[[{"a":1,"$serde_json::private::":"1"}]]"#, true, false),
        (r#"{"$serde_json":"1","b":"$serde_json::private::RawValue"}"#, false, false),
    ] {
        let document = read(text.as_bytes(), 100).unwrap();
        assert_eq!((document.ambiguous, document.id_repeated), (ambiguous, id_repeated), "{text}");
    }
}

#[test]
fn values_are_counted_as_they_come() {
    covers!("1-18");
    for (text, count) in
        [("1", 1), ("[]", 1), ("[1,2]", 3), (r#"{"a":1,"b":{"c":[null]}}"#, 5), ("[[[[]]]]", 4), ("[1,2,\"x\"]", 4)]
    {
        assert!(read(text.as_bytes(), count).is_ok(), "{text}");
        assert_eq!(read(text.as_bytes(), count - 1), Err(Flaw::TooManyValues), "{text}");
    }
    // what comes after is not looked at
    assert_eq!(read(b"[1,2,3,\xff", 3), Err(Flaw::TooManyValues));
    assert_eq!(read(b"[1,2,\xff", 4), Err(Flaw::NotJson));
}
