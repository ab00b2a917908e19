//! The meaning of values: words, states and codes.

use std::borrow::Cow;

use crate::json::Type;
use crate::json::document::Value;
use paysvc_spec::status::State;

/// In bytes. The known words are short, so a longer text is none of them.
const LONGEST_WORD: usize = 256;

/// A state as one member names it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NamedState {
    Progress(State),
    Failed,
    Successful,
    Reversed,
    /// "success" where it may refer to the request instead of the payment: it agrees with SUCCESSFUL, and is not a
    /// state by itself.
    Success,
    UnknownNumber(i32),
    Unknown,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum CodeClass {
    Success,
    /// Or in doubt: it may be about an earlier request.
    Progress,
    Failure,
}

/// A trimmed text, to be compared without regard to case; `None` if it is not text, too long, or blank.
pub fn word(value: Value<'_>) -> Option<Cow<'_, str>> {
    if value.kind() != Type::Text || value.raw().len() > LONGEST_WORD {
        return None;
    }
    let word = match value.text()? {
        Cow::Borrowed(text) => Cow::Borrowed(text.trim()),
        Cow::Owned(text) => Cow::Owned(text.trim().to_owned()),
    };
    (!word.is_empty()).then_some(word)
}

pub fn is_one_of(word: &str, words: &[&str]) -> bool {
    words.iter().any(|known| known.eq_ignore_ascii_case(word))
}

/// `true`, `false`, or "false" or "no" as text.
pub fn flag(value: Value<'_>) -> Option<bool> {
    match value.kind() {
        Type::Bool => Some(value.raw() == "true"),
        Type::Text => word(value).filter(|word| is_one_of(word, &["false", "no"])).map(|_| false),
        _ => None,
    }
}

pub fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

/// The state that a `statusId` names; `None` if it names none.
pub fn state_of_id(value: Value<'_>) -> Option<NamedState> {
    if value.is_empty() {
        return None;
    }
    // A number that is not whole or too large to be returned becomes 0, an unknown number.
    let number = match value.kind() {
        Type::Number => Some(value.raw().parse().unwrap_or(0)),
        Type::Text => word(value).filter(|word| is_digits(word)).map(|word| word.parse().unwrap_or(0)),
        _ => None,
    };
    Some(match number.map(State) {
        Some(State::FAILED) => NamedState::Failed,
        Some(State::SUCCESSFUL) => NamedState::Successful,
        Some(State::REVERSED) => NamedState::Reversed,
        Some(known @ (State::INITIATED | State::PENDING | State::AWAITING | State::PROCESSING)) => {
            NamedState::Progress(known)
        }
        Some(State(number)) => NamedState::UnknownNumber(number),
        None => NamedState::Unknown,
    })
}

/// The state that a `status` names; `None` if it names none.
pub fn state_of_word(value: Value<'_>) -> Option<NamedState> {
    match value.kind() {
        _ if value.is_empty() => None,
        Type::Text => Some(word(value).as_deref().and_then(state_word).unwrap_or(NamedState::Unknown)),
        _ => Some(NamedState::Unknown),
    }
}

pub fn state_word(word: &str) -> Option<NamedState> {
    const AWAITING: &str = "awaiting";
    Some(match word {
        _ if is_one_of(word, &["successful"]) => NamedState::Successful,
        _ if is_one_of(word, &["pending"]) => NamedState::Progress(State::PENDING),
        _ if is_one_of(word, &["initiated"]) => NamedState::Progress(State::INITIATED),
        _ if is_one_of(word, &["processing"]) => NamedState::Progress(State::PROCESSING),
        _ if is_one_of(word, &["failed", "failure", "error", "declined", "rejected"]) => NamedState::Failed,
        _ if is_one_of(word, &["reversed"]) => NamedState::Reversed,
        _ if word.get(..AWAITING.len()).is_some_and(|start| start.eq_ignore_ascii_case(AWAITING)) => {
            NamedState::Progress(State::AWAITING)
        }
        _ => return None,
    })
}

/// A code as a number, without leading zeros. Anything else counts as a number that means failure.
pub fn code(value: Value<'_>) -> Option<u64> {
    const NO_NUMBER: u64 = u64::MAX;
    let number = |digits: &str| match is_digits(digits) {
        true => digits.parse().unwrap_or(NO_NUMBER),
        false => NO_NUMBER,
    };
    match value.kind() {
        _ if value.is_empty() => None,
        Type::Number => Some(number(value.raw())),
        Type::Text => Some(word(value).map_or(NO_NUMBER, |word| number(&word))),
        _ => None,
    }
}

pub fn code_class(code: u64) -> CodeClass {
    match code {
        0 | 200 => CodeClass::Success,
        // 1 and 2 are the service's own. The others are in doubt: guessed from the codes of banks.
        1 | 2 | 6 | 9 | 22 | 26 | 68 | 90 | 91 | 94 | 96 | 97 | 99 => CodeClass::Progress,
        _ => CodeClass::Failure,
    }
}

/// Whether two references are equal, ignoring case and surrounding blanks.
pub fn is_same(one: &str, other: &str) -> bool {
    let (one, other) = (one.trim(), other.trim());
    one.eq_ignore_ascii_case(other) || !one.is_ascii() && one.to_lowercase() == other.to_lowercase()
}
