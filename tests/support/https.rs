//! One HTTPS request at a time, for the sandbox's admin calls: plain rustls, so that the library proves nothing about itself.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::sync::Arc;

use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};

use super::server::whole_message;

pub struct Https {
    config: Arc<ClientConfig>,
    address: String,
}

impl Https {
    /// For an address like `https://127.0.0.1:1234`, trusting that file alone.
    pub fn new(base_url: &str, ca_file: &Path) -> Https {
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from_pem_file(ca_file).unwrap()).unwrap();
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
        let config = Arc::new(builder.with_root_certificates(roots).with_no_client_auth());
        Https { config, address: base_url.strip_prefix("https://").unwrap().to_owned() }
    }

    /// Status and body.
    pub fn send(&self, method: &str, path: &str, body: &str) -> (u16, String) {
        let tls = ClientConnection::new(Arc::clone(&self.config), ServerName::try_from("127.0.0.1").unwrap()).unwrap();
        let mut stream = StreamOwned::new(tls, TcpStream::connect(&self.address).unwrap());
        let request = format!(
            "{method} {path} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
            self.address,
            body.len()
        );
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = Vec::new();
        // The sandbox may end without TLS's goodbye; content-length shows whether all is there.
        let _ = stream.read_to_end(&mut answer);
        assert_eq!(whole_message(&answer), Some(answer.len()), "{}", String::from_utf8_lossy(&answer));
        let answer = String::from_utf8(answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        (head.split(' ').nth(1).unwrap().parse().unwrap(), body.to_owned())
    }
}
