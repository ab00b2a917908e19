//! The ledger: all committed effects, in order.

use std::collections::{BTreeMap, HashSet};

use serde::{Deserialize, Serialize};

use crate::util::clock::Moment;
use crate::util::money::Money;

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub enum Effect {
    MandateCreated,
    OtpSent,
    OrderCreated,
    ChargeMade,
    RefundMade,
    /// Takes a refund back.
    RefundFailed,
    CardSaved,
    VirtualAccountCreated,
    FundingReceived,
    PayoutMade,
    /// A payout that was accepted has failed: its amount is back in the balance.
    PayoutReturned,
    /// Effect of an endpoint with a canned response.
    Other(String),
}

impl Effect {
    pub const KNOWN: [Effect; 11] = [
        Effect::MandateCreated,
        Effect::OtpSent,
        Effect::OrderCreated,
        Effect::ChargeMade,
        Effect::RefundMade,
        Effect::RefundFailed,
        Effect::CardSaved,
        Effect::VirtualAccountCreated,
        Effect::FundingReceived,
        Effect::PayoutMade,
        Effect::PayoutReturned,
    ];

    pub fn named(name: &str) -> Effect {
        let known = Effect::KNOWN.into_iter().find(|effect| effect.name() == name);
        known.unwrap_or_else(|| Effect::Other(name.to_string()))
    }

    pub fn name(&self) -> &str {
        match self {
            Effect::MandateCreated => "mandate_created",
            Effect::OtpSent => "otp_sent",
            Effect::OrderCreated => "order_created",
            Effect::ChargeMade => "charge_made",
            Effect::RefundMade => "refund_made",
            Effect::RefundFailed => "refund_failed",
            Effect::CardSaved => "card_saved",
            Effect::VirtualAccountCreated => "virtual_account_created",
            Effect::FundingReceived => "funding_received",
            Effect::PayoutMade => "payout_made",
            Effect::PayoutReturned => "payout_returned",
            Effect::Other(name) => name,
        }
    }
}

impl From<String> for Effect {
    fn from(name: String) -> Effect {
        Effect::named(&name)
    }
}

impl From<Effect> for String {
    fn from(effect: Effect) -> String {
        effect.name().to_string()
    }
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Entry {
    pub seq: u64,
    pub effect: Effect,
    /// The business key: the same key twice means that the same operation was executed twice.
    pub key: String,
    pub amount: Option<Money>,
    pub fee: Option<Money>,
    pub currency: Option<String>,
    /// The service's reference of the object.
    pub reference: String,
    /// `None`: committed by an admin call.
    pub request_id: Option<u64>,
    pub at: Moment,
}

impl Entry {
    /// Returns whether the client moved money.
    fn moves_money(&self) -> bool {
        match self.effect {
            Effect::ChargeMade | Effect::RefundMade | Effect::PayoutMade => true,
            Effect::Other(_) => self.amount.is_some(),
            _ => false,
        }
    }
}

#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Ledger {
    pub entries: Vec<Entry>,
    #[serde(skip)]
    request_id: Option<u64>,
    #[serde(skip)]
    committed: Vec<u64>,
}

impl Ledger {
    /// Assigns the following effects to this request.
    pub fn begin(&mut self, request_id: Option<u64>) {
        self.request_id = request_id;
        self.committed.clear();
    }

    /// The effects committed since `begin`.
    pub fn end(&mut self) -> Vec<u64> {
        self.request_id = None;
        std::mem::take(&mut self.committed)
    }

    pub fn commit(&mut self, effect: Effect, key: String, reference: &str) {
        self.push(effect, key, reference, None, None, None);
    }

    pub fn commit_money(
        &mut self,
        effect: Effect,
        key: String,
        reference: &str,
        amount: Money,
        fee: Option<Money>,
        currency: &str,
    ) {
        self.push(effect, key, reference, Some(amount), fee, Some(currency.to_string()));
    }

