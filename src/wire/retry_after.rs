//! The `Retry-After` header.

use std::time::SystemTime;

/// The wait in ms that the header asks for: in seconds, or until a date (RFC 9110, 10.2.3).
pub fn retry_after_ms(text: &str, now: SystemTime) -> Option<u64> {
    let text = text.trim();
    // Some services send a fraction. Waiting longer is never wrong, so it is rounded up.
    let (seconds, fraction) = text.split_once('.').unwrap_or((text, "0"));
    if [seconds, fraction].iter().all(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit())) {
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
