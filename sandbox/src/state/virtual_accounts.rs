//! Virtual accounts, one per alias.

use super::State;
use super::ledger::Effect;
use super::model::VirtualAccount;

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

#[cfg(test)]
mod tests {
    use super::super::test_state;

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
