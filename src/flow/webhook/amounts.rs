//! What an event or an answer says about the amount of one payment.

use crate::answer::decimal::Decimal;

/// What an answer or an event says about the amount of one payment.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Amounts {
    /// Without the fee.
    pub price: Option<Decimal>,
    /// What was charged: it may include the fee.
    pub total: Option<Decimal>,
    pub fee: Option<Decimal>,
}

impl Amounts {
    /// Whether this is the price: it is compared with the price if that is named, otherwise with the total with or
    /// without the fee. `None` if there is no amount to compare with.
    pub fn is_price(&self, price: &Decimal) -> Option<bool> {
        if let Some(own) = &self.price {
            return Some(own == price);
        }
        let total = self.total.as_ref()?;
        Some(total == price || self.fee.as_ref().is_some_and(|fee| *total == price.plus(fee)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decimal(text: &str) -> Decimal {
        Decimal::parse(text).unwrap_or_else(|| panic!("{text} is no amount"))
    }

    #[test]
    fn the_price_counts_before_the_total() {
        let of = |price: &str, total: &str, fee: &str| Amounts {
            price: Decimal::parse(price),
            total: Decimal::parse(total),
            fee: Decimal::parse(fee),
        };
        for (amounts, price, is) in [
            (of("600", "620", "20"), "600.00", Some(true)),
            (of("600", "620", "20"), "620", Some(false)),
            (of("", "620", "20"), "600", Some(true)),
            (of("", "620", "20"), "620", Some(true)),
            (of("", "620", "20"), "640", Some(false)),
            (of("", "620", ""), "600", Some(false)),
            (of("", "", "20"), "20", None),
        ] {
            assert_eq!(amounts.is_price(&decimal(price)), is, "{amounts:?} {price}");
        }
    }
}
