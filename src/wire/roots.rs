//! Trusted root certificates, and the certificate files of the settings.

use std::path::Path;

use rustls::RootCertStore;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use zeroize::Zeroizing;

use crate::config::{ClientCert, Config, invalid};
use crate::util::validation_error::ValidationError;

/// The system's roots, or the bundled ones if the system has none, and those of `ca_file`; and, separately, those of
/// `ca_file` that may sign for any name.
pub fn roots(ca_file: Option<&Path>) -> Result<(RootCertStore, Vec<CertificateDer<'static>>), ValidationError> {
    let mut roots = RootCertStore::empty();
    // Unreadable certificates of the system are skipped, as other programs do.
    roots.add_parsable_certificates(system_roots());
    if roots.is_empty() {
        roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
    }
    let mut own = Vec::new();
    if let Some(file) = ca_file {
        for certificate in certificates("ca_file", file)? {
            let copy = certificate.clone();
            roots.add(certificate).map_err(|_| invalid("ca_file", "holds no CA certificate, or a damaged one"))?;
            own.extend(roots.roots.last().filter(|root| root.name_constraints.is_none()).map(|_| copy));
        }
    }
    Ok((roots, own))
}

/// From the stores of Windows and macOS, unless SSL_CERT_FILE or SSL_CERT_DIR names others.
#[cfg(any(windows, target_vendor = "apple"))]
fn system_roots() -> Vec<CertificateDer<'static>> {
    rustls_native_certs::load_native_certs().certs
}

#[cfg(not(any(windows, target_vendor = "apple")))]
fn system_roots() -> Vec<CertificateDer<'static>> {
    let is_chosen = ["SSL_CERT_FILE", "SSL_CERT_DIR"].iter().any(|name| std::env::var_os(name).is_some());
    // The system's folder has the same certificates as its bundle, in a file each.
    if let Some(bundle) = openssl_probe::probe().cert_file.filter(|_| !is_chosen) {
        let certificates = rustls_native_certs::load_certs_from_paths(Some(&bundle), None).certs;
        if !certificates.is_empty() {
            return certificates;
        }
    }
    rustls_native_certs::load_native_certs().certs
}

fn pem(member: &str, file: &Path) -> Result<Vec<u8>, ValidationError> {
    let shown = file.display();
    let text = std::fs::read(file).map_err(|error| invalid(member, format!("cannot be read: {shown}: {error}")))?;
    let has = |words: &[u8]| memchr::memmem::find(&text, words).is_some();
    // DER and PKCS #12 begin with a SEQUENCE.
    if text.first() == Some(&0x30) && !has(b"-----BEGIN") {
        let how = "convert it with openssl x509, pkey or pkcs12";
        return Err(invalid(member, format!("cannot be read: {shown} is DER or PKCS #12, not PEM: {how}")));
    }
    if (has(b" ENCRYPTED") || has(b",ENCRYPTED")) && member == "client_key_file" {
        let how = "write it without a passphrase, readable for this program only: openssl pkey -in FILE -out NEW";
        return Err(invalid(member, format!("cannot be read: {shown} is encrypted: {how}")));
    }
    Ok(text)
}

fn certificates(member: &str, file: &Path) -> Result<Vec<CertificateDer<'static>>, ValidationError> {
    let text = Zeroizing::new(pem(member, file)?);
    let certificates = CertificateDer::pem_slice_iter(&text).collect::<Result<Vec<_>, _>>();
    match certificates {
        Ok(certificates) if certificates.is_empty() => {
            Err(invalid(member, format!("holds no PEM certificate: {}", file.display())))
        }
        Ok(certificates) => Ok(certificates),
        Err(_) => Err(invalid(member, format!("cannot be read: {} holds damaged PEM: copy it whole", file.display()))),
    }
}

/// Reads the files that the configuration names.
pub fn check_files(config: &Config) -> Result<(), ValidationError> {
    config.ca_file.as_deref().map_or(Ok(Vec::new()), |file| certificates("ca_file", file))?;
    config.client_cert.as_ref().map_or(Ok(()), |files| client_cert(files).map(|_| ()))
}

/// The client certificate's chain and key.
pub fn client_cert(
    files: &ClientCert,
) -> Result<(Vec<CertificateDer<'static>>, PrivateKeyDer<'static>), ValidationError> {
    let chain = certificates("client_cert_file", &files.cert_file)?;
    let text = Zeroizing::new(pem("client_key_file", &files.key_file)?);
    let key = PrivateKeyDer::from_pem_slice(&text).map_err(|_| {
        invalid("client_key_file", format!("cannot be read: {} holds no PEM private key", files.key_file.display()))
    })?;
    Ok((chain, key))
}
