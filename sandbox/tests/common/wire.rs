//! A client that reads single responses and sees how a connection ends.

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::Duration;

use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned, crypto::aws_lc_rs};

use super::{Answer, JSON, Sandbox, card};

/// Long enough for any answer.
pub const TIMEOUT: Duration = Duration::from_secs(20);

pub trait Stream: Read + Write {}
impl<T: Read + Write> Stream for T {}

pub struct Client {
    pub stream: Box<dyn Stream>,
    pub tcp: TcpStream,
}

/// The end of a connection.
#[derive(Debug, PartialEq, Eq, Clone, Copy)]
pub enum Ended {
    /// FIN; under TLS after close_notify.
    Graceful,
    /// FIN; under TLS without close_notify.
    Fin,
    Reset,
    /// It is open and nothing arrives.
    Silence,
}

impl Client {
    pub fn new(sandbox: &Sandbox) -> Client {
        Client::of(sandbox, "127.0.0.1")
    }

    /// One whose server must have a certificate for this name.
    pub fn of(sandbox: &Sandbox, name: &str) -> Client {
        let tcp = TcpStream::connect(sandbox.address()).unwrap();
        tcp.set_read_timeout(Some(TIMEOUT)).unwrap();
        let other = tcp.try_clone().unwrap();
        let stream: Box<dyn Stream> = match sandbox.start["ca_file"].as_str() {
            None => Box::new(other),
            Some(ca_file) => Box::new(StreamOwned::new(tls_for(ca_file, name), other)),
        };
        Client { stream, tcp }
    }

    /// Sends a request without `connection: close`.
    pub fn send(&mut self, method: &str, target: &str, headers: &[(&str, &str)], body: &str) -> std::io::Result<()> {
        let text = String::from_utf8(super::request(method, target, headers, body)).unwrap();
        self.stream.write_all(text.replace("connection: close\r\n", "").as_bytes())?;
        self.stream.flush()
    }

    pub fn ask_for_banks(&mut self, sandbox: &Sandbox) {
        // A fault may end the connection before everything is sent.
        let _ = self.send("GET", "/payment/banks", &[("api-key", &sandbox.public)], "");
    }

    pub fn charge(&mut self, sandbox: &Sandbox, reference: &str) {
        let body = sandbox.encrypt(&card(reference, "4111111111111111"));
        self.send("POST", "/payment/order/create", &[("api-key", &sandbox.public), JSON], &body).unwrap();
    }

    /// Reads one whole response and nothing after it.
    pub fn answer(&mut self) -> Answer {
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            self.stream.read_exact(&mut byte).unwrap_or_else(|error| panic!("{error} after {head:?}"));
            head.push(byte[0]);
        }
        let head = String::from_utf8(head).unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        let mut answer = Answer { status, head, text: String::new(), bytes: Vec::new() };
        let mut body = vec![0; answer.header("content-length").unwrap_or("0").parse().unwrap()];
        self.stream.read_exact(&mut body).unwrap();
        answer.text = String::from_utf8_lossy(&body).into_owned();
        answer.bytes = body;
        answer
    }

    /// Reads until the end, or until nothing arrives within the timeout.
    pub fn rest(&mut self, timeout: Duration) -> (Vec<u8>, Ended) {
        self.tcp.set_read_timeout(Some(timeout)).unwrap();
        let mut bytes = Vec::new();
        let ended = match self.stream.read_to_end(&mut bytes).map_err(|error| error.kind()) {
            Ok(_) => Ended::Graceful,
            Err(ErrorKind::UnexpectedEof) => Ended::Fin,
            Err(ErrorKind::ConnectionReset) => Ended::Reset,
            Err(ErrorKind::WouldBlock | ErrorKind::TimedOut) => Ended::Silence,
            Err(other) => panic!("{other}"),
        };
        (bytes, ended)
    }
}

pub fn tls(ca_file: &str) -> ClientConnection {
    tls_for(ca_file, "127.0.0.1")
}

fn tls_for(ca_file: &str, name: &str) -> ClientConnection {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_file(ca_file).unwrap()).unwrap();
    let config = ClientConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    ClientConnection::new(Arc::new(config), ServerName::try_from(name.to_string()).unwrap()).unwrap()
}
