//! The check of the service's certificate, and its faults in words.

use std::error;
use std::fmt;
use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{WebPkiServerVerifier, verify_server_name};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{CertificateError, DigitallySignedStruct, Error, OtherError, SignatureScheme};
use webpki::EndEntityCert;

use super::clock;
use crate::util::text::visible;

/// A service's certificate may be its own authority, like one that a test server makes. webpki refuses an authority's
/// certificate as a service's own. A certificate that is in `ca_file`, byte by byte, is
/// still accepted if it is valid now and for this name: the holder of its key could sign a certificate for any name and
/// any usage anyway.
#[derive(Debug)]
pub struct Verifier {
    pub webpki: Arc<WebPkiServerVerifier>,
    /// Certificates in `ca_file` that may sign for any name.
    pub own: Vec<CertificateDer<'static>>,
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        match self.webpki.verify_server_cert(end_entity, intermediates, name, ocsp, now) {
            Err(Error::InvalidCertificate(error)) if is_of_authority(&error) && self.own.contains(end_entity) => {
                verify_server_name(&ParsedCertificate::try_from(end_entity)?, name)?;
                Ok(ServerCertVerified::assertion())
            }
            verified => verified.map_err(|error| {
                let chain = std::iter::once(end_entity).chain(intermediates);
                explained(error, &chain.collect::<Vec<_>>())
            }),
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let verified = self.webpki.verify_tls12_signature(message, cert, signature);
        verified.map_err(|error| explained(error, &[cert]))
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let verified = self.webpki.verify_tls13_signature(message, cert, signature);
        verified.map_err(|error| explained(error, &[cert]))
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.webpki.supported_verify_schemes()
    }
}

/// The fault of a certificate, where only the certificate shows it.
#[derive(Debug)]
struct CertificateFault(String);

impl fmt::Display for CertificateFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl error::Error for CertificateFault {}

