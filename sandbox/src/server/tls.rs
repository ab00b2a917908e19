//! TLS with a valid certificate for this machine and two invalid ones, of the sandbox's own certificate authority: new
//! at each start, or kept in two files.

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read as _, Write as _};
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair, KeyUsagePurpose,
    PublicKeyData as _, date_time_ymd,
};
use time::{Duration, OffsetDateTime};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::aws_lc_rs;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

use crate::faults::fault::OnConnection;
use crate::http::hosts::HostName;
use crate::util::files::{exposed, owner_only, write_owner_only, write_public};

/// The max lifetime that browsers accept.
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

const CA_LIVES: Duration = Duration::days(10 * 365);

pub struct Authority {
    pub issuer: Issuer<'static, KeyPair>,
    pub file: CaFile,
}

/// The certificate, for clients.
pub struct CaFile {
    pub path: PathBuf,
    /// Set for a file that is deleted on drop. Its lock ends with the process, however that ends.
    temporary: Option<File>,
}

impl Drop for CaFile {
    fn drop(&mut self) {
        if self.temporary.is_some() {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

const TEMPORARY: &str = "paysvc-sandbox-ca-";

/// Deletes what killed sandboxes have left: files that no process has locked.
fn remove_left_over(folder: &Path) {
    // One that is younger may not be locked yet.
    const AGE: std::time::Duration = std::time::Duration::from_secs(5);
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let is_ours = name.to_str().is_some_and(|name| name.starts_with(TEMPORARY) && name.ends_with(".pem"));
        let is_old = || entry.metadata().ok()?.modified().ok()?.elapsed().ok().filter(|age| *age >= AGE);
        if is_ours && is_old().is_some() && File::open(entry.path()).is_ok_and(|file| file.try_lock().is_ok()) {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

impl Authority {
    /// One that nothing remains of.
    pub fn temporary() -> Result<Authority, String> {
        let (issuer, certificate) = new()?;
        remove_left_over(&std::env::temp_dir());
        let path = std::env::temp_dir().join(format!("{TEMPORARY}{}.pem", std::process::id()));
        write_owner_only(&path, certificate.as_bytes())?;
        // Shared, so that clients may read it where locks bind them.
        let file = File::open(&path).and_then(|file| file.lock_shared().map(|()| file));
        let file = file.map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(Authority { issuer, file: CaFile { path, temporary: Some(file) } })
    }

    /// The one in this file, with its key beside it; both are made if neither is there.
    pub fn kept(path: &Path) -> Result<Authority, String> {
        let path = std::path::absolute(path).map_err(|error| format!("{}: {error}", path.display()))?;
        let issuer = kept(&path)?;
        Ok(Authority { issuer, file: CaFile { path, temporary: None } })
    }
}

/// `ca-key.pem` beside `ca.pem`.
fn key_path(certificate: &Path) -> PathBuf {
    let mut name = certificate.file_stem().unwrap_or_default().to_owned();
    name.push("-key");
    let mut path = certificate.with_file_name(name);
    if let Some(extension) = certificate.extension() {
        path.as_mut_os_string().push(".");
        path.as_mut_os_string().push(extension);
    }
    path
}

fn kept(path: &Path) -> Result<Issuer<'static, KeyPair>, String> {
    let key_path = key_path(path);
    let of = |path: &Path, why: String| format!("{}: {why}", path.display());
    if path.exists() && !key_path.exists() {
        return Err(of(path, format!("its key {} is missing", key_path.display())));
    }
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(|error| of(folder, error.to_string()))?;
    }
    let key_problem = |error: std::io::Error| of(&key_path, error.to_string());
    // A key that may only be read, as some programs make it, is good too.
    let mut options = OpenOptions::new();
    let mut file = match owner_only(options.read(true).write(true).create(true), 0o600).open(&key_path) {
        Err(error) if error.kind() == ErrorKind::PermissionDenied => OpenOptions::new().read(true).open(&key_path),
        opened => opened,
    }
    .map_err(key_problem)?;
    // If two sandboxes start at the same time, one makes the files.
    file.lock().map_err(key_problem)?;
    if let Some(why) = file.metadata().map_err(key_problem).map(|found| exposed(&found))? {
        return Err(of(&key_path, why));
    }
    let mut key = String::new();
    file.read_to_string(&mut key).map_err(key_problem)?;
    if !key.is_empty() {
        return read(path, &key_path, &key);
    }
    if path.exists() {
        return Err(of(&key_path, format!("it is empty, but {} is there", path.display())));
    }
    let (issuer, certificate) = new()?;
    write_public(path, certificate.as_bytes())?;
    file.write_all(issuer.key().serialize_pem().as_bytes()).and_then(|()| file.sync_all()).map_err(key_problem)?;
    Ok(issuer)
}

fn read(path: &Path, key_path: &Path, key: &str) -> Result<Issuer<'static, KeyPair>, String> {
    let problem = |why: String| format!("{}: {why}", path.display());
    let text = std::fs::read(path).map_err(|error| problem(error.to_string()))?;
    let der = CertificateDer::from_pem_slice(&text).map_err(|error| problem(format!("not a certificate: {error}")))?;
    let (_, certificate) =
        x509_parser::parse_x509_certificate(&der).map_err(|error| problem(format!("not a certificate: {error}")))?;
    let may_sign = certificate.key_usage().ok().flatten().is_none_or(|usage| usage.value.key_cert_sign());
    if !certificate.is_ca() || !may_sign {
        return Err(problem("not the certificate of a certificate authority".to_string()));
    }
    let validity = certificate.validity();
    if !validity.is_valid() {
        return Err(problem(format!("valid from {} to {} only", validity.not_before, validity.not_after)));
    }
    let key = KeyPair::from_pem(key).map_err(|error| format!("{}: not a private key: {error}", key_path.display()))?;
    if key.subject_public_key_info() != certificate.public_key().raw {
        return Err(problem(format!("{} is not its key", key_path.display())));
    }
    Issuer::from_ca_cert_der(&der, key).map_err(|error| problem(error.to_string()))
}

fn new() -> Result<(Issuer<'static, KeyPair>, String), String> {
    let problem = |error: rcgen::Error| format!("could not make the certificate authority: {error}");
    let key = KeyPair::generate().map_err(problem)?;
    let mut ca = CertificateParams::default();
    ca.distinguished_name.push(DnType::CommonName, "paysvc-sandbox CA");
    ca.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    ca.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    // Another machine's clock may be a little behind.
    let now = OffsetDateTime::now_utc();
    (ca.not_before, ca.not_after) = (now - Duration::DAY, now + CA_LIVES);
    let certificate = ca.self_signed(&key).map_err(problem)?.pem();
    Ok((Issuer::new(ca, key), certificate))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_is_beside_the_certificate() {
        for (certificate, key) in
            [("/a/ca.pem", "/a/ca-key.pem"), ("ca", "ca-key"), ("a.b/my.ca.crt", "a.b/my.ca-key.crt")]
        {
            assert_eq!(key_path(Path::new(certificate)), Path::new(key));
        }
    }
}
