//! Invariant: any head with any body gets one answer, whose status is that of the first step of section 13.2 that fails as a second
//! reading of head and body sees it; a result is sent only where each header agrees with the body, and -32020 only where one does not.

use std::net::{Ipv4Addr, Ipv6Addr};
use std::sync::LazyLock;

use plain_mcp::arrival::RequestHead;
use plain_mcp::http::{Exchange, Gate};
use plain_mcp::param_headers;
use serde_json::{Value, json};

use super::envelope::expected;
use super::support::answer::{Answer, answer, events};
use super::support::json::Json;
use super::support::server::SERVER;

static PLAIN: LazyLock<Exchange> = LazyLock::new(|| Exchange::new(&SERVER, Gate::new()).unwrap());
static CORS: LazyLock<Exchange> = LazyLock::new(|| Exchange::new(&SERVER, Gate::new().cors(true)).unwrap());

/// A line with method and target, lines with fields, an empty line, and the body.
pub fn check(data: &[u8]) {
    let end = data.windows(2).position(|pair| pair == b"\n\n").unwrap_or(data.len());
    let (head, body) = (&data[..end], data.get(end + 2..).unwrap_or_default());
    let Some(head) = read_head(head) else { return };
    let plain = answer(&PLAIN, &head, body);
    let step = before_the_body(&head);
    match step {
        Some(status) => {
            assert_eq!(plain.status, status, "{head:?}");
            refused(&plain, &head, &Value::Null);
        }
        None => judge(&plain, &head, body),
    }
    assert_eq!(plain.field("access-control-allow-origin"), None);
    assert_eq!(plain.field("allow"), (plain.status == 405).then_some("POST"));

    // With CORS nothing changes but the fields, and preflights are answered.
    let cors = answer(&CORS, &head, body);
    let preflight = head.method == "OPTIONS"
        && !all(&head, "origin").is_empty()
        && !all(&head, "access-control-request-method").is_empty();
    if preflight {
        assert!([204, 403, 404].contains(&cors.status), "{cors:?}");
        assert!(cors.status != 204 || cors.body.is_empty());
    } else {
        assert_eq!((cors.status, &cors.body, cors.streamed), (plain.status, &plain.body, plain.streamed));
    }
    if let Some(origin) = cors.field("access-control-allow-origin") {
        assert_eq!(all(&head, "origin"), [origin.as_bytes()]);
        assert!(is_loopback_origin(origin), "{origin:?}");
    }
}

/// A head as a host hands it over; `None` where no host could.
fn read_head(text: &[u8]) -> Option<RequestHead> {
    let text: String = text.iter().map(|byte| char::from(*byte)).collect();
    let mut lines = text.split('\n');
    let (method, target) = lines.next()?.split_once(' ')?;
    let token = |text: &str| !text.is_empty() && text.bytes().all(super::chunks::is_token);
    let mut head = RequestHead { method: method.to_owned(), target: target.to_owned(), fields: Vec::new() };
    if !token(method) || target.is_empty() || !target.bytes().all(|byte| byte.is_ascii_graphic()) {
        return None;
    }
    for line in lines {
        let (name, value) = line.split_once(':')?;
        let value = value.trim_matches([' ', '\t']);
        if !token(name) || value.chars().any(|character| character.is_ascii_control() && character != '\t') {
            return None;
        }
        head.fields.push((name.to_owned(), value.chars().map(|character| character as u8).collect()));
    }
    Some(head)
}

fn all<'a>(head: &'a RequestHead, name: &str) -> Vec<&'a [u8]> {
    head.fields.iter().filter(|(field, _)| field.eq_ignore_ascii_case(name)).map(|(_, value)| &value[..]).collect()
}

/// The value of a field that is there once, as text.
fn one<'a>(head: &'a RequestHead, name: &str) -> Option<&'a str> {
    match all(head, name).as_slice() {
        [value] => std::str::from_utf8(value).ok(),
        _ => None,
    }
}

