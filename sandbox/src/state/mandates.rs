//! Direct debit mandates and their one-time codes.

use super::ledger::Effect;
use super::model::{Mandate, OneTimeCode};
use super::{ASSUMED_AMOUNT, Activation, State};
use crate::answer::Refusal;
use crate::clock::Moment;
use crate::magic;

pub struct NewMandate {
    pub order_reference: String,
    pub bank_name: String,
    pub bank_code: String,
    pub account_number: String,
}

impl State {
    pub fn create_mandate(&mut self, new: NewMandate) -> Result<&Mandate, Refusal> {
        let account = magic::account(&new.account_number);
        if account == magic::Account::Unknown {
            return Err(Refusal::not_found("accountNumber", "Account"));
        }
        let active = self.settings.activation == Activation::Auto && account != magic::Account::StaysPending;
        let code = self.new_mandate_code();
        Ok(self.add_mandate(code, active, new))
    }

    /// One whose code and state somebody else chose.
    pub fn make_mandate(&mut self, code: String, active: bool, new: NewMandate) -> Result<&Mandate, Refusal> {
        if self.mandates.contains_key(&code) {
            return Err(Refusal::field("mandateCode", "A mandate with this code exists already."));
        }
        Ok(self.add_mandate(code, active, new))
    }

    fn add_mandate(&mut self, code: String, active: bool, new: NewMandate) -> &Mandate {
        let amount = self.orders.get(&new.order_reference).map_or(ASSUMED_AMOUNT, |order| order.amount);
        let direct_debit_id = 1000 + self.next("direct debit id");
        self.ledger.commit(Effect::MandateCreated, new.order_reference.clone(), &code);
        let mandate = Mandate {
            code: code.clone(),
            direct_debit_id,
            order_reference: new.order_reference,
            bank_name: new.bank_name,
            bank_code: new.bank_code,
            account_number: new.account_number,
            amount,
            active,
            created: Moment::now(),
            otp: None,
            codes_sent: 0,
        };
        self.mandates.entry(code).or_insert(mandate)
    }

    /// `MDTC-987654`, not given before.
    fn new_mandate_code(&mut self) -> String {
        loop {
            let number = self.next("mandate");
            // Six digits as in the samples; eight once they grow scarce.
            let digits = if self.mandates.len() < 100_000 { 6 } else { 8 };
            let code = format!("MDTC-{}", self.seed.digits("mandate", number, digits));
            if !self.mandates.contains_key(&code) {
                return code;
            }
        }
    }

    pub fn mandate(&self, code: &str) -> Result<&Mandate, Refusal> {
        self.mandates.get(code).ok_or_else(|| Refusal::not_found("mandateCode", "Mandate"))
    }

    pub fn activate_mandate(&mut self, code: &str) -> Result<&Mandate, Refusal> {
        let mandate = self.mandates.get_mut(code).ok_or_else(|| Refusal::not_found("mandateCode", "Mandate"))?;
        mandate.active = true;
        Ok(mandate)
    }

    /// A new code; the one before it is worth nothing from then on.
    pub fn send_otp(&mut self, code: &str) -> Result<(), Refusal> {
        let mandate = self.mandates.get_mut(code).ok_or_else(|| Refusal::not_found("mandateCode", "Mandate"))?;
        mandate.codes_sent += 1;
        let purpose = format!("one-time code {code}");
        // A real code never looks like a magic one.
        let digits = (0..).map(|retry| self.seed.digits(&purpose, mandate.codes_sent * 1000 + retry, 6));
        let otp = digits.into_iter().find(|digits| magic::otp(digits).is_none()).unwrap_or_default();
        mandate.otp = Some(OneTimeCode { code: otp, used: false });
        self.ledger.commit(Effect::OtpSent, code.to_string(), code);
        Ok(())
    }

    /// Takes the code if it is right; it is used up by that, unless the same request may come again.
    pub(super) fn take_otp(&mut self, mandate_code: &str, given: &str) -> Result<(), Refusal> {
        let refuse = |text: &str| Err(Refusal::field("directDebitPaymentRequest.otp", text));
        match magic::otp(given) {
            Some(magic::Otp::Accepted) => return Ok(()),
            Some(magic::Otp::Wrong) => return refuse("The one-time code is wrong."),
            Some(magic::Otp::Expired) => return refuse("The one-time code has expired."),
            None => {}
        }
        let reusable = self.settings.pay_twice;
        match self.mandates.get_mut(mandate_code).and_then(|mandate| mandate.otp.as_mut()) {
            Some(sent) if sent.code != given => refuse("The one-time code is wrong."),
            Some(sent) if sent.used && !reusable => refuse("The one-time code was used before."),
            Some(sent) => {
                sent.used = true;
                Ok(())
            }
            None => refuse("No one-time code was sent for this mandate."),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_state;
    use super::*;

    fn mandate(state: &mut State, account: &str) -> Result<String, Refusal> {
        let new = NewMandate {
            order_reference: "A".into(),
            bank_name: "Bank".into(),
            bank_code: "058".into(),
            account_number: account.into(),
        };
        state.create_mandate(new).map(|mandate| mandate.code.clone())
    }

    #[test]
    fn a_code_works_once_and_only_the_newest() {
        let mut state = test_state();
        let code = mandate(&mut state, "0690000031").unwrap();
        assert!(state.take_otp(&code, "123456").unwrap_err().message.contains("No one-time code"));
        state.send_otp(&code).unwrap();
        let first = state.mandates[&code].otp.clone().unwrap().code;
        state.send_otp(&code).unwrap();
        let second = state.mandates[&code].otp.clone().unwrap().code;
        assert_ne!(first, second);
        assert!(state.take_otp(&code, &first).unwrap_err().message.contains("wrong"));
        state.take_otp(&code, &second).unwrap();
        assert!(state.take_otp(&code, &second).unwrap_err().message.contains("used"));
        state.take_otp(&code, "000000").unwrap();
        assert!(state.take_otp(&code, "222222").unwrap_err().message.contains("expired"));
    }

    #[test]
    fn magic_accounts() {
        let mut state = test_state();
        assert_eq!(mandate(&mut state, "0690000003").unwrap_err().status, 404);
        let pending = mandate(&mut state, "0690000001").unwrap();
        assert!(!state.mandates[&pending].active);
        assert!(state.activate_mandate(&pending).unwrap().active);
    }
}
