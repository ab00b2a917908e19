//! The history of an order: one entry for each attempt to pay it.

use std::collections::HashSet;

use super::data::named;
use crate::response::document::Value;
use crate::response::facts::words::{NamedState, code, is_same, state_of_id, state_of_word};
use crate::util::json::Type;
use paysvc_spec::status::State;

const HISTORY: &str = "orderPayments";
const REFERENCE: &str = "orderPaymentReference";
/// Names of a state, and of a code.
const STATES: [&str; 3] = ["statusId", "status", "paymentStatus"];
const CODES: [&str; 5] = ["statusCode", "code", "responseCode", "orderPaymentResponseCode", "paymentResponseCode"];

/// More entries are not compared with each other: nobody tries so often.
const MOST_ENTRIES: usize = 10_000;

/// The attempts to pay an order.
#[derive(Default, Debug)]
pub struct History {
    /// It is no list, or its entries cannot be told apart.
    pub doubtful: bool,
    pub entries: usize,
    /// Entries of which nothing says anything but failure.
    pub failed: usize,
}

/// The entry that is asked about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Entry {
    Absent,
    /// It contradicts itself, or there are two.
    Doubtful,
    /// One that is in progress or names no state has [`State::NONE`] or a state of progress.
    Is(State),
}

impl Entry {
    pub fn state(self) -> State {
        match self {
            Entry::Is(state) => state,
            Entry::Absent | Entry::Doubtful => State::NONE,
        }
    }
}

impl History {
    pub fn read(data: &[Value<'_>]) -> History {
        let mut history = History::default();
        let mut seen = HashSet::new();
        for list in data.iter().copied().flat_map(|data| named(data, HISTORY)).filter(|list| !list.is_empty()) {
            // Under another name it is not the documented history, but it may be one.
            history.doubtful |= list.kind() != Type::Array || list.plain_name() != Some(HISTORY.as_bytes());
        }
        for element in data.iter().copied().flat_map(elements) {
            history.entries += 1;
            if history.entries > MOST_ENTRIES {
                history.doubtful = true;
                break;
            }
            // Two with one reference are one attempt, and so may two be of which nothing differs.
            let identity =
                reference(element).map_or_else(|| element.raw().to_owned(), |text| text.trim().to_lowercase());
            history.doubtful |= element.kind() != Type::Object || !seen.insert(identity);
            history.failed += usize::from(state(element) == Entry::Is(State::FAILED));
        }
        history
    }
}

/// The entries.
pub fn elements(data: Value<'_>) -> impl Iterator<Item = Value<'_>> {
    named(data, HISTORY).filter(|list| list.kind() == Type::Array).flat_map(Value::children)
}

/// The entry with that reference.
pub fn entry(data: &[Value<'_>], wanted: &str) -> Entry {
    let is_it = |element: &Value<'_>| reference(*element).is_some_and(|found| is_same(&found, wanted));
    let mut found = data.iter().copied().flat_map(elements).filter(is_it);
    match (found.next(), found.next()) {
        (None, _) => Entry::Absent,
        (Some(_), Some(_)) => Entry::Doubtful,
        (Some(entry), None) => state(entry),
    }
}

fn reference(element: Value<'_>) -> Option<String> {
    let found = named(element, REFERENCE).find(|value| !value.is_empty())?;
    match found.kind() {
        Type::Text => found.text().map(|text| text.into_owned()),
        Type::Number => Some(found.raw().to_owned()),
        _ => None,
    }
}

/// The state of an entry: all that it names must agree, and its codes must not contradict it.
fn state(element: Value<'_>) -> Entry {
    if element.kind() != Type::Object {
        return Entry::Doubtful;
    }
    let mut states = Vec::new();
    let mut exact = false;
    for name in STATES {
        for member in named(element, name) {
            let state = if name == STATES[0] { state_of_id(member) } else { state_of_word(member) };
            exact |= state.is_some() && member.plain_name() == Some(name.as_bytes());
            states.extend(state);
        }
    }
    let codes: Vec<u64> = CODES.into_iter().flat_map(|name| named(element, name)).filter_map(code).collect();
    let is_any = |wanted: &dyn Fn(&NamedState) -> bool| states.iter().any(wanted);
    let is_all = |wanted: NamedState| states.iter().all(|state| *state == wanted);
    match states.first() {
        None => Entry::Is(State::NONE),
        // Written in another way than the service writes it: not read as an end.
        Some(NamedState::Failed | NamedState::Successful | NamedState::Reversed) if !exact => Entry::Doubtful,
        Some(NamedState::Failed) if is_all(NamedState::Failed) => match codes.iter().any(|code| contradicts(*code)) {
            true => Entry::Doubtful,
            false => Entry::Is(State::FAILED),
        },
        Some(NamedState::Successful) if is_all(NamedState::Successful) => {
            match codes.iter().any(|code| !matches!(code, 0 | 200)) {
                true => Entry::Doubtful,
                false => Entry::Is(State::SUCCESSFUL),
            }
        }
        Some(NamedState::Reversed) if is_all(NamedState::Reversed) => Entry::Is(State::REVERSED),
        _ if is_any(&|state| !matches!(state, NamedState::Progress(_))) => Entry::Doubtful,
        Some(NamedState::Progress(state)) => Entry::Is(*state),
        Some(_) => Entry::Doubtful,
    }
}

/// A code of success or progress beside a failure. The codes of banks are guessed to be progress, so they do not count.
fn contradicts(code: u64) -> bool {
    matches!(code, 0 | 1 | 2 | 200)
}
