//! Amounts of money: exact decimals, never floating point.

use std::fmt;

use crate::json::Type;
use crate::json::document::Value;
use crate::util::text::is_digits;
use paysvc_spec::schema::LONGEST_AMOUNT;

/// A decimal that is not negative: `25.5`, `25.50` and `025.500000` are equal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Decimal {
    /// As short as it can be written.
    text: String,
}

impl Decimal {
    /// Digits with at most one decimal point; `None` for anything else, such as signs, exponents and separators.
    pub fn parse(text: &str) -> Option<Decimal> {
        let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
        (text.len() <= LONGEST_AMOUNT && is_digits(whole) && is_digits(fraction)).then(|| Decimal::new(whole, fraction))
    }

    /// The amount in a JSON text, or a JSON number as it is written.
    pub fn of(value: Value<'_>) -> Option<Decimal> {
        match value.kind() {
            Type::Number => Decimal::parse(value.raw()),
            // An escape makes the raw text longer; no amount needs one.
            Type::Text if value.raw().len() <= 2 * LONGEST_AMOUNT => Decimal::parse(value.text()?.trim()),
            _ => None,
        }
    }

    fn new(whole: &str, fraction: &str) -> Decimal {
        let (whole, fraction) = (whole.trim_start_matches('0'), fraction.trim_end_matches('0'));
        let whole = if whole.is_empty() { "0" } else { whole };
        let mut text = String::with_capacity(whole.len() + 1 + fraction.len());
        text.push_str(whole);
        if !fraction.is_empty() {
            text.push('.');
            text.push_str(fraction);
        }
        Decimal { text }
    }

    /// Before and after the decimal point.
    fn parts(&self) -> (&str, &str) {
        self.text.split_once('.').unwrap_or((&self.text, ""))
    }

    /// Returns whether a charge of this price has that total: the total may include the fee that is named beside it.
    pub fn is_charged_as(&self, total: &Decimal, fee: Option<&Decimal>) -> bool {
        total == self || fee.is_some_and(|fee| *total == self.plus(fee))
    }

    pub fn plus(&self, other: &Decimal) -> Decimal {
        let (pairs, wholes) = self.aligned(other);
        let (mut sum, mut carry) = (Vec::with_capacity(1 + pairs.len()), 0);
        for (left, right) in pairs.into_iter().rev() {
            let digit = left + right + carry;
            carry = digit / 10;
            sum.push(digit % 10);
        }
        sum.push(carry);
        Decimal::of_digits(&sum, 1 + wholes)
    }

    /// `None` if it would be negative.
    pub fn minus(&self, other: &Decimal) -> Option<Decimal> {
        let (pairs, wholes) = self.aligned(other);
        let (mut difference, mut borrow) = (Vec::with_capacity(pairs.len()), 0);
        for (left, right) in pairs.into_iter().rev() {
            let digit = 10 + left - right - borrow;
            borrow = u8::from(digit < 10);
            difference.push(digit % 10);
        }
        (borrow == 0).then(|| Decimal::of_digits(&difference, wholes))
    }

    /// The digits of both, one below the other, and how many stand before the decimal point.
    fn aligned(&self, other: &Decimal) -> (Vec<(u8, u8)>, usize) {
        let (one, two) = (self.parts(), other.parts());
        let (wholes, fractions) = (one.0.len().max(two.0.len()), one.1.len().max(two.1.len()));
        let digits = |(whole, fraction): (&str, &str)| format!("{whole:0>wholes$}{fraction:0<fractions$}").into_bytes();
        let pairs = digits(one).into_iter().zip(digits(two)).map(|(left, right)| (left - b'0', right - b'0'));
        (pairs.collect(), wholes)
    }

    /// Makes a decimal of digits from the last to the first.
    fn of_digits(digits: &[u8], wholes: usize) -> Decimal {
        let digits: String = digits.iter().rev().map(|digit| char::from(b'0' + digit)).collect();
        let (whole, fraction) = digits.split_at(wholes);
        Decimal::new(whole, fraction)
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decimal(text: &str) -> Decimal {
        Decimal::parse(text).unwrap_or_else(|| panic!("{text} is no amount"))
    }

    #[test]
    fn equal_amounts_are_equal_however_they_are_written() {
        for (one, other) in
            [("25.5", "25.50"), ("98000.000000", "98000"), ("007", "7.0"), ("0", "0.00"), ("0.50", "00.5")]
        {
            assert_eq!(decimal(one), decimal(other));
        }
        for (one, other) in [("25.5", "25.05"), ("1", "10"), ("0.1", "0.10000000000000000000001"), ("2.5", "25")] {
            assert_ne!(decimal(one), decimal(other));
        }
    }

    #[test]
    fn what_is_no_decimal_is_none() {
        for text in ["", ".", "1.", ".5", "-1", "+1", "1e3", "1,000", " 1", "1.2.3", "NaN", "٣"] {
            assert_eq!(Decimal::parse(text), None, "{text}");
        }
        assert!(Decimal::parse(&"9".repeat(LONGEST_AMOUNT)).is_some());
        assert!(Decimal::parse(&"9".repeat(LONGEST_AMOUNT + 1)).is_none());
    }

    #[test]
    fn sums_and_differences_are_exact() {
        for (one, two, sum) in [
            ("600", "20", "620"),
            ("0.1", "0.2", "0.3"),
            ("99.99", "0.01", "100"),
            ("0", "0", "0"),
            ("1.005", "12345678901234567890", "12345678901234567891.005"),
        ] {
            assert_eq!(decimal(one).plus(&decimal(two)), decimal(sum));
            assert_eq!(decimal(two).plus(&decimal(one)), decimal(sum));
            assert_eq!(decimal(sum).minus(&decimal(one)), Some(decimal(two)));
            assert_eq!(decimal(one).minus(&decimal(sum)), (two == "0").then(|| decimal("0")));
        }
    }
}
