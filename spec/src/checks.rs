//! The checks that `paysvc_client_check` makes before the first sale.

use crate::endpoint;
use crate::schema::Endpoint;

named! {
    /// One thing that the first sale needs.
    pub enum Check(name, doc) {
        BaseUrl = "base_url", "the address of the service is configured";
        PublicKey = "public_key", "the public key is configured";
        SecretKey = "secret_key", "the secret key is configured; refunds need it";
        Mode = "mode", "the keys are of one mode, test or live, as far as their form tells";
        EncryptionKey = "encryption_key", "the encryption key is configured, and long enough for the payload of a card payment";
        Journal = "journal", "always ok; says whether there is a journal, and where its file is";
        NameLookUp = "name_look_up", "the name of the service, or of the proxy, has an address";
        Connection = "connection", "the service can be connected to, through the proxy if there is one";
        Tls = "tls", "the TLS handshake succeeds; also ok if base_url begins with http://";
        Service = "service", "the service answers a read-only request with the public key";
        Clock = "clock", "this machine's clock is right to five minutes, by the date of that answer if it has one";
    }
}

/// The request that is sent: it only reads, needs no field, and no response to it is about a customer.
pub const ASKED: &Endpoint = endpoint("banks");

/// Bytes of the payload of a card payment with a reference, a customer and a description of usual length.
pub const CARD_PAYLOAD: usize = 404;

/// Max deviation of the machine's clock, in seconds.
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
