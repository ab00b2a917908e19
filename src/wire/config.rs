//! What the transport takes from the client's configuration.

use std::path::PathBuf;
use std::time::Duration;

pub use super::proxy::{Proxy, ProxyKind};

pub struct TransportConfig {
    pub https: bool,
    /// In lower case, without the brackets of an IPv6 address.
    pub host: String,
    pub port: u16,
    /// Plain http to other than loopback addresses.
    pub allow_http: bool,
    /// For name look-up, connect and TLS.
    pub connect_timeout: Duration,
    pub proxy: Option<Proxy>,
    /// Hosts and domains reached without the proxy.
    pub no_proxy: Vec<String>,
    pub ca_file: Option<PathBuf>,
    pub client_cert: Option<ClientCert>,
    pub max_idle_connections: usize,
    pub reuse: Reuse,
}

/// The requests that a connection may serve after another request.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Reuse {
    /// Those that only read. All others are the first on their connection.
    Reads,
    All,
}

/// The files of the client certificate.
#[derive(Clone)]
pub struct ClientCert {
    pub cert_file: PathBuf,
    pub key_file: PathBuf,
}
