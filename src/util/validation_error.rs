//! Errors in a request or the configuration, found before anything is sent.

use paysvc_spec::status::Status;

/// The faults of an input, in one line and by field.
#[derive(Debug)]
pub struct ValidationError {
    pub status: Status,
    pub message: String,
    /// Each wrong field (nested ones as `card.cvv`) and its fault, as in the service's failure envelope.
    pub errors: Vec<(String, String)>,
}

impl ValidationError {
    pub fn new(status: Status, message: impl Into<String>) -> Self {
        ValidationError { status, message: message.into(), errors: Vec::new() }
    }

    /// One or more fields are wrong; the message has the fault of the first, and names up to three others.
    pub fn of_members(status: Status, what: &str, errors: Vec<(String, String)>) -> Self {
        let others: Vec<_> = errors.iter().skip(1).map(|(member, _)| member.as_str()).collect();
        let more = match others.len() {
            0 => String::new(),
            1..=3 => format!(" (and {}, see errors)", others.join(", ")),
            n => format!(" (and {n} more, see errors)"),
        };
        let first = errors.first().map(|(member, text)| format!("{member} {text}")).unwrap_or_default();
        ValidationError { status, message: format!("{what}: {first}{more}"), errors }
    }

    pub fn of_member(status: Status, what: &str, member: &str, text: impl Into<String>) -> Self {
        ValidationError::of_members(status, what, vec![(member.to_owned(), text.into())])
    }
}
