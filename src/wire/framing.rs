//! Where an answer's body ends, and the limit for what is not body.

use std::sync::atomic::{AtomicUsize, Ordering};

use ureq::http::{HeaderMap, HeaderName, StatusCode, Version, header};

use super::error::TransportError;
use paysvc_spec::status::Status;

/// Most bytes of an answer before its body (interim answers and empty lines included), between two pieces of the body,
/// and after it.
pub const MAX_OVERHEAD: usize = 64 * 1024;

/// What ends a body.
#[derive(Debug, PartialEq, Eq)]
pub enum End {
    /// A length, the last chunk, or a status that has no body.
    Delimited,
    /// The end of the connection.
    ConnectionClose,
}

/// What ends the body according to the headers (RFC 9112, 6.3), or why the headers are invalid. ureq has already
/// refused contradictory lengths.
pub fn end_of_body(status: StatusCode, version: Version, headers: &HeaderMap) -> Result<End, String> {
    let has_length = headers.contains_key(header::CONTENT_LENGTH);
    let mut chunked = false;
    if headers.contains_key(header::TRANSFER_ENCODING) {
        // Two readers that use different ones would see different answers.
        if has_length {
            return Err("it has both a content-length and a transfer-encoding".into());
        }
        let codings = list(headers, header::TRANSFER_ENCODING);
        chunked = codings == ["chunked"];
        if chunked && version == Version::HTTP_10 {
            return Err("it has a transfer-encoding, which HTTP/1.0 does not have".into());
        }
        if !chunked && codings != ["identity"] {
            return Err("it has a transfer-encoding other than chunked, which was not requested".into());
        }
    }
    let without_body = matches!(status.as_u16(), 100..=199 | 204 | 304);
    let delimited = without_body || has_length || chunked;
    Ok(if delimited { End::Delimited } else { End::ConnectionClose })
}

/// Whether the body has a content encoding. None was asked for, and none is decoded.
pub fn is_encoded(headers: &HeaderMap) -> bool {
    list(headers, header::CONTENT_ENCODING).iter().any(|coding| coding != "identity")
}

/// The elements of a list header, in lower case.
fn list(headers: &HeaderMap, name: HeaderName) -> Vec<String> {
    let values = headers.get_all(name).into_iter().map(|value| String::from_utf8_lossy(value.as_bytes()));
    let elements = values
        .flat_map(|value| value.split(',').map(|element| element.trim().to_ascii_lowercase()).collect::<Vec<_>>());
    elements.filter(|element| !element.is_empty()).collect()
}

/// Counts the bytes received since the request, or since the last byte of the body. It ends answers with endless
/// headers, interim answers, trailers or chunk lines.
#[derive(Default)]
pub struct Overhead {
    bytes: AtomicUsize,
    /// 0 until the body begins.
    in_body: AtomicUsize,
}

impl Overhead {
    pub fn start(&self) {
        self.bytes.store(0, Ordering::Relaxed);
        self.in_body.store(0, Ordering::Relaxed);
    }

    /// Call it before each read of the body.
    pub fn start_body(&self) {
        self.bytes.store(0, Ordering::Relaxed);
        self.in_body.store(1, Ordering::Relaxed);
    }

    pub fn is_before_body(&self) -> bool {
        self.in_body.load(Ordering::Relaxed) == 0
    }

    pub fn add(&self, count: usize) {
        self.bytes.fetch_add(count, Ordering::Relaxed);
    }

    /// Fails once the limit is reached.
    pub fn check(&self) -> Result<(), TransportError> {
        if self.bytes.load(Ordering::Relaxed) < MAX_OVERHEAD {
            return Ok(());
        }
        let text = if self.is_before_body() {
            format!("the headers of the answer are too large: {MAX_OVERHEAD} bytes came before its body")
        } else {
            format!("{MAX_OVERHEAD} bytes that are not part of it came between or after its chunks")
        };
        Err(TransportError::new(Status::Response, text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ureq::http::HeaderValue;

    fn headers(lines: &[(&'static str, &'static str)]) -> HeaderMap {
        let mut map = HeaderMap::new();
        for (name, value) in lines {
            map.append(*name, HeaderValue::from_static(value));
        }
        map
    }

    #[test]
    fn the_headers_tell_what_ends_the_body() {
        const LENGTH: (&str, &str) = ("content-length", "5");
        const CHUNKED: (&str, &str) = ("transfer-encoding", "chunked");
        for (status, version, lines, expected) in [
            (200, Version::HTTP_11, &[LENGTH][..], Some(End::Delimited)),
            (200, Version::HTTP_11, &[LENGTH, LENGTH], Some(End::Delimited)),
            (200, Version::HTTP_11, &[LENGTH, ("connection", "close")], Some(End::Delimited)),
            (200, Version::HTTP_10, &[LENGTH], Some(End::Delimited)),
            (200, Version::HTTP_11, &[CHUNKED], Some(End::Delimited)),
            (200, Version::HTTP_11, &[("transfer-encoding", " Chunked ")], Some(End::Delimited)),
            (200, Version::HTTP_11, &[], Some(End::ConnectionClose)),
            (400, Version::HTTP_10, &[], Some(End::ConnectionClose)),
            (200, Version::HTTP_11, &[("transfer-encoding", "identity")], Some(End::ConnectionClose)),
            (204, Version::HTTP_11, &[], Some(End::Delimited)),
            (304, Version::HTTP_11, &[], Some(End::Delimited)),
            (200, Version::HTTP_11, &[LENGTH, CHUNKED], None),
            (200, Version::HTTP_11, &[LENGTH, ("transfer-encoding", "identity")], None),
            (204, Version::HTTP_11, &[LENGTH, CHUNKED], None),
            (200, Version::HTTP_10, &[CHUNKED], None),
            (200, Version::HTTP_11, &[("transfer-encoding", "gzip, chunked")], None),
            (200, Version::HTTP_11, &[("transfer-encoding", "gzip"), CHUNKED], None),
            (200, Version::HTTP_11, &[CHUNKED, CHUNKED], None),
            (200, Version::HTTP_11, &[("transfer-encoding", "chunked, gzip")], None),
            (200, Version::HTTP_11, &[("transfer-encoding", "")], None),
        ] {
            let found = end_of_body(StatusCode::from_u16(status).unwrap(), version, &headers(lines));
            assert_eq!(found.ok(), expected, "{status} {version:?} {lines:?}");
        }
    }

    #[test]
    fn content_encodings_are_recognised() {
        for (value, expected) in [("gzip", true), ("identity", false), (" Identity ", false), ("", false)] {
            assert_eq!(is_encoded(&headers(&[("content-encoding", value)])), expected, "{value}");
        }
        assert!(!is_encoded(&headers(&[])) && is_encoded(&headers(&[("content-encoding", "identity, br")])));
    }

    #[test]
    fn bytes_of_the_body_are_not_counted() {
        let overhead = Overhead::default();
        overhead.add(MAX_OVERHEAD - 1);
        assert!(overhead.check().is_ok());
        overhead.add(1);
        assert!(overhead.check().unwrap_err().message.contains("headers"));
        overhead.start_body();
        assert!(overhead.check().is_ok());
        overhead.add(MAX_OVERHEAD);
        assert!(overhead.check().unwrap_err().message.contains("chunks"));
        overhead.start();
        assert!(overhead.check().is_ok() && overhead.is_before_body());
    }
}