/// Steps 1 to 5: the status of the first that fails.
fn before_the_body(head: &RequestHead) -> Option<u16> {
    let target = head.target.as_str();
    let lower = target.to_ascii_lowercase();
    let absolute =
        lower.strip_prefix("http://").or(lower.strip_prefix("https://")).map(|rest| target.len() - rest.len());
    let after = &target[absolute.unwrap_or(0)..];
    let authority = absolute.map(|_| after.split(['/', '?', '#']).next().unwrap());
    let path = after[authority.map_or(0, str::len)..].split(['?', '#']).next().unwrap();
    let host = authority.or(one(head, "host"));
    let origin = all(head, "origin").is_empty() || one(head, "origin").is_some_and(is_loopback_origin);
    let kind = one(head, "content-type").map(|kind| kind.split(';').next().unwrap().trim_matches([' ', '\t']));
    let steps = [
        (path == "/mcp", 404),
        (head.method == "POST", 405),
        (origin, 403),
        (host.is_some_and(is_loopback), 403),
        (kind.is_some_and(|kind| kind.eq_ignore_ascii_case("application/json")), 415),
        (accepts(head), 406),
    ];
    steps.iter().find(|(holds, _)| !holds).map(|(_, status)| *status)
}

/// Of the addresses in 127.0.0.0/8 a page can only come from the first.
fn is_loopback_origin(origin: &str) -> bool {
    let lower = origin.to_ascii_lowercase();
    let rest = lower.strip_prefix("http://").or(lower.strip_prefix("https://"));
    let first = |rest: &str| !rest.starts_with("127.") || rest.split(':').next() == Some("127.0.0.1");
    rest.is_some_and(|rest| is_loopback(rest) && first(rest))
}

/// A name or an address of the loopback interface, and perhaps a port.
fn is_loopback(host: &str) -> bool {
    let end = if host.starts_with('[') {
        host.find(']').map_or(host.len(), |at| at + 1)
    } else {
        host.find(':').unwrap_or(host.len())
    };
    let (name, port) = host.split_at(end);
    let port = port.is_empty()
        || port.strip_prefix(':').is_some_and(|port| !port.starts_with('+') && port.parse::<u16>().is_ok());
    let v6 = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).map(|name| name.parse::<Ipv6Addr>());
    let v6 = v6.is_some_and(|address| address == Ok(Ipv6Addr::LOCALHOST));
    let v4 = name.parse::<Ipv4Addr>().is_ok_and(|address| address.is_loopback());
    port && (name.eq_ignore_ascii_case("localhost") || v4 || v6)
}

/// Both types are accepted: of the ranges that name a type most closely one has a weight above zero.
fn accepts(head: &RequestHead) -> bool {
    let lines: Vec<&str> = all(head, "accept").iter().filter_map(|line| std::str::from_utf8(line).ok()).collect();
    let ranges: Vec<(String, bool)> =
        lines.iter().flat_map(|line| split(line, ',')).filter_map(|range| weighed(&range)).collect();
    ["application/json", "text/event-stream"].iter().all(|kind| {
        let half = [kind.split('/').next().unwrap(), "/*"].concat();
        let named = [kind, half.as_str(), "*/*"];
        let closest = named.iter().find(|name| ranges.iter().any(|(range, _)| range == *name));
        closest.is_some_and(|name| ranges.iter().any(|(range, wanted)| range == name && *wanted))
    })
}

/// A media range in lower case, and whether its weight is above zero; `None` where it has no lawful one.
fn weighed(range: &str) -> Option<(String, bool)> {
    let parts = split(range, ';');
    let trim = |text: &str| text.trim_matches([' ', '\t']).to_owned();
    let weights =
        parts.iter().skip(1).filter_map(|part| part.split_once('=')).map(|(name, value)| (trim(name), trim(value)));
    let weight = weights.into_iter().find(|(name, _)| name.eq_ignore_ascii_case("q")).map(|(_, value)| value);
    let weight =
        weight.map_or(Some(1.0), |weight| weight.parse::<f32>().ok()).filter(|weight| (0.0..=1.0).contains(weight))?;
    let name = trim(&parts[0]).to_ascii_lowercase();
    (!name.is_empty()).then_some((name, weight > 0.0))
}

/// The pieces between separators that do not stand in quotes.
fn split(text: &str, separator: char) -> Vec<String> {
    let (mut pieces, mut quoted) = (vec![String::new()], false);
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        if character == separator && !quoted {
            pieces.push(String::new());
            continue;
        }
        quoted ^= character == '"';
        let escaped = if quoted && character == '\\' { characters.next() } else { None };
        pieces.last_mut().unwrap().extend([Some(character), escaped].into_iter().flatten());
    }
    pieces
}

