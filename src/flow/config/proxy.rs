//! The settings `proxy` and `no_proxy`.

use ureq::http::Uri;

use crate::request::url::{authority_port, bare_host};
use crate::util::secret::Secret;
use crate::wire::config::{Proxy, ProxyKind};

/// Parses `http://user:password@host:port` or `socks5://...`. The error does not repeat the text, which may hold a
/// password.
pub fn proxy(text: &str) -> Result<Proxy, String> {
    let uri: Uri = text.parse().map_err(|_| "is not a URL like http://host:port or socks5://host:port")?;
    let (kind, default_port) = match uri.scheme_str() {
        Some("http") => (ProxyKind::Http, 8080),
        Some("socks5" | "socks5h") => (ProxyKind::Socks5, 1080),
        _ => return Err("must start with http:// or socks5://".into()),
    };
    let authority = uri.authority().ok_or("has no host")?;
    let credentials = match authority.as_str().rsplit_once('@') {
        None => None,
        Some((userinfo, _)) => {
            let (user, password) = userinfo.split_once(':').unwrap_or((userinfo, ""));
            Some((decoded(user)?, decoded(password)?))
        }
    };
    let host = bare_host(authority.host());
    if host.is_empty() {
        return Err("has no host".into());
    }
    let port = authority_port(authority.as_str())?.unwrap_or(default_port);
    Ok(Proxy { kind, host, port, credentials })
}

fn decoded(text: &str) -> Result<Secret, String> {
    let text = percent_encoding::percent_decode_str(text).decode_utf8();
    text.map(|text| Secret::new(&text)).map_err(|_| "holds a user or password that is not UTF-8".into())
}

/// The hosts of a list separated by commas.
pub fn host_list(text: &str) -> Vec<String> {
    text.split(',').map(|host| bare_host(host.trim())).filter(|host| !host.is_empty()).collect()
}
