//! The sandbox's keys: two API keys and the RSA pair that payloads are encrypted with. Blocks are decrypted on threads
//! of their own: one of 4096 bits takes milliseconds, in which a worker would serve nothing else.

use std::fmt::{self, Debug, Formatter};
use std::sync::Arc;
use std::thread::available_parallelism;

use aws_lc_rs::encoding::{AsDer, Pkcs8V1Der};
use aws_lc_rs::rsa::{
    KeyPair, KeySize, Pkcs1PrivateDecryptingKey, Pkcs1PublicEncryptingKey, PrivateDecryptingKey, PublicEncryptingKey,
};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use rsa::pkcs8::{DecodePrivateKey, EncodePrivateKey, EncodePublicKey};
use rsa::traits::PublicKeyParts;
use rsa::{BigUint, Pkcs1v15Encrypt, RsaPrivateKey};
use tokio::sync::Semaphore;

use crate::util::named::named;
use crate::util::seed::Seed;

/// Bytes of a block that the padding takes.
const PADDING: usize = 11;

named! {
    /// Which API key a request carries.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum KeyKind {
        Public = "public",
        Secret = "secret",
        Wrong = "wrong",
        Missing = "missing",
    }
}

named! {
    /// Which API key an endpoint takes.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum KeyRule {
        Public = "public",
        Secret = "secret",
        /// The evidence conflicts.
        Either = "public or secret",
        /// The secret key; integrations that send the public one work, too.
        SecretOrPublic = "secret or public",
    }
}

impl KeyRule {
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
            _ => return Err(unsupported(bits)),
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
        let private = published_key(choice, bits)?;
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

/// The public exponent (`AQAB`).
const EXPONENT: u32 = 65537;

/// Generating primes of 2048 bits takes up to seventeen seconds, so the choice selects two of the primes in `primes/`.
pub fn published_key(choice: u64, bits: usize) -> Result<RsaPrivateKey, String> {
    let primes = match bits {
        2048 => include_str!("primes/1024.txt"),
        3072 => include_str!("primes/1536.txt"),
        4096 => include_str!("primes/2048.txt"),
        _ => return Err(unsupported(bits)),
    };
    let primes: Vec<&str> = primes.lines().collect();
    let (first, second) = pair_of(choice, primes.len());
    let prime = |index: usize| BigUint::parse_bytes(primes[index].as_bytes(), 16).ok_or("a prime is damaged");
    RsaPrivateKey::from_p_q(prime(first)?, prime(second)?, BigUint::from(EXPONENT))
        .map_err(|error| format!("could not build the RSA key: {error}"))
}

pub fn unsupported(bits: usize) -> String {
    format!("--key-bits {bits}: choose 2048, 3072 or 4096")
}

/// Two different indices below `count`; consecutive choices give all pairs.
fn pair_of(choice: u64, count: usize) -> (usize, usize) {
    let pairs: Vec<(usize, usize)> =
        (0..count).flat_map(|first| (first + 1..count).map(move |second| (first, second))).collect();
    pairs[(choice % pairs.len() as u64) as usize]
}

/// Requests that wait or are being decrypted; further ones are refused.
const MOST_WAITING: usize = 1000;

#[derive(Debug, PartialEq, Eq)]
pub enum Failure {
    /// Another key, or no PKCS#1 v1.5 padding.
    Undecipherable,
    Busy,
    /// A bug in the sandbox: the two implementations differ, or one of them panicked.
    Bug,
}

pub struct Decryption {
    keys: Arc<Keys>,
    places: Semaphore,
    /// Fair: first come, first served.
    turns: Arc<Semaphore>,
}

struct Keys {
    key: Pkcs1PrivateDecryptingKey,
    /// Decrypts everything a second time.
    check: Option<RsaPrivateKey>,
}

impl Decryption {
    pub fn new(pkcs8: &[u8], check: Option<RsaPrivateKey>) -> Result<Decryption, String> {
        let key = PrivateDecryptingKey::from_pkcs8(pkcs8)
            .map_err(|error| format!("could not use the RSA key: {error}"))
            .and_then(|key| Pkcs1PrivateDecryptingKey::new(key).map_err(|_| "could not use the RSA key".to_string()))?;
        // One processor stays free for the requests that need no decryption.
        let threads = available_parallelism().map_or(1, |count| (count.get() - 1).max(1));
        let (places, turns) = (Semaphore::new(MOST_WAITING), Arc::new(Semaphore::new(threads)));
        Ok(Decryption { keys: Arc::new(Keys { key, check }), places, turns })
    }

