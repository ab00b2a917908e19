//! The members of the two JSON objects that are not an endpoint's: the configuration, and `paysvc_request`.
//!
//! Plain data: `build.rs` renders the header's documentation from it.

use crate::endpoints::{Field, Kind, Place};

const fn member(name: &'static str, kind: Kind, required: bool, doc: &'static str) -> Field {
    Field { name, kind, required, place: Place::Body, secret: false, doc }
}

/// The configuration. The number or value in parentheses is the default.
pub const CONFIG: &[Field] = &[
    member("base_url", Kind::Text, false, "where the service is, e.g. https://host/path; else PAYSVC_BASE_URL"),
    member("public_key", Kind::Text, false, "API key of most calls; else PAYSVC_PUBLIC_KEY"),
    member("secret_key", Kind::Text, false, "API key of the calls that say so, e.g. refunds; else PAYSVC_SECRET_KEY"),
    member(
        "encryption_key",
        Kind::Text,
        false,
        "the dashboard's RSA key, or a PEM public key; else PAYSVC_ENCRYPTION_KEY",
    ),
    member("timeout_ms", Kind::Integer, false, "for a whole call, retries and waits included (30000)"),
    member("connect_timeout_ms", Kind::Integer, false, "for name look-up, connect and TLS, within timeout_ms (10000)"),
    member("max_attempts", Kind::Integer, false, "most tries of what may be repeated, 1 to 10 (3)"),
    member(
        "proxy",
        Kind::Text,
        false,
        "http://user:password@host:port or socks5://...; never read from the environment",
    ),
    member("no_proxy", Kind::Text, false, "hosts and domains reached without the proxy, separated by commas"),
    member("ca_file", Kind::Text, false, "PEM certificates trusted besides the system's"),
    member(
        "client_cert_file",
        Kind::Text,
        false,
        "PEM client certificate; needs client_key_file. Refused by the service: NOT_SENT, unless it says so late",
    ),
    member("client_key_file", Kind::Text, false, "PEM key of the client certificate"),
    member("user_agent", Kind::Text, false, "the user-agent header (libpaysvc/VERSION)"),
    member("max_idle_connections", Kind::Integer, false, "connections kept open between calls (128)"),
    member("allow_http", Kind::Flag, false, "allows plain http to more than loopback addresses (false)"),
];

/// A request that the table does not have yet.
pub const REQUEST: &[Field] = &[
    member("method", Kind::Text, true, "GET, POST, PUT or DELETE"),
    member("path", Kind::Text, true, "below base_url, starting with a slash, percent-encoded where needed"),
    member("key", Kind::Text, true, "public or secret: which API key to send"),
    member("query", Kind::Any, false, "object of strings, numbers or booleans"),
    member("headers", Kind::Any, false, "object of strings"),
    member("body", Kind::Any, false, "the JSON body; any value"),
    member("encrypt", Kind::Flag, false, "encrypt the body (false)"),
    member("read_only", Kind::Flag, false, "changes nothing, so it may be repeated (true for GET, else false)"),
];
