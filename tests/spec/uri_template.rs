//! §5.4 URI templates and absolute URIs.

use plain_mcp::methods::uri_template::{TemplateError, UriTemplate};
use plain_mcp::uri::is_absolute;

use crate::random::Random;

fn template(text: &str) -> UriTemplate {
    UriTemplate::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// The variables as `a=1 b=2`, or `-` for no match.
fn vars(text: &str, uri: &str) -> String {
    match template(text).matches(uri) {
        None => "-".to_owned(),
        Some(vars) => vars.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(" "),
    }
}

fn table(rows: &[(&str, &str, &str)]) {
    for (text, uri, expected) in rows {
        assert_eq!(vars(text, uri), *expected, "{text} and {uri}");
    }
}

#[test]
fn simple() {
    covers!("5.4-6");
    table(&[
        ("test://template/{id}/data", "test://template/123/data", "id=123"),
        ("test://template/{id}/data", "test://template/a%2Fb/data", "id=a/b"),
        ("test://template/{id}/data", "test://template/%E6%97%A5%20x/data", "id=日 x"),
        ("test://template/{id}/data", "test://template/日/data", "id=日"),
        ("test://template/{id}/data", "test://template/100%2525/data", "id=100%25"),
        ("test://template/{id}/data", "test://template/a/b/data", "-"),
        ("test://template/{id}/data", "test://template//data", "-"),
        ("test://template/{id}/data", "test://template/1/data/", "-"),
        ("test://template/{id}/data", "test://template/1/dat", "-"),
        ("test://template/{id}/data", "test://template/1?x/data", "-"),
        ("test://template/{id}/data", "test://template/1#x/data", "-"),
        ("test://template/{id}/data", "test://template/a:b@c=d,e;f/data", "id=a:b@c=d,e;f"),
        ("test://template/{id}/data", "test://template/%ff/data", "-"),
        ("test://template/{id}/data", "test://template/%zz/data", "-"),
        ("test://template/{id}/data", "test://template/1%2/data", "-"),
        ("test://template/{id}/data", "test://template/1/data%", "-"),
        ("test://template/{id}/data", "Test://template/1/data", "-"),
        ("{x}", "", "-"),
        ("{x}", "%00", "x=\0"),
        ("", "", ""),
        ("test://plain", "test://plain", ""),
        ("test://plain", "test://plain/", "-"),
    ]);
}

#[test]
fn literals_match_what_they_are_encoded_to() {
    covers!("5.4-6");
    table(&[
        ("test://café/{id}", "test://caf%C3%A9/7", "id=7"),
        ("test://café/{id}", "test://caf%c3%a9/7", "id=7"),
        ("test://café/{id}", "test://café/7", "id=7"),
        ("test://caf%C3%A9/{id}", "test://café/7", "id=7"),
        ("test://a b/{id}", "test://a%20b/7", "id=7"),
        ("test://a%2Fb/{id}", "test://a%2fb/7", "id=7"),
        ("test://a%2Fb/{id}", "test://a/b/7", "-"),
        ("test://a/b/{id}", "test://a%2Fb/7", "-"),
        ("test://~a/{id}", "test://%7E%61/7", "id=7"),
        ("test://~a/{id}", "test://%7e%61/%7e%61", "id=~a"),
    ]);
}

#[test]
fn several() {
    table(&[
        ("t:{a,b}", "t:1,2", "a=1 b=2"),
        ("t:{a,b}", "t:1%2C0,2", "a=1,0 b=2"),
        ("t:{a,b}", "t:1", "-"),
        ("t:{a,b}", "t:1,", "-"),
        ("t:{a,b}", "t:1,2,3", "-"),
        ("t:{a}-{b}", "t:x-y-z", "a=x-y b=z"),
        ("t:{a}{b}", "t:xyz", "a=xy b=z"),
        ("t:{a}{b}", "t:x", "-"),
        ("t:{b}/{a}", "t:1/2", "b=1 a=2"),
        ("t:{a.b}/{_c}", "t:1/2", "a.b=1 _c=2"),
    ]);
}

#[test]
fn variables_beside_each_other_share_whole_characters() {
    covers!("5.4-6");
    table(&[
        ("t:{x}{y}", "t:ab", "x=a y=b"),
        ("t:{x}{y}", "t:日", "-"),
        ("t:{x}{y}", "t:日本", "x=日 y=本"),
        ("t:{x}{+y}{z}", "t:%D0%9B%D0%9B%D0%9B", "x=Л y=Л z=Л"),
        ("t:{x}%9B{y}", "t:%D0%9B%9Ba", "x=Л y=a"),
        ("t:{x}{y}", "t:a%ff", "-"),
    ]);
}

#[test]
fn reserved_and_fragment() {
    covers!("5.4-6");
    table(&[
        ("file:///{+path}", "file:///a/b%20c/d?e#f", "path=a/b c/d?e#f"),
        ("file:///{+path}", "file:///", "-"),
        ("file:///{+path}", "file:///a b", "path=a b"),
        ("file:///{+dir}/{name}", "file:///a/b/c", "dir=a/b name=c"),
        ("file:///{+path}.md", "file:///a.md/b.md", "path=a.md/b"),
        ("t:{+a,b}", "t:1/2,3/4", "a=1/2 b=3/4"),
        ("t:x{#part}", "t:x#a/b", "part=a/b"),
        ("t:x{#part}", "t:x", "-"),
        ("t:x{#a,b}", "t:x#1,2", "a=1 b=2"),
    ]);
}

#[test]
fn path_and_label() {
    table(&[
        ("t://h{/a}", "t://h/1", "a=1"),
        ("t://h{/a,b}", "t://h/1/2", "a=1 b=2"),
        ("t://h{/a,b}", "t://h/1", "-"),
        ("t://h{/a}", "t://h/1/2", "-"),
        ("t://h/x{.ext}", "t://h/x.md", "ext=md"),
        ("t://h/x{.a,b}", "t://h/x.tar.gz", "a=tar b=gz"),
        ("t://h/{x}{.ext}", "t://h/a.b.c", "x=a.b ext=c"),
    ]);
}

#[test]
fn query() {
    table(&[
        ("t://h/s{?q,n}", "t://h/s?q=1&n=2", "q=1 n=2"),
        ("t://h/s{?q,n}", "t://h/s?n=2&q=1", "q=1 n=2"),
        ("t://h/s{?q,n}", "t://h/s?n=2", "n=2"),
        ("t://h/s{?q,n}", "t://h/s", ""),
        ("t://h/s{?q,n}", "t://h/s?", ""),
        ("t://h/s{?q,n}", "t://h/s?q=", "q="),
        ("t://h/s{?q,n}", "t://h/s?q=a%26b+c/?d", "q=a&b+c/?d"),
        ("t://h/s{?q,n}", "t://h/s?q=1&q=2", "-"),
        ("t://h/s{?q,n}", "t://h/s?q=1&x=2", "-"),
        ("t://h/s{?q,n}", "t://h/s?q", "-"),
        ("t://h/s{?q,n}", "t://h/s?q=1&", "-"),
        ("t://h/s{?q,n}", "t://h/s?q=1#f", "-"),
        ("t://h/s{?q,n}", "t://h/s?q=%ff", "-"),
        ("t://h/s{?q,n}", "t://h/s?q=%4", "-"),
        ("t://h/{+p}{?q}", "t://h/a/b?q=1", "p=a/b q=1"),
        ("t://h/s", "t://h/s?q=1", "-"),
    ]);
    let found = template("t:x{?q,n}").matches("t:x?n=2").unwrap();
    assert_eq!((found.get("q"), found.get("n"), found.get("z")), (None, Some("2"), None));
}

#[test]
fn refused_templates() {
    let name = |name: &str| TemplateError::Name(name.to_owned());
    let modifier = |name: &str| TemplateError::Modifier(name.to_owned());
    let rows = [
        ("t:{a", TemplateError::Brace),
        ("t:a}", TemplateError::Brace),
        ("t:{a}}", TemplateError::Brace),
        ("t:{a{b}}", name("a{b")),
        ("t:{}", name("")),
        ("t:{a,}", name("")),
        ("t:{+}", name("")),
        ("t:{a b}", name("a b")),
        ("t:{a-b}", name("a-b")),
        ("t:{a.}", name("a.")),
        ("t:{é}", name("é")),
        ("t:{%41}", name("%41")),
        ("t:{a}/{a}", TemplateError::Repeated("a".to_owned())),
        ("t:{a}{?a}", TemplateError::Repeated("a".to_owned())),
        ("t:{a:3}", modifier("a:3")),
        ("t:{a*}", modifier("a*")),
        ("t:{/a*}", modifier("a*")),
        ("t:{&a}", TemplateError::Operator('&')),
        ("t:{;a}", TemplateError::Operator(';')),
        ("t:{=a}", TemplateError::Operator('=')),
        ("t:{?a}/x", TemplateError::Query),
        ("t:{?a}{#b}", TemplateError::Query),
        ("t:x?y=1{?a}", TemplateError::Query),
        ("t:%4{a}", TemplateError::Percent),
        ("t:%{a}", TemplateError::Percent),
    ];
    for (text, error) in rows {
        assert_eq!(UriTemplate::parse(text), Err(error), "{text}");
    }
}

#[test]
fn text_and_names_are_kept() {
    let template = template("test://{a}/{b.c}{?d}");
    assert_eq!(template.as_str(), "test://{a}/{b.c}{?d}");
    assert_eq!(template.names().collect::<Vec<_>>(), ["a", "b.c", "d"]);
}

#[test]
fn a_hard_pair_costs_no_more_than_an_easy_one() {
    // With backtracking, 20 variables over 8000 equal letters would take longer than the machine lasts.
    let names: Vec<String> = (0..20).map(|n| format!("{{v{n}}}")).collect();
    let text = format!("t:{}!", names.join("a"));
    assert_eq!(vars(&text, &format!("t:{}", "a".repeat(8000))), "-");
    assert_ne!(vars(&text, &format!("t:{}!", "a".repeat(8000))), "-");
    assert_eq!(vars("t:{+a}", &format!("t:{}", "a".repeat(8191))), "-", "longer than 8192 bytes");
    assert_ne!(vars("t:{+a}", &format!("t:{}", "a".repeat(8190))), "-");
}

#[test]
fn absolute_uris() {
    for good in [
        "test://static-text",
        "a:",
        "urn:isbn:0451450523",
        "file:///a%20b",
        "z-mrtr://x",
        "h+t.p-1:x",
        "test://café/7",
        "mailto:a@b.c",
        "http://[::1]:80/a?b=c#d",
        "TEST:x",
    ] {
        assert!(is_absolute(good), "{good}");
    }
    for bad in [
        "",
        ":",
        ":x",
        "static-text",
        "/a/b",
        "//host/a",
        "1a:b",
        "a b:c",
        "ä:b",
        "a:b c",
        "a:b\n",
        "a:\u{7f}",
        "a:%zz",
        "a:%2",
        "a:b\tc",
        "a:<b>",
        "a:{b}",
        "a:\"b\"",
        "a:b\\c",
        "a:\u{a0}",
        "a:\u{2028}",
        "a:\u{85}",
        "a_b:c",
        "?a:b",
    ] {
        assert!(!is_absolute(bad), "{bad:?}");
    }
}

/// Expands a template whose expressions all have one variable, as RFC 6570 says.
fn expand(parts: &[(char, &str)]) -> (String, String, Vec<String>) {
    let (mut text, mut uri, mut values) = (String::new(), String::new(), Vec::new());
    for (operator, value) in parts {
        let name = format!("v{}", values.len());
        let keep = |char: char| {
            char.is_ascii_alphanumeric()
                || "-._~".contains(char)
                || ("+#".contains(*operator) && "/?#[]@:!$&'()*+,;=".contains(char))
        };
        let encoded: String = value
            .chars()
            .map(|char| {
                if keep(char) {
                    char.to_string()
                } else {
                    char.to_string().bytes().map(|byte| format!("%{byte:02X}")).collect()
                }
            })
            .collect();
        match operator {
            'L' => {
                text.push_str("/l-");
                uri.push_str("/l-");
                continue;
            }
            ' ' => text.push_str(&format!("{{{name}}}")),
            operator => text.push_str(&format!("{{{operator}{name}}}")),
        }
        match operator {
            '/' | '.' | '#' => uri.push(*operator),
            '?' => uri.push_str(&format!("?{name}=")),
            _ => {}
        }
        uri.push_str(&encoded);
        values.push((*value).to_owned());
    }
    (text, uri, values)
}

#[test]
fn what_was_expanded_is_read_back() {
    // One variable between two literals: only one reading is possible.
    let mut random = Random(6570);
    let pieces = ["a", "/", "%", "é", " ", "?", ",", "日", "&", "=", "+", ".", "{", "\0"];
    for _ in 0..5_000 {
        let value = format!("x{}", random.text(&pieces, 6));
        let operator = *random.pick(&[' ', '+', '/', '#', '?']);
        let (text, uri, values) = expand(&[('L', ""), (operator, &value)]);
        let found = template(&text).matches(&uri).unwrap_or_else(|| panic!("{text} and {uri}"));
        assert_eq!(found.get("v0"), Some(values[0].as_str()), "{text} and {uri}");
    }
}

#[test]
fn any_text_is_a_template_or_none_and_matches_or_not() {
    let pieces = [
        "t:", "/", "{", "}", "a", "b", ",", "+", "#", "?", ".", "&", "=", "%41", "%", "é", " ", "{a}", "{+b}", "{?c,d}",
    ];
    let mut random = Random(54);
    let mut matched = 0;
    for _ in 0..20_000 {
        let Ok(template) = UriTemplate::parse(&random.text(&pieces, 7)) else { continue };
        let uri = random.text(&pieces, 7);
        let _ = is_absolute(&uri);
        if let Some(vars) = template.matches(&uri) {
            matched += 1;
            assert!(vars.iter().count() <= template.names().count());
            assert!(vars.iter().all(|(name, _)| template.names().any(|known| known == name)));
        }
    }
    assert!(matched > 20, "only {matched} matches: nothing was tested");
}
