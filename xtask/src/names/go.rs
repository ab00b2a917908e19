//! Go's names: exported, with initialisms in capitals.

use crate::text::capitalise;

const INITIALISMS: &[&str] =
    &["abi", "api", "ca", "cvv", "http", "id", "ip", "iso", "json", "ms", "ok", "otp", "pin", "tls", "uri", "url"];

/// `recurringPaymentId` and `direct_debit_otp` as Go writes them: `RecurringPaymentID`, `DirectDebitOTP`. No word of Go
/// begins with a capital letter, so none is taken.
pub fn exported(name: &str) -> String {
    let mut words = vec![String::new()];
    for c in name.chars() {
        let last = words.last_mut().expect("never empty");
        if c == '_' || (c.is_ascii_uppercase() && last.ends_with(|before: char| !before.is_ascii_uppercase())) {
            words.push(String::new());
        }
        if c != '_' {
            words.last_mut().expect("never empty").push(c);
        }
    }
    let word = |word: &String| {
        if INITIALISMS.contains(&word.to_lowercase().as_str()) { word.to_uppercase() } else { capitalise(word) }
    };
    words.iter().map(word).collect()
}

/// `Status` and `RATE_LIMITED` make `StatusRateLimited`.
pub fn constant(kind: &str, name: &str) -> String {
    format!("{kind}{}", exported(&name.to_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_that_a_go_programmer_expects() {
        for (interface, expected) in [
            ("emailAddress", "EmailAddress"),
            ("recurringPaymentId", "RecurringPaymentID"),
            ("direct_debit_otp", "DirectDebitOTP"),
            ("Alias", "Alias"),
            ("type", "Type"),
            ("sessionID", "SessionID"),
            ("base_url", "BaseURL"),
        ] {
            assert_eq!(exported(interface), expected);
        }
        assert_eq!(constant("Status", "RATE_LIMITED"), "StatusRateLimited");
        assert_eq!(constant("Status", "OK"), "StatusOK");
    }
}
