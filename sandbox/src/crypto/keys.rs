//! The sandbox's keys: two API keys and the RSA pair that payloads are encrypted with.

use std::fmt::{self, Debug, Formatter};

use aws_lc_rs::encoding::{AsDer, Pkcs8V1Der};
use aws_lc_rs::rsa::{KeyPair, KeySize, Pkcs1PublicEncryptingKey, PublicEncryptingKey};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use rsa::RsaPrivateKey;
use rsa::pkcs8::{DecodePrivateKey, EncodePrivateKey, EncodePublicKey};
use rsa::traits::PublicKeyParts;

use super::decryption::{Decryption, Failure};
use super::published;
use crate::util::seed::Seed;

/// Bytes of a block that the padding takes.
const PADDING: usize = 11;

/// Which API key a request carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyKind {
    Public,
    Secret,
    Wrong,
    Missing,
}

impl KeyKind {
    pub fn name(self) -> &'static str {
        match self {
            KeyKind::Public => "public",
            KeyKind::Secret => "secret",
            KeyKind::Wrong => "wrong",
            KeyKind::Missing => "missing",
        }
    }
}

/// Which API key an endpoint takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyRule {
    Public,
    Secret,
    /// The evidence conflicts.
    Either,
    /// The secret key; integrations that send the public one work, too.
    SecretOrPublic,
}

impl KeyRule {
    pub fn name(self) -> &'static str {
        match self {
            KeyRule::Public => "public",
            KeyRule::Secret => "secret",
            KeyRule::SecretOrPublic => "secret or public",
            KeyRule::Either => "public or secret",
        }
    }

    pub fn takes(self, key: KeyKind) -> bool {
        match self {
            KeyRule::Public => key == KeyKind::Public,
            KeyRule::Secret => key == KeyKind::Secret,
            KeyRule::Either | KeyRule::SecretOrPublic => matches!(key, KeyKind::Public | KeyKind::Secret),
        }
    }
}

pub struct ApiKeys {
    pub public: String,
    pub secret: String,
}

impl ApiKeys {
    pub fn new(seed: &Seed) -> ApiKeys {
        ApiKeys {
            public: format!("PGW-PUBLICKEY-TEST-{}", seed.hex32("public key", 0)),
            secret: format!("PGW-SECRETKEY-TEST-{}", seed.hex32("secret key", 0)),
        }
    }

    pub fn kind(&self, given: Option<&str>) -> KeyKind {
        match given {
            None => KeyKind::Missing,
            Some(key) if key == self.public => KeyKind::Public,
            Some(key) if key == self.secret => KeyKind::Secret,
            Some(_) => KeyKind::Wrong,
        }
    }
}

pub struct EncryptionKey {
    pub private: RsaPrivateKey,
    /// The private key, to be saved.
    pub pkcs8: Vec<u8>,
    /// Built from published primes, so that it protects nothing.
    pub is_published: bool,
    decryption: Decryption,
}

/// Does not print the private key.
impl Debug for EncryptionKey {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        write!(out, "EncryptionKey({} bits)", self.bits())
    }
}

impl EncryptionKey {
    /// A new random key; 4096 bits take one to three seconds.
    pub fn fresh(bits: usize) -> Result<EncryptionKey, String> {
        let size = match bits {
            2048 => KeySize::Rsa2048,
            3072 => KeySize::Rsa3072,
            4096 => KeySize::Rsa4096,
            _ => return Err(published::unsupported(bits)),
        };
        let pair = KeyPair::generate(size).map_err(|_| "could not make an RSA key".to_string())?;
        let der: Pkcs8V1Der = pair.as_der().map_err(|_| "could not export the RSA key".to_string())?;
        EncryptionKey::from_pkcs8(der.as_ref(), false)
    }

    pub fn from_pkcs8(der: &[u8], is_published: bool) -> Result<EncryptionKey, String> {
        let private =
            RsaPrivateKey::from_pkcs8_der(der).map_err(|error| format!("could not read the RSA key: {error}"))?;
        Ok(EncryptionKey { private, pkcs8: der.to_vec(), is_published, decryption: Decryption::new(der, None)? })
    }

    pub fn bits(&self) -> usize {
        self.private.n().bits()
    }

    /// The same key; the `rsa` crate also decrypts everything, and a difference is an error.
    pub fn checked(self) -> Result<EncryptionKey, String> {
        let decryption = Decryption::new(&self.pkcs8, Some(self.private.clone()))?;
        Ok(EncryptionKey { decryption, ..self })
    }

