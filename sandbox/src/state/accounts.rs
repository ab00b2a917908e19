//! Virtual accounts, one per alias, and the sessions that fund them.

use super::ledger::Effect;
use super::model::{Session, VirtualAccount};
use super::{DEFAULT_CURRENCY, Event, RuleError, State};
use crate::util::clock::Moment;
use crate::util::money::Money;

pub const BANK: &str = "Sandbox Bank";
pub const BANK_CODE: &str = "000999";

impl State {
    /// The account of the alias, created on first use and not changed afterwards.
    pub fn virtual_account(
        &mut self,
        alias: &str,
        narration: Option<String>,
        reference: Option<String>,
    ) -> &VirtualAccount {
        if !self.accounts.contains_key(alias) {
            let number = self.new_account_number(alias);
            self.ledger.commit(Effect::VirtualAccountCreated, alias.to_string(), &number);
            let name = format!("SANDBOX/{alias}");
            let account = VirtualAccount { alias: alias.to_string(), number, name, narration, reference };
            self.accounts.insert(alias.to_string(), account);
        }
        &self.accounts[alias]
    }

    /// Ten digits that depend on the alias, not on the order of requests.
    fn new_account_number(&self, alias: &str) -> String {
        let purpose = format!("virtual account {alias}");
        let numbers = (0..).map(|retry| format!("99{}", self.seed.digits(&purpose, retry, 8)));
        let taken = |number: &String| self.accounts.values().any(|account| account.number == *number);
        numbers.into_iter().find(|number| !taken(number)).unwrap_or_default()
    }
}

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

#[cfg(test)]
mod tests {
    use crate::state::test_state;

    #[test]
    fn the_same_account_for_the_same_alias() {
        let mut state = test_state();
        let first = state.virtual_account("till-1", None, Some("ref".into())).number.clone();
        let other = state.virtual_account("till-2", None, None).number.clone();
        let again = state.virtual_account("till-1", Some("later".into()), None);
        assert_eq!((again.number.clone(), again.reference.as_deref()), (first.clone(), Some("ref")));
        assert_ne!(first, other);
        assert_eq!(state.ledger.entries.len(), 2);
    }
}
