//! URLs: the address of the service from the setting `base_url`, the path and query of a request, and which paths are
//! refused because servers read them differently.

use std::borrow::Cow;
use std::net::IpAddr;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use ureq::http::Uri;

use crate::json::{self, Members};
use crate::util::memory::MAX_LINE;
use crate::util::validation_error::ValidationError;
use paysvc_spec::schema::{Endpoint, Field, Location};
use paysvc_spec::status::Status;

/// Where the service is.
#[derive(Clone)]
pub struct BaseUrl {
    pub https: bool,
    /// In lower case, without the brackets of an IPv6 address.
    pub host: String,
    pub port: u16,
    /// `scheme://authority/path` without a slash at the end.
    pub text: String,
}

impl BaseUrl {
    /// The error says what is wrong, to follow the setting's name.
    pub fn parse(text: &str, allow_http: bool) -> Result<BaseUrl, String> {
        let uri: Uri = text.parse().map_err(|_| "is not a URL like https://host/path")?;
        let https = match uri.scheme_str() {
            Some("https") => true,
            Some("http") => false,
            _ => return Err("must start with https://".into()),
        };
        let authority = uri.authority().ok_or("has no host")?.as_str();
        if authority.contains('@') {
            return Err("must not hold a user or password; set the API keys in their own members".into());
        }
        if uri.query().is_some() || text.contains('#') {
            return Err("must not hold a query or fragment".into());
        }
        let host = bare_host(uri.host().unwrap_or_default());
        if host.is_empty() {
            return Err("has no host".into());
        }
        if !https && !allow_http && !is_loopback_name(&host) {
            return Err(format!(
                "uses plain http to {host}, where anyone on the way can read and change payments; use https \
                 (or set allow_http, for a test network only)"
            ));
        }
        if !text.bytes().all(|b| b.is_ascii_graphic()) {
            return Err("holds a character that must be percent-encoded".into());
        }
        let port = authority_port(authority)?.unwrap_or(if https { 443 } else { 80 });
        let path = uri.path().trim_end_matches('/');
        check_path(path)?;
        let scheme = if https { "https" } else { "http" };
        Ok(BaseUrl { https, host, port, text: format!("{scheme}://{authority}{path}") })
    }

    /// The path that every endpoint's path is appended to, without its first slash.
    pub fn path(&self) -> &str {
        self.text.splitn(4, '/').nth(3).unwrap_or_default()
    }

    /// The `host` header: the port is left out where it is the scheme's own.
    pub fn host_header(&self) -> String {
        let host = if self.host.contains(':') { format!("[{}]", self.host) } else { self.host.clone() };
        match (self.https, self.port) {
            (true, 443) | (false, 80) => host,
            (_, port) => format!("{host}:{port}"),
        }
    }
}

