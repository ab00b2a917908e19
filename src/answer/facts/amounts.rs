//! The amounts of an answer, compared with a price.

use super::stated::Stated;
use crate::answer::decimal::Decimal;

/// What one object of an answer states.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct Amounts {
    /// Without the fee.
    pub price: Stated<Decimal>,
    /// What was charged: it may include the fee.
    pub total: Stated<Decimal>,
    pub fee: Stated<Decimal>,
}

/// How an answer relates to a price.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Priced {
    Equal,
    /// The answer has no amount, or only totals where totals do not count.
    Unnamed,
    /// What differs, in words.
    Differs(String),
}

/// Compares with the amount charged, if there is no price.
pub fn compare_price(named: &[Amounts], wanted: &Decimal) -> Priced {
    match compare_price_alone(named, wanted) {
        Priced::Unnamed => {
            let agrees = |amounts: &&Amounts| {
                let with_fee = || amounts.fee.clear().map(|fee| wanted.plus(fee));
                amounts.total.clear().is_some_and(|total| total == wanted || Some(total) == with_fee().as_ref())
            };
            compared("charged total", named.iter().filter(|it| !it.total.is_absent()), |it| &it.total, agrees)
        }
        compared => compared,
    }
}

pub fn compare_price_alone(named: &[Amounts], wanted: &Decimal) -> Priced {
    let named = named.iter().filter(|amounts| !amounts.price.is_absent());
    compared("price", named, |amounts| &amounts.price, |amounts| amounts.price.clear() == Some(wanted))
}

fn compared<'a>(
    what: &str,
    mut named: impl Iterator<Item = &'a Amounts>,
    amount: impl Fn(&'a Amounts) -> &'a Stated<Decimal>,
    agrees: impl Fn(&&'a Amounts) -> bool,
) -> Priced {
    let Some(first) = named.next() else { return Priced::Unnamed };
    match std::iter::once(first).chain(named).find(|amounts| !agrees(amounts)).map(amount) {
        None => Priced::Equal,
        Some(other) => Priced::Differs(match other.clear() {
            Some(other) => format!("the {what} in the answer is {other}"),
            None => format!("the {what} in the answer cannot be read, or contradicts itself"),
        }),
    }
}
