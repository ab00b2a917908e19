//! Limits the requests that a client's verifications send. Anybody can send events: a flood of them must not use up the
//! requests that the service allows, or payments would get 429.
//!
//! Each bucket of requests refills within a minute. It is kept as the time at which it will be full, so that one that is
//! not there is full, and the memory is bounded by the requests of a minute.

use std::collections::HashMap;
use std::time::{Duration, Instant};

const MINUTE: Duration = Duration::from_secs(60);
/// The time after which another verification may have ended.
const SOON: Duration = Duration::from_secs(1);
/// The bucket of all requests. No reference is empty.
const ALL: &str = "";
/// A reference has this share of the requests, so that a flood about one does not keep out the others.
const SHARE_OF_REFERENCE: u32 = 6;
/// But as many at least, if they are as many: its event, and that of a later state.
const LEAST_OF_REFERENCE: u32 = 2;

/// SHA-256 of the text of an event.
pub type Digest = [u8; 32];

#[derive(Clone, Copy)]
pub struct Rates {
    pub at_once: u32,
    pub per_minute: u32,
}

impl Rates {
    /// The buckets that an event about the reference takes from, each with the time in which one request refills.
    fn buckets<'r>(&self, reference: &'r str) -> [(&'r str, Duration); 2] {
        let each = MINUTE / self.per_minute;
        let own = (each * SHARE_OF_REFERENCE).min(MINUTE / LEAST_OF_REFERENCE).max(each);
        [(reference, own), (ALL, each)]
    }
}

#[derive(Default)]
pub struct Limits {
    under_way: u32,
    /// When the buckets that are not full will be.
    full_at: HashMap<String, Instant>,
    /// When these texts were found not authentic.
    forged: HashMap<Digest, Instant>,
}

impl Limits {
    /// Takes a request about the reference; the verification must leave. `Err`: how long to wait.
    pub fn enter(&mut self, rates: Rates, reference: &str, now: Instant) -> Result<(), Duration> {
        let waits = rates.buckets(reference).map(|(bucket, each)| {
            let full = self.full_at.get(bucket).map_or(now, |full| now.max(*full));
            (full + each).saturating_duration_since(now + MINUTE)
        });
        let wait = waits[0].max(waits[1]);
        if !wait.is_zero() {
            return Err(wait);
        }
        if self.under_way >= rates.at_once {
            return Err(SOON);
        }
        self.under_way += 1;
        self.full_at.retain(|_, full| *full > now);
        self.take(rates, reference, 1, now);
        Ok(())
    }

    /// A verification has ended that sent this many requests. One was taken before.
    pub fn leave(&mut self, rates: Rates, reference: &str, sent: u32, now: Instant) {
        // A child that was forked meanwhile has counted none.
        self.under_way = self.under_way.saturating_sub(1);
        if let Some(more) = sent.checked_sub(1) {
            return self.take(rates, reference, more, now);
        }
        for (bucket, each) in rates.buckets(reference) {
            if let Some(full) = self.full_at.get_mut(bucket) {
                *full = full.checked_sub(each).unwrap_or(*full);
            }
        }
    }

    fn take(&mut self, rates: Rates, reference: &str, requests: u32, now: Instant) {
        for (bucket, each) in rates.buckets(reference) {
            let full = self.full_at.entry(bucket.to_owned()).or_insert(now);
            *full = now.max(*full) + each * requests;
        }
    }

    /// Returns whether the service's response contradicted the event less than a minute ago.
    pub fn is_forged(&self, event: &Digest, now: Instant) -> bool {
        self.forged.get(event).is_some_and(|found| is_fresh(*found, now))
    }

    pub fn found_forged(&mut self, event: Digest, now: Instant) {
        self.forged.retain(|_, found| is_fresh(*found, now));
        self.forged.insert(event, now);
    }
}

