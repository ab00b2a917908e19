//! What `paysvc_client_check` looks at before the first sale.

use crate::endpoint;
use crate::schema::Endpoint;

/// One thing that the first sale needs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Check {
    BaseUrl,
    PublicKey,
    SecretKey,
    Mode,
    EncryptionKey,
    NameLookUp,
    Connection,
    Tls,
    Service,
    Clock,
}

impl Check {
    /// In the order in which they are made and reported.
    pub const ALL: &[Check] = &[
        Check::BaseUrl,
        Check::PublicKey,
        Check::SecretKey,
        Check::Mode,
        Check::EncryptionKey,
        Check::NameLookUp,
        Check::Connection,
        Check::Tls,
        Check::Service,
        Check::Clock,
    ];

    /// Its name in the report.
    pub const fn name(self) -> &'static str {
        match self {
            Check::BaseUrl => "base_url",
            Check::PublicKey => "public_key",
            Check::SecretKey => "secret_key",
            Check::Mode => "mode",
            Check::EncryptionKey => "encryption_key",
            Check::NameLookUp => "name_look_up",
            Check::Connection => "connection",
            Check::Tls => "tls",
            Check::Service => "service",
            Check::Clock => "clock",
        }
    }

    /// When it is ok.
    pub const fn doc(self) -> &'static str {
        match self {
            Check::BaseUrl => "the address of the service is configured",
            Check::PublicKey => "the public key is configured",
            Check::SecretKey => "the secret key is configured; refunds need it",
            Check::Mode => "the keys are of one mode, test or live, as far as their form tells",
            Check::EncryptionKey => {
                "the encryption key is configured, and long enough for the payload of a card payment"
            }
            Check::NameLookUp => "the name of the service, or of the proxy, has an address",
            Check::Connection => "the service can be connected to, through the proxy if there is one",
            Check::Tls => "the TLS handshake succeeds; also ok if base_url begins with http://",
            Check::Service => "the service answers a read-only request with the public key",
            Check::Clock => "this machine's clock is right to five minutes, by the date of that answer if it has one",
        }
    }
}

/// The request that is sent: it only reads, needs no member, and no answer to it is about a customer.
pub const ASKED: &Endpoint = endpoint("banks");

/// Bytes of the payload of a card payment with a reference, a customer and a description of usual length.
pub const CARD_PAYLOAD: usize = 404;

/// How far the machine's clock may be off, in seconds.
pub const CLOCK_TOLERANCE: u64 = 300;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_given_once_and_the_question_needs_nothing() {
        for (index, check) in Check::ALL.iter().enumerate() {
            assert_eq!(*check as usize, index, "{check:?}");
            assert!(!Check::ALL[..index].iter().any(|other| other.name() == check.name()), "{check:?}");
        }
        assert!(ASKED.read_only() && !ASKED.encrypted && !ASKED.fields.iter().any(|field| field.required));
    }
}
