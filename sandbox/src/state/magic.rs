//! Magic inputs: values of ordinary fields that select an outcome.

use serde::{Deserialize, Serialize};

/// Prefix of a value that names a fault.
pub const FAULT: &str = "sbx-";

/// The card of the service's documentation. It needs its holder, as real cards mostly do.
const DOCUMENTED_CARD: &str = "5123450000784608";

/// Prefix of the alias of a virtual account whose `bankCode` is null.
const NO_BANK_CODE: &str = "no-bank-code";

pub fn has_bank_code(alias: &str) -> bool {
    !alias.starts_with(NO_BANK_CODE)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Otp {
    Accepted,
    Wrong,
    Expired,
}

/// `None`: an ordinary code, which must match the one sent.
pub fn otp(code: &str) -> Option<Otp> {
    match code {
        "000000" => Some(Otp::Accepted),
        "111111" => Some(Otp::Wrong),
        "222222" => Some(Otp::Expired),
        _ => None,
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Account {
    Ordinary,
    StaysPending,
    NoFunds,
    Unknown,
}

pub fn account(number: &str) -> Account {
    match number {
        _ if number.ends_with("01") => Account::StaysPending,
        _ if number.ends_with("02") => Account::NoFunds,
        _ if number.ends_with("03") => Account::Unknown,
        _ => Account::Ordinary,
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Card {
    Accepted,
    Declined,
    Expired,
    /// Its holder must consent first.
    NeedsHolder,
}

/// Cards that match no rule are accepted.
pub fn card(number: &str) -> Card {
    match number {
        _ if number.ends_with("0002") => Card::Declined,
        _ if number.ends_with("0069") => Card::Expired,
        DOCUMENTED_CARD => Card::NeedsHolder,
        _ if number.ends_with("3155") => Card::NeedsHolder,
        _ => Card::Accepted,
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Email {
    Ordinary,
    NoMandates,
    ManyMandates,
}

pub fn email(address: &str) -> Email {
    match address.split('@').next().unwrap_or_default() {
        "none" => Email::NoMandates,
        "many" => Email::ManyMandates,
        _ => Email::Ordinary,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table() {
        assert_eq!(otp("000000"), Some(Otp::Accepted));
        assert_eq!(otp("111111"), Some(Otp::Wrong));
        assert_eq!(otp("222222"), Some(Otp::Expired));
        assert_eq!(otp("123456"), None);
        assert_eq!(account("0690000001"), Account::StaysPending);
        assert_eq!(account("0690000002"), Account::NoFunds);
        assert_eq!(account("0690000003"), Account::Unknown);
        assert_eq!(account("0690000031"), Account::Ordinary);
        assert_eq!(card("4111111111111111"), Card::Accepted);
        assert_eq!(card("5123450000784608"), Card::NeedsHolder);
        assert_eq!(card("4000000000000002"), Card::Declined);
        assert_eq!(card("4000000000000069"), Card::Expired);
        assert_eq!(card("4000002500003155"), Card::NeedsHolder);
        assert_eq!(email("none@example.com"), Email::NoMandates);
        assert_eq!(email("many@example.com"), Email::ManyMandates);
        assert_eq!(email("nonesuch@example.com"), Email::Ordinary);
    }
}
