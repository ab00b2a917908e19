//! The objects of the simulated service: mandates, orders, payments, virtual accounts, funding sessions, payouts.

use std::time::Instant;

use crate::clock::Moment;
use crate::money::Money;

#[derive(Debug, Clone)]
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

#[derive(Debug, Clone)]
pub struct OneTimeCode {
    pub code: String,
    pub used: bool,
}

#[derive(Debug, Clone)]
pub struct Order {
    pub id: u64,
    pub reference: String,
    /// The service's own reference of the order's payment.
    pub processor_reference: String,
    pub amount: Money,
    pub currency: String,
    /// Created by a payment, with the assumed amount.
    pub assumed: bool,
    pub description: Option<String>,
    pub customer: Option<Customer>,
    pub payments: Vec<Payment>,
    pub refunds: Vec<Refund>,
    pub created: Moment,
    pub updated: Moment,
}

#[derive(Debug, Clone, Default)]
pub struct Customer {
    pub firstname: Option<String>,
    pub lastname: Option<String>,
    pub mobile: Option<String>,
    pub country: Option<String>,
    pub email: Option<String>,
}

#[derive(Debug, Clone)]
pub struct Refund {
    pub reference: String,
    pub amount: Money,
    pub reason: Option<String>,
    /// The request had no amount: the rest was refunded.
    pub is_rest: bool,
}

impl Order {
    pub fn fee(&self) -> Money {
        self.amount.fee()
    }

    /// What the customer is charged: the amount and the fee.
    pub fn total(&self) -> Money {
        self.amount.plus(self.fee())
    }

    pub fn is_paid(&self) -> bool {
        self.payments.iter().any(|payment| payment.state == PaymentState::Successful)
    }

    pub fn refunded(&self) -> Money {
        self.refunds.iter().fold(Money::ZERO, |sum, refund| sum.plus(refund.amount))
    }

    pub fn state(&self) -> PaymentState {
        match self.is_paid() {
            true if self.refunded() >= self.amount => PaymentState::Reversed,
            true => PaymentState::Successful,
            false => self.payments.last().map_or(PaymentState::Initiated, |payment| payment.state),
        }
    }

    /// The payment that determines the order's state: the successful one, else the newest.
    pub fn decisive_payment(&self) -> Option<&Payment> {
        let paid = self.payments.iter().find(|payment| payment.state == PaymentState::Successful);
        paid.or(self.payments.last())
    }
}

/// Numbered as in the service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PaymentState {
    Initiated = 1,
    Awaiting = 3,
    Failed = 4,
    Successful = 5,
    Reversed = 6,
}

impl PaymentState {
    pub fn id(self) -> u64 {
        self as u64
    }

    pub fn name(self) -> &'static str {
        match self {
            PaymentState::Initiated => "Initiated",
            PaymentState::Awaiting => "Awaiting confirmation",
            PaymentState::Failed => "Failed",
            PaymentState::Successful => "Successful",
            PaymentState::Reversed => "Reversed",
        }
    }

    pub fn is_final(self) -> bool {
        matches!(self, PaymentState::Failed | PaymentState::Successful | PaymentState::Reversed)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    DirectDebit,
    Card,
}

impl Method {
    pub fn code(self) -> &'static str {
        match self {
            Method::DirectDebit => "NDD",
            Method::Card => "C",
        }
    }

    pub fn id(self) -> u64 {
        match self {
            Method::Card => 1,
            Method::DirectDebit => 8,
        }
    }
}

#[derive(Debug, Clone)]
pub struct Payment {
    pub reference: String,
    pub method: Method,
    pub state: PaymentState,
    pub code: &'static str,
    pub message: &'static str,
    /// The account name of a payment by mandate.
    pub payer: Option<String>,
    /// The masked account or card number.
    pub instrument: String,
    pub created: Moment,
    pub updated: Moment,
}

#[derive(Debug, Clone)]
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

#[derive(Debug, Clone)]
pub struct VirtualAccount {
    pub alias: String,
    pub number: String,
    pub name: String,
    pub narration: Option<String>,
    /// Returned as `accountReference`.
    pub reference: Option<String>,
}

#[derive(Debug, Clone)]
pub struct Batch {
    pub id: u64,
    pub reference: String,
    pub payouts: Vec<Payout>,
    pub accepted: Instant,
}

#[derive(Debug, Clone)]
pub struct Payout {
    pub reference: String,
    pub details: NewPayout,
    pub state: PayoutState,
    pub created: Moment,
    pub updated: Moment,
}

/// Numbered as in the service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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

#[derive(Debug, Clone)]
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
