//! The server's requests and responses, the result of a call, and whether the two can both be true. No I/O here.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use paysvc_spec::status::Outcome;

/// The response to a request, as far as the server wrote it; noted before the last byte leaves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Given {
    /// No response, or not a whole one.
    Nothing,
    /// A whole 429 that names neither success nor progress: come again.
    ComeAgain,
    Success,
    Refusal,
    /// A whole response that decides nothing.
    Unclear,
}

/// One request of a key, or the part of it that arrived.
#[derive(Clone, Debug)]
#[allow(dead_code, reason = "connection and act are there to be printed with a violation")]
pub struct Seen {
    pub connection: usize,
    pub whole: bool,
    pub given: Given,
    /// No request came before it on its connection.
    pub first: bool,
    /// The server's action on it.
    pub act: &'static str,
    /// A stray response was sent on its connection just before: it may have arrived after the request was written.
    pub after_stray: bool,
    /// And it was a 429, or the response before this request was one, which the client may have taken for this one's
    /// response.
    pub after_shifted_429: bool,
}

/// By key, in the order in which they came.
#[derive(Default)]
pub struct Evidence {
    requests: Mutex<HashMap<String, Vec<Seen>>>,
    /// Tokens of responses that came one request late, because of a stray response, and after which the server closed the
    /// connection: a request that was written meanwhile was never read.
    shifted_last: Mutex<HashSet<String>>,
    /// The events on the connections that sent a stray response.
    histories: Mutex<HashMap<usize, Vec<String>>>,
}

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

    pub fn closed_after_shifted(&self, token: String) {
        self.shifted_last.lock().unwrap_or_else(PoisonError::into_inner).insert(token);
    }

    pub fn is_shifted_last(&self, token: &str) -> bool {
        self.shifted_last.lock().unwrap_or_else(PoisonError::into_inner).contains(token)
    }

    pub fn keep(&self, connection: usize, history: Vec<String>) {
        self.histories.lock().unwrap_or_else(PoisonError::into_inner).insert(connection, history);
    }

    /// The events on the connection that a stray response's token names.
    pub fn history_of(&self, token: &str) -> Vec<String> {
        let connection = token.rsplit('-').next().and_then(|id| id.parse::<usize>().ok());
        let histories = self.histories.lock().unwrap_or_else(PoisonError::into_inner);
        connection.and_then(|id| histories.get(&id).cloned()).unwrap_or_default()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Vec<Seen>>> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The result of a call.
#[derive(Clone, Debug)]
#[allow(dead_code, reason = "what it said is there to be printed with a violation")]
pub struct Returned {
    pub key: String,
    pub moves_money: bool,
    /// It must be the first on its connection: then no response to another request can be taken for its own, and nothing
    /// is excused.
    pub must_be_first: bool,
    pub outcome: Outcome,
    pub attempts: usize,
    /// The key that the response's body names, if the body is the service's.
    pub token: Option<String>,
    /// The time from its limit, or its cancel, to its return.
    pub late: Duration,
    pub said: String,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Violation {
    SentTwice,
    NotFirst,
    NotSentButSeen,
    WrongAnswer,
    ConfirmedWithoutProof,
    RejectedWithoutProof,
    MoreSeenThanAttempts,
    ReturnedLate,
}

impl Violation {
    pub const ALL: [(Violation, &str); 8] = [
        (Violation::SentTwice, "money sent twice, other than after a whole 429"),
        (Violation::NotFirst, "money (reads) that was not the first on its connection"),
        (Violation::NotSentButSeen, "NOT_SENT, and the server saw bytes"),
        (Violation::WrongAnswer, "a response that belongs to another request"),
        (Violation::ConfirmedWithoutProof, "CONFIRMED without a whole request and a whole success"),
        (Violation::RejectedWithoutProof, "REJECTED (money) without a whole refusal or 429"),
        (Violation::MoreSeenThanAttempts, "more requests seen than attempts told"),
        (Violation::ReturnedLate, "returned 3 s or more after its limit or its cancel"),
    ];
}

/// Longer than a busy machine delays a thread.
pub const LATE: Duration = Duration::from_secs(3);

/// Returns whether a stray response, or one that came one request late because of it, may have arrived after the request
/// was written. HTTP/1.1 cannot distinguish it from the response, so what was read is not judged.
pub fn may_have_met_a_stray(returned: &Returned, seen: &[Seen], is_shifted_last: impl Fn(&str) -> bool) -> bool {
    if returned.must_be_first {
        return false;
    }
    let closed_unread = || seen.is_empty() && returned.token.as_deref().is_some_and(is_shifted_last);
    seen.iter().any(|seen| seen.after_stray) || closed_unread()
}

/// Everything about one call that cannot be true; a read is judged unless a stray response may have been taken for its
/// response.
pub fn check(returned: &Returned, seen: &[Seen], judge_answer: bool) -> Vec<Violation> {
    let mut found = Vec::new();
    let mut is = |violation, so: bool| {
        if so {
            found.push(violation);
        }
    };
    let may_be_shifted = !returned.must_be_first;
    let asked_again = |seen: &Seen| seen.given == Given::ComeAgain || (may_be_shifted && seen.after_shifted_429);
    let repeated = seen.split_last().is_some_and(|(_, before)| !before.iter().all(asked_again));
    is(Violation::SentTwice, returned.moves_money && repeated);
    is(Violation::NotFirst, returned.must_be_first && seen.iter().any(|seen| !seen.first));
    is(Violation::NotSentButSeen, returned.outcome == Outcome::NotSent && !seen.is_empty());
    is(Violation::MoreSeenThanAttempts, seen.len() > returned.attempts);
    is(Violation::ReturnedLate, returned.late >= LATE);
    if !judge_answer {
        return found;
    }
    is(Violation::WrongAnswer, returned.token.as_ref().is_some_and(|token| *token != returned.key));
    let succeeded = seen.iter().any(|seen| seen.whole && seen.given == Given::Success);
    is(Violation::ConfirmedWithoutProof, returned.outcome == Outcome::Confirmed && !succeeded);
    let refused = seen.last().is_some_and(|seen| matches!(seen.given, Given::ComeAgain | Given::Refusal));
    is(Violation::RejectedWithoutProof, returned.moves_money && returned.outcome == Outcome::Rejected && !refused);
    found
}
