//! The tunnel through a proxy: HTTP CONNECT (RFC 9110, 9.3.6) and SOCKS5 (RFC 1928, 1929).
//!
//! The proxy looks up the service's name. Nothing of the request is sent before the tunnel is established.

use std::io::{self, Read, Write};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use zeroize::Zeroizing;

use super::error::TransportError;
use super::sock::Sock;
use crate::config::address::{Proxy, ProxyKind};

const DOING: &str = "opening the tunnel through the proxy";
/// Largest accepted response to CONNECT, in bytes.
const MAX_ANSWER: usize = 16 * 1024;

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
            (200..=299, _) => Ok(()),
            (407, offered) => Err(refused(&login_error(&offered, self.credentials.is_some()))),
            (status, _) => Err(refused(&format!("HTTP {status}"))),
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
    TransportError::permanent(format!("the proxy refused the tunnel: {reason}"))
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

/// The logins that proxies offer (IANA's HTTP Authentication Scheme Registry).
const LOGINS: [&str; 6] = ["Basic", "Digest", "NTLM", "Negotiate", "Kerberos", "Bearer"];

/// Returns what to do about a 407 that offered these.
fn login_error(offered: &[&str], has_credentials: bool) -> String {
    if !offered.is_empty() && !offered.contains(&"Basic") {
        return format!(
            "it accepts {} only, and this library speaks Basic (HTTP 407): let the proxy pass the service's address \
             without a login, or put a relay that speaks it, such as cntlm, in proxy",
            offered.join(" and ")
        );
    }
    match has_credentials {
        true => "it refused the user and password in proxy (HTTP 407)".into(),
        false => "it wants a user and password: write them in proxy, http://user:password@host:port (HTTP 407)".into(),
    }
}

/// Reads the status of the response to CONNECT and the logins that it offers. Byte by byte, because what follows belongs
/// to the tunnel.
fn connect_status(sock: &mut Sock) -> Result<(u16, Vec<&'static str>), TransportError> {
    let mut answer = Vec::with_capacity(512);
    while !answer.ends_with(b"\r\n\r\n") && !answer.ends_with(b"\n\n") {
        if answer.len() == MAX_ANSWER {
            return Err(refused("its response is too long"));
        }
        answer.push(read_array::<1>(sock)?[0]);
    }
    let mut headers = [httparse::EMPTY_HEADER; 64];
    let mut response = httparse::Response::new(&mut headers);
    // Its headers frame nothing, so malformed ones do no harm.
    let mut lenient = httparse::ParserConfig::default();
    lenient.allow_obsolete_multiline_headers_in_responses(true).ignore_invalid_headers_in_responses(true);
    match (lenient.parse_response(&mut response, &answer), response.code) {
        (Ok(httparse::Status::Complete(_)), Some(code)) => {
            let is_offer = |header: &&httparse::Header<'_>| header.name.eq_ignore_ascii_case("proxy-authenticate");
            let values: Vec<_> = response.headers.iter().filter(is_offer).map(|header| header.value).collect();
            // The first word of a challenge; parameters have an equals sign.
            let words: Vec<_> =
                values.iter().flat_map(|value| value.split(|byte| b", \t\r\n".contains(byte))).collect();
            let is_offered = |login: &&str| words.iter().any(|word| word.eq_ignore_ascii_case(login.as_bytes()));
            Ok((code, LOGINS.into_iter().filter(is_offered).collect()))
        }
        _ => Err(refused("its response is not HTTP")),
    }
}
