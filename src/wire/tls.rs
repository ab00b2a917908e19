//! The TLS handshake, and what its errors mean.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime};

use rustls::client::{ResolvesClientCert, Resumption, Tls12Resumption, WebPkiServerVerifier};
use rustls::pki_types::ServerName;
use rustls::sign::CertifiedKey;
use rustls::{
    AlertDescription, ClientConfig, ClientConnection, Error, InvalidMessage, ProtocolVersion, SignatureScheme,
};

use super::certificates;
use super::clock::{self, Clock};
use super::error::TransportError;
use super::roots::{client_cert, roots};
use super::sessions::Sessions;
use super::sock::Sock;
use crate::config::address::BaseUrl;
use crate::config::{Config, invalid};
use crate::util::panics::failpoint;
use crate::util::process::critical_section;
use crate::util::validation_error::ValidationError;
use paysvc_spec::schema::snake_case;
use paysvc_spec::status::Status;

const DOING: &str = "completing the TLS handshake";
/// Most bytes of a handshake. A chain of long certificates takes a tenth of it.
const MAX_HANDSHAKE: u64 = 512 * 1024;
/// The wait for the service to refuse the client certificate, in addition to twice the time of the handshake.
/// Most services answer within a round trip.
const CLIENT_CERT_WAIT: Duration = Duration::from_millis(50);
const MAX_CLIENT_CERT_WAIT: Duration = Duration::from_secs(1);

pub struct Tls {
    config: Arc<ClientConfig>,
    name: ServerName<'static>,
    /// The service has requested a client certificate.
    cert_requested: Arc<AtomicBool>,
    has_cert: bool,
}

/// TLS 1.2 and 1.3, with the system's roots, or the bundled ones if the system has none.
pub fn client_config(config: &Config, service: &BaseUrl) -> Result<Tls, ValidationError> {
    let name = ServerName::try_from(service.host.clone())
        .map_err(|_| invalid("base_url", format!("names a host that cannot be in a certificate: {}", service.host)))?;
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let (roots, own) = roots(config.ca_file.as_deref())?;
    let webpki = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), Arc::clone(&provider))
        .build()
        .map_err(|error| invalid("ca_file", error.to_string()))?;
    let builder = ClientConfig::builder_with_details(provider, Arc::new(Clock))
        .with_safe_default_protocol_versions()
        .map_err(|error| ValidationError::new(Status::Config, format!("TLS is not available: {error}")))?
        .dangerous() // All is checked, see there.
        .with_custom_certificate_verifier(Arc::new(certificates::Verifier { webpki, own }));
    let mut tls = match &config.client_cert {
        None => builder.with_no_client_auth(),
        Some(files) => {
            let (chain, key) = client_cert(files)?;
            critical_section(|| builder.with_client_auth_cert(chain, key))
                .map_err(|error| invalid("client_cert_file", mismatch(&error)))?
        }
    };
    tls.alpn_protocols = vec![b"http/1.1".to_vec()];
    // A resumed handshake of TLS 1.2 ends with the client's message: bytes that the service sent too early would arrive
    // after the request was written, and be taken for its response.
    tls.resumption = Resumption::store(Arc::new(Sessions::new())).tls12_resumption(Tls12Resumption::Disabled);
    // Data in the first flight can be replayed by others.
    tls.enable_early_data = false;
    let cert_requested = Arc::new(AtomicBool::new(false));
    tls.client_auth_cert_resolver = Arc::new(RecordingResolver {
        resolver: Arc::clone(&tls.client_auth_cert_resolver),
        cert_requested: Arc::clone(&cert_requested),
    });
    Ok(Tls { config: Arc::new(tls), name, cert_requested, has_cert: config.client_cert.is_some() })
}

fn mismatch(error: &Error) -> String {
    match error {
        Error::InconsistentKeys(_) => "does not belong to the key of client_key_file: they are not of one pair".into(),
        _ => {
            "cannot be used: client_key_file must hold an RSA, ECDSA or Ed25519 key for exactly this certificate".into()
        }
    }
}

/// Records that the service requests a client certificate.
#[derive(Debug)]
struct RecordingResolver {
    resolver: Arc<dyn ResolvesClientCert>,
    cert_requested: Arc<AtomicBool>,
}

impl ResolvesClientCert for RecordingResolver {
    fn resolve(&self, issuers: &[&[u8]], schemes: &[SignatureScheme]) -> Option<Arc<CertifiedKey>> {
        self.cert_requested.store(true, Ordering::SeqCst);
        self.resolver.resolve(issuers, schemes)
    }

    fn only_raw_public_keys(&self) -> bool {
        self.resolver.only_raw_public_keys()
    }

    fn has_certs(&self) -> bool {
        self.resolver.has_certs()
    }
}

