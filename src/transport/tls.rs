//! TLS: whom we trust, and what to say when trust fails.

use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use rustls::client::{Resumption, WebPkiServerVerifier};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::{CertificateError, ClientConfig, ClientConnection, RootCertStore};

use super::fault::Fault;
use super::sock::Sock;
use crate::config::{ClientCert, Config};
use crate::process::section;
use crate::refusal::Refusal;
use crate::status::Status;
use crate::trip;

pub struct Tls {
    config: Arc<ClientConfig>,
    name: ServerName<'static>,
}

/// TLS 1.2 and 1.3, checked against the system's roots, or the bundled ones where a machine has none.
pub fn client_config(config: &Config, host: &str) -> Result<Tls, Refusal> {
    let name = ServerName::try_from(host.to_owned())
        .map_err(|_| refuse("base_url", format!("names a host that cannot be in a certificate: {host}")))?;
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let roots = Arc::new(roots(config.ca_file.as_deref())?);
    let verifier = WebPkiServerVerifier::builder_with_provider(roots, Arc::clone(&provider))
        .build()
        .map_err(|error| refuse("ca_file", error.to_string()))?;
    let builder = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| Refusal::new(Status::Config, format!("TLS is not available: {error}")))?
        .with_webpki_verifier(verifier);
    let mut config = match &config.client_cert {
        None => builder.with_no_client_auth(),
        Some(files) => {
            let (chain, key) = client_cert(files)?;
            section(|| builder.with_client_auth_cert(chain, key))
                .map_err(|error| refuse("client_cert_file", format!("does not go with client_key_file: {error}")))?
        }
    };
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    // Sessions would be kept behind a lock that all connections share: a child forked while another thread holds it
    // would wait for ever. Connections are kept instead, so a full handshake is rare.
    config.resumption = Resumption::disabled();
    Ok(Tls { config: Arc::new(config), name })
}

fn refuse(member: &str, why: impl Into<String>) -> Refusal {
    Refusal::of_member(Status::Config, "the configuration", member, why)
}

fn roots(ca_file: Option<&Path>) -> Result<RootCertStore, Refusal> {
    let mut roots = RootCertStore::empty();
    // What cannot be read of the system's is left out, as every other program on the machine does.
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if roots.is_empty() {
        roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
    }
    if let Some(file) = ca_file {
        for certificate in certificates("ca_file", file)? {
            roots.add(certificate).map_err(|error| refuse("ca_file", format!("holds no CA certificate: {error}")))?;
        }
    }
    Ok(roots)
}

fn certificates(member: &str, file: &Path) -> Result<Vec<CertificateDer<'static>>, Refusal> {
    let unreadable = |error| refuse(member, format!("cannot be read: {}: {error}", file.display()));
    let certificates = CertificateDer::pem_file_iter(file).map_err(unreadable)?;
    let certificates = certificates.collect::<Result<Vec<_>, _>>().map_err(unreadable)?;
    if certificates.is_empty() {
        return Err(refuse(member, format!("holds no PEM certificate: {}", file.display())));
    }
    Ok(certificates)
}

fn client_cert(files: &ClientCert) -> Result<(Vec<CertificateDer<'static>>, PrivateKeyDer<'static>), Refusal> {
    let chain = certificates("client_cert_file", &files.cert_file)?;
    let key = PrivateKeyDer::from_pem_file(&files.key_file)
        .map_err(|error| refuse("client_key_file", format!("cannot be read: {}: {error}", files.key_file.display())))?;
    Ok((chain, key))
}

impl Tls {
    /// The whole handshake, so that whatever fails in it has provably sent nothing of the request.
    pub fn handshake(&self, sock: &mut Sock) -> Result<ClientConnection, Fault> {
        trip::point("tls");
        let mut tls = section(|| ClientConnection::new(Arc::clone(&self.config), self.name.clone()))
            .map_err(|error| fault(&error))?;
        loop {
            while tls.wants_write() {
                tls.write_tls(sock).map_err(|error| Fault::io(DOING, &error))?;
            }
            if !tls.is_handshaking() {
                return Ok(tls);
            }
            match tls.read_tls(sock) {
                Ok(0) => return Err(Fault::new(Status::Transport, format!("the connection was closed while {DOING}"))),
                Ok(_) => {}
                Err(error) => return Err(Fault::io(DOING, &error)),
            }
            if let Err(error) = section(|| tls.process_new_packets()) {
                // The alert tells the service's operator; whether it arrives changes nothing.
                let _ = tls.write_tls(sock);
                return Err(fault(&error));
            }
        }
    }
}

const DOING: &str = "agreeing on TLS";

/// A certificate that does not fit will not fit the next time either.
pub fn fault(error: &rustls::Error) -> Fault {
    let text = format!("TLS failed: {error}");
    match error {
        rustls::Error::InvalidCertificate(why) if is_about_time(why) => {
            let clock = httpdate::fmt_http_date(SystemTime::now());
            Fault::permanent(format!("{text}; this machine's clock reads {clock}"))
        }
        rustls::Error::InvalidCertificate(_) => Fault::permanent(text),
        _ => Fault::new(Status::Transport, text),
    }
}

fn is_about_time(why: &CertificateError) -> bool {
    use CertificateError::{Expired, ExpiredContext, NotValidYet, NotValidYetContext};
    matches!(why, Expired | ExpiredContext { .. } | NotValidYet | NotValidYetContext { .. })
}
