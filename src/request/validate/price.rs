//! Amounts and orders that no row names: an amount that somebody meant to give is never left out, because the service
//! would then charge or refund what the order has.

use serde_json::value::RawValue;

use crate::json::{self, Members, Type};
use crate::request::references::each_at;
use paysvc_spec::roles::{AMOUNT, AMOUNTS_OF_REQUEST, ORDER};

/// What is wrong with these members of a request, by their paths. `charges`: an order must have its price.
pub fn errors(members: &Members<'_>, charges: bool) -> Vec<(String, String)> {
    let mut errors = Vec::new();
    for steps in AMOUNTS_OF_REQUEST {
        each_at(members, "", steps, &mut |path, value| {
            if is_nothing(value) {
                errors.push((path.to_owned(), "must be above zero, or be left out".to_owned()));
            }
        });
    }
    each_at(members, "", &[ORDER], &mut |path, value| {
        let lacks_amount = |order: Members<'_>| !order.iter().any(|(name, _)| name.eq_ignore_ascii_case(AMOUNT));
        if charges && json::members(value).is_ok_and(lacks_amount) {
            errors.push((format!("{path}.{AMOUNT}"), "is required: an order has a price".to_owned()));
        }
    });
    errors
}

/// Null, blank, zero or negative, as text or as a number.
fn is_nothing(value: &RawValue) -> bool {
    let text = match Type::of(value) {
        Type::Null => return true,
        Type::Number => value.get().into(),
        Type::Text => json::text(value).unwrap_or_default(),
        _ => return false,
    };
    let text = text.trim();
    let mantissa = text.split(['e', 'E']).next().unwrap_or_default();
    text.starts_with('-') || !mantissa.contains(|c: char| c != '0' && c != '.' && c != '+')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(text: &str, charges: bool) -> Vec<String> {
        errors(&json::members_of(text).unwrap(), charges).into_iter().map(|(path, _)| path).collect()
    }

    #[test]
    fn an_amount_that_is_given_is_above_zero() {
        for nothing in ["null", "\"\"", "\" \"", "0", "\"0\"", "0.00", "\"0.00\"", "-1", "\"-0.01\"", "0e5", "\"+0\""] {
            for (text, path) in [
                (format!(r#"{{"amount":{nothing}}}"#), "amount"),
                (format!(r#"{{"Order":{{"Amount":{nothing}}}}}"#), "Order.Amount"),
                (format!(r#"{{"payoutDetails":[{{}},{{"AMOUNT":{nothing}}}]}}"#), "payoutDetails.1.AMOUNT"),
            ] {
                assert_eq!(paths(&text, false), [path], "{text}");
            }
        }
        for good in ["1", "\"0.01\"", "\"1,5\"", "\"x\"", "true", "{}", "[0]", "1e-2"] {
            assert!(paths(&format!(r#"{{"amount":{good}}}"#), true).is_empty(), "{good}");
        }
        assert!(paths(r#"{"amounts":0,"fee":null,"cart":[{"amount":0}]}"#, true).is_empty());
    }

    #[test]
    fn an_order_has_an_amount_where_it_is_charged() {
        assert_eq!(paths(r#"{"Order":{"reference":"A"}}"#, true), ["Order.amount"]);
        assert!(paths(r#"{"order":{}}"#, false).is_empty());
        for good in [r#"{"order":{"amount":"1"}}"#, r#"{"order":"A"}"#, r#"{"channel":{"order":{}}}"#] {
            assert!(paths(good, true).is_empty(), "{good}");
        }
    }
}
