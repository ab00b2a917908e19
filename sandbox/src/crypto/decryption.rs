//! Decrypts on threads of its own: a block of 4096 bits takes milliseconds, in which a worker would serve nothing else.

use std::sync::Arc;
use std::thread::available_parallelism;

use aws_lc_rs::rsa::{Pkcs1PrivateDecryptingKey, PrivateDecryptingKey};
use rsa::{Pkcs1v15Encrypt, RsaPrivateKey};
use tokio::sync::Semaphore;

/// Requests that wait or are being decrypted; further ones are refused.
const MOST_WAITING: usize = 1000;

#[derive(Debug, PartialEq, Eq)]
pub enum Failure {
    /// Another key, or no PKCS#1 v1.5 padding.
    Undecipherable,
    Busy,
    /// Of the sandbox: the two implementations differ, or one of them panicked.
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

    /// What the block contains. May be dropped at any time; a block whose turn has come is decrypted all the same.
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
    use crate::crypto::keys::EncryptionKey;
    use rsa::pkcs8::EncodePrivateKey;
    use rsa::traits::PublicKeyParts;
    use rsa::{BigUint, rand_core::OsRng};

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
        for wrong in [encrypted(&self::key(2), b"{}"), vec![0xff; 256], vec![0; 256], vec![1; 255], vec![], largest] {
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
