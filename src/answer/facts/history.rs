//! The history of an order: one entry or more for each attempt to pay it.

use super::stated::Text;
use super::words::NamedState;
use paysvc_spec::status::State;

/// No more entries are kept: nobody tries that often.
const MOST_ENTRIES: usize = 10_000;

/// The attempts to pay an order.
#[derive(Default, Debug)]
pub struct History {
    /// It is not a list, is not under its documented name, or has too many entries.
    pub doubtful: bool,
    pub attempts: Vec<Attempt>,
    /// Counts of entries whose documented states are all FAILED, all SUCCESSFUL, or anything else.
    pub failed: usize,
    pub successful: usize,
    pub other: usize,
}

/// An entry.
#[derive(Debug)]
pub struct Attempt {
    pub reference: Option<Text>,
    pub state: AttemptState,
}

/// What an entry says became of the attempt.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AttemptState {
    /// It contradicts itself, or there are two.
    Doubtful,
    /// An entry without a state has [`State::NONE`].
    Is(State),
}

impl AttemptState {
    pub fn state(self) -> State {
        match self {
            AttemptState::Is(state) => state,
            AttemptState::Doubtful => State::NONE,
        }
    }
}

impl History {
    /// If there is no memory for an entry, the history is doubtful.
    pub fn add(&mut self, attempt: Attempt) {
        match self.attempts.len() < MOST_ENTRIES && self.attempts.try_reserve(1).is_ok() {
            true => self.attempts.push(attempt),
            false => self.doubtful = true,
        }
    }

    /// Counts an entry by its documented states. An entry without any is ignored.
    pub fn count(&mut self, states: &[NamedState]) {
        match states {
            [] => {}
            _ if states.iter().all(|state| *state == NamedState::Failed) => self.failed += 1,
            _ if states.iter().all(|state| *state == NamedState::Successful) => self.successful += 1,
            _ => self.other += 1,
        }
    }

    /// Every entry has failed, and each has a reference of its own: there is at least one.
    pub fn all_failed(&self) -> bool {
        let failed =
            |attempt: &Attempt| attempt.state == AttemptState::Is(State::FAILED) && attempt.reference.is_some();
        let is_own = |index: usize| {
            let own = &self.attempts[index].reference;
            self.attempts[..index].iter().all(|other| other.reference != *own)
        };
        // There are few enough to compare every pair.
        !self.doubtful
            && (1..=100).contains(&self.attempts.len())
            && self.attempts.iter().all(failed)
            && (0..self.attempts.len()).all(is_own)
    }

    /// The state of the only entry with that reference; `None` without such an entry.
    pub fn of(&self, reference: &str) -> Option<AttemptState> {
        let is_it =
            |attempt: &&Attempt| attempt.reference.as_ref().is_some_and(|own| super::words::is_same(own, reference));
        let mut found = self.attempts.iter().filter(is_it);
        match (found.next(), found.next()) {
            (None, _) => None,
            (Some(attempt), None) if !self.doubtful => Some(attempt.state),
            _ => Some(AttemptState::Doubtful),
        }
    }
}
