//! The sandbox's own certificate authority: new at each start, or kept in two files.

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read as _, Write as _};
use std::path::{Path, PathBuf};

use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair, KeyUsagePurpose, PublicKeyData as _};
use time::{Duration, OffsetDateTime};
use tokio_rustls::rustls::pki_types::CertificateDer;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;

use crate::util::files::{exposed, owner_only, write_owner_only, write_public};

const LIVES: Duration = Duration::days(10 * 365);

pub struct Authority {
    pub issuer: Issuer<'static, KeyPair>,
    pub file: CaFile,
}

/// The certificate, for clients.
pub struct CaFile {
    pub path: PathBuf,
    /// Of one that is deleted on drop. Its lock ends with the process, however that ends.
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
    // Of two sandboxes that start at the same time, one makes the files.
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
    (ca.not_before, ca.not_after) = (now - Duration::DAY, now + LIVES);
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
