//! The HTTP response as it was received: status, the headers that matter, and the bytes of the body. Among the headers are
//! those by which a service finds the request in its own log: its date, and the numbers that it gave to the request.

use std::time::SystemTime;

use ureq::http::{HeaderMap, HeaderName, HeaderValue};

use super::error::TransportError;
use crate::util::text::is_digits;

pub const DATE: &str = "date";
/// A header of the W3C's Trace Context.
pub const TRACEPARENT: &str = "traceparent";
/// The numbers that services, proxies and content networks give.
const NUMBERS: [&str; 7] =
    ["x-request-id", "request-id", "x-correlation-id", "correlation-id", TRACEPARENT, "x-amzn-trace-id", "cf-ray"];
/// Longest number. A `traceparent` has 55 characters.
const MAX_NUMBER: usize = 100;

pub struct HttpAnswer {
    pub http_status: u16,
    /// All that there are, with commas between them.
    pub content_type: Option<String>,
    pub retry_after_ms: Option<u64>,
    /// The date and the numbers, see [`trace`].
    pub trace: Vec<(&'static str, String)>,
    pub body: Vec<u8>,
    /// A header names a content encoding. None was asked for, and none is decoded.
    pub encoded: bool,
    /// Neither a length nor chunks: the body ends with the connection, so a truncated one looks like a complete one.
    pub close_delimited: bool,
    /// The error of an incomplete body. With the status Transport the connection broke; with Response a retry would get
    /// the same response, and the message follows "the body ...".
    pub body_error: Option<TransportError>,
}

/// The names and values of these headers, or only the first number. A value that is no date, or no number of this form, is left out.
pub fn trace(headers: &HeaderMap, whole: bool) -> Vec<(&'static str, String)> {
    let date = if whole { headers.get(DATE).and_then(date).map(|date| (DATE, date)) } else { None };
    // Few answers have one, so each name is looked up in the headers instead of comparing each header with each name.
    let known = |name: &HeaderName| NUMBERS.iter().position(|number| *number == name.as_str());
    let mut found: Vec<_> = headers.keys().filter_map(known).collect();
    found.sort_unstable();
    let numbers = found.into_iter().map(|index| NUMBERS[index]);
    let numbers = numbers.filter_map(|name| Some((name, headers.get(name).and_then(number)?)));
    date.into_iter().chain(numbers.take(if whole { NUMBERS.len() } else { 1 })).collect()
}

/// Formatted again, so that it contains nothing but the date.
fn date(value: &HeaderValue) -> Option<String> {
    httpdate::parse_http_date(value.to_str().ok()?).ok().map(httpdate::fmt_http_date)
}

/// Visible ASCII without blanks, which cannot be taken for another part of a line.
fn number(value: &HeaderValue) -> Option<String> {
    let text = value.to_str().ok()?;
    let is_number = (1..=MAX_NUMBER).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic());
    is_number.then(|| text.to_owned())
}

/// The wait in ms that the header asks for: in seconds, or until a date (RFC 9110, 10.2.3).
pub fn retry_after_ms(text: &str, now: SystemTime) -> Option<u64> {
    let text = text.trim();
    // Some services send a fraction. Waiting longer is never wrong, so it is rounded up.
    let (seconds, fraction) = text.split_once('.').unwrap_or((text, "0"));
    if is_digits(seconds) && is_digits(fraction) {
        let begun = fraction.bytes().any(|b| b != b'0');
        // A number that is too large means for ever.
        return Some(seconds.parse().unwrap_or(u64::MAX).saturating_add(u64::from(begun)).saturating_mul(1000));
    }
    let wait = httpdate::parse_http_date(text).ok()?.duration_since(now).unwrap_or_default();
    u64::try_from(wait.as_millis()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(headers: &[(&'static str, &[u8])], whole: bool) -> Vec<(&'static str, String)> {
        let each = headers.iter().map(|(name, value)| (name.parse().unwrap(), HeaderValue::from_bytes(value).unwrap()));
        trace(&each.collect(), whole)
    }

    #[test]
    fn the_date_and_every_number_are_found() {
        let traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
        let headers: &[(&'static str, &[u8])] = &[
            ("cf-ray", b"8f1-LOS"),
            ("content-type", b"text/html"),
            ("traceparent", traceparent.as_bytes()),
            ("date", b"Sun, 06 Nov 1994 08:49:37 GMT"),
            ("x-request-id", b"r-1"),
        ];
        let expected = [
            ("date", "Sun, 06 Nov 1994 08:49:37 GMT"),
            ("x-request-id", "r-1"),
            ("traceparent", traceparent),
            ("cf-ray", "8f1-LOS"),
        ];
        let expected = expected.map(|(name, value)| (name, value.to_owned()));
        assert_eq!(found(headers, true), expected);
        assert_eq!(found(headers, false), expected[1..2]);
        for name in NUMBERS {
            assert_eq!(found(&[(name, b"1")], true), [(name, "1".to_owned())]);
        }
    }

    #[test]
    fn anything_else_in_them_is_left_out() {
        let long = "x".repeat(MAX_NUMBER + 1);
        for value in [&b""[..], b"two words", b"a\tb", "\u{e9}".as_bytes(), b"\xff", long.as_bytes()] {
            assert_eq!(found(&[("x-request-id", value)], true), []);
        }
        for value in [&b""[..], b"today", b"Sun, 06 Nov 1994 08:49:37 GMT paid", b"4111111111111111"] {
            assert_eq!(found(&[("date", value)], true), []);
        }
    }

    #[test]
    fn retry_after_forms() {
        let now = httpdate::parse_http_date("Sun, 06 Nov 1994 08:49:37 GMT").unwrap();
        for (text, expected) in [
            ("120", Some(120_000)),
            (" 0 ", Some(0)),
            ("1.5", Some(2000)),
            ("0.001", Some(1000)),
            ("2.0", Some(2000)),
            ("1.", None),
            (".5", None),
            ("1.5.5", None),
            ("1.5s", None),
            ("Sun, 06 Nov 1994 08:50:07 GMT", Some(30_000)),
            ("Sun, 06 Nov 1994 08:00:00 GMT", Some(0)),
            ("99999999999999999999", Some(u64::MAX)),
            ("-1", None),
            ("soon", None),
            ("", None),
        ] {
            assert_eq!(retry_after_ms(text, now), expected, "{text}");
        }
    }
}