/// Whether plain http is allowed to this host. The transport checks the address again when it connects.
fn is_loopback_name(host: &str) -> bool {
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// Every character except the unreserved ones of RFC 3986, so that any text arrives as it was given.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// The URL of a row, with the members that belong in its path and query.
pub fn url(base_url: &BaseUrl, row: &Endpoint, members: &Members<'_>) -> Result<String, ValidationError> {
    let (mut path, mut query) = (Cow::Borrowed(row.path), String::new());
    for field in row.fields.iter().filter(|field| field.location != Location::Body) {
        let Some(value) = json::member(members, field.name).and_then(json::text) else { continue };
        check_length(row.name, field.name, value.len())?;
        match field.location {
            Location::Path => {
                path = path.replace(&format!("{{{}}}", field.name), &segment(row, field, &value)?).into();
            }
            _ => push_query(&mut query, field.name, &value),
        }
    }
    Ok([&base_url.text, &*path, &query].concat())
}

/// One percent-encoded path segment. `.` and `..` are refused: they change the path even when escaped, and so does a
/// server that decodes `%2F`, decodes twice, or removes a parameter before it resolves them.
fn segment(row: &Endpoint, field: &Field, value: &str) -> Result<String, ValidationError> {
    const MAX_ROUNDS: usize = 8;
    let mut decoded = value.to_owned();
    for _ in 0..MAX_ROUNDS {
        decoded = percent_decode_str(&decoded).decode_utf8_lossy().into_owned();
    }
    let is_dots = |part: &str| {
        let bare = part.split(';').next().unwrap_or_default().trim();
        !bare.is_empty() && bare.bytes().all(|b| b == b'.')
    };
    match decoded.split(['/', '\\']).any(is_dots) {
        true => Err(ValidationError::of_member(Status::Argument, row.name, field.name, "must not be a dot segment")),
        false => Ok(utf8_percent_encode(value, ESCAPED).to_string()),
    }
}

/// Checks the length before percent-encoding, which makes a text up to three times as long.
pub fn check_length(what: &str, member: &str, length: usize) -> Result<(), ValidationError> {
    match length {
        0..=MAX_LINE => Ok(()),
        _ => {
            let reason = format!("is {length} bytes, too long for a URL");
            Err(ValidationError::of_member(Status::Argument, what, member, reason))
        }
    }
}

/// Appends `name=value` to a query, both percent-encoded.
pub fn push_query(query: &mut String, name: &str, value: &str) {
    query.push(if query.is_empty() { '?' } else { '&' });
    query.extend(utf8_percent_encode(name, ESCAPED));
    query.push('=');
    query.extend(utf8_percent_encode(value, ESCAPED));
}

/// The characters that a path may have unescaped, besides letters and digits; a `%` begins an escape.
const PLAIN: &[u8] = b"/-._~!$&'()*+,=:@[]%";
/// The characters that no escape may stand for: a server that decodes once more, or before it splits the path, finds a
/// different path.
const NEVER_ESCAPED: &[u8] = b"/\\;%?#";

/// Why servers could read a path differently; the text follows the name of the member or setting.
pub fn check_path(path: &str) -> Result<(), String> {
    if path.contains(['?', '#']) {
        return Err("must not hold a query or fragment".into());
    }
    if path.contains(';') {
        return Err("must not hold a parameter (;): servers remove it and find another path".into());
    }
    if !path.bytes().all(|b| b.is_ascii_alphanumeric() || PLAIN.contains(&b)) {
        return Err("holds a character that must be percent-encoded".into());
    }
    let escapes = || path.split('%').skip(1).map(|rest| rest.get(..2));
    for escape in escapes() {
        let is_hex = |digits: &&str| digits.bytes().all(|b| b.is_ascii_hexdigit());
        let byte = escape.filter(is_hex).and_then(|digits| u8::from_str_radix(digits, 16).ok());
        match byte {
            None => return Err("holds a % without two hexadecimal digits after it".into()),
            Some(byte) if !(b' '..0x7f).contains(&byte) || NEVER_ESCAPED.contains(&byte) => {
                return Err(format!("must not hold %{byte:02X}: servers differ in how they read it"));
            }
            Some(_) => {}
        }
    }
    let all = segments(path);
    if all.iter().any(|segment| !segment.is_empty() && segment.bytes().all(|b| matches!(b, b'.' | b' '))) {
        return Err("must not hold dot segments".into());
    }
    // The first is the part before the first slash; the last may be the part after a final slash.
    if all.iter().skip(1).rev().skip(1).any(String::is_empty) {
        return Err("must not hold two slashes in a row".into());
    }
    Ok(())
}

/// The segments of a path that has been checked, unescaped.
pub fn segments(path: &str) -> Vec<String> {
    let unescaped = |segment| percent_decode_str(segment).decode_utf8_lossy().into_owned();
    path.split('/').map(unescaped).collect()
}

/// The host in lower case, without the brackets of an IPv6 address.
pub fn bare_host(host: &str) -> String {
    host.trim_start_matches('[').trim_end_matches(']').to_ascii_lowercase()
}

/// The port of an authority; `None` when there is none. The http crate ignores a port that it cannot parse, so it is
/// parsed here.
pub fn authority_port(authority: &str) -> Result<Option<u16>, String> {
    let host_and_port = authority.rsplit('@').next().unwrap_or_default();
    let host_end = host_and_port.find(']').map(|bracket| bracket + 1).or(host_and_port.find(':'));
    let after_host = host_end.map_or("", |end| &host_and_port[end..]);
    let Some(digits) = after_host.strip_prefix(':') else {
        return if after_host.is_empty() { Ok(None) } else { Err("has more than a port after the host".into()) };
    };
    match digits.parse::<u16>() {
        Ok(0) => Err("names port 0".into()),
        Ok(port) if digits.bytes().all(|b| b.is_ascii_digit()) => Ok(Some(port)),
        _ => Err("names a port that does not exist".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use paysvc_spec::ENDPOINTS;

    #[test]
    fn parses_host_port_and_path() {
        for (text, host, port, url) in [
            ("https://Pay.Example", "pay.example", 443, "https://Pay.Example"),
            ("https://pay.example:8443/api/v1/", "pay.example", 8443, "https://pay.example:8443/api/v1"),
            ("http://127.0.0.1:9", "127.0.0.1", 9, "http://127.0.0.1:9"),
            ("http://[::1]:9/", "::1", 9, "http://[::1]:9"),
            ("http://localhost", "localhost", 80, "http://localhost"),
        ] {
            let base = BaseUrl::parse(text, false).expect(text);
            assert_eq!((base.host.as_str(), base.port, base.text.as_str()), (host, port, url));
        }
        assert!(BaseUrl::parse("http://pay.example", true).is_ok());
    }

    #[test]
    fn says_what_is_wrong() {
        for (text, part) in [
            ("pay.example", "must start with https://"),
            ("ftp://pay.example", "must start with https://"),
            ("http://pay.example", "plain http to pay.example"),
            ("http://127.0.0.1.evil.example", "plain http"),
            ("https://user:pw@pay.example", "must not hold a user"),
            ("https://pay.example/?a=1", "query"),
            ("https://pay.example/#a", "fragment"),
            ("https://pay.example:99999", "port"),
            ("https://pay.example:0", "port 0"),
            ("https://pay.example:http", "port that does not exist"),
            ("https://pay.example:", "port that does not exist"),
            ("http://[::1]2x", "more than a port"),
            ("https://pay.example/é", "percent-encoded"),
            ("https:///x", "is not a URL"),
            ("https://pay.example/payment/x/..", "dot segments"),
            ("https://pay.example/payment/%2e", "dot segments"),
            ("https://pay.example/x/..;/payment", "parameter"),
            ("https://pay.example/api//v1", "two slashes"),
            ("https://pay.example/api%2Fv1", "%2F"),
        ] {
            let error = BaseUrl::parse(text, false).err().expect(text);
            assert!(error.contains(part), "{text}: {error}");
        }
    }

    #[test]
    fn host_header_omits_the_default_port_of_the_scheme() {
        for (url, expected) in [
            ("https://Pay.example/v1", "pay.example"),
            ("https://pay.example:443", "pay.example"),
            ("https://pay.example:80", "pay.example:80"),
            ("http://127.0.0.1:80/", "127.0.0.1"),
            ("http://127.0.0.1:443/", "127.0.0.1:443"),
            ("https://[::1]", "[::1]"),
            ("https://[::1]:8443/v1", "[::1]:8443"),
        ] {
            assert_eq!(BaseUrl::parse(url, false).expect(url).host_header(), expected, "{url}");
        }
    }

    #[test]
    fn a_value_never_adds_a_path_segment() {
        let row = ENDPOINTS.iter().find(|row| row.fields.iter().any(|field| field.location == Location::Path)).unwrap();
        let field = row.fields.iter().find(|field| field.location == Location::Path).unwrap();
        for dots in
            [".", "..", "a/../b", r"a\..\b", "../a", "a/.", "..;", "..;a=b/x", "%2e%2E", "%252e.", "a%2f..", " .. "]
        {
            let message = segment(row, field, dots).unwrap_err().message;
            assert!(message.contains("dot segment"), "{message}");
        }
        assert_eq!(segment(row, field, "a/b c..%2e").unwrap(), "a%2Fb%20c..%252e");
    }

    #[test]
    fn a_path_that_servers_read_differently_is_refused() {
        for (path, part) in [
            ("/x/..;/payment", "parameter"),
            ("/payment;v=1", "parameter"),
            ("/payment%3bv=1", "%3B"),
            ("/x/../payment", "dot segments"),
            ("/x/./payment", "dot segments"),
            ("/x/%2e%2E/payment", "dot segments"),
            ("/x/.%2e/payment", "dot segments"),
            ("/x/..%20/payment", "dot segments"),
            ("/x/.../payment", "dot segments"),
            ("/x/%20/payment", "dot segments"),
            ("/x/..", "dot segments"),
            ("/x/%252e%252e/payment", "%25"),
            ("/x/%25252e./payment", "%25"),
            ("/x%2fpayment", "%2F"),
            ("/x/..%5cpayment", "%5C"),
            (r"/x\payment", "percent-encoded"),
            ("/x|y", "percent-encoded"),
            ("/x y", "percent-encoded"),
            ("/é", "percent-encoded"),
            ("/x/%c0%ae%c0%ae/payment", "%C0"),
            ("/x/%ef%bc%8e/payment", "%EF"),
            ("/payment%00", "%00"),
            ("/payment%09", "%09"),
            ("/payment%3Fa", "%3F"),
            ("/payment%23a", "%23"),
            ("/x/%u002e%u002e/payment", "hexadecimal"),
            ("/x/%2", "hexadecimal"),
            ("/x/%+2", "hexadecimal"),
            ("/x%", "hexadecimal"),
            ("//payment", "two slashes"),
            ("/x//payment", "two slashes"),
            ("/x//", "two slashes"),
            ("/x?a=b", "query or fragment"),
            ("/x#a", "query or fragment"),
        ] {
            let refused = check_path(path).expect_err(path);
            assert!(refused.contains(part), "{path}: {refused}");
        }
    }

    #[test]
    fn other_paths_are_accepted() {
        for path in
            ["", "/", "/payment/", "/v1.2/a-b_c~d", "/a%20b", "/%61", "/.well-known/x", "/..a/x", "/a(1)!$&'*+,=:@"]
        {
            assert_eq!(check_path(path), Ok(()), "{path}");
        }
        assert_eq!(segments("/a%20b/%7Ec"), ["", "a b", "~c"]);
    }
}
