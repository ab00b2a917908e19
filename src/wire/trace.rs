//! The headers by which a service finds a request in its own log: its date, and the numbers that it gave to the
//! request.

use ureq::http::{HeaderMap, HeaderName, HeaderValue};

pub const DATE: &str = "date";
/// Of the W3C's Trace Context.
pub const TRACEPARENT: &str = "traceparent";
/// The numbers that services, proxies and content networks give.
const NUMBERS: [&str; 7] =
    ["x-request-id", "request-id", "x-correlation-id", "correlation-id", TRACEPARENT, "x-amzn-trace-id", "cf-ray"];
/// Longest number. A `traceparent` has 55 characters.
const MAX_NUMBER: usize = 100;

/// Their names and values, or only the first number. A value that is no date, or no number of this form, is left out.
pub fn trace(headers: &HeaderMap, whole: bool) -> Vec<(&'static str, String)> {
    let date = headers.get(DATE).filter(|_| whole).and_then(date).map(|date| (DATE, date));
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
}
