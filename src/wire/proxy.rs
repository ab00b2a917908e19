//! The tunnel through a proxy: HTTP CONNECT (RFC 9110, 9.3.6) and SOCKS5 (RFC 1928, 1929).
//!
//! The proxy looks up the service's name. Nothing of the request is sent before the tunnel is established.

use std::io::{self, Read, Write};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use zeroize::Zeroizing;

use super::error::TransportError;
use super::sock::Sock;
use crate::util::secret::Secret;
use paysvc_spec::status::Status;

const DOING: &str = "opening the tunnel through the proxy";
/// Largest accepted answer to CONNECT, in bytes.
const MAX_ANSWER: usize = 16 * 1024;

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum ProxyKind {
    /// HTTP CONNECT.
    Http,
    /// SOCKS5; the proxy looks the name up.
    Socks5,
}

#[derive(Clone)]
pub struct Proxy {
    pub kind: ProxyKind,
    pub host: String,
    pub port: u16,
    /// User and password.
    pub credentials: Option<(Secret, Secret)>,
}

/// Whether the host is reached without the proxy: the list has `*`, the host, or a parent domain of it.
pub fn is_exempt(host: &str, no_proxy: &[String]) -> bool {
    no_proxy.iter().any(|entry| {
        let domain = entry.trim_start_matches('.');
        entry == "*" || host == domain || host.strip_suffix(domain).is_some_and(|rest| rest.ends_with('.'))
    })
}

impl Proxy {
    /// Turns a connection to the proxy into one to the service.
    pub fn tunnel(&self, sock: &mut Sock, host: &str, port: u16) -> Result<(), TransportError> {
        match self.kind {
            ProxyKind::Http => self.connect(sock, host, port),
            ProxyKind::Socks5 => self.socks5(sock, host, port),
        }
    }

    fn connect(&self, sock: &mut Sock, host: &str, port: u16) -> Result<(), TransportError> {
        let authority = if host.contains(':') { format!("[{host}]:{port}") } else { format!("{host}:{port}") };
        let mut request = Zeroizing::new(format!("CONNECT {authority} HTTP/1.1\r\nHost: {authority}\r\n"));
        if let Some((user, password)) = &self.credentials {
            let pair = Zeroizing::new(format!("{}:{}", user.expose(), password.expose()));
            request.push_str("Proxy-Authorization: Basic ");
            STANDARD.encode_string(pair.as_bytes(), &mut request);
            request.push_str("\r\n");
        }
        request.push_str("\r\n");
        sock.write_all(request.as_bytes()).map_err(failed)?;
        match connect_status(sock)? {
            200..=299 => Ok(()),
            407 => Err(refused("it wants a user and password, or refused the ones in proxy (HTTP 407)")),
            status => Err(refused(&format!("HTTP {status}"))),
        }
    }

    fn socks5(&self, sock: &mut Sock, host: &str, port: u16) -> Result<(), TransportError> {
        let methods: &[u8] = if self.credentials.is_some() { &[5, 2, 0, 2] } else { &[5, 1, 0] };
        sock.write_all(methods).map_err(failed)?;
        match (read_array::<2>(sock)?, &self.credentials) {
            ([5, 0], _) => {}
            ([5, 2], Some((user, password))) => authenticate(sock, user.expose(), password.expose())?,
            ([5, 0xff], _) => return Err(refused("it accepts none of the login methods that were offered")),
            _ => return Err(refused("it does not speak SOCKS5")),
        }
        let mut request = vec![5, 1, 0];
        match host.parse() {
            Ok(std::net::IpAddr::V4(address)) => {
                request.push(1);
                request.extend(address.octets());
            }
            Ok(std::net::IpAddr::V6(address)) => {
                request.push(4);
                request.extend(address.octets());
            }
            Err(_) => {
                request.push(3);
                push_with_length(&mut request, host, "the service's name")?;
            }
        }
        request.extend(port.to_be_bytes());
        sock.write_all(&request).map_err(failed)?;
        let bound = match read_array::<4>(sock)? {
            [5, 0, _, 1] => 4,
            [5, 0, _, 4] => 16,
            [5, 0, _, 3] => usize::from(read_array::<1>(sock)?[0]),
            [5, code, ..] if code > 0 => return Err(refused(socks5_error(code))),
            _ => return Err(refused("it does not speak SOCKS5")),
        };
        // The address and port that the proxy bound are not needed.
        sock.read_exact(&mut vec![0; bound + 2]).map_err(failed)
    }
}

