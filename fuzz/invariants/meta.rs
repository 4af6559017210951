//! Invariant: the `_meta` of a request gets the answer of the first row of section 2 that it breaks, in the order of the rows, and else
//! is read as it stands; the same shapes are asked of a notification, of which nothing is required.

use std::sync::LazyLock;

use plain_mcp::Limits;
use plain_mcp::meta::{self, RequestMeta};
use regex_lite::Regex;
use serde_json::{Map, Value, json};

const VERSION: &str = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
const CLIENT: &str = "io.modelcontextprotocol/clientInfo";
const LEVEL: &str = "io.modelcontextprotocol/logLevel";
const VERSIONS: [&str; 2] = ["2026-07-28", "2099-01-01"];
const LEVELS: [&str; 8] = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

/// Section 2.1, letter by letter.
static KEY: LazyLock<Regex> = LazyLock::new(|| {
    let label = "[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?";
    let name = "[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?";
    Regex::new(&format!(r"^(?:{label}(?:\.{label})*/)?(?:{name})?$")).unwrap()
});

/// RFC 3986, with characters of other scripts as they are.
static URI: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^[A-Za-z][A-Za-z0-9+.-]*:(?:[A-Za-z0-9\-._~:/?#\[\]@!$&'()*+,;=]|%[0-9A-Fa-f]{2}|[^\x00-\x7f])*$")
        .unwrap()
});

/// The data is the JSON text of params.
pub fn check(data: &[u8]) {
    let Ok(Value::Object(params)) = serde_json::from_slice(data) else { return };
    let limits = Limits::default();
    let mut rest = params.clone();
    let read = meta::read(&mut rest, &VERSIONS, &limits);
    let empty = json!({});
    let expected = expected(params.get("_meta").unwrap_or(&empty), true);
    match (&read, &expected) {
        (Ok(meta), Ok(())) => as_it_stands(meta, params.get("_meta")),
        (Err(fault), Err((code, text))) => {
            assert_eq!((fault.code().number(), fault.message()), (*code, text.as_str()), "{params:?}");
            let has_data = fault.code().number() == -32022;
            assert_eq!(fault.detail().is_some(), has_data, "{fault:?}");
        }
        _ => panic!("{read:?}, but {expected:?}"),
    }
    let mut others = params.clone();
    others.remove("_meta");
    assert_eq!(rest, others, "nothing but `_meta` is taken out");

    let read =
        meta::read_notification(&params, &limits).map_err(|fault| (fault.code().number(), fault.message().to_owned()));
    assert_eq!(read, self::expected(params.get("_meta").unwrap_or(&empty), false), "of a notification");
}

fn as_it_stands(read: &RequestMeta, meta: Option<&Value>) {
    let meta = meta.unwrap();
    assert_eq!(Value::Object(read.raw.clone()), *meta);
    assert_eq!(meta[VERSION], read.version.as_str());
    assert_eq!(read.client.is_some(), meta.get(CLIENT).is_some());
    if let Some(client) = &read.client {
        assert_eq!((&meta[CLIENT]["name"], &meta[CLIENT]["version"]), (&json!(client.name), &json!(client.version)));
    }
    assert_eq!(read.log_level.is_some(), meta.get(LEVEL).is_some());
    let token = read.progress_token.as_ref().map(|token| token.to_value());
    let minus_zero = |token: &Value| token.is_f64() && token.as_f64() == Some(0.0);
    assert_eq!(token, meta.get("progressToken").map(|token| if minus_zero(token) { json!(0) } else { token.clone() }));
}

type Row = (i64, String);