/// Replaces an error about which the chain has more details.
fn explained(error: Error, chain: &[&CertificateDer<'_>]) -> Error {
    let Error::InvalidCertificate(reason) = &error else { return error };
    let text = match reason {
        CertificateError::UnknownIssuer => Some(unknown_issuer(chain)),
        // AWS-LC verifies no signature of such a key.
        CertificateError::BadSignature => {
            chain.iter().find_map(|cert| rsa_bits(cert)).filter(|bits| *bits < 2048).map(|bits| {
                format!(
                    "the service's certificate, or one of its authority, has an RSA key of {bits} bits, which can be \
                     broken: its operator must get one with at least 2048 bits"
                )
            })
        }
        _ => None,
    };
    text.map_or(error, |text| {
        Error::InvalidCertificate(CertificateError::Other(OtherError(Arc::new(CertificateFault(text)))))
    })
}

fn unknown_issuer(chain: &[&CertificateDer<'_>]) -> String {
    let last = chain.last().and_then(|cert| EndEntityCert::try_from(*cert).ok());
    let issuer = last.as_ref().map_or(String::new(), |cert| format!(" \"{}\"", name(cert.issuer())));
    let own = "if it is an authority of your own, or a proxy or virus scanner that inspects TLS, name its CA certificate in \
               ca_file";
    match (chain.len(), last.is_some_and(|cert| cert.issuer() == cert.subject())) {
        (1, true) => format!(
            "the service's certificate,{issuer}, is signed by itself and not trusted: if it is yours, name its CA \
             certificate in ca_file"
        ),
        (1, false) => format!(
            "the issuer of the service's certificate,{issuer}, is not trusted, and the service sent no other certificate: \
             if it is a public authority, the operator must send the intermediate certificates too; {own}"
        ),
        _ => format!("the issuer of the service's certificate,{issuer}, is not trusted: {own}"),
    }
}

/// The common name, or else the organization, of a name of X.509. It comes from the service, so it is shortened.
fn name(der: &[u8]) -> String {
    const MAX: usize = 60;
    // The object identifiers 2.5.4.3 and 2.5.4.10; then the type of the text and its length.
    let text = [3, 10].iter().find_map(|last| {
        let identifier = [6, 3, 0x55, 4, *last];
        let at = der.windows(5).position(|part| part == identifier)? + 5;
        let length = usize::from(*der.get(at + 1)?);
        der.get(at + 2..at + 2 + length)
    });
    let text = String::from_utf8_lossy(text.unwrap_or_default());
    text.chars().filter_map(visible).filter(|c| *c != '"').take(MAX).collect()
}

fn rsa_bits(cert: &CertificateDer<'_>) -> Option<usize> {
    use rsa::pkcs1::der::Decode as _;
    let spki = EndEntityCert::try_from(cert).ok()?.subject_public_key_info();
    let spki = rsa::pkcs8::SubjectPublicKeyInfoRef::from_der(&spki).ok()?;
    let key = rsa::pkcs1::RsaPublicKey::from_der(spki.subject_public_key.as_bytes()?).ok()?;
    Some(key.modulus.as_bytes().len() * 8)
}

/// Returns the fault of the certificate, and what to do, to follow "TLS failed: ".
pub fn words(error: &CertificateError) -> String {
    use CertificateError as E;
    let now = || clock::text(std::time::SystemTime::now());
    match error {
        E::Expired | E::ExpiredContext { .. } => format!(
            "the service's certificate has expired, or this machine's clock is wrong; this machine's clock reads {}",
            now()
        ),
        E::NotValidYet | E::NotValidYetContext { .. } => format!(
            "the service's certificate is not valid yet, or this machine's clock is wrong; this machine's clock reads {}",
            now()
        ),
        E::NotValidForNameContext { expected, presented } => {
            let inner = |name: &String| name.split('"').nth(1).unwrap_or(name).chars().filter_map(visible).collect();
            let names: Vec<String> = presented.iter().take(5).map(inner).collect();
            let names = if names.is_empty() { "no name at all".to_owned() } else { names.join(", ") };
            format!(
                "the service's certificate is not valid for name {}, but for {names}: base_url should have a name that \
                 the certificate has",
                expected.to_str()
            )
        }
        E::NotValidForName => "the service's certificate is not valid for name and port of base_url".into(),
        #[allow(deprecated)]
        E::UnsupportedSignatureAlgorithm
        | E::UnsupportedSignatureAlgorithmContext { .. }
        | E::UnsupportedSignatureAlgorithmForPublicKeyContext { .. } => {
            "the service's certificate, or one of its authority, is signed with an algorithm that is not accepted, such as \
             SHA-1, which can be forged: its operator must get one that is signed with SHA-256"
                .into()
        }
        E::BadSignature => "the signature of the service's certificate is not its authority's: ca_file may have an old CA \
                            certificate of the same name, or something changed the certificate on the way"
            .into(),
        E::InvalidPurpose | E::InvalidPurposeContext { .. } => {
            "the service's certificate is not for a server: its operator must get one for server authentication".into()
        }
        E::Revoked => "the service's certificate is revoked: its operator must get another one".into(),
        E::BadEncoding | E::UnhandledCriticalExtension => {
            "the service's certificate cannot be read: its operator must get another one".into()
        }
        E::Other(OtherError(other)) if other.is::<CertificateFault>() => other.to_string(),
        error if is_of_authority(error) => {
            "the service uses the CA certificate of an authority as its own: if it is yours, name exactly this certificate \
             in ca_file; one that is limited to some names is not accepted"
                .into()
        }
        other => format!("the service's certificate is not accepted, by webpki's rule {other}"),
    }
}

/// webpki has checked the validity before it reports this; a test would notice another order.
fn is_of_authority(error: &CertificateError) -> bool {
    let CertificateError::Other(other) = error else { return false };
    matches!(other.0.downcast_ref(), Some(webpki::Error::CaUsedAsEndEntity))
}