fn authenticate(sock: &mut Sock, user: &str, password: &str) -> Result<(), TransportError> {
    let mut login = Zeroizing::new(Vec::with_capacity(3 + user.len() + password.len()));
    login.push(1);
    push_with_length(&mut login, user, "the user of the proxy")?;
    push_with_length(&mut login, password, "the password of the proxy")?;
    sock.write_all(&login).map_err(failed)?;
    match read_array::<2>(sock)? {
        [_, 0] => Ok(()),
        _ => Err(refused("it refused the user and password")),
    }
}

/// Appends a length byte and the text.
fn push_with_length(out: &mut Vec<u8>, text: &str, what: &str) -> Result<(), TransportError> {
    let length = u8::try_from(text.len())
        .map_err(|_| TransportError::permanent(format!("{what} is longer than SOCKS5 can carry")))?;
    out.push(length);
    out.extend_from_slice(text.as_bytes());
    Ok(())
}

fn read_array<const N: usize>(sock: &mut Sock) -> Result<[u8; N], TransportError> {
    let mut bytes = [0; N];
    sock.read_exact(&mut bytes).map_err(failed)?;
    Ok(bytes)
}

fn failed(error: io::Error) -> TransportError {
    TransportError::io(DOING, &error)
}

fn refused(reason: &str) -> TransportError {
    TransportError::permanent(format!("the proxy opened no tunnel: {reason}"))
}

/// The codes of RFC 1928, section 6.
fn socks5_error(code: u8) -> &'static str {
    match code {
        1 => "general failure",
        2 => "its rules do not allow it",
        3 => "network unreachable",
        4 => "host unreachable",
        5 => "connection refused",
        6 => "time to live expired",
        7 => "it does not support the command",
        8 => "it does not support the type of address",
        _ => "an unknown error",
    }
}

/// Reads the answer to CONNECT byte by byte, because what follows belongs to the tunnel.
fn connect_status(sock: &mut Sock) -> Result<u16, TransportError> {
    let mut answer = Vec::with_capacity(512);
    while !answer.ends_with(b"\r\n\r\n") {
        if answer.len() == MAX_ANSWER {
            return Err(refused("its answer is too long"));
        }
        answer.push(read_array::<1>(sock)?[0]);
    }
    let mut headers = [httparse::EMPTY_HEADER; 64];
    let mut response = httparse::Response::new(&mut headers);
    match response.parse(&answer) {
        Ok(httparse::Status::Complete(_)) => {
            response.code.ok_or_else(|| TransportError::new(Status::Transport, "the proxy's answer has no status"))
        }
        _ => Err(refused("its answer is not HTTP")),
    }
}

#[cfg(test)]
mod tests {
    use super::is_exempt;

    #[test]
    fn no_proxy_matches_hosts_and_domains() {
        let list = |entries: &[&str]| entries.iter().map(|entry| entry.to_string()).collect::<Vec<_>>();
        for (host, entries, exempt) in [
            ("pay.example", &["pay.example"][..], true),
            ("api.pay.example", &["pay.example"], true),
            ("api.pay.example", &[".pay.example"], true),
            ("repay.example", &["pay.example"], false),
            ("pay.example", &["other.example"], false),
            ("10.0.0.1", &["*"], true),
            ("pay.example", &[], false),
        ] {
            assert_eq!(is_exempt(host, &list(entries)), exempt, "{host} {entries:?}");
        }
    }
}