fn is_fresh(found: Instant, now: Instant) -> bool {
    now.saturating_duration_since(found) < MINUTE
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: Duration = Duration::from_secs(3600);

    fn seconds(count: u64) -> Duration {
        Duration::from_secs(count)
    }

    /// Verifications one after the other, each with this many requests, until one has to wait: how many, and how long.
    fn until_refused(
        limits: &mut Limits,
        rates: Rates,
        reference: impl Fn(u32) -> String,
        sent: u32,
        now: Instant,
    ) -> (u32, Duration) {
        for count in 0.. {
            let reference = reference(count);
            match limits.enter(rates, &reference, now) {
                Ok(()) => limits.leave(rates, &reference, sent, now),
                Err(wait) => return (count, wait),
            }
        }
        unreachable!()
    }

    fn others(count: u32) -> String {
        format!("O-{count}")
    }

    #[test]
    fn only_so_many_are_under_way() {
        let (mut limits, now, rates) = (Limits::default(), Instant::now(), Rates { at_once: 2, per_minute: 60 });
        let enter = |limits: &mut Limits, reference| limits.enter(rates, reference, now);
        assert_eq!(["A", "B", "C"].map(|each| enter(&mut limits, each)), [Ok(()), Ok(()), Err(SOON)]);
        limits.leave(rates, "A", 1, now);
        assert_eq!(["C", "D"].map(|each| enter(&mut limits, each)), [Ok(()), Err(SOON)]);
        // The refused verification took nothing: 57 are left.
        limits.leave(rates, "B", 1, now);
        assert_eq!(until_refused(&mut limits, rates, others, 1, now), (57, seconds(1)));
    }

    #[test]
    fn requests_refill_within_a_minute() {
        let (mut limits, now, rates) = (Limits::default(), Instant::now(), Rates { at_once: 1, per_minute: 60 });
        // The last of 20 takes two more than are left.
        assert_eq!(until_refused(&mut limits, rates, others, 3, now), (20, seconds(1)));
        assert_eq!(limits.enter(rates, "X", now), Err(seconds(1)));
        assert_eq!(until_refused(&mut limits, rates, |n| format!("P-{n}"), 1, now + seconds(7)), (7, seconds(1)));
        assert_eq!(limits.enter(rates, "X", now + seconds(8)), Ok(()));
        // It sent nothing.
        limits.leave(rates, "X", 0, now + seconds(8));
        assert_eq!(limits.enter(rates, "Y", now + seconds(8)), Ok(()));
        limits.leave(rates, "Y", 3, now + seconds(8));
        assert_eq!(limits.enter(rates, "Z", now + seconds(8)), Err(seconds(3)), "it sent more than were left");
        assert_eq!(until_refused(&mut limits, rates, others, 1, now + HOUR), (60, seconds(1)), "no more than full");
        assert_eq!(limits.full_at.len(), 61);
        assert_eq!(limits.enter(rates, "A", now + 2 * HOUR), Ok(()));
        assert_eq!(limits.full_at.len(), 2, "what is full is forgotten");
    }

    #[test]
    fn a_reference_has_a_share() {
        for (per_minute, share, wait) in [(120, 20, 3), (60, 10, 6), (12, 2, 30), (6, 2, 30), (2, 2, 30), (1, 1, 60)] {
            let (mut limits, now, rates) = (Limits::default(), Instant::now(), Rates { at_once: 1, per_minute });
            let of_one = until_refused(&mut limits, rates, |_| "A".into(), 1, now);
            assert_eq!(of_one, (share, seconds(wait)), "{per_minute}");
            let (left, _) = until_refused(&mut limits, rates, others, 1, now);
            assert_eq!(left, per_minute - share, "the others have what is left of {per_minute}");
        }
    }

    #[test]
    fn what_was_found_forged_is_remembered_for_a_minute() {
        let (mut limits, now) = (Limits::default(), Instant::now());
        limits.found_forged([1; 32], now);
        let almost = now + MINUTE - Duration::from_nanos(1);
        let seen = [now, almost, now + MINUTE].map(|at| limits.is_forged(&[1; 32], at));
        assert_eq!((seen, limits.is_forged(&[2; 32], now)), ([true, true, false], false));
        limits.found_forged([2; 32], almost);
        assert_eq!(limits.forged.len(), 2);
        limits.found_forged([3; 32], now + MINUTE);
        assert_eq!(limits.forged.len(), 2, "what is old is forgotten");
    }
}
