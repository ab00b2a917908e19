//! TLS for the bad and good peers of the tests: certificates of all kinds, and a server that uses them.

use std::path::PathBuf;
use std::sync::Arc;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair, date_time_ymd};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig, SupportedProtocolVersion};

use super::server::{Connection, Server};

/// A certificate authority, and a folder with its certificate and what else goes into files.
pub struct Authority {
    issuer: CertifiedIssuer<'static, KeyPair>,
    folder: tempfile::TempDir,
}

pub struct Leaf {
    chain: Vec<CertificateDer<'static>>,
    key: Vec<u8>,
    pem: String,
    key_pem: String,
}

impl Authority {
    pub fn new() -> Authority {
        Authority::named("rcgen self signed cert")
    }

    pub fn named(name: &str) -> Authority {
        let mut params = CertificateParams::new(Vec::<String>::new()).unwrap();
        params.distinguished_name.push(rcgen::DnType::CommonName, name);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let issuer = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("ca.pem"), issuer.pem()).unwrap();
        Authority { issuer, folder }
    }

    pub fn file(&self) -> PathBuf {
        self.folder.path().join("ca.pem")
    }

    pub fn leaf(&self, names: &[&str]) -> Leaf {
        self.leaf_valid(names, 2020, 2120)
    }

    pub fn leaf_valid(&self, names: &[&str], from: i32, to: i32) -> Leaf {
        let names: Vec<String> = names.iter().map(|name| name.to_string()).collect();
        let mut params = CertificateParams::new(names).unwrap();
        params.not_before = date_time_ymd(from, 1, 1);
        params.not_after = date_time_ymd(to, 1, 1);
        let key = KeyPair::generate().unwrap();
        let certificate = params.signed_by(&key, &self.issuer).unwrap();
        Leaf {
            chain: vec![certificate.der().clone()],
            key: key.serialize_der(),
            pem: certificate.pem(),
            key_pem: key.serialize_pem(),
        }
    }

    /// The leaf as a server sends it that sends its authority's certificate as well.
    pub fn with_chain(&self, leaf: &Leaf) -> Leaf {
        let chain = leaf.chain.iter().chain([self.issuer.der()]).cloned().collect();
        Leaf { chain, key: leaf.key.clone(), pem: leaf.pem.clone(), key_pem: leaf.key_pem.clone() }
    }

    /// Files with a leaf's certificate and key, as a client is configured with.
    pub fn files(&self, leaf: &Leaf) -> (PathBuf, PathBuf) {
        let (cert, key) = (self.folder.path().join("client.pem"), self.folder.path().join("client.key"));
        std::fs::write(&cert, &leaf.pem).unwrap();
        std::fs::write(&key, &leaf.key_pem).unwrap();
        (cert, key)
    }

    /// The file of the certificate alone.
    pub fn file_of(&self, leaf: &Leaf) -> PathBuf {
        self.files(leaf).0
    }

    /// A server's configuration; `clients` are asked for a certificate of that authority.
    pub fn server(
        leaf: &Leaf,
        versions: &[&'static SupportedProtocolVersion],
        clients: Option<&Authority>,
    ) -> Arc<ServerConfig> {
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let builder =
            ServerConfig::builder_with_provider(Arc::clone(&provider)).with_protocol_versions(versions).unwrap();
        let builder = match clients {
            None => builder.with_no_client_auth(),
            Some(authority) => {
                let mut roots = RootCertStore::empty();
                roots.add(authority.issuer.der().clone()).unwrap();
                let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider).build().unwrap();
                builder.with_client_cert_verifier(verifier)
            }
        };
        let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(leaf.key.clone()));
        Arc::new(builder.with_single_cert(leaf.chain.clone(), key).unwrap())
    }
}

/// A certificate that is its own authority, after `edit`, as a test server makes one for itself.
pub fn own_authority(names: &[&str], edit: &dyn Fn(&mut CertificateParams)) -> Leaf {
    let names: Vec<String> = names.iter().map(|name| name.to_string()).collect();
    let mut params = CertificateParams::new(names).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    edit(&mut params);
    let key = KeyPair::generate().unwrap();
    let certificate = params.self_signed(&key).unwrap();
    Leaf {
        chain: vec![certificate.der().clone()],
        key: key.serialize_der(),
        pem: certificate.pem(),
        key_pem: key.serialize_pem(),
    }
}

/// Answers every request over TLS with success.
pub fn serve(config: Arc<ServerConfig>) -> Server {
    Server::start_tls(config, Connection::serve_ok)
}
