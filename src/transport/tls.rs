//! TLS: the handshake, and what to say when trust fails.

use std::fmt;
use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime};

use rustls::client::{ResolvesClientCert, Resumption, WebPkiServerVerifier};
use rustls::pki_types::ServerName;
use rustls::sign::CertifiedKey;
use rustls::{
    AlertDescription, CertificateError, ClientConfig, ClientConnection, Error, ProtocolVersion, SignatureScheme,
};

use super::clock::{self, Clock};
use super::error::TransportError;
use super::roots::{client_cert, invalid, roots};
use super::settings::Settings;
use super::sock::Sock;
use crate::util::failpoint;
use crate::util::process::critical_section;
use crate::util::validation_error::ValidationError;
use paysvc_spec::status::Status;

const DOING: &str = "completing the TLS handshake";
/// Most bytes of a handshake; a chain of long certificates has a tenth of it.
const MAX_HANDSHAKE: u64 = 512 * 1024;
/// How long a service that wants a client certificate may take to say what it thinks of ours, besides twice the time of
/// the handshake. Most answer within a round trip.
const VERDICT: Duration = Duration::from_millis(50);
const MAX_VERDICT: Duration = Duration::from_secs(1);

pub struct Tls {
    config: Arc<ClientConfig>,
    name: ServerName<'static>,
    /// The service has asked for a client certificate.
    asked: Arc<AtomicBool>,
    has_cert: bool,
}

/// TLS 1.2 and 1.3, checked against the system's roots, or the bundled ones where a machine has none.
pub fn client_config(settings: &Settings) -> Result<Tls, ValidationError> {
    let name = ServerName::try_from(settings.host.clone())
        .map_err(|_| invalid("base_url", format!("names a host that cannot be in a certificate: {}", settings.host)))?;
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let roots = Arc::new(roots(settings.ca_file.as_deref())?);
    let verifier = WebPkiServerVerifier::builder_with_provider(roots, Arc::clone(&provider))
        .build()
        .map_err(|error| invalid("ca_file", error.to_string()))?;
    let builder = ClientConfig::builder_with_details(provider, Arc::new(Clock))
        .with_safe_default_protocol_versions()
        .map_err(|error| ValidationError::new(Status::Config, format!("TLS is not available: {error}")))?
        .with_webpki_verifier(verifier);
    let mut tls = match &settings.client_cert {
        None => builder.with_no_client_auth(),
        Some(files) => {
            let (chain, key) = client_cert(files)?;
            critical_section(|| builder.with_client_auth_cert(chain, key))
                .map_err(|error| invalid("client_cert_file", format!("does not go with client_key_file: {error}")))?
        }
    };
    tls.alpn_protocols = vec![b"http/1.1".to_vec()];
    // Sessions would be kept behind a lock that all connections share: a child forked while another thread holds it
    // would wait for ever. Connections are kept instead, so a full handshake is rare.
    tls.resumption = Resumption::disabled();
    let asked = Arc::new(AtomicBool::new(false));
    tls.client_auth_cert_resolver =
        Arc::new(Noting { resolver: Arc::clone(&tls.client_auth_cert_resolver), asked: Arc::clone(&asked) });
    Ok(Tls { config: Arc::new(tls), name, asked, has_cert: settings.client_cert.is_some() })
}

/// Notes that a service asks for a client certificate.
struct Noting {
    resolver: Arc<dyn ResolvesClientCert>,
    asked: Arc<AtomicBool>,
}

impl fmt::Debug for Noting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Noting")
    }
}

impl ResolvesClientCert for Noting {
    fn resolve(&self, issuers: &[&[u8]], schemes: &[SignatureScheme]) -> Option<Arc<CertifiedKey>> {
        self.asked.store(true, Ordering::SeqCst);
        self.resolver.resolve(issuers, schemes)
    }

    fn only_raw_public_keys(&self) -> bool {
        self.resolver.only_raw_public_keys()
    }

    fn has_certs(&self) -> bool {
        self.resolver.has_certs()
    }
}

/// A socket, and the first bytes that came from it.
struct Opening<'a> {
    sock: &'a mut Sock,
    bytes: Vec<u8>,
}

impl Read for Opening<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.sock.read(buffer)?;
        let wanted = 5 - self.bytes.len().min(5);
        self.bytes.extend_from_slice(&buffer[..count.min(wanted)]);
        Ok(count)
    }
}

