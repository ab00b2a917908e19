//! The URL of the receiver: plain http to this machine only.

use hyper::Uri;

#[derive(Debug, Clone)]
pub struct Target {
    pub uri: Uri,
    pub host: String,
    pub port: u16,
}

impl std::str::FromStr for Target {
    type Err = String;

    fn from_str(text: &str) -> Result<Target, String> {
        let uri: Uri = text.parse().map_err(|error| format!("not a URL: {error}"))?;
        if uri.scheme_str() != Some("http") {
            return Err("the URL must start with http://".to_string());
        }
        let host = uri.host().unwrap_or_default().trim_matches(['[', ']']).to_string();
        let is_loopback = host == "localhost" || host.parse().is_ok_and(|ip: std::net::IpAddr| ip.is_loopback());
        if !is_loopback {
            return Err("the URL must name this machine: 127.0.0.1, [::1] or localhost".to_string());
        }
        let port = uri.port_u16().unwrap_or(80);
        Ok(Target { uri, host, port })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_loopback_urls_are_accepted() {
        for good in ["http://127.0.0.1:8080/hook", "http://[::1]:1/", "http://localhost/x?y=1"] {
            good.parse::<Target>().unwrap();
        }
        for bad in ["https://127.0.0.1/", "http://example.com/", "http://10.0.0.1/", "hook", ""] {
            bad.parse::<Target>().unwrap_err();
        }
    }
}
