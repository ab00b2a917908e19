//! Whether what the service knows about an order allows another charge.

use crate::answer::facts::Facts;
use crate::answer::facts::history::AttemptState;
use paysvc_spec::journal::Ask;
use paysvc_spec::schema::Reference;
use paysvc_spec::status::State;

/// `answered`: the service answered the look-up. An order that it does not know (404) has no attempts.
pub fn allows_charge(ask: Ask, http_status: u16, answered: bool, facts: &Facts) -> bool {
    if http_status == 404 {
        return true;
    }
    if !answered || facts.other_request || !facts.subject || !facts.reference(Reference::Order).is_requested() {
        return false;
    }
    let history = &facts.history;
    let is_paid = |state: State| matches!(state, State::SUCCESSFUL | State::REVERSED);
    let no_entry = |allowed: fn(&AttemptState) -> bool| {
        !history.doubtful && history.attempts.iter().all(|attempt| allowed(&attempt.state))
    };
    match ask {
        // An order in progress whose attempt is not listed yet has one all the same.
        Ask::NoEntry => {
            matches!(facts.state, State::NONE | State::INITIATED) && no_entry(|_| false) && !facts.states_disagree
        }
        Ask::NoneInProgress => {
            matches!(facts.state, State::NONE | State::INITIATED | State::FAILED)
                && no_entry(|state| *state == AttemptState::Is(State::FAILED))
                && !facts.states_disagree
                && !facts.state_contradicted
                && !facts.failed_beside_progress
        }
        Ask::NotPaid => {
            let paid = |state: &AttemptState| match state {
                AttemptState::Is(state) => is_paid(*state),
                AttemptState::Doubtful => true,
            };
            !is_paid(facts.state)
                && !facts.states_disagree
                && !history.doubtful
                && !history.attempts.iter().any(|attempt| paid(&attempt.state))
        }
    }
}