impl Tls {
    /// The whole handshake, so that whatever fails in it has provably sent nothing of the request.
    pub fn handshake(&self, sock: &mut Sock) -> Result<ClientConnection, TransportError> {
        failpoint::at("tls");
        let begun = Instant::now();
        let mut tls = critical_section(|| ClientConnection::new(Arc::clone(&self.config), self.name.clone()))
            .map_err(|error| self.error(&error))?;
        let limit = sock.received + MAX_HANDSHAKE;
        let mut opening = Opening { sock, bytes: Vec::with_capacity(5) };
        loop {
            while tls.wants_write() {
                tls.write_tls(opening.sock).map_err(|error| TransportError::io(DOING, &error))?;
            }
            if !tls.is_handshaking() {
                break;
            }
            match tls.read_tls(&mut opening) {
                Ok(0) => {
                    return Err(TransportError::new(
                        Status::Transport,
                        format!("the connection was closed while {DOING}"),
                    ));
                }
                Ok(_) => {}
                Err(error) => return Err(TransportError::io(DOING, &error)),
            }
            if let Err(error) = critical_section(|| tls.process_new_packets()) {
                // The alert tells the service's operator; whether it arrives changes nothing.
                let _ = tls.write_tls(opening.sock);
                return Err(not_tls(&opening.bytes).unwrap_or_else(|| self.error(&error)));
            }
            if opening.sock.received > limit {
                return Err(TransportError::new(
                    Status::Transport,
                    format!("TLS failed: more than {MAX_HANDSHAKE} bytes"),
                ));
            }
        }
        if self.asked.load(Ordering::SeqCst) && tls.protocol_version() == Some(ProtocolVersion::TLSv1_3) {
            self.await_verdict(&mut tls, sock, begun.elapsed())?;
        }
        Ok(tls)
    }

    /// In TLS 1.3 a client has finished before the service has seen its certificate, and a request that follows at once
    /// may be refused with it: then nobody could prove that it was not read. So the service is given time to refuse;
    /// one that accepts commonly sends a session ticket, which ends the wait.
    fn await_verdict(
        &self,
        tls: &mut ClientConnection,
        sock: &mut Sock,
        handshake: Duration,
    ) -> Result<(), TransportError> {
        const DOING: &str = "waiting for the service to accept the client certificate";
        let (deadline, limit) = (sock.deadline, sock.received + MAX_HANDSHAKE);
        let patience = (2 * handshake + VERDICT).min(MAX_VERDICT);
        sock.deadline = deadline.min(Instant::now() + patience);
        let waited = loop {
            match critical_section(|| tls.process_new_packets()) {
                Err(error) => break Err(self.error(&error)),
                // Whatever else has come is looked at before the request is written.
                Ok(state) if state.plaintext_bytes_to_read() > 0 || state.peer_has_closed() => break Ok(()),
                Ok(_) if tls.tls13_tickets_received() > 0 || sock.received > limit => break Ok(()),
                Ok(_) => {}
            }
            match tls.read_tls(sock) {
                Ok(0) => {
                    break Err(TransportError::new(
                        Status::Transport,
                        format!("the connection was closed while {DOING}"),
                    ));
                }
                Ok(_) => {}
                // It has said nothing: some never do.
                Err(error) if error.kind() == io::ErrorKind::TimedOut && Instant::now() < deadline => break Ok(()),
                Err(error) => break Err(TransportError::io(DOING, &error)),
            }
        };
        sock.deadline = deadline;
        waited
    }

    /// What an error of TLS means. A certificate that does not fit will not fit the next time either.
    pub fn error(&self, error: &Error) -> TransportError {
        let text = format!("TLS failed: {error}");
        let clock = || clock::text(SystemTime::now());
        match error {
            Error::FailedToGetCurrentTime => TransportError::permanent(format!(
                "TLS failed: this machine's clock reads {}, and certificates cannot be checked against it",
                clock()
            )),
            Error::InvalidCertificate(why) if is_about_time(why) => {
                TransportError::permanent(format!("{text}; this machine's clock reads {}", clock()))
            }
            Error::InvalidCertificate(CertificateError::UnknownIssuer) => TransportError::permanent(format!(
                "{text}; if the service's certificate comes from an authority of your own, name its CA certificate in \
                 ca_file"
            )),
            Error::InvalidCertificate(_) => TransportError::permanent(text),
            Error::AlertReceived(alert) if self.asked.load(Ordering::SeqCst) && is_about_client_cert(*alert) => {
                TransportError::permanent(match self.has_cert {
                    true => format!("{text}; the service refused the certificate of client_cert_file"),
                    false => format!(
                        "{text}; the service wants a client certificate: set client_cert_file and client_key_file"
                    ),
                })
            }
            _ => TransportError::new(Status::Transport, text),
        }
    }
}

/// A port that does not answer in TLS, told by its first bytes.
fn not_tls(opening: &[u8]) -> Option<TransportError> {
    let what = match opening {
        // The types of TLS records.
        [20..=23, 3, ..] => return None,
        [b'H', b'T', b'T', b'P', b'/'] => "plain http",
        _ => "something that is not TLS",
    };
    Some(TransportError::permanent(format!(
        "TLS failed: the port answers in {what}: base_url should name the port for https, or start with http:// if \
         plain http is meant"
    )))
}

fn is_about_time(why: &CertificateError) -> bool {
    use CertificateError::{Expired, ExpiredContext, NotValidYet, NotValidYetContext};
    matches!(why, Expired | ExpiredContext { .. } | NotValidYet | NotValidYetContext { .. })
}

/// What servers send when they refuse a client's certificate, or the lack of one.
fn is_about_client_cert(alert: AlertDescription) -> bool {
    use AlertDescription as A;
    matches!(
        alert,
        A::CertificateRequired
            | A::NoCertificate
            | A::BadCertificate
            | A::UnsupportedCertificate
            | A::CertificateRevoked
            | A::CertificateExpired
            | A::CertificateUnknown
            | A::UnknownCA
            | A::AccessDenied
            | A::HandshakeFailure
            | A::DecryptError
    )
}
