//! The objects of the simulated service: mandates, orders, payments, virtual accounts, funding sessions, payouts, and
//! what happens to them later by itself.

use std::collections::{BTreeMap, HashSet};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use serde::{Deserialize, Deserializer, Serialize};

use super::magic;
use super::method::Fee;
pub use super::method::Method;
use crate::util::clock::Moment;
use crate::util::money::Money;
use crate::util::named::named;

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Mandate {
    pub code: String,
    pub direct_debit_id: u64,
    pub order_reference: String,
    pub bank_name: String,
    pub bank_code: String,
    pub account_number: String,
    pub amount: Money,
    pub active: bool,
    pub created: Moment,
    pub otp: Option<OneTimeCode>,
    pub(super) codes_sent: u64,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct OneTimeCode {
    pub code: String,
    pub used: bool,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Order {
    pub id: u64,
    pub reference: String,
    /// The service's own reference of the order's payment.
    pub processor_reference: String,
    pub amount: Money,
    pub currency: String,
    /// As it was when the order was created.
    #[serde(default)]
    pub fee_rule: Fee,
    /// Created by a payment, with the assumed amount.
    pub assumed: bool,
    pub description: Option<String>,
    pub customer: Option<Customer>,
    /// The URL for the customer's browser after the payment.
    pub redirect_url: Option<String>,
    pub payments: Vec<Payment>,
    pub refunds: Vec<Refund>,
    pub created: Moment,
    pub updated: Moment,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Customer {
    pub firstname: Option<String>,
    pub lastname: Option<String>,
    pub mobile: Option<String>,
    pub country: Option<String>,
    pub email: Option<String>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Refund {
    pub reference: String,
    pub amount: Money,
    pub reason: Option<String>,
    pub state: RefundState,
    /// The request had no amount: the rest was refunded.
    pub is_rest: bool,
}

named! {
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
    pub enum RefundState {
        Pending = "pending",
        Completed = "completed",
        Failed = "failed",
    }
}

impl Order {
    /// The charged amount without the fee: the price, unless only a part of a reserved amount was captured.
    pub fn charged(&self) -> Money {
        self.paid_payment().map_or(self.amount, |payment| payment.amount)
    }

    /// The fee of the payment that decides; of a card as long as there is none.
    pub fn fee(&self) -> Money {
        self.decisive_payment().map_or_else(|| self.fee_by(Method::Card), |payment| self.fee_of(payment))
    }

    pub fn fee_of(&self, payment: &Payment) -> Money {
        self.fee_rule.of(payment.method, payment.amount)
    }

    pub fn fee_by(&self, method: Method) -> Money {
        self.fee_rule.of(method, self.amount)
    }

    /// The customer's total: the amount and the fee.
    pub fn total(&self) -> Money {
        self.charged().plus(self.fee())
    }

    pub fn is_paid(&self) -> bool {
        self.paid_payment().is_some()
    }

    fn paid_payment(&self) -> Option<&Payment> {
        self.payments.iter().find(|payment| payment.state == PaymentState::Successful)
    }

    /// The sum of all refunds but those that failed.
    pub fn refunded(&self) -> Money {
        self.sum_of_refunds(|state| state != RefundState::Failed)
    }

    fn sum_of_refunds(&self, counts: fn(RefundState) -> bool) -> Money {
        let refunds = self.refunds.iter().filter(|refund| counts(refund.state));
        refunds.fold(Money::ZERO, |sum, refund| sum.plus(refund.amount))
    }

    /// Reversed when everything was paid back; pending as long as any payment may still succeed.
    pub fn state(&self) -> PaymentState {
        match self.is_paid() {
            true if self.sum_of_refunds(|state| state == RefundState::Completed) >= self.charged() => {
                PaymentState::Reversed
            }
            true => PaymentState::Successful,
            false => self.decisive_payment().map_or(PaymentState::Initiated, |payment| payment.state),
        }
    }

    /// The payment that determines the order's state: the successful one, else the newest pending one, else the newest.
    pub fn decisive_payment(&self) -> Option<&Payment> {
        let pending = || self.payments.iter().rev().find(|payment| payment.state == PaymentState::Pending);
        self.paid_payment().or_else(pending).or(self.payments.last())
    }
}

/// A card that can be charged again by its token.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SavedCard {
    pub token: String,
    /// The masked card number.
    pub number: String,
    pub behaviour: magic::Card,
    /// The customer's address; `None`: not listed for any customer.
    pub email: Option<String>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Session {
    /// 30 digits, unless an admin call chose another id.
    pub id: String,
    pub order_id: u64,
    pub payment_reference: String,
    pub account_number: String,
    pub account_reference: Option<String>,
    pub amount: Money,
    pub currency: String,
    pub sender_name: String,
    pub sender_account: Option<String>,
    pub narration: Option<String>,
    pub created: Moment,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct VirtualAccount {
    pub alias: String,
    pub number: String,
    pub name: String,
    pub narration: Option<String>,
    /// Returned as `accountReference`.
    pub reference: Option<String>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Batch {
    pub id: u64,
    pub reference: String,
    pub payouts: Vec<Payout>,
    pub accepted: Moment,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Payout {
    pub reference: String,
    pub details: NewPayout,
    pub state: PayoutState,
    pub created: Moment,
    pub updated: Moment,
}

named! {
    /// Numbered as in the service.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
    pub enum PayoutState {
        Pending [2] = "Pending",
        Failed [4] = "Failed",
        Successful [5] = "Successful",
    }
}

impl PayoutState {
    pub fn id(self) -> u64 {
        self as u64
    }
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct NewPayout {
    pub client_reference: Option<String>,
    pub account_number: String,
    pub account_name: String,
    pub bank_code: String,
    pub amount: Money,
    /// The currency of the balance that pays.
    pub currency: String,
    pub credit_currency: String,
    pub description: Option<String>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Payment {
    /// `orderPaymentReference`.
    pub reference: String,
    /// `paymentDetail.paymentReference`, another reference of the same payment.
    pub detail_reference: String,
    pub method: Method,
    pub state: PaymentState,
    /// The event it waits for while it is pending, or has waited for.
    pub awaits: Awaits,
    #[serde(deserialize_with = "constant")]
    pub code: Constant,
    #[serde(deserialize_with = "constant")]
    pub message: Constant,
    /// Without the fee.
    pub amount: Money,
    /// The account name of a payment by mandate.
    pub payer: Option<String>,
    /// The masked account or card number; the whole number of a temporary account.
    pub instrument: String,
    /// The card's behaviour, if it is a payment by card.
    pub card: Option<magic::Card>,
    pub created: Moment,
    pub updated: Moment,
}

/// The event that makes a pending payment final.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Awaits {
    Nothing,
    /// The card holder's consent: the redirect URL, or authorize with a one-time code.
    Holder,
    /// The customer's confirmation elsewhere: in an app, by telephone, at a bank.
    Customer,
    /// A transfer to the temporary account.
    Transfer,
    /// The merchant's capture of a reserved amount.
    Capture,
}

impl Awaits {
    pub fn name(self) -> Option<&'static str> {
        Some(match self {
            Awaits::Nothing => return None,
            Awaits::Holder => "holder",
            Awaits::Customer => "customer",
            Awaits::Transfer => "transfer",
            Awaits::Capture => "capture",
        })
    }
}

named! {
    /// Numbered as in the service.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
    pub enum PaymentState {
        Initiated [1] = "Initiated",
        Pending [2] = "Pending",
        Failed [4] = "Failed",
        Successful [5] = "Successful",
        Reversed [6] = "Reversed",
    }
}

impl PaymentState {
    pub fn id(self) -> u64 {
        self as u64
    }

    pub fn is_final(self) -> bool {
        matches!(self, PaymentState::Failed | PaymentState::Successful | PaymentState::Reversed)
    }
}

/// Lifetime of the temporary account of a bank transfer.
pub const TRANSFER_LIVES: Duration = Duration::from_secs(30 * 60);

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Due {
    /// The refund is complete.
    Refund { order: String, refund: String },
    /// The payment was not made in time.
    Expiry { payment: String },
}

/// In the order of their moments.
#[derive(Debug, Default, Clone, Serialize, Deserialize)]
#[serde(from = "Vec<(Moment, Due)>", into = "Vec<(Moment, Due)>")]
pub struct Agenda {
    entries: BTreeMap<(Moment, u64), Due>,
    added: u64,
}

impl Agenda {
    pub fn add(&mut self, at: Moment, due: Due) {
        self.added += 1;
        self.entries.insert((at, self.added), due);
    }

    /// Takes the next one whose moment has come.
    pub fn take(&mut self, now: Moment) -> Option<Due> {
        let first = self.entries.first_entry().filter(|entry| entry.key().0 <= now)?;
        Some(first.remove())
    }
}

impl From<Vec<(Moment, Due)>> for Agenda {
    fn from(entries: Vec<(Moment, Due)>) -> Agenda {
        let mut agenda = Agenda::default();
        entries.into_iter().for_each(|(at, due)| agenda.add(at, due));
        agenda
    }
}

impl From<Agenda> for Vec<(Moment, Due)> {
    fn from(agenda: Agenda) -> Vec<(Moment, Due)> {
        agenda.entries.into_iter().map(|((at, _), due)| (at, due)).collect()
    }
}

pub type Constant = &'static str;

/// Reads one of few texts; each different one stays in memory once.
pub fn constant<'de, D: Deserializer<'de>>(from: D) -> Result<Constant, D::Error> {
    static KNOWN: Mutex<Option<HashSet<Constant>>> = Mutex::new(None);
    let text = String::deserialize(from)?;
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let known = known.get_or_insert_default();
    Ok(known.get(text.as_str()).copied().unwrap_or_else(|| {
        let kept = text.leak();
        known.insert(kept);
        kept
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_earliest_first_and_none_before_its_time() {
        let (mut agenda, now) = (Agenda::default(), Moment::now());
        let due = |payment: &str| Due::Expiry { payment: payment.to_string() };
        agenda.add(now.after(Duration::from_secs(2)), due("second"));
        agenda.add(now.after(Duration::from_secs(1)), due("first"));
        agenda.add(now.after(Duration::from_secs(2)), due("third"));
        assert_eq!(agenda.take(now), None);
        let later = now.after(Duration::from_secs(2));
        assert_eq!(
            [agenda.take(later), agenda.take(later), agenda.take(later), agenda.take(later)],
            [Some(due("first")), Some(due("second")), Some(due("third")), None]
        );
    }
}
