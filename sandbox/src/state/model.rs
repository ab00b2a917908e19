//! The objects of the simulated service: mandates, orders, payments, virtual accounts, funding sessions, payouts.

use serde::{Deserialize, Serialize};

use super::fees::Fee;
use super::magic;
pub use super::method::Method;
pub use super::payment::{Awaits, Payment, PaymentState};
use crate::util::clock::Moment;
use crate::util::money::Money;

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
    /// Where the merchant wants the customer's browser to go after the payment.
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

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum RefundState {
    Pending,
    Completed,
    Failed,
}

impl RefundState {
    pub fn name(self) -> &'static str {
        match self {
            RefundState::Pending => "pending",
            RefundState::Completed => "completed",
            RefundState::Failed => "failed",
        }
    }
}

impl Order {
    /// What was charged without the fee: the price, unless only a part of a reserved amount was captured.
    pub fn charged(&self) -> Money {
        self.paid_payment().map_or(self.amount, |payment| payment.amount)
    }

    /// Of the payment that decides; of a card as long as there is none.
    pub fn fee(&self) -> Money {
        self.decisive_payment().map_or_else(|| self.fee_by(Method::Card), |payment| self.fee_of(payment))
    }

    pub fn fee_of(&self, payment: &Payment) -> Money {
        self.fee_rule.of(payment.method, payment.amount)
    }

    pub fn fee_by(&self, method: Method) -> Money {
        self.fee_rule.of(method, self.amount)
    }

    /// What the customer is charged: the amount and the fee.
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

/// Numbered as in the service.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum PayoutState {
    Pending = 2,
    Failed = 4,
    Successful = 5,
}

impl PayoutState {
    pub fn id(self) -> u64 {
        self as u64
    }

    pub fn name(self) -> &'static str {
        match self {
            PayoutState::Pending => "Pending",
            PayoutState::Failed => "Failed",
            PayoutState::Successful => "Successful",
        }
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
