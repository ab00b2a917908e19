//! Fault injection: which fault acts on a request or connection, and how it changes the response.

pub mod fault;
pub mod magic;
pub mod rules;
pub mod table;

use std::collections::HashSet;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::util::json::{Json, object};
use fault::Fault;
use magic::{Kind, Named};
use rules::{Rule, Subject};

/// The fault for a request or connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Chosen {
    pub fault: &'static Fault,
    pub delay: Duration,
}

impl Chosen {
    pub fn new(fault: &'static Fault, delay: Option<Duration>) -> Chosen {
        Chosen { fault, delay: delay.or(fault.delay).unwrap_or_default() }
    }
}

/// The rules end with the program.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Faults {
    #[serde(skip)]
    rules: Vec<Rule>,
    #[serde(skip)]
    last_rule: u64,
    /// The requests that met a fault which acts only on the first of equal requests.
    failed: HashSet<String>,
    /// The magic values of requests that change something.
    used: HashSet<String>,
    /// Grows with every change of the rules and of their counts.
    pub version: u64,
}

impl Faults {
    pub fn add(&mut self, rule: Rule) -> &Rule {
        self.version += 1;
        self.last_rule += 1;
        self.rules.push(Rule { id: self.last_rule, ..rule });
        &self.rules[self.rules.len() - 1]
    }

    /// Removes all rules; returns how many there were.
    pub fn clear(&mut self) -> usize {
        self.failed.clear();
        self.version += 1;
        std::mem::take(&mut self.rules).len()
    }

    /// Removes the rules of one fault; returns how many there were.
    pub fn remove(&mut self, fault: &Fault) -> usize {
        let before = self.rules.len();
        self.rules.retain(|rule| rule.fault != fault);
        self.version += 1;
        before - self.rules.len()
    }

    /// Removes one rule; returns how many there were.
    pub fn remove_rule(&mut self, id: u64) -> usize {
        let before = self.rules.len();
        self.rules.retain(|rule| rule.id != id);
        self.version += 1;
        before - self.rules.len()
    }

    pub fn reset(&mut self) {
        *self = Faults { version: self.version + 1, ..Faults::default() };
    }

    pub fn rules(&self) -> usize {
        self.rules.len()
    }

    /// Returns whether the fault of a magic value acts on this request. It acts on requests that change something, and
    /// on a status query only if no such request had the value, so that a program can query the outcome of that
    /// request. The value may name one kind.
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
            self.version += 1;
            if rule.fires_for(subject, chosen.is_none()) {
                chosen = Some(Chosen::new(rule.fault, rule.delay));
            }
        }
        chosen
    }

    /// Returns whether this is the first time for this request.
    pub fn is_first(&mut self, request: String) -> bool {
        self.failed.insert(request)
    }

    pub fn json(&self) -> Json {
        let row = |row: &Fault| {
            object! {
                "name": row.name,
                "acts_on": row.acts.name(),
                "committed": row.committed,
                "wire": row.wire,
                "doc": row.doc,
            }
        };
        object! {
            "faults": table::all().map(row).collect::<Vec<_>>(),
            "rules": self.rules.iter().map(Rule::json).collect::<Vec<_>>(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::fault::{RequestFacts, Script, Sending};
    use super::*;
    use crate::http::answer::Answer;

    pub const REQUEST: RequestFacts = RequestFacts {
        base_url: "http://127.0.0.1:80",
        is_status_boolean: true,
        target: "/a?b=%20c",
        api_key: Some("KEY"),
        payload: None,
    };

    /// The body that a fault makes from another.
    pub fn altered(fault: &str, body: &str) -> String {
        let answer = Answer { body: body.as_bytes().to_vec(), ..Answer::ok(&Json::Null) };
        let altered = table::named(fault).unwrap().alter(Some(answer), &REQUEST).unwrap();
        String::from_utf8_lossy(&altered.body).into_owned()
    }

    /// The script that a fault sends in place of a response.
    pub fn planned(fault: &str, keep_alive: bool) -> Option<Script> {
        let Chosen { fault, delay } = Chosen::new(table::named(fault).unwrap(), None);
        let answer = fault.committed.then(|| Answer::ok(&object! { "a": 1_u64 }));
        fault.script(answer.as_ref(), &Sending { delay, keep_alive })
    }
}
