//! The address to listen on: an IP address or a host name, and a port.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use tokio::net::{TcpListener, lookup_host};

use crate::http::hosts::HostName;

/// `127.0.0.1:0`, `[::1]:8080`, `localhost:0`.
#[derive(Debug, Clone)]
pub struct ListenAddress {
    host: String,
    port: u16,
}

impl std::str::FromStr for ListenAddress {
    type Err = String;

    fn from_str(text: &str) -> Result<ListenAddress, String> {
        let form = || "it should be ADDRESS:PORT, for example 127.0.0.1:0, [::1]:0 or localhost:0".to_string();
        let (host, port) = text.rsplit_once(':').ok_or_else(form)?;
        let port = port.parse().map_err(|_| form())?;
        let is_v6 = host.starts_with('[') && host.ends_with(']');
        let bare = if is_v6 { &host[1..host.len() - 1] } else { host };
        let is_name = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '.' | '_');
        let is_good = if is_v6 { bare.parse::<Ipv6Addr>().is_ok() } else { bare.chars().all(is_name) };
        if bare.is_empty() || !is_good {
            return Err(form());
        }
        Ok(ListenAddress { host: bare.to_string(), port })
    }
}

impl std::fmt::Display for ListenAddress {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.host.contains(':') {
            return write!(out, "[{}]:{}", self.host, self.port);
        }
        write!(out, "{}:{}", self.host, self.port)
    }
}

/// A listener, and the host that clients connect to.
pub struct Bound {
    pub listener: TcpListener,
    pub address: SocketAddr,
    host: String,
}

impl ListenAddress {
    /// Every address of the name must be a loopback one, unless other machines are allowed.
    pub async fn bind(&self, allow_remote: bool) -> Result<Bound, String> {
        let problem = |error: std::io::Error| format!("--listen {self}: {error}");
        let found: Vec<SocketAddr> = lookup_host((self.host.as_str(), self.port)).await.map_err(problem)?.collect();
        if let Some(remote) = found.iter().find(|address| !address.ip().is_loopback() && !allow_remote) {
            let is_name = self.host.parse::<IpAddr>().is_err();
            let which = if is_name { format!("it means {}; ", remote.ip()) } else { String::new() };
            return Err(format!(
                "--listen {self}: {which}other machines could reach this address; add --allow-remote if you want that"
            ));
        }
        // The first of them that this machine can use.
        let listener = TcpListener::bind(found.as_slice()).await.map_err(problem)?;
        let address = listener.local_addr().map_err(problem)?;
        Ok(Bound { listener, address, host: self.host.clone() })
    }
}

impl Bound {
    pub fn base_url(&self, tls: bool) -> String {
        let scheme = if tls { "https" } else { "http" };
        let Ok(ip) = self.host.parse::<IpAddr>() else {
            return format!("{scheme}://{}:{}", self.host, self.address.port());
        };
        // Clients cannot connect to the unspecified address.
        let ip = match ip {
            IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
            IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
            ip => ip,
        };
        format!("{scheme}://{}", SocketAddr::new(ip, self.address.port()))
    }

    /// The host name, if it is one.
    pub fn name(&self) -> Option<HostName> {
        let is_address = self.host.parse::<IpAddr>().is_ok();
        if is_address { None } else { self.host.parse().ok() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_and_names() {
        for good in ["127.0.0.1:0", "[::1]:8080", "localhost:0", "0.0.0.0:1", "my-till.example:65535"] {
            assert_eq!(good.parse::<ListenAddress>().unwrap().to_string(), good);
        }
        for bad in ["", "localhost", ":0", "localhost:x", "localhost:65536", "::1:0", "[::g]:0", "a b:0", "http://x:0"]
        {
            assert!(bad.parse::<ListenAddress>().unwrap_err().contains("ADDRESS:PORT"), "{bad}");
        }
    }
}
