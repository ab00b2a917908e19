//! Timestamps in the two forms that the service writes.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use time::OffsetDateTime;

/// The service's value for a missing date.
pub const NO_DATE: &str = "0001-01-01T00:00:00";

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment(OffsetDateTime);

/// Milliseconds by which admin calls have moved the clock. There is one sandbox in a process.
static AHEAD: AtomicU64 = AtomicU64::new(0);
/// Ten years: further on, dates would not be dates for every client.
pub const FARTHEST_MS: u64 = 10 * 365 * 24 * 3600 * 1000;

/// Returns the milliseconds by which the clock is ahead of the machine's.
pub fn ahead_ms() -> u64 {
    AHEAD.load(Ordering::Relaxed)
}

/// `None`: that is too far.
pub fn advance(ms: u64) -> Option<u64> {
    let ahead = ahead_ms().checked_add(ms).filter(|ahead| *ahead <= FARTHEST_MS)?;
    AHEAD.store(ahead, Ordering::Relaxed);
    Some(ahead)
}

/// Back to the time of the machine.
pub fn reset() {
    AHEAD.store(0, Ordering::Relaxed);
}

impl Moment {
    pub fn now() -> Moment {
        Moment(OffsetDateTime::now_utc()).after(Duration::from_millis(ahead_ms()))
    }

    /// The moment that much later; at most a hundred years, so that it stays a date.
    pub fn after(self, span: Duration) -> Moment {
        const LONGEST: Duration = Duration::from_secs(100 * 365 * 24 * 3600);
        Moment(self.0 + span.min(LONGEST))
    }

    /// `2026-01-31T09:08:07.1234567`: seven fraction digits, no zone.
    pub fn seven_digits(self) -> String {
        format!("{}.{:07}", self.seconds(), self.0.nanosecond() / 100)
    }

    /// `2026-01-31T09:08:07.123Z`: milliseconds, UTC.
    pub fn millis_utc(self) -> String {
        format!("{}.{:03}Z", self.seconds(), self.0.millisecond())
    }

    fn seconds(self) -> String {
        let at = self.0;
        let (year, month, day) = (at.year(), u8::from(at.month()), at.day());
        format!("{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}", at.hour(), at.minute(), at.second())
    }
}

/// As nanoseconds since 1970.
impl Serialize for Moment {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_i128(self.0.unix_timestamp_nanos())
    }
}

impl<'de> Deserialize<'de> for Moment {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Moment, D::Error> {
        let nanoseconds = i128::deserialize(from)?;
        OffsetDateTime::from_unix_timestamp_nanos(nanoseconds).map(Moment).map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms() {
        let at = OffsetDateTime::from_unix_timestamp_nanos(1_769_850_487_012_345_678).unwrap();
        assert_eq!(Moment(at).seven_digits(), "2026-01-31T09:08:07.0123456");
        assert_eq!(Moment(at).millis_utc(), "2026-01-31T09:08:07.012Z");
    }
}
