//! Masks card data, one-time codes and account numbers in logged payloads; names and structure stay.

use crate::util::json::Json;

/// Masked completely.
const SECRET: [&str; 10] =
    ["cvv", "cvc", "pin", "otp", "expirymonth", "expiryyear", "expiry", "cardtoken", "apikey", "authorizationcode"];
/// Masked except for the last four characters.
const NUMBER: [&str; 5] = ["cardnumber", "pan", "accountnumber", "sourceaccountnumber", "accountno"];

/// A masked copy. Every field of an object named `card` is masked.
pub fn mask(value: &Json) -> Json {
    mask_inside(value, false)
}

fn mask_inside(value: &Json, in_card: bool) -> Json {
    match value {
        Json::Object(members) => {
            let masked = members.iter().map(|(name, value)| (name.clone(), member(name, value, in_card)));
            Json::Object(masked.collect())
        }
        Json::Array(items) => Json::Array(items.iter().map(|item| mask_inside(item, in_card)).collect()),
        Json::Text(_) | Json::Number(_) if in_card => hide(value, 0),
        other => other.clone(),
    }
}

fn member(name: &str, value: &Json, in_card: bool) -> Json {
    let plain: String = name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase();
    if NUMBER.contains(&plain.as_str()) {
        hide(value, 4)
    } else if SECRET.contains(&plain.as_str()) {
        hide(value, 0)
    } else {
        mask_inside(value, in_card || plain == "card")
    }
}

/// Asterisks of the same length; the last `shown` characters stay if at least as many are masked.
fn hide(value: &Json, shown: usize) -> Json {
    match value {
        Json::Text(text) | Json::Number(text) => {
            let count = text.chars().count();
            let shown = if count >= 2 * shown { shown } else { 0 };
            Json::Text(
                text.chars().enumerate().map(|(place, it)| if place + shown < count { '*' } else { it }).collect(),
            )
        }
        Json::Object(_) | Json::Array(_) => mask_inside(value, true),
        other => other.clone(),
    }
}

/// The texts that `mask` hides. Shorter ones than a card's security code are no secrets.
pub fn hidden(value: &Json) -> Vec<String> {
    fn collect(value: &Json, masked: &Json, found: &mut Vec<String>) {
        match (value, masked) {
            (Json::Object(members), Json::Object(masked)) => {
                members.iter().zip(masked).for_each(|((_, value), (_, masked))| collect(value, masked, found));
            }
            (Json::Array(items), Json::Array(masked)) => {
                items.iter().zip(masked).for_each(|(value, masked)| collect(value, masked, found));
            }
            (Json::Text(text) | Json::Number(text), masked) if value != masked && text.len() > 2 => {
                found.push(text.clone());
            }
            _ => {}
        }
    }
    let mut found = Vec::new();
    collect(value, &mask(value), &mut found);
    found
}

/// A copy in whose texts these secrets are replaced.
pub fn without(value: &Json, secrets: &[String]) -> Json {
    value.mapped("", &|_, leaf| match leaf {
        Json::Text(text) => Json::Text(without_in(text, secrets)),
        other => other.clone(),
    })
}

pub fn without_in(text: &str, secrets: &[String]) -> String {
    secrets.iter().fold(text.to_string(), |text, secret| text.replace(secret, "***"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_hidden_and_the_shape_stays() {
        let payload = concat!(
            r#"{"reference":"A1","card":{"CardNumber":"5123450000784608","cvv":193,"expirymonth":"01","authOption":"x"},"#,
            r#""directDebitPaymentRequest":{"otp":"123456","mandateCode":"MDTC-1"},"account_number":"0690000031","#,
            r#""payoutDetails":[{"accountNumber":"0690000031","amount":10.50}],"pin":["1234"],"cvc":null}"#
        );
        assert_eq!(
            mask(&Json::parse(payload.as_bytes()).unwrap()).to_string(),
            concat!(
                r#"{"reference":"A1","card":{"CardNumber":"************4608","cvv":"***","expirymonth":"**","authOption":"*"},"#,
                r#""directDebitPaymentRequest":{"otp":"******","mandateCode":"MDTC-1"},"account_number":"******0031","#,
                r#""payoutDetails":[{"accountNumber":"******0031","amount":10.50}],"pin":["****"],"cvc":null}"#
            )
        );
    }
}
