//! The verdict: what an attempt proves about the request, and whether the request is sent again.
//!
//! Evaluates the tables of [`paysvc_spec::verdicts`], which `docs/verdicts.md` shows with the reading rules in words.
//! A verdict is never better than its evidence: an answer that contradicts itself or is incomplete is UNKNOWN.

use crate::response::facts::Facts;
use paysvc_spec::schema::Safety;
use paysvc_spec::status::{Outcome, State, Status};
use paysvc_spec::verdicts::{After429, Again, CHANGING, Condition, READING, StateRule, StatusRule};

#[cfg(test)]
mod cells;

/// What came of one attempt to send a request.
pub enum AttemptResult<'a> {
    NoAnswer {
        /// A byte of the request was written.
        sent: bool,
        /// The transport's.
        status: Status,
    },
    Answer {
        http_status: u16,
        /// Why the body is incomplete or unreadable, as a status.
        unreadable: Option<Status>,
        /// The body ended with its connection, so it may be truncated.
        may_be_truncated: bool,
        facts: &'a Facts,
    },
}

/// What an attempt proves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Verdict {
    /// The number of the table's line.
    pub line: &'static str,
    pub status: Status,
    pub outcome: Outcome,
    pub state: State,
    /// The library sends the request again if attempts and time are left.
    pub again: bool,
    /// What the answer does not say itself.
    pub explanation: Option<&'static str>,
}

/// What the attempt proves. `after_429`: an earlier attempt of the same call was answered with 429.
pub fn decide(safety: Safety, result: &AttemptResult<'_>, after_429: bool) -> Verdict {
    let lines = if safety == Safety::ReadOnly { READING } else { CHANGING };
    let line = lines.iter().find(|line| line.conditions.iter().all(|condition| holds(condition, result)));
    let line = line.expect("the last line always holds");
    let any = |conditions: &[Condition]| conditions.iter().any(|condition| holds(condition, result));
    let (http_status, failure, state) = match *result {
        AttemptResult::NoAnswer { status, .. } => (0, status, State::NONE),
        AttemptResult::Answer { http_status, unreadable: Some(status), .. } => (http_status, status, State::NONE),
        AttemptResult::Answer { http_status, facts, .. } => {
            (http_status, Status::Response, if facts.duplicate_names { State::NONE } else { facts.state })
        }
    };
    let mut verdict = Verdict {
        line: line.number,
        status: status_of(line.status, http_status, failure),
        outcome: line.outcome,
        state: state_of(line.state, state, State::NONE),
        again: match line.again {
            Again::No => false,
            Again::Yes => true,
            Again::If(conditions) => any(conditions),
        },
        explanation: line.explanation,
    };
    if after_429 {
        adjust(&mut verdict, line.after_429, any);
    }
    verdict
}

/// What an earlier 429 changes.
fn adjust(verdict: &mut Verdict, rule: After429, any: impl Fn(&[Condition]) -> bool) {
    match rule {
        After429::Same => {}
        After429::Rejected => {
            verdict.outcome = Outcome::Rejected;
            if matches!(verdict.status, Status::Transport | Status::Timeout) {
                verdict.status = Status::RateLimited;
                verdict.explanation = Some("the service answered 429, and the request could not be sent again");
            }
        }
        After429::RejectedIf(conditions) if any(conditions) => {}
        After429::RejectedIf(_) => {
            verdict.status = Status::Response;
            verdict.outcome = Outcome::Unknown;
            verdict.explanation =
                Some("the service refused this attempt, but an earlier one, answered with 429, may have been executed");
        }
    }
}

#[expect(clippy::manual_contains, reason = "its code is for long lists, and takes longer for these")]
fn holds(condition: &Condition, result: &AttemptResult<'_>) -> bool {
    let (http_status, unreadable, may_be_truncated, facts) = match *result {
        AttemptResult::Answer { http_status, unreadable, may_be_truncated, facts } => {
            (http_status, unreadable, may_be_truncated, facts)
        }
        AttemptResult::NoAnswer { sent, .. } => {
            return matches!(condition, Condition::NoAnswer { sent: expected } if *expected == sent);
        }
    };
    match *condition {
        Condition::All(_) | Condition::Any(_) | Condition::Not(_) => holds_composed(condition, result),
        Condition::Otherwise => true,
        Condition::NoAnswer { .. } => false,
        Condition::Http(statuses) => statuses.iter().any(|status| *status == http_status),
        Condition::HttpClass(classes) => classes.iter().any(|class| *class == http_status / 100),
        Condition::Unreadable => unreadable.is_some(),
        Condition::MayBeTruncated => may_be_truncated,
        Condition::Success => facts.success.any_case,
        Condition::ExactSuccess => facts.success.exact,
        Condition::Failure => facts.failure.any_case,
        Condition::ExactFailure => facts.failure.exact,
        Condition::FailureOrWeakFailure => facts.failure.any_case || facts.weak_failure,
        Condition::DuplicateNames => facts.duplicate_names,
        Condition::OtherRequest => facts.other_request,
        Condition::NamesProgress => facts.names_progress,
        Condition::NamesState => facts.names_state,
        Condition::StatesDisagree => facts.states_disagree,
        Condition::StateContradicted => facts.state_contradicted,
        Condition::FailedBesideProgress => facts.failed_beside_progress,
        Condition::RefusingCode => facts.refusing_code,
        Condition::ElementFailed => facts.element_failed,
        Condition::OwnFailed => facts.own_failed,
        Condition::OrderFailed => facts.order_failed,
        Condition::Subject => facts.subject,
        Condition::Bare => facts.bare,
    }
}

/// A function of its own, so that the simple conditions need no stack frame.
#[inline(never)]
fn holds_composed(condition: &Condition, result: &AttemptResult<'_>) -> bool {
    match *condition {
        Condition::All(all) => all.iter().all(|condition| holds(condition, result)),
        Condition::Any(any) => any.iter().any(|condition| holds(condition, result)),
        Condition::Not(condition) => !holds(condition, result),
        ref simple => holds(simple, result),
    }
}

/// `failure`: the status of what failed, if something did.
pub(super) fn status_of(rule: StatusRule, http_status: u16, failure: Status) -> Status {
    match rule {
        StatusRule::Is(status) => status,
        StatusRule::Refused if matches!(http_status, 401 | 403) => Status::Unauthorized,
        StatusRule::Refused => Status::Rejected,
        StatusRule::Transport | StatusRule::Body | StatusRule::LookUp => failure,
    }
}

pub(super) fn state_of(rule: StateRule, of_answer: State, of_entry: State) -> State {
    match rule {
        StateRule::None => State::NONE,
        StateRule::OfAnswer => of_answer,
        StateRule::OfEntry => of_entry,
        StateRule::Successful => State::SUCCESSFUL,
    }
}

/// Advice for an unknown outcome of a request that moves no money.
pub fn advice(safety: Safety, outcome: Outcome) -> Option<&'static str> {
    (safety == Safety::Repeatable && outcome == Outcome::Unknown)
        .then_some("it may or may not have been done; it moves no money, so it may be repeated")
}
