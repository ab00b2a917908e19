//! Reads the fields of a request and collects all validation errors into one.

use super::answer::ApiError;
use crate::util::json::Json;
use crate::util::money::Money;

pub struct Fields<'a> {
    body: &'a Json,
    errors: Vec<(String, String)>,
}

impl<'a> Fields<'a> {
    pub fn of(body: &'a Json) -> Fields<'a> {
        Fields { body, errors: Vec::new() }
    }

    /// The text at a path such as `card.cvv`; empty text, and an error, if it is missing.
    pub fn required(&mut self, path: &str) -> String {
        let noted = self.errors.len();
        let text = self.optional(path);
        if text.is_none() && self.errors.len() == noted {
            self.error(path, format!("The {path} field is required."));
        }
        text.unwrap_or_default()
    }

    /// Null and empty strings count as absent: a template of the service lists fields with empty strings.
    pub fn optional(&mut self, path: &str) -> Option<String> {
        match self.body.at(path) {
            None | Some(Json::Null) => None,
            Some(Json::Text(text)) if text.trim().is_empty() => None,
            Some(Json::Text(text)) => Some(text.clone()),
            Some(_) => {
                self.error(path, format!("The {path} field must be text."));
                None
            }
        }
    }

    pub fn optional_integer(&mut self, path: &str) {
        match self.body.at(path) {
            None | Some(Json::Null) => {}
            Some(Json::Number(digits)) if digits.parse::<i64>().is_ok() => {}
            Some(_) => self.error(path, format!("The {path} field must be an integer.")),
        }
    }

    /// A non-negative integer, as a number or as text.
    pub fn optional_count(&mut self, path: &str) -> Option<u64> {
        let digits = match self.body.at(path) {
            None | Some(Json::Null) => return None,
            Some(Json::Text(text) | Json::Number(text)) => text.parse().ok(),
            Some(_) => None,
        };
        if digits.is_none() {
            self.error(path, format!("The {path} field must be a whole number."));
        }
        digits
    }

    pub fn optional_bool(&mut self, path: &str) -> Option<bool> {
        match self.body.at(path) {
            None | Some(Json::Null) => None,
            Some(Json::Bool(value)) => Some(*value),
            Some(_) => {
                self.error(path, format!("The {path} field must be true or false."));
                None
            }
        }
    }

    /// A positive amount, as a number or as text.
    pub fn optional_amount(&mut self, path: &str) -> Option<Money> {
        let text = match self.body.at(path)? {
            Json::Null => return None,
            Json::Text(text) if text.trim().is_empty() => return None,
            Json::Text(text) | Json::Number(text) => text,
            _ => {
                self.error(path, format!("The {path} field must be a decimal number such as 100.00."));
                return None;
            }
        };
        match Money::parse_positive(text) {
            Ok(money) => Some(money),
            Err(problem) => {
                self.error(path, format!("The {path} field {problem}."));
                None
            }
        }
    }

    pub fn required_amount(&mut self, path: &str) -> Money {
        let noted = self.errors.len();
        let amount = self.optional_amount(path);
        if amount.is_none() && self.errors.len() == noted {
            self.error(path, format!("The {path} field is required."));
        }
        amount.unwrap_or_default()
    }

    /// Decimal digits, with a length in the range. The error never contains the value: it may be card data.
    pub fn required_digits(&mut self, path: &str, lengths: std::ops::RangeInclusive<usize>) -> String {
        let text = self.required(path);
        let fits = text.bytes().all(|byte| byte.is_ascii_digit()) && lengths.contains(&text.len());
        if !text.is_empty() && !fits {
            let (from, to) = (lengths.start(), lengths.end());
            let count = if from == to { from.to_string() } else { format!("{from} to {to}") };
            self.error(path, format!("The {path} field must be {count} digits."));
        }
        text
    }

    /// The digits of a card number, which may be grouped by spaces or dashes.
    pub fn required_card_number(&mut self, path: &str) -> String {
        let text = self.required(path);
        let digits: String = text.chars().filter(|letter| !matches!(letter, ' ' | '-')).collect();
        let fits = digits.bytes().all(|byte| byte.is_ascii_digit()) && (12..=19).contains(&digits.len());
        if !text.is_empty() && !fits {
            self.error(path, format!("The {path} field must be 12 to 19 digits."));
        }
        digits
    }

    /// An amount outside these paths is refused, because nothing would read it. `where_it_is` names the right place.
    pub fn no_amount_but_at(&mut self, read: &[&str], where_it_is: &str) {
        let mut found = Vec::new();
        amounts(self.body, "", &mut found);
        for path in found {
            if !read.iter().any(|known| known.eq_ignore_ascii_case(&path)) {
                self.error(&path, format!("The {path} field is not read: {where_it_is}."));
            }
        }
    }

    /// Any other field is an error.
    pub fn only(&mut self, known: &[&str]) {
        let Json::Object(members) = self.body else { return };
        for (name, _) in members.iter().filter(|(name, _)| !known.contains(&name.as_str())) {
            self.error(name, format!("There is no field {name}; there are {}.", known.join(", ")));
        }
    }

    pub fn error(&mut self, path: &str, text: String) {
        self.errors.push((path.to_string(), text));
    }

    /// Returns the collected errors, if there are any.
    pub fn finish(self) -> Result<(), ApiError> {
        if self.errors.is_empty() { Ok(()) } else { Err(ApiError::invalid(self.errors)) }
    }
}

/// The paths of all fields that are named like an amount and have an amount as value.
fn amounts(json: &Json, within: &str, found: &mut Vec<String>) {
    let at = |name: &str| if within.is_empty() { name.to_string() } else { format!("{within}.{name}") };
    match json {
        Json::Object(members) => {
            for (name, value) in members {
                let is_amount = match value {
                    Json::Text(text) | Json::Number(text) => Money::parse(text.trim()).is_ok(),
                    _ => false,
                };
                match value {
                    _ if is_amount && name.to_ascii_lowercase().ends_with("amount") => found.push(at(name)),
                    value => amounts(value, &at(name), found),
                }
            }
        }
        Json::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                amounts(item, &at(&index.to_string()), found);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_errors_are_reported_at_once() {
        let body = Json::parse(br#"{"A":5,"card":{"cvv":"12x"},"amount":"-1","n":"x","empty":""}"#).unwrap();
        let mut fields = Fields::of(&body);
        fields.required("a");
        fields.required("b");
        fields.required_digits("card.cvv", 3..=4);
        fields.optional_amount("amount");
        fields.optional_integer("n");
        fields.required_amount("total");
        assert_eq!(fields.optional("empty"), None);
        let body = String::from_utf8(fields.finish().unwrap_err().into_answer().body).unwrap();
        for text in [
            r#""a":"The a field must be text.""#,
            r#""b":"The b field is required.""#,
            r#""card.cvv":"The card.cvv field must be 3 to 4 digits.""#,
            r#""amount":"The amount field must be a decimal number such as 100.00.""#,
            r#""n":"The n field must be an integer.""#,
            r#""total":"The total field is required.""#,
        ] {
            assert!(body.contains(text), "{text} is missing in {body}");
        }
    }
    #[test]
    fn amounts_that_nothing_reads_are_refused_with_the_place_that_is_read() {
        let body = br#"{"Amount":"5","order":{"amount":5,"totalAmount":"6.00"},"channel":{"amount":"x","list":[{"amount":1}]},"amounts":1}"#;
        let body = Json::parse(body).unwrap();
        let mut fields = Fields::of(&body);
        fields.no_amount_but_at(&["order.amount"], "the price is read at order.amount");
        let error = String::from_utf8(fields.finish().unwrap_err().into_answer().body).unwrap();
        for path in ["Amount", "order.totalAmount", "channel.list.0.amount"] {
            let text = format!(r#""{path}":"The {path} field is not read: the price is read at order.amount.""#);
            assert!(error.contains(&text), "{text} is missing in {error}");
        }
        assert_eq!(error.matches("is not read").count(), 4, "three, and the message: {error}");
    }

    #[test]
    fn card_numbers_may_be_grouped() {
        let body = Json::parse(br#"{"a":"4111 1111-1111 1111","b":"4111.1111.1111.1111","c":"- -"}"#).unwrap();
        let mut fields = Fields::of(&body);
        assert_eq!(fields.required_card_number("a"), "4111111111111111");
        fields.required_card_number("b");
        fields.required_card_number("c");
        let error = String::from_utf8(fields.finish().unwrap_err().into_answer().body).unwrap();
        assert!(error.contains(r#""b":"#) && error.contains(r#""c":"#) && !error.contains(r#""a":"#), "{error}");
    }
}
