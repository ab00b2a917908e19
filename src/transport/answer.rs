//! The HTTP answer as it was received: status, the headers that matter, and the bytes of the body.

/// One answer of the service.
pub struct HttpAnswer {
    pub http_status: u16,
    pub content_type: Option<String>,
    pub retry_after_ms: Option<u64>,
    pub body: Vec<u8>,
    /// The header names a content encoding; none was asked for, and none is decoded.
    pub encoded: bool,
    /// Neither a length nor chunks: the body ends with its connection, so a cut one looks like a whole one.
    pub close_delimited: bool,
    /// Why the body ends before its end, if it does.
    pub cut: Option<Cut>,
}

/// Why an answer's body is not whole.
#[derive(Debug)]
pub enum Cut {
    /// The connection broke.
    Broken(String),
    /// The framing was wrong: the same answer would come again.
    Framing(String),
    TooLarge(usize),
    /// The system refused the memory for it.
    NoMemory,
    Timeout,
    Cancelled,
}
