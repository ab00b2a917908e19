//! Text that must not be seen: wiped when dropped, and neither `Debug` nor `Display`.

use zeroize::Zeroizing;

/// An API key, a proxy's password: read on purpose through [`Secret::expose`], never by accident.
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

/// A plaintext or a request body: allocated once at full size, so that no copy stays behind when it grows.
pub type SecretBytes = Zeroizing<Vec<u8>>;
