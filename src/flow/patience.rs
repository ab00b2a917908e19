//! Retries of a request, and the proof of its earlier attempts. Time and randomness are arguments.
//!
//! A column of the table in [`crate::answer::verdict`] decides whether the evidence allows another attempt.

use std::time::Duration;

use crate::answer::reply::Reply;
use crate::util::process::critical_section;
use paysvc_spec::status::Outcome;

/// Waits that grow from one to the next, each with a random part, so that many clients do not come back at once.
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

/// The proof of the attempts so far to send the same request.
#[derive(Clone, Copy)]
pub struct PriorAttempts {
    /// It still holds if a later attempt sends nothing.
    outcome: Outcome,
    /// One was answered with 429, and those before it may have been executed.
    pub after_429: bool,
}

impl PriorAttempts {
    pub const NONE: PriorAttempts = PriorAttempts { outcome: Outcome::NotSent, after_429: false };

    /// Adds the reply of one more attempt, which then has the outcome of all.
    pub fn add(&mut self, reply: &mut Reply) {
        self.after_429 |= reply.http_status() == 429;
        if reply.outcome() != Outcome::NotSent {
            self.outcome = reply.outcome();
        }
        reply.evidence.verdict.outcome = self.outcome;
    }
}

/// The decision whether another attempt is allowed and may help.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Again {
    No,
    /// Waiting would not help.
    AtOnce,
    /// After a wait: the service's own, in ms, if it names one.
    Later(Option<u64>),
    /// The same, after a response with 429.
    Busy(Option<u64>),
}

#[derive(Debug, PartialEq, Eq)]
pub enum Next {
    GiveUp,
    After(Duration),
    /// The wait would outlast the call; this is how long it would be.
    TooLate(Duration),
}

/// The limits and waits by which a run sends again. It counts its attempts.
pub struct Patience {
    max_attempts: u32,
    /// `None`: a response with 429 is an attempt like any other.
    while_busy: Option<WhileBusy>,
    /// The max time of one attempt; `None`: the call's.
    pub max_attempt: Option<Duration>,
    /// Since the last response with 429, if those are counted apart.
    attempts: u32,
}

/// The waits of a run that is answered with 429.
struct WhileBusy {
    /// The part of the call's time that must be left after a wait.
    needed: Duration,
    rounds: u32,
    waited: Duration,
}

impl WhileBusy {
    /// Max times that a request is sent again.
    const MAX_ROUNDS: u32 = 10;
    /// The max time of all waits.
    const MAX_WAITED: Duration = Duration::from_secs(15 * 60);
    /// If the service names no wait: at least half of a wait that doubles.
    const BACKOFF: Backoff = Backoff { first_ms: 1000, longest_ms: 60_000, growth: 200, jitter: (50, 100) };

    fn next(&mut self, retry_after_ms: Option<u64>, left: Duration, random: impl FnOnce() -> u64) -> Next {
        let wait = retry_after_ms.map_or_else(|| Self::BACKOFF.wait(self.rounds, random), Duration::from_millis);
        let waited = self.waited.saturating_add(wait);
        if self.rounds == Self::MAX_ROUNDS || wait > left.saturating_sub(self.needed) || waited > Self::MAX_WAITED {
            return Next::GiveUp;
        }
        (self.rounds, self.waited) = (self.rounds + 1, waited);
        Next::After(wait)
    }
}

impl Patience {
    /// With full jitter.
    const BACKOFF: Backoff = Backoff { first_ms: 500, longest_ms: 20_000, growth: 200, jitter: (0, 100) };

    /// For a call of its own: it ends while its caller waits.
    pub const fn of_call(max_attempts: u32) -> Patience {
        Patience { max_attempts, while_busy: None, max_attempt: None, attempts: 0 }
    }

    /// For a batch of a list that may take hours. `timeout`: how long one attempt may take.
    pub const fn of_batch(max_attempts: u32, timeout: Duration) -> Patience {
        let while_busy = Some(WhileBusy { needed: timeout, rounds: 0, waited: Duration::ZERO });
        Patience { max_attempts, while_busy, max_attempt: Some(timeout), attempts: 0 }
    }

