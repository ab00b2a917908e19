//! Where an answer's body ends, and how much may come that is not body.

use std::sync::atomic::{AtomicUsize, Ordering};

use ureq::http::{HeaderMap, HeaderName, StatusCode, Version, header};

use super::error::TransportError;
use paysvc_spec::status::Status;

/// Most bytes of an answer before its body, interim answers and empty lines included; between two pieces of the body;
/// and after it.
pub const MAX_OVERHEAD: usize = 64 * 1024;

/// What ends a body.
#[derive(Debug, PartialEq, Eq)]
pub enum End {
    /// A length, the last chunk, or a status that has no body.
    Told,
    /// The end of the connection.
    Connection,
}

/// What the headers say ends the body (RFC 9112, 6.3), or why they cannot be believed. Contradictory lengths never come
/// this far: ureq refuses them.
pub fn end_of_body(status: StatusCode, version: Version, headers: &HeaderMap) -> Result<End, String> {
    let has_length = headers.contains_key(header::CONTENT_LENGTH);
    let mut chunked = false;
    if headers.contains_key(header::TRANSFER_ENCODING) {
        // Whoever reads the one and whoever reads the other see two different answers.
        if has_length {
            return Err("it has both a content-length and a transfer-encoding".into());
        }
        let codings = list(headers, header::TRANSFER_ENCODING);
        chunked = codings == ["chunked"];
        if chunked && version == Version::HTTP_10 {
            return Err("it has a transfer-encoding, which HTTP/1.0 does not know".into());
        }
        if !chunked && codings != ["identity"] {
            return Err("it has a transfer-encoding other than chunked, which nobody asked for".into());
        }
    }
    let without_body = matches!(status.as_u16(), 100..=199 | 204 | 304);
    let told = without_body || has_length || chunked;
    Ok(if told { End::Told } else { End::Connection })
}

/// Whether the body went through a content encoding; none was asked for, and none is decoded.
pub fn is_encoded(headers: &HeaderMap) -> bool {
    list(headers, header::CONTENT_ENCODING).iter().any(|coding| coding != "identity")
}

/// The elements of a header's lists, in lower case.
fn list(headers: &HeaderMap, name: HeaderName) -> Vec<String> {
    let values = headers.get_all(name).into_iter().map(|value| String::from_utf8_lossy(value.as_bytes()));
    let elements = values
        .flat_map(|value| value.split(',').map(|element| element.trim().to_ascii_lowercase()).collect::<Vec<_>>());
    elements.filter(|element| !element.is_empty()).collect()
}

/// Counts the bytes that came since the request, or since the last byte of the body: a peer that sends headers, interim
/// answers, trailers or the line before a chunk without end is cut off.
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

    /// The next read is for the body.
    pub fn body(&self) {
        self.bytes.store(0, Ordering::Relaxed);
        self.in_body.store(1, Ordering::Relaxed);
    }

    pub fn is_before_body(&self) -> bool {
        self.in_body.load(Ordering::Relaxed) == 0
    }

    pub fn add(&self, count: usize) {
        self.bytes.fetch_add(count, Ordering::Relaxed);
    }

    /// Whether more may be read.
    pub fn check(&self) -> Result<(), TransportError> {
        if self.bytes.load(Ordering::Relaxed) < MAX_OVERHEAD {
            return Ok(());
        }
        let text = if self.is_before_body() {
            format!("the headers of the answer are too large: {MAX_OVERHEAD} bytes came before its body")
        } else {
            format!("{MAX_OVERHEAD} bytes came between or after its chunks that are no part of it")
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
    fn a_body_ends_where_its_headers_say() {
        const LENGTH: (&str, &str) = ("content-length", "5");
        const CHUNKED: (&str, &str) = ("transfer-encoding", "chunked");
        for (status, version, lines, expected) in [
            (200, Version::HTTP_11, &[LENGTH][..], Some(End::Told)),
            (200, Version::HTTP_11, &[LENGTH, LENGTH], Some(End::Told)),
            (200, Version::HTTP_11, &[LENGTH, ("connection", "close")], Some(End::Told)),
            (200, Version::HTTP_10, &[LENGTH], Some(End::Told)),
            (200, Version::HTTP_11, &[CHUNKED], Some(End::Told)),
            (200, Version::HTTP_11, &[("transfer-encoding", " Chunked ")], Some(End::Told)),
            (200, Version::HTTP_11, &[], Some(End::Connection)),
            (400, Version::HTTP_10, &[], Some(End::Connection)),
            (200, Version::HTTP_11, &[("transfer-encoding", "identity")], Some(End::Connection)),
            (204, Version::HTTP_11, &[], Some(End::Told)),
            (304, Version::HTTP_11, &[], Some(End::Told)),
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
    fn encodings() {
        for (value, expected) in [("gzip", true), ("identity", false), (" Identity ", false), ("", false)] {
            assert_eq!(is_encoded(&headers(&[("content-encoding", value)])), expected, "{value}");
        }
        assert!(!is_encoded(&headers(&[])) && is_encoded(&headers(&[("content-encoding", "identity, br")])));
    }

    #[test]
    fn only_what_is_no_body_is_counted() {
        let overhead = Overhead::default();
        overhead.add(MAX_OVERHEAD - 1);
        assert!(overhead.check().is_ok());
        overhead.add(1);
        assert!(overhead.check().unwrap_err().message.contains("headers"));
        overhead.body();
        assert!(overhead.check().is_ok());
        overhead.add(MAX_OVERHEAD);
        assert!(overhead.check().unwrap_err().message.contains("chunks"));
        overhead.start();
        assert!(overhead.check().is_ok() && overhead.is_before_body());
    }
}
