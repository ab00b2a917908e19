//! Money as an exact number of hundredths, never as floating point.

use std::fmt::{self, Display, Formatter};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::json::Json;

/// Hundredths of the currency's unit (kobo, cent).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Money(i64);

/// Far below the limit of the integer, so that sums do not overflow.
const LARGEST: i64 = 1_000_000_000_000_000;

impl Money {
    pub const ZERO: Money = Money(0);

    pub const fn whole(units: i64) -> Money {
        Money(units * 100)
    }

    pub const fn hundredths(value: i64) -> Money {
        Money(value)
    }

    /// Plain decimal text: `620`, `620.5`, `98000.000000`; more than two decimals only if they are zeros.
    pub fn parse(text: &str) -> Result<Money, &'static str> {
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        if whole.is_empty() || !digits(whole) || !digits(fraction) || text.ends_with('.') {
            return Err("must be a decimal number such as 100.00");
        }
        let kept = fraction.trim_end_matches('0');
        if kept.len() > 2 {
            return Err("has more than two decimals");
        }
        let hundredths: i64 = format!("{whole}{kept:0<2}").parse().map_err(|_| "is too large")?;
        if hundredths > LARGEST {
            return Err("is too large");
        }
        Ok(Money(hundredths))
    }

    /// Like `parse`, but zero is an error.
    pub fn parse_positive(text: &str) -> Result<Money, &'static str> {
        let money = Money::parse(text)?;
        if money.is_zero() { Err("must be more than zero") } else { Ok(money) }
    }

    pub fn is_zero(self) -> bool {
        self.0 == 0
    }

    pub fn plus(self, other: Money) -> Money {
        Money(self.0.saturating_add(other.0))
    }

    /// `None` if the result would be negative.
    pub fn minus(self, other: Money) -> Option<Money> {
        (self.0 >= other.0).then(|| Money(self.0 - other.0))
    }

    /// So many percent of it, rounded half up to whole units.
    pub fn whole_part_of(self, percent: Money) -> Money {
        let units = (i128::from(self.0) * i128::from(percent.0) + 500_000) / 1_000_000;
        Money(i64::try_from(units).unwrap_or(LARGEST).min(LARGEST / 100) * 100)
    }

    /// A JSON number without decimals if it is whole: some clients read an integer.
    pub fn shortest(self) -> Json {
        if self.0 % 100 == 0 { Json::Number((self.0 / 100).to_string()) } else { self.into() }
    }
}

impl Display for Money {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        write!(out, "{}.{:02}", self.0 / 100, self.0 % 100)
    }
}

/// A JSON number with two decimals; use `to_string()` where the service writes text.
impl From<Money> for Json {
    fn from(money: Money) -> Self {
        Json::Number(money.to_string())
    }
}

/// As text, as everywhere.
impl Serialize for Money {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Money {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Money, D::Error> {
        Money::parse(&String::deserialize(from)?).map_err(|why| de::Error::custom(format!("an amount {why}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_texts() {
        for (text, shown) in
            [("620", "620.00"), ("0.1", "0.10"), ("98000.000000", "98000.00"), ("007.05", "7.05"), ("0", "0.00")]
        {
            assert_eq!(Money::parse(text).unwrap().to_string(), shown);
        }
        assert!(Money::parse_positive("0.00").is_err() && Money::parse_positive("0.01").is_ok());
        for text in
            ["", ".", "1.", ".5", "-1", "+1", "1e3", "1,000", "1.005", "NaN", " 1", "99999999999999999999", "1.2.3"]
        {
            assert!(Money::parse(text).is_err(), "{text:?} must be refused");
        }
    }

    #[test]
    fn arithmetic() {
        let money = |text| Money::parse(text).unwrap();
        assert_eq!(money("0.10").plus(money("0.20")), money("0.30"));
        assert_eq!(money("0.30").minus(money("0.10")), Some(money("0.20")));
        assert_eq!(money("0.10").minus(money("0.30")), None);
        assert_eq!([money("20"), money("20.50")].map(|money| money.shortest().to_string()), ["20", "20.50"]);
    }
}