/// The rows 2-1 to 2-19 without 2-7, which is about a header.
fn expected(meta: &Value, required: bool) -> Result<(), Row> {
    let Value::Object(meta) = meta else { return row("_meta must be an object") };
    let absent = |name: &str| !required && !meta.contains_key(name);
    if !meta.keys().all(|key| KEY.is_match(key) && !key.ends_with('\n')) {
        return row("_meta contains an invalid key or non-JSON value");
    }
    if !meta.get("progressToken").is_none_or(is_token) {
        return row("progressToken must be a string of at most 256 bytes or an int64 integer");
    }
    if !meta.get(LEVEL).is_none_or(|level| LEVELS.iter().any(|known| level == known)) {
        return row("Invalid MCP request log level");
    }
    match meta.get(VERSION) {
        None if required => return row("Missing required io.modelcontextprotocol/protocolVersion metadata"),
        None => {}
        Some(Value::String(version)) if required && !VERSIONS.contains(&version.as_str()) => {
            return Err((-32022, "Unsupported protocol version".to_owned()));
        }
        Some(Value::String(_)) => {}
        Some(_) => return row("io.modelcontextprotocol/protocolVersion must be a string"),
    }
    meta.get(CLIENT).map_or(Ok(()), client)?;
    match meta.get(CAPABILITIES) {
        _ if absent(CAPABILITIES) => Ok(()),
        None => row("Missing required client capabilities metadata"),
        Some(Value::Object(declared)) => capabilities(declared),
        Some(_) => row("Client capabilities must be an object"),
    }
}

fn row(text: &str) -> Result<(), Row> {
    Err((-32602, text.to_owned()))
}

fn is_token(token: &Value) -> bool {
    let number =
        token.is_i64() || (token.is_f64() && token.as_f64() == Some(0.0) && token.to_string().starts_with('-'));
    number || token.as_str().is_some_and(|text| text.len() <= 256)
}

fn is_uri(value: &Value) -> bool {
    let odd = |character: char| !character.is_ascii() && (character.is_whitespace() || character.is_control());
    value.as_str().is_some_and(|text| URI.is_match(text) && !text.contains(odd) && !text.ends_with('\n'))
}

fn client(info: &Value) -> Result<(), Row> {
    let text = |name: &str| info.get(name).map(Value::is_string);
    if text("name") != Some(true) || text("version") != Some(true) {
        return row("Client info must include string name and version");
    }
    if let Some(name) = ["title", "description"].into_iter().find(|name| text(name) == Some(false)) {
        return row(&format!("Client info {name} must be a string"));
    }
    if !info.get("websiteUrl").is_none_or(is_uri) {
        return row("Client info websiteUrl must be a URI");
    }
    let icons = info.get("icons").is_none_or(|icons| icons.as_array().is_some_and(|icons| icons.iter().all(is_icon)));
    if icons { Ok(()) } else { row("Client info icons must be a list of valid icons") }
}

fn is_icon(icon: &Value) -> bool {
    let sizes = icon.get("sizes").map(|sizes| sizes.as_array().is_some_and(|all| all.iter().all(Value::is_string)));
    let theme = icon.get("theme").map(|theme| theme == "light" || theme == "dark");
    let kind = icon.get("mimeType").map(Value::is_string);
    icon.get("src").is_some_and(is_uri) && ![sizes, theme, kind].contains(&Some(false))
}

fn capabilities(declared: &Map<String, Value>) -> Result<(), Row> {
    let object = |value: Option<&Value>| value.is_none_or(Value::is_object);
    let get = |name: &str, inner: &str| declared.get(name).and_then(|outer| outer.get(inner));
    let named = |name: &str| declared.get(name).and_then(Value::as_object).into_iter().flatten();
    if !object(declared.get("roots")) {
        return row("Client capability roots must be an object");
    }
    if !object(declared.get("sampling")) || !object(get("sampling", "context")) || !object(get("sampling", "tools")) {
        return row("Client capability sampling must be an object whose context and tools are objects");
    }
    let modes = [get("elicitation", "form"), get("elicitation", "url")];
    let empty = declared.get("elicitation").is_none_or(|modes| *modes == json!({}));
    if !object(declared.get("elicitation"))
        || !modes.iter().all(|mode| object(*mode))
        || (!empty && modes == [None, None])
    {
        return row("Client capability elicitation must be an object, empty or with form or url objects");
    }
    if !object(declared.get("experimental")) || !named("experimental").all(|(_, value)| value.is_object()) {
        return row("Client capability experimental must map names to objects");
    }
    let extension = |(name, value): (&String, &Value)| name.contains('/') && KEY.is_match(name) && value.is_object();
    if !object(declared.get("extensions")) || !named("extensions").all(extension) {
        return row("Client capability extensions must map prefixed names to objects");
    }
    Ok(())
}
