//! The state that one element of a list names for itself.

use super::words::{NamedState, state_of_id, state_of_word};
use crate::response::document::Value;
use paysvc_spec::status::State;

/// The state of an element: its `statusId` and its `status`. NONE if it names none or one that is not known, or if the two
/// disagree; states of progress never disagree, and the number counts.
pub fn state(element: Value<'_>) -> State {
    let id = element.member("statusId").and_then(state_of_id);
    let word = element.member("status").and_then(state_of_word);
    match (id, word) {
        (None, None) => State::NONE,
        (Some(named), None) | (None, Some(named)) => known(named),
        (Some(NamedState::Progress(state)), Some(NamedState::Progress(_))) => state,
        (Some(id), Some(word)) if id == word => known(id),
        _ => State::NONE,
    }
}

fn known(named: NamedState) -> State {
    match named {
        NamedState::Progress(state) => state,
        NamedState::Failed => State::FAILED,
        NamedState::Successful => State::SUCCESSFUL,
        NamedState::Reversed => State::REVERSED,
        NamedState::Success | NamedState::UnknownNumber(_) | NamedState::Unknown => State::NONE,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::response::document::Document;

    #[test]
    fn number_and_word_must_agree() {
        for (element, expected) in [
            (r#"{"statusId":5,"status":"Successful"}"#, State::SUCCESSFUL),
            (r#"{"statusId":"5"}"#, State::SUCCESSFUL),
            (r#"{"status":" successful "}"#, State::SUCCESSFUL),
            (r#"{"statusId":5,"status":"Pending"}"#, State::NONE),
            (r#"{"statusId":5,"status":"Failed"}"#, State::NONE),
            (r#"{"statusId":5,"status":"success"}"#, State::NONE),
            (r#"{"statusId":5,"status":"unheard of"}"#, State::NONE),
            (r#"{"statusId":5.0}"#, State::NONE),
            (r#"{"StatusId":5}"#, State::NONE),
            (r#"{"status":"success"}"#, State::NONE),
            (r#"{"statusId":2,"status":"Processing"}"#, State::PENDING),
            (r#"{"statusId":4,"status":"declined"}"#, State::FAILED),
            (r#"{"statusId":9}"#, State::NONE),
            (r#"{"statusId":null,"status":""}"#, State::NONE),
            (r#"{}"#, State::NONE),
            ("[5]", State::NONE),
        ] {
            let document = Document::scan(element, &|| false).unwrap();
            assert_eq!(state(document.root(element)), expected, "{element}");
        }
    }
}
