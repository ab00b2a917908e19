//! The names of the interface as Python writes them: `emailAddress` is `email_address`.

use crate::endpoints::Field;

/// Python's own words, and the arguments that every method has.
const TAKEN: &[&str] = &[
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del",
    "elif", "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "nonlocal",
    "not", "or", "pass", "raise", "return", "try", "while", "with", "yield", "self", "super", "members", "timeout",
    "call",
];

/// Methods of the two clients that no endpoint is.
const METHODS_OF_OURS: &[&str] = &["call", "request", "encrypt", "close", "aclose", "from_env"];

/// Names of the generated module that no object of a request can have.
pub const CLASSES_OF_OURS: &[&str] = &[
    "Status",
    "Outcome",
    "State",
    "Number",
    "Members",
    "Omitted",
    "Mapping",
    "Callable",
    "Decimal",
    "Call",
    "Reply",
    "Endpoints",
    "AsyncEndpoints",
];

/// Each field with its keyword; no two are the same.
pub fn keywords(fields: &[Field]) -> Vec<(&Field, String)> {
    let mut found: Vec<(&Field, String)> = Vec::new();
    for field in fields {
        let mut name = snake(field.name);
        while TAKEN.contains(&name.as_str()) || found.iter().any(|(_, other)| *other == name) {
            name.push('_');
        }
        found.push((field, name));
    }
    found
}

pub fn method(name: &str) -> String {
    let reserved = TAKEN.contains(&name) || METHODS_OF_OURS.contains(&name);
    if reserved { format!("{name}_") } else { name.to_owned() }
}

pub fn class(name: &str) -> String {
    snake(name)
        .split('_')
        .flat_map(|word| word.chars().take(1).map(|c| c.to_ascii_uppercase()).chain(word.chars().skip(1)))
        .collect()
}

/// `sessionID` and `SessionId` are `session_id`; what no identifier may hold becomes an underscore.
fn snake(name: &str) -> String {
    let letters: Vec<char> = name.chars().collect();
    let mut out = String::new();
    for (index, &c) in letters.iter().enumerate() {
        let before = index.checked_sub(1).map(|at| letters[at]);
        let ends_an_acronym = letters.get(index + 1).is_some_and(char::is_ascii_lowercase);
        let starts_a_word = before.is_some_and(|b| {
            b.is_ascii_lowercase() || b.is_ascii_digit() || (b.is_ascii_uppercase() && ends_an_acronym)
        });
        if c.is_ascii_uppercase() && starts_a_word {
            out.push('_');
        }
        out.push(if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' });
    }
    if out.starts_with(|c: char| c.is_ascii_digit()) { format!("_{out}") } else { out }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::endpoints::{Kind, Place};

    #[test]
    fn names_are_those_that_a_python_programmer_expects() {
        for (interface, expected) in [
            ("emailAddress", "email_address"),
            ("Alias", "alias"),
            ("directDebitPaymentRequest", "direct_debit_payment_request"),
            ("paymentoption", "paymentoption"),
            ("sessionID", "session_id"),
            ("RedirectURLText", "redirect_url_text"),
            ("x-request", "x_request"),
            ("3ds", "_3ds"),
        ] {
            assert_eq!(snake(interface), expected);
        }
        assert_eq!(class("directDebitPaymentRequest"), "DirectDebitPaymentRequest");
        assert_eq!((method("order_pay"), method("close")), ("order_pay".into(), "close_".into()));
    }

    #[test]
    fn no_keyword_is_taken_or_given_twice() {
        let fields = ["from", "timeout", "Reference", "reference"].map(|name| Field {
            name,
            kind: Kind::Text,
            required: false,
            place: Place::Body,
            secret: false,
            doc: "",
        });
        let found: Vec<_> = keywords(&fields).into_iter().map(|(_, name)| name).collect();
        assert_eq!(found, ["from_", "timeout_", "reference", "reference_"]);
    }
}