    /// Decrypts the block. May be dropped at any time; a block whose turn has come is decrypted all the same.
    pub async fn decrypt(&self, block: Vec<u8>) -> Result<Vec<u8>, Failure> {
        let _place = self.places.try_acquire().map_err(|_| Failure::Busy)?;
        let turn = Arc::clone(&self.turns).acquire_owned().await.map_err(|_| Failure::Bug)?;
        let keys = Arc::clone(&self.keys);
        let task = tokio::task::spawn_blocking(move || {
            let decrypted = keys.decrypt(&block);
            drop(turn);
            decrypted
        });
        task.await.unwrap_or(Err(Failure::Bug))
    }
}

impl Keys {
    fn decrypt(&self, block: &[u8]) -> Result<Vec<u8>, Failure> {
        let mut bytes = vec![0; self.key.min_output_size()];
        let decrypted = self.key.decrypt(block, &mut bytes).map(|text| text.to_vec()).ok();
        if let Some(check) = &self.check
            && check.decrypt(Pkcs1v15Encrypt, block).ok() != decrypted
        {
            return Err(Failure::Bug);
        }
        decrypted.ok_or(Failure::Undecipherable)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rsa::rand_core::OsRng;

    #[test]
    fn every_published_prime_makes_a_key_that_works() {
        use rsa::Pkcs1v15Encrypt;
        for bits in [2048, 3072, 4096] {
            // With 32 primes these choices pair the first prime with each of the others.
            for number in 0..31 {
                let key = published_key(number, bits).unwrap();
                assert_eq!(key.n().bits(), bits);
                key.validate().unwrap();
            }
            let key = published_key(495, bits).unwrap();
            let sealed = key.to_public_key().encrypt(&mut rsa::rand_core::OsRng, Pkcs1v15Encrypt, b"text").unwrap();
            assert_eq!(key.decrypt(Pkcs1v15Encrypt, &sealed).unwrap(), b"text");
        }
    }

    #[test]
    fn numbers_choose_different_pairs() {
        let pairs: std::collections::HashSet<_> = (0..496).map(|number| pair_of(number, 32)).collect();
        assert_eq!(pairs.len(), 496);
        assert_eq!(pair_of(496, 32), pair_of(0, 32));
    }

    fn key(choice: u64) -> RsaPrivateKey {
        EncryptionKey::published(choice, 2048).unwrap().private
    }

    fn decryption(key: &RsaPrivateKey, check: &RsaPrivateKey) -> Decryption {
        Decryption::new(key.to_pkcs8_der().unwrap().as_bytes(), Some(check.clone())).unwrap()
    }

    fn encrypted(key: &RsaPrivateKey, text: &[u8]) -> Vec<u8> {
        key.to_public_key().encrypt(&mut OsRng, Pkcs1v15Encrypt, text).unwrap()
    }

    #[tokio::test]
    async fn both_implementations_agree() {
        let key = key(1);
        let both = decryption(&key, &key);
        for text in [&[b'x'; 245][..], b"{}", b""] {
            assert_eq!(both.decrypt(encrypted(&key, text)).await.unwrap(), text);
        }
        let largest = (key.n() - BigUint::from(1u8)).to_bytes_be();
        for wrong in [encrypted(&tests::key(2), b"{}"), vec![0xff; 256], vec![0; 256], vec![1; 255], vec![], largest] {
            assert_eq!(both.decrypt(wrong).await, Err(Failure::Undecipherable));
        }
    }

    #[tokio::test]
    async fn a_difference_is_found() {
        let (key, other) = (key(1), key(2));
        assert_eq!(decryption(&key, &other).decrypt(encrypted(&key, b"{}")).await, Err(Failure::Bug));
    }

    #[tokio::test]
    async fn what_is_left_gives_its_place_back() {
        let key = key(1);
        let only_one = Decryption { places: Semaphore::new(1), ..decryption(&key, &key) };
        let block = encrypted(&key, b"{}");
        let every_turn = only_one.turns.clone().acquire_many_owned(only_one.turns.available_permits() as u32).await;
        {
            let mut first = std::pin::pin!(only_one.decrypt(block.clone()));
            assert!(
                std::future::poll_fn(|context| std::task::Poll::Ready(first.as_mut().poll(context))).await.is_pending()
            );
            assert_eq!(only_one.decrypt(block.clone()).await, Err(Failure::Busy));
        }
        drop(every_turn);
        assert_eq!(only_one.decrypt(block).await.unwrap(), b"{}");
    }
}