    /// Decides what follows an attempt. `left`: the rest of the call's time.
    pub fn next(&mut self, again: Again, left: Duration, random: impl FnOnce() -> u64) -> Next {
        self.attempts += 1;
        let retry_after_ms = match (again, &mut self.while_busy) {
            (Again::No, _) => return Next::GiveUp,
            (Again::Busy(retry_after_ms), Some(while_busy)) => {
                self.attempts = 0;
                return while_busy.next(retry_after_ms, left, random);
            }
            _ if self.attempts >= self.max_attempts => return Next::GiveUp,
            (Again::AtOnce, _) => return Next::After(Duration::ZERO),
            (Again::Later(retry_after_ms) | Again::Busy(retry_after_ms), _) => retry_after_ms,
        };
        let wait = retry_after_ms.map_or_else(|| Self::BACKOFF.wait(self.attempts - 1, random), Duration::from_millis);
        if wait < left { Next::After(wait) } else { Next::TooLate(wait) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use paysvc_spec::status::Status;

    const MINUTE: Duration = Duration::from_secs(60);
    const DAY: Duration = Duration::from_secs(86_400);
    const LATER: Again = Again::Later(None);

    fn ms(ms: u64) -> Next {
        Next::After(Duration::from_millis(ms))
    }

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

    /// Returns what a call does after its attempt of that number.
    fn next(again: Again, number: u32, max_attempts: u32, left: Duration, random: impl FnOnce() -> u64) -> Next {
        Patience { attempts: number - 1, ..Patience::of_call(max_attempts) }.next(again, left, random)
    }

    #[test]
    fn nothing_is_retried_unless_allowed() {
        assert_eq!(next(Again::No, 1, 3, MINUTE, || 0), Next::GiveUp);
        assert_eq!(next(LATER, 1, 1, MINUTE, || 0), Next::GiveUp);
        assert_eq!(next(LATER, 1, 2, MINUTE, || 0), ms(0));
        let mut call = Patience::of_call(3);
        let all = [LATER, Again::Busy(None), LATER].map(|again| call.next(again, MINUTE, || 0));
        assert_eq!(all, [ms(0), ms(0), Next::GiveUp], "whatever the reasons");
    }

    #[test]
    fn waits_grow_with_full_jitter_up_to_the_cap() {
        let wait = |number, random| match next(LATER, number, 99, MINUTE, || random) {
            Next::After(wait) => wait.as_millis() as u64,
            other => panic!("{other:?}"),
        };
        for (number, ceiling) in [(1, 500), (2, 1000), (3, 2000), (6, 16_000), (7, 20_000), (51, 20_000)] {
            assert_eq!((wait(number, 0), wait(number, ceiling), wait(number, ceiling + 1)), (0, ceiling, 0));
        }
    }

    #[test]
    fn retry_after_is_honoured_and_never_outlasts_the_call() {
        for requested in [Again::Later(Some(2000)), Again::Busy(Some(2000))] {
            assert_eq!(next(requested, 1, 3, MINUTE, || 9), ms(2000));
            assert_eq!(next(requested, 1, 3, Duration::from_secs(2), || 9), Next::TooLate(Duration::from_secs(2)));
            assert_eq!(next(requested, 3, 3, MINUTE, || 9), Next::GiveUp);
        }
    }

    #[test]
    fn a_closed_connection_is_replaced_at_once() {
        assert_eq!(next(Again::AtOnce, 1, 3, MINUTE, || 499), ms(0));
    }

    #[test]
    fn a_batch_waits_for_a_busy_service_as_long_as_it_says_else_the_wait_doubles() {
        let mut batch = Patience::of_batch(1, Duration::ZERO);
        assert_eq!(batch.next(Again::Busy(Some(7000)), DAY, || 9), ms(7000));
        let back_off = [0, 2000, 4001].map(|random| batch.next(Again::Busy(None), DAY, || random));
        assert_eq!(back_off, [ms(1000), ms(4000), ms(4000)]);
        let mut last = WhileBusy { needed: Duration::ZERO, rounds: 9, waited: Duration::ZERO };
        assert_eq!(last.next(None, DAY, || 30_000), ms(60_000));
    }

    #[test]
    fn waits_of_a_batch_are_bounded_in_number_sum_and_by_the_call() {
        let batch = |needed| Patience::of_batch(2, Duration::from_secs(needed));
        let count = |ms| {
            let mut batch = batch(0);
            (0..20).take_while(|_| batch.next(Again::Busy(Some(ms)), DAY, || 0) != Next::GiveUp).count()
        };
        assert_eq!([0, 200_000, 901_000, u64::MAX].map(count), [10, 4, 0, 0]);
        let left = Duration::from_secs(25);
        assert_eq!(batch(20).next(Again::Busy(Some(5001)), left, || 0), Next::GiveUp);
        assert_eq!(batch(20).next(Again::Busy(Some(5000)), left, || 0), ms(5000));
        let mut mixed = batch(0);
        let all = [LATER, Again::Busy(Some(0)), LATER, LATER].map(|again| mixed.next(again, DAY, || 0));
        assert_eq!(all, [ms(0), ms(0), ms(0), Next::GiveUp], "attempts without a response are counted anew");
    }

    #[test]
    fn an_attempt_that_sends_nothing_leaves_the_outcome_of_those_before_it() {
        let reply = |outcome, http_status| {
            let mut reply = Reply::failed(Status::Transport, outcome, "");
            reply.evidence.reading.http_status = http_status;
            reply
        };
        let mut prior = PriorAttempts::NONE;
        let mut add = |mut reply: Reply| {
            prior.add(&mut reply);
            (reply.outcome(), prior.after_429)
        };
        assert_eq!(add(reply(Outcome::NotSent, 0)), (Outcome::NotSent, false));
        assert_eq!(add(reply(Outcome::Rejected, 429)), (Outcome::Rejected, true));
        assert_eq!(add(reply(Outcome::NotSent, 0)), (Outcome::Rejected, true));
        assert_eq!(add(reply(Outcome::Unknown, 0)), (Outcome::Unknown, true));
    }
}
