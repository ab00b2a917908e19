//! Renders answers: as hyper's responses, and as bytes for scripts.

use http_body_util::Full;
use hyper::body::Bytes;
use hyper::header::{CONNECTION, CONTENT_TYPE, HeaderName, HeaderValue};
use hyper::{Response, StatusCode};

use super::answer::Answer;

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
