//! Errors in a request or the configuration, found before anything is sent.

use paysvc_spec::status::Status;

/// What is wrong, in one line and by member.
#[derive(Debug)]
pub struct ValidationError {
    pub status: Status,
    pub message: String,
    /// Each wrong member (nested ones as `card.cvv`) and what is wrong with it, as in the service's failure envelope.
    pub errors: Vec<(String, String)>,
}

impl ValidationError {
    pub fn new(status: Status, message: impl Into<String>) -> Self {
        ValidationError { status, message: message.into(), errors: Vec::new() }
    }

    /// One or more members are wrong; the message names the first.
    pub fn of_members(status: Status, what: &str, errors: Vec<(String, String)>) -> Self {
        let more = match errors.len() {
            0 | 1 => String::new(),
            n => format!(" (and {} more, see errors)", n - 1),
        };
        let first = errors.first().map(|(member, text)| format!("{member} {text}")).unwrap_or_default();
        ValidationError { status, message: format!("{what}: {first}{more}"), errors }
    }

    pub fn of_member(status: Status, what: &str, member: &str, text: impl Into<String>) -> Self {
        ValidationError::of_members(status, what, vec![(member.to_owned(), text.into())])
    }
}
