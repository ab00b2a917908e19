//! The keys that this client's `journal_next` has returned, until the program calls it again with that key.
//!
//! An end that was written when it is returned is lost if the program dies before it has recorded it: the next run finds
//! no open key. So the end is written when the program comes back with the key. Two loops in one process share a client,
//! and either may come back first: while returns with another end are outstanding, a call may be theirs.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::row::{End, Row};
use crate::util::process::PerProcess;

/// The newest keys are remembered. An older one stays open, and is returned again.
const MOST: usize = 1000;

/// The claims of a key that a query decided, with their ends. Empty: the outcome was UNKNOWN.
pub type Ends = Vec<(Row, End)>;

/// A forked child has returned nothing.
pub struct Returns(PerProcess<Mutex<Keys>>);

#[derive(Default)]
struct Keys {
    of: HashMap<String, Key>,
    /// The number of returns so far.
    count: u64,
}

#[derive(Default)]
struct Key {
    /// The number of its last return.
    last: u64,
    /// Returns with other ends than `ends` for which no call has come.
    others: u32,
    /// Returns of `ends` for which no call has come.
    same: u32,
    ends: Ends,
}

impl Returns {
    pub fn new() -> Returns {
        Returns(PerProcess::new())
    }

    fn keys(&self) -> MutexGuard<'_, Keys> {
        self.0.current().1.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The key is being returned with these ends.
    pub fn add(&self, key: &str, ends: Ends) {
        let keys = &mut *self.keys();
        if keys.of.len() >= MOST
            && !keys.of.contains_key(key)
            && let Some(oldest) = keys.of.iter().min_by_key(|(_, key)| key.last).map(|(key, _)| key.clone())
        {
            keys.of.remove(&oldest);
        }
        keys.count += 1;
        let known = keys.of.entry(key.to_owned()).or_default();
        known.last = keys.count;
        if ends.is_empty() {
            known.others = known.others.saturating_add(1);
        } else if ends == known.ends {
            known.same = known.same.saturating_add(1);
        } else {
            *known = Key { others: known.others.saturating_add(known.same), same: 1, ends, ..*known };
        }
    }

    /// The program has come back with the key: returns the ends that it has received and that are to be written.
    pub fn acknowledge(&self, key: &str) -> Ends {
        let keys = &mut *self.keys();
        let Some(known) = keys.of.get_mut(key) else { return Ends::new() };
        if known.others > 0 {
            known.others -= 1;
            if known.others > 0 || !known.ends.is_empty() {
                return Ends::new();
            }
        }
        keys.of.remove(key).map_or_else(Ends::new, |known| known.ends)
    }

    /// They could not be written.
    pub fn restore(&self, key: &str, ends: Ends) {
        self.keys().of.entry(key.to_owned()).or_insert(Key { last: 0, others: 0, same: 1, ends });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::row::{By, Claim, Kind};
    use paysvc_spec::journal::Step;
    use paysvc_spec::status::Outcome::{self, Confirmed, Rejected};

    fn ends(outcome: Outcome) -> Ends {
        vec![(Row::of("k", 1, Kind::Claim(Claim::of(Step::Charge))), End::new("1", By::LookUp, outcome))]
    }

    /// As `Next` of the model, rule "count".
    #[test]
    fn the_first_calls_acknowledge_the_returns_of_other_ends() {
        let unknown = Ends::new;
        for (returned, written) in [
            (vec![ends(Confirmed)], vec![ends(Confirmed), unknown()]),
            (vec![unknown()], vec![unknown(), unknown()]),
            (vec![unknown(), ends(Confirmed)], vec![unknown(), ends(Confirmed), unknown()]),
            (vec![ends(Confirmed), unknown()], vec![unknown(), ends(Confirmed), unknown()]),
            (vec![unknown(), unknown(), ends(Rejected)], vec![unknown(), unknown(), ends(Rejected)]),
            (vec![ends(Confirmed), ends(Confirmed)], vec![ends(Confirmed), unknown()]),
            (vec![ends(Rejected), ends(Rejected), ends(Confirmed)], vec![unknown(), unknown(), ends(Confirmed)]),
        ] {
            let returns = Returns::new();
            returned.iter().for_each(|ends| returns.add("k", ends.clone()));
            for (call, written) in written.iter().enumerate() {
                assert_eq!(returns.acknowledge("other"), unknown());
                assert_eq!(returns.acknowledge("k"), *written, "call {call} after {returned:?}");
            }
        }
    }

    #[test]
    fn what_could_not_be_written_is_remembered_and_old_keys_are_not() {
        let returns = Returns::new();
        returns.add("k", ends(Confirmed));
        let written = returns.acknowledge("k");
        returns.restore("k", written);
        assert_eq!(returns.acknowledge("k"), ends(Confirmed));
        (0..=MOST).for_each(|number| returns.add(&number.to_string(), ends(Confirmed)));
        assert_eq!(returns.acknowledge("0"), Ends::new());
        assert_eq!(returns.acknowledge("1"), ends(Confirmed));
        assert_eq!(returns.keys().of.len(), MOST - 1);
    }
}
