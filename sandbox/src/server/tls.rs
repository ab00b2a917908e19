//! TLS with a valid certificate for this machine and two invalid ones.

use std::net::IpAddr;
use std::sync::Arc;

use rcgen::{CertificateParams, DnType, ExtendedKeyUsagePurpose, Issuer, KeyPair, date_time_ymd};
use time::{Duration, OffsetDateTime};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::aws_lc_rs;
use tokio_rustls::rustls::pki_types::PrivateKeyDer;

use super::authority::{Authority, CaFile};
use crate::faults::fault::OnConnection;
use crate::http::hosts::HostName;

/// The longest life that browsers accept.
const LIVES: Duration = Duration::days(397);

/// The TLS acceptors and the file of the CA that signed their certificates.
pub struct Tls {
    pub acceptors: Arc<Acceptors>,
    pub ca_file: CaFile,
}

/// One acceptor per certificate.
pub struct Acceptors {
    good: TlsAcceptor,
    expired: TlsAcceptor,
    wrong_host: TlsAcceptor,
    /// Valid, and sends data before the client has finished the handshake.
    early: TlsAcceptor,
}

impl Acceptors {
    pub fn of(&self, on_connection: OnConnection) -> &TlsAcceptor {
        match on_connection {
            OnConnection::ExpiredCertificate => &self.expired,
            OnConnection::CertificateOfOtherHost => &self.wrong_host,
            OnConnection::Unasked(_) => &self.early,
            OnConnection::Nothing | OnConnection::ResetUnread | OnConnection::NoHandshake => &self.good,
        }
    }
}

impl Tls {
    /// For 127.0.0.1, ::1, localhost, the listening address and these host names.
    pub fn new(authority: Authority, listening_on: IpAddr, hosts: &[HostName]) -> Result<Tls, String> {
        let mut names = vec!["localhost".to_string(), "127.0.0.1".to_string(), "::1".to_string()];
        let address = (!listening_on.is_unspecified()).then(|| listening_on.to_string());
        for name in address.into_iter().chain(hosts.iter().map(|host| host.text().to_string())) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        let good = leaf(names.clone())?;
        let mut expired = leaf(names)?;
        expired.not_before = date_time_ymd(2020, 1, 1);
        expired.not_after = date_time_ymd(2021, 1, 1);
        let wrong_host = leaf(vec!["wrong-host.invalid".to_string()])?;
        let Authority { issuer, file } = authority;
        let acceptors = Acceptors {
            good: acceptor(&good, &issuer, false)?,
            expired: acceptor(&expired, &issuer, false)?,
            wrong_host: acceptor(&wrong_host, &issuer, false)?,
            early: acceptor(&good, &issuer, true)?,
        };
        Ok(Tls { acceptors: Arc::new(acceptors), ca_file: file })
    }
}

fn problem(error: rcgen::Error) -> String {
    format!("could not make the certificate: {error}")
}

fn leaf(names: Vec<String>) -> Result<CertificateParams, String> {
    let mut leaf = CertificateParams::new(names).map_err(problem)?;
    leaf.distinguished_name.push(DnType::CommonName, "paysvc-sandbox");
    leaf.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    leaf.use_authority_key_identifier_extension = true;
    // Another machine's clock may be a little behind.
    let from = OffsetDateTime::now_utc() - Duration::DAY;
    (leaf.not_before, leaf.not_after) = (from, from + LIVES);
    Ok(leaf)
}

fn acceptor(leaf: &CertificateParams, issuer: &Issuer<KeyPair>, early: bool) -> Result<TlsAcceptor, String> {
    let key = KeyPair::generate().map_err(problem)?;
    let certificate = leaf.signed_by(&key, issuer).map_err(problem)?;
    let private =
        PrivateKeyDer::try_from(key.serialize_der()).map_err(|error| format!("could not use the TLS key: {error}"))?;
    let mut config = ServerConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
        .with_safe_default_protocol_versions()
        .and_then(|builder| builder.with_no_client_auth().with_single_cert(vec![certificate.der().clone()], private))
        .map_err(|error| format!("could not set up TLS: {error}"))?;
    config.send_half_rtt_data = early;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(TlsAcceptor::from(Arc::new(config)))
}
