//! Derives all random-looking values from one root, so that `--seed` repeats keys, codes and references.

use aws_lc_rs::digest::{Context, SHA256, digest};
use aws_lc_rs::rand;
use serde::{Deserialize, Serialize};

#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seed([u8; 32]);

impl Seed {
    pub fn from_number(number: u64) -> Seed {
        Seed(sha256(format!("paysvc-sandbox seed {number}").as_bytes()))
    }

    pub fn random() -> Result<Seed, String> {
        let mut root = [0; 32];
        rand::fill(&mut root).map_err(|_| "the operating system gave no randomness".to_string())?;
        Ok(Seed(root))
    }

    /// 32 bytes that depend only on the root, the purpose and the number.
    pub fn bytes(&self, purpose: &str, number: u64) -> [u8; 32] {
        let mut context = Context::new(&SHA256);
        context.update(&self.0);
        context.update(&(purpose.len() as u64).to_be_bytes());
        context.update(purpose.as_bytes());
        context.update(&number.to_be_bytes());
        to_array(context.finish().as_ref())
    }

    pub fn number(&self, purpose: &str) -> u64 {
        let bytes = self.bytes(purpose, 0);
        bytes[..8].iter().fold(0, |number, byte| number << 8 | u64::from(*byte))
    }

    /// 32 upper-case hexadecimal digits.
    pub fn hex32(&self, purpose: &str, number: u64) -> String {
        self.bytes(purpose, number)[..16].iter().map(|byte| format!("{byte:02X}")).collect()
    }

    /// `count` decimal digits (32 at most).
    pub fn digits(&self, purpose: &str, number: u64, count: usize) -> String {
        let bytes = self.bytes(purpose, number);
        bytes.iter().take(count).map(|byte| char::from(b'0' + byte % 10)).collect()
    }
}

pub fn sha256(bytes: &[u8]) -> [u8; 32] {
    to_array(digest(&SHA256, bytes).as_ref())
}

pub fn sha256_hex(bytes: &[u8]) -> String {
    sha256(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn to_array(bytes: &[u8]) -> [u8; 32] {
    let mut array = [0; 32];
    array.copy_from_slice(bytes);
    array
}
