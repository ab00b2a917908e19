//! The meaning of values: words, states and codes.

use std::borrow::Cow;

use super::wording::{self, Wording};
use crate::json::Type;
use crate::json::document::Value;
use crate::util::text::is_digits;
use paysvc_spec::refusals::{CodeClass, code_class};
use paysvc_spec::status::State;

/// In bytes. The known words are short, so a longer text is none of them.
const LONGEST_WORD: usize = 256;

/// A state as one field names it.
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

#[derive(Clone, Copy)]
pub struct Code {
    /// `None` for words.
    pub number: Option<u64>,
    pub class: Option<CodeClass>,
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

/// A code, without leading zeros. One that is words is read as a text.
pub fn code(value: Value<'_>) -> Option<Code> {
    // A number that is too large is one that means nothing.
    let of_number = |digits: &str| {
        let number = digits.parse().unwrap_or(u64::MAX);
        Code { number: Some(number), class: code_class(number) }
    };
    match value.kind() {
        _ if value.is_empty() => None,
        Type::Number if is_digits(value.raw()) => Some(of_number(value.raw())),
        Type::Text => Some(match word(value) {
            Some(word) if is_digits(&word) => of_number(&word),
            Some(words) => Code { number: None, class: class_of_words(&words) },
            None => Code { number: None, class: Some(CodeClass::Doubt) },
        }),
        Type::Number => Some(Code { number: None, class: None }),
        _ => None,
    }
}

fn class_of_words(words: &str) -> Option<CodeClass> {
    let wording = wording::search(words, false);
    match wording {
        Wording { doubt: true, .. } | Wording { weak_doubt: true, .. } => Some(CodeClass::Doubt),
        Wording { refusal: true, .. } => Some(CodeClass::Failure),
        Wording { .. } => None,
    }
}

/// Returns whether two references are equal, ignoring case and surrounding blanks.
pub fn is_same(one: &str, other: &str) -> bool {
    let (one, other) = (one.trim(), other.trim());
    one.eq_ignore_ascii_case(other) || !one.is_ascii() && one.to_lowercase() == other.to_lowercase()
}
