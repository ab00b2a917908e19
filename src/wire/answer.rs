//! The HTTP answer as it was received: status, the headers that matter, and the bytes of the body.

use super::error::TransportError;

pub struct HttpAnswer {
    pub http_status: u16,
    pub content_type: Option<String>,
    pub retry_after_ms: Option<u64>,
    /// Headers by which the service finds the request in its own log; the date only if it was asked for.
    pub trace: Vec<(&'static str, String)>,
    pub body: Vec<u8>,
    /// A header names a content encoding. None was asked for, and none is decoded.
    pub encoded: bool,
    /// Neither a length nor chunks: the body ends with the connection, so a truncated one looks like a complete one.
    pub close_delimited: bool,
    /// Why the body is incomplete, if it is. With the status Transport the connection broke; with Response a retry would get
    /// the same answer, and the message follows "the body ...".
    pub body_error: Option<TransportError>,
}
