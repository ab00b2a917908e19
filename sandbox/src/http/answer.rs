//! HTTP responses, error responses in the envelopes of the service, and the bytes of both.

use std::borrow::Cow;

use http_body_util::Full;
use hyper::body::Bytes;
use hyper::header::{CONNECTION, CONTENT_TYPE, HeaderName, HeaderValue};
use hyper::{Response, StatusCode};

use crate::util::json::{Json, object};

/// A complete answer; `delivery` puts it on the wire.
#[derive(Debug, Clone)]
pub struct Answer {
    pub status: u16,
    pub content_type: Cow<'static, str>,
    pub headers: Vec<(Cow<'static, str>, String)>,
    pub body: Vec<u8>,
    /// The service's documentation does not show this shape: the response carries `x-sandbox-assumed: 1`.
    pub assumed: bool,
}

impl Answer {
    pub fn new(status: u16, body: &Json) -> Answer {
        let body = body.to_string().into_bytes();
        let content_type = "application/json; charset=utf-8".into();
        Answer { status, content_type, headers: Vec::new(), body, assumed: false }
    }

    pub fn ok(body: &Json) -> Answer {
        Answer::new(200, body)
    }

    /// A page for a person; the text must be HTML already.
    pub fn page(status: u16, html: String) -> Answer {
        let (content_type, headers) = ("text/html; charset=utf-8".into(), Vec::new());
        Answer { status, content_type, headers, body: html.into_bytes(), assumed: false }
    }

    pub fn header(mut self, name: &'static str, value: impl Into<String>) -> Answer {
        self.headers.push((name.into(), value.into()));
        self
    }

    pub fn assumed(mut self) -> Answer {
        self.assumed = true;
        self
    }
}

/// The envelope of an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Envelope {
    /// `{"status":false,"message":"…","errors":{field: text}}`
    Failure,
    /// `{"error":{"code":"…","message":"…","description":"…"}}`, seen at 401 and 500.
    Error,
}

/// An error answer. The request committed nothing.
#[derive(Debug)]
pub struct ApiError {
    pub status: u16,
    pub message: String,
    errors: Vec<(String, String)>,
    envelope: Envelope,
    headers: Vec<(&'static str, String)>,
    assumed: bool,
}

impl ApiError {
    /// Invalid input, listed by field, in the documented envelope.
    pub fn invalid(errors: Vec<(String, String)>) -> ApiError {
        let message = errors.first().map_or_else(|| "The request is not valid.".to_string(), |(_, text)| text.clone());
        ApiError { status: 400, message, errors, envelope: Envelope::Failure, headers: Vec::new(), assumed: false }
    }

    /// One field with a value that the current state does not allow.
    pub fn field(name: &str, text: impl Into<String>) -> ApiError {
        ApiError { assumed: true, ..ApiError::invalid(vec![(name.to_string(), text.into())]) }
    }

    /// `X not found at the moment.`
    pub fn not_found(field: &str, what: &str) -> ApiError {
        ApiError { status: 404, ..ApiError::field(field, format!("{what} not found at the moment.")) }
    }

    pub fn unauthorized(message: &str) -> ApiError {
        ApiError::new(401, message)
    }

    pub fn new(status: u16, message: impl Into<String>) -> ApiError {
        let envelope = Envelope::Error;
        ApiError { status, message: message.into(), errors: Vec::new(), envelope, headers: Vec::new(), assumed: true }
    }

    pub fn method_not_allowed(method: &str, path: &str, allowed: &str) -> ApiError {
        ApiError::new(405, format!("{path} takes {allowed}, not {method}.")).header("allow", allowed.to_string())
    }

    pub fn with_status(self, status: u16) -> ApiError {
        ApiError { status, ..self }
    }

    pub fn header(mut self, name: &'static str, value: String) -> ApiError {
        self.headers.push((name, value));
        self
    }

    pub fn into_answer(self) -> Answer {
        let body = match self.envelope {
            Envelope::Failure => {
                let errors = self.errors.into_iter().map(|(name, text)| (name, Json::Text(text))).collect();
                object! { "status": false, "message": self.message, "errors": Json::Object(errors) }
            }
            Envelope::Error => object! {
                "error": object! { "code": self.status.to_string(), "message": self.message, "description": Json::Null }
            },
        };
        let headers = self.headers.into_iter().map(|(name, value)| (name.into(), value)).collect();
        Answer { headers, assumed: self.assumed, ..Answer::new(self.status, &body) }
    }
}

/// The bytes of the response.
pub fn text(answer: &Answer, keep_alive: bool) -> Bytes {
    let head = head(answer, &format!("content-length: {}", answer.body.len()), keep_alive);
    [head.as_bytes(), &answer.body].concat().into()
}

pub fn head(answer: &Answer, length: &str, keep_alive: bool) -> String {
    let response = response(Answer { body: Vec::new(), ..answer.clone() });
    let mut head = format!("HTTP/1.1 {}\r\n", response.status());
    for (name, value) in response.headers() {
        head += &format!("{name}: {}\r\n", String::from_utf8_lossy(value.as_bytes()));
    }
    if !keep_alive && !response.headers().contains_key(CONNECTION) {
        head += "connection: close\r\n";
    }
    head + length + "\r\n\r\n"
}

pub fn response(answer: Answer) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(Bytes::from(answer.body)));
    *response.status_mut() = StatusCode::from_u16(answer.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let headers = response.headers_mut();
    // A recorded answer has any text here.
    if let Ok(content_type) = HeaderValue::from_str(&answer.content_type) {
        headers.insert(CONTENT_TYPE, content_type);
    }
    if answer.assumed {
        headers.insert("x-sandbox-assumed", HeaderValue::from_static("1"));
    }
    for (name, value) in answer.headers {
        if let (Ok(name), Ok(value)) = (HeaderName::from_bytes(name.as_bytes()), HeaderValue::from_str(&value)) {
            headers.insert(name, value);
        }
    }
    response
}

/// The head of a chunked answer, one chunk and the bytes after it.
pub fn chunked(answer: &Answer, chunk: &[u8], then: &[u8], keep_alive: bool) -> Bytes {
    let head = head(answer, "transfer-encoding: chunked", keep_alive);
    [head.as_bytes(), format!("{:x}\r\n", chunk.len()).as_bytes(), chunk, then].concat().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(error: ApiError) -> String {
        String::from_utf8(error.into_answer().body).unwrap()
    }

    #[test]
    fn envelopes() {
        assert_eq!(
            text(ApiError::not_found("mandateCode", "Mandate")),
            r#"{"status":false,"message":"Mandate not found at the moment.","errors":{"mandateCode":"Mandate not found at the moment."}}"#
        );
        assert_eq!(
            text(ApiError::unauthorized("api-key was not passed in the header.")),
            r#"{"error":{"code":"401","message":"api-key was not passed in the header.","description":null}}"#
        );
    }
}
