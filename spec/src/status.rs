//! The numbers of the C interface: statuses, outcomes, payment states and types of JSON values.
//!
//! The constants of every language are rendered from it.

/// One named number of the interface.
pub struct Constant {
    /// Name without the `PAYSVC_` prefix, e.g. `E_TIMEOUT`.
    pub name: &'static str,
    pub number: i32,
    pub doc: &'static str,
}

const fn constant(name: &'static str, number: i32, doc: &'static str) -> Constant {
    Constant { name, number, doc: crate::schema::doc(doc) }
}

/// Version of the binary interface: the number in the soname and the value of `paysvc_abi()`.
pub const ABI: i32 = 1;

/// What a callback of progress returns so that the call goes on. Any other value stops it: a callback that fails by
/// accident returns something else.
pub const CONTINUE: i32 = 0x5D00;

/// What a callback of a store returns: the row is durable, or what was asked for was done.
pub const STORE_DONE: i32 = 0x5D01;

/// What a callback of a store returns if there is a row with that key and number. Any third value is a failure.
pub const STORE_EXISTS: i32 = 0x5D02;

/// Why a call ended as it did. Numbers are never reused.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(i32)]
pub enum Status {
    Ok = 0,
    Argument = 1,
    Config = 2,
    Encrypt = 3,
    Journal = 4,
    Unresolved = 5,
    KeyReused = 6,
    Transport = 10,
    Timeout = 11,
    Cancelled = 12,
    Rejected = 20,
    Unauthorized = 21,
    RateLimited = 22,
    Server = 23,
    Response = 24,
    Internal = 90,
}

/// Statuses whose name sounds as if the request in question had not been executed. With the outcome UNKNOWN that is not
/// true, so the languages' error classes leave them out.
pub const DENIALS: &[Status] =
    &[Status::Argument, Status::Config, Status::Encrypt, Status::Rejected, Status::Unauthorized, Status::RateLimited];

pub const STATUSES: &[Constant] = &[
    constant("OK", Status::Ok as i32, "The service answered success."),
    constant(
        "E_ARGUMENT",
        Status::Argument as i32,
        "NULL, not UTF-8, not a JSON object, a member missing, unknown or of the wrong type. This call sent nothing.",
    ),
    constant(
        "E_CONFIG",
        Status::Config as i32,
        "The configuration or the encryption key is wrong or lacks what this call needs. This call moved no money.",
    ),
    constant(
        "E_ENCRYPT",
        Status::Encrypt as i32,
        "The payload does not fit the encryption key. This call sent nothing.",
    ),
    constant(
        "E_JOURNAL",
        Status::Journal as i32,
        "The journal cannot be read or written. This call sent nothing; the outcome is NOT_SENT only if the journal shows that nothing with this key or for this order is open.",
    ),
    constant(
        "E_UNRESOLVED",
        Status::Unresolved as i32,
        "The service was asked what became of a request, and that is still not known; or the journal has an open request. The outcome is UNKNOWN.",
    ),
    constant(
        "E_KEY_REUSED",
        Status::KeyReused as i32,
        "The journal has this idempotency key for a request with different members. This call sent nothing. The outcome is UNKNOWN: it is that of the other request.",
    ),
    constant("E_TRANSPORT", Status::Transport as i32, "Name look-up, connect, TLS, or a broken connection."),
    constant("E_TIMEOUT", Status::Timeout as i32, "The time ran out, or the service answered 408."),
    constant("E_CANCELLED", Status::Cancelled as i32, "The call was cancelled."),
    constant(
        "E_REJECTED",
        Status::Rejected as i32,
        "The service refused this request, and did not execute it: an answer that reports failure, or a 4xx. The outcome is REJECTED.",
    ),
    constant(
        "E_UNAUTHORIZED",
        Status::Unauthorized as i32,
        "The service refused this request, or a look-up about it, with 401 or 403.",
    ),
    constant("E_RATE_LIMITED", Status::RateLimited as i32, "The service answered 429, after the retries."),
    constant("E_SERVER", Status::Server as i32, "The service answered 5xx."),
    constant(
        "E_RESPONSE",
        Status::Response as i32,
        "The answer is cut off, too large, not JSON, a redirect, contradicts itself, or does not say what became of the request.",
    ),
    constant("E_INTERNAL", Status::Internal as i32, "A bug in this library; it was caught."),
];

/// What is known about the service's side.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(i32)]
pub enum Outcome {
    NotSent = 0,
    Confirmed = 1,
    Rejected = 2,
    Unknown = 3,
}

