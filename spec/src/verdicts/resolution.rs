//! What became of an earlier request: what is asked, and what the answer of a look-up proves.

mod lines;

use super::{StateRule, StatusRule, all, http, listed, one_of};
use crate::schema::Reference;
use crate::status::{self, Outcome, STATES, State};

pub use lines::LINES;

/// What is asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Question {
    /// Whether the order was charged.
    Charge,
    /// Whether the order was created; it was not to be charged.
    Order,
    /// What became of one attempt to pay.
    Attempt,
    /// Whether all of the order was refunded.
    Refund,
    /// Whether the service accepted the payouts.
    Batch,
    /// Whether there is a virtual account.
    Account,
    /// The final state of the order.
    Final,
}

impl Question {
    pub const fn words(self) -> &'static str {
        match self {
            Question::Charge => "charge",
            Question::Order => "order without a charge",
            Question::Attempt => "one attempt to pay",
            Question::Refund => "full refund",
            Question::Batch => "payouts",
            Question::Account => "virtual account",
            Question::Final => "`order_wait`",
        }
    }

    /// What the look-up's answer must name.
    pub const fn names(self) -> Reference {
        match self {
            Question::Batch => Reference::Batch,
            Question::Account => Reference::Alias,
            _ => Reference::Order,
        }
    }
}

/// A line of the table.
#[derive(Clone, Copy, Debug)]
pub struct Line {
    /// For the log.
    pub number: &'static str,
    /// The questions it is for; empty: any.
    pub about: &'static [Question],
    /// All of them must hold.
    pub conditions: &'static [Condition],
    pub status: StatusRule,
    pub outcome: Outcome,
    pub state: StateRule,
    /// With `wait`, the look-up is sent again.
    pub again: bool,
    pub explanation: &'static str,
}

impl Line {
    /// What is asked, in words.
    pub fn question(&self) -> String {
        let words: Vec<_> = self.about.iter().map(|question| question.words()).collect();
        if words.is_empty() { "any".to_owned() } else { words.join(", ") }
    }

    /// What the look-up answers, in words.
    pub fn words(&self) -> String {
        all(self.conditions.iter().map(Condition::words))
    }
}

/// Conditions on a look-up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Condition {
    All(&'static [Condition]),
    Any(&'static [Condition]),
    /// Always.
    Otherwise,
    /// One of these questions is asked.
    Asks(&'static [Question]),
    /// The request of the look-up is wrong, or the configuration lacks what it needs.
    Unsendable,
    /// One of these HTTP statuses.
    Http(&'static [u16]),
    /// The service did not answer it.
    LookUpFailed,
    OtherRequest,
    /// The subject of the look-up's row is missing.
    NoSubject,
    /// The answer does not name what was asked about.
    Unnamed,
    /// Something in the answer differs from what was asked about.
    Differs,
    AmountAgrees,
    /// The state is FAILED, SUCCESSFUL or REVERSED, and may no longer change.
    Final,
    /// The order has one of these states.
    State(&'static [State]),
    StatesDisagree,
    StateContradicted,
    /// Nothing beside FAILED names progress or success.
    NoProgress,
    /// Both documented members say so.
    SaidToBeFinal,
    EveryEntryFailed,
    OneAttempt,
    AttemptsUnknown,
    /// The journal knows the service's name for the attempt in question, and that every other one has ended; its entry
    /// has this state.
    OwnEntry(State),
    /// The entry of the history in question has this state.
    Entry(State),
    HasElements,
    NoElementRefused,
    OwnAccount,
}

impl Condition {
    pub fn words(&self) -> String {
        let words = match *self {
            Condition::All(parts) => return all(parts.iter().map(Condition::words)),
            Condition::Any(any) => return one_of(any.iter().map(Condition::words)),
            Condition::Asks(questions) => {
                let words: Vec<_> = questions.iter().map(|question| question.words()).collect();
                return format!("what is asked: {}", listed(&words));
            }
            Condition::Http(statuses) => return http(statuses),
            Condition::State(states) => return listed(&states.iter().map(state).collect::<Vec<_>>()),
            Condition::Entry(ref of_entry) => {
                return format!("the entry with the request's reference is {}", state(of_entry));
            }
            Condition::OwnEntry(ref of_entry) => {
                let state = state(of_entry);
                return format!(
                    "the entry that the journal has of this attempt is {state}, and it has no other open one"
                );
            }
            Condition::Otherwise => "otherwise",
            Condition::Unsendable => "the look-up cannot be sent",
            Condition::LookUpFailed => "any other failure of the look-up",
            Condition::OtherRequest => super::OTHER_REQUEST,
            Condition::NoSubject => "the look-up's subject is missing",
            Condition::Unnamed => "the answer does not name what was asked about",
            Condition::Differs => "an amount, a currency or an account's Reference that differs or is missing",
            Condition::AmountAgrees => "the answer has the amount of the request",
            Condition::Final => "final",
            Condition::StatesDisagree => super::STATES_DISAGREE,
            Condition::StateContradicted => super::STATE_CONTRADICTED,
            Condition::NoProgress => "no word or code of progress and no payment response code of success beside it",
            Condition::SaidToBeFinal => "said to be final",
            Condition::EveryEntryFailed => "every entry of the history FAILED with a reference of its own",
            Condition::OneAttempt => "one attempt",
            Condition::AttemptsUnknown => "the attempts are not known",
            Condition::HasElements => "payouts in the answer",
            Condition::NoElementRefused => "none of them refused or FAILED",
            Condition::OwnAccount => "an account of this alias and this Reference",
        };
        words.to_owned()
    }
}

/// The name of a state.
fn state(state: &State) -> &'static str {
    status::name(STATES, state.0).unwrap_or("?").trim_start_matches("STATE_")
}
