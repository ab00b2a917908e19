//! What the simulated service knows, and the rules by which it changes. No HTTP and no JSON shapes here.

pub mod error;
pub mod funding;
pub mod ledger;
pub mod mandates;
pub mod model;
pub mod orders;
pub mod payments;
pub mod payouts;
pub mod virtual_accounts;

use std::collections::{BTreeMap, HashMap};

use crate::money::Money;
use crate::seed::Seed;
pub use error::RuleError;
use ledger::Ledger;
use model::{Batch, Mandate, Order, Session, VirtualAccount};

/// The amount of an order that nobody made known, and of a mandate for such an order.
pub const ASSUMED_AMOUNT: Money = Money::whole(100);
pub const DEFAULT_CURRENCY: &str = "NGN";

/// When a mandate becomes active.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Activation {
    /// At once.
    Auto,
    /// When the admin call says so.
    Manual,
}

/// How the service behaves, as its command line says; a reset keeps it.
#[derive(Debug, Clone, Copy)]
pub struct Settings {
    pub activation: Activation,
    /// A request that moves money moves it again when it comes again: a paid order is paid again, a refund made again.
    pub pay_twice: bool,
}

/// Something a webhook tells about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    PaymentFinal { order: String },
    Funded { session: String },
}

pub struct State {
    seed: Seed,
    pub settings: Settings,
    counters: HashMap<&'static str, u64>,
    pub ledger: Ledger,
    pub mandates: BTreeMap<String, Mandate>,
    pub orders: BTreeMap<String, Order>,
    pub accounts: BTreeMap<String, VirtualAccount>,
    pub sessions: BTreeMap<String, Session>,
    pub batches: BTreeMap<String, Batch>,
    /// Not yet handed to the webhook.
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
            events: Vec::new(),
        }
    }

    /// Forgets everything but the keys; the same references come again.
    pub fn reset(&mut self) {
        *self = State::new(self.seed.clone(), self.settings);
    }

    fn next(&mut self, purpose: &'static str) -> u64 {
        let counter = self.counters.entry(purpose).or_insert(0);
        *counter += 1;
        *counter
    }

    /// `PGW-PAYREF-` and its kin, followed by 32 hexadecimal digits.
    fn new_reference(&mut self, prefix: &'static str) -> String {
        let number = self.next(prefix);
        format!("{prefix}{}", self.seed.hex32(prefix, number))
    }
}

/// A state for the unit tests of the rules.
#[cfg(test)]
pub fn test_state() -> State {
    State::new(Seed::from_number(1), Settings { activation: Activation::Auto, pay_twice: false })
}
