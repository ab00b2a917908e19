//! An attempt to pay an order.

use serde::{Deserialize, Serialize};

use super::magic;
use super::method::Method;
use crate::util::clock::Moment;
use crate::util::constant::{Constant, constant};
use crate::util::money::Money;

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Payment {
    /// `orderPaymentReference`.
    pub reference: String,
    /// `paymentDetail.paymentReference`, another reference of the same payment.
    pub detail_reference: String,
    pub method: Method,
    pub state: PaymentState,
    /// What it waits for while it is pending, or has waited for.
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
    /// How the card behaves, if it is a payment by card.
    pub card: Option<magic::Card>,
    pub created: Moment,
    pub updated: Moment,
}

/// What makes a pending payment final.
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

/// Numbered as in the service.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum PaymentState {
    Initiated = 1,
    Pending = 2,
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
            PaymentState::Pending => "Pending",
            PaymentState::Failed => "Failed",
            PaymentState::Successful => "Successful",
            PaymentState::Reversed => "Reversed",
        }
    }

    pub fn is_final(self) -> bool {
        matches!(self, PaymentState::Failed | PaymentState::Successful | PaymentState::Reversed)
    }
}
