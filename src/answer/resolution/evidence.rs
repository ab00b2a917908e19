//! What the answer of a look-up tells about the earlier request, and which conditions of the table hold.

use super::asked::{Asked, Attempts};
use super::difference::{self, Difference};
use crate::answer::facts::Facts;
use crate::answer::facts::history::AttemptState;
use crate::answer::facts::stated::Text;
use crate::answer::reply::Reply;
use paysvc_spec::schema::Reference;
use paysvc_spec::status::{Outcome, State, Status};
use paysvc_spec::verdicts::resolution::{Condition, Question};

pub struct Evidence<'a> {
    pub(super) question: Question,
    pub(super) http_status: u16,
    /// The look-up could not be sent.
    unsendable: bool,
    /// The service knows what it was asked for, and answered with it.
    pub(super) answered: bool,
    pub(super) facts: &'a Facts,
    /// What the history says about the attempt in question.
    pub(super) attempt: Option<AttemptState>,
    pub(super) difference: Option<Difference>,
    /// The answer names the amount that was asked for.
    amount_agrees: bool,
    /// The answer is about an account with the Reference that was given.
    is_own_account: bool,
    attempts: Attempts,
    /// The status of a question that stays open.
    pub(super) open: Status,
}

impl<'a> Evidence<'a> {
    /// What the look-up's reply proves. `currency`: as another endpoint has told it.
    pub fn of(
        asked: &Asked<'_>,
        attempts: Attempts,
        reply: &Reply,
        facts: &'a Facts,
        currency: Option<&Text>,
    ) -> Evidence<'a> {
        // An answer about something else is one, although the reading failed because of it.
        let is_of_another = reply.http_status / 100 == 2 && facts.other_request && !facts.duplicate_names;
        let mut evidence = Evidence {
            question: asked.question,
            http_status: reply.http_status,
            unsendable: matches!(reply.status, Status::Argument | Status::Config | Status::Encrypt),
            answered: reply.outcome == Outcome::Confirmed || is_of_another,
            facts,
            attempt: None,
            difference: None,
            amount_agrees: false,
            is_own_account: false,
            attempts,
            open: open(reply),
        };
        if evidence.answered {
            match (asked.question, asked.own_reference) {
                (Question::Account, own) => evidence.is_own_account = facts.account && is_reference_of(facts, own),
                (Question::Attempt, Some(own)) => evidence.attempt = facts.history.of(own),
                _ => {}
            }
            let compared = difference::compare(asked, facts, evidence.attempt, evidence.is_own_account, currency);
            (evidence.difference, evidence.amount_agrees) = compared;
        }
        evidence
    }

    pub(super) fn holds(&self, condition: &Condition) -> bool {
        let facts = self.facts;
        match *condition {
            Condition::All(all) => all.iter().all(|condition| self.holds(condition)),
            Condition::Any(any) => any.iter().any(|condition| self.holds(condition)),
            Condition::Otherwise => true,
            Condition::Asks(questions) => questions.contains(&self.question),
            Condition::Unsendable => self.unsendable,
            Condition::Http(statuses) => statuses.contains(&self.http_status),
            Condition::LookUpFailed => !self.answered,
            Condition::OtherRequest => facts.other_request,
            Condition::NoSubject => !facts.subject,
            Condition::Unnamed => !facts.reference(self.question.names()).is_requested(),
            Condition::Differs => self.difference.is_some(),
            Condition::AmountAgrees => self.amount_agrees,
            Condition::Final => {
                !facts.finality.may_change && matches!(facts.state, State::FAILED | State::SUCCESSFUL | State::REVERSED)
            }
            Condition::State(states) => states.contains(&facts.state),
            Condition::StatesDisagree => facts.states_disagree,
            Condition::StateContradicted => facts.state_contradicted,
            Condition::NoProgress => !facts.failed_beside_progress,
            Condition::SaidToBeFinal => facts.finality.is_final && facts.finality.needs_no_requery,
            Condition::EveryEntryFailed => facts.history.all_failed(),
            Condition::OneAttempt => self.attempts.begun == Some(1),
            Condition::AttemptsUnknown => self.attempts.begun.is_none(),
            Condition::OwnEntry(state) => {
                let own = self.attempts.own_entry.as_deref().and_then(|own| facts.history.of(own));
                own == Some(AttemptState::Is(state))
            }
            Condition::Entry(state) => self.attempt == Some(AttemptState::Is(state)),
            Condition::HasElements => facts.elements > 0,
            Condition::NoElementRefused => !facts.element_refused,
            Condition::OwnAccount => self.is_own_account,
        }
    }
}

/// The Reference of the account is the one that was given; if none was given, the account has none.
fn is_reference_of(facts: &Facts, own: Option<&str>) -> bool {
    let named = &facts.reference(Reference::Account).text;
    match own {
        Some(own) => named.clear().is_some_and(|named| *named == Text::from(own)),
        None => named.is_absent(),
    }
}

/// The status of a question that stays open: the look-up's own if that failed.
fn open(reply: &Reply) -> Status {
    let unreadable = reply.facts.is_none();
    match reply.http_status {
        0 | 401 | 403 | 408 | 429 | 500..=599 => reply.status,
        200..=399 if unreadable => reply.status,
        _ if matches!(reply.status, Status::Timeout | Status::Cancelled | Status::Internal) => reply.status,
        _ => Status::Unresolved,
    }
}
