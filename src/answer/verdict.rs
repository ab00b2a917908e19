//! The verdict: what an attempt proves about the request, and whether the request is sent again.
//!
//! Evaluates the tables of [`paysvc_spec::verdicts`], which `docs/verdicts.md` shows with the reading rules in words.
//! A verdict is never better than its evidence: an answer that contradicts itself or is incomplete is UNKNOWN.

use crate::answer::facts::Facts;
use paysvc_spec::schema::Safety;
use paysvc_spec::status::{Outcome, State, Status};
use paysvc_spec::verdicts::{After429, Again, CHANGING, Condition, Fact, READING, StateRule, StatusRule};

#[cfg(test)]
mod cells;

/// The result of one attempt to send a request.
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
    let evidence = Evidence::of(result);
    let line = lines.iter().find(|line| line.conditions.iter().all(|condition| evidence.holds(condition)));
    let line = line.expect("the last line always holds");
    let any = |conditions: &[Condition]| conditions.iter().any(|condition| evidence.holds(condition));
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

/// What an attempt shows, with a bit for each fact: an answer is compared with many lines, in few instructions for each.
#[derive(Clone, Copy)]
struct Evidence {
    http_status: u16,
    http_class: u16,
    facts: u32,
}

impl Evidence {
    fn of(result: &AttemptResult<'_>) -> Evidence {
        let (http_status, facts) = match *result {
            AttemptResult::NoAnswer { sent, .. } => (0, bits(&[(Fact::NothingSent, !sent), (Fact::NoAnswer, sent)])),
            AttemptResult::Answer { http_status, unreadable, may_be_truncated, facts } => {
                let facts = bits(&[
                    (Fact::Unreadable, unreadable.is_some()),
                    (Fact::MayBeTruncated, may_be_truncated),
                    (Fact::Success, facts.success.any_case),
                    (Fact::ExactSuccess, facts.success.exact),
                    (Fact::Failure, facts.failure.any_case),
                    (Fact::ExactFailure, facts.failure.exact),
                    (Fact::FailureOrWeakFailure, facts.failure.any_case || facts.weak_failure),
                    (Fact::DuplicateNames, facts.duplicate_names),
                    (Fact::OtherRequest, facts.other_request),
                    (Fact::NamesProgress, facts.names_progress),
                    (Fact::NamesState, facts.names_state),
                    (Fact::StatesDisagree, facts.states_disagree),
                    (Fact::StateContradicted, facts.state_contradicted),
                    (Fact::FailedBesideProgress, facts.failed_beside_progress),
                    (Fact::RefusalProven, facts.refusal_proven),
                    (Fact::RefusingCode, facts.refusing_code),
                    (Fact::ElementFailed, facts.element_failed),
                    (Fact::OwnFailed, facts.own_failed),
                    (Fact::OrderFailed, facts.order_failed),
                    (Fact::Subject, facts.subject),
                    (Fact::Bare, facts.bare),
                ]);
                (http_status, facts)
            }
        };
        Evidence { http_status, http_class: http_status / 100, facts }
    }

    #[expect(clippy::manual_contains, reason = "its code is for long lists, and takes longer for these")]
    fn holds(self, condition: &Condition) -> bool {
        match *condition {
            Condition::Is(fact) => self.facts & bit(fact) != 0,
            Condition::Otherwise => true,
            Condition::Http(statuses) => statuses.iter().any(|status| *status == self.http_status),
            Condition::HttpClass(classes) => classes.iter().any(|class| *class == self.http_class),
            Condition::All(_) | Condition::Any(_) | Condition::Not(_) => self.holds_composed(condition),
        }
    }

    /// A function of its own, so that the simple conditions need no stack frame.
    #[inline(never)]
    fn holds_composed(self, condition: &Condition) -> bool {
        match *condition {
            Condition::All(all) => all.iter().all(|condition| self.holds(condition)),
            Condition::Any(any) => any.iter().any(|condition| self.holds(condition)),
            Condition::Not(condition) => !self.holds(condition),
            ref simple => self.holds(simple),
        }
    }
}

const fn bit(fact: Fact) -> u32 {
    1 << fact as u32
}

#[inline(always)]
fn bits(facts: &[(Fact, bool)]) -> u32 {
    facts.iter().fold(0, |bits, (fact, is_so)| bits | if *is_so { bit(*fact) } else { 0 })
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
