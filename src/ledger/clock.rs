//! Time in the form that rows have. The date is for people; a lease depends on the time since the machine's boot.

use std::time::Duration;

use time::OffsetDateTime;

pub use crate::util::boot::Moment;
pub use crate::util::unique::now_ms;

pub fn ms(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// The day in UTC, such as 2026-01-31.
pub fn day(ms: u64) -> String {
    let seconds = i64::try_from(ms / 1000).unwrap_or(i64::MAX);
    OffsetDateTime::from_unix_timestamp(seconds)
        .map_or_else(|_| "9999-12-31".to_owned(), |time| time.date().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_those_of_the_calendar() {
        for (seconds, expected) in [
            (0, "1970-01-01"),
            (951_782_399, "2000-02-28"),
            (951_782_400, "2000-02-29"),
            (951_868_800, "2000-03-01"),
            (1_769_903_999, "2026-01-31"),
            (1_769_904_000, "2026-02-01"),
            (4_107_542_399, "2100-02-28"),
            (4_107_542_400, "2100-03-01"),
            (253_402_300_799, "9999-12-31"),
        ] {
            assert_eq!(day(seconds * 1000), expected);
        }
    }
}
