//! The price in an answer, compared with the one of the request and of the caller.

use super::Price;
use super::data::named;
use crate::response::amounts::Decimal;
use crate::response::document::Value;
use crate::response::facts::words::word;

/// The price without the fee; where there is none, what was charged, with or without the fee.
const PRICE: &str = "orderAmount";
const CHARGED: &str = "totalChargedAmount";
const FEE: &str = "fee";
const CURRENCIES: [&str; 2] = ["currency", "currencyName"];

pub struct Compared {
    /// An amount was asked for, and the answer names it.
    pub amount_agrees: bool,
    /// The first difference, in words.
    pub difference: Option<String>,
}

/// Compares all prices with those that stand in the places of the answer.
pub fn compare(prices: &[Price], places: &[Value<'_>]) -> Compared {
    let mut compared = Compared { amount_agrees: false, difference: None };
    for price in prices {
        if let Some(amount) = &price.amount {
            match amount_differs(amount, places) {
                None => compared.amount_agrees = true,
                Some(what) => compared.note(format!("{what}, which is not the amount of {}", price.source)),
            }
        }
        if let Some(currency) = &price.currency
            && let Some(what) = currency_differs(currency, places)
        {
            compared.note(format!("{what}, which is not the currency of {}", price.source));
        }
    }
    compared
}

impl Compared {
    fn note(&mut self, difference: String) {
        self.difference.get_or_insert(difference);
    }
}

/// How the amount differs; `None` if it is the same.
fn amount_differs(amount: &Decimal, places: &[Value<'_>]) -> Option<String> {
    let all = |name: &'static str| {
        let found = places.iter().flat_map(move |place| named(*place, name).map(move |value| (*place, value)));
        found.filter(|(_, value)| !value.is_empty()).collect::<Vec<_>>()
    };
    let (found, with_fee) = match all(PRICE) {
        prices if !prices.is_empty() => (prices, false),
        _ => (all(CHARGED), true),
    };
    let fees = |place: Value<'_>| named(place, FEE).filter_map(Decimal::of).collect::<Vec<_>>();
    let agrees = |(place, value): &(Value<'_>, Value<'_>)| {
        let Some(found) = Decimal::of(*value) else { return false };
        found == *amount || with_fee && fees(*place).iter().any(|fee| amount.plus(fee) == found)
    };
    match found.iter().find(|found| !agrees(found)) {
        Some((_, other)) => Some(format!("{} is {}", name(*other), shown(*other))),
        // Every amount agrees, and one of them has the documented name.
        None if found.iter().any(|(_, value)| is_documented(*value)) => None,
        None => Some(format!("the answer has no {PRICE} and no {CHARGED}")),
    }
}

fn is_documented(value: Value<'_>) -> bool {
    value.plain_name().is_some_and(|name| name == PRICE.as_bytes() || name == CHARGED.as_bytes())
}

/// How the currency differs; `None` if it is the same, or not named.
fn currency_differs(currency: &str, places: &[Value<'_>]) -> Option<String> {
    let found = places.iter().flat_map(|place| CURRENCIES.into_iter().flat_map(|name| named(*place, name)));
    let mut named = found.filter(|value| !value.is_empty());
    let other = named.find(|value| !word(*value).is_some_and(|word| word.eq_ignore_ascii_case(currency.trim())))?;
    Some(format!("{} is {}", name(other), shown(other)))
}

fn name(value: Value<'_>) -> String {
    value.name().map_or_else(String::new, |name| name.into_owned())
}

/// Most of an amount or a currency; the body has the rest.
fn shown(value: Value<'_>) -> String {
    const MOST: usize = 40;
    value.text_start(MOST).map_or_else(|| value.raw().chars().take(MOST).collect(), |text| text.into_owned())
}
