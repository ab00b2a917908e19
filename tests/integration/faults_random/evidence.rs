//! What the server saw and gave, what a call returned, and whether the two can both be true. No I/O here.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use paysvc_spec::status::Outcome;

/// What a request was answered, as far as the server wrote it; noted before the last byte leaves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Given {
    /// No answer, or not a whole one.
    Nothing,
    /// A whole 429 that names neither success nor progress: come again.
    ComeAgain,
    Success,
    Refusal,
    /// A whole answer that decides nothing.
    Unclear,
}

/// One request of a key, or the part of it that arrived.
#[derive(Clone, Debug)]
#[allow(dead_code, reason = "connection and act are there to be printed with a violation")]
pub struct Seen {
    pub connection: usize,
    pub whole: bool,
    pub given: Given,
    /// What the server did with it.
    pub act: &'static str,
    /// A stray answer was sent on its connection just before: it may have arrived after the request was written, and
    /// HTTP/1.1 has nothing that tells it from the answer. What was read is then not judged.
    pub after_stray: bool,
}

/// By key, in the order in which they came.
#[derive(Default)]
pub struct Evidence(Mutex<HashMap<String, Vec<Seen>>>);

/// Names one request in the evidence.
#[derive(Clone, Debug)]
pub struct Place {
    pub key: String,
    index: usize,
}

impl Evidence {
    pub fn saw(&self, key: &str, seen: Seen) -> Place {
        let mut all = self.lock();
        let of_key = all.entry(key.to_owned()).or_default();
        of_key.push(seen);
        Place { key: key.to_owned(), index: of_key.len() - 1 }
    }

    pub fn change<T>(&self, place: &Place, change: impl FnOnce(&mut Seen) -> T) -> Option<T> {
        self.lock().get_mut(&place.key)?.get_mut(place.index).map(change)
    }

    pub fn of(&self, key: &str) -> Vec<Seen> {
        self.lock().get(key).cloned().unwrap_or_default()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Vec<Seen>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a call returned.
#[derive(Clone, Debug)]
#[allow(dead_code, reason = "what it said is there to be printed with a violation")]
pub struct Returned {
    pub key: String,
    pub moves_money: bool,
    pub outcome: Outcome,
    pub attempts: usize,
    /// The key that the answer's body names, if the body is the service's.
    pub token: Option<String>,
    /// How long after its limit, or its cancel, it returned.
    pub late: Duration,
    pub said: String,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Violation {
    SentTwice,
    NotSentButSeen,
    WrongAnswer,
    ConfirmedWithoutProof,
    RejectedWithoutProof,
    MoreSeenThanAttempts,
    ReturnedLate,
}

impl Violation {
    pub const ALL: [(Violation, &str); 7] = [
        (Violation::SentTwice, "money sent twice, other than after a whole 429"),
        (Violation::NotSentButSeen, "NOT_SENT, and the server saw bytes"),
        (Violation::WrongAnswer, "an answer that belongs to another request"),
        (Violation::ConfirmedWithoutProof, "CONFIRMED without a whole request and a whole success"),
        (Violation::RejectedWithoutProof, "REJECTED (money) without a whole refusal or 429"),
        (Violation::MoreSeenThanAttempts, "more requests seen than attempts told"),
        (Violation::ReturnedLate, "returned 3 s or more after its limit or its cancel"),
    ];
}

/// Longer than a busy machine delays a thread.
pub const LATE: Duration = Duration::from_secs(3);

pub fn is_excluded(seen: &[Seen]) -> bool {
    seen.iter().any(|seen| seen.after_stray)
}

/// All that cannot be true of one call.
pub fn check(returned: &Returned, seen: &[Seen]) -> Vec<Violation> {
    let mut found = Vec::new();
    let mut is = |violation, so: bool| {
        if so {
            found.push(violation);
        }
    };
    let repeated =
        seen.split_last().is_some_and(|(_, before)| before.iter().any(|seen| seen.given != Given::ComeAgain));
    is(Violation::SentTwice, returned.moves_money && repeated);
    is(Violation::NotSentButSeen, returned.outcome == Outcome::NotSent && !seen.is_empty());
    is(Violation::MoreSeenThanAttempts, seen.len() > returned.attempts);
    is(Violation::ReturnedLate, returned.late >= LATE);
    if is_excluded(seen) {
        return found;
    }
    is(Violation::WrongAnswer, returned.token.as_ref().is_some_and(|token| *token != returned.key));
    let succeeded = seen.iter().any(|seen| seen.whole && seen.given == Given::Success);
    is(Violation::ConfirmedWithoutProof, returned.outcome == Outcome::Confirmed && !succeeded);
    let refused = seen.last().is_some_and(|seen| matches!(seen.given, Given::ComeAgain | Given::Refusal));
    is(Violation::RejectedWithoutProof, returned.moves_money && returned.outcome == Outcome::Rejected && !refused);
    found
}
