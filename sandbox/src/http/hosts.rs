//! The host names that requests may be sent to. A web page can point its own name at this machine (DNS rebinding) and
//! would then share the sandbox's origin; its requests carry its name, which is not among them.

use hyper::Version;
use hyper::http::request::Parts;
use hyper::http::uri::Authority;

use super::answer::ApiError;

/// A host name without a port, in small letters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostName(String);

impl std::str::FromStr for HostName {
    type Err = String;

    fn from_str(text: &str) -> Result<HostName, String> {
        let is_label = |label: &str| {
            let is_inner = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
            (1..=63).contains(&label.len()) && label.bytes().all(is_inner) && !label.starts_with('-')
        };
        if text.len() > 253 || !text.split('.').all(is_label) {
            return Err("it should be a host name without a port, for example payments.example".to_string());
        }
        Ok(HostName(text.to_ascii_lowercase()))
    }
}

impl HostName {
    pub fn text(&self) -> &str {
        &self.0
    }
}

/// Besides IP addresses and localhost, which a web page cannot have as its name.
#[derive(Debug)]
pub struct Hosts(pub Vec<HostName>);

impl Hosts {
    /// Refuses a request to another host. One of HTTP/1.0 need not name any.
    pub fn check(&self, head: &Parts) -> Result<(), ApiError> {
        let mut named = head.headers.get_all("host").iter();
        let host = match (head.uri.authority(), named.next(), named.next()) {
            (_, _, Some(_)) => None,
            // A whole URL in the request line counts instead of the header.
            (Some(authority), ..) => Some(authority.clone()),
            (None, Some(host), None) => Authority::try_from(host.as_bytes()).ok(),
            (None, None, None) if head.version < Version::HTTP_11 => return Ok(()),
            (None, None, None) => None,
        };
        let Some(host) = host else {
            return Err(ApiError::new(400, "The request needs one Host header, with a host name."));
        };
        let host = host.host();
        if self.is_known(host) {
            return Ok(());
        }
        let text = format!(
            "The sandbox is not known as {host}: if clients should use this name, start it with --host {host}."
        );
        Err(ApiError::new(421, text))
    }

    fn is_known(&self, host: &str) -> bool {
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        if bare.parse::<std::net::IpAddr>().is_ok() {
            return true;
        }
        let name = host.strip_suffix('.').unwrap_or(host).to_ascii_lowercase();
        name == "localhost" || name.ends_with(".localhost") || self.0.iter().any(|known| known.0 == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyper::Request;

    fn status(version: Version, target: &str, hosts: &[&str]) -> u16 {
        let mut request = Request::builder().version(version).uri(target);
        for host in hosts {
            request = request.header("host", *host);
        }
        let known = Hosts(vec!["Till.example".parse().unwrap()]);
        known.check(&request.body(()).unwrap().into_parts().0).map_or_else(|error| error.status, |()| 200)
    }

    #[test]
    fn known_and_unknown_hosts() {
        for known in
            ["localhost", "LOCALHOST:80", "a.localhost", "127.0.0.1:5", "127.8.8.8", "[::1]:5", "[::1]", "10.0.0.9"]
        {
            assert_eq!(status(Version::HTTP_11, "/", &[known]), 200, "{known}");
        }
        for known in ["till.example", "Till.Example:443", "till.example.:80"] {
            assert_eq!(status(Version::HTTP_11, "/", &[known]), 200, "{known}");
        }
        for unknown in
            ["evil.example", "evil.example:80", "till.example.evil", "notlocalhost", "127.0.0.1.evil.example"]
        {
            assert_eq!(status(Version::HTTP_11, "/", &[unknown]), 421, "{unknown}");
        }
    }

    #[test]
    fn no_host_or_more_than_one() {
        assert_eq!((status(Version::HTTP_11, "/", &[]), status(Version::HTTP_10, "/", &[])), (400, 200));
        assert_eq!(status(Version::HTTP_11, "/", &["localhost", "localhost"]), 400);
        assert_eq!(status(Version::HTTP_11, "/", &["a b"]), 400);
        assert_eq!(status(Version::HTTP_10, "/", &["evil.example"]), 421);
        assert_eq!(status(Version::HTTP_11, "http://evil.example/", &["localhost"]), 421);
        assert_eq!(status(Version::HTTP_11, "http://localhost/", &["evil.example"]), 200);
    }

    #[test]
    fn names_in_the_command_line() {
        assert_eq!("A-b.example".parse::<HostName>().unwrap().text(), "a-b.example");
        for bad in ["", "a:80", "https://a", "a..b", "-a", "a b", "*.a", &"a".repeat(64)] {
            assert!(bad.parse::<HostName>().is_err(), "{bad}");
        }
    }
}
