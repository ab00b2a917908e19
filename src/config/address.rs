//! The address of the service, from the setting `base_url`, and the way there: `proxy` and `no_proxy`.

use std::net::{IpAddr, Ipv6Addr};

use ureq::http::Uri;

use crate::config::unusual;
use crate::util::secret::Secret;
use crate::util::url_path;

/// The address of the service.
pub struct BaseUrl {
    pub https: bool,
    /// In lower case, without the brackets of an IPv6 address.
    pub host: String,
    pub port: u16,
    /// `scheme://authority/path` without a slash at the end.
    pub text: String,
}

impl BaseUrl {
    /// The error names the fault, to follow the setting's name.
    pub fn parse(text: &str, allow_http: bool) -> Result<BaseUrl, String> {
        if let Some(reason) = unusual(text) {
            return Err(reason);
        }
        let uri: Uri = text.parse().map_err(|_| "is not a URL like https://host/path")?;
        let https = match uri.scheme_str() {
            Some("https") => true,
            Some("http") => false,
            _ => return Err("must start with https://".into()),
        };
        let authority = uri.authority().ok_or("has no host")?.as_str();
        if authority.contains('@') {
            return Err("must not hold a user or password; set the API keys in their own fields".into());
        }
        if uri.query().is_some() || text.contains('#') {
            return Err("must not hold a query or fragment".into());
        }
        let (host, port) = host_and_port(authority)?;
        if !https && !allow_http && !is_loopback_name(&host) {
            return Err(format!(
                "uses plain http to {host}, where anyone on the way can read and change payments; use https \
                 (or set allow_http, for a test network only)"
            ));
        }
        if !text.is_ascii() {
            return Err("holds a character that must be percent-encoded".into());
        }
        let port = port.unwrap_or(if https { 443 } else { 80 });
        let path = uri.path().trim_end_matches('/');
        url_path::check(path)?;
        let scheme = if https { "https" } else { "http" };
        Ok(BaseUrl { https, host, port, text: format!("{scheme}://{authority}{path}") })
    }

    /// The path that every endpoint's path is appended to, without its first slash.
    pub fn path(&self) -> &str {
        self.text.splitn(4, '/').nth(3).unwrap_or_default()
    }

