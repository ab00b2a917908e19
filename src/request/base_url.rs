//! The address of the service, from the setting `base_url`.

use std::net::IpAddr;

use ureq::http::Uri;

use crate::request::url_path;
use crate::util::authority::{self, bare_host};

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
        let port = authority::port(authority)?.unwrap_or(if https { 443 } else { 80 });
        let path = uri.path().trim_end_matches('/');
        url_path::check(path)?;
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

#[cfg(test)]
mod tests {
    use super::*;

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
}
