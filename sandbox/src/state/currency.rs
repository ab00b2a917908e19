//! Currencies by code, and the service's numbers for them.

/// The account has the first three; the others exist, but are not offered.
const KNOWN: [(&str, u64); 8] =
    [("NGN", 1), ("USD", 2), ("GHS", 3), ("KES", 4), ("GBP", 5), ("EUR", 6), ("ZAR", 7), ("XOF", 8)];

/// The code in capital letters; `None`: there is no such currency.
pub fn known(code: &str) -> Option<&'static str> {
    KNOWN.iter().find(|(known, _)| known.eq_ignore_ascii_case(code)).map(|(known, _)| *known)
}

/// `currencyId`.
pub fn id(code: &str) -> u64 {
    KNOWN.iter().find(|(known, _)| known.eq_ignore_ascii_case(code)).map_or(0, |(_, id)| *id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_and_numbers() {
        assert_eq!((known("ngn"), known("EUR"), known("NG"), known("")), (Some("NGN"), Some("EUR"), None, None));
        assert_eq!((id("NGN"), id("usd"), id("XXX")), (1, 2, 0));
    }
}