    /// The same key for the same choice and size, without delay. Such a key is public and protects nothing.
    pub fn published(choice: u64, bits: usize) -> Result<EncryptionKey, String> {
        let private = published::key(choice, bits)?;
        let der = private.to_pkcs8_der().map_err(|error| format!("could not export the RSA key: {error}"))?;
        EncryptionKey::from_pkcs8(der.as_bytes(), true)
    }

    pub async fn decrypt(&self, block: Vec<u8>) -> Result<Vec<u8>, Failure> {
        self.decryption.decrypt(block).await
    }

    /// Standard base64 of one RSA block with PKCS#1 v1.5 padding.
    pub fn encrypt(&self, payload: &[u8]) -> Result<String, String> {
        let size = self.private.size();
        let most = size - PADDING;
        if payload.len() > most {
            return Err(format!("The payload is {} bytes; this key can encrypt at most {most}.", payload.len()));
        }
        let mut block = vec![0; size];
        let failed = || "The payload could not be encrypted.".to_string();
        let key = PublicEncryptingKey::from_der(&self.public_der()?).map_err(|_| failed())?;
        let key = Pkcs1PublicEncryptingKey::new(key).map_err(|_| failed())?;
        key.encrypt(payload, &mut block).map_err(|_| failed())?;
        Ok(STANDARD.encode(block))
    }

    /// The public key as PEM, with lines of 64 characters.
    pub fn pem(&self) -> Result<String, String> {
        let text = STANDARD.encode(self.public_der()?);
        let lines = text.as_bytes().chunks(64).map(|line| format!("{}\n", String::from_utf8_lossy(line)));
        Ok(format!("-----BEGIN PUBLIC KEY-----\n{}-----END PUBLIC KEY-----\n", lines.collect::<String>()))
    }

    fn public_der(&self) -> Result<Vec<u8>, String> {
        let der = self.private.to_public_key().to_public_key_der();
        der.map(|der| der.as_bytes().to_vec()).map_err(|error| format!("could not export the public key: {error}"))
    }

    /// The public key in the dashboard's format: base64 of `<bits>!<RSAKeyValue>…</RSAKeyValue>`.
    pub fn dashboard_form(&self) -> String {
        let modulus = STANDARD.encode(self.private.n().to_bytes_be());
        let exponent = STANDARD.encode(self.private.e().to_bytes_be());
        let bits = self.bits();
        STANDARD.encode(format!(
            "{bits}!<RSAKeyValue><Modulus>{modulus}</Modulus><Exponent>{exponent}</Exponent></RSAKeyValue>"
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn api_keys_are_recognised() {
        let keys = ApiKeys::new(&Seed::from_number(1));
        assert_eq!(keys.public.len(), "PGW-PUBLICKEY-TEST-".len() + 32);
        assert_eq!(keys.kind(Some(&keys.public)), KeyKind::Public);
        assert_eq!(keys.kind(Some(&keys.secret)), KeyKind::Secret);
        assert_eq!(keys.kind(Some("")), KeyKind::Wrong);
        assert_eq!(keys.kind(None), KeyKind::Missing);
    }

    #[test]
    fn the_dashboard_form_is_that_of_the_published_keys() {
        let key = EncryptionKey::fresh(2048).unwrap();
        let text = String::from_utf8(STANDARD.decode(key.dashboard_form()).unwrap()).unwrap();
        assert!(text.starts_with("2048!<RSAKeyValue><Modulus>"), "{text}");
        assert!(text.ends_with("</Modulus><Exponent>AQAB</Exponent></RSAKeyValue>"), "{text}");
        assert!(EncryptionKey::fresh(1024).unwrap_err().contains("2048, 3072 or 4096"));
    }

    #[test]
    fn what_is_encrypted_can_be_decrypted() {
        let key = EncryptionKey::published(1, 2048).unwrap();
        let block = STANDARD.decode(key.encrypt(&[b'x'; 245]).unwrap()).unwrap();
        assert_eq!(key.private.decrypt(rsa::Pkcs1v15Encrypt, &block).unwrap(), [b'x'; 245]);
        let problem = key.encrypt(&[b'x'; 246]).unwrap_err();
        assert_eq!(problem, "The payload is 246 bytes; this key can encrypt at most 245.");
        let pem = key.pem().unwrap();
        let (_, rest) = pem.split_once("-----BEGIN PUBLIC KEY-----\n").unwrap();
        let text = rest.strip_suffix("-----END PUBLIC KEY-----\n").unwrap().replace('\n', "");
        use rsa::pkcs8::DecodePublicKey;
        let public = rsa::RsaPublicKey::from_public_key_der(&STANDARD.decode(text).unwrap()).unwrap();
        assert_eq!(public, key.private.to_public_key());
    }
}
