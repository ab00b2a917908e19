//! References that this client made just now: the service cannot know an attempt to pay one of them. After ten minutes, and
//! after its first use here, somebody else may have used it, and the service is asked.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::clock::Moment;
use crate::util::process::PerProcess;

/// The newest are remembered. An older one costs a status query.
const MOST: usize = 10_000;
const LONGEST_MS: u64 = 10 * 60 * 1000;

/// A forked child has made none: its parent may use them, too.
pub struct Minted(PerProcess<Mutex<References>>);

#[derive(Default)]
struct References {
    made: HashMap<String, Moment>,
    in_order: VecDeque<String>,
}

impl Minted {
    pub fn new() -> Minted {
        Minted(PerProcess::new())
    }

    fn references(&self) -> MutexGuard<'_, References> {
        self.0.current().1.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn add(&self, reference: &str) {
        let kept = &mut *self.references();
        if kept.in_order.len() >= MOST
            && let Some(oldest) = kept.in_order.pop_front()
        {
            kept.made.remove(&oldest);
        }
        if kept.made.insert(reference.to_owned(), Moment::now()).is_none() {
            kept.in_order.push_back(reference.to_owned());
        }
    }

    pub fn remove(&self, reference: &str) {
        self.references().made.remove(reference);
    }

    pub fn is_fresh(&self, reference: &str) -> bool {
        self.is_fresh_at(reference, &Moment::now())
    }

    fn is_fresh_at(&self, reference: &str, now: &Moment) -> bool {
        let kept = self.references();
        let passed = kept.made.get(reference).and_then(|made| made.passed_ms(now));
        passed.is_some_and(|passed| passed < LONGEST_MS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_are_remembered_until_they_are_used_or_old() {
        let minted = Minted::new();
        (0..=MOST).for_each(|number| minted.add(&number.to_string()));
        assert!(!minted.is_fresh("0") && minted.is_fresh("1") && minted.is_fresh(&MOST.to_string()));
        let made = Moment::now();
        for (later, expected) in [(LONGEST_MS - 60_000, true), (LONGEST_MS, false)] {
            let now = Moment { ms: made.ms + later, ..made.clone() };
            assert_eq!(minted.is_fresh_at("1", &now), expected, "{later}");
        }
        assert!(!minted.is_fresh_at("1", &Moment { boot: String::new(), ..made }), "another clock");
        minted.remove("1");
        assert!(!minted.is_fresh("1") && !minted.is_fresh("x"));
    }
}
