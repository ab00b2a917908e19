//! References that this client made since it opened the journal: the service cannot know an attempt to pay one of them.

use std::collections::{HashSet, VecDeque};
use std::sync::{Mutex, PoisonError};

/// The newest are remembered. An older one costs a look-up.
const MOST: usize = 10_000;

#[derive(Default)]
pub struct Minted(Mutex<References>);

#[derive(Default)]
struct References {
    known: HashSet<String>,
    in_order: VecDeque<String>,
}

impl Minted {
    pub fn add(&self, reference: &str) {
        let kept = &mut *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.in_order.len() >= MOST
            && let Some(oldest) = kept.in_order.pop_front()
        {
            kept.known.remove(&oldest);
        }
        if kept.known.insert(reference.to_owned()) {
            kept.in_order.push_back(reference.to_owned());
        }
    }

    pub fn has(&self, reference: &str) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).known.contains(reference)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_are_remembered() {
        let minted = Minted::default();
        (0..=MOST).for_each(|number| minted.add(&number.to_string()));
        assert!(!minted.has("0") && minted.has("1") && minted.has(&MOST.to_string()) && !minted.has("x"));
    }
}
