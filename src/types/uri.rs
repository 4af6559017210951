//! §10.1 What kind of URI a text is: for a page, a root or an icon.

use crate::uri::is_absolute;

/// The scheme in lower case and what follows its colon; nothing where the text is no absolute URI.
fn split(text: &str) -> Option<(String, &str)> {
    let (scheme, rest) = text.split_once(':')?;
    is_absolute(text).then(|| (scheme.to_ascii_lowercase(), rest))
}

/// Whether the text is a `file://` URI.
pub(super) fn is_file(text: &str) -> bool {
    split(text).is_some_and(|(scheme, rest)| scheme == "file" && rest.starts_with("//"))
}

/// Whether the text is a `data:` URI.
fn is_data(text: &str) -> bool {
    split(text).is_some_and(|(scheme, rest)| scheme == "data" && rest.contains(','))
}

/// Whether the text may be the source of an icon: http, https or data.
pub(super) fn is_icon(text: &str) -> bool {
    is_data(text) || web(text).is_ok()
}

/// req 10.1-7: why the text is not an http or https URL with a host and without user information.
pub(super) fn web(text: &str) -> Result<(), &'static str> {
    // Other scripts are refused: what a user is sent to shows its real spelling.
    let (scheme, rest) = split(text).filter(|_| text.is_ascii()).ok_or("url must be a valid URL")?;
    if scheme != "http" && scheme != "https" {
        return Err("url must be an http or https URL");
    }
    let rest = rest.strip_prefix("//").ok_or("url must have a host")?;
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    if authority.contains('@') {
        return Err("url must not carry user information");
    }
    host_and_port(authority)
}

/// Why an authority without user information is not a host with an optional port.
fn host_and_port(authority: &str) -> Result<(), &'static str> {
    let (host, port) = match authority.strip_prefix('[') {
        Some(literal) => {
            let (host, after) = literal.split_once(']').ok_or("url must be a valid URL")?;
            if host.parse::<std::net::Ipv6Addr>().is_err() {
                return Err("url must be a valid URL");
            }
            (host, if after.is_empty() { None } else { Some(after.strip_prefix(':').unwrap_or("x")) })
        }
        None => authority.split_once(':').map_or((authority, None), |(host, port)| (host, Some(port))),
    };
    if host.is_empty() {
        return Err("url must have a host");
    }
    let reads =
        |port: &str| port.is_empty() || (port.bytes().all(|b| b.is_ascii_digit()) && port.parse::<u16>().is_ok());
    if !port.is_none_or(reads) {
        return Err("url must be a valid URL");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{is_file, is_icon, web};

    #[test]
    fn web_urls() {
        for good in [
            "https://example.com",
            "http://127.0.0.1:8080/a?b=c#d",
            "HTTPS://[::1]:443/",
            "https://example.com/a%20b",
            "https://xn--e1afmkfd.example/?q=a@b",
        ] {
            assert_eq!(web(good), Ok(()), "{good}");
        }
        for (bad, why) in [
            ("", "url must be a valid URL"),
            ("not a url", "url must be a valid URL"),
            ("/path", "url must be a valid URL"),
            ("https://example.com/a b", "url must be a valid URL"),
            ("https://example.com/%2", "url must be a valid URL"),
            ("https://example.com:port/", "url must be a valid URL"),
            ("https://example.com:65536/", "url must be a valid URL"),
            ("https://[::1", "url must be a valid URL"),
            ("https://[::x]/", "url must be a valid URL"),
            ("https://[::1]80", "url must be a valid URL"),
            ("https://exämple.com", "url must be a valid URL"),
            ("ftp://example.com", "url must be an http or https URL"),
            ("javascript:alert(1)", "url must be an http or https URL"),
            ("https:example.com", "url must have a host"),
            ("https:///path", "url must have a host"),
            ("https://:80/", "url must have a host"),
            ("https://user@example.com", "url must not carry user information"),
            ("https://user:pw@example.com/", "url must not carry user information"),
        ] {
            assert_eq!(web(bad), Err(why), "{bad}");
        }
    }

    #[test]
    fn files_and_icons() {
        assert!(is_file("file:///home/user"));
        assert!(is_file("FILE://host/share"));
        assert!(is_file("file:///home/jürgen"));
        assert!(!is_file("file:/home"));
        assert!(!is_file("https://example.com"));
        assert!(!is_file("file:///a b"));
        assert!(is_icon("data:image/png;base64,AAAA"));
        assert!(is_icon("https://example.com/icon.png"));
        assert!(!is_icon("javascript:alert(1)"));
        assert!(!is_icon("file:///icon.png"));
    }
}
