//! Encrypts a payload with the RSA key of the dashboard.
//!
//! RSA with PKCS#1 v1.5 padding, one block, base64: the service's "Payload encryption". AWS-LC, which TLS uses too,
//! encrypts; nothing here can decrypt.

use aws_lc_rs::rsa::{Pkcs1PublicEncryptingKey, PublicEncryptingKey};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rsa::pkcs8::EncodePublicKey as _;

use crate::request::key_forms::parse_key;
use crate::util::panics::failpoint;
use crate::util::process::critical_section;
use crate::util::validation_error::ValidationError;
use paysvc_spec::status::Status;

/// What PKCS#1 v1.5 padding takes of each block (RFC 8017, 7.2.1).
const PADDING_BYTES: usize = 11;

pub struct EncryptionKey {
    key: Pkcs1PublicEncryptingKey,
}

impl EncryptionKey {
    /// Accepts the dashboard's base64 text, its decoded form `4096!<RSAKeyValue>...`, or a PEM public key (SPKI or
    /// PKCS#1). Quotes, spaces and line breaks around or within it, as copying leaves them, are ignored.
    pub fn parse(text: &str) -> Result<EncryptionKey, ValidationError> {
        let invalid =
            |reason: String| ValidationError::of_member(Status::Config, "the configuration", "encryption_key", reason);
        let key = parse_key(text).map_err(invalid)?;
        let der = key.to_public_key_der().map_err(|_| invalid("cannot be encoded".into()))?;
        let refused = || invalid("is refused by AWS-LC".into());
        let key = PublicEncryptingKey::from_der(der.as_bytes()).map_err(|_| refused())?;
        let key = Pkcs1PublicEncryptingKey::new(key).map_err(|_| refused())?;
        Ok(EncryptionKey { key })
    }

    /// The longest payload in bytes: the length of the key less the padding.
    pub fn max_payload(&self) -> usize {
        self.key.key_size_bytes() - PADDING_BYTES
    }

    /// Encrypts a payload into the request body `{"data":"<base64>"}`.
    pub fn encrypt(&self, payload: &[u8]) -> Result<String, ValidationError> {
        failpoint::at("encryption");
        let max = self.max_payload();
        if payload.len() > max {
            let message = format!("payload is {} bytes, this key can encrypt at most {max}", payload.len());
            return Err(ValidationError::new(Status::Encrypt, message));
        }
        let mut block = vec![0; self.key.ciphertext_size()];
        let block = critical_section(|| self.key.encrypt(payload, &mut block))
            .map_err(|_| ValidationError::new(Status::Encrypt, "the payload could not be encrypted"))?;
        let mut text = String::with_capacity(block.len().div_ceil(3) * 4 + 11);
        text.push_str(r#"{"data":""#);
        STANDARD.encode_string(block, &mut text);
        text.push_str(r#""}"#);
        Ok(text)
    }
}

#[cfg(test)]
mod tests;