    fn push(
        &mut self,
        effect: Effect,
        key: String,
        reference: &str,
        amount: Option<Money>,
        fee: Option<Money>,
        currency: Option<String>,
    ) {
        let seq = self.entries.len() as u64 + 1;
        let (request_id, reference, at) = (self.request_id, reference.to_string(), Moment::now());
        self.entries.push(Entry { seq, effect, key, amount, fee, currency, reference, request_id, at });
        self.committed.push(seq);
    }

    /// Money movements that were executed more than once. A refund or payout that failed later does not count.
    pub fn duplicates(&self) -> Vec<Vec<&Entry>> {
        let failed = |made: Effect, returned: Effect| {
            let returns = self.entries.iter().filter(move |entry| entry.effect == returned);
            let returned: HashSet<&str> = returns.map(|entry| entry.reference.as_str()).collect();
            move |entry: &Entry| entry.effect == made && returned.contains(entry.reference.as_str())
        };
        let refund_failed = failed(Effect::RefundMade, Effect::RefundFailed);
        let payout_failed = failed(Effect::PayoutMade, Effect::PayoutReturned);
        self.more_than_once(|entry| entry.moves_money() && !refund_failed(entry) && !payout_failed(entry))
    }

    /// Mandates that were created more than once. This moves no money.
    pub fn repeated(&self) -> Vec<Vec<&Entry>> {
        self.more_than_once(|entry| entry.effect == Effect::MandateCreated)
    }

    /// Groups of more than one entry with the same effect and key.
    fn more_than_once(&self, wanted: impl Fn(&Entry) -> bool) -> Vec<Vec<&Entry>> {
        let mut groups: BTreeMap<(&Effect, &str), Vec<&Entry>> = BTreeMap::new();
        for entry in self.entries.iter().filter(|entry| wanted(entry)) {
            groups.entry((&entry.effect, &entry.key)).or_default().push(entry);
        }
        groups.into_values().filter(|entries| entries.len() > 1).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn effects_have_names() {
        for effect in Effect::KNOWN {
            assert_eq!(Effect::named(effect.name()), effect);
        }
        let readme = include_str!("../../README.md");
        let (_, table) = readme.split_once("| effect | key |\n|---|---|\n").unwrap();
        let written: Vec<_> = table.lines().map_while(|row| row.strip_prefix("| `")?.split('`').next()).collect();
        assert_eq!(written, Effect::KNOWN.each_ref().map(Effect::name));
        assert_eq!(Effect::named("transfer_made").name(), "transfer_made");
    }

    #[test]
    fn the_same_money_twice_is_a_duplicate() {
        let mut ledger = Ledger::default();
        ledger.begin(Some(7));
        ledger.commit_money(Effect::RefundMade, "A/5.00".into(), "r1", Money::hundredths(500), None, "NGN");
        assert_eq!(ledger.end(), [1]);
        ledger.begin(Some(8));
        ledger.commit_money(Effect::RefundMade, "A/5.00".into(), "r2", Money::hundredths(500), None, "NGN");
        ledger.commit_money(Effect::ChargeMade, "A/5.00".into(), "c1", Money::hundredths(500), None, "NGN");
        ledger.commit(Effect::OtpSent, "M".into(), "M");
        ledger.commit(Effect::OtpSent, "M".into(), "M");
        ledger.commit(Effect::MandateCreated, "A".into(), "M");
        ledger.commit(Effect::MandateCreated, "A".into(), "N");
        for amount in [None, Some(Money::hundredths(1))] {
            for _ in 0..2 {
                let effect = Effect::named("transfer_made");
                match amount {
                    None => ledger.commit(effect, "without an amount".into(), "T"),
                    Some(amount) => ledger.commit_money(effect, "T".into(), "T", amount, None, "NGN"),
                }
            }
        }
        assert_eq!(ledger.end(), [2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
        let seqs = |groups: Vec<Vec<&Entry>>| -> Vec<Vec<u64>> {
            groups.iter().map(|entries| entries.iter().map(|entry| entry.seq).collect()).collect()
        };
        assert_eq!(seqs(ledger.duplicates()), [[1, 2], [10, 11]]);
        assert_eq!(seqs(ledger.repeated()), [[6, 7]]);
        assert_eq!((ledger.entries[0].request_id, ledger.entries[1].request_id), (Some(7), Some(8)));
    }
}
