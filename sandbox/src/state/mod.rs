//! The data of the simulated service and its business rules. Independent of HTTP.

pub mod accounts;
pub mod currency;
pub mod error;
pub mod ledger;
pub mod magic;
pub mod mandates;
pub mod method;
pub mod model;
pub mod orders;
pub mod payments;
pub mod payouts;
pub mod refunds;

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::util::money::Money;
use crate::util::seed::Seed;
use currency::Currencies;
use ledger::Ledger;
use method::Fee;
use model::{Agenda, Batch, Mandate, Order, SavedCard, Session, VirtualAccount};

pub use error::RuleError;

/// The amount of an unknown order, and of a mandate for one.
pub const ASSUMED_AMOUNT: Money = Money::whole(100);
pub const DEFAULT_CURRENCY: &str = "NGN";

/// When a mandate becomes active.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum Activation {
    /// Immediately.
    #[default]
    Auto,
    /// By the admin call.
    Manual,
}

/// Settings from the command line; a reset keeps them.
#[derive(Debug, Clone, Copy, Default)]
pub struct Settings {
    pub activation: Activation,
    /// Repeated requests move money again: a paid order is charged again, a refund is made again.
    pub pay_twice: bool,
    /// Pay takes a reference that nothing has named before.
    pub any_reference: bool,
    /// The currencies that the merchant has.
    pub currencies: Currencies,
    pub fee: Fee,
    /// Pending payouts and refunds end after this time; without it, a payout ends after the first status call that
    /// shows it, and a refund with the first look at its order.
    pub settle: Option<Duration>,
}

/// An event that is sent to the webhook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    PaymentFinal { order: String },
    Funded { session: String },
    RefundEnded { order: String },
    PayoutFinal { batch: String, payout: String },
}

#[derive(Serialize, Deserialize)]
pub struct State {
    pub seed: Seed,
    #[serde(skip)]
    pub settings: Settings,
    counters: HashMap<String, u64>,
    pub ledger: Ledger,
    pub mandates: BTreeMap<String, Mandate>,
    pub orders: BTreeMap<String, Order>,
    pub accounts: BTreeMap<String, VirtualAccount>,
    pub sessions: BTreeMap<String, Session>,
    pub batches: BTreeMap<String, Batch>,
    pub saved_cards: BTreeMap<String, SavedCard>,
    agenda: Agenda,
    /// Not yet queued for the webhook.
    #[serde(skip)]
    pub events: Vec<Event>,
}

impl State {
    pub fn new(seed: Seed, settings: Settings) -> State {
        State {
            seed,
            settings,
            counters: HashMap::new(),
            ledger: Ledger::default(),
            mandates: BTreeMap::new(),
            orders: BTreeMap::new(),
            accounts: BTreeMap::new(),
            sessions: BTreeMap::new(),
            batches: BTreeMap::new(),
            saved_cards: BTreeMap::new(),
            agenda: Agenda::default(),
            events: Vec::new(),
        }
    }

    /// Removes all data and restarts the counters, so that references repeat.
    pub fn reset(&mut self) {
        *self = State::new(self.seed.clone(), self.settings);
    }

    fn next(&mut self, purpose: &'static str) -> u64 {
        let counter = self.counters.entry(purpose.to_string()).or_insert(0);
        *counter += 1;
        *counter
    }

    /// A prefix such as `PGW-PAYREF-`, followed by 32 hexadecimal digits.
    fn new_reference(&mut self, prefix: &'static str) -> String {
        let number = self.next(prefix);
        format!("{prefix}{}", self.seed.hex32(prefix, number))
    }
}

/// An empty state for unit tests.
#[cfg(test)]
pub fn test_state() -> State {
    let settings = Settings {
        activation: Activation::Auto,
        pay_twice: false,
        any_reference: false,
        currencies: Currencies::default(),
        fee: Fee::default(),
        settle: None,
    };
    State::new(Seed::from_number(1), settings)
}