pub const OUTCOMES: &[Constant] = &[
    constant(
        "OUTCOME_NOT_SENT",
        Outcome::NotSent as i32,
        "No byte of the request left this process. It may be repeated.",
    ),
    constant(
        "OUTCOME_CONFIRMED",
        Outcome::Confirmed as i32,
        "The service answered success. Do not repeat a request that moves money. A payment is paid only if its state is SUCCESSFUL as well.",
    ),
    constant(
        "OUTCOME_REJECTED",
        Outcome::Rejected as i32,
        "The service answered that it did not execute this request. Read the message before you \
         send another: an earlier request for the same order may have been executed.",
    ),
    constant(
        "OUTCOME_UNKNOWN",
        Outcome::Unknown as i32,
        "The service may or may not have executed the request. Do not repeat one that moves money. Keep the reference, \
         resolve it now and later, and ask a person if it stays UNKNOWN.",
    ),
];

/// State of the payment in the answer: the service's own `statusId`.
///
/// Not an enum: a number that the service adds later is passed on as it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct State(pub i32);

impl State {
    pub const NONE: State = State(0);
    pub const INITIATED: State = State(1);
    pub const PENDING: State = State(2);
    pub const AWAITING: State = State(3);
    pub const FAILED: State = State(4);
    pub const SUCCESSFUL: State = State(5);
    pub const REVERSED: State = State(6);
    pub const PROCESSING: State = State(7);

    /// Also if the payment was reversed later.
    pub const fn was_paid(self) -> bool {
        matches!(self, State::SUCCESSFUL | State::REVERSED)
    }
}

pub const STATES: &[Constant] = &[
    constant("STATE_NONE", State::NONE.0, "The answer has no state, or contradictory ones."),
    constant("STATE_INITIATED", State::INITIATED.0, "Initiated."),
    constant("STATE_PENDING", State::PENDING.0, "Pending."),
    constant("STATE_AWAITING", State::AWAITING.0, "Awaiting confirmation."),
    constant("STATE_FAILED", State::FAILED.0, "Failed."),
    constant("STATE_SUCCESSFUL", State::SUCCESSFUL.0, "Successful. Together with the outcome CONFIRMED: paid."),
    constant("STATE_REVERSED", State::REVERSED.0, "Reversed."),
    constant("STATE_PROCESSING", State::PROCESSING.0, "Processing."),
];

/// Type of a value in an answer, as C asks for it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(i32)]
pub enum JsonType {
    Absent = 0,
    Null = 1,
    Bool = 2,
    Number = 3,
    String = 4,
    Array = 5,
    Object = 6,
}

/// Only C has these: every other language has its own types.
pub const JSON_TYPES: &[Constant] = &[
    constant("JSON_ABSENT", JsonType::Absent as i32, "There is no such value."),
    constant("JSON_NULL", JsonType::Null as i32, "null."),
    constant("JSON_BOOL", JsonType::Bool as i32, "true or false."),
    constant("JSON_NUMBER", JsonType::Number as i32, "A number."),
    constant("JSON_STRING", JsonType::String as i32, "A string."),
    constant("JSON_ARRAY", JsonType::Array as i32, "An array."),
    constant("JSON_OBJECT", JsonType::Object as i32, "An object."),
];

/// The name of a number, e.g. 11 in [`STATUSES`] is `E_TIMEOUT`.
pub fn name(table: &'static [Constant], number: i32) -> Option<&'static str> {
    table.iter().find(|constant| constant.number == number).map(|constant| constant.name)
}

pub fn name_of(status: Status) -> &'static str {
    name(STATUSES, status as i32).unwrap_or("?")
}

pub fn name_of_outcome(outcome: Outcome) -> &'static str {
    name(OUTCOMES, outcome as i32).unwrap_or("?").trim_start_matches("OUTCOME_")
}

/// The outcome of that name.
pub fn outcome_named(text: &str) -> Option<Outcome> {
    let all = [Outcome::NotSent, Outcome::Confirmed, Outcome::Rejected, Outcome::Unknown];
    all.into_iter().find(|outcome| name_of_outcome(*outcome) == text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_numbers_are_given_once_and_documented() {
        for (table, prefix) in [(STATUSES, "E_"), (OUTCOMES, "OUTCOME_"), (STATES, "STATE_"), (JSON_TYPES, "JSON_")] {
            for (index, constant) in table.iter().enumerate() {
                let Constant { name: own, number, doc } = constant;
                assert!(own.starts_with(prefix) || *own == "OK", "{own}");
                assert!(doc.ends_with('.') && !doc.contains('\n'), "{own}: {doc}");
                assert!(!table[..index].iter().any(|other| other.name == *own || other.number == *number), "{own}");
                assert_eq!(name(table, *number), Some(*own));
            }
        }
    }

    #[test]
    fn every_status_and_outcome_has_its_name() {
        assert_eq!(name_of(Status::RateLimited), "E_RATE_LIMITED");
        assert_eq!(name_of_outcome(Outcome::NotSent), "NOT_SENT");
        assert_eq!(name(STATES, 99), None);
    }
}
