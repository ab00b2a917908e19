//! The state of a payment, from all that names one.

use super::words::Named;
use super::{Level, Reader, TopWord};
use paysvc_spec::status::State;

impl Reader<'_> {
    pub(super) fn decide_state(&mut self) {
        let states = &self.scalars;
        let any = |wanted: Named| states.iter().any(|(_, named)| *named == wanted);
        let failed_at = |level: Level| states.iter().any(|(at, named)| *at == level && *named == Named::Failed);
        let progress = states.iter().any(|(_, named)| matches!(named, Named::Progress(_)));
        let unknown = states.iter().any(|(_, named)| matches!(named, Named::Unknown | Named::UnknownNumber(_)));
        // Alone it names nothing.
        let successful = any(Named::Successful) || any(Named::Success) && states.len() > 1;
        let (failed, reversed) = (any(Named::Failed), any(Named::Reversed));
        let finals = usize::from(successful) + usize::from(failed) + usize::from(reversed);
        let [success_code, progress_code, failure_code] = self.payment_codes;
        let [failed_elements, successful_elements, other_elements] = self.elements;

        let facts = &mut self.facts;
        facts.scalars_disagree = finals > 1 || finals == 1 && (progress || unknown);
        let own_failed = failed_at(Level::Payment) || failed_at(Level::Data);
        facts.failed_beside_progress =
            failed && (success_code || progress_code || self.top.progress || self.top_progress_code);
        facts.payments_made = successful_elements;
        let top = if self.expected.top_word_is_state() { TopWord::default() } else { self.top };
        let elsewhere_failed = self.expected.subject.is_some()
            && !self.expected.top_word_is_state()
            && (facts.failure.any_case || facts.weak_failure);
        let without_payment = successful_elements == 0 && failed_elements + other_elements > 0;
        facts.state_contradicted = successful
            && (top.progress || top.failure || progress_code || failure_code || without_payment || elsewhere_failed)
            || failed && successful_elements + other_elements > 0;
        facts.state = match (facts.scalars_disagree || facts.state_contradicted, finals) {
            (true, _) => State::NONE,
            (false, 0) => in_progress(states),
            (false, _) if successful => State::SUCCESSFUL,
            (false, _) if reversed => State::REVERSED,
            (false, _) => State::FAILED,
        };
        facts.own_failed = facts.state == State::FAILED && own_failed;
        facts.order_failed = facts.state == State::FAILED && !own_failed;
    }
}

/// The state where none is final: states of progress never disagree; the payment's own counts.
fn in_progress(states: &[(Level, Named)]) -> State {
    let only = |mut found: Vec<State>| {
        found.dedup_by_key(|state| state.0);
        if let [state] = found[..] { Some(state) } else { None }
    };
    let progress = |(_, named): &(Level, Named)| match named {
        Named::Progress(state) => Some(*state),
        _ => None,
    };
    let known: Vec<_> = states.iter().filter_map(progress).collect();
    if !known.is_empty() {
        let own = states.iter().filter(|(level, _)| *level == Level::Payment).filter_map(progress).collect();
        return only(known).or_else(|| only(own)).unwrap_or(State::NONE);
    }
    let number = |(_, named): &(Level, Named)| match named {
        Named::UnknownNumber(number) => Some(State(*number)),
        _ => None,
    };
    only(states.iter().filter_map(number).collect()).unwrap_or(State::NONE)
}
