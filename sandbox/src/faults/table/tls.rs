//! TLS handshakes that a client must not complete.

use crate::faults::fault::{OnConnection, faults};

faults! {
    "tls_expired" Connection NOT "a certificate that expired in 2021"
        "the client must refuse it before it sends any part of the request"
        { connection: OnConnection::ExpiredCertificate }
    "tls_wrong_host" Connection NOT "a certificate for wrong-host.invalid"
        "the client must refuse it before it sends any part of the request"
        { connection: OnConnection::CertificateOfOtherHost }
    "tls_silence" Connection NOT "the TLS handshake is never answered"
        "the handshake times out; no part of the request was sent"
        { connection: OnConnection::NoHandshake }
}
