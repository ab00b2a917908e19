//! The machine's clock, against which certificates are checked. It may be set to any time.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rustls::pki_types::UnixTime;
use rustls::time_provider::TimeProvider;

/// The first second of the year 10000, which an HTTP date cannot represent.
const YEAR_10000: Duration = Duration::from_secs(253_402_300_800);

/// The time in an error message.
pub fn text(now: SystemTime) -> String {
    match now.duration_since(UNIX_EPOCH) {
        Err(_) => "a time before 1970".into(),
        Ok(since) if since >= YEAR_10000 => "a time after the year 9999".into(),
        Ok(_) => httpdate::fmt_http_date(now),
    }
}

/// The clock for TLS. The default one would panic for a time before 1970.
#[derive(Debug)]
pub struct Clock;

impl TimeProvider for Clock {
    fn current_time(&self) -> Option<UnixTime> {
        SystemTime::now().duration_since(UNIX_EPOCH).ok().map(UnixTime::since_unix_epoch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_time_has_a_text() {
        let last = UNIX_EPOCH + YEAR_10000 - Duration::from_secs(1);
        for (now, expected) in [
            (UNIX_EPOCH - Duration::from_secs(1), "a time before 1970"),
            (UNIX_EPOCH, "Thu, 01 Jan 1970 00:00:00 GMT"),
            (last, "Fri, 31 Dec 9999 23:59:59 GMT"),
            (UNIX_EPOCH + YEAR_10000, "a time after the year 9999"),
        ] {
            assert_eq!(text(now), expected);
        }
    }
}
