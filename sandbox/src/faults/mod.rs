//! Fault injection: which fault acts on a request or connection, and how it changes the answer.

pub mod alter;
pub mod elements;
mod gzip;
pub mod magic;
pub mod parse;
mod paths;
pub mod rules;
pub mod table;

use std::collections::HashSet;
use std::time::Duration;

use crate::util::json::{Json, object};
use magic::{Kind, Named};
use rules::{Rule, Subject};
use table::{Fault, TABLE};

/// The default delay of `slow_headers`.
const DELAY: Duration = Duration::from_secs(2);

/// The fault for a request or connection.
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
    /// The requests that `failed_then_success` has failed.
    failed: HashSet<String>,
    /// The magic values of requests that change something.
    used: HashSet<String>,
}

impl Faults {
    pub fn add(&mut self, rule: Rule) -> &Rule {
        self.rules.push(rule);
        &self.rules[self.rules.len() - 1]
    }

    /// Removes all rules; returns how many there were.
    pub fn clear(&mut self) -> usize {
        self.failed.clear();
        std::mem::take(&mut self.rules).len()
    }

    pub fn reset(&mut self) {
        *self = Faults::default();
    }

    /// Whether the fault of a magic value acts on this request. It acts on requests that change something. It acts on a look-up
    /// only if no such request had the value, so that what became of that request can be asked. The value may name one kind.
    pub fn meets(&mut self, named: &Named, kind: Kind) -> bool {
        let is_used = if kind == Kind::LookUp {
            self.used.contains(&named.value)
        } else {
            !self.used.insert(named.value.clone())
        };
        named.only.map_or(kind != Kind::LookUp || !is_used, |only| only == kind)
    }

    /// The fault of the first rule that fires. Every rule counts its matches.
    pub fn choose(&mut self, subject: &Subject) -> Option<Chosen> {
        let mut chosen = None;
        for rule in &mut self.rules {
            if rule.fires_for(subject, chosen.is_none()) {
                chosen = Some(Chosen::new(rule.fault, rule.delay));
            }
        }
        chosen
    }

    /// Whether this is the first time for this request.
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
