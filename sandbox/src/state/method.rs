//! The payment options, the currencies in which the account offers them, and their fees.

use std::fmt::{self, Display, Formatter};
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::util::money::Money;

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
    /// `paymentOptionId`. The service's own for a card; the others are made up.
    id: u64,
    /// `paymentMethod` of a payment. The service's own for a card; the others are assumed.
    paid_by: &'static str,
    currencies: Currencies,
}

#[derive(Clone, Copy)]
enum Currencies {
    All,
    These(&'static [&'static str]),
}

use Currencies::{All, These};

const NIGERIA: Currencies = These(&["NGN"]);
const MOBILE_MONEY: Currencies = These(&["NGN", "GHS", "KES", "CDF", "UGX", "TZS", "RWF", "XAF", "XOF", "ZMW"]);

const fn row(
    method: Method,
    code: &'static str,
    other: Option<&'static str>,
    name: &'static str,
    id: u64,
    paid_by: &'static str,
    currencies: Currencies,
) -> Row {
    Row { method, code, other, name, id, paid_by, currencies }
}

#[rustfmt::skip]
const ROWS: [Row; 8] = [
    row(Method::Card,         "C",             None,       "Card",          2, "Card Payment",  All),
    row(Method::BankTransfer, "BANK-TRANSFER", Some("BT"), "Bank transfer", 1, "Bank Transfer", NIGERIA),
    row(Method::DirectDebit,  "NDD",           None,       "Direct debit",  8, "Direct Debit",  NIGERIA),
    row(Method::Opay,         "OPAY",          None,       "Opay",          3, "Opay",          NIGERIA),
    row(Method::MobileMoney,  "MOMO",          None,       "Mobile money",  4, "Mobile Money",  MOBILE_MONEY),
    row(Method::Ussd,         "USSD",          None,       "USSD",          5, "USSD",          NIGERIA),
    row(Method::Qr,           "NQR",           Some("QR"), "QR code",       6, "QR Code",       NIGERIA),
    row(Method::BankAccount,  "BA",            None,       "Bank account",  7, "Bank Account",  NIGERIA),
];

impl Method {
    /// By its code, without regard to case.
    pub fn of_code(code: &str) -> Option<Method> {
        let is_it = |row: &&Row| {
            row.code.eq_ignore_ascii_case(code) || row.other.is_some_and(|other| other.eq_ignore_ascii_case(code))
        };
        ROWS.iter().find(is_it).map(|row| row.method)
    }

    /// The codes that `of_code` accepts, for messages.
    pub fn codes() -> String {
        let codes: Vec<_> = ROWS.iter().flat_map(|row| std::iter::once(row.code).chain(row.other)).collect();
        codes.join(", ")
    }

    /// All options that exist in a currency, if the merchant has it.
    pub fn of_currency(currency: &str) -> impl Iterator<Item = Method> {
        ROWS.iter().map(|row| row.method).filter(move |method| method.exists_in(currency))
    }

    pub fn exists_in(self, currency: &str) -> bool {
        match self.row().currencies {
            All => true,
            These(codes) => codes.contains(&currency),
        }
    }

    pub fn code(self) -> &'static str {
        self.row().code
    }

    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// `paymentOptionId`.
    pub fn id(self) -> u64 {
        self.row().id
    }

    /// `paymentMethod`.
    pub fn paid_by(self) -> &'static str {
        self.row().paid_by
    }

    fn row(self) -> &'static Row {
        ROWS.iter().find(|row| row.method == self).expect("every method has a row")
    }
}

/// Fee of a bank transfer, which exists in NGN only: 600 costs 620, 500 costs 520.
const OF_TRANSFER: Money = Money::whole(20);

/// The fee of all other options.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Fee {
    Percent(Money),
    Flat(Money),
}

impl Default for Fee {
    fn default() -> Fee {
        Fee::Percent(Money::hundredths(150))
    }
}

impl Fee {
    pub fn of(self, method: Method, amount: Money) -> Money {
        match (method, self) {
            (Method::BankTransfer, _) => OF_TRANSFER,
            (_, Fee::Percent(rate)) => amount.whole_part_of(rate),
            (_, Fee::Flat(fee)) => fee,
        }
    }

    /// In percent.
    pub fn rate(self, method: Method) -> Money {
        match (method, self) {
            (Method::BankTransfer, _) | (_, Fee::Flat(_)) => Money::ZERO,
            (_, Fee::Percent(rate)) => rate,
        }
    }
}

/// `1.5%` or `20`.
impl FromStr for Fee {
    type Err = String;

    fn from_str(text: &str) -> Result<Fee, String> {
        let parse = |text: &str| Money::parse(text).map_err(|why| format!("a fee such as 1.5% or 20 {why}"));
        match text.strip_suffix('%') {
            Some(rate) => parse(rate).map(Fee::Percent),
            None => parse(text).map(Fee::Flat),
        }
    }
}

impl Display for Fee {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Fee::Percent(rate) => write!(out, "{rate}%"),
            Fee::Flat(fee) => write!(out, "{fee}"),
        }
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
    fn not_every_option_exists_in_every_currency() {
        let codes = |currency| Method::of_currency(currency).map(Method::code).collect::<Vec<_>>();
        assert_eq!((codes("NGN").len(), codes("USD"), codes("ZMW")), (8, vec!["C"], vec!["C", "MOMO"]));
        assert!(Method::Card.exists_in("USD") && !Method::Qr.exists_in("USD"));
    }

    #[test]
    fn fees_are_whole() {
        let fee = |rule: &str, method, amount: &str| {
            rule.parse::<Fee>().unwrap().of(method, Money::parse(amount).unwrap()).to_string()
        };
        assert_eq!(fee("1.5%", Method::Card, "100"), "2.00");
        assert_eq!(fee("1.5%", Method::Card, "33.33"), "0.00");
        assert_eq!(fee("1.5%", Method::Card, "33.34"), "1.00");
        assert_eq!(fee("6%", Method::Card, "100"), "6.00");
        assert_eq!(fee("50", Method::DirectDebit, "5"), "50.00");
        assert_eq!(fee("6%", Method::BankTransfer, "600"), "20.00");
        for wrong in ["", "%", "-1", "1.5 %", "1,5%"] {
            assert!(wrong.parse::<Fee>().unwrap_err().starts_with("a fee such as 1.5% or 20"), "{wrong}");
        }
        assert_eq!(Fee::default().to_string().parse(), Ok(Fee::default()));
    }
}
