//! The state of the payment, from all states that the answer names.

use super::words::NamedState;
use super::{Reader, StateLevel, TopStatus};
use paysvc_spec::status::State;

impl Reader<'_> {
    pub(super) fn decide_state(&mut self) {
        let states = &self.states;
        let any = |wanted: NamedState| states.iter().any(|(_, named)| *named == wanted);
        let failed_at =
            |level: StateLevel| states.iter().any(|(at, named)| *at == level && *named == NamedState::Failed);
        let progress = states.iter().any(|(_, named)| matches!(named, NamedState::Progress(_)));
        let unknown =
            states.iter().any(|(_, named)| matches!(named, NamedState::Unknown | NamedState::UnknownNumber(_)));
        // "success" alone is not a state, however often it appears.
        let beside_success = states.iter().any(|(_, named)| *named != NamedState::Success);
        let successful = any(NamedState::Successful) || any(NamedState::Success) && beside_success;
        let (failed, reversed) = (any(NamedState::Failed), any(NamedState::Reversed));
        let finals = usize::from(successful) + usize::from(failed) + usize::from(reversed);
        let codes = self.codes;
        let (failed_elements, successful_elements) = (self.facts.history.failed, self.facts.history.successful);
        let other_elements = self.facts.history.other;

        let signs = &mut self.facts.signs;
        signs.states_disagree = finals > 1 || finals == 1 && (progress || unknown);
        // A state of something else proves nothing about what was asked for.
        let own_failed = self.expected.reports_state && (failed_at(StateLevel::Payment) || failed_at(StateLevel::Data));
        signs.failed_beside_progress =
            failed && (codes.success || codes.progress || self.top.progress || codes.top_progress);
        // A word that is the payment's state is one of the states above; `status` false never is.
        let top = match self.expected.top_word_is_state() {
            true => TopStatus { failure: self.top.denies, ..TopStatus::default() },
            false => self.top,
        };
        let elsewhere_failed = self.expected.subject.is_some()
            && !self.expected.top_word_is_state()
            && (signs.failure.any_case || signs.weak_failure);
        let without_payment = successful_elements == 0 && failed_elements + other_elements > 0;
        signs.state_contradicted = successful
            && (top.progress || top.failure || codes.unsuccessful || without_payment || elsewhere_failed)
            || failed && successful_elements + other_elements > 0;
        signs.state = match (signs.states_disagree || signs.state_contradicted, finals) {
            (true, _) => State::NONE,
            (false, 0) => in_progress(states),
            (false, _) if successful => State::SUCCESSFUL,
            (false, _) if reversed => State::REVERSED,
            (false, _) => State::FAILED,
        };
        signs.own_failed = signs.state == State::FAILED && own_failed;
        signs.order_failed = signs.state == State::FAILED && !own_failed;
    }
}

/// The state if none is final. States of progress never disagree: the payment's own one counts.
fn in_progress(states: &[(StateLevel, NamedState)]) -> State {
    let only = |mut found: Vec<State>| {
        found.dedup_by_key(|state| state.0);
        if let [state] = found[..] { Some(state) } else { None }
    };
    let progress = |(_, named): &(StateLevel, NamedState)| match named {
        NamedState::Progress(state) => Some(*state),
        _ => None,
    };
    let known: Vec<_> = states.iter().filter_map(progress).collect();
    if !known.is_empty() {
        let own = states.iter().filter(|(level, _)| *level == StateLevel::Payment).filter_map(progress).collect();
        return only(known).or_else(|| only(own)).unwrap_or(State::NONE);
    }
    let number = |(_, named): &(StateLevel, NamedState)| match named {
        NamedState::UnknownNumber(number) => Some(State(*number)),
        _ => None,
    };
    only(states.iter().filter_map(number).collect()).unwrap_or(State::NONE)
}
