//! What is asked about an earlier request.

use crate::answer::decimal::Decimal;
use paysvc_spec::verdicts::resolution::Question;

/// What is known about the earlier request.
#[derive(Debug)]
pub struct Asked<'a> {
    pub question: Question,
    /// What the order must cost: by the request, and by the caller's `expect`.
    pub prices: Vec<Price>,
    /// The reference of the attempt, or the Reference of the account, that is asked about.
    pub own_reference: Option<&'a str>,
    /// How many requests that may charge this order were begun; `None`: not known.
    pub attempts: Option<u32>,
}

/// The attempts to pay an order, by those who began them.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Attempts {
    /// How many requests that may charge the order were begun; `None`: not known.
    pub begun: Option<u32>,
    /// The name that the service gave the attempt in question when it answered, if every other attempt has ended. Only
    /// a journal knows it.
    pub own_entry: Option<String>,
}

impl Attempts {
    pub fn begun(begun: Option<u32>) -> Attempts {
        Attempts { begun, own_entry: None }
    }
}

impl Asked<'_> {
    /// The currency with which the order was made, as the request says.
    pub fn currency_of_order(&self) -> Option<&str> {
        self.prices.iter().filter(|price| price.is_of_order).find_map(|price| price.currency.as_deref())
    }
}

/// What an order must cost.
#[derive(Clone, Default, Debug)]
pub struct Price {
    /// Who says so, for messages.
    pub source: &'static str,
    /// The order was made with this price; an answer that does not name the currency leaves no doubt about it.
    pub is_of_order: bool,
    pub amount: Option<Decimal>,
    pub currency: Option<String>,
}