impl Tls {
    /// The whole handshake. Nothing of the request has been sent when it fails.
    pub fn handshake(&self, sock: &mut Sock) -> Result<ClientConnection, TransportError> {
        failpoint::at("tls");
        let started = Instant::now();
        let mut tls = critical_section(|| ClientConnection::new(Arc::clone(&self.config), self.name.clone()))
            .map_err(|error| self.error(&error))?;
        let limit = sock.received + MAX_HANDSHAKE;
        loop {
            while tls.wants_write() {
                tls.write_tls(sock).map_err(|error| TransportError::io(DOING, &error))?;
            }
            if !tls.is_handshaking() {
                break;
            }
            match tls.read_tls(sock) {
                Ok(0) => return Err(TransportError::closed(DOING)),
                Ok(_) => {}
                Err(error) => return Err(TransportError::io(DOING, &error)),
            }
            if let Err(error) = critical_section(|| tls.process_new_packets()) {
                // Sends the alert, for the service's operator; whether it arrives does not matter.
                let _ = tls.write_tls(sock);
                return Err(match (error, tls.protocol_version()) {
                    // An error about the first bytes.
                    (
                        Error::InvalidMessage(
                            InvalidMessage::InvalidContentType | InvalidMessage::UnknownProtocolVersion,
                        ),
                        None,
                    ) => TransportError::permanent(NOT_TLS),
                    (error, _) => self.error(&error),
                });
            }
            if sock.received > limit {
                return Err(TransportError::new(
                    Status::Transport,
                    format!("TLS failed: more than {MAX_HANDSHAKE} bytes"),
                ));
            }
        }
        if self.cert_requested.load(Ordering::SeqCst) && tls.protocol_version() == Some(ProtocolVersion::TLSv1_3) {
            self.await_client_cert_refusal(&mut tls, sock, started.elapsed())?;
        }
        Ok(tls)
    }

    /// In TLS 1.3 the client finishes the handshake before the service has seen its certificate. If the request
    /// followed at once and the certificate was refused, it would be unknown whether the request had been read. So the
    /// service gets time to refuse; the session ticket that most services send after accepting ends the wait.
    fn await_client_cert_refusal(
        &self,
        tls: &mut ClientConnection,
        sock: &mut Sock,
        handshake: Duration,
    ) -> Result<(), TransportError> {
        const DOING: &str = "waiting for the service to accept the client certificate";
        let (deadline, limit) = (sock.bounds.deadline, sock.received + MAX_HANDSHAKE);
        let wait = (2 * handshake + CLIENT_CERT_WAIT).min(MAX_CLIENT_CERT_WAIT);
        sock.bounds.deadline = deadline.min(Instant::now() + wait);
        let result = loop {
            match critical_section(|| tls.process_new_packets()) {
                Err(error) => break Err(self.error(&error)),
                // The check before the request is written deals with it.
                Ok(state) if state.plaintext_bytes_to_read() > 0 || state.peer_has_closed() => break Ok(()),
                Ok(_) if tls.tls13_tickets_received() > 0 || sock.received > limit => break Ok(()),
                Ok(_) => {}
            }
            match tls.read_tls(sock) {
                Ok(0) => break Err(TransportError::closed(DOING)),
                Ok(_) => {}
                // No response: some services never send one.
                Err(error) if error.kind() == io::ErrorKind::TimedOut && Instant::now() < deadline => break Ok(()),
                Err(error) => break Err(TransportError::io(DOING, &error)),
            }
        };
        sock.bounds.deadline = deadline;
        result
    }

    /// Returns the meaning of a TLS error, and what to do. A retry helps only against what may be the network's fault.
    pub fn error(&self, error: &Error) -> TransportError {
        let text = match error {
            Error::FailedToGetCurrentTime => format!(
                "this machine's clock reads {}, and certificates cannot be checked against it",
                clock::text(SystemTime::now())
            ),
            Error::InvalidCertificate(error) => certificates::words(error),
            Error::AlertReceived(alert)
                if self.cert_requested.load(Ordering::SeqCst) && is_about_client_cert(*alert) =>
            {
                let what = match self.has_cert {
                    true => "refused the certificate of client_cert_file",
                    false => "wants a client certificate: set client_cert_file and client_key_file",
                };
                format!("the service {what} (alert {})", alert_name(*alert))
            }
            Error::AlertReceived(
                alert @ (AlertDescription::ProtocolVersion
                | AlertDescription::HandshakeFailure
                | AlertDescription::InsufficientSecurity),
            ) => format!("{OLD} (alert {})", alert_name(*alert)),
            Error::PeerIncompatible(_) => OLD.into(),
            Error::AlertReceived(AlertDescription::UnrecognisedName) => {
                "the service does not know the host of base_url (alert unrecognised_name)".into()
            }
            Error::AlertReceived(alert) => {
                let text = format!("TLS failed: the service ended it with the alert {}", alert_name(*alert));
                return TransportError::new(Status::Transport, text);
            }
            _ => {
                let text = "TLS failed: what the service sent is not valid TLS, or was changed on the way";
                return TransportError::new(Status::Transport, text);
            }
        };
        TransportError::permanent(format!("TLS failed: {text}"))
    }
}

const OLD: &str = "the service accepts none of this library's TLS versions (1.2 and 1.3) or ciphers (ECDHE with AES-GCM or \
                   ChaCha20), so it, or what stands before it, knows only old ones: its operator must enable TLS 1.2 with \
                   them";

const NOT_TLS: &str = "TLS failed: the port answers in plain http, or in something else that is not TLS: base_url should name \
                       the port for https, or start with http:// if you mean plain http";

/// As RFC 8446 spells it.
fn alert_name(alert: AlertDescription) -> String {
    snake_case(&format!("{alert:?}"))
}

/// The alerts with which servers refuse a client certificate, or its absence.
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
