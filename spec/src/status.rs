//! The numbers of the C interface: versions, statuses, outcomes, payment states and types of JSON values.
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

/// An enum of numbers, and the table of their names and what they mean.
macro_rules! numbers {
    ($(#[$of:meta])* pub enum $type:ident, $table:ident {
        $($variant:ident = $number:literal, $name:literal, $doc:literal;)*
    }) => {
        $(#[$of])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        #[repr(i32)]
        pub enum $type {
            $($variant = $number,)*
        }

        $(#[$of])*
        pub const $table: &[Constant] = &[$(constant($name, $number, $doc),)*];
    };
}

/// Version of the library, which is the workspace's, e.g. "0.3.0".
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The same as a number that grows with every release: 300 is 0.3.0, 10203 is 1.2.3.
pub const VERSION_NUMBER: i32 = number(VERSION);

/// Minor version and patch have two digits each, so that the numbers are in the order of the versions.
const fn number(version: &str) -> i32 {
    let bytes = version.as_bytes();
    let (mut parts, mut part, mut dots, mut at) = (0, 0, 0, 0);
    while at < bytes.len() {
        match bytes[at] {
            digit @ b'0'..=b'9' => part = part * 10 + (digit - b'0') as i32,
            b'.' => {
                assert!(part < 100 && dots < 2);
                (parts, part, dots) = (parts * 100 + part, 0, dots + 1);
            }
            _ => panic!("a version has digits and dots only"),
        }
        at += 1;
    }
    assert!(part < 100 && dots == 2);
    parts * 100 + part
}

/// Version of the binary interface: the number in the soname and the value of `paysvc_abi()`.
pub const ABI: i32 = 1;

/// A progress callback returns this to let the call go on. Any other value stops it: a callback that fails by accident
/// returns something else.
pub const CONTINUE: i32 = 0x5D00;

/// A store callback returns this if the row is durable, or the request was carried out.
pub const STORE_DONE: i32 = 0x5D01;

/// A store callback returns this if there is a row with that key and number. Any third value is a failure.
pub const STORE_EXISTS: i32 = 0x5D02;

numbers! {
    /// Why a call ended as it did. Numbers are never reused.
    pub enum Status, STATUSES {
        Ok = 0, "OK", "The service answered success.";
        Argument = 1, "E_ARGUMENT",
            "NULL, not UTF-8, not a JSON object, a field missing, unknown or of the wrong type. This call sent nothing.";
        Config = 2, "E_CONFIG",
            "The configuration or the encryption key is wrong or lacks what this call needs. This call moved no money.";
        Encrypt = 3, "E_ENCRYPT", "The payload does not fit the encryption key. This call sent nothing.";
        Journal = 4, "E_JOURNAL",
            "The journal cannot be read or written. This call sent nothing; the outcome is NOT_SENT only if the journal shows that nothing with this key or for this order is open.";
        Unresolved = 5, "E_UNRESOLVED",
            "The service was asked what became of a request, and that is still not known; or the journal has an open request. The outcome is UNKNOWN.";
        KeyReused = 6, "E_KEY_REUSED",
            "The journal has this idempotency key for a request with different fields. This call sent nothing. The outcome is UNKNOWN: it is that of the other request.";
        Transport = 10, "E_TRANSPORT", "DNS lookup, connect, TLS, or a broken connection.";
        Timeout = 11, "E_TIMEOUT", "The deadline was exceeded, or the service answered 408.";
        Cancelled = 12, "E_CANCELLED", "The call was cancelled.";
        Rejected = 20, "E_REJECTED",
            "The service refused this request, and did not execute it: a response that reports failure, or a 4xx. The outcome is REJECTED.";
        Unauthorized = 21, "E_UNAUTHORIZED",
            "The service refused this request, or a status query about it, with 401 or 403.";
        RateLimited = 22, "E_RATE_LIMITED",
            "The service answered 429, after the retries; or the client's limits of webhooks left no request, and nothing was sent: NOT_SENT.";
        Server = 23, "E_SERVER", "The service answered 5xx.";
        Response = 24, "E_RESPONSE",
            "The response is cut off, too large, not JSON, a redirect, contradicts itself, or does not say what became of the request.";
        Internal = 90, "E_INTERNAL", "A bug in this library; it was caught.";
    }
}

/// Statuses whose name sounds as if the request in question had not been executed. With the outcome UNKNOWN that is not
/// true, so the languages' error classes leave them out.
pub const DENIALS: &[Status] =
    &[Status::Argument, Status::Config, Status::Encrypt, Status::Rejected, Status::Unauthorized, Status::RateLimited];

numbers! {
    /// The service's side of a request, as far as it is known.
    pub enum Outcome, OUTCOMES {
        NotSent = 0, "OUTCOME_NOT_SENT", "No byte of the request left this process. It may be repeated.";
        Confirmed = 1, "OUTCOME_CONFIRMED",
            "The service answered success. Do not repeat a request that moves money. A payment is paid only if its state is SUCCESSFUL as well.";
        Rejected = 2, "OUTCOME_REJECTED",
            "The service answered that it did not execute this request. Read the message before you \
         send another: an earlier request for the same order may have been executed.";
        Unknown = 3, "OUTCOME_UNKNOWN",
            "The service may or may not have executed the request. Do not repeat one that moves money. Keep the reference, \
         resolve it now and later, and ask a person if it stays UNKNOWN.";
    }
}

/// State of the payment in the response: the service's own `statusId`.
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

    /// Neither the end of a payment nor no state at all.
    pub const fn may_change(self) -> bool {
        !matches!(self, State::NONE | State::FAILED | State::SUCCESSFUL | State::REVERSED)
    }

    /// Also if the payment was reversed later.
    pub const fn was_paid(self) -> bool {
        matches!(self, State::SUCCESSFUL | State::REVERSED)
    }
}

pub const STATES: &[Constant] = &[
    constant("STATE_NONE", State::NONE.0, "The response has no state, or contradictory ones."),
    constant("STATE_INITIATED", State::INITIATED.0, "Initiated."),
    constant("STATE_PENDING", State::PENDING.0, "Pending."),
    constant("STATE_AWAITING", State::AWAITING.0, "Awaiting confirmation."),
    constant("STATE_FAILED", State::FAILED.0, "Failed."),
    constant("STATE_SUCCESSFUL", State::SUCCESSFUL.0, "Successful. Together with the outcome CONFIRMED: paid."),
    constant("STATE_REVERSED", State::REVERSED.0, "Reversed."),
    constant("STATE_PROCESSING", State::PROCESSING.0, "Processing."),
];

numbers! {
    /// Type of a value in a response, as C asks for it.
    /// Only C has these: every other language has its own types.
    pub enum JsonType, JSON_TYPES {
        Absent = 0, "JSON_ABSENT", "There is no such value.";
        Null = 1, "JSON_NULL", "null.";
        Bool = 2, "JSON_BOOL", "true or false.";
        Number = 3, "JSON_NUMBER", "A number.";
        String = 4, "JSON_STRING", "A string.";
        Array = 5, "JSON_ARRAY", "An array.";
        Object = 6, "JSON_OBJECT", "An object.";
    }
}

numbers! {
    /// An amount of a response.
    /// Only C has these: every other language has the fields of the response.
    pub enum Amount, AMOUNTS {
        Price = 1, "AMOUNT_PRICE", "Price of the order, without the fee.";
        Fee = 2, "AMOUNT_FEE", "The fee.";
        Total = 3, "AMOUNT_TOTAL", "Amount charged, with the fee.";
        Refunded = 4, "AMOUNT_REFUNDED", "Amount refunded.";
    }
}

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
        for (table, prefix) in
            [(STATUSES, "E_"), (OUTCOMES, "OUTCOME_"), (STATES, "STATE_"), (JSON_TYPES, "JSON_"), (AMOUNTS, "AMOUNT_")]
        {
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

    #[test]
    fn later_versions_have_higher_numbers() {
        let versions = ["0.1.0", "0.1.9", "0.1.10", "0.2.0", "0.99.99", "1.0.0", "1.2.3", "12.0.1"];
        let numbers = versions.map(number);
        assert_eq!(numbers, [100, 109, 110, 200, 9999, 10_000, 10_203, 120_001]);
        assert!(numbers.is_sorted());
        assert_eq!(number(VERSION), VERSION_NUMBER);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        for version in ["1.2", "1.2.3.4", "1.100.0", "1.0.100", "1.2.3-rc1", ""] {
            assert!(std::panic::catch_unwind(|| number(version)).is_err(), "{version}");
        }
    }
}
