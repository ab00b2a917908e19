//! A time limit that also holds if the machine sleeps or its clock is changed in the meantime, and the words of messages
//! about a call that is over.

use std::time::{Duration, Instant, SystemTime};

use super::boot;
use paysvc_spec::status::Status;

/// Something that may be done for a limited time, measured by three clocks: one may stand still while the machine sleeps,
/// one may be changed, and one is missing on some systems.
#[derive(Clone, Copy, Debug)]
pub struct Expiry {
    running: Instant,
    wall: SystemTime,
    boot_ms: u64,
    longest: Duration,
}

impl Expiry {
    /// From now on.
    pub fn after(longest: Duration) -> Expiry {
        Expiry { running: Instant::now(), wall: SystemTime::now(), boot_ms: boot::ms(), longest }
    }

    /// The time is over. A wall clock that was set back proves nothing, so the time is over then, too.
    pub fn is_over(&self) -> bool {
        let wall = SystemTime::now().duration_since(self.wall);
        let since_boot = Duration::from_millis(boot::ms().saturating_sub(self.boot_ms));
        self.running.elapsed().max(since_boot) >= self.longest || wall.map_or(true, |elapsed| elapsed >= self.longest)
    }
}

pub const CANCELLED: &str = "the call was cancelled";
pub const DEADLINE_EXCEEDED: &str = "deadline exceeded";

pub fn message(why: Status) -> &'static str {
    if why == Status::Cancelled { CANCELLED } else { DEADLINE_EXCEEDED }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_that_says_over_counts() {
        let fresh = Expiry::after(Duration::from_secs(60));
        assert!(!fresh.is_over() && Expiry::after(Duration::ZERO).is_over());
        let minute = Duration::from_secs(60);
        assert!(Expiry { wall: SystemTime::now() - minute, ..fresh }.is_over(), "it slept");
        assert!(
            Expiry { boot_ms: 0, longest: Duration::from_millis(1), ..fresh }.is_over(),
            "it slept, and was set back"
        );
        assert!(Expiry { wall: SystemTime::now() + minute, ..fresh }.is_over(), "the clock was set back");
        assert!(Expiry { longest: Duration::from_nanos(1), wall: SystemTime::now() + minute, ..fresh }.is_over());
    }
}