    /// `scheme://host`, with the port if it is not the scheme's own; empty for a service on this machine.
    pub fn origin(&self) -> String {
        let scheme = if self.https { "https" } else { "http" };
        if is_loopback_name(&self.host) { String::new() } else { format!("{scheme}://{}", self.host_header()) }
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

/// Returns whether plain http is allowed to this host. The transport checks the address again when it connects.
pub fn is_loopback_name(host: &str) -> bool {
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// The host in lower case, without the brackets of an IPv6 address, and the port if there is one.
fn host_and_port(authority: &str) -> Result<(String, Option<u16>), String> {
    let end = authority.find(']').map(|bracket| bracket + 1).or(authority.find(':')).unwrap_or(authority.len());
    let (host, rest) = authority.split_at(end);
    let host = host.trim_start_matches('[').trim_end_matches(']').to_ascii_lowercase();
    if host.is_empty() {
        return Err("has no host".into());
    }
    let Some(digits) = rest.strip_prefix(':') else {
        return if rest.is_empty() { Ok((host, None)) } else { Err("has more than a port after the host".into()) };
    };
    match digits.parse::<u16>() {
        Ok(0) => Err("names port 0".into()),
        Ok(port) if digits.bytes().all(|b| b.is_ascii_digit()) => Ok((host, Some(port))),
        _ => Err("names a port that does not exist".into()),
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum ProxyKind {
    /// HTTP CONNECT.
    Http,
    /// SOCKS5; the proxy looks the name up.
    Socks5,
}

pub struct Proxy {
    pub kind: ProxyKind,
    pub host: String,
    pub port: u16,
    /// User and password.
    pub credentials: Option<(Secret, Secret)>,
}

impl Proxy {
    /// Parses `http://user:password@host:port`, where `http://` may be missing, or `socks5://...`. The error does not
    /// repeat the text, which may hold a password.
    pub fn parse(text: &str) -> Result<Proxy, String> {
        const ENCODE: &str =
            "percent-encode the user and the password: / is %2F, ? is %3F, # is %23, @ is %40, : is %3A, % is %25";
        if let Some(reason) = unusual(text) {
            return Err(reason);
        }
        let (scheme, rest) = text.split_once("://").unwrap_or(("http", text));
        let (kind, default_port) = match &*scheme.to_ascii_lowercase() {
            "http" => (ProxyKind::Http, 8080),
            "socks5" | "socks5h" => (ProxyKind::Socks5, 1080),
            "https" => return Err("names a proxy that is reached with TLS: use its port for http://".into()),
            _ => return Err("must start with http:// or socks5://".into()),
        };
        let authority = rest.strip_suffix('/').unwrap_or(rest);
        // In a password, it would make a host of the user.
        if authority.contains(['/', '?', '#', '\\']) {
            return Err(format!("must not hold a path, query or fragment; {ENCODE}"));
        }
        let (login, host) = authority.rsplit_once('@').map_or((None, authority), |(login, host)| (Some(login), host));
        if login.is_some_and(|login| login.contains('@')) {
            return Err(format!("holds more than one @; {ENCODE}"));
        }
        let decoded = |text: &str| {
            let text = percent_encoding::percent_decode_str(text).decode_utf8();
            text.map(|text| Secret::new(&text)).map_err(|_| "holds a user or password that is not UTF-8")
        };
        let credentials = match login.map(|login| login.split_once(':').unwrap_or((login, ""))) {
            Some((user, password)) => Some((decoded(user)?, decoded(password)?)),
            None => None,
        };
        let (host, port) = host_and_port(host)?;
        if !is_name(&host) && host.parse::<Ipv6Addr>().is_err() {
            return Err("names a host that cannot exist".into());
        }
        Ok(Proxy { kind, host, port: port.unwrap_or(default_port), credentials })
    }
}

/// Returns whether it could be a host's name, or an IPv4 address.
fn is_name(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'.' | b'_'))
}

/// Returns whether the host is reached without the proxy. The list has hosts, domains, addresses and networks such as
/// `10.0.0.0/8`, or `*` for all, and each may have a port; separated by commas, semicolons or blanks. Fails for an entry
/// that is none of these.
pub fn is_exempt(list: &str, host: &str, port: u16) -> Result<bool, String> {
    let entries = list.split(|c: char| matches!(c, ',' | ';') || c.is_whitespace()).filter(|entry| !entry.is_empty());
    let mut exempt = false;
    for (index, entry) in entries.enumerate() {
        let matches = matches_entry(entry, host.trim_end_matches('.'), port);
        exempt |= matches.ok_or_else(|| {
            format!("has an entry, number {}, that is no host, domain, address or network (or *)", index + 1)
        })?;
    }
    Ok(exempt)
}

/// `None` for an entry that means nothing.
fn matches_entry(entry: &str, host: &str, port: u16) -> Option<bool> {
    let address = host.parse::<IpAddr>().ok();
    if let Some((network, bits)) = entry.split_once('/') {
        let network = network.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>().ok()?;
        let bits = bits.parse::<u32>().ok().filter(|_| bits.bytes().all(|b| b.is_ascii_digit()))?;
        return is_within(address, network, bits);
    }
    if let Ok(same) = entry.parse::<IpAddr>() {
        return Some(address == Some(same));
    }
    let (name, only_port) = host_and_port(entry).ok()?;
    let applies = only_port.is_none_or(|only| only == port);
    if let Ok(same) = name.parse::<IpAddr>() {
        return Some(applies && address == Some(same));
    }
    if name == "*" {
        return Some(applies);
    }
    let domain = name.strip_prefix("*.").or(name.strip_prefix('.')).unwrap_or(&name);
    let domain = domain.strip_suffix('.').unwrap_or(domain);
    // The beginning of an address is no domain.
    if !is_name(domain) || domain.starts_with('.') || domain.bytes().all(|b| b.is_ascii_digit() || b == b'.') {
        return None;
    }
    let is_below = || host.strip_suffix(domain).is_some_and(|rest| rest.ends_with('.'));
    Some(applies && address.is_none() && (host == domain || is_below()))
}

/// Returns whether the address has the first bits of the network's; `None` for more bits than there are.
fn is_within(address: Option<IpAddr>, network: IpAddr, bits: u32) -> Option<bool> {
    let number = |address| match address {
        IpAddr::V4(address) => (u128::from(u32::from(address)) << 96, 32),
        IpAddr::V6(address) => (u128::from(address), 128),
    };
    let (first, length) = number(network);
    let shift = 128 - (bits <= length).then_some(bits)?;
    let is_equal = |address: IpAddr| (number(address).0 ^ first).checked_shr(shift).unwrap_or(0) == 0;
    Some(address.is_some_and(|address| address.is_ipv4() == network.is_ipv4() && is_equal(address)))
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
            ("https://pay.example /x", "holds a space"),
            ("https://pay.example/\rx", "holds a carriage return"),
            ("https://pay.example/\"x", "holds a quotation mark"),
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
    fn proxies_are_read_as_curl_reads_them_or_refused() {
        for (text, kind, host, port, login) in [
            ("http://proxy.example", ProxyKind::Http, "proxy.example", 8080, None),
            ("Proxy.example:3128", ProxyKind::Http, "proxy.example", 3128, None),
            ("user:p@proxy:1/", ProxyKind::Http, "proxy", 1, Some(("user", "p"))),
            ("socks5h://us%40er:p%3Aw@[::1]", ProxyKind::Socks5, "::1", 1080, Some(("us@er", "p:w"))),
            ("HTTP://user@10.0.0.1:3128", ProxyKind::Http, "10.0.0.1", 3128, Some(("user", ""))),
            ("http://user:12%2F34@host:3128", ProxyKind::Http, "host", 3128, Some(("user", "12/34"))),
        ] {
            let proxy = Proxy::parse(text).unwrap_or_else(|reason| panic!("{text}: {reason}"));
            let credentials = proxy.credentials.as_ref().map(|(user, password)| (user.expose(), password.expose()));
            assert_eq!((proxy.host.as_str(), proxy.port, credentials), (host, port, login), "{text}");
            assert!(proxy.kind == kind, "{text}");
        }
        for (text, part) in [
            ("http://user:12/34@host:3128", "percent-encode the user and the password"),
            ("http://user:hunter2?@host:3128", "percent-encode"),
            ("http://user:hunter2#x@host:3128", "percent-encode"),
            ("http://user:hunter2@x@host:3128", "more than one @; percent-encode"),
            ("http://host:3128/proxy.pac", "path, query or fragment"),
            ("http:/user:hunter2@host", "path, query or fragment"),
            ("user:hunter2 x@host", "holds a space"),
            ("ftp://user:hunter2@host", "must start with http:// or socks5://"),
            ("socks4://host", "must start with"),
            ("https://host", "reached with TLS"),
            ("http://user:hunter2@", "has no host"),
            ("http://user:hunter2@h|st", "cannot exist"),
            ("http://user:hunter2@host:x", "port that does not exist"),
            ("http://user:%ff@host", "not UTF-8"),
        ] {
            let reason = Proxy::parse(text).err().expect(text);
            assert!(reason.contains(part) && !reason.contains("hunter2"), "{text}: {reason}");
        }
    }

    #[test]
    fn no_proxy_exempts_what_it_names_and_refuses_what_it_cannot_name() {
        for (list, host, expected) in [
            ("pay.example", "pay.example", true),
            ("pay.example", "api.pay.example", true),
            (".pay.example", "api.pay.example", true),
            ("*.pay.example", "api.pay.example", true),
            ("Pay.Example.", "pay.example", true),
            ("pay.example", "repay.example", false),
            ("*.pay.example", "repay.example", false),
            ("other.example", "pay.example", false),
            ("a.example,pay.example", "pay.example", true),
            ("a.example; pay.example", "pay.example", true),
            ("a.example\tpay.example ,, ", "pay.example", true),
            ("pay.example:443", "pay.example", true),
            ("pay.example:8443", "pay.example", false),
            ("*", "10.0.0.1", true),
            ("a.example,*", "pay.example", true),
            ("", "pay.example", false),
            ("10.0.0.1", "10.0.0.1", true),
            ("10.0.0.1:443", "10.0.0.1", true),
            ("10.0.0.0/8", "10.200.0.1", true),
            ("10.0.0.0/8", "11.0.0.1", false),
            ("0.0.0.0/0", "11.0.0.1", true),
            ("0.0.0.0/0", "::1", false),
            ("10.0.0.1/32", "10.0.0.1", true),
            ("10.0.0.0/8", "pay.example", false),
            ("fe80::/10", "fe80::1", true),
            ("[fe80::]/10", "fec0::1", false),
            ("::1", "::1", true),
            ("[::1]:443", "::1", true),
            ("example", "10.0.0.1", false),
        ] {
            assert_eq!(is_exempt(list, host, 443), Ok(expected), "{list} {host}");
        }
        let wrong = "10.0.0.0/33 10.0.0.0/x 10.0.0.0/+8 10/8 pay.example/24 fe80::/129 192.168. 10.0.0.* *pay.example \
            p*y.example *.* <local> https://pay.example pay.example:0 pay.example:https a|b ..pay.example *,a|b";
        for list in wrong.split(' ') {
            let reason = is_exempt(list, "pay.example", 443).unwrap_err();
            assert!(reason.contains("no host, domain, address or network"), "{list}: {reason}");
        }
    }
}
