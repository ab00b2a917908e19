//! `certify`: watches a client go through scenarios and reports its mistakes. Here are the client's task and
//! conclusion; `scenario` is the table, with the checks.

pub mod report;
pub mod run;
pub mod scenario;

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::util::json::{Json, object};

/// A client's conclusion about an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Paid {
    /// The goods are handed over.
    Yes,
    /// It is certain that the order is not paid, and it may be charged again.
    No,
    Unknown,
}

impl Paid {
    pub fn of(json: &Json) -> Option<Paid> {
        match json {
            Json::Bool(true) => Some(Paid::Yes),
            Json::Bool(false) => Some(Paid::No),
            Json::Text(word) => match word.as_str() {
                "true" => Some(Paid::Yes),
                "false" => Some(Paid::No),
                "unknown" => Some(Paid::Unknown),
                _ => None,
            },
            _ => None,
        }
    }
}

/// A task that is under way.
#[derive(Debug, Clone)]
pub struct Step {
    pub scenario: &'static str,
    pub task: &'static str,
    pub instruction: &'static str,
    pub reference: String,
    pub amount: &'static str,
    pub currency: &'static str,
    pub card: &'static str,
    /// The body of a webhook, where the task has one.
    pub event: Option<String>,
    pub told: Option<Paid>,
}

impl Step {
    pub fn json(&self) -> Json {
        object! {
            "scenario": self.scenario,
            "task": self.task,
            "instruction": self.instruction,
            "reference": &self.reference,
            "amount": self.amount,
            "currency": self.currency,
            "card": self.card,
            "event": self.event.clone(),
        }
    }
}

/// Empty unless `certify` runs.
#[derive(Debug, Default)]
pub struct Desk(Mutex<Option<Step>>);

impl Desk {
    pub fn step(&self) -> MutexGuard<'_, Option<Step>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
