//! Waits that grow from one to the next, each with a random part, so that many clients do not come back at once.
//! Randomness is an argument.

use std::time::Duration;

use crate::util::process::critical_section;

pub struct Backoff {
    /// The first wait and the longest, before the random part.
    pub first_ms: u64,
    pub longest_ms: u64,
    /// Each wait as a percentage of the one before it.
    pub growth: u64,
    /// The least and the most of it that is waited, in percent.
    pub jitter: (u64, u64),
}

impl Backoff {
    /// The wait after that many others.
    pub fn wait(&self, others: u32, random: impl FnOnce() -> u64) -> Duration {
        let mut wait = self.first_ms;
        for _ in 0..others {
            if wait >= self.longest_ms {
                break;
            }
            wait = wait * self.growth / 100;
        }
        let [least, most] = [self.jitter.0, self.jitter.1].map(|percent| wait.min(self.longest_ms) * percent / 100);
        Duration::from_millis(least + random() % (most - least + 1))
    }
}

/// If the system has no randomness, it is zero.
pub fn random() -> u64 {
    let mut bytes = [0; 8];
    match critical_section(|| aws_lc_rs::rand::fill(&mut bytes)) {
        Ok(()) => u64::from_ne_bytes(bytes),
        Err(_) => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_up_to_the_longest() {
        let wait = |growth, longest_ms, others| {
            let backoff = Backoff { first_ms: 1000, longest_ms, growth, jitter: (100, 100) };
            backoff.wait(others, || 7).as_millis()
        };
        assert_eq!([0, 1, 2, 3, u32::MAX].map(|others| wait(200, 5000, others)), [1000, 2000, 4000, 5000, 5000]);
        let by_half = [1000, 1500, 2250, 3375, 5062, 7593, 10_000, 10_000];
        assert_eq!([0, 1, 2, 3, 4, 5, 6, 7].map(|others| wait(150, 10_000, others)), by_half);
    }

    #[test]
    fn the_random_part_is_between_its_limits() {
        let wait = |jitter, random| {
            let backoff = Backoff { first_ms: 1000, longest_ms: 1000, growth: 200, jitter };
            backoff.wait(0, || random).as_millis()
        };
        assert_eq!([0, 1000, 1001].map(|random| wait((0, 100), random)), [0, 1000, 0]);
        assert_eq!([0, 500, 501].map(|random| wait((50, 100), random)), [500, 1000, 500]);
        assert_eq!([0, 500, 501].map(|random| wait((75, 125), random)), [750, 1250, 750]);
    }
}
