//! Host and port of a URL's authority.

/// The host in lower case, without the brackets of an IPv6 address.
pub fn bare_host(host: &str) -> String {
    host.trim_start_matches('[').trim_end_matches(']').to_ascii_lowercase()
}

/// The port of an authority; `None` when there is none. The http crate ignores a port that it cannot parse, so it is
/// parsed here.
pub fn port(authority: &str) -> Result<Option<u16>, String> {
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
