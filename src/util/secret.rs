//! Secret values: wiped when dropped, without `Debug` and `Display`.

use std::ops::{Deref, DerefMut};

use zeroize::Zeroizing;

/// An API key or a proxy's password. Only [`Secret::expose`] reads it.
#[derive(Clone)]
pub struct Secret(Zeroizing<String>);

impl Secret {
    pub fn new(text: &str) -> Self {
        Secret(Zeroizing::new(text.to_owned()))
    }

    pub fn expose(&self) -> &str {
        &self.0
    }
}

/// A plaintext or a request body: allocated at full size, so that it never moves, and wiped when dropped. `Zeroizing` wipes
/// byte by byte, which would take a hundredth of a call.
pub struct SecretBytes(Vec<u8>);

impl SecretBytes {
    pub fn new(bytes: Vec<u8>) -> Self {
        SecretBytes(bytes)
    }
}

impl Drop for SecretBytes {
    fn drop(&mut self) {
        self.0.fill(0);
        zeroize::optimization_barrier(self.0.as_slice());
    }
}

impl Deref for SecretBytes {
    type Target = Vec<u8>;

    fn deref(&self) -> &Vec<u8> {
        &self.0
    }
}

impl DerefMut for SecretBytes {
    fn deref_mut(&mut self) -> &mut Vec<u8> {
        &mut self.0
    }
}
