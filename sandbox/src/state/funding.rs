//! Funding sessions: what was paid into virtual accounts.

use super::ledger::Effect;
use super::model::Session;
use super::{DEFAULT_CURRENCY, Event, RuleError, State};
use crate::util::clock::Moment;
use crate::util::money::Money;

pub struct NewFunding {
    pub account_number: String,
    pub amount: Money,
    pub sender_name: String,
    pub sender_account: Option<String>,
    pub narration: Option<String>,
    /// `None`: a new id is generated.
    pub session_id: Option<String>,
}

impl State {
    pub fn fund(&mut self, new: NewFunding) -> Result<&Session, RuleError> {
        let account = self.accounts.values().find(|account| account.number == new.account_number);
        let account = account.ok_or(RuleError::VirtualAccountNotFound)?;
        let account_reference = account.reference.clone();
        let id = match new.session_id {
            Some(id) if self.sessions.contains_key(&id) => {
                return Err(RuleError::SessionExists);
            }
            Some(id) => id,
            None => self.new_session_id(),
        };
        let session = Session {
            id: id.clone(),
            order_id: 5000 + self.next("order id"),
            payment_reference: self.new_reference("PGW-PAYREF-"),
            account_number: new.account_number,
            account_reference,
            amount: new.amount,
            currency: DEFAULT_CURRENCY.to_string(),
            sender_name: new.sender_name,
            sender_account: new.sender_account,
            narration: new.narration,
            created: Moment::now(),
        };
        self.ledger.commit_money(
            Effect::FundingReceived,
            id.clone(),
            &session.payment_reference,
            session.amount,
            None,
            &session.currency,
        );
        self.events.push(Event::Funded { session: id.clone() });
        Ok(self.sessions.entry(id).or_insert(session))
    }

    /// A new id of 30 digits.
    fn new_session_id(&mut self) -> String {
        loop {
            let number = self.next("session");
            let id = self.seed.digits("session", number, 30);
            if !self.sessions.contains_key(&id) {
                return id;
            }
        }
    }

    pub fn session(&self, id: &str) -> Result<&Session, RuleError> {
        self.sessions.get(id).ok_or(RuleError::SessionNotFound)
    }
}
