//! A certificate authority of the sandbox's own, and a certificate from it for this machine.

use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair, KeyUsagePurpose,
};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::aws_lc_rs;
use tokio_rustls::rustls::pki_types::PrivateKeyDer;

use crate::files::write_owner_only;

/// The server's side, and the file by which clients trust it; the file goes when this does.
pub struct Tls {
    pub acceptor: TlsAcceptor,
    pub ca_file: CaFile,
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
    /// For 127.0.0.1, ::1, localhost and the address that is listened on.
    pub fn new(listening_on: IpAddr) -> Result<Tls, String> {
        let problem = |error: rcgen::Error| format!("could not make the certificate: {error}");
        let ca_key = KeyPair::generate().map_err(problem)?;
        let mut ca = CertificateParams::default();
        ca.distinguished_name.push(DnType::CommonName, "paysvc-sandbox CA");
        ca.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        ca.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
        let ca_certificate = ca.self_signed(&ca_key).map_err(problem)?;

        let mut names = vec!["localhost".to_string(), "127.0.0.1".to_string(), "::1".to_string()];
        if !names.contains(&listening_on.to_string()) && !listening_on.is_unspecified() {
            names.push(listening_on.to_string());
        }
        let key = KeyPair::generate().map_err(problem)?;
        let mut leaf = CertificateParams::new(names).map_err(problem)?;
        leaf.distinguished_name.push(DnType::CommonName, "paysvc-sandbox");
        leaf.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        leaf.use_authority_key_identifier_extension = true;
        let certificate = leaf.signed_by(&key, &Issuer::new(ca, ca_key)).map_err(problem)?;

        let private = PrivateKeyDer::try_from(key.serialize_der())
            .map_err(|error| format!("could not use the TLS key: {error}"))?;
        let mut config = ServerConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
            .with_safe_default_protocol_versions()
            .and_then(|builder| {
                builder.with_no_client_auth().with_single_cert(vec![certificate.der().clone()], private)
            })
            .map_err(|error| format!("could not set up TLS: {error}"))?;
        config.alpn_protocols = vec![b"http/1.1".to_vec()];

        let path = std::env::temp_dir().join(format!("paysvc-sandbox-ca-{}.pem", std::process::id()));
        write_owner_only(&path, &ca_certificate.pem())?;
        Ok(Tls { acceptor: TlsAcceptor::from(Arc::new(config)), ca_file: CaFile(path) })
    }
}