/// An answer with an error, or without a body to HEAD.
fn refused(answer: &Answer, head: &RequestHead, id: &Value) {
    assert!(!answer.streamed);
    if head.method == "HEAD" {
        return assert_eq!(answer.body, "");
    }
    let message: Value = serde_json::from_str(&answer.body).unwrap();
    assert_eq!(answer.field("content-type"), Some("application/json"));
    assert_eq!((&message["jsonrpc"], &message["id"]), (&json!("2.0"), id), "{message}");
    assert!(
        message["error"]["code"].is_i64() && message["error"]["message"].is_string() && message.get("result").is_none()
    );
}

/// Steps 6 to 11.
fn judge(answer: &Answer, head: &RequestHead, body: &[u8]) {
    let json = Json::read(body.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(body));
    let told = json.map_or(json!(["refused", null, null, -32700, "Parse error", false]), |json| expected(&json, 256));
    let silent = || assert_eq!((answer.streamed, answer.body.as_str()), (false, ""));
    match told[0].as_str().unwrap() {
        "response" => {
            assert_eq!(answer.status, 202);
            silent();
        }
        "notification" => {
            assert!([202, 400].contains(&answer.status));
            assert!(answer.status == 400 || one(head, "mcp-protocol-version").is_some(), "accepted without a version");
            silent();
        }
        "refused" if told[5] == true => {
            assert_eq!(answer.status, 400);
            silent();
        }
        "refused" => {
            assert_eq!(answer.status, 400);
            refused(answer, head, &told[1]);
            let error = &serde_json::from_str::<Value>(&answer.body).unwrap()["error"];
            assert_eq!((&error["code"], &error["message"]), (&told[3], &told[4]));
        }
        _ => answered(answer, head, &told),
    }
}

/// A request: `["request", id, method, params]`.
fn answered(answer: &Answer, head: &RequestHead, told: &Value) {
    let messages = if answer.streamed { events(&answer.body) } else { vec![answer.body.clone()] };
    let last: Value = serde_json::from_str(messages.last().unwrap()).unwrap();
    assert_eq!((&last["jsonrpc"], &last["id"]), (&json!("2.0"), &told[1]));
    for note in messages.iter().rev().skip(1) {
        let note: Value = serde_json::from_str(note).unwrap();
        assert!(note["method"].is_string() && note.get("id").is_none());
    }
    let agree = agree(head, &told[2], &told[3]);
    match last["error"]["code"].as_i64() {
        None => assert!(last["result"].is_object() && answer.status == 200 && agree != Some(false), "{head:?} {last}"),
        Some(code) => {
            let status = match code {
                -32601 => 404,
                -32600 | -32602 | -32020 | -32021 | -32022 => 400,
                other => panic!("{other}"),
            };
            assert_eq!(answer.status, if answer.streamed { 200 } else { status });
            assert_eq!(code == -32020, agree == Some(false), "{head:?} {last}");
        }
    }
}

/// Whether the headers say what the body says; `None` where an earlier fault answers instead.
fn agree(head: &RequestHead, method: &Value, params: &Value) -> Option<bool> {
    let plain = |name: &str| match all(head, name).as_slice() {
        [value] => param_headers::plain(value).ok(),
        _ => None,
    };
    let decoded = |name: &str| match all(head, name).as_slice() {
        [value] => param_headers::decode(value).ok(),
        _ => None,
    };
    let in_body = params["_meta"]["io.modelcontextprotocol/protocolVersion"].as_str();
    let version = plain("mcp-protocol-version");
    match (version, in_body) {
        (Some(version), Some(in_body)) if version == in_body && in_body != "2026-07-28" => return None,
        (Some(version), Some(in_body)) if version == in_body => {}
        (Some(_), None) => {} // section 2 says what is missing
        _ => return Some(false),
    }
    if plain("mcp-method") != method.as_str() {
        return Some(false);
    }
    let named = match method.as_str() {
        Some("tools/call" | "prompts/get") => "name",
        Some("resources/read") => "uri",
        _ => return Some(true),
    };
    if decoded("mcp-name").is_none() || decoded("mcp-name").as_deref() != params[named].as_str() {
        return Some(false);
    }
    if *method != "tools/call" || params[named] != "echo" {
        return Some(true);
    }
    let fields = all(head, "mcp-param-region").len();
    Some(match &params["arguments"]["region"] {
        Value::Null => fields == 0,
        Value::Array(_) | Value::Object(_) => fields == 0,
        region => decoded("mcp-param-region").is_some_and(|header| param_headers::agrees(&header, region) == Ok(true)),
    })
}
