//! The payment options, and the currencies in which the account offers them.

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Method {
    Card,
    BankTransfer,
    DirectDebit,
    Opay,
    MobileMoney,
    Ussd,
    Qr,
    BankAccount,
}

struct Row {
    method: Method,
    /// As it is offered, and as answers name it.
    code: &'static str,
    /// Another code for it.
    other: Option<&'static str>,
    name: &'static str,
    currencies: &'static [&'static str],
}

const EVERYWHERE: &[&str] = &["NGN", "USD", "GHS"];
const NIGERIA: &[&str] = &["NGN"];
const NIGERIA_AND_GHANA: &[&str] = &["NGN", "GHS"];

const fn row(
    method: Method,
    code: &'static str,
    other: Option<&'static str>,
    name: &'static str,
    currencies: &'static [&'static str],
) -> Row {
    Row { method, code, other, name, currencies }
}

const ROWS: [Row; 8] = [
    row(Method::Card, "C", None, "Card", EVERYWHERE),
    row(Method::BankTransfer, "BANK-TRANSFER", Some("BT"), "Bank transfer", NIGERIA),
    row(Method::DirectDebit, "NDD", None, "Direct debit", NIGERIA),
    row(Method::Opay, "OPAY", None, "Opay", NIGERIA),
    row(Method::MobileMoney, "MOMO", None, "Mobile money", NIGERIA_AND_GHANA),
    row(Method::Ussd, "USSD", None, "USSD", NIGERIA),
    row(Method::Qr, "NQR", Some("QR"), "QR code", NIGERIA),
    row(Method::BankAccount, "BA", None, "Bank account", NIGERIA),
];

impl Method {
    /// By its code, without regard to case.
    pub fn of_code(code: &str) -> Option<Method> {
        let is_it = |row: &&Row| {
            row.code.eq_ignore_ascii_case(code) || row.other.is_some_and(|other| other.eq_ignore_ascii_case(code))
        };
        ROWS.iter().find(is_it).map(|row| row.method)
    }

    /// The codes that `of_code` knows, for messages.
    pub fn codes() -> String {
        let codes: Vec<_> = ROWS.iter().flat_map(|row| std::iter::once(row.code).chain(row.other)).collect();
        codes.join(", ")
    }

    pub fn offered_in(currency: &str) -> impl Iterator<Item = Method> {
        ROWS.iter().filter(move |row| row.currencies.contains(&currency)).map(|row| row.method)
    }

    pub fn is_offered_in(self, currency: &str) -> bool {
        self.row().currencies.contains(&currency)
    }

    pub fn code(self) -> &'static str {
        self.row().code
    }

    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// `paymentOptionId`.
    pub fn id(self) -> u64 {
        match self {
            Method::Card => 1,
            Method::BankTransfer => 2,
            Method::Opay => 3,
            Method::MobileMoney => 4,
            Method::Ussd => 5,
            Method::Qr => 6,
            Method::BankAccount => 7,
            Method::DirectDebit => 8,
        }
    }

    fn row(self) -> &'static Row {
        ROWS.iter().find(|row| row.method == self).expect("every method has a row")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_found_in_any_case() {
        for (code, method) in [
            ("c", Method::Card),
            ("bank-transfer", Method::BankTransfer),
            ("bt", Method::BankTransfer),
            ("Opay", Method::Opay),
        ] {
            assert_eq!(Method::of_code(code), Some(method), "{code}");
        }
        for row in &ROWS {
            assert_eq!(Method::of_code(&row.code.to_lowercase()), Some(row.method));
            assert_eq!((row.method.code(), row.method.name()), (row.code, row.name));
        }
        assert_eq!(Method::of_code("card"), None);
        assert_eq!(Method::codes(), "C, BANK-TRANSFER, BT, NDD, OPAY, MOMO, USSD, NQR, QR, BA");
    }

    #[test]
    fn not_every_option_is_offered_in_every_currency() {
        let codes = |currency| Method::offered_in(currency).map(Method::code).collect::<Vec<_>>();
        assert_eq!((codes("NGN").len(), codes("USD"), codes("GHS")), (8, vec!["C"], vec!["C", "MOMO"]));
        assert!(codes("EUR").is_empty());
        assert!(Method::Card.is_offered_in("USD") && !Method::Qr.is_offered_in("USD"));
    }
}
