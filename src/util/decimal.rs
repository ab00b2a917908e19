//! Amounts of money, compared and added digit by digit.

/// The longest amount, in characters.
const MAX_CHARS: usize = 64;

/// A decimal number that is not negative. Equal numbers are equal however they are written: 100.10 is 100.1000.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Decimal {
    /// Without leading zeros.
    whole: Vec<u8>,
    /// Without trailing zeros.
    fraction: Vec<u8>,
}

impl Decimal {
    /// Digits with at most one fraction; `None` for anything else, a sign, an exponent, and a longer text.
    pub fn parse(text: &str) -> Option<Decimal> {
        let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
        let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        (text.len() <= MAX_CHARS && digits(whole) && digits(fraction)).then(|| Decimal {
            whole: whole.trim_start_matches('0').into(),
            fraction: fraction.trim_end_matches('0').into(),
        })
    }

    pub fn plus(&self, other: &Decimal) -> Decimal {
        let wholes = self.whole.len().max(other.whole.len());
        let fractions = self.fraction.len().max(other.fraction.len());
        let padded = |number: &Decimal| -> Vec<u8> {
            let zeros = |count: usize| std::iter::repeat_n(b'0', count);
            let whole = zeros(wholes - number.whole.len()).chain(number.whole.iter().copied());
            whole.chain(number.fraction.iter().copied()).chain(zeros(fractions - number.fraction.len())).collect()
        };
        let mut sum = padded(self);
        let mut carry = 0;
        for (digit, more) in sum.iter_mut().zip(padded(other)).rev() {
            let added = (*digit - b'0') + (more - b'0') + carry;
            (*digit, carry) = (b'0' + added % 10, added / 10);
        }
        if carry > 0 {
            sum.insert(0, b'1');
        }
        let fraction = sum.split_off(sum.len() - fractions);
        let first = sum.iter().position(|digit| *digit != b'0').unwrap_or(sum.len());
        let last = fraction.iter().rposition(|digit| *digit != b'0').map_or(0, |last| last + 1);
        Decimal { whole: sum[first..].into(), fraction: fraction[..last].into() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decimal(text: &str) -> Decimal {
        Decimal::parse(text).unwrap_or_else(|| panic!("{text}"))
    }

    #[test]
    fn equal_numbers_are_equal_however_they_are_written() {
        for (one, other, equal) in [
            ("100.10", "100.1", true),
            ("98000.000000", "98000", true),
            ("007.50", "7.5", true),
            ("0", "0.00", true),
            ("100.10", "100.01", false),
            ("100", "1000", false),
            ("0.1", "0.10000000000000000000000000000000000001", false),
            ("12345678901234567890.1", "12345678901234567890.2", false),
        ] {
            assert_eq!(decimal(one) == decimal(other), equal, "{one} {other}");
        }
    }

    #[test]
    fn sums_are_exact() {
        for (one, other, sum) in [
            ("600", "20", "620"),
            ("0.1", "0.2", "0.3"),
            ("99.99", "0.01", "100"),
            ("999", "1", "1000"),
            ("25.5", "0.38", "25.88"),
            ("0", "0", "0"),
            ("1.005", "1.0050", "2.01"),
            ("99999999999999999999.999999", "0.000001", "100000000000000000000"),
        ] {
            assert_eq!(decimal(one).plus(&decimal(other)), decimal(sum), "{one} {other}");
            assert_eq!(decimal(other).plus(&decimal(one)), decimal(sum), "{other} {one}");
        }
        // Sums of hundredths, against whole numbers.
        let text = |hundredths: u32| format!("{}.{:02}", hundredths / 100, hundredths % 100);
        for one in (0..20_000).step_by(37) {
            for other in (0..20_000).step_by(411) {
                assert_eq!(decimal(&text(one)).plus(&decimal(&text(other))), decimal(&text(one + other)));
            }
        }
    }

    #[test]
    fn what_is_no_plain_number_is_none() {
        for text in ["", ".", "1.", ".5", "-1", "+1", "1e2", "1,000", " 1", "1.2.3", "NaN", "٣"] {
            assert_eq!(Decimal::parse(text), None, "{text:?}");
        }
        assert!(Decimal::parse(&"9".repeat(MAX_CHARS)).is_some());
        assert_eq!(Decimal::parse(&"9".repeat(MAX_CHARS + 1)), None);
    }
}
