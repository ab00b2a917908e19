//! Types that hold secrets have neither `Debug` nor `Display`.

use std::fmt::{Debug, Display};
use std::marker::PhantomData;

use crate::config::Config;
use crate::config::address::Proxy;
use crate::config::encryption_key::EncryptionKey;
use crate::request::Request;
use crate::util::secret::{Secret, SecretBytes};

/// An inherent constant takes precedence over one of a trait, so these are `true` exactly for types that can be printed.
struct Of<T>(PhantomData<T>);

trait NotPrintable {
    const DEBUG: bool = false;
    const DISPLAY: bool = false;
}

impl<T> NotPrintable for Of<T> {}

impl<T: Debug> Of<T> {
    const DEBUG: bool = true;
}

impl<T: Display> Of<T> {
    const DISPLAY: bool = true;
}

#[test]
fn nothing_secret_can_be_printed() {
    const { assert!(Of::<String>::DEBUG && Of::<String>::DISPLAY, "the check does not work") };
    const { assert!(!Of::<Secret>::DEBUG && !Of::<Secret>::DISPLAY) };
    const { assert!(!Of::<SecretBytes>::DEBUG && !Of::<SecretBytes>::DISPLAY) };
    const { assert!(!Of::<Config>::DEBUG && !Of::<Request<'_>>::DEBUG) };
    const { assert!(!Of::<EncryptionKey>::DEBUG && !Of::<Proxy>::DEBUG) };
}
