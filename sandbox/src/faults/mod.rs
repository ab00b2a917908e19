//! The bad day: which fault acts on which request or connection, and what it makes of the answer.

pub mod alter;
mod gzip;
pub mod magic;
pub mod parse;
pub mod rules;
pub mod table;

use std::collections::HashSet;
use std::time::Duration;

use crate::json::{Json, object};
use rules::{Place, Rule};
use table::{Fault, TABLE};

/// How long `slow_headers` stalls unless its rule says otherwise.
const DELAY: Duration = Duration::from_secs(2);

/// A fault that was chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Chosen {
    pub fault: Fault,
    pub delay: Duration,
}

impl Chosen {
    pub fn new(fault: Fault, delay: Option<Duration>) -> Chosen {
        Chosen { fault, delay: delay.unwrap_or(DELAY) }
    }
}

#[derive(Debug, Default)]
pub struct Faults {
    rules: Vec<Rule>,
    /// What `failed_then_success` has failed already.
    failed: HashSet<String>,
}

impl Faults {
    pub fn add(&mut self, rule: Rule) -> &Rule {
        self.rules.push(rule);
        &self.rules[self.rules.len() - 1]
    }

    /// Forgets everything; how many rules there were.
    pub fn clear(&mut self) -> usize {
        self.failed.clear();
        std::mem::take(&mut self.rules).len()
    }

    /// Offers a request or a connection to every rule, in their order; the first that fires has it.
    pub fn choose(&mut self, place: &Place) -> Option<Chosen> {
        let mut chosen = None;
        for rule in &mut self.rules {
            if rule.offer(place, chosen.is_none()) {
                chosen = Some(Chosen::new(rule.fault, rule.delay));
            }
        }
        chosen
    }

    /// Is it the first time for this request?
    pub fn fails_first(&mut self, request: String) -> bool {
        self.failed.insert(request)
    }

    pub fn json(&self) -> Json {
        let row = |row: &table::Row| {
            object! {
                "name": row.name,
                "acts_on": row.acts.name(),
                "committed": row.committed,
                "wire": row.wire,
                "doc": row.doc,
            }
        };
        object! {
            "faults": TABLE.iter().map(row).collect::<Vec<_>>(),
            "rules": self.rules.iter().map(Rule::json).collect::<Vec<_>>(),
        }
    }
}
