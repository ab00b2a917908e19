//! What the customer pays beside the price. Whole, as in every sample of the service.

use std::fmt::{self, Display, Formatter};
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::method::Method;
use crate::util::money::Money;

/// Of a bank transfer, which exists in NGN only: 600 costs 620, 500 costs 520.
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
