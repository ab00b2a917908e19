//! The sandbox's own certificate authority, with a valid certificate for this machine and two invalid ones.

use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair, KeyUsagePurpose,
    date_time_ymd,
};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::aws_lc_rs;
use tokio_rustls::rustls::pki_types::PrivateKeyDer;

use crate::faults::fault::OnConnection;
use crate::util::files::write_owner_only;

/// The TLS acceptors and the CA file, which is deleted on drop.
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

pub struct CaFile(PathBuf);

impl CaFile {
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for CaFile {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

impl Tls {
    /// For 127.0.0.1, ::1, localhost, the listening address and its host name.
    pub fn new(listening_on: IpAddr, host: Option<&str>) -> Result<Tls, String> {
        let ca_key = KeyPair::generate().map_err(problem)?;
        let mut ca = CertificateParams::default();
        ca.distinguished_name.push(DnType::CommonName, "paysvc-sandbox CA");
        ca.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        ca.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
        let ca_certificate = ca.self_signed(&ca_key).map_err(problem)?;
        let issuer = Issuer::new(ca, ca_key);

        let mut names = vec!["localhost".to_string(), "127.0.0.1".to_string(), "::1".to_string()];
        if !names.contains(&listening_on.to_string()) && !listening_on.is_unspecified() {
            names.push(listening_on.to_string());
        }
        names.extend(host.filter(|host| *host != "localhost").map(ToString::to_string));
        let good = leaf(names.clone())?;
        let mut expired = leaf(names)?;
        expired.not_before = date_time_ymd(2020, 1, 1);
        expired.not_after = date_time_ymd(2021, 1, 1);
        let wrong_host = leaf(vec!["wrong-host.invalid".to_string()])?;
        let acceptors = Acceptors {
            good: acceptor(&good, &issuer, false)?,
            expired: acceptor(&expired, &issuer, false)?,
            wrong_host: acceptor(&wrong_host, &issuer, false)?,
            early: acceptor(&good, &issuer, true)?,
        };

        let path = std::env::temp_dir().join(format!("paysvc-sandbox-ca-{}.pem", std::process::id()));
        write_owner_only(&path, &ca_certificate.pem())?;
        Ok(Tls { acceptors: Arc::new(acceptors), ca_file: CaFile(path) })
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
